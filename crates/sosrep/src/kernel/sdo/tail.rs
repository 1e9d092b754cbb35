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
//! Three ranges: up to ρ = ν (large d only) a table of ln g, which has no zero there; up to
//! where g underflows tables of A and P, filled from the closed form up to ρ = 100 max(ν, 1) and
//! from its asymptotic series after it; from there on the series itself, and g is 0.
//!
//! Cost: two table rows, one sine and cosine and, for g, one exponential, eight arguments at once.
//! Numerics: |cos Im L| is kept at 1e-12 or above, so that ln|g| is finite at a zero of g.
//!
//! Differs from the paper: no counterpart there.

use nalgebra::Complex;

use super::closed_form::ClosedForm;
use super::quadrature::Quadrature;
use crate::kernel::jets::ProfileJets;
use crate::kernel::radial_table::{RadialTable, Split, edge_above};
use crate::kernel::{ProfileJet, SignedLog};
use crate::lanes::{self, LANES, LN_SMALLEST, Lanes};

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
        // An edge, as phases before and after it may differ by whole turns.
        let far = edge_above((closed_form.far_start().powi(2) / d).max(2.0 * near));
        let mut end = far;
        while closed_form.far_exponent((end * d).sqrt())[0].re > LN_SMALLEST {
            end *= 2.0;
        }
        let [ln_amplitude, phase] = RadialTable::build_pair(near, end, |v| {
            let rho = (v * d).sqrt();
            let exponent = if v < far {
                closed_form.amplitude_and_phase(rho)
            } else {
                closed_form.far_exponent(rho)[0] + closed_form.kappa() * rho
            };
            [exponent.re, exponent.im]
        });
        Self { dimension: d, gap, ln_amplitude, phase, closed_form }
    }

    /// g.
    pub(crate) fn value(&self, v: f64) -> f64 {
        self.values(&[v; LANES])[0]
    }

    /// g at eight arguments; those before the tail give anything.
    #[inline(always)]
    pub(crate) fn values(&self, v: &Lanes) -> Lanes {
        let (ln_amplitude, phase) = (self.ln_amplitude.values(v), self.phase.values(v));
        let kappa = self.closed_form.kappa();
        let mut values = [0.0; LANES];
        for lane in 0..LANES {
            let rho = (v[lane] * self.dimension).sqrt();
            let cosine = lanes::cos_sin(phase[lane] - kappa.im * rho)[0];
            let size = lanes::exp_or_zero(ln_amplitude[lane] - kappa.re * rho);
            values[lane] = if v[lane] < self.ln_amplitude.end() { size * cosine } else { 0.0 };
        }
        if let Some(gap) = self.gap.as_ref().filter(|gap| v.iter().any(|v| *v < gap.end())) {
            let before = gap.values(v);
            for lane in 0..LANES {
                if v[lane] < gap.end() {
                    values[lane] = lanes::exp_or_zero(before[lane]);
                }
            }
        }
        values
    }

    /// g, dg/dv, d²g/dv² at eight arguments; those before the tail give anything.
    #[inline(always)]
    pub(crate) fn jets(&self, v: &Lanes) -> ProfileJets {
        let (re, im) = (self.ln_amplitude.jets(v), self.phase.jets(v));
        let kappa = self.closed_form.kappa();
        let mut jets = ProfileJets::ZERO;
        for (lane, &v) in v.iter().enumerate() {
            let rho = (v * self.dimension).sqrt();
            let drho = rho / (2.0 * v);
            let path = ProfileJet { value: rho, slope: drho, curvature: -drho / (2.0 * v) };
            let jet =
                wave(&re.get(lane).minus(kappa.re, &path), &im.get(lane).minus(kappa.im, &path));
            // Past the tables g is 0.
            let inside = if v < self.ln_amplitude.end() { 1.0 } else { 0.0 };
            jets.set(lane, jet.times(inside));
        }
        if let Some(gap) = self.gap.as_ref().filter(|gap| v.iter().any(|v| *v < gap.end())) {
            let ln_value = gap.jets(v);
            for (lane, &v) in v.iter().enumerate() {
                let ProfileJet { value, slope, curvature } = ln_value.get(lane);
                let relative =
                    ProfileJet { value: 1.0, slope, curvature: curvature + slope * slope };
                if v < gap.end() {
                    jets.set(lane, relative.times(lanes::exp_or_zero(value)));
                }
            }
        }
        jets
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

/// g, g′, g″ from real and imaginary part of L, L′, L″.
#[inline(always)]
fn wave(re: &ProfileJet, im: &ProfileJet) -> ProfileJet {
    let [cosine, sine] = lanes::cos_sin(im.value);
    let second = [
        re.curvature + (re.slope * re.slope - im.slope * im.slope),
        im.curvature + 2.0 * re.slope * im.slope,
    ];
    ProfileJet {
        value: cosine,
        slope: re.slope * cosine - im.slope * sine,
        curvature: second[0] * cosine - second[1] * sine,
    }
    .times(lanes::exp_or_zero(re.value))
}

fn clamped_cosine(angle: f64) -> f64 {
    let cosine = angle.cos();
    if cosine.abs() < SMALLEST_COSINE { SMALLEST_COSINE.copysign(cosine) } else { cosine }
}
