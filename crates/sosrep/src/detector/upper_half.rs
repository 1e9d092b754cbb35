//! The automatic cut: where the upper half of the training scores ends, or where a second group in it begins.
//!
//! ```text
//! e = s − m            of the scores s ≥ m = med(s);   μ = mean of e,   r² = mean of e²
//! F₁(e) = 1 − exp(−e/μ)                 the exponential law of mean μ
//! F₂(e) = erf(e / (√π μ))               the half-normal law of mean μ
//! B = largest distance of the distribution of e from the band between F₁ and F₂
//!
//! two groups   if B > 0.05 + 2/√N or √(r²/μ² − 1) > 1.1 + 2/√N:
//!              cut = between the two neighbours that maximise W₁ W₂ (μ₁ − μ₂)²       (Otsu)
//! one tail     if neither:   cut = m + 1.6 r
//! a minority   if more than 15 % are in the second group:   m + 1.6 r of all or of the group, the larger
//! ```
//!
//! The scores of rows without anomalies have an upper half between a half-normal and an exponential
//! law, whatever the rows: 1.6 r flags 5.5 % of the one and 5.2 % of the other. Where the upper half
//! is neither, something else is in it: B sees many anomalies, the coefficient of variation, which
//! is at most 1 where the rate of e does not fall (Barlow and Proschan), a few far away. Then the
//! weight above the cut is the estimated share of anomalies, unless it is more than 15 %: a group of that size is a
//! minority of the table, and only the end of its tail is flagged. The lower half of the scores has no part in it:
//! its shape says how the core was fitted.
//!
//! W₁, W₂ are the weights of the two parts and N the number of copies, so that a weight of k is k
//! copies. The distances from the band allow for what sampling does to N rows, and for what clean
//! tables differ from the band; docs/detector.md has the evidence.
//!
//! Cost: n for sorted scores. Numerics: excesses are divided by the largest, so that no square
//! overflows; where all are 0 the cut is the median. Differs from the paper: it ranks rows.

use crate::quantile::Ordered;

/// Largest distance from the band that clean tables have, and what 1/√N adds for sampling.
const BAND: [f64; 2] = [0.05, 2.0];
/// Largest coefficient of variation that clean tables have, and what 1/√N adds.
const VARIATION: [f64; 2] = [1.1, 2.0];
/// The cut of one tail in root mean squares of the excess.
const TAIL: f64 = 1.6;

/// The largest share of the weight that a second group may have.
const LARGEST_GROUP: f64 = 0.15;

/// A cut, and what it was read from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UpperCut {
    /// Rows with a score above are anomalous.
    pub(super) cut: f64,
    /// The share of the weight in a second group of scores; 0 if there is one tail.
    pub(super) apart: f64,
}

/// A score of the upper half.
struct Excess {
    /// Its distance from the median in units of the largest.
    value: f64,
    score: f64,
    weight: f64,
}

/// The scores at or above the median, ascending, their weights summing to one.
struct UpperHalf {
    excesses: Vec<Excess>,
    median: f64,
    /// Half of the largest excess: the whole may overflow.
    half_largest: f64,
    mean: f64,
    mean_square: f64,
}

/// The cut for sorted scores that stand for `copies` rows.
pub(super) fn cut(scores: &Ordered, copies: f64) -> UpperCut {
    let upper = UpperHalf::new(scores);
    if upper.half_largest == 0.0 {
        return UpperCut { cut: upper.median, apart: 0.0 };
    }
    let allowed = |[exact, sampling]: [f64; 2]| exact + sampling / copies.sqrt();
    let is_one_tail =
        upper.distance_from_band() <= allowed(BAND) && upper.variation() <= allowed(VARIATION);
    if is_one_tail {
        return UpperCut { cut: upper.end_of_tail(), apart: 0.0 };
    }
    let cut = upper.split();
    let group = part_above(scores, cut);
    let apart = weight_of(&group) / weight_of(scores);
    if apart <= LARGEST_GROUP {
        return UpperCut { cut, apart };
    }
    let cut = upper.end_of_tail().max(UpperHalf::new(&group).end_of_tail());
    UpperCut { cut, apart: 0.0 }
}

/// The scores above a cut.
fn part_above(scores: &Ordered, cut: f64) -> Ordered {
    let (values, cumulative) = (scores.values(), scores.cumulative());
    let first = values.partition_point(|score| *score <= cut);
    let below = |i: usize| if i == 0 { 0.0 } else { cumulative[i - 1] };
    Ordered::new((first..values.len()).map(|i| (values[i], cumulative[i] - below(i))).collect())
}

fn weight_of(scores: &Ordered) -> f64 {
    scores.cumulative().last().copied().unwrap_or(0.0)
}

impl UpperHalf {
    fn new(scores: &Ordered) -> Self {
        let median = scores.quantile(0.5);
        let (values, cumulative) = (scores.values(), scores.cumulative());
        let first = values.partition_point(|score| *score < median);
        let below = if first == 0 { 0.0 } else { cumulative[first - 1] };
        let last = values.len() - 1;
        let half_largest = values[last] / 2.0 - median / 2.0;
        let mut before = below;
        let excess = |i: usize| {
            let weight = (cumulative[i] - before) / (cumulative[last] - below);
            before = cumulative[i];
            let value = (values[i] / 2.0 - median / 2.0) / half_largest;
            Excess { value, score: values[i], weight }
        };
        let excesses: Vec<Excess> = (first..=last).map(excess).collect();
        let mean = excesses.iter().map(|e| e.weight * e.value).sum();
        let mean_square = excesses.iter().map(|e| e.weight * e.value * e.value).sum();
        Self { excesses, median, half_largest, mean, mean_square }
    }

    /// m + 1.6 r; m where all scores are equal.
    fn end_of_tail(&self) -> f64 {
        if self.half_largest == 0.0 {
            return self.median;
        }
        self.median + 2.0 * (self.half_largest * TAIL * self.mean_square.sqrt())
    }

    /// √(r²/μ² − 1).
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

    /// A number between the two parts of the scores that differ most.
    fn split(&self) -> f64 {
        let (mut weight, mut sum) = (0.0, 0.0);
        let mut best = (0.0, self.median);
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
