//! A systematic sample of the rows, which represents all of them in a mean.
//!
//! ```text
//! rows in the order of Σ_j x_ij, laid end to end on [0, 1), each as long as its weight;
//! a row is in the sample once for every point (t + ½)/m, t = 0 … m − 1, that it covers
//! ```
//!
//! Every part of that order has its share of the sample, to within one row of
//! m. A cluster of equal or close rows is such a part. Nothing is drawn at random, and the order
//! in which the rows are given decides between equal sums only.
//!
//! Cost: n·d + n log n. Differs from the paper: not in it.

use crate::points::Points;

/// Some of the rows, each with its share of the sample.
pub(in crate::detector) struct Sample {
    pub(in crate::detector) indices: Vec<usize>,
    /// Sum to one.
    pub(in crate::detector) shares: Vec<f64>,
}

impl Sample {
    /// At most `size` rows of weights `w`, which sum to one; all rows, with their weights, if
    /// there are no more.
    pub(in crate::detector) fn new(points: Points, w: &[f64], size: usize) -> Self {
        if w.len() <= size {
            return Self { indices: (0..w.len()).collect(), shares: w.to_vec() };
        }
        let sums: Vec<f64> = points.iter().map(|row| row.iter().sum()).collect();
        let mut order: Vec<usize> = (0..w.len()).collect();
        order.sort_by(|&i, &j| sums[i].total_cmp(&sums[j]));
        let mut drawn: Vec<(usize, usize)> = Vec::with_capacity(size);
        let (mut end, mut before) = (0.0, 0);
        for i in order {
            end += w[i];
            // Points (t + ½)/m up to here; the last sum of weights may round below one.
            let covered = ((end * size as f64 + 0.5) as usize).min(size);
            if covered > before {
                drawn.push((i, covered - before));
                before = covered;
            }
        }
        drawn.sort_unstable();
        let total = before as f64;
        let (indices, shares) =
            drawn.into_iter().map(|(i, times)| (i, times as f64 / total)).unzip();
        Self { indices, shares }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(n: usize) -> Vec<f64> {
        (0..n).map(|i| (i as f64 * 0.754_877).fract()).collect()
    }

    #[test]
    fn few_rows_are_all_in_the_sample() {
        let rows = rows(7);
        let w: Vec<f64> = (1..=7).map(|i| f64::from(i) / 28.0).collect();
        let sample = Sample::new(Points::new(&rows, 1).unwrap(), &w, 7);
        assert_eq!(sample.indices, (0..7).collect::<Vec<_>>());
        assert_eq!(sample.shares, w);
    }

    #[test]
    fn every_part_of_the_order_has_its_share() {
        let (n, size) = (1000, 30);
        let rows = rows(n);
        let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 5) as f64).collect();
        let total: f64 = weights.iter().sum();
        let w: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        let sample = Sample::new(Points::new(&rows, 1).unwrap(), &w, size);
        assert!(sample.indices.is_sorted() && sample.indices.len() <= size);
        assert!((sample.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        for at in [0.1, 0.25, 0.5, 0.9] {
            let below = |i: &usize| rows[*i] < at;
            let expected: f64 = (0..n).filter(below).map(|i| w[i]).sum();
            let drawn = sample.indices.iter().zip(&sample.shares).filter(|(i, _)| below(i));
            let share: f64 = drawn.map(|(_, share)| share).sum();
            assert!((share - expected).abs() <= 1.0 / size as f64, "{at}: {share}, {expected}");
        }
    }

    #[test]
    fn the_order_of_the_rows_does_not_matter_and_a_heavy_row_counts_often() {
        let (n, size) = (200, 20);
        let rows = rows(n);
        let backwards: Vec<f64> = rows.iter().rev().copied().collect();
        let mut w = vec![0.5 / (n - 1) as f64; n];
        w[3] = 0.5;
        let mut reversed = w.clone();
        reversed.reverse();
        let sample = Sample::new(Points::new(&rows, 1).unwrap(), &w, size);
        let other = Sample::new(Points::new(&backwards, 1).unwrap(), &reversed, size);
        let mut mirrored: Vec<usize> = other.indices.iter().map(|i| n - 1 - i).collect();
        mirrored.sort_unstable();
        assert_eq!(sample.indices, mirrored);
        let heavy = sample.indices.iter().position(|&i| i == 3).unwrap();
        assert!((sample.shares[heavy] - 0.5).abs() <= 1.0 / size as f64);
    }
}
