//! From the scores of the training rows to a cut above which a row is anomalous, and to p-values.
//!
//! ```text
//! tail-or-group:     cut = end of the one tail of the scores, or beginning of a second group
//! contamination(ε):  cut = percentile 1−ε of the scores
//! iqr:               cut = Q₃ + 1.5 (Q₃ − Q₁)
//! mad:               cut = med + 3 · 1.4826 · median{ s − med : s ≥ med }
//! p(s) = (1 + N T(s)) / (N + 1)     of a new row,    T(s) = Σ_i w_i [s_i ≥ s]
//! p(s) = T(s)                       of a training row, which T counts already
//! ```
//!
//! The first, which is the automatic threshold, has a file of its own, `upper_part.rs`.
//!
//! A row is anomalous when its score is above the cut, never when it equals it: constant scores flag
//! nothing. A weight of k is k copies of its score throughout, and N the number of copies, see
//! [`Weights`]. p(s) is the conformal p-value; a new row counts as one copy, so p is at least
//! 1/(N + 1).
//!
//! Cost: n log n; a p-value log n. Numerics: training scores must be finite. Beyond 2 000 distinct
//! scores the p-values keep 2 001 evenly spaced quantiles and the 1 000 largest scores: p is exact at
//! every score kept, hence throughout the tail that matters, and T is linear in between.
//!
//! Differs from the paper: it ranks rows and sets no threshold.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::upper_part;
use crate::error::{Error, Result};
use crate::parameter::{Parameter, written};
use crate::points::{Weights, expect_finite, expect_length};
use crate::quantile::Ordered;

/// Distinct scores up to which all are kept, and steps of the quantiles kept beyond.
const QUANTILES: usize = 2000;
/// Largest scores kept in any case.
const TAIL: usize = 1000;
/// 1/Φ⁻¹(¾): from the median of |X| to the standard deviation of a normal variable.
const MEDIAN_TO_DEVIATION: f64 = 1.4826;
/// √(π/2): from the mean of |X| to the standard deviation of a normal variable.
const MEAN_TO_DEVIATION: f64 = 1.2533;

const CONTAMINATION: &str = "auto, or above 0 and at most 0.5";

/// A cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cut {
    /// Rows with a score above are anomalous.
    pub(crate) value: f64,
    /// See [`DetectorReport::estimated_share`](super::DetectorReport::estimated_share).
    pub(crate) estimated_share: Option<f64>,
}

/// How the cut is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Threshold {
    /// The share of the training rows to flag, above 0 and at most ½.
    ///
    /// The cut is `numpy.percentile(scores, 100 (1 − share))`, interpolated as in scikit-learn,
    /// each score as often as its weight says. Rows tied with the cut are not flagged, so ties may
    /// flag fewer.
    Contamination(f64),
    /// Read from the scores of the rows outside the core, or of the upper half: where they have one
    /// tail, the end of that tail, which flags 3 to 6 %; where not, the gap before a second group.
    #[default]
    TailOrGroup,
    /// One and a half interquartile ranges above the upper quartile: the whisker of a box plot.
    Iqr,
    /// Three standard deviations above the median, the deviation read off the median distance of
    /// the scores above it (and where that is 0, off their mean distance).
    Mad,
}

impl Threshold {
    /// The cut for these training scores: a row with a score above it is anomalous.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a share outside (0, ½], [`Error::WrongLength`] unless there is one
    /// weight per score, [`Error::NotFiniteEntry`] for a score that is not.
    pub fn cut(&self, scores: &[f64], weights: &Weights) -> Result<f64> {
        Ok(self.choose(scores, weights, 0.0, &|_| false)?.value)
    }

    /// The cut, with the share of anomalies where the rule estimates one; of the rows, a share of
    /// `inside` is in the core, and those with a score above a cut may be scattered.
    pub(crate) fn choose(
        &self,
        scores: &[f64],
        weights: &Weights,
        inside: f64,
        is_scattered: &dyn Fn(f64) -> bool,
    ) -> Result<Cut> {
        self.check()?;
        let ordered = Ordered::new(pairs(scores, weights)?);
        let mut estimated_share = None;
        let cut = match *self {
            Self::TailOrGroup => {
                let found = upper_part::cut(&ordered, weights.copies(), inside, is_scattered);
                estimated_share = Some(found.apart);
                found.cut
            }
            Self::Contamination(share) => ordered.percentile(1.0 - share, weights.copies()),
            Self::Iqr => {
                let upper = ordered.quantile(0.75);
                upper + 1.5 * (upper - ordered.quantile(0.25))
            }
            Self::Mad => ordered.quantile(0.5) + 3.0 * upper_deviation(&ordered),
        };
        Ok(Cut { value: cut.clamp(f64::MIN, f64::MAX), estimated_share })
    }

    /// Which rows are anomalous, in words, after a fit that reports this
    /// [`estimated_share`](super::DetectorReport::estimated_share).
    pub fn in_words(&self, estimated_share: Option<f64>) -> String {
        match estimated_share {
            Some(share) if share > 0.0 => {
                "automatic: their scores stand apart from the others".into()
            }
            Some(_) => "automatic: the end of the tail of the scores, none stand apart".into(),
            None => self.to_string(),
        }
    }

    /// An error unless the share of a contamination is above 0 and at most ½.
    pub(crate) fn check(&self) -> Result<()> {
        match *self {
            Self::Contamination(share) if !(share > 0.0 && share <= 0.5) => {
                Err(Error::parameter("contamination", share, CONTAMINATION))
            }
            _ => Ok(()),
        }
    }

    /// The threshold as every interface shows it: as a contamination.
    pub(crate) fn parameter(&self) -> Parameter {
        let value = match self {
            Self::Contamination(share) => written(share),
            Self::TailOrGroup => "auto".into(),
            Self::Iqr | Self::Mad => written(self),
        };
        Parameter { name: "contamination", value, domain: CONTAMINATION }
    }
}

/// `auto`, which is [`Threshold::TailOrGroup`], or the share of a contamination.
impl FromStr for Threshold {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let share = text.parse().ok().map(Self::Contamination);
        match share.filter(|share| share.check().is_ok()) {
            _ if text == "auto" => Ok(Self::default()),
            Some(share) => Ok(share),
            None => Err(Error::word("contamination", text, CONTAMINATION)),
        }
    }
}

/// Which rows are anomalous, in words.
impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            // Rounded to nine digits: 100 · 0.07 is 7.000000000000001.
            Self::Contamination(share) => {
                write!(f, "the {}\u{a0}% most anomalous rows", (1e11 * share).round() / 1e9)
            }
            Self::TailOrGroup => {
                f.write_str("automatic: the end of the tail of the scores, or a group beyond it")
            }
            Self::Iqr => f.write_str("1.5 interquartile ranges above the upper quartile"),
            Self::Mad => f.write_str("3 robust standard deviations above the median"),
        }
    }
}

/// The scores with their weights, those of weight 0 left out.
fn pairs(scores: &[f64], weights: &Weights) -> Result<Vec<(f64, f64)>> {
    let weights = weights.as_slice();
    expect_length("weights", weights, scores.len())?;
    expect_finite("scores", scores, scores.len())?;
    Ok(scores.iter().copied().zip(weights.iter().copied()).filter(|(_, w)| *w > 0.0).collect())
}

/// The standard deviation as the scores at or above the median show it.
fn upper_deviation(ordered: &Ordered) -> f64 {
    let median = ordered.quantile(0.5);
    let mut below = 0.0;
    let mut upper = Vec::new();
    for (score, cumulative) in ordered.values().iter().zip(ordered.cumulative()) {
        if *score >= median {
            upper.push((score - median, cumulative - below));
        }
        below = *cumulative;
    }
    let weight: f64 = upper.iter().map(|(_, w)| w).sum();
    let mean = upper.iter().map(|(deviation, w)| deviation * (w / weight)).sum::<f64>();
    let middle = Ordered::new(upper).quantile(0.5);
    if middle > 0.0 { MEDIAN_TO_DEVIATION * middle } else { MEAN_TO_DEVIATION * mean }
}

/// The distribution of the training scores, as much of it as p-values need.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreQuantiles {
    /// N: the number of copies the training rows stand for.
    pub(crate) copies: f64,
    /// Distinct training scores, ascending.
    pub(crate) scores: Vec<f64>,
    /// T(s) for each: the share of the weight at or above it.
    pub(crate) at_or_above: Vec<f64>,
    /// The share of the weight above it.
    pub(crate) above: Vec<f64>,
}

impl ScoreQuantiles {
    /// Reads the distribution off the training scores.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless there is one weight per score, [`Error::NotFiniteEntry`] for a score
    /// that is not.
    pub fn new(scores: &[f64], weights: &Weights) -> Result<Self> {
        // Sorted by falling score, the cumulative weight is the weight at or above.
        let pairs = pairs(scores, weights)?.into_iter().map(|(score, w)| (-score, w)).collect();
        let ordered = Ordered::new(pairs);
        let (values, cumulative) = (ordered.values(), ordered.cumulative());
        let total = cumulative[values.len() - 1];
        // The last row of every distinct score, from the highest down.
        let distinct: Vec<usize> = (0..values.len())
            .filter(|&i| values.get(i + 1).is_none_or(|next| *next != values[i]))
            .collect();
        let copies = weights.copies();
        let mut quantiles = Self { copies, scores: vec![], at_or_above: vec![], above: vec![] };
        let mut level = 0;
        for (place, &i) in distinct.iter().enumerate() {
            let share = cumulative[i] / total;
            // The score is a quantile if its rows reach another of the levels 1/2000, 2/2000, …, 1;
            // 1e-9 makes up for the rounding of the share.
            let crossed = (share * QUANTILES as f64 + 1e-9).floor() as usize;
            let last = place + 1 == distinct.len();
            if distinct.len() <= QUANTILES || place < TAIL || crossed > level || last {
                let above = if place == 0 { 0.0 } else { cumulative[distinct[place - 1]] / total };
                quantiles.scores.push(-values[i]);
                quantiles.at_or_above.push(share);
                quantiles.above.push(above);
            }
            level = crossed;
        }
        quantiles.scores.reverse();
        quantiles.at_or_above.reverse();
        quantiles.above.reverse();
        Ok(quantiles)
    }

    /// The p-value of a score: about the share of normal rows at least this anomalous. In (0, 1],
    /// falling as the score rises; NaN for NaN.
    pub fn p_value(&self, score: f64) -> f64 {
        if score.is_nan() {
            return f64::NAN;
        }
        let at_or_above = self.copies * self.share_at_or_above(score);
        ((1.0 + at_or_above) / (self.copies + 1.0)).min(1.0)
    }

    /// The p-value of the score of a training row of positive weight, which is one of those the
    /// distribution was read from and counts itself once: T(s).
    pub(crate) fn training_p_value(&self, score: f64) -> f64 {
        self.share_at_or_above(score).clamp(f64::MIN_POSITIVE, 1.0)
    }

    /// T, linear between the scores kept.
    fn share_at_or_above(&self, score: f64) -> f64 {
        let next = self.scores.partition_point(|kept| *kept < score);
        if next == self.scores.len() {
            return 0.0;
        }
        if next == 0 || score == self.scores[next] {
            return self.at_or_above[next];
        }
        let (from, to) = (self.above[next - 1], self.at_or_above[next]);
        let (low, high) = (self.scores[next - 1] / 2.0, self.scores[next] / 2.0);
        let part = (score / 2.0 - low) / (high - low);
        // Where no score was left out between the two, from = to and T is the step it should be.
        (from + (to - from) * part).clamp(to.min(from), from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Those without a parameter.
    const RULES: [Threshold; 3] = [Threshold::TailOrGroup, Threshold::Iqr, Threshold::Mad];

    /// Right-skewed scores, like anomaly scores.
    fn skewed(rows: usize, seed: u64) -> Vec<f64> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..rows).map(|_| -(1.0 - rng.random::<f64>()).ln()).collect()
    }

    fn cut(threshold: Threshold, scores: &[f64]) -> f64 {
        threshold.cut(scores, &Weights::equal(scores.len())).unwrap()
    }

    struct Copies {
        scores: Vec<f64>,
        weights: Weights,
        copied: Vec<f64>,
    }

    /// Scores with weights 0 to 3, and the same as copies.
    fn copies(rows: usize, seed: u64) -> Copies {
        let scores = skewed(rows, seed);
        let raw: Vec<f64> = (0..rows).map(|i| (i % 4) as f64).collect();
        let copied = scores.iter().zip(&raw).flat_map(|(s, w)| vec![*s; *w as usize]).collect();
        Copies { scores, weights: Weights::new(&raw).unwrap(), copied }
    }

    #[test]
    fn a_threshold_is_read_from_text_and_described_in_words() {
        assert_eq!("auto".parse(), Ok(Threshold::default()));
        assert_eq!("0.07".parse(), Ok(Threshold::Contamination(0.07)));
        for wrong in ["", "much", "0", "0.6", "nan", "-0.1"] {
            let error = wrong.parse::<Threshold>().unwrap_err();
            assert_eq!(error, Error::word("contamination", wrong, CONTAMINATION));
        }
        let words = Threshold::Contamination(0.07).to_string();
        assert_eq!(words, "the 7\u{a0}% most anomalous rows");
        assert_eq!(Threshold::Contamination(0.07).in_words(None), words);
        let [tail, group] = [0.0, 0.2].map(|share| Threshold::default().in_words(Some(share)));
        assert!(tail.contains("none stand apart") && group.contains("scores stand apart"));
    }

    #[test]
    fn contamination_is_the_percentile_of_numpy() {
        // numpy.percentile([1, 2, 3, 4, 10], [50, 75, 90, 97.5]) = [3, 4, 7.6, 9.4]
        let scores = [10.0, 1.0, 4.0, 3.0, 2.0];
        for (share, expected) in [(0.5, 3.0), (0.25, 4.0), (0.1, 7.6), (0.025, 9.4)] {
            let found = cut(Threshold::Contamination(share), &scores);
            assert!((found - expected).abs() < 1e-14, "{share}: {found}");
        }
    }

    #[test]
    fn contamination_flags_its_share() {
        let scores = skewed(1000, 1);
        for share in [0.001, 0.01, 0.1, 0.37, 0.5] {
            let cut = cut(Threshold::Contamination(share), &scores);
            let flagged = scores.iter().filter(|score| **score > cut).count();
            assert_eq!(flagged, (share * 1000.0).round() as usize);
        }
    }

    #[test]
    fn contamination_flags_its_share_of_any_weights() {
        let scores = skewed(500, 2);
        let weights = Weights::new(&skewed(500, 3)).unwrap();
        let one_copy = 1.0 / weights.copies();
        let heaviest = weights.as_slice().iter().copied().fold(0.0, f64::max);
        for share in [0.02, 0.1, 0.5] {
            let cut = Threshold::Contamination(share).cut(&scores, &weights).unwrap();
            let flagged: f64 = scores
                .iter()
                .zip(weights.as_slice())
                .filter(|(score, _)| **score > cut)
                .map(|(_, w)| w)
                .sum();
            // As much as whole rows allow, up to the copies at the two ends of the interpolation.
            assert!(flagged < share + 2.0 * one_copy, "{flagged}");
            assert!(flagged > share - heaviest - one_copy, "{flagged}");
        }
    }

    #[test]
    fn weights_are_copies() {
        let Copies { scores, weights, copied } = copies(200, 4);
        // The shares include those with a whole place, where rounding could take the next score.
        let shares = (1..=50).map(|i| Threshold::Contamination(f64::from(i) / 100.0));
        for threshold in shares.chain(RULES) {
            let weighted = threshold.cut(&scores, &weights).unwrap();
            assert!((weighted - cut(threshold, &copied)).abs() < 1e-14, "{threshold:?}");
        }
        // Two ways to weight the same scores agree to the bit of the quantile.
        let merged = Weights::new(&[2.0, 4.0, 2.0]).unwrap();
        let split = Weights::new(&[2.0, 1.0, 2.0, 3.0]).unwrap();
        for share in [0.1, 0.25, 0.3, 0.5] {
            let threshold = Threshold::Contamination(share);
            assert_eq!(
                threshold.cut(&[1.0, 2.0, 3.0], &merged),
                threshold.cut(&[1.0, 2.0, 3.0, 2.0], &split)
            );
        }
    }

    #[test]
    fn quartiles_and_medians_have_their_known_values() {
        let scores: Vec<f64> = (0..101).map(|i| f64::from(i * 37 % 101)).collect();
        assert_eq!(cut(Threshold::Iqr, &scores), 75.0 + 1.5 * 50.0);
        // The scores from 50 up are 0 … 50 above the median, their median 25.
        assert_eq!(cut(Threshold::Mad, &scores), 50.0 + 3.0 * (1.4826 * 25.0));
    }

    #[test]
    fn symmetric_scores_are_cut_by_their_quartiles() {
        // The quantiles of the logistic distribution, whose quartiles are ∓ln 3.
        let scores: Vec<f64> = (1..10_000)
            .map(|i| f64::from(i) / 10_000.0)
            .map(|level| (level / (1.0 - level)).ln())
            .collect();
        // Neighbouring scores near the quartile are 5e-4 apart.
        assert!((cut(Threshold::Mad, &scores) - 3.0 * 1.4826 * 3_f64.ln()).abs() < 5e-3);
        assert!((cut(Threshold::Iqr, &scores) - 4.0 * 3_f64.ln()).abs() < 5e-3);
    }

    #[test]
    fn a_heavy_outlier_is_above_every_cut() {
        let mut scores = skewed(300, 5);
        scores[17] = 1e3;
        let mut flat = vec![2.0; 300];
        flat[5] = 2.5;
        for threshold in RULES.into_iter().chain([Threshold::Contamination(0.01)]) {
            assert!(scores[17] > cut(threshold, &scores));
            assert!(flat[5] > cut(threshold, &flat), "{threshold:?}");
        }
    }

    #[test]
    fn constant_scores_flag_nothing() {
        for constant in [0.1, -7.3, 1e300, 0.0] {
            let contaminations = [0.1, 0.3, 0.123].map(Threshold::Contamination);
            for threshold in contaminations.into_iter().chain(RULES) {
                assert!(constant <= cut(threshold, &[constant; 37]));
            }
        }
    }

    #[test]
    fn bad_input_is_named() {
        for share in [0.0, -0.1, 0.51, f64::NAN] {
            assert!(matches!(
                Threshold::Contamination(share).cut(&[1.0], &Weights::equal(1)),
                Err(Error::Parameter { name: "contamination", .. })
            ));
        }
        assert!(matches!(
            Threshold::Iqr.cut(&[1.0], &Weights::equal(2)),
            Err(Error::WrongLength { expected: 1, found: 2, .. })
        ));
        assert!(matches!(
            ScoreQuantiles::new(&[1.0, f64::INFINITY], &Weights::equal(2)),
            Err(Error::NotFiniteEntry { what: "scores", index: 1, .. })
        ));
        assert!(Threshold::Mad.cut(&[], &Weights::equal(1)).is_err());
    }

    #[test]
    fn thresholds_are_written_by_their_names() {
        let written = serde_json::to_string(&Threshold::Contamination(0.25)).unwrap();
        assert_eq!(written, r#"{"contamination":0.25}"#);
        assert_eq!(serde_json::from_str::<Threshold>(r#""iqr""#).unwrap(), Threshold::Iqr);
        let default = serde_json::to_string(&Threshold::default()).unwrap();
        assert_eq!(default, r#""tail-or-group""#);
    }

    /// The definition: (1 + number of training scores ≥ score) / (n + 1).
    fn slow_p_value(scores: &[f64], score: f64) -> f64 {
        let above = scores.iter().filter(|s| **s >= score).count();
        (1 + above) as f64 / (scores.len() + 1) as f64
    }

    #[test]
    fn p_values_count_the_training_scores() {
        let mut scores = skewed(2000, 6);
        // Ties, and one value of each sign of zero.
        scores.iter_mut().for_each(|score| *score = (*score * 200.0).floor() / 200.0);
        scores[3] = -0.0;
        scores[4] = 0.0;
        let quantiles = ScoreQuantiles::new(&scores, &Weights::equal(2000)).unwrap();
        let between = skewed(500, 7);
        for &score in scores.iter().chain(&between).chain(&[-1.0, 100.0, f64::INFINITY]) {
            // Shares of the weight are rounded at 1e-16, n of them add up to 1e-13.
            assert!((quantiles.p_value(score) - slow_p_value(&scores, score)).abs() < 1e-13);
        }
        assert!(quantiles.p_value(f64::NAN).is_nan());
    }

    #[test]
    fn compressed_p_values_are_exact_in_the_tail_and_close_elsewhere() {
        let scores = skewed(50_000, 8);
        let quantiles = ScoreQuantiles::new(&scores, &Weights::equal(50_000)).unwrap();
        assert!(quantiles.scores.len() <= QUANTILES + 1 + TAIL);
        let mut sorted = scores.clone();
        sorted.sort_by(f64::total_cmp);
        for &score in sorted.iter().step_by(97).chain(&sorted[49_950..]) {
            let (found, exact) = (quantiles.p_value(score), slow_p_value(&scores, score));
            // Between two quantiles kept the error is below their distance.
            let tolerance = if score > sorted[50_000 - TAIL] { 1e-13 } else { 1.0 / 2000.0 };
            assert!((found - exact).abs() <= tolerance, "{score}: {found} {exact}");
        }
    }

    #[test]
    fn p_values_fall_and_never_reach_0() {
        for rows in [1, 10, 2000, 5000] {
            let scores = skewed(rows, 9);
            let quantiles = ScoreQuantiles::new(&scores, &Weights::equal(rows)).unwrap();
            let p_values: Vec<f64> =
                (-100..2000).map(|i| quantiles.p_value(f64::from(i) * 0.01)).collect();
            assert!(p_values.is_sorted_by(|a, b| a >= b));
            assert_eq!(p_values[0], 1.0);
            assert_eq!(p_values[2099], 1.0 / (rows as f64 + 1.0));
        }
    }

    #[test]
    fn weighted_p_values_are_those_of_copies() {
        for rows in [200, 4000] {
            let Copies { scores, weights, copied } = copies(rows, 10);
            let weighted = ScoreQuantiles::new(&scores, &weights).unwrap();
            let plain = ScoreQuantiles::new(&copied, &Weights::equal(copied.len())).unwrap();
            for score in skewed(300, 11) {
                let (a, b) = (weighted.p_value(score), plain.p_value(score));
                assert!((a - b).abs() < 1e-12, "{a} {b}");
            }
        }
    }
}
