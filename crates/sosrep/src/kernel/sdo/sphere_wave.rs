//! Λ_d(y): the average of a plane wave over the unit sphere, relatively exact however small.
//!
//! Paper: Section 4, the radial form of the SDO kernel's Fourier integral.
//!
//! ```text
//! Λ_d(y) = Γ(d/2) (2/y)^ν J_ν(y),   ν = d/2 − 1,   Λ_d(0) = 1
//! ln Λ_d(y) = −Σ_k σ_k y²ᵏ/k,   σ₁ = 1/4(ν+1),   σ_n = Σ_{k<n} σ_k σ_{n−k} / (ν+n)
//! ```
//!
//! Symbols: σ_n are Rayleigh's sums over the zeros of J_ν, Σ_i j_{ν,i}^−2n.
//!
//! Cost: 96 multiply-adds below 0.8 j_{ν,1}, where the logarithmic series converges like 0.64ᵏ;
//! one J Bessel function above. The result is `exp(ln_envelope) · factor`: neither part under- or
//! overflows up to d = 10 000.
//!
//! Differs from the paper: nothing to differ from, the paper samples the kernel.

use complex_bessel::besselj;
use nalgebra::Complex;

/// Terms of the logarithmic series.
const TERMS: usize = 96;

/// Λ_d in one dimension.
#[derive(Debug, Clone)]
pub(crate) struct SphereWave {
    nu: f64,
    ln_gamma: f64,
    /// σ_k/k in units of 1/switch², so that none underflows.
    rayleigh: Vec<f64>,
    switch: f64,
}

/// A number as `exp(ln_envelope) · factor`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Enveloped {
    pub(crate) ln_envelope: f64,
    pub(crate) factor: f64,
}

impl SphereWave {
    pub(crate) fn new(dimension: usize) -> Self {
        let nu = dimension as f64 / 2.0 - 1.0;
        let switch = 0.8 * first_zero_below(nu);
        let mut sums = vec![switch * switch / (4.0 * (nu + 1.0))];
        for n in 2..=TERMS {
            let products: f64 = (1..n).map(|k| sums[k - 1] * sums[n - k - 1]).sum();
            sums.push(products / (nu + n as f64));
        }
        let rayleigh = sums.iter().zip(1..).map(|(s, k)| s / f64::from(k)).collect();
        Self { nu, ln_gamma: libm::lgamma(nu + 1.0), rayleigh, switch }
    }

    /// Λ_d(y).
    pub(crate) fn at(&self, y: f64) -> Enveloped {
        if y < self.switch {
            return Enveloped { ln_envelope: self.ln_small(y), factor: 1.0 };
        }
        // J_ν fails only for arguments past 10⁹, where it is as good as 0.
        let bessel = besselj(self.nu, Complex::new(y, 0.0)).map_or(0.0, |j| j.re);
        let ln_envelope = self.ln_gamma + self.nu * (2.0 / y).ln();
        Enveloped { ln_envelope, factor: bessel }
    }

    fn ln_small(&self, y: f64) -> f64 {
        let x = (y / self.switch).powi(2);
        -self.rayleigh.iter().rev().fold(0.0, |sum, c| (sum + c) * x)
    }
}

/// A number just below j_{ν,1}, the first zero of J_ν.
fn first_zero_below(nu: f64) -> f64 {
    if nu < 1.0 {
        // j is π/2, 2.405, π for ν = −½, 0, ½ and concave in ν.
        return std::f64::consts::FRAC_PI_2 * (1.0 + (nu + 0.5));
    }
    // j > ν + 1.8557 ν^(1/3) for ν > 0.
    nu + 1.855 * nu.cbrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(wave: &SphereWave, y: f64) -> f64 {
        let Enveloped { ln_envelope, factor } = wave.at(y);
        ln_envelope.exp() * factor
    }

    #[test]
    fn dimensions_one_and_three_are_the_cosine_and_the_sinc() {
        let (one, three) = (SphereWave::new(1), SphereWave::new(3));
        for y in [1e-3, 0.7, 1.2, 1.5, 2.4, 2.6, 9.0_f64] {
            assert!((value(&one, y) - y.cos()).abs() < 1e-14, "y = {y}");
            assert!((value(&three, y) - y.sin() / y).abs() < 1e-14, "y = {y}");
        }
    }

    #[test]
    fn series_and_bessel_function_agree_at_the_switch() {
        for dimension in [1, 2, 3, 10, 60, 400, 2000, 10_000] {
            let wave = SphereWave::new(dimension);
            let series = wave.at(wave.switch * (1.0 - 1e-15)).ln_envelope;
            let Enveloped { ln_envelope, factor } = wave.at(wave.switch);
            let bessel = ln_envelope + factor.ln();
            let tolerance = 2e-15 * (10.0 + dimension as f64 * 6.0);
            assert!((series - bessel).abs() < tolerance, "{dimension}: {}", series - bessel);
        }
    }
}
