//! Quantiles of a weighted sample, where a weight of k is k copies.

/// What rounding may add to or take from a share of the weight.
const ROUNDING: f64 = 1e-12;

/// A weighted sample in ascending order: the inverse of its distribution function.
#[derive(Debug, Clone)]
pub(crate) struct Ordered {
    values: Vec<f64>,
    cumulative: Vec<f64>,
}

impl Ordered {
    /// Sorts pairs of a value and a positive weight.
    pub(crate) fn new(mut pairs: Vec<(f64, f64)>) -> Self {
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        // Neumaier's sum: a million weights of 1e-6 added plainly miss 1 by 8e-12.
        let (mut sum, mut lost) = (0.0_f64, 0.0);
        let cumulative = pairs.iter().map(|&(_, weight)| {
            let next = sum + weight;
            lost += if sum >= weight { (sum - next) + weight } else { (weight - next) + sum };
            sum = next;
            sum + lost
        });
        let cumulative = cumulative.collect();
        Self { values: pairs.into_iter().map(|(value, _)| value).collect(), cumulative }
    }

    /// The values, ascending.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// For each value, the weight of the values up to it, itself included.
    pub(crate) fn cumulative(&self) -> &[f64] {
        &self.cumulative
    }

    /// The smallest value with at least `level` of the weight at or below it, averaged with the
    /// next one where the weight is `level` exactly. A weight of k is k copies.
    ///
    /// # Panics
    /// If there are no values.
    pub(crate) fn quantile(&self, level: f64) -> f64 {
        let last = self.values.len() - 1;
        let total = self.cumulative[last];
        let at = self.cumulative.partition_point(|c| *c < (level - ROUNDING) * total).min(last);
        let next = if self.cumulative[at] <= (level + ROUNDING) * total { at + 1 } else { at };
        let (a, b) = (self.values[at], self.values[next.min(last)]);
        if a == b { a } else { a / 2.0 + b / 2.0 }
    }

    /// `numpy.percentile` of the N = `copies` values that the sample stands for: linear between the
    /// values at the places 0 … N−1 of their order.
    ///
    /// # Panics
    /// If there are no values.
    pub(crate) fn percentile(&self, level: f64, copies: f64) -> f64 {
        let place = level * (copies - 1.0);
        let [a, b] = [place.floor(), place.ceil()].map(|place| self.at_share(place / copies));
        let part = place.fract();
        // The bounds keep the rounding from leaving the interval, above all where a = b.
        (a * (1.0 - part) + b * part).clamp(a, b)
    }

    /// The smallest value with more than `share` of the weight at or below it.
    fn at_share(&self, share: f64) -> f64 {
        let last = self.values.len() - 1;
        let beyond = (share + ROUNDING) * self.cumulative[last];
        self.values[self.cumulative.partition_point(|c| *c <= beyond).min(last)]
    }
}
