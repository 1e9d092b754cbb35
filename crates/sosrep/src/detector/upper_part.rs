//! The automatic cut: where the upper part of the training scores ends, or where a second group in it begins.
//!
//! ```text
//! c = share of the rows in the core, at least ½ and at most 0.9
//! e = s − m            of the scores s ≥ m, their c-quantile;   μ = mean of e,   r² = mean of e²
//! v = √(r²/μ² − 1)     coefficient of variation
//! F₁(e) = 1 − exp(−e/μ)                 the exponential law of mean μ
//! F₂(e) = erf(e / (√π μ))               the half-normal law of mean μ
//! B = largest distance of the distribution of e from the band between F₁ and F₂
//!
//! two groups   if B > 0.045 + 0.6/√N or v > 1.1 + 1.4/√N:
//!              cut = between the two neighbours that maximise W₁ W₂ (μ₁ − μ₂)² of e     (Otsu)
//! one tail     if neither:   cut = m + 1.645 r
//! a minority   if the second group holds more than 0.2 of all rows and is not scattered:
//!              cut = m + 1.645 r, of the part or of the upper half of the group, the smaller
//! ```
//!
//! The rows outside the core are the part that anomalies are in. If there are none, their scores have
//! a law between a half-normal and an exponential one, whatever the rows: 1.645 r flags a tenth of
//! the part. Where it is neither, something else is in it: B sees many anomalies, v, which
//! is at most 1 where the rate of e does not fall (Barlow and Proschan), a few far away. Then the
//! weight above the cut is the estimated share of anomalies. A group of more than 0.2 may also be
//! a minority of the table, which the scores do not tell: its rows do, see `scatter.rs`. Of a
//! minority only the end of the tail is flagged. The other scores have no part in it: their shape says
//! how the core was fitted.
//!
//! W₁, W₂ are the weights of the two groups and N the number of copies in the part, so that a weight
//! of k is k copies. The distances from the band allow for what sampling does to N rows, and for what
//! clean tables differ from the band; docs/detector.md has the evidence.
//!
//! Cost: n for sorted scores. Numerics: excesses are divided by the largest, so that no square
//! overflows; where all are 0 the cut is m. Differs from the paper: it ranks rows.

use std::ops::RangeInclusive;

use crate::quantile::Ordered;

/// Largest distance from the band that clean tables have, and what 1/√N adds for sampling.
const BAND: [f64; 2] = [0.045, 0.6];
/// Largest coefficient of variation that clean tables have, and what 1/√N adds.
const VARIATION: [f64; 2] = [1.1, 1.4];
/// The cut of one tail in root mean squares of the excess: beyond is a tenth of a half-normal law, and 9.8 %
/// of an exponential one.
const TAIL: f64 = 1.645;

/// The quantiles of the scores that the upper part may begin at.
const BEGINNINGS: RangeInclusive<f64> = 0.5..=0.9;

/// The largest share of the weight that a second group may have which is not scattered.
const LARGEST_GROUP: f64 = 0.2;

/// A cut, and what it was read from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UpperCut {
    /// Rows with a score above are anomalous.
    pub(super) cut: f64,
    /// The share of the weight in a second group of scores; 0 if there is one tail.
    pub(super) apart: f64,
}

/// A score of the upper part.
struct Excess {
    /// Its distance from m in units of the largest.
    value: f64,
    score: f64,
    weight: f64,
}

/// The scores from m on, ascending, their weights summing to one.
struct UpperPart {
    excesses: Vec<Excess>,
    /// m.
    first: f64,
    /// Half of the largest excess: the whole may overflow.
    half_largest: f64,
    mean: f64,
    mean_square: f64,
    /// The share of all weight that is in it.
    share: f64,
}

/// The cut for sorted scores that stand for `copies` rows, of which a share of `inside` is in the core;
/// the rows with a score above a cut may be scattered.
pub(super) fn cut(
    scores: &Ordered,
    copies: f64,
    inside: f64,
    is_scattered: &dyn Fn(f64) -> bool,
) -> UpperCut {
    let upper = UpperPart::new(scores, inside.clamp(*BEGINNINGS.start(), *BEGINNINGS.end()));
    if upper.half_largest == 0.0 {
        return UpperCut { cut: upper.first, apart: 0.0 };
    }
    let copies = copies * upper.share;
    let allowed = |[exact, sampling]: [f64; 2]| exact + sampling / copies.sqrt();
    if upper.distance_from_band() <= allowed(BAND) && upper.variation() <= allowed(VARIATION) {
        return UpperCut { cut: upper.end_of_tail(), apart: 0.0 };
    }
    let cut = upper.split();
    let above = upper.excesses.iter().filter(|e| e.score > cut);
    let apart = upper.share * above.map(|e| e.weight).sum::<f64>();
    if apart > LARGEST_GROUP && !is_scattered(cut) {
        let of_group = UpperPart::new(&part_above(scores, cut), *BEGINNINGS.start());
        let cut = upper.end_of_tail().min(of_group.end_of_tail());
        return UpperCut { cut, apart: 0.0 };
    }
    UpperCut { cut, apart }
}

/// The scores above a cut.
fn part_above(scores: &Ordered, cut: f64) -> Ordered {
    let (values, cumulative) = (scores.values(), scores.cumulative());
    let first = values.partition_point(|score| *score <= cut);
    let below = |i: usize| if i == 0 { 0.0 } else { cumulative[i - 1] };
    Ordered::new((first..values.len()).map(|i| (values[i], cumulative[i] - below(i))).collect())
}

impl UpperPart {
    fn new(scores: &Ordered, quantile: f64) -> Self {
        let m = scores.quantile(quantile);
        let (values, cumulative) = (scores.values(), scores.cumulative());
        let first = values.partition_point(|score| *score < m);
        let below = if first == 0 { 0.0 } else { cumulative[first - 1] };
        let last = values.len() - 1;
        let half_largest = values[last] / 2.0 - m / 2.0;
        let weight = cumulative[last] - below;
        let mut before = below;
        let excess = |i: usize| {
            let weight = (cumulative[i] - before) / weight;
            before = cumulative[i];
            let value = (values[i] / 2.0 - m / 2.0) / half_largest;
            Excess { value, score: values[i], weight }
        };
        let excesses: Vec<Excess> = (first..=last).map(excess).collect();
        let mean = excesses.iter().map(|e| e.weight * e.value).sum();
        let mean_square = excesses.iter().map(|e| e.weight * e.value * e.value).sum();
        let share = weight / cumulative[last];
        Self { excesses, first: m, half_largest, mean, mean_square, share }
    }

    /// m + 1.645 r; m where all scores are equal.
    fn end_of_tail(&self) -> f64 {
        if self.half_largest == 0.0 {
            return self.first;
        }
        self.first + 2.0 * (self.half_largest * TAIL * self.mean_square.sqrt())
    }

    /// v.
    fn variation(&self) -> f64 {
        (self.mean_square / (self.mean * self.mean) - 1.0).max(0.0).sqrt()
    }

    /// B.
    fn distance_from_band(&self) -> f64 {
        let mut below = 0.0;
        let mut largest = 0.0_f64;
        for excess in &self.excesses {
            let at = below + excess.weight;
            let [low, high] = band(excess.value / self.mean);
            largest = largest.max(at - high).max(low - below);
            below = at;
        }
        largest
    }

    /// A number between the two groups of the scores whose e differ most.
    fn split(&self) -> f64 {
        let (mut weight, mut sum) = (0.0, 0.0);
        let mut best = (0.0, self.first);
        for pair in self.excesses.windows(2) {
            weight += pair[0].weight;
            sum += pair[0].weight * pair[0].value;
            // W₁ W₂ (μ₁ − μ₂)² = (μ W₁ − Σ₁)² / (W₁ W₂).
            let between = (self.mean * weight - sum).powi(2) / (weight * (1.0 - weight));
            if pair[0].score < pair[1].score && between > best.0 {
                best = (between, middle(pair[0].score, pair[1].score));
            }
        }
        best.1
    }
}

/// The smaller and the larger of F₁ and F₂ at `e` means.
fn band(e: f64) -> [f64; 2] {
    let exponential = -(-e).exp_m1();
    let half_normal = libm::erf(e / std::f64::consts::PI.sqrt());
    [exponential.min(half_normal), exponential.max(half_normal)]
}

/// A number from `low` on and below `high`, halfway where there is one.
fn middle(low: f64, high: f64) -> f64 {
    let middle = low / 2.0 + high / 2.0;
    if low <= middle && middle < high { middle } else { low }
}

#[cfg(test)]
mod tests;
