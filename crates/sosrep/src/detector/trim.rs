//! The trimmed refit, and training scores without a row's own contribution.
//!
//! ```text
//! fit f on all rows;  keep the densest (1 − trim) of the weight;  fit f again on those
//! f₋ᵢ(x_i) ≈ f(x_i) − α_i k(x_i, x_i) / c_i       c_i copies of the row, one of them left out
//! ```
//!
//! The second line is first order: the other coefficients are not solved again.
//!
//! Differs from the paper: not in it.

use std::ops::ControlFlow;

use super::Core;
use crate::density::{Density, DensityParams, ln_abs};
use crate::error::Result;
use crate::monitor::{Monitor, Progress};
use crate::points::{Points, Weights};

/// The final density and the rows of the core it rests on.
pub(super) struct Fitted {
    pub(super) density: Density,
    /// Indices into the core's rows, increasing.
    pub(super) kept: Vec<usize>,
}

pub(super) fn fit(
    params: &DensityParams,
    core: &Core,
    trim: f64,
    monitor: Monitor,
) -> Result<Fitted> {
    let points = core.points();
    let density = params.fit_monitored(points, Some(&core.weights), monitor)?;
    let positive: Vec<usize> =
        (0..points.rows()).filter(|&i| core.weights.as_slice()[i] > 0.0).collect();
    if trim == 0.0 {
        return Ok(Fitted { density, kept: positive });
    }
    let kept = densest(&density.log_pre_density(points)?, &core.weights, trim);
    let weights: Vec<f64> = kept.iter().map(|&i| core.weights.as_slice()[i]).collect();
    let values = points.select(&kept);
    let mut refit = |progress: &Progress| -> ControlFlow<()> {
        monitor(&Progress { stage: "refit", ..*progress })
    };
    let density = params.fit_monitored(
        Points::new(&values, points.columns())?,
        Some(&Weights::new(&weights)?),
        &mut refit,
    )?;
    Ok(Fitted { density, kept })
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
    pub(super) fn typical_rows(&self, core: &Core, count: usize) -> Vec<f64> {
        let kept = core.points().select(&self.kept);
        let points = Points::new(&kept, core.columns).expect("rows of checked points");
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
    density: &Density,
    kept: &[usize],
    core: &Core,
    scores: &[f64],
) -> Vec<f64> {
    let Some(form) = density.kernel_form() else { return scores.to_vec() };
    let mut place = vec![None; core.counts.len()];
    for (at, &row) in kept.iter().enumerate() {
        place[row] = Some(at);
    }
    let without = |row: usize| -> Option<f64> {
        let core_row = core.row_of[row]?;
        let at = place[core_row]?;
        let own = form.alpha()[at] / core.counts[core_row] as f64;
        Some(-2.0 * ln_abs(form.support_values()[at] - own))
    };
    scores.iter().enumerate().map(|(row, &score)| without(row).unwrap_or(score)).collect()
}
