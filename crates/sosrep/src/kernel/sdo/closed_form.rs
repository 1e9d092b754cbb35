//! The SDO profile at large ρ: a finite sum of K Bessel functions.
//!
//! Paper: Section 4, the SDO kernel in integral form; evaluated by partial fractions of 1/(1+s²ᵐ).
//!
//! ```text
//! g(ρ) = Γ(d/2) 2^ν ρ^−ν / (Z m) Σ_{j=1}^m κ_j^(ν+2) K_ν(κ_j ρ),    κ_j = e^(iθ_j)
//! θ_j = π(2j−1−m)/2m,   ν = d/2−1,   Z = (π/2m)/sin(πd/2m),   m = ⌊d/2⌋+1
//! ```
//!
//! The κ come in conjugate pairs, so with κ = σ + iω the upper one of the slowest pair,
//!
//! ```text
//! g(ρ) = Re e^L(ρ),   L(ρ) = A(ρ) + iP(ρ) − κρ,   σ = sin(π/2m),  ω = cos(π/2m)
//! ```
//!
//! with A and P smooth: L never under- or overflows.
//!
//! Cost: pairs are added from the slowest on until they are negligible, a few dozen of them
//! near ρ = ν and one far away. Past ρ = 100 max(ν, 1) the asymptotic series of ln K is used,
//!
//! ```text
//! ln K_ν(z) = −z + ½ ln(π/2z) + (μ−1)/8z − (μ−1)/16z² − (μ−1)(μ−25)/384z³ + …,   μ = 4ν²
//! ```
//!
//! Numerics: below ρ = ν the terms cancel, as Y_ν does against J_ν; the sum is used for ρ ≥ ν up
//! to an interval's width. P is continued without jumps by measuring it from the uniform (Debye)
//! phase of the slowest pair.
//!
//! Differs from the paper: the paper expects no closed form and samples the kernel.

use std::f64::consts::PI;

use complex_bessel::besselk_scaled;
use nalgebra::Complex;

use super::smoothness;

/// A pair this much smaller than the sum ends it.
const NEGLIGIBLE: f64 = 1e-18;
/// ρ / max(ν, 1) from which one pair and three asymptotic terms are exact to 1e-9 in L.
const FAR: f64 = 100.0;

/// The Bessel sum in one dimension.
#[derive(Debug, Clone)]
pub(crate) struct ClosedForm {
    dimension: usize,
    m: usize,
    nu: f64,
    /// ln of 2 Γ(d/2) 2^ν / (Z m).
    ln_front: f64,
    /// κ = σ + iω of the slowest pair.
    kappa: Complex<f64>,
}

impl ClosedForm {
    pub(crate) fn new(dimension: usize) -> Self {
        let m = smoothness(dimension);
        let nu = dimension as f64 / 2.0 - 1.0;
        let gap = 2 * m - dimension;
        let z_times_m = PI / 2.0 / (PI * gap as f64 / (2 * m) as f64).sin();
        let ln_front = libm::lgamma(nu + 1.0) + (nu + 1.0) * 2.0_f64.ln() - z_times_m.ln();
        Self { dimension, m, nu, ln_front, kappa: root(m, 0) }
    }

    /// κ = σ + iω of the slowest pair.
    pub(crate) fn kappa(&self) -> Complex<f64> {
        self.kappa
    }

    /// ρ from which [`far_exponent`](Self::far_exponent) holds.
    pub(crate) fn far_start(&self) -> f64 {
        FAR * self.nu.max(1.0)
    }

    /// A + iP at ρ.
    pub(crate) fn amplitude_and_phase(&self, rho: f64) -> Complex<f64> {
        let reference = self.debye_phase(rho);
        let sum = self.pairs(rho) * Complex::from_polar(1.0, -reference);
        Complex::new(self.ln_front - self.nu * rho.ln() + sum.norm().ln(), reference + sum.arg())
    }

    /// L, dL/dρ, d²L/dρ² far away.
    pub(crate) fn far_exponent(&self, rho: f64) -> [Complex<f64>; 3] {
        let kappa = self.kappa();
        let z = kappa * rho;
        let mu = 4.0 * self.nu * self.nu;
        let (a, b, c) = ((mu - 1.0) / 8.0, -(mu - 1.0) / 16.0, -(mu - 1.0) * (mu - 25.0) / 384.0);
        let w = z.inv();
        let series = w * (w * (w * c + b) + a);
        let first = w * (w * (w * 3.0 * c + 2.0 * b) + a);
        let second = w * (w * (w * 12.0 * c + 6.0 * b) + 2.0 * a);
        let order = self.nu + 0.5;
        let constant = Complex::new(
            self.ln_front + self.weight(0).ln() + 0.5 * (PI / 2.0).ln() - order * rho.ln(),
            self.power_angle(0) - 0.5 * kappa.arg(),
        );
        [constant - z + series, -kappa - (first + order) / rho, (second + order) / rho / rho]
    }

    /// Σ over the upper half of κ^(ν+2) K_ν(κρ), times e^(κ₀ρ).
    fn pairs(&self, rho: f64) -> Complex<f64> {
        let slowest = root(self.m, 0);
        let mut sum = Complex::new(0.0, 0.0);
        for pair in 0..self.m.div_ceil(2) {
            let kappa = root(self.m, pair);
            // An overflow can only come from a root so fast that its pair is negligible.
            let Ok(bessel) = besselk_scaled(self.nu, kappa * rho) else { break };
            let power = Complex::from_polar(self.weight(pair), self.power_angle(pair));
            let term = bessel * power * ((slowest - kappa) * rho).exp();
            sum += term;
            if term.norm() < NEGLIGIBLE * sum.norm() {
                break;
            }
        }
        sum
    }

    /// The real root κ = 1 is its own conjugate.
    fn weight(&self, pair: usize) -> f64 {
        if 2 * pair + 1 == self.m { 0.5 } else { 1.0 }
    }
    /// The angle of κ^(ν+2), reduced in integers: θ(ν+2) = π (m−1−2 pair)(d+2) / 4m.
    fn power_angle(&self, pair: usize) -> f64 {
        let quarter_turns = (self.m - 1 - 2 * pair) * (self.dimension + 2) % (8 * self.m);
        PI * quarter_turns as f64 / (4 * self.m) as f64
    }

    /// The phase of e^z K_ν(z), z = κ₀ρ, in the leading uniform expansion.
    fn debye_phase(&self, rho: f64) -> f64 {
        let nu = self.nu.abs();
        let z = self.kappa() * rho;
        let root = (z * z + nu * nu).sqrt();
        let exponent = (root + z).inv() * nu * nu + (z / (root + nu)).ln() * nu;
        -exponent.im - 0.5 * root.arg() + self.power_angle(0)
    }
}

/// κ = e^(iθ), θ = π/2 − φ, φ = π(2 pair + 1)/2m.
fn root(m: usize, pair: usize) -> Complex<f64> {
    let phi = PI * (2 * pair + 1) as f64 / (2 * m) as f64;
    if m == 2 * pair + 1 {
        return Complex::new(1.0, 0.0);
    }
    Complex::new(phi.sin(), phi.cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(form: &ClosedForm, rho: f64) -> f64 {
        (form.amplitude_and_phase(rho) - form.kappa() * rho).exp().re
    }

    #[test]
    fn dimension_one_is_exp_minus_rho() {
        let form = ClosedForm::new(1);
        for rho in [0.1, 1.0, 30.0, 200.0_f64] {
            assert!((value(&form, rho) / (-rho).exp() - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn dimension_three_is_the_damped_sinc() {
        let form = ClosedForm::new(3);
        for rho in [0.5, 4.0, 50.0_f64] {
            let x = rho / 2.0_f64.sqrt();
            let exact = (-x).exp() * x.sin() / x;
            assert!((value(&form, rho) - exact).abs() < 1e-13 * (-x).exp(), "rho = {rho}");
        }
    }

    #[test]
    fn the_asymptotic_series_continues_the_sum() {
        for dimension in [1, 2, 3, 10, 27, 400, 2000] {
            let form = ClosedForm::new(dimension);
            let rho = form.far_start();
            let sum = form.amplitude_and_phase(rho) - form.kappa() * rho;
            let far = form.far_exponent(rho)[0];
            assert!((sum.re - far.re).abs() < 1e-9 * far.re.abs().max(1.0), "{dimension}");
            let turns = (sum.im - far.im) / (2.0 * PI);
            assert!((turns - turns.round()).abs() < 1e-9, "{dimension}: {turns}");
        }
    }

    #[test]
    fn asymptotic_derivatives_match_finite_differences() {
        let form = ClosedForm::new(27);
        let (rho, step) = (1500.0, 0.5);
        let [_, first, second] = form.far_exponent(rho);
        let [below, at, above] = [rho - step, rho, rho + step].map(|r| form.far_exponent(r)[0]);
        assert!(((above - below) / (2.0 * step) - first).norm() < 1e-8);
        assert!(((above - at * 2.0 + below) / (step * step) - second).norm() < 1e-10);
    }

    #[test]
    fn the_phase_has_no_jumps() {
        let form = ClosedForm::new(1555);
        let mut last = form.amplitude_and_phase(780.0).im;
        for step in 1..4000 {
            let phase = form.amplitude_and_phase(780.0 + f64::from(step)).im;
            assert!((phase - last).abs() < 1.0, "step {step}: {last} to {phase}");
            last = phase;
        }
    }
}
