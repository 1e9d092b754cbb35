//! How well scores separate labelled anomalies: area under the ROC curve, average precision, ranks.
//!
//! Every metric goes through the scores in descending order. A label `true` is an anomaly, a higher score
//! is more anomalous, and equal scores form one step, since no threshold tells them apart. With
//! TP_k and FP_k the anomalies and normal rows at or above the k-th distinct score, of P and N:
//!
//! ```text
//! AUC-ROC = Pr(score of an anomaly > score of a normal row) + ½ Pr(equal)
//!         = Σ_k (FP_k − FP_{k−1}) · (TP_{k−1} + TP_k) / 2PN          (Mann–Whitney)
//! AP      = Σ_k (TP_k − TP_{k−1}) / P · TP_k / (TP_k + FP_k)         (scikit-learn)
//! ```
//!
//! Cost: O(n log n), the sort. Numerics: the AUC is counted in integers and rounded once. A NaN score
//! is an error; infinite scores are ordered like any other; −0 equals 0.
//!
//! Differs from the paper: none; it reports AUC-ROC.
//!
//! ```
//! use sosrep::metrics::{auc_roc, average_precision};
//!
//! let scores = [0.1, 0.4, 0.35, 0.8];
//! let labels = [false, false, true, true];
//! assert_eq!(auc_roc(&scores, &labels)?, 0.75);
//! assert!((average_precision(&scores, &labels)? - 5.0 / 6.0).abs() < 1e-15);
//! # Ok::<(), sosrep::Error>(())
//! ```

use std::cmp::Ordering;

use crate::error::{Error, Result};

/// The area under the ROC curve: how often an anomaly outscores a normal row, ties counting half.
///
/// # Errors
/// [`Error::WrongLength`] unless there is one label per score, [`Error::NotFiniteEntry`] for a NaN score,
/// [`Error::OneClass`] unless both labels occur.
pub fn auc_roc(scores: &[f64], labels: &[bool]) -> Result<f64> {
    let steps = steps(scores, labels)?;
    let mut twice_area = 0_u128;
    let mut before = Step::default();
    for step in &steps {
        twice_area +=
            (step.normal - before.normal) as u128 * (before.anomalies + step.anomalies) as u128;
        before = *step;
    }
    Ok(twice_area as f64 / (2 * before.anomalies as u128 * before.normal as u128) as f64)
}

/// The average precision: the precision at each threshold, weighted by the recall it adds.
///
/// # Errors
/// As [`auc_roc`].
pub fn average_precision(scores: &[f64], labels: &[bool]) -> Result<f64> {
    let curve = precision_recall_curve(scores, labels)?;
    let mut recall = 0.0;
    Ok(curve
        .iter()
        .map(|point| {
            let added = point.recall - recall;
            recall = point.recall;
            added * point.precision
        })
        .sum())
}

/// One threshold of a ROC curve: every row with a score at or above it is flagged.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RocPoint {
    /// The score.
    pub threshold: f64,
    /// Share of the normal rows flagged.
    pub false_positive_rate: f64,
    /// Share of the anomalies flagged.
    pub true_positive_rate: f64,
}

/// The ROC curve: (0, 0) at threshold +∞, then one point per distinct score, highest first.
///
/// # Errors
/// As [`auc_roc`].
pub fn roc_curve(scores: &[f64], labels: &[bool]) -> Result<Vec<RocPoint>> {
    let steps = steps(scores, labels)?;
    let total = steps.last().copied().unwrap_or_default();
    let start = Step { threshold: f64::INFINITY, ..Step::default() };
    Ok(std::iter::once(&start)
        .chain(&steps)
        .map(|step| RocPoint {
            threshold: step.threshold,
            false_positive_rate: step.normal as f64 / total.normal as f64,
            true_positive_rate: step.anomalies as f64 / total.anomalies as f64,
        })
        .collect())
}

/// One threshold of a precision-recall curve: every row with a score at or above it is flagged.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PrecisionRecallPoint {
    /// The score.
    pub threshold: f64,
    /// Share of anomalies among the flagged rows.
    pub precision: f64,
    /// Share of the anomalies flagged.
    pub recall: f64,
}

/// The precision-recall curve: one point per distinct score, highest first.
///
/// # Errors
/// As [`auc_roc`].
pub fn precision_recall_curve(
    scores: &[f64],
    labels: &[bool],
) -> Result<Vec<PrecisionRecallPoint>> {
    let steps = steps(scores, labels)?;
    let total = steps.last().copied().unwrap_or_default();
    Ok(steps
        .iter()
        .map(|step| PrecisionRecallPoint {
            threshold: step.threshold,
            precision: step.anomalies as f64 / (step.anomalies + step.normal) as f64,
            recall: step.anomalies as f64 / total.anomalies as f64,
        })
        .collect())
}

/// Ranks from 1, ascending; equal values share the average of their ranks. NaN ranks last.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&i, &j| nan_last(values[i], values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for tied in order.chunk_by(|&i, &j| nan_last(values[i], values[j]).is_eq()) {
        // The ranks before+1 … before+t have the average before + (t+1)/2.
        let rank = before as f64 + (tied.len() + 1) as f64 / 2.0;
        for &i in tied {
            ranks[i] = rank;
        }
        before += tied.len();
    }
    ranks
}

/// Anomalies and normal rows at or above a threshold.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    threshold: f64,
    anomalies: usize,
    normal: usize,
}

/// One step per distinct score, highest first; the last one counts everything.
fn steps(scores: &[f64], labels: &[bool]) -> Result<Vec<Step>> {
    if scores.len() != labels.len() {
        return Err(Error::WrongLength {
            what: "labels",
            expected: scores.len(),
            found: labels.len(),
        });
    }
    if let Some(row) = scores.iter().position(|score| score.is_nan()) {
        return Err(Error::NotFiniteEntry { what: "scores", index: row, value: scores[row] });
    }
    let anomalies = labels.iter().filter(|&&label| label).count();
    if anomalies == 0 || anomalies == labels.len() {
        return Err(Error::OneClass { count: labels.len() });
    }
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|&i, &j| nan_last(scores[j], scores[i]));
    let mut step = Step::default();
    Ok(order
        .chunk_by(|&i, &j| scores[i] == scores[j])
        .map(|tied| {
            let anomalies = tied.iter().filter(|&&i| labels[i]).count();
            step.threshold = scores[tied[0]];
            step.anomalies += anomalies;
            step.normal += tied.len() - anomalies;
            step
        })
        .collect())
}

/// The order of numbers with −0 = 0, all NaN equal and after everything else.
fn nan_last(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Scores on a small grid, hence with many ties, and labels of both classes.
    fn tied_sample(seed: u64) -> (Vec<f64>, Vec<bool>) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let rows = rng.random_range(2..60);
        let scores = (0..rows).map(|_| f64::from(rng.random_range(-5..6)) / 4.0).collect();
        let mut labels: Vec<bool> = (0..rows).map(|_| rng.random_range(0..3) == 0).collect();
        labels[0] = true;
        labels[1] = false;
        (scores, labels)
    }

    /// All pairs of an anomaly and a normal row: 1 for a win, ½ for a tie.
    fn slow_auc_roc(scores: &[f64], labels: &[bool]) -> f64 {
        let of = |class: bool| (0..scores.len()).filter(move |&i| labels[i] == class);
        let wins: f64 = of(true)
            .flat_map(|i| of(false).map(move |j| (i, j)))
            .map(|(i, j)| {
                f64::from(scores[i] > scores[j]) / 2.0 + f64::from(scores[i] >= scores[j]) / 2.0
            })
            .sum();
        wins / (of(true).count() * of(false).count()) as f64
    }

    /// Each anomaly adds 1/P of recall at the precision of the threshold equal to its own score.
    fn slow_average_precision(scores: &[f64], labels: &[bool]) -> f64 {
        let anomalies: Vec<usize> = (0..scores.len()).filter(|&i| labels[i]).collect();
        let precision = |threshold: f64| {
            let flagged: Vec<usize> =
                (0..scores.len()).filter(|&j| scores[j] >= threshold).collect();
            flagged.iter().filter(|&&j| labels[j]).count() as f64 / flagged.len() as f64
        };
        anomalies.iter().map(|&i| precision(scores[i])).sum::<f64>() / anomalies.len() as f64
    }

    #[test]
    fn metrics_agree_with_their_definitions_over_all_pairs() {
        for seed in 0..200 {
            let (scores, labels) = tied_sample(seed);
            // The AUC is rounded once on each side; the twin of AP adds at most 60 rounded terms.
            let auc = auc_roc(&scores, &labels).unwrap();
            assert!((auc - slow_auc_roc(&scores, &labels)).abs() < 1e-15);
            let precision = average_precision(&scores, &labels).unwrap();
            assert!((precision - slow_average_precision(&scores, &labels)).abs() < 1e-14);
        }
    }

    #[test]
    fn ranks_agree_with_counting() {
        for seed in 0..50 {
            let (values, _) = tied_sample(seed);
            for (value, rank) in values.iter().zip(ranks(&values)) {
                let below = values.iter().filter(|other| *other < value).count() as f64;
                let equal = values.iter().filter(|other| *other == value).count() as f64;
                assert_eq!(rank, below + (equal + 1.0) / 2.0);
            }
        }
        assert_eq!(ranks(&[f64::NAN, 0.0, f64::INFINITY, -0.0]), [4.0, 1.5, 3.0, 1.5]);
        assert!(ranks(&[]).is_empty());
    }

    #[test]
    fn rank_sum_gives_the_same_area() {
        for seed in 0..50 {
            let (scores, labels) = tied_sample(seed);
            let anomalies = labels.iter().filter(|&&label| label).count() as f64;
            let normal = labels.len() as f64 - anomalies;
            let ranks = ranks(&scores);
            let sum: f64 = ranks.iter().zip(&labels).filter(|(_, l)| **l).map(|(r, _)| r).sum();
            let area = (sum - anomalies * (anomalies + 1.0) / 2.0) / (anomalies * normal);
            assert!((auc_roc(&scores, &labels).unwrap() - area).abs() < 1e-15);
        }
    }

    #[test]
    fn increasing_maps_change_nothing() {
        for seed in 0..50 {
            let (scores, labels) = tied_sample(seed);
            let mapped: Vec<f64> = scores.iter().map(|s| (3.0 * s).exp() - 7.0).collect();
            assert_eq!(auc_roc(&scores, &labels), auc_roc(&mapped, &labels));
            assert_eq!(average_precision(&scores, &labels), average_precision(&mapped, &labels));
            assert_eq!(ranks(&scores), ranks(&mapped));
        }
    }

    #[test]
    fn perfect_worst_and_constant_scores_have_known_values() {
        let labels = [false, false, false, true];
        assert_eq!(auc_roc(&[1.0, 2.0, 3.0, 4.0], &labels), Ok(1.0));
        assert_eq!(average_precision(&[1.0, 2.0, 3.0, 4.0], &labels), Ok(1.0));
        assert_eq!(auc_roc(&[4.0, 3.0, 2.0, 1.0], &labels), Ok(0.0));
        assert_eq!(average_precision(&[4.0, 3.0, 2.0, 1.0], &labels), Ok(0.25));
        assert_eq!(auc_roc(&[0.0, -0.0, 0.0, 0.0], &labels), Ok(0.5));
        assert_eq!(average_precision(&[0.0, -0.0, 0.0, 0.0], &labels), Ok(0.25));
        let infinite = [f64::NEG_INFINITY, 0.0, 1.0, f64::INFINITY];
        assert_eq!(auc_roc(&infinite, &labels), Ok(1.0));
    }

    #[test]
    fn the_curve_holds_the_area() {
        for seed in 0..50 {
            let (scores, labels) = tied_sample(seed);
            let curve = roc_curve(&scores, &labels).unwrap();
            let area: f64 = curve
                .windows(2)
                .map(|pair| {
                    (pair[1].false_positive_rate - pair[0].false_positive_rate)
                        * (pair[0].true_positive_rate + pair[1].true_positive_rate)
                        / 2.0
                })
                .sum();
            assert!((auc_roc(&scores, &labels).unwrap() - area).abs() < 1e-14);
            let end = curve[curve.len() - 1];
            assert_eq!((end.false_positive_rate, end.true_positive_rate), (1.0, 1.0));
        }
    }

    #[test]
    fn bad_input_is_named() {
        assert_eq!(
            auc_roc(&[1.0, 2.0], &[true]),
            Err(Error::WrongLength { what: "labels", expected: 2, found: 1 })
        );
        assert_eq!(average_precision(&[1.0], &[true]), Err(Error::OneClass { count: 1 }));
        assert_eq!(auc_roc(&[], &[]), Err(Error::OneClass { count: 0 }));
        assert!(matches!(
            roc_curve(&[1.0, f64::NAN], &[true, false]),
            Err(Error::NotFiniteEntry { what: "scores", index: 1, .. })
        ));
    }
}
