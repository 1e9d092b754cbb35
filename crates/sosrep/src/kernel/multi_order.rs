//! The radial profile of a kernel whose norm has several derivative orders.
//!
//! Paper: supplement, the norm with coefficients ā; Section 4, kernel in integral form.
//!
//! ```text
//! ‖f‖² + Σ_{l=1}^m a_l ‖Dˡf‖²:   P(s) = 1 + Σ_l a_l s²ˡ,   v = ρ²/d
//! g(ρ)  = ∫₀^∞ s^(d−1) / P(s)  Λ_d(sρ) ds  over its value at ρ = 0
//! g₂(ρ) = ∫₀^∞ s^(d−1) / P(s)² Λ_d(sρ) ds  over its value at ρ = 0     (autoconvolution)
//! ```
//!
//! Symbols: a_l ≥ 0, a_m > 0, m > d/2; Λ_d(y) = Γ(d/2) (2/y)^ν J_ν(y), ν = d/2 − 1.
//!
//! Each of g and g₂ is integrated (see [`hankel`]) at 48 Chebyshev nodes per power of two of v,
//! in units in which the weight peaks at s = 1, and resampled into a [`RadialTable`].
//!
//! Cost: a tenth of a second or two to build; one table row per value. Numerics: the error is below
//! 1e-13 absolute. The table ends where |g| stays below 1e-10, or at ρ = 32 768 (in the weight's
//! units); beyond, g is continued by
//!
//! ```text
//! g = g_end^(ρ/ρ_end),   g_end = |g| near the end, kept between 1e-10 and ½
//! ```
//!
//! which is positive, falls exponentially and keeps far points finite and ordered, but is not the
//! true far value.
//!
//! Differs from the paper: the paper samples this kernel; the result here is deterministic.

mod hankel;
mod samples;
mod weight;

use std::f64::consts::PI;

use super::jets::ProfileJets;
use super::radial_table::{RadialTable, Split};
use super::{ProfileJet, SignedLog, ln_sphere, sdo};
use crate::error::{Error, Result};
use crate::lanes::{self, LANES, Lanes};
use samples::{LOWEST_OCTAVE, Samples};
use weight::Weight;

/// Largest |g| at the end of a table: what is continued, not exact, must be negligible.
const LARGEST_END: f64 = 1e-6;
/// Times a table may be made four times longer in ρ.
const EXTENSIONS: usize = 4;
/// Orders above the smallest possible: the cost of the tables grows with the order.
const MOST_EXTRA_ORDERS: usize = 16;
/// Values below this are continued, not tabulated.
const SMALLEST_VALUE: f64 = 1e-10;

/// g and g₂ of one dimension and one set of coefficients, for every bandwidth.
#[derive(Debug, Clone)]
pub(crate) struct MultiOrderProfile {
    dimension: usize,
    kernel: Transform,
    autoconvolution: Transform,
}

/// The normalised transform of one weight.
#[derive(Debug, Clone)]
struct Transform {
    /// Arguments are in units of the weight's peak: v times this.
    scale: f64,
    table: RadialTable,
    ln_end: f64,
    /// ln ∫ s^(d−1) / Pᵖ ds.
    ln_integral: f64,
}

impl MultiOrderProfile {
    /// Tabulates the profile of a_1 … a_m.
    ///
    /// # Errors
    /// Coefficients outside their domain or too spread out, m ≤ d/2 or far above it.
    pub(crate) fn new(dimension: usize, coefficients: &[f64]) -> Result<Self> {
        check(dimension, coefficients)?;
        let transform =
            |power| Transform::new(dimension, &Weight::new(dimension, coefficients, power));
        let (kernel, autoconvolution) = rayon::join(|| transform(1), || transform(2));
        if kernel.ln_end.max(autoconvolution.ln_end) > LARGEST_END.ln() {
            let requirement = "numbers of more similar scale: the kernel reaches past its table";
            return Err(Error::parameter("coefficients", "too spread out", requirement));
        }
        Ok(Self { dimension, kernel, autoconvolution })
    }

    /// g(v).
    #[inline(always)]
    pub(crate) fn value(&self, v: f64) -> f64 {
        self.kernel.value(v)
    }

    /// g at eight arguments.
    #[inline(always)]
    pub(crate) fn values(&self, v: &Lanes) -> Lanes {
        let scaled = lanes::map(v, |v| v * self.kernel.scale);
        let mut values = self.kernel.table.values(&scaled);
        for lane in 0..LANES {
            if scaled[lane] >= self.kernel.table.end() {
                values[lane] = self.kernel.far_ln(scaled[lane]).exp();
            }
        }
        values
    }

    /// g, dg/dv, d²g/dv² at eight arguments.
    #[inline(always)]
    pub(crate) fn jets(&self, v: &Lanes) -> ProfileJets {
        let (scale, end) = (self.kernel.scale, self.kernel.table.end());
        let mut jets = self.kernel.table.jets(&lanes::map(v, |v| v * scale)).rescaled(scale);
        for (lane, &v) in v.iter().enumerate() {
            if v * scale >= end {
                jets.set(lane, self.jet(v));
            }
        }
        jets
    }

    /// ln|g(v)| and the sign of g(v), finite for every v up to 1e300 in the weight's units.
    pub(crate) fn ln_value(&self, v: f64) -> SignedLog {
        let scaled = v * self.kernel.scale;
        if scaled >= self.kernel.table.end() {
            return SignedLog { ln: self.kernel.far_ln(scaled), sign: 1.0 };
        }
        let value = self.kernel.table.value(scaled);
        SignedLog { ln: value.abs().max(f64::MIN_POSITIVE).ln(), sign: 1.0_f64.copysign(value) }
    }

    /// g, dg/dv, d²g/dv².
    pub(crate) fn jet(&self, v: f64) -> ProfileJet {
        let scale = self.kernel.scale;
        let jet = if v * scale < self.kernel.table.end() {
            self.kernel.table.jet(v * scale)
        } else {
            self.kernel.far_relative_jet(v * scale).times(self.value(v))
        };
        jet.rescaled(scale)
    }

    /// 1, g′/g, g″/g: the derivatives where g itself underflows.
    pub(crate) fn relative_jet(&self, v: f64) -> ProfileJet {
        let scale = self.kernel.scale;
        if v * scale < self.kernel.table.end() {
            let jet = self.jet(v);
            let value = jet.value.abs().max(f64::MIN_POSITIVE).copysign(jet.value);
            return ProfileJet { value: 1.0, ..jet.times(1.0 / value) };
        }
        self.kernel.far_relative_jet(v * scale).rescaled(scale)
    }

    /// g₂(v).
    pub(crate) fn autoconvolution(&self, v: f64) -> f64 {
        self.autoconvolution.value(v)
    }

    /// ln ∫ k(x) dx at bandwidth 1: (2π)ᵈ / I₁ with I₁ = ∫ dω / P(‖ω‖).
    pub(crate) fn ln_integral(&self) -> f64 {
        let ln_mass = ln_sphere(self.dimension) + self.kernel.ln_integral;
        self.dimension as f64 * (2.0 * PI).ln() - ln_mass
    }

    /// ln ∫ k(x)² dx at bandwidth 1: (2π)ᵈ ∫ dω / P² over I₁², by Parseval.
    pub(crate) fn ln_square_integral(&self) -> f64 {
        self.ln_integral() + self.autoconvolution.ln_integral - self.kernel.ln_integral
    }
}

impl Transform {
    /// Tables to ρ = 128, and further while g is not negligible: it oscillates no more then, the
    /// lower orders of P, which fall without a sign change, are all that is left.
    fn new(dimension: usize, weight: &Weight) -> Self {
        let limits: [f64; EXTENSIONS + 1] =
            std::array::from_fn(|i| sdo::table_end(dimension) * 16.0_f64.powi(i as i32));
        let samples = Samples::new(dimension, weight, limits[EXTENSIONS]);
        let ends = limits.map(|limit| samples.end(limit));
        let near_end = |end: f64| samples.at(end * (1.0 - 1e-9)).abs();
        let enough = ends.iter().find(|end| near_end(**end) <= SMALLEST_VALUE);
        let end = *enough.unwrap_or(&ends[EXTENSIONS]);
        let table = RadialTable::build(2.0_f64.powi(LOWEST_OCTAVE), end, 1.0, |v| {
            if v < 1.0 {
                Split { base: 1.0, deviation: -samples.at(v) }
            } else {
                Split { base: 0.0, deviation: samples.at(v) }
            }
        });
        Self {
            scale: (2.0 * weight.ln_peak()).exp(),
            table,
            ln_end: near_end(end).clamp(SMALLEST_VALUE, 0.5).ln(),
            ln_integral: weight.ln_integral(samples.integral()),
        }
    }

    #[inline(always)]
    fn value(&self, v: f64) -> f64 {
        let scaled = v * self.scale;
        if scaled < self.table.end() { self.table.value(scaled) } else { self.far_ln(scaled).exp() }
    }

    /// ln g_end · ρ/ρ_end.
    fn far_ln(&self, scaled: f64) -> f64 {
        self.ln_end * (scaled / self.table.end()).sqrt()
    }

    fn far_relative_jet(&self, scaled: f64) -> ProfileJet {
        let slope = self.far_ln(scaled) / (2.0 * scaled);
        let curvature = slope * slope - slope / (2.0 * scaled);
        ProfileJet { value: 1.0, slope, curvature }
    }
}

fn check(dimension: usize, coefficients: &[f64]) -> Result<()> {
    let bad = |value: &dyn std::fmt::Display, requirement| {
        Err(Error::parameter("coefficients", value, requirement))
    };
    if let Some(a) = coefficients.iter().find(|a| **a != 0.0 && !(1e-100..=1e100).contains(*a)) {
        return bad(a, "zeros or numbers between 1e-100 and 1e100");
    }
    if coefficients.len() > dimension / 2 + MOST_EXTRA_ORDERS {
        return bad(&coefficients.len(), "at most 16 numbers more than half the columns");
    }
    if 2 * coefficients.len() <= dimension {
        return bad(&coefficients.len(), "more numbers than half the columns");
    }
    match coefficients.last() {
        Some(&last) if last > 0.0 => Ok(()),
        _ => bad(&0, "numbers of which the last is positive"),
    }
}

#[cfg(test)]
mod tests;
