//! The SDO profile past the end of its table, as a logarithm that never under- or overflows.
//!
//! Paper: Section 4, the SDO kernel; far points there have kernel values that are sampling noise.
//!
//! ```text
//! g = Re e^L,   L(v) = A(v) + iP(v) − κρ,   ρ = √(v d)
//! g′ = Re(L′ e^L),   g″ = Re((L″ + L′²) e^L)
//! ```
//!
//! Symbols: A, P, κ see [`ClosedForm`]; v = ρ²/d; derivatives are in v.
//!
//! Three stretches: up to ρ = ν (large d only) a table of ln g, which has no zero there; up to
//! ρ = 100 max(ν, 1) tables of A and P; from there on the asymptotic series itself.
//!
//! Cost: two table rows, one sine and cosine and, for g, one exponential.
//! Numerics: |cos Im L| is kept at 1e-12 or above, so that ln|g| is finite at a zero of g.
//!
//! Differs from the paper: no counterpart there.

use nalgebra::Complex;

use super::closed_form::ClosedForm;
use super::quadrature::Quadrature;
use crate::kernel::radial_table::{RadialTable, Split};
use crate::kernel::{ProfileJet, SignedLog};

/// Smallest |cos| of the phase.
const SMALLEST_COSINE: f64 = 1e-12;

/// The far part of the profile.
#[derive(Debug, Clone)]
pub(crate) struct Tail {
    dimension: f64,
    /// ln g below ρ = ν.
    gap: Option<RadialTable>,
    ln_amplitude: RadialTable,
    phase: RadialTable,
    closed_form: ClosedForm,
}

/// L, L′, L″.
type LogJet = [Complex<f64>; 3];

impl Tail {
    /// The tail from `start` on; `quadrature` is needed where that lies below ρ = ν.
    pub(crate) fn new(
        dimension: usize,
        start: f64,
        closed_form: ClosedForm,
        quadrature: Option<&Quadrature>,
    ) -> Self {
        let d = dimension as f64;
        let nu = d / 2.0 - 1.0;
        let smooth = |deviation: f64| Split { base: 0.0, deviation };
        let gap = quadrature.filter(|_| nu * nu / d > start).map(|quadrature| {
            let ln_value = |v: f64| smooth(quadrature.ln_value((v * d).sqrt()));
            RadialTable::build(start, nu * nu / d, 0.0, ln_value)
        });
        let near = gap.as_ref().map_or(start, RadialTable::end);
        let far = (closed_form.far_start().powi(2) / d).max(2.0 * near);
        let [ln_amplitude, phase] = RadialTable::build_pair(near, far, |v| {
            let exponent = closed_form.amplitude_and_phase((v * d).sqrt());
            [exponent.re, exponent.im]
        });
        Self { dimension: d, gap, ln_amplitude, phase, closed_form }
    }

    /// g.
    pub(crate) fn value(&self, v: f64) -> f64 {
        let exponent = self.exponent(v);
        exponent.re.exp() * clamped_cosine(exponent.im)
    }

    /// ln|g| and the sign of g.
    pub(crate) fn ln_value(&self, v: f64) -> SignedLog {
        let exponent = self.exponent(v);
        let cosine = clamped_cosine(exponent.im);
        SignedLog { ln: exponent.re + cosine.abs().ln(), sign: cosine.signum() }
    }

    /// 1, g′/g, g″/g.
    pub(crate) fn relative_jet(&self, v: f64) -> ProfileJet {
        let [exponent, first, second] = self.log_jet(v);
        let cosine = clamped_cosine(exponent.im);
        let wave = Complex::new(cosine, exponent.im.sin());
        ProfileJet {
            value: 1.0,
            slope: (first * wave).re / cosine,
            curvature: ((second + first * first) * wave).re / cosine,
        }
    }

    /// L alone: most kernel values need no derivative.
    fn exponent(&self, v: f64) -> Complex<f64> {
        if let Some(gap) = self.gap.as_ref().filter(|gap| v < gap.end()) {
            return Complex::new(gap.value(v), 0.0);
        }
        let rho = (v * self.dimension).sqrt();
        if v < self.ln_amplitude.end() {
            let slow = Complex::new(self.ln_amplitude.value(v), self.phase.value(v));
            return slow - self.closed_form.kappa() * rho;
        }
        self.closed_form.far_exponent(rho)[0]
    }

    fn log_jet(&self, v: f64) -> LogJet {
        if let Some(gap) = self.gap.as_ref().filter(|gap| v < gap.end()) {
            let jet = gap.jet(v);
            return [jet.value, jet.slope, jet.curvature].map(|part| Complex::new(part, 0.0));
        }
        let rho = (v * self.dimension).sqrt();
        let drho = rho / (2.0 * v);
        if v < self.ln_amplitude.end() {
            let (re, im) = (self.ln_amplitude.jet(v), self.phase.jet(v));
            let kappa = self.closed_form.kappa();
            return [
                Complex::new(re.value, im.value) - kappa * rho,
                Complex::new(re.slope, im.slope) - kappa * drho,
                Complex::new(re.curvature, im.curvature) + kappa * (drho / (2.0 * v)),
            ];
        }
        let [exponent, first, second] = self.closed_form.far_exponent(rho);
        [exponent, first * drho, second * drho * drho - first * (drho / (2.0 * v))]
    }
}

fn clamped_cosine(angle: f64) -> f64 {
    let cosine = angle.cos();
    if cosine.abs() < SMALLEST_COSINE { SMALLEST_COSINE.copysign(cosine) } else { cosine }
}
