//! The core: the densest rows, to which the final density is fitted.
//!
//! ```text
//! 1. f ≈ kernel density estimate with bandwidth 3b:
//!    the least dense trim/5 of the weight is excluded from the core,
//!    the densest 1 − 2 trim/5 give every column a scale that anomalies do not reach
//! 2. f ≈ the solver's start with bandwidth b, in that scale:
//!    of the rows not excluded the densest, 1 − trim of all weight, are the core
//! ```
//!
//! The second density follows the shape of the data. The first measures how much weight there is
//! around a row: a tight cluster of anomalies far from everything else is denser than any core, but
//! holds little weight. Both are computed on all rows. Repeating the second step on the rows it kept
//! would erode thin clusters, starting at the gaps it made.
//!
//! Only the order of the rows matters, so rough densities suffice, see [`RoughDensity`]: on ADBench
//! the exact solution finds no better core.
//!
//! Cost: three times 1500 n kernel values. Differs from the paper: not in it.

use std::ops::ControlFlow;

use super::distinct::DistinctRows;
use super::rough_density::RoughDensity;
use crate::density::{Density, DensityFit};
use crate::error::{LARGEST_BANDWIDTH, Result};
use crate::monitor::{Monitor, Progress, Stage};
use crate::points::{Points, Weights};

/// The bandwidth of the first density in units of b.
const BREADTH: f64 = 3.0;

/// The part of `trim` that the first density excludes from the core.
const EXCLUDED: f64 = 0.2;

/// The part of `trim` that has no part in the scale of the second density.
const OUTSIDE_SCALE: f64 = 0.4;

/// The rows that the core is chosen from.
pub(super) struct Candidates {
    /// The rows that may be part of the core, in the order of the table.
    rows: Vec<usize>,
    /// The rows that give the scale of the second density.
    pub(super) scale: Core,
}

impl Candidates {
    /// All rows but the least dense, by a kernel density estimate with bandwidth 3b.
    pub(super) fn new(
        fit: &DensityFit,
        rows: &DistinctRows,
        trim: f64,
        monitor: Monitor,
    ) -> Result<Self> {
        let w = rows.weights.as_slice();
        let bandwidth = (BREADTH * fit.bandwidth).min(LARGEST_BANDWIDTH);
        let broad = DensityFit { bandwidth, ..fit.clone() };
        let f = RoughDensity::Kde.at_rows(&broad, rows.points(), &rows.weights, monitor)?;
        let candidates = densest((0..w.len()).collect(), &f, w, 1.0 - EXCLUDED * trim);
        let scale = densest(candidates.clone(), &f, w, 1.0 - OUTSIDE_SCALE * trim);
        Ok(Self { rows: candidates, scale: Core::new(scale, w)? })
    }

    /// The densest of them, by the solver's start with bandwidth b.
    pub(super) fn core(
        self,
        fit: &DensityFit,
        rows: &DistinctRows,
        trim: f64,
        monitor: Monitor,
    ) -> Result<Core> {
        let w = rows.weights.as_slice();
        let f = RoughDensity::SolverStart.at_rows(fit, rows.points(), &rows.weights, monitor)?;
        Core::new(densest(self.rows, &f, w, 1.0 - trim), w)
    }
}

/// The densest distinct rows.
pub(super) struct Core {
    /// Their indices, increasing.
    pub(super) indices: Vec<usize>,
    /// Their weights, summing to one.
    pub(super) weights: Weights,
}

impl Core {
    /// All rows.
    pub(super) fn whole(rows: &DistinctRows) -> Self {
        Self { indices: (0..rows.points().rows()).collect(), weights: rows.weights.clone() }
    }

    /// Some of the rows, whose weights are `w`.
    fn new(mut indices: Vec<usize>, w: &[f64]) -> Result<Self> {
        indices.sort_unstable();
        let weights: Vec<f64> = indices.iter().map(|&i| w[i]).collect();
        Ok(Self { indices, weights: Weights::new(&weights)? })
    }

    /// The prepared rows of the core, one after another.
    pub(super) fn values(&self, rows: &DistinctRows) -> Vec<f64> {
        rows.points().select(&self.indices)
    }

    /// The density of the core.
    pub(super) fn fit(
        &self,
        fit: &DensityFit,
        rows: &DistinctRows,
        monitor: Monitor,
    ) -> Result<Density> {
        let whole = self.indices.len() == rows.points().rows();
        let mut refit = |progress: &Progress| -> ControlFlow<()> {
            let stage = if whole { progress.stage } else { Stage::Refit };
            monitor(&Progress { stage, ..*progress })
        };
        let values = self.values(rows);
        let points = Points::new_unchecked(&values, rows.points().columns());
        fit.fit(points, Some(&self.weights), &mut refit)
    }

    /// Up to `count` prepared rows of the core, evenly spread, of at least median density; `scores`
    /// are those of all distinct rows.
    pub(super) fn typical_rows(
        &self,
        scores: &[f64],
        rows: &DistinctRows,
        count: usize,
    ) -> Vec<f64> {
        let mut ordered: Vec<f64> = self.indices.iter().map(|&i| scores[i]).collect();
        ordered.sort_by(f64::total_cmp);
        let median = ordered[(ordered.len() - 1) / 2];
        let is_typical = |i: &usize| scores[*i] <= median;
        let typical: Vec<usize> = self.indices.iter().copied().filter(is_typical).collect();
        let stride = typical.len().div_ceil(count);
        rows.points().select(&typical.into_iter().step_by(stride).collect::<Vec<_>>())
    }
}

/// The rows of largest f² that hold at least `share` of all weight; rows as dense as the last one
/// kept stay too, so that the order of the rows does not matter.
fn densest(mut rows: Vec<usize>, f: &[f64], w: &[f64], share: f64) -> Vec<usize> {
    rows.sort_by(|&i, &j| f[j].abs().total_cmp(&f[i].abs()));
    let mut held = 0.0;
    let enough = rows.iter().position(|&i| {
        held += w[i];
        // Tolerance for rounding: the weights sum to one only up to it.
        held >= share - 1e-12
    });
    let lowest = f[rows[enough.unwrap_or(rows.len() - 1)]].abs();
    rows.retain(|&i| f[i].abs() >= lowest);
    rows
}
