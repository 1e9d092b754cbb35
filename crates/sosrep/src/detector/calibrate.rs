//! Scores of the training rows, each without its own contribution.
//!
//! ```text
//! f₋ᵢ(x_i) ≈ [f(x_i) − α_i k(x_i, x_i) / c_i] / (1 − w_i / c_i)    c_i copies, one of them left out
//! ```
//!
//! A row that does not support f has no part in it and keeps its score. c_i counts the copies in the weight
//! of the equal rows merged into x_i, see [`Weights`](crate::Weights). The other coefficients are rescaled
//! to the weight that is left, not solved again. Where f(x_i) is almost entirely the row's own term, the
//! difference is summed over the other rows in logarithms.
//!
//! So training rows and new rows are scored alike, and p-values, thresholds and histograms compare
//! like with like. A distinct row is scored once, from the values it was prepared to for the fit.
//!
//! Cost: a scoring of the other distinct rows. Differs from the paper: not in it.

use super::Scorer;
use super::core::Core;
use super::distinct::DistinctRows;
use crate::density::{Density, ln_abs};
use crate::error::Result;
use crate::monitor::Monitor;
use crate::parallel;
use crate::points::Points;

/// Below this share of f left without a row, the difference is not taken.
const CANCELLED: f64 = 1e-6;

/// −log f² of the distinct rows: those that support f as the solver left them, the others computed.
pub(super) fn distinct_scores(
    scorer: &Scorer,
    support: &Core,
    rows: &DistinctRows,
    monitor: Monitor,
) -> Result<Vec<f64>> {
    let mut scores: Vec<Option<f64>> = vec![None; rows.points().rows()];
    if let Some(form) = scorer.density.kernel_form() {
        for (&row, &value) in support.indices.iter().zip(form.support_values()) {
            scores[row] = Some(-2.0 * ln_abs(value));
        }
    }
    let others: Vec<usize> = (0..scores.len()).filter(|&row| scores[row].is_none()).collect();
    if !others.is_empty() {
        let values = rows.points().select(&others);
        let prepared = Points::new_unchecked(&values, rows.points().columns());
        let computed = scorer.prepared_scores(prepared, monitor)?;
        others.iter().zip(computed).for_each(|(&row, score)| scores[row] = Some(score));
    }
    Ok(scores.into_iter().flatten().collect())
}

/// Anomaly scores of the rows given, each without one copy of itself where it supports f.
pub(super) fn leave_one_out(
    scorer: &Scorer,
    support: &Core,
    rows: &DistinctRows,
    distinct_scores: &[f64],
    points: Points,
    monitor: Monitor,
) -> Result<Vec<f64>> {
    let mut place = vec![None; distinct_scores.len()];
    support.indices.iter().enumerate().for_each(|(at, &row)| place[row] = Some(at));
    let diagonal = diagonal(&scorer.density, support, rows);
    let score = |row: usize| -> Option<f64> {
        let distinct = rows.row_of[row]?;
        let score = distinct_scores[distinct];
        let Some(at) = place[distinct] else { return Some(score) };
        let left_out = LeftOutCopy {
            at,
            share: rows.one_copy[row],
            weight: support.weights.as_slice()[at],
            diagonal: diagonal.as_ref().map_or(1.0, |diagonal| diagonal[at]),
            ln_f: -0.5 * score,
        };
        Some(-2.0 * left_out.ln_rest(&scorer.density))
    };
    let mut scores = parallel::map(points.rows(), score);
    // Rows of no weight, and rows left out by sampling: they have no part in f.
    let absent: Vec<usize> = (0..scores.len()).filter(|&row| scores[row].is_none()).collect();
    if !absent.is_empty() {
        let values = points.select(&absent);
        let computed = scorer
            .anomaly_score_monitored(Points::new_unchecked(&values, points.columns()), monitor)?;
        absent.iter().zip(computed).for_each(|(&row, score)| scores[row] = Some(score));
    }
    Ok(scores.into_iter().flatten().collect())
}

/// k̂(x_i, x_i) of the support for random features; exact kernels have 1.
fn diagonal(density: &Density, support: &Core, rows: &DistinctRows) -> Option<Vec<f64>> {
    let features = density.feature_form()?.features();
    let values = support.values(rows);
    Some(features.diagonal(Points::new_unchecked(&values, rows.points().columns())))
}

/// A row that supports f, one of whose copies is left out.
struct LeftOutCopy {
    /// Its place among the support rows.
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

impl LeftOutCopy {
    /// ln of [f(x_i) − α_i k(x_i, x_i) / c_i] / (1 − w_i / c_i).
    fn ln_rest(&self, density: &Density) -> f64 {
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
