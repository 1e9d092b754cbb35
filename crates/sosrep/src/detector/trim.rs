//! The trimmed refit, and training scores without a row's own contribution.
//!
//! ```text
//! fit f on all rows;  keep the densest (1 − trim) of the weight;  fit f again on those
//! f₋ᵢ(x_i) ≈ [f(x_i) − α_i k(x_i, x_i) / c_i] / (1 − w_i / c_i)    c_i copies, one of them left out
//! ```
//!
//! c_i counts the copies in the weight of the equal rows behind x_i, see [`Weights`].
//! The other coefficients are rescaled to the weight that is left, not solved again. Where a row is
//! nearly all of its own density, the difference is summed over the other rows in logarithms.
//!
//! Differs from the paper: not in it.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::Scorer;
use super::rows::DistinctRows;
use crate::density::{Density, DensityParams};
use crate::error::Result;
use crate::monitor::{Monitor, Progress, Stage};
use crate::points::{Points, Weights};

/// Below this share of f left without a row, the difference is not taken.
const CANCELLED: f64 = 1e-6;

/// The final density and the distinct rows it rests on.
pub(super) struct Fitted {
    pub(super) density: Density,
    pub(super) core: Core,
}

/// The densest distinct rows.
pub(super) struct Core {
    /// Their indices, increasing.
    pub(super) indices: Vec<usize>,
    /// Their weights, summing to one.
    weights: Weights,
}

pub(super) fn fit(
    params: &DensityParams,
    rows: &DistinctRows,
    trim: f64,
    monitor: Monitor,
) -> Result<Fitted> {
    let points = rows.points();
    let density = params.fit_monitored(points, Some(&rows.weights), monitor)?;
    if trim == 0.0 {
        let indices = (0..points.rows()).collect();
        return Ok(Fitted { density, core: Core { indices, weights: rows.weights.clone() } });
    }
    let indices = densest(&density.log_pre_density(points)?, &rows.weights, trim);
    let weights: Vec<f64> = indices.iter().map(|&i| rows.weights.as_slice()[i]).collect();
    let weights = Weights::new(&weights)?;
    let values = points.select(&indices);
    let mut refit = |progress: &Progress| -> ControlFlow<()> {
        monitor(&Progress { stage: Stage::Refit, ..*progress })
    };
    let density = params.fit_monitored(
        Points::new(&values, points.columns())?,
        Some(&weights),
        &mut refit,
    )?;
    Ok(Fitted { density, core: Core { indices, weights } })
}

/// The rows of highest density that hold at least 1 − `trim` of the weight; rows as dense as the
/// last one kept stay too, so that the order of the rows does not matter.
fn densest(log_density: &[f64], weights: &Weights, trim: f64) -> Vec<usize> {
    let w = weights.as_slice();
    let mut order: Vec<usize> = (0..w.len()).filter(|&i| w[i] > 0.0).collect();
    order.sort_by(|&i, &j| log_density[j].total_cmp(&log_density[i]));
    let mut held = 0.0;
    let enough = order.iter().position(|&i| {
        held += w[i];
        // A hair below: sums of weights round.
        held >= 1.0 - trim - 1e-12
    });
    let lowest = log_density[order[enough.unwrap_or(order.len() - 1)]];
    order.retain(|&i| log_density[i] >= lowest);
    order.sort_unstable();
    order
}

impl Fitted {
    /// Up to `count` kept rows, evenly spread, of at least median density.
    pub(super) fn typical_rows(&self, rows: &DistinctRows, count: usize) -> Vec<f64> {
        let columns = rows.points().columns();
        let kept = rows.points().select(&self.core.indices);
        let points = Points::checked_before(&kept, columns);
        let log_density =
            self.density.log_pre_density(points).expect("the density's own dimension");
        let mut ordered = log_density.clone();
        ordered.sort_by(f64::total_cmp);
        let median = ordered[ordered.len() / 2];
        let typical: Vec<usize> =
            (0..log_density.len()).filter(|&i| log_density[i] >= median).collect();
        let stride = typical.len().div_ceil(count);
        points.select(&typical.into_iter().step_by(stride).collect::<Vec<_>>())
    }
}

/// Anomaly scores of the original rows, each without one copy of itself where it supports f.
pub(super) fn leave_one_out(
    scorer: &Scorer,
    core: &Core,
    rows: &DistinctRows,
    scores: &[f64],
) -> Vec<f64> {
    let mut place = vec![None; rows.points().rows()];
    for (at, &row) in core.indices.iter().enumerate() {
        place[row] = Some(at);
    }
    let without = |row: usize| -> Option<f64> {
        let distinct_row = rows.row_of[row]?;
        let at = place[distinct_row]?;
        let copy = Copy {
            at,
            share: rows.one_copy[row],
            weight: core.weights.as_slice()[at],
            point: rows.points().row(distinct_row),
            ln_f: -0.5 * scores[row],
        };
        Some(-2.0 * copy.ln_left_out(&scorer.density))
    };
    let left_out = |(row, &score)| without(row).unwrap_or(score);
    scores.par_iter().enumerate().map(left_out).collect()
}

/// One of the copies of a row that supports f.
struct Copy<'a> {
    at: usize,
    /// 1/c_i.
    share: f64,
    /// w_i.
    weight: f64,
    point: &'a [f64],
    /// ln|f(x_i)|.
    ln_f: f64,
}

impl Copy<'_> {
    /// ln of [f(x_i) − α_i k(x_i, x_i) / c_i] / (1 − w_i / c_i).
    fn ln_left_out(&self, density: &Density) -> f64 {
        // At the optimum α_i = w_i / f(x_i), also for features, which keep no α.
        let diagonal = density
            .feature_form()
            .map_or(1.0, |form| form.features().value(self.point, self.point));
        let left = 1.0 - self.share * self.weight * diagonal * (-2.0 * self.ln_f).exp();
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
