//! The Gaussian kernel.
//!
//! ```text
//! k(x, y) = exp(−q / 2σ²),   q = ‖x − y‖²,   σ = b √d
//! ∫k = (2πσ²)^(d/2)     ∫k² = (πσ²)^(d/2)     (k⋆k)(t) / (k⋆k)(0) = exp(−‖t‖² / 4σ²)
//! ```
//!
//! Differs from the paper: scaled to k(x, x) = 1, σ counted per column.

use std::f64::consts::{LOG2_E, PI};

use crate::lanes::Number;

use super::profile::{Profile, ProfileJet, SignedLog};

/// exp(−q / 2σ²).
#[derive(Debug, Clone, Copy)]
pub(super) struct Gaussian {
    d: f64,
    sigma_squared: f64,
}

impl Gaussian {
    pub(super) fn new(dimension: usize, bandwidth: f64) -> Self {
        let d = dimension as f64;
        Self { d, sigma_squared: bandwidth * bandwidth * d }
    }

    pub(super) fn autoconvolution(&self, q: f64) -> f64 {
        q.exp2_minus(LOG2_E / (4.0 * self.sigma_squared))
    }
}

impl Profile for Gaussian {
    fn with_bandwidth(&self, bandwidth: f64) -> Self {
        Self { d: self.d, sigma_squared: bandwidth * bandwidth * self.d }
    }

    #[inline(always)]
    fn value(&self, q: f64) -> f64 {
        q.exp2_minus(LOG2_E / (2.0 * self.sigma_squared))
    }

    fn ln_value(&self, q: f64) -> SignedLog {
        SignedLog::positive(-q / (2.0 * self.sigma_squared))
    }

    #[inline(always)]
    fn relative_jet(&self, _: f64) -> ProfileJet {
        let rate = 1.0 / (2.0 * self.sigma_squared);
        ProfileJet { value: 1.0, slope: -rate, curvature: rate * rate }
    }

    fn ln_integral(&self) -> f64 {
        0.5 * self.d * (2.0 * PI * self.sigma_squared).ln()
    }

    fn ln_square_integral(&self) -> f64 {
        0.5 * self.d * (PI * self.sigma_squared).ln()
    }
}
