//! Self-influence: how far the median s_i = α_i k(x_i, x_i) / f(x_i) is from a target.
//!
//! Small bandwidths make every row its own density (s → 1), large ones share it out (s → 1/n).
//! The median falls steadily in between, so a target picks one bandwidth whatever the units.
//!
//! Differs from the paper: not in it.

use crate::density::Density;
use crate::error::{Error, Result};

/// |log(median s_i / target)|.
pub(super) fn distance_to(density: &Density, target: f64) -> Result<f64> {
    let form = density.kernel_form().ok_or(Error::Undefined {
        quantity: "self-influence",
        kernel: "sdo-sampled",
        reason: "random features keep no coefficient per row; use the exact sdo kernel",
    })?;
    let mut influence = form.self_influence();
    let middle = influence.len() / 2;
    let (_, median, _) = influence.select_nth_unstable_by(middle, f64::total_cmp);
    Ok((*median / target).ln().abs())
}
