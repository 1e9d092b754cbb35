//! The SDO kernel's radial profile g, its derivatives and its autoconvolution, exact.
//!
//! Paper: Section 4, Theorem on the kernel in integral form (single derivative order); supplement,
//! rescaling proposition: one profile serves every bandwidth.
//!
//! ```text
//! g(ρ) = (1/Z) ∫₀^∞ s^(d−1) / (1 + s²ᵐ) Λ_d(sρ) ds,   Λ_d(y) = Γ(d/2) (2/y)^ν J_ν(y),   g(0) = 1
//! m = ⌊d/2⌋ + 1,   ν = d/2 − 1,   Z = (π/2m) / sin(πd/2m),   v = ρ²/d
//! ```
//!
//! Autoconvolution: with a constant c in place of 1, substituting s = c^(1/2m) t,
//!
//! ```text
//! ∫ s^(d−1) / (c + s²ᵐ) Λ_d(sρ) ds = c^(d/2m−1) Z g(c^(1/2m) ρ)
//! −∂/∂c at c = 1:   ∫ s^(d−1) / (1 + s²ᵐ)² Λ_d(sρ) ds = Z [(1 − d/2m) g − (ρ/2m) g′(ρ)]
//! g₂(ρ) = g − ρ g′(ρ) / (2m − d) = g − 2v (dg/dv) / (2m − d),   g₂(0) = 1
//! ```
//!
//! Three evaluators fill a table of polynomials in v, and each is exact where it is used:
//! [`series`] for v ≤ 5, [`closed_form`] for ρ ≥ ν, [`quadrature`] between (d > 23 only). Past
//! the table, [`tail`] gives the logarithm.
//!
//! Cost: about 250 kB and 5 to 100 milliseconds per dimension; then one table row per value, and
//! two with a sine and an exponential past the table; eight arguments at once.
//! Numerics: the table ends at ρ = 128 or, where the oscillation begins later (ν > 128), at ρ = ν, but
//! then at v = 128 at the latest; up to there its error is below 1e-14, and below 2e-7 of the amplitude where g itself is small. Below
//! v = 2⁻⁸⁰ the value is 1 (within 1e-12) and the derivatives stay what they are at 2⁻⁸⁰. Tested
//! against high-precision values for d up to 1555, and for consistency up to 10 000.
//!
//! Differs from the paper: the paper expects no closed form and averages random features.

pub(crate) mod closed_form;
pub(crate) mod quadrature;
pub(crate) mod series;
pub(crate) mod sphere_wave;
mod tail;

use std::f64::consts::PI;
use std::sync::Arc;

use super::jets::ProfileJets;
use super::ln_sphere;
use super::profile::{Profile, ProfileJet, SignedLog};
use super::radial_table::{RadialTable, Split, edge_above};
use crate::lanes::{self, LANES, Lanes};
use closed_form::ClosedForm;
use quadrature::Quadrature;
use series::Series;
use tail::Tail;

/// First argument of the table.
const SMALLEST_ARGUMENT: f64 = 1.0 / (1_u128 << 80) as f64;
/// The series holds up to here.
const SERIES_END: f64 = 5.0;
/// ρ or v at the end of the table: one radian of phase, or one of exponent, per half interval.
const LARGEST_ARGUMENT: f64 = 128.0;
/// Table values are taken as at least this when their logarithm is asked for.
const SMALLEST_VALUE: f64 = 1e-300;

/// g of one dimension, for every bandwidth.
#[derive(Debug, Clone)]
pub(crate) struct SdoProfile {
    dimension: usize,
    table: RadialTable,
    tail: Tail,
}

impl SdoProfile {
    /// Tabulates the profile; `dimension` is at least 1 and at most 10 000.
    pub(crate) fn new(dimension: usize) -> Self {
        let d = dimension as f64;
        let nu = d / 2.0 - 1.0;
        let series = Series::new(dimension);
        let closed_form = ClosedForm::new(dimension);
        let quadrature =
            (nu * nu > SERIES_END * d).then(|| Quadrature::new(dimension, (SERIES_END * d).sqrt()));
        let value = |v: f64| {
            let rho = (v * d).sqrt();
            match &quadrature {
                _ if v <= SERIES_END => 1.0 - series.deficit(v),
                Some(quadrature) if rho < nu => quadrature.ln_value(rho).exp(),
                _ => (closed_form.amplitude_and_phase(rho) - closed_form.kappa() * rho).exp().re,
            }
        };
        let end = edge_above(table_end(dimension));
        let table = RadialTable::build(SMALLEST_ARGUMENT, end, 1.0, |v| {
            if v < 1.0 {
                Split { base: 1.0, deviation: -series.deficit(v) }
            } else {
                Split { base: 0.0, deviation: value(v) }
            }
        });
        let tail = Tail::new(dimension, table.end(), closed_form.clone(), quadrature.as_ref());
        Self { dimension, table, tail }
    }

    /// g(v).
    #[inline(always)]
    pub(crate) fn value(&self, v: f64) -> f64 {
        if v < self.table.end() { self.table.value(v) } else { self.tail.value(v) }
    }

    /// g at eight arguments.
    #[inline(always)]
    pub(crate) fn values(&self, v: &Lanes) -> Lanes {
        let end = self.table.end();
        if v.iter().all(|v| *v < end) {
            return self.table.values(v);
        }
        let far = self.tail.values(v);
        if v.iter().all(|v| *v >= end) {
            return far;
        }
        let mut values = self.table.values(v);
        for lane in 0..LANES {
            values[lane] = if v[lane] < end { values[lane] } else { far[lane] };
        }
        values
    }

    /// g, dg/dv, d²g/dv² at eight arguments.
    #[inline(always)]
    pub(crate) fn jets(&self, v: &Lanes) -> ProfileJets {
        let end = self.table.end();
        if v.iter().all(|v| *v < end) {
            return self.table.jets(v);
        }
        let far = self.tail.jets(v);
        if v.iter().all(|v| *v >= end) {
            return far;
        }
        let mut jets = self.table.jets(v);
        for (lane, &v) in v.iter().enumerate() {
            if v >= end {
                jets.set(lane, far.get(lane));
            }
        }
        jets
    }

    /// ln|g(v)| and the sign of g(v), finite for every v up to 1e300.
    pub(crate) fn ln_value(&self, v: f64) -> SignedLog {
        if v >= self.table.end() {
            return self.tail.ln_value(v);
        }
        let value = self.table.value(v);
        SignedLog { ln: value.abs().max(SMALLEST_VALUE).ln(), sign: 1.0_f64.copysign(value) }
    }

    /// g, dg/dv, d²g/dv².
    pub(crate) fn jet(&self, v: f64) -> ProfileJet {
        if v < self.table.end() {
            return self.table.jet(v);
        }
        self.tail.relative_jet(v).times(self.tail.value(v))
    }

    /// 1, g′/g, g″/g: the derivatives where g itself underflows.
    pub(crate) fn relative_jet(&self, v: f64) -> ProfileJet {
        if v >= self.table.end() {
            return self.tail.relative_jet(v);
        }
        let jet = self.table.jet(v);
        let value = jet.value.abs().max(SMALLEST_VALUE).copysign(jet.value);
        ProfileJet { value: 1.0, slope: jet.slope / value, curvature: jet.curvature / value }
    }

    /// g₂(v) = g − 2v (dg/dv) / (2m − d), the autoconvolution over its value at 0.
    pub(crate) fn autoconvolution(&self, v: f64) -> f64 {
        let jet = self.jet(v);
        jet.value - 2.0 * v * jet.slope / (2 * smoothness(self.dimension) - self.dimension) as f64
    }

    /// ln ∫ k(x) dx at bandwidth 1: the density 1/(1+‖ω‖²ᵐ) at ω = 0, times (2π)ᵈ/I₁.
    pub(crate) fn ln_integral(&self) -> f64 {
        self.dimension as f64 * (2.0 * PI).ln() - ln_spectral_mass(self.dimension)
    }

    /// ln ∫ k(x)² dx at bandwidth 1: (2π)ᵈ (1 − d/2m) / I₁ by Parseval.
    pub(crate) fn ln_square_integral(&self) -> f64 {
        let (d, twice_m) = (self.dimension as f64, (2 * smoothness(self.dimension)) as f64);
        self.ln_integral() + (1.0 - d / twice_m).ln()
    }
}

/// g(q) at one bandwidth: the table at v = q / (d b²), which serves every bandwidth.
#[derive(Debug, Clone)]
pub(super) struct Sdo {
    table: Arc<SdoProfile>,
    bandwidth: f64,
    /// v / q.
    scale: f64,
}

impl Sdo {
    pub(super) fn new(dimension: usize, bandwidth: f64) -> Self {
        Self::of(Arc::new(SdoProfile::new(dimension)), bandwidth)
    }

    fn of(table: Arc<SdoProfile>, bandwidth: f64) -> Self {
        let scale = 1.0 / (table.dimension as f64 * bandwidth * bandwidth);
        Self { table, bandwidth, scale }
    }

    pub(super) fn autoconvolution(&self, q: f64) -> f64 {
        self.table.autoconvolution(q * self.scale)
    }

    /// ln of an integral over d columns, from its value at bandwidth 1.
    fn at_bandwidth(&self, ln_at_one: f64) -> f64 {
        ln_at_one + self.table.dimension as f64 * self.bandwidth.ln()
    }
}

impl Profile for Sdo {
    fn with_bandwidth(&self, bandwidth: f64) -> Self {
        Self::of(Arc::clone(&self.table), bandwidth)
    }

    #[inline(always)]
    fn value(&self, q: f64) -> f64 {
        self.table.value(q * self.scale)
    }

    fn ln_value(&self, q: f64) -> SignedLog {
        self.table.ln_value(q * self.scale)
    }

    fn relative_jet(&self, q: f64) -> ProfileJet {
        self.table.relative_jet(q * self.scale).rescaled(self.scale)
    }

    fn ln_integral(&self) -> f64 {
        self.at_bandwidth(self.table.ln_integral())
    }

    fn ln_square_integral(&self) -> f64 {
        self.at_bandwidth(self.table.ln_square_integral())
    }

    fn jet(&self, q: f64) -> ProfileJet {
        self.table.jet(q * self.scale).rescaled(self.scale)
    }

    #[inline(always)]
    fn values(&self, q: &Lanes) -> Lanes {
        self.table.values(&lanes::map(q, |q| q * self.scale))
    }

    #[inline(always)]
    fn jets(&self, q: &Lanes) -> ProfileJets {
        self.table.jets(&lanes::map(q, |q| q * self.scale)).rescaled(self.scale)
    }
}

/// v at the end of the table: at ρ = 128 or, if the oscillation begins later, at ρ = ν, but then no
/// more than 128.
pub(crate) fn table_end(dimension: usize) -> f64 {
    let d = dimension as f64;
    let nu = d / 2.0 - 1.0;
    (LARGEST_ARGUMENT * LARGEST_ARGUMENT / d).max(LARGEST_ARGUMENT.min(nu * nu / d))
}

/// m, the order of the derivative: the smallest integer above d/2.
pub(crate) fn smoothness(dimension: usize) -> usize {
    dimension / 2 + 1
}

/// ln I₁, I₁ = ∫ dω / (1 + ‖ω‖²ᵐ) over ℝᵈ = S_{d−1} Z, with S_{d−1} = 2π^(d/2)/Γ(d/2).
pub(crate) fn ln_spectral_mass(dimension: usize) -> f64 {
    let twice_m = (2 * smoothness(dimension)) as f64;
    let angle = PI * (twice_m - dimension as f64) / twice_m;
    ln_sphere(dimension) + (PI / twice_m / angle.sin()).ln()
}

#[cfg(test)]
mod tests;
