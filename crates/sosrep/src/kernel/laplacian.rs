//! The Laplacian (exponential) kernel.
//!
//! ```text
//! k(x, y) = exp(−r / σ),   r = ‖x − y‖,   σ = b √d
//! ∫k = S Γ(d) σᵈ      ∫k² = S Γ(d) (σ/2)ᵈ      S = 2 π^(d/2) / Γ(d/2)
//! k̂(ω) ∝ (1 + σ²ω²)^(−(d+1)/2),  so  k⋆k ∝ (1 + σ²ω²)^(−(d+1)):  a Matérn kernel,
//! (k⋆k)(r) / (k⋆k)(0) = M_{d/2+1}(r/σ),     M_μ(x) = 2^(1−μ) x^μ K_μ(x) / Γ(μ)
//! ```
//!
//! M is found by its upward recurrence M_{μ+1} = M_μ + x² M_{μ−1} / (4 μ (μ−1)), whose terms are
//! all positive, so nothing cancels at any order: d/2 steps. The normaliser needs it for all pairs of
//! rows, so ln M + x, which is smooth at any x, is tabulated on first use.
//!
//! Differs from the paper: scaled to k(x, x) = 1, σ counted per column.

use std::f64::consts::LOG2_E;
use std::sync::{Arc, OnceLock};

use complex_bessel::besselk_scaled;
use nalgebra::Complex;

use crate::lanes::{self, Number};

use super::ln_sphere;
use super::profile::{Profile, ProfileJet, SignedLog};
use super::radial_table::{RadialTable, Split};

/// M is 1 to rounding for x below.
const SMALLEST: f64 = 1e-8;

/// exp(−√q / σ).
#[derive(Debug, Clone)]
pub(super) struct Laplacian {
    dimension: usize,
    sigma: f64,
    /// x² ↦ ln M(x) + x, the same for all bandwidths.
    matern: Arc<OnceLock<RadialTable>>,
}

impl Laplacian {
    pub(super) fn new(dimension: usize, bandwidth: f64) -> Self {
        Self { dimension, sigma: sigma(dimension, bandwidth), matern: Arc::default() }
    }

    pub(super) fn autoconvolution(&self, q: f64) -> f64 {
        let table = self.matern.get_or_init(|| tabulate(self.dimension + 2));
        let x = q.sqrt() / self.sigma;
        if x < SMALLEST {
            1.0
        } else if x * x < table.end() {
            lanes::exp(table.value(x * x) - x)
        } else {
            0.0
        }
    }
}

impl Profile for Laplacian {
    fn with_bandwidth(&self, bandwidth: f64) -> Self {
        Self { sigma: sigma(self.dimension, bandwidth), ..self.clone() }
    }

    #[inline(always)]
    fn value(&self, q: f64) -> f64 {
        q.sqrt().exp2_minus(LOG2_E / self.sigma)
    }

    fn ln_value(&self, q: f64) -> SignedLog {
        SignedLog::positive(-q.sqrt() / self.sigma)
    }

    /// Zero at the kink.
    #[inline(always)]
    fn relative_jet(&self, q: f64) -> ProfileJet {
        if q == 0.0 {
            return ProfileJet { value: 1.0, slope: 0.0, curvature: 0.0 };
        }
        let rate = 1.0 / (2.0 * self.sigma * q.sqrt());
        ProfileJet { value: 1.0, slope: -rate, curvature: rate * rate + rate / (2.0 * q) }
    }

    fn ln_integral(&self) -> f64 {
        let d = self.dimension as f64;
        ln_sphere(self.dimension) + libm::lgamma(d) + d * self.sigma.ln()
    }

    fn ln_square_integral(&self) -> f64 {
        self.ln_integral() - self.dimension as f64 * std::f64::consts::LN_2
    }
}

fn sigma(dimension: usize, bandwidth: f64) -> f64 {
    bandwidth * (dimension as f64).sqrt()
}

/// x² ↦ ln M_{twice/2}(x) + x, up to where M vanishes.
fn tabulate(twice: usize) -> RadialTable {
    let mut last = 1.0;
    while ln_matern(twice, last) > f64::MIN_POSITIVE.ln() {
        last *= 2.0;
    }
    let value = |v: f64| Split { base: 0.0, deviation: ln_matern(twice, v.sqrt()) + v.sqrt() };
    RadialTable::build(SMALLEST * SMALLEST / 2.0, last * last, 0.0, value)
}

/// ln M_{twice/2}(x), with M the Matérn kernel of smoothness `twice`/2 ≥ 3/2.
fn ln_matern(twice: usize, x: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    // The first two orders, times e^x.
    let (mut mu, mut previous, mut current) = if twice.is_multiple_of(2) {
        let k = |order: f64| match besselk_scaled(order, Complex::new(x, 0.0)) {
            Ok(value) => value.re,
            // K overflows only for x so small that M is 1 to rounding.
            Err(_) => f64::INFINITY,
        };
        let m_1 = x * k(1.0);
        if !m_1.is_finite() {
            return 0.0;
        }
        (2.0, m_1, 0.5 * x * x * k(0.0) + m_1)
    } else {
        (1.5, 1.0, 1.0 + x)
    };
    let mut ln_scale = 0.0;
    while 2.0 * mu < twice as f64 {
        (previous, current) = (current, current + x * x * previous / (4.0 * mu * (mu - 1.0)));
        mu += 1.0;
        // e^x M may overflow where M does not.
        if current > 1e200 {
            ln_scale += current.ln();
            (previous, current) = (previous / current, 1.0);
        }
    }
    current.ln() + ln_scale - x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matern(twice: usize, x: f64) -> f64 {
        ln_matern(twice, x).exp()
    }

    #[test]
    fn the_table_is_the_recurrence() {
        for dimension in [1, 2, 3, 20, 21, 500, 2000] {
            let laplacian = Laplacian::new(dimension, 1.0 / (dimension as f64).sqrt());
            for step in -120..60 {
                let x = 10_f64.powf(f64::from(step) / 12.0);
                let exact = ln_matern(dimension + 2, x);
                let found = laplacian.autoconvolution(x * x);
                // x and ln M + x are rounded at 1e-16 of their size, exp multiplies that by it.
                let tolerance = 1e-13 + 1e-15 * x;
                let small = exact < -700.0 && found < 1e-300;
                assert!(
                    small || (found.ln() - exact).abs() < tolerance,
                    "d = {dimension}, x = {x}"
                );
            }
        }
    }

    #[test]
    fn matern_matches_its_closed_forms() {
        for x in [1e-9_f64, 0.01, 0.5, 3.0, 40.0] {
            let three_halves = (1.0 + x) * (-x).exp();
            let five_halves = (1.0 + x + x * x / 3.0) * (-x).exp();
            assert!((matern(3, x) / three_halves - 1.0).abs() < 1e-12);
            assert!((matern(5, x) / five_halves - 1.0).abs() < 1e-12);
        }
    }

    /// For large orders the kernel tends to exp(−x² / 4μ).
    #[test]
    fn matern_of_large_order_is_nearly_gaussian_at_any_argument() {
        for (twice, x) in [(20_000, 50.0), (200_000, 400.0), (200_000, 800.0)] {
            let gaussian = (-x * x / (2.0 * f64::from(twice))).exp();
            assert!((matern(twice as usize, x) / gaussian - 1.0).abs() < 0.01, "{twice}/2 at {x}");
        }
    }

    #[test]
    fn matern_of_integer_order_lies_between_its_neighbours() {
        for x in [0.1, 1.0, 5.0] {
            for twice in [4, 6, 40, 400] {
                let (below, at, above) =
                    (matern(twice - 1, x), matern(twice, x), matern(twice + 1, x));
                assert!(below < at && at < above, "order {twice}/2 at {x}: {below} {at} {above}");
            }
        }
    }
}
