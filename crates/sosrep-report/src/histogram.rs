//! Counting values in bins of equal width.
//!
//! A bin holds its upper edge, (a, b], and the first one its lower edge too. Scores are counted that
//! way because a row is flagged when its score is above the threshold: with an edge at the threshold,
//! the bins beyond it hold the flagged rows and no others. Values that are not finite are not
//! counted.

use crate::scale::{extent, nice_step, widened};

/// Bins asked for at most.
const MOST_BINS: usize = 200;

/// Values counted in bins.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Histogram {
    /// Ascending, one more than there are bins; empty if there was no finite value.
    pub edges: Vec<f64>,
    /// Values in each bin.
    pub counts: Vec<usize>,
}

impl Histogram {
    /// The finite values in `bins` bins from the smallest to the largest, at most 200 bins.
    ///
    /// ```
    /// let histogram = sosrep_report::Histogram::of(&[0.0, 1.0, 1.5, 4.0, f64::NAN], 2);
    /// assert_eq!(histogram.edges, [0.0, 2.0, 4.0]);
    /// assert_eq!(histogram.counts, [3, 1]);
    /// ```
    pub fn of(values: &[f64], bins: usize) -> Self {
        let Some(range) = extent(values.iter().copied()) else { return Self::default() };
        let (low, high) = widened(range);
        let bins = bins.clamp(1, MOST_BINS);
        let width = (high - low) / bins as f64;
        let mut edges: Vec<f64> = (0..bins).map(|bin| low + bin as f64 * width).collect();
        edges.push(high);
        Self::counted(values, edges, low, width)
    }

    /// About `bins` bins of a round width that cover the finite values, with an edge at `anchor`.
    pub(crate) fn anchored(values: &[f64], anchor: f64, bins: usize) -> Self {
        let Some(range) = extent(values.iter().copied()) else { return Self::default() };
        let (low, high) = widened(range);
        let width = nice_step(high - low, bins.clamp(1, MOST_BINS));
        let first = ((low - anchor) / width).floor();
        let last = ((high - anchor) / width).ceil().max(first + 1.0);
        let total = (last - first) as usize;
        // An anchor so far off that the bins around the values cannot be told apart.
        if !anchor.is_finite() || total > 2 * MOST_BINS || first.abs().max(last.abs()) > 1e9 {
            return Self::of(values, bins);
        }
        let edges = (0..=total).map(|k| anchor + (first + k as f64) * width).collect();
        Self::counted(values, edges, anchor + first * width, width)
    }

    fn counted(values: &[f64], edges: Vec<f64>, low: f64, width: f64) -> Self {
        let bins = edges.len() - 1;
        let mut counts = vec![0; bins];
        for value in values.iter().filter(|value| value.is_finite()) {
            let guess = (((value - low) / width).ceil() - 1.0).clamp(0.0, bins as f64 - 1.0);
            let mut bin = guess as usize;
            // The division may round across an edge; the edges decide.
            while bin > 0 && *value <= edges[bin] {
                bin -= 1;
            }
            while bin + 1 < bins && *value > edges[bin + 1] {
                bin += 1;
            }
            counts[bin] += 1;
        }
        Self { edges, counts }
    }

    /// Bins as (lower edge, upper edge, values); none unless edges and counts belong together.
    pub(crate) fn bins(&self) -> impl Iterator<Item = (f64, f64, usize)> {
        let fits = self.edges.len() == self.counts.len() + 1;
        let pairs = self.edges.windows(2).zip(&self.counts);
        pairs.map(|(edges, &count)| (edges[0], edges[1], count)).filter(move |_| fits)
    }

    /// The most values in a bin.
    pub(crate) fn tallest(&self) -> usize {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Vec<f64> {
        (0..500).map(|i| (f64::from(i) * 0.618).fract().powi(3) * 20.0 - 3.0).collect()
    }

    #[test]
    fn counts_add_up_to_the_finite_values() {
        let mut values = values();
        values.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
        for bins in [0, 1, 2, 30, 1000] {
            let histogram = Histogram::of(&values, bins);
            assert_eq!(histogram.counts.iter().sum::<usize>(), 500);
            let histogram = Histogram::anchored(&values, 1.7, bins);
            assert_eq!(histogram.counts.iter().sum::<usize>(), 500);
        }
    }

    #[test]
    fn every_value_lies_in_the_bin_that_counts_it() {
        let values = values();
        for histogram in [Histogram::of(&values, 37), Histogram::anchored(&values, 0.3, 20)] {
            for (i, (low, high, count)) in histogram.bins().enumerate() {
                let inside = |value: &&f64| **value > low && **value <= high;
                let at_the_start = values.iter().filter(|value| i == 0 && **value == low).count();
                assert_eq!(values.iter().filter(inside).count() + at_the_start, count);
            }
        }
    }

    #[test]
    fn bins_above_the_anchor_hold_the_values_above_it() {
        let values: Vec<f64> = (0..400).map(|i| f64::from(i) * 0.1).collect();
        for anchor in [values[200], values[390], 12.34, -5.0, 60.0] {
            let histogram = Histogram::anchored(&values, anchor, 40);
            let above = histogram.bins().filter(|bin| bin.0 >= anchor).map(|bin| bin.2).sum();
            assert_eq!(values.iter().filter(|value| **value > anchor).count(), above);
        }
    }

    #[test]
    fn values_that_are_all_equal_make_one_bar() {
        for value in [0.0, 5.0, -1e300, 1e-310] {
            let histogram = Histogram::of(&[value; 9], 10);
            assert_eq!((histogram.tallest(), histogram.counts.iter().sum()), (9, 9_usize));
            assert!(histogram.edges.iter().all(|edge| edge.is_finite()));
        }
    }

    #[test]
    fn no_finite_value_makes_no_bins() {
        assert_eq!(Histogram::of(&[f64::NAN], 10), Histogram::default());
        assert_eq!(Histogram::anchored(&[], 1.0, 10), Histogram::default());
    }

    #[test]
    fn an_anchor_far_away_still_counts_every_value() {
        for anchor in [1e300, -1e18, f64::NAN, f64::INFINITY] {
            let histogram = Histogram::anchored(&values(), anchor, 30);
            assert_eq!(histogram.counts.iter().sum::<usize>(), 500, "{anchor}");
        }
    }
}
