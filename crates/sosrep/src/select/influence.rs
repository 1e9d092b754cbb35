//! Self-influence: how far the median s_i = α_i k(x_i, x_i) / f(x_i) is from a target.
//!
//! With a small bandwidth the density at a row comes from that row alone (s → 1), with a large one
//! from all rows alike (s → 1/n). The median falls in between, so a target determines one bandwidth,
//! whatever the units.
//!
//! Differs from the paper: not in it.

use crate::density::Density;
use crate::error::{Error, Result};
use crate::points::Weights;
use crate::quantile::Ordered;

/// |log(median s_i / target)|.
pub(super) fn distance_to(
    density: &Density,
    weights: Option<&Weights>,
    target: f64,
) -> Result<f64> {
    let form = density.kernel_form().ok_or(Error::Undefined {
        quantity: "self-influence",
        kernel: "sdo-sampled",
        reason: "random features keep no coefficient per row; use the exact sdo kernel",
    })?;
    let influence = form.self_influence();
    let equal = Weights::equal(influence.len());
    // The density is fitted to the rows of positive weight, in their order.
    let weights = weights.unwrap_or(&equal).as_slice().iter().copied().filter(|w| *w > 0.0);
    let median = Ordered::new(influence.into_iter().zip(weights).collect()).quantile(0.5);
    Ok((median / target).ln().abs())
}
