//! The SDO profile at small ρ: its power series.
//!
//! Paper: Section 4, the SDO kernel in integral form. Expanding Λ_d under the integral gives one
//! family of powers; the poles of 1/(1+s²ᵐ)'s Mellin transform give the other.
//!
//! ```text
//! I(ρ) = Σ_k (−1)ᵏ (ρ/2)²ᵏ Γ(d/2) / (k! Γ(d/2+k)) M(d+2k)
//!      − ½ Σ_{l≥1} (−1)ˡ Γ(d/2) Γ(d/2−ml) / Γ(ml) (ρ/2)^(2ml−d)
//! g = I/Z,   Z = M(d),   M(z) = (π/2m) / sin(πz/2m)
//! ```
//!
//! For even d both families have the power 2k = 2ml − d; the pair is replaced by its double pole
//!
//! ```text
//! −½ (−1)ᵏ⁺ˡ Γ(d/2) / (k! Γ(d/2+k)) (ρ/2)²ᵏ [ψ(k+1) + ψ(d/2+k) − 2 ln(ρ/2)]
//! ```
//!
//! Symbols: m = ⌊d/2⌋+1, v = ρ²/d. Coefficients are kept for powers of v.
//!
//! Cost: at most 64 + 64 terms. Numerics: the sum is exact for every ρ, but terms reach e^(v/2)
//! while g falls like e^(−v/2), so it is used for v ≤ 5 only (about 1e-14 is lost there). The
//! result is 1 − g, which is exact to rounding however small ρ is.
//!
//! Differs from the paper: the paper samples the kernel.

use std::f64::consts::PI;

use super::smoothness;

/// Terms of each family that can matter for v ≤ 9 (used to 5, tested to 9).
const TERMS: usize = 64;
/// A term of the second family this much smaller than their sum ends it: they fall from there on.
const NEGLIGIBLE: f64 = 1e-20;
const EULER_GAMMA: f64 = 0.577_215_664_901_532_9;

/// A term `sign · exp(ln_size) · v^power` of the second family (odd d).
#[derive(Debug, Clone)]
struct PowerTerm {
    sign: f64,
    ln_size: f64,
    power: f64,
}

/// A term `factor · vᵏ (constant − ln v)` where both families meet (even d).
#[derive(Debug, Clone)]
struct LogTerm {
    factor: f64,
    power: i32,
    constant: f64,
}

/// Coefficients of the series in one dimension.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    /// Of v¹, v², …
    regular: Vec<f64>,
    powers: Vec<PowerTerm>,
    logs: Vec<LogTerm>,
}

impl Series {
    pub(crate) fn new(dimension: usize) -> Self {
        let (regular, logs) = first_family(dimension);
        let powers = if dimension % 2 == 1 { second_family(dimension) } else { Vec::new() };
        Self { regular, powers, logs }
    }

    /// 1 − g at v = ρ²/d.
    pub(crate) fn deficit(&self, v: f64) -> f64 {
        let ln_v = v.ln();
        let regular = self.regular.iter().rev().fold(0.0, |sum, c| (sum + c) * v);
        let mut powers = 0.0;
        for t in &self.powers {
            let term = t.sign * (t.ln_size + t.power * ln_v).exp();
            powers += term;
            if term.abs() < NEGLIGIBLE * powers.abs() {
                break;
            }
        }
        let logs = self.logs.iter().map(|t| t.factor * v.powi(t.power) * (t.constant - ln_v));
        -(regular + powers + logs.sum::<f64>())
    }
}

/// Coefficients of vᵏ, k ≥ 1, and the terms at which the second family meets them.
fn first_family(dimension: usize) -> (Vec<f64>, Vec<LogTerm>) {
    let (d, m) = (dimension as f64, smoothness(dimension));
    let half = d / 2.0;
    let inverse_z = sine(dimension, m) * 2.0 * m as f64 / PI;
    let (mut regular, mut logs) = (Vec::new(), Vec::new());
    // (−1)ᵏ (d/4)ᵏ Γ(d/2) / (k! Γ(d/2+k))
    let mut bessel = 1.0;
    for k in 1..=TERMS {
        let x = k as f64;
        bessel *= -(d / 4.0) / (x * (half + x - 1.0));
        let poles = (dimension + 2 * k) / (2 * m);
        if !(dimension + 2 * k).is_multiple_of(2 * m) {
            regular.push(bessel * sine(dimension, m) / sine(dimension + 2 * k, m));
            continue;
        }
        regular.push(0.0);
        let alternating = if poles.is_multiple_of(2) { 1.0 } else { -1.0 };
        logs.push(LogTerm {
            factor: -0.5 * alternating * bessel * inverse_z,
            power: k as i32,
            // 2 ln(ρ/2) = ln v + ln(d/4)
            constant: digamma(k + 1) + digamma(dimension / 2 + k) - (d / 4.0).ln(),
        });
    }
    (regular, logs)
}

/// −½ (−1)ˡ Γ(d/2) Γ(d/2−ml) / Γ(ml) (ρ/2)^(2ml−d) / Z for odd d, where by reflection
/// Γ(d/2−ml) = ±π / Γ(1+ml−d/2).
fn second_family(dimension: usize) -> Vec<PowerTerm> {
    let (d, m) = (dimension as f64, smoothness(dimension));
    let ln_z = (PI / (2.0 * m as f64) / sine(dimension, m)).ln();
    (1..=TERMS)
        .map(|l| {
            let ml = (m * l) as f64;
            let power = ml - d / 2.0;
            // sin(π(d/2−ml)) = ±1, and −(−1)ˡ.
            let reflection = if (2 * m * l - dimension) % 4 == 3 { 1.0 } else { -1.0 };
            let alternating = if l.is_multiple_of(2) { -1.0 } else { 1.0 };
            let gammas = if l == 1 {
                ln_half_step_ratio(dimension)
            } else {
                libm::lgamma(d / 2.0) - libm::lgamma(ml)
            };
            let ln_size = gammas + (PI / 2.0).ln() - libm::lgamma(1.0 + power)
                + power * (d / 4.0).ln()
                - ln_z;
            PowerTerm { sign: reflection * alternating, ln_size, power }
        })
        .collect()
}

/// sin(π n / 2m), the multiple of π reduced in integers.
fn sine(n: usize, m: usize) -> f64 {
    let reduced = n % (4 * m);
    let sign = if reduced > 2 * m { -1.0 } else { 1.0 };
    let folded = reduced % (2 * m);
    sign * (PI * folded.min(2 * m - folded) as f64 / (2 * m) as f64).sin()
}

/// ln Γ(d/2)/Γ((d+1)/2) for odd d as a product: a difference of lgammas would lose d·1e-15.
fn ln_half_step_ratio(dimension: usize) -> f64 {
    let product: f64 = (1..dimension).step_by(2).map(|n| n as f64 / (n + 1) as f64).product();
    (product * PI.sqrt()).ln()
}

/// ψ(n) = 1 + 1/2 + … + 1/(n−1) − γ.
fn digamma(n: usize) -> f64 {
    (1..n).rev().map(|i| 1.0 / i as f64).sum::<f64>() - EULER_GAMMA
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimension_one_is_one_minus_exp_minus_rho() {
        let series = Series::new(1);
        for v in [1e-24, 1e-10, 1e-3, 0.5, 4.0, 9.0_f64] {
            let exact = -(-v.sqrt()).exp_m1();
            assert!((series.deficit(v) / exact - 1.0).abs() < 1e-14, "v = {v}");
        }
    }

    #[test]
    fn dimension_three_is_the_damped_sinc() {
        let series = Series::new(3);
        for v in [1e-3, 0.5, 4.0, 9.0_f64] {
            let x = (3.0 * v / 2.0).sqrt();
            let exact = 1.0 - (-x).exp() * x.sin() / x;
            assert!((series.deficit(v) - exact).abs() < 1e-14, "v = {v}");
        }
    }

    #[test]
    fn large_dimensions_neither_overflow_nor_lose_their_leading_term() {
        // d → ∞: g → ∫₁^∞ s⁻² e^(−s²v/2) ds for odd d, so 1 − g ≈ √(πv/2).
        let series = Series::new(9_999);
        let ratio = series.deficit(1e-10) / (PI * 1e-10 / 2.0).sqrt();
        assert!((ratio - 1.0).abs() < 1e-3, "{ratio}");
    }
}
