//! The distinct prepared rows a density is fitted to, and how they stand for the rows given.
//!
//! Rows of weight zero are left out, equal rows are merged into weights, and if there are still too
//! many, a weighted sample stands for them. Differs from the paper: it fits on all rows.

use super::Preparation;
use crate::error::Result;
use crate::large::{merge_equal_rows, subset};
use crate::points::{Points, Weights};

/// Distinct rows with their weights.
pub(super) struct DistinctRows {
    values: Vec<f64>,
    columns: usize,
    pub(super) weights: Weights,
    /// Number of original rows behind each row here.
    pub(super) counts: Vec<usize>,
    /// For every original row its row here, if it was not left out or sampled away.
    pub(super) row_of: Vec<Option<usize>>,
    /// Number of distinct rows before sampling.
    pub(super) distinct: usize,
}

impl DistinctRows {
    /// Prepares, merges and samples down to `most` rows.
    pub(super) fn new(
        points: Points,
        weights: &Weights,
        preparation: &Preparation,
        most: usize,
        seed: u64,
    ) -> Result<Self> {
        let w = weights.as_slice();
        let positive: Vec<usize> = (0..w.len()).filter(|&i| w[i] > 0.0).collect();
        let columns = preparation.dimension();
        let prepared = preparation.apply(points)?;
        let kept = Points::checked_before(&prepared, columns).select(&positive);
        let kept_weights = Weights::new(&positive.iter().map(|&i| w[i]).collect::<Vec<_>>())?;
        let merged = merge_equal_rows(Points::checked_before(&kept, columns), &kept_weights)?;
        let all = Points::checked_before(&merged.values, columns);
        let sample = subset(all, &merged.weights, most, seed)?;
        let mut place = vec![None; all.rows()];
        for (new, &old) in sample.indices.iter().enumerate() {
            place[old] = Some(new);
        }
        let mut row_of = vec![None; w.len()];
        for (&row, &group) in positive.iter().zip(&merged.group_of) {
            row_of[row] = place[group];
        }
        Ok(Self {
            values: all.select(&sample.indices),
            columns,
            weights: sample.weights,
            counts: sample.indices.iter().map(|&i| merged.counts[i]).collect(),
            row_of,
            distinct: all.rows(),
        })
    }

    pub(super) fn points(&self) -> Points<'_> {
        Points::checked_before(&self.values, self.columns)
    }
}
