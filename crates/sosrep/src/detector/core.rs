//! The core: the densest rows, to which the final density is fitted, or to a sample of them.
//!
//! ```text
//! h = b / b_auto (n / 1000)^(−¼)        n distinct rows, b_auto the automatic bandwidth of the kernel
//! 1. f ≈ kernel density estimate with bandwidth 0.45 h:
//!    the least dense trim/5 of the weight is excluded from the core,
//!    the densest 1 − 2 trim/5 give every column a scale that anomalies do not reach
//! 2. f ≈ the solver's starts with bandwidth 0.375 h in that scale, by columns and in the metric of
//!    these rows, multiplied: of the rows not excluded the densest, 1 − trim of all weight, are the core
//! 3. groups outside that are as dense as the core come back, see `minorities.rs`, the densest of
//!    their rows until the core holds three quarters of the weight
//! ```
//!
//! The second densities follow the shape of the data: a row that is unusual in its columns or against
//! their correlation is not in the core. The first measures how much weight there is
//! around a row: a tight cluster of anomalies far from everything else is denser than any core, but
//! holds little weight. Both are computed on all rows. Repeating the second step on the rows it kept
//! would erode thin clusters, starting at the gaps it made.
//!
//! Only the order of the rows matters, so rough densities suffice, see [`RoughDensity`], in the product
//! kernel, whatever that of f: on ADBench the exact solution finds no better core.
//!
//! Cost: three times 1500 n kernel values. Differs from the paper: not in it.

use std::ops::ControlFlow;

use super::distinct::DistinctRows;
use super::minorities::minorities;
use super::rough_density::RoughDensity;
use crate::density::{Density, DensityFit};
use crate::error::{LARGEST_BANDWIDTH, Result, SMALLEST_BANDWIDTH};
use crate::kernel::{Kernel, KernelKind};
use crate::monitor::{Monitor, Progress, Stage};
use crate::panels::Metric;
use crate::points::{Points, Weights};
use crate::reduce::subset;

/// The bandwidth of the first density in units of h.
const BREADTH: f64 = 0.45;

/// The bandwidth of the second densities in units of h.
const SHAPE: f64 = 0.375;

/// The largest share of the weight that minorities make the core hold. What stays outside is scored
/// without a part in f, as new rows are.
const LARGEST: f64 = 0.75;

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
    /// All rows but the least dense, by a kernel density estimate.
    pub(super) fn new(h: f64, rows: &DistinctRows, trim: f64, monitor: Monitor) -> Result<Self> {
        let w = rows.weights.as_slice();
        let kernel = rough_kernel(BREADTH * h, rows)?;
        let f = RoughDensity::Kde.at_rows(&kernel, &rows.keyed(), monitor)?;
        let candidates = densest((0..w.len()).collect(), &f, w, 1.0 - EXCLUDED * trim);
        let scale = densest(candidates.clone(), &f, w, 1.0 - OUTSIDE_SCALE * trim);
        Ok(Self { rows: candidates, scale: Core::new(scale, w)? })
    }

    /// The densest of them, where `densities` are multiplied, and of the minorities in this metric.
    pub(super) fn core(
        self,
        densities: &[Vec<f64>],
        rows: &DistinctRows,
        trim: f64,
        metric: Metric,
        monitor: Monitor,
    ) -> Result<Core> {
        let w = rows.weights.as_slice();
        let f: Vec<f64> = (0..w.len()).map(|i| densities.iter().map(|f| f[i]).product()).collect();
        let mut core = densest(self.rows, &f, w, 1.0 - trim);
        core.sort_unstable();
        let back = minorities(&core, &rows.keyed(), metric, monitor)?;
        let held = |rows: &[usize]| -> f64 { rows.iter().map(|&i| w[i]).sum() };
        let share = held(&back).min(LARGEST - held(&core));
        if share > 0.0 {
            core.extend(densest(back, &f, w, share));
        }
        Core::new(core, w)
    }
}

/// The density of all rows as they are prepared now that follows their shape, by the solver's start.
pub(super) fn shape(h: f64, rows: &DistinctRows, monitor: Monitor) -> Result<Vec<f64>> {
    let kernel = rough_kernel(SHAPE * h, rows)?;
    RoughDensity::SolverStart.at_rows(&kernel, &rows.keyed(), monitor)
}

fn rough_kernel(bandwidth: f64, rows: &DistinctRows) -> Result<Kernel> {
    let bandwidth = bandwidth.clamp(SMALLEST_BANDWIDTH, LARGEST_BANDWIDTH);
    Kernel::new(&KernelKind::Product, rows.points().columns(), bandwidth)
}

/// The densest distinct rows.
#[derive(Clone)]
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

    /// At most so many of its rows, which stand for all of it: the support of f. Which they are follows from
    /// what they hold in `points`, the table.
    pub(super) fn sampled(
        &self,
        most: Option<usize>,
        rows: &DistinctRows,
        points: Points,
        seed: u64,
    ) -> Result<Self> {
        let Some(most) = most.filter(|most| *most < self.indices.len()) else {
            return Ok(self.clone());
        };
        let originals = rows.originals(points, &self.indices);
        let originals = Points::new_unchecked(&originals, points.columns());
        let sample = subset(originals, &self.weights, most, seed)?;
        let indices = sample.indices.into_iter().map(|at| self.indices[at]).collect();
        Ok(Self { indices, weights: sample.weights })
    }

    /// The share of all weight that is in the core.
    pub(super) fn share(&self, rows: &DistinctRows) -> f64 {
        let w = rows.weights.as_slice();
        self.indices.iter().map(|&i| w[i]).sum()
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

    /// Up to `count` prepared rows of the core, any of at least median density; `scores`
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
        rows.points().select(&rows.keyed().first_of(&typical, count))
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
