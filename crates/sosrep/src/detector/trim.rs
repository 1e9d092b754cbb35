//! The core of the rows that the final density rests on, and training scores without a row's own
//! contribution.
//!
//! ```text
//! a broad look    f with bandwidth 3b; the least dense trim/5 of the weight is out of sight,
//!                 the densest 1 − 2 trim/5 give every column a scale that anomalies do not reach
//! a close look    f with b in that scale; of the rows in sight the densest, 1 − trim of all
//!                 weight, are the core
//! f₋ᵢ(x_i) ≈ [f(x_i) − α_i k(x_i, x_i) / c_i] / (1 − w_i / c_i)    c_i copies, one of them left out
//! ```
//!
//! The close look follows the shape of the data. The broad one weighs how much there is around a
//! row rather than how dense it is right there: a tight clump of anomalies far from all else is
//! denser than any core, but there is little of it. Both look at all rows, each beside a sample of
//! all. A second look at what the first one left would wear thin shapes away, from the gaps that it
//! made.
//!
//! c_i counts the copies in the weight of the equal rows behind x_i, see [`Weights`].
//! The other coefficients are rescaled to the weight that is left, not solved again. Where a row is
//! nearly all of its own density, the difference is summed over the other rows in logarithms.
//!
//! Only the order of the rows counts, so a look takes a rough f, see [`Look`]: on ADBench the solution
//! finds no better core.
//!
//! Cost: three times 1500 n kernel values. Differs from the paper: not in it.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::Scorer;
use super::rows::DistinctRows;
use crate::density::{Density, DensityParams, Look, ln_abs};
use crate::error::{LARGEST_BANDWIDTH, Result};
use crate::monitor::{Monitor, Progress, Stage};
use crate::points::{Points, Weights};

/// Below this share of f left without a row, the difference is not taken.
const CANCELLED: f64 = 1e-6;

/// The bandwidth of the broad look in units of b.
const BREADTH: f64 = 3.0;

/// The part of `trim` that is out of sight after the broad look.
const OUT_OF_SIGHT: f64 = 0.2;

/// The part of `trim` that the scale of the close look leaves out.
const OUT_OF_SCALE: f64 = 0.4;

/// What a broad look saw.
pub(super) struct BroadLook {
    /// The rows that may be part of the core, as they come.
    in_sight: Vec<usize>,
    /// The rows that give the scale of the close look.
    pub(super) scale: Core,
}

impl BroadLook {
    /// Looks at all rows with a bandwidth of 3b.
    pub(super) fn take(
        params: &DensityParams,
        rows: &DistinctRows,
        trim: f64,
        monitor: Monitor,
    ) -> Result<Self> {
        let w = rows.weights.as_slice();
        let bandwidth = (BREADTH * params.bandwidth).min(LARGEST_BANDWIDTH);
        let params = params.clone().bandwidth(bandwidth);
        let f = params.look(Look::Broad, rows.points(), &rows.weights, monitor)?;
        let in_sight = densest((0..w.len()).collect(), &f, w, 1.0 - OUT_OF_SIGHT * trim);
        let scale = densest(in_sight.clone(), &f, w, 1.0 - OUT_OF_SCALE * trim);
        Ok(Self { in_sight, scale: Core::new(scale, w)? })
    }

    /// The core: the densest rows in sight, looked at with bandwidth b.
    pub(super) fn core(
        self,
        params: &DensityParams,
        rows: &DistinctRows,
        trim: f64,
        monitor: Monitor,
    ) -> Result<Core> {
        let w = rows.weights.as_slice();
        let f = params.look(Look::Close, rows.points(), &rows.weights, monitor)?;
        Core::new(densest(self.in_sight, &f, w, 1.0 - trim), w)
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

    /// The density of the core.
    pub(super) fn fit(
        &self,
        params: &DensityParams,
        rows: &DistinctRows,
        monitor: Monitor,
    ) -> Result<Density> {
        let whole = self.indices.len() == rows.points().rows();
        let mut refit = |progress: &Progress| -> ControlFlow<()> {
            let stage = if whole { progress.stage } else { Stage::Refit };
            monitor(&Progress { stage, ..*progress })
        };
        let values = rows.points().select(&self.indices);
        let points = Points::checked_before(&values, rows.points().columns());
        params.fit_monitored(points, Some(&self.weights), &mut refit)
    }

    /// Up to `count` rows of the core, evenly spread, of at least median density.
    pub(super) fn typical_rows(
        &self,
        density: &Density,
        rows: &DistinctRows,
        count: usize,
    ) -> Vec<f64> {
        let kept = rows.points().select(&self.indices);
        let points = Points::checked_before(&kept, rows.points().columns());
        let f = match density.kernel_form() {
            Some(form) => form.support_values().to_vec(),
            None => density.values(points).expect("the density's own dimension"),
        };
        let mut ordered = f.clone();
        ordered.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        let median = ordered[ordered.len() / 2].abs();
        let typical: Vec<usize> = (0..f.len()).filter(|&i| f[i].abs() >= median).collect();
        let stride = typical.len().div_ceil(count);
        points.select(&typical.into_iter().step_by(stride).collect::<Vec<_>>())
    }

    /// For every distinct row its place in the core, if it has one.
    fn places(&self, rows: &DistinctRows) -> Vec<Option<usize>> {
        let mut places = vec![None; rows.points().rows()];
        for (at, &row) in self.indices.iter().enumerate() {
            places[row] = Some(at);
        }
        places
    }

    /// k̂(x_i, x_i) of the core's rows for random features; exact kernels have 1.
    fn diagonal(&self, density: &Density, rows: &DistinctRows) -> Option<Vec<f64>> {
        let features = density.feature_form()?.features();
        let kept = rows.points().select(&self.indices);
        Some(features.diagonal(Points::checked_before(&kept, rows.points().columns())))
    }
}

/// The rows of largest f² that hold at least `share` of all weight; rows as dense as the last one
/// kept stay too, so that the order of the rows does not matter.
fn densest(mut rows: Vec<usize>, f: &[f64], w: &[f64], share: f64) -> Vec<usize> {
    rows.sort_by(|&i, &j| f[j].abs().total_cmp(&f[i].abs()));
    let mut held = 0.0;
    let enough = rows.iter().position(|&i| {
        held += w[i];
        // A hair below: sums of weights round.
        held >= share - 1e-12
    });
    let lowest = f[rows[enough.unwrap_or(rows.len() - 1)]].abs();
    rows.retain(|&i| f[i].abs() >= lowest);
    rows
}

/// Anomaly scores of the original rows: those of the core as its fit left them, the others computed.
pub(super) fn training_scores(
    scorer: &Scorer,
    core: &Core,
    rows: &DistinctRows,
    points: Points,
    monitor: Monitor,
) -> Result<Vec<f64>> {
    let Some(form) = scorer.density.kernel_form() else {
        return scorer.anomaly_score_monitored(points, monitor);
    };
    let places = core.places(rows);
    let known = |row: usize| Some(-2.0 * ln_abs(form.support_values()[places[rows.row_of[row]?]?]));
    let mut scores: Vec<Option<f64>> = (0..points.rows()).map(known).collect();
    let others: Vec<usize> = (0..points.rows()).filter(|&row| scores[row].is_none()).collect();
    if !others.is_empty() {
        let values = points.select(&others);
        let outside = Points::checked_before(&values, points.columns());
        let computed = scorer.anomaly_score_monitored(outside, monitor)?;
        others.iter().zip(computed).for_each(|(&row, score)| scores[row] = Some(score));
    }
    Ok(scores.into_iter().flatten().collect())
}

/// Anomaly scores of the original rows, each without one copy of itself where it supports f.
pub(super) fn leave_one_out(
    scorer: &Scorer,
    core: &Core,
    rows: &DistinctRows,
    scores: &[f64],
) -> Vec<f64> {
    let places = core.places(rows);
    let diagonal = core.diagonal(&scorer.density, rows);
    let without = |row: usize| -> Option<f64> {
        let at = places[rows.row_of[row]?]?;
        let copy = Copy {
            at,
            share: rows.one_copy[row],
            weight: core.weights.as_slice()[at],
            diagonal: diagonal.as_ref().map_or(1.0, |diagonal| diagonal[at]),
            ln_f: -0.5 * scores[row],
        };
        Some(-2.0 * copy.ln_left_out(&scorer.density))
    };
    let left_out = |(row, &score)| without(row).unwrap_or(score);
    scores.par_iter().enumerate().map(left_out).collect()
}

/// One of the copies of a row that supports f.
struct Copy {
    at: usize,
    /// 1/c_i.
    share: f64,
    /// w_i.
    weight: f64,
    /// k(x_i, x_i).
    diagonal: f64,
    /// ln|f(x_i)|.
    ln_f: f64,
}

impl Copy {
    /// ln of [f(x_i) − α_i k(x_i, x_i) / c_i] / (1 − w_i / c_i).
    fn ln_left_out(&self, density: &Density) -> f64 {
        // At the optimum α_i = w_i / f(x_i), also for features, which keep no α.
        let left = 1.0 - self.share * self.weight * self.diagonal * (-2.0 * self.ln_f).exp();
        // Only the square of f counts: what is left may be negative.
        let left = left.abs();
        let ln_rest = match density.kernel_form() {
            Some(form) if left < CANCELLED => form.ln_abs_without(self.at, self.share),
            _ => self.ln_f + left.max(CANCELLED).ln(),
        };
        // A single row leaves nothing behind that could be rescaled.
        ln_rest - (1.0 - self.share * self.weight).max(f64::EPSILON).ln()
    }
}
