//! A weighted sample of a fixed size.
//!
//! Priority sampling (Duffield, Lund, Thorup, "Priority sampling for estimation of arbitrary subset
//! sums", 2007):
//!
//! ```text
//! q_i = w_i / u_i,        u_i ∈ (0, 1] from a hash of the seed and what row i holds
//! keep the m rows with the largest q_i;    τ = the (m+1)-th largest
//! ŵ_i = max(w_i, τ) for the rows kept, 0 for the others:    E ŵ_i = w_i
//! ```
//!
//! The total Σ_{i∈S} ŵ_i of any set S of rows is therefore unbiased, heavy rows are kept for
//! certain, and rows of equal weight keep equal weights. A sample of m rows stands for m copies, not
//! for all it was drawn from: it carries no more information than m rows. Where every row of positive weight
//! is kept, weights and copies are those given. Of distinct rows the sample has the same ones in any
//! order ([`row_key`](super::row_key)).
//!
//! Cost: n hashes plus m·log n, with memory for m+1 row numbers. Numerics: the weights are held times
//! 2^−64, an exact factor that keeps w/u finite; they are scaled to sum to one at the end, which makes
//! shares of the total ratio estimates (bias of order 1/m).
//!
//! Differs from the paper: it fits on all rows.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::row_key::uniform;
use crate::error::{Error, Result};
use crate::points::{Points, Weights};

/// Some rows of a table and the weights with which they stand for all of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Subset {
    /// The rows kept, ascending.
    pub indices: Vec<usize>,
    /// One weight per row kept.
    pub weights: Weights,
}

/// At most `size` rows by priority sampling; all of them with their own weights if there are no
/// more than that.
///
/// # Errors
/// [`Error::WrongLength`] unless there is one weight per row, [`Error::Parameter`] if `size` is 0.
pub fn subset(points: Points, weights: &Weights, size: usize, seed: u64) -> Result<Subset> {
    weights.expect_rows(points)?;
    if size == 0 {
        return Err(Error::parameter("size", size, "at least 1"));
    }
    subset_by_keys(&row_keys(points, seed), weights, size)
}

/// u_i of every row.
pub(crate) fn row_keys(points: Points, seed: u64) -> Vec<f64> {
    points.iter().map(|row| uniform(seed, row)).collect()
}

/// The same, of at least one row, where the u_i are known.
pub(crate) fn subset_by_keys(keys: &[f64], weights: &Weights, size: usize) -> Result<Subset> {
    if keys.len() <= size {
        return Ok(Subset { indices: (0..keys.len()).collect(), weights: weights.clone() });
    }
    let mut sampler = Sampler::new(size);
    for (row, (&key, &weight)) in keys.iter().zip(weights.as_slice()).enumerate() {
        sampler.offer(row as u64, key, weight);
    }
    let sample = sampler.finish();
    let sampled = sample.weights()?;
    Ok(Subset {
        indices: sample.kept.iter().map(|kept| kept.row as usize).collect(),
        // The shares offered say nothing about copies.
        weights: if sample.whole { sampled.with_copies(weights.copies()) } else { sampled },
    })
}

/// The m+1 rows with the largest priorities so far.
#[derive(Debug, Clone)]
struct Sampler {
    size: usize,
    heap: BinaryHeap<Reverse<Kept>>,
}

/// A row with its priority w/u and its weight, both times 2^−64.
#[derive(Debug, Clone)]
struct Kept {
    priority: f64,
    row: u64,
    weight: f64,
}

impl Sampler {
    fn new(size: usize) -> Self {
        Self { size, heap: BinaryHeap::new() }
    }

    fn offer(&mut self, row: u64, uniform: f64, weight: f64) {
        let weight = weight * WEIGHT_UNIT;
        let kept = Kept { priority: weight / uniform, row, weight };
        if self.heap.len() <= self.size {
            self.heap.push(Reverse(kept));
        } else if self.heap.peek().is_some_and(|Reverse(last)| kept > *last) {
            self.heap.push(Reverse(kept));
            self.heap.pop();
        }
    }

    /// The m rows with their estimated weights max(w, τ), by row number.
    fn finish(mut self) -> Sample {
        let threshold = if self.heap.len() > self.size {
            self.heap.pop().map_or(0.0, |Reverse(last)| last.priority)
        } else {
            0.0
        };
        let mut kept: Vec<Kept> = self.heap.into_iter().map(|Reverse(kept)| kept).collect();
        kept.sort_unstable_by_key(|kept| kept.row);
        for kept in &mut kept {
            kept.weight = kept.weight.max(threshold);
        }
        Sample { kept, whole: threshold == 0.0 }
    }
}

/// What a sampler kept.
struct Sample {
    kept: Vec<Kept>,
    /// Whether no row of positive weight was left out.
    whole: bool,
}

impl Sample {
    /// One weight per row: those given if the sample is whole, otherwise one copy a row.
    fn weights(&self) -> Result<Weights> {
        let unit = if self.whole { WEIGHT_UNIT } else { 1.0 };
        let each = self.kept.iter().map(|kept| kept.weight / unit);
        let weights = Weights::new(&each.collect::<Vec<_>>())?;
        let rows = self.kept.len() as f64;
        Ok(if self.whole { weights } else { weights.with_copies(rows) })
    }
}

// By priority; of equal priorities the earlier row is the greater.
impl Ord for Kept {
    fn cmp(&self, other: &Self) -> Ordering {
        self.priority.total_cmp(&other.priority).then(other.row.cmp(&self.row))
    }
}

impl PartialOrd for Kept {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Kept {}

/// 2^−64: with u ≥ 2^−53 every w/u stays finite.
const WEIGHT_UNIT: f64 = 1.0 / (1_u128 << 64) as f64;

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    struct Table {
        values: Vec<f64>,
        weights: Vec<f64>,
    }

    impl Table {
        fn row(&self, row: usize) -> &[f64] {
            &self.values[2 * row..2 * row + 2]
        }
    }

    /// Rows of two distinct values and weights over two orders of magnitude.
    fn table(rows: usize, seed: u64) -> Table {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Table {
            values: (0..2 * rows).map(|_| rng.random::<f64>()).collect(),
            weights: (0..rows).map(|_| 10_f64.powf(2.0 * rng.random::<f64>())).collect(),
        }
    }

    #[test]
    fn the_sample_holds_the_largest_priorities() {
        let table = table(300, 4);
        let mut priorities: Vec<(f64, usize)> =
            (0..300).map(|i| (table.weights[i] / uniform(9, table.row(i)), i)).collect();
        priorities.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut expected: Vec<usize> = priorities[..40].iter().map(|(_, i)| *i).collect();
        expected.sort_unstable();
        let estimates: Vec<f64> =
            expected.iter().map(|&i| table.weights[i].max(priorities[40].0)).collect();
        let points = Points::new(&table.values, 2).unwrap();
        let sample = subset(points, &Weights::new(&table.weights).unwrap(), 40, 9).unwrap();
        assert_eq!(sample.indices, expected);
        let expected = Weights::new(&estimates).unwrap();
        // Scaling the weights to one first rounds each of them: a few units in the last place.
        for (found, expected) in sample.weights.as_slice().iter().zip(expected.as_slice()) {
            assert!((found - expected).abs() < 1e-14 * expected);
        }
        // What a sample stands for is itself.
        assert_eq!(sample.weights.copies(), 40.0);
    }

    #[test]
    fn totals_are_unbiased_over_seeds() {
        let (rows, size, seeds) = (60, 15, 20_000);
        let table = table(rows, 5);
        let total = |estimates: &mut dyn Iterator<Item = (usize, f64)>| {
            estimates.filter(|(row, _)| row % 3 == 0).map(|(_, weight)| weight).sum::<f64>()
        };
        let truth = total(&mut table.weights.iter().copied().enumerate());
        let mut estimates = Vec::new();
        for seed in 0..seeds {
            let mut sampler = Sampler::new(size);
            for (row, &weight) in table.weights.iter().enumerate() {
                sampler.offer(row as u64, uniform(seed, table.row(row)), weight);
            }
            let kept = sampler.finish().kept;
            assert_eq!(kept.len(), size);
            estimates.push(total(
                &mut kept.iter().map(|kept| (kept.row as usize, kept.weight / WEIGHT_UNIT)),
            ));
        }
        let mean = estimates.iter().sum::<f64>() / seeds as f64;
        let variance =
            estimates.iter().map(|e| (e - mean) * (e - mean)).sum::<f64>() / (seeds - 1) as f64;
        // Four standard errors of the mean; the error itself must be small enough to tell.
        let error = (variance / seeds as f64).sqrt();
        assert!(error < 0.005 * truth);
        assert!((mean - truth).abs() < 4.0 * error, "{mean} against {truth} ± {error}");
    }

    #[test]
    fn equal_weights_stay_equal() {
        let table = table(500, 6);
        let points = Points::new(&table.values, 2).unwrap();
        let subset = subset(points, &Weights::equal(500), 100, 3).unwrap();
        assert_eq!(subset.indices.len(), 100);
        assert!(subset.weights.as_slice().iter().all(|w| (w - 0.01).abs() < 1e-15));
    }

    #[test]
    fn the_seed_alone_decides() {
        let table = table(500, 7);
        let points = Points::new(&table.values, 2).unwrap();
        let draw = |seed| subset(points, &Weights::equal(500), 100, seed).unwrap();
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn small_tables_are_kept_whole() {
        let table = table(40, 8);
        let points = Points::new(&table.values, 2).unwrap();
        let weights = Weights::new(&table.weights).unwrap();
        let whole = subset(points, &weights, 40, 1).unwrap();
        assert_eq!(whole, Subset { indices: (0..40).collect(), weights: weights.clone() });
        // Rows of no weight may be left out and the rest is still whole.
        let mut with_nothing = table.weights.clone();
        with_nothing[..10].fill(0.0);
        let with_nothing = Weights::new(&with_nothing).unwrap();
        let positive = subset(points, &with_nothing, 30, 1).unwrap();
        assert_eq!(positive.indices, (10..40).collect::<Vec<_>>());
        assert_eq!(positive.weights.copies(), with_nothing.copies());
    }

    #[test]
    fn a_sample_of_no_rows_is_refused() {
        let points = Points::new(&[1.0, 2.0], 1).unwrap();
        let refused = subset(points, &Weights::equal(2), 0, 0);
        assert!(matches!(refused, Err(Error::Parameter { name: "size", .. })));
    }
}
