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
    /// For every original row its row here, if it was not left out or sampled away.
    pub(super) row_of: Vec<Option<usize>>,
    /// For every original row the part that one copy of it has in its distinct row; 1 exactly for
    /// a row that is one copy and has no equal.
    pub(super) one_copy: Vec<f64>,
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
        let mut one_copy = vec![1.0; w.len()];
        let held = weights_held(w, &positive, &merged.group_of);
        for (&row, &group) in positive.iter().zip(&merged.group_of) {
            row_of[row] = place[group];
            one_copy[row] = weights.one_copy_of(row) / held[group];
        }
        Ok(Self {
            values: all.select(&sample.indices),
            columns,
            weights: sample.weights,
            row_of,
            one_copy,
            distinct: all.rows(),
        })
    }

    pub(super) fn points(&self) -> Points<'_> {
        Points::checked_before(&self.values, self.columns)
    }
}

/// The weight of every group of equal rows, without the rounding of scaling it to sum to one again.
fn weights_held(w: &[f64], rows: &[usize], group_of: &[usize]) -> Vec<f64> {
    let groups = group_of.iter().max().map_or(0, |last| last + 1);
    let mut held = vec![0.0; groups];
    for (&row, &group) in rows.iter().zip(group_of) {
        held[group] += w[row];
    }
    held
}
