//! Held-out likelihood: −mean log p(y), with p normalised.
//!
//! Differs from the paper: it has no normaliser and so cannot use the likelihood.

use super::weighted_mean;
use crate::density::Density;
use crate::error::Result;
use crate::monitor::Monitor;
use crate::points::{Points, Weights};

pub(super) fn negative_log_likelihood(
    density: &Density,
    points: Points,
    weights: Option<&Weights>,
    monitor: Monitor,
) -> Result<f64> {
    density.log_normalizer_monitored(monitor)?;
    Ok(-weighted_mean(&density.log_density(points)?, weights)?)
}
