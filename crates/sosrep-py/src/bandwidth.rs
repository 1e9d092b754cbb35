//! Fits a density at a bandwidth that is a number, or selected from a grid first.
//!
//! Here because the core's `DensityParams` takes a number only.

use sosrep::select::select;
use sosrep::{Density, Points, Progress, Weights};

use crate::parameters::{ParsedBandwidth, ParsedDensityParams};
use crate::report::Curve;
use crate::work::CancelHandle;

/// A density, and the bandwidth that its file may not hold.
pub(crate) struct FittedDensity {
    pub(crate) density: Density,
    pub(crate) bandwidth: f64,
    pub(crate) curve: Option<Curve>,
}

/// Selects the bandwidth if asked to, then fits.
pub(crate) fn select_and_fit(
    parsed: &ParsedDensityParams,
    points: Points,
    weights: Option<&Weights>,
    handle: &CancelHandle,
) -> sosrep::Result<FittedDensity> {
    let monitor = &mut |progress: &Progress| handle.report(progress);
    let (bandwidth, curve) = match &parsed.bandwidth {
        ParsedBandwidth::Fixed(bandwidth) => (*bandwidth, None),
        ParsedBandwidth::Selected(options) => {
            let selection = select(&parsed.params, points, weights, options, monitor)?;
            (selection.bandwidth, Some(Curve::from(&selection)))
        }
    };
    let params = parsed.params.clone().bandwidth(bandwidth);
    let density = params.fit_monitored(points, weights, monitor)?;
    Ok(FittedDensity { density, bandwidth, curve })
}
