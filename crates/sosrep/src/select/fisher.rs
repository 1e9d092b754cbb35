//! Fisher divergence between a fitted density and rows of the true one, up to a constant.
//!
//! Paper: supplement, "Score Matching and Fisher Divergence"; Algorithms "Fisher Divergence with
//! Hessian Trace Approximation" and "Calculating Hutchinson's Trace Estimator".
//!
//! ```text
//! FD = mean_y [tr ∇²log p(y) + ½ ‖∇log p(y)‖²] = mean_y 2 Δf(y) / f(y)
//! Hutchinson:  tr ∇s(y) ≈ mean_ε ε·(s(y + hε) − s(y)) / h,     s = ∇log p,  ε_j = ±1
//! ```
//!
//! Cost: exact, one product with the kernel and its Laplacian; Hutchinson, one score per probe.
//!
//! The mean of Hutchinson's estimate is the divergence as h tends to 0. With a finite h it is not where
//! s turns around within h: at small bandwidths, in tails and beside training rows.
//!
//! Numerics: the identity needs f twice differentiable except at single points. SDO and Laplacian
//! kernels have a kink at 0, harmless from two columns on (a row that repeats a support row is left
//! out of its own sum); in one column, and for the product kernel, the kinks are hyperplanes that
//! carry all the information, and the divergence is refused.
//!
//! Differs from the paper: the exact form; ε is ±1, because the printed {−1, 0, 1} has covariance
//! ⅔ I and is biased.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::weighted_mean;
use crate::density::Density;
use crate::error::{Error, Result, positive};
use crate::gram::Tiles;
use crate::kernel::KernelKind;
use crate::monitor::{Monitor, Stage, items_at_once, no_progress, report_progress};
use crate::parallel;
use crate::points::{Points, Weights};
use crate::random::stream;

/// Hutchinson's trace estimator.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hutchinson {
    /// Random vectors ε a row. Default 300, as the released program.
    pub probes: usize,
    /// Finite-difference step h. Default 1e-4.
    pub step: f64,
    /// Seed of the random vectors. Default 0.
    pub seed: u64,
}

impl Default for Hutchinson {
    fn default() -> Self {
        Self { probes: 300, step: 1e-4, seed: 0 }
    }
}

impl Hutchinson {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Random vectors ε a row, at least 1. Default 300.
    pub fn probes(mut self, vectors: usize) -> Self {
        self.probes = vectors;
        self
    }

    /// Finite-difference step h > 0. Default 1e-4.
    pub fn step(mut self, step: f64) -> Self {
        self.step = step;
        self
    }

    /// Seed of the random vectors. Default 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    pub(super) fn check(&self) -> Result<()> {
        positive("step", self.step)?;
        if self.probes == 0 {
            return Err(Error::parameter("probes", self.probes, "at least 1"));
        }
        Ok(())
    }
}

/// mean 2Δf/f over the rows: exact.
///
/// # Errors
/// [`Error::WrongColumns`]; [`Error::Undefined`] for the product kernel, and for SDO and Laplacian
/// kernels in one column.
pub fn fisher_divergence(
    density: &Density,
    points: Points,
    weights: Option<&Weights>,
) -> Result<f64> {
    fisher_divergence_from(density, points, None, weights)
}

/// The same where the distances of the rows to the support rows may be known.
pub(super) fn fisher_divergence_from(
    density: &Density,
    points: Points,
    distances: Option<&Tiles>,
    weights: Option<&Weights>,
) -> Result<f64> {
    check_smooth(density)?;
    weighted_mean(&density.laplacian_ratio_from(points, distances)?, weights)
}

/// The same by random probes.
///
/// # Errors
/// As [`fisher_divergence`], and options outside their domain.
pub fn hutchinson_divergence(
    density: &Density,
    points: Points,
    weights: Option<&Weights>,
    options: &Hutchinson,
) -> Result<f64> {
    hutchinson_divergence_monitored(density, points, weights, options, &mut no_progress)
}

/// The same, with progress.
pub(super) fn hutchinson_divergence_monitored(
    density: &Density,
    points: Points,
    weights: Option<&Weights>,
    options: &Hutchinson,
    monitor: Monitor,
) -> Result<f64> {
    check_smooth(density)?;
    options.check()?;
    points.expect_columns(density.dimension())?;
    let at_row = |row: usize| {
        let y = points.row(row);
        let score = density.jet_unchecked(y).score_function();
        let half_norm = 0.5 * score.iter().map(|s| s * s).sum::<f64>();
        hessian_trace(density, y, &score, options, row as u64) + half_norm
    };
    let rows = points.rows();
    let at_once = items_at_once(options.probes.saturating_mul(density.operations_a_row()), rows);
    let mut each: Vec<f64> = Vec::with_capacity(rows);
    while each.len() < rows {
        let first = each.len();
        report_progress(monitor, Stage::Tune, first, rows)?;
        each.extend(parallel::map(at_once.min(rows - first), |i| at_row(first + i)));
    }
    weighted_mean(&each, weights)
}

/// mean_ε ε·(s(y + hε) − s(y)) / h.
fn hessian_trace(
    density: &Density,
    y: &[f64],
    score: &[f64],
    options: &Hutchinson,
    row: u64,
) -> f64 {
    // A stream per row: the result does not depend on threads.
    let mut rng = stream(options.seed, row);
    let mut sum = 0.0;
    for _ in 0..options.probes {
        let epsilon: Vec<f64> =
            y.iter().map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 }).collect();
        let moved: Vec<f64> = y.iter().zip(&epsilon).map(|(y, e)| y + options.step * e).collect();
        let moved_score = density.jet_unchecked(&moved).score_function();
        let along = moved_score.iter().zip(score).zip(&epsilon).map(|((m, s), e)| (m - s) * e);
        sum += along.sum::<f64>() / options.step;
    }
    sum / options.probes as f64
}

fn check_smooth(density: &Density) -> Result<()> {
    let Some(form) = density.kernel_form() else { return Ok(()) };
    let kind = form.kernel().kind();
    let kinked = match kind {
        KernelKind::Product => true,
        KernelKind::Gaussian => false,
        _ => form.kernel().dimension() == 1,
    };
    if !kinked {
        return Ok(());
    }
    Err(Error::Undefined {
        quantity: "the Fisher divergence",
        kernel: kind.name(),
        reason: "its kinks are hyperplanes; choose the bandwidth by likelihood or self-influence",
    })
}
