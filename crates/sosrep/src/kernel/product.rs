//! The product Sobolev kernel: a tensor product of one-dimensional SDO kernels of order 1.
//!
//! ```text
//! k(x, y) = Π_j exp(−|x_j − y_j| / h) = exp(−q / h),    q = ‖x − y‖₁,   h = b d
//! ∫k = (2h)ᵈ      ∫k² = hᵈ      (k⋆k)(t) / (k⋆k)(0) = Π_j (1 + |t_j|/h) e^(−|t_j|/h)
//! ```
//!
//! Its space has dominating mixed smoothness. Differs from the paper: it is not in it.

use std::f64::consts::LOG2_E;

use crate::lanes::{self, LANES, Number};
use crate::panels::{Queries, Tile};

use super::profile::{Profile, ProfileJet, SignedLog};

/// exp(−q / h).
#[derive(Debug, Clone, Copy)]
pub(super) struct Product {
    d: f64,
    h: f64,
}

impl Product {
    pub(super) fn new(dimension: usize, bandwidth: f64) -> Self {
        let d = dimension as f64;
        Self { d, h: bandwidth * d }
    }

    /// g(q) in the precision of q.
    #[inline(always)]
    pub(super) fn value_in<T: Number>(&self, q: T) -> T {
        q.exp2_minus(T::rounded(LOG2_E / self.h))
    }

    pub(super) fn autoconvolution(&self, x: &[f64], y: &[f64]) -> f64 {
        let ln: f64 = x
            .iter()
            .zip(y)
            .map(|(a, b)| {
                // Beyond 1e6 the factor is 0; at ∞ it would be ∞ − ∞.
                let t = ((a - b).abs() / self.h).min(1e6);
                t.ln_1p() - t
            })
            .sum();
        ln.exp()
    }

    /// Π (1 + t) · exp(−Σ t), column by column. The product could overflow only where Σ t > 600;
    /// the factor is then taken column by column.
    pub(super) fn autoconvolutions(&self, queries: &Queries, panel: &[f64]) -> Tile {
        std::array::from_fn(|query| {
            let mut product = [1.0; LANES];
            let mut sum = [0.0; LANES];
            for (x, points) in queries.columns().iter().zip(panel.as_chunks::<LANES>().0) {
                for lane in 0..LANES {
                    let t = (x[query] - points[lane]).abs() / self.h;
                    product[lane] *= 1.0 + t;
                    sum[lane] += t;
                }
            }
            std::array::from_fn(|lane| {
                if sum[lane] < 600.0 {
                    product[lane] * lanes::exp(-sum[lane])
                } else {
                    let point: Vec<f64> = panel.iter().skip(lane).step_by(LANES).copied().collect();
                    let x: Vec<f64> = queries.columns().iter().map(|x| x[query]).collect();
                    self.autoconvolution(&x, &point)
                }
            })
        })
    }
}

impl Profile for Product {
    fn with_bandwidth(&self, bandwidth: f64) -> Self {
        Self { d: self.d, h: bandwidth * self.d }
    }

    #[inline(always)]
    fn value(&self, q: f64) -> f64 {
        self.value_in(q)
    }

    fn ln_value(&self, q: f64) -> SignedLog {
        SignedLog::positive(-q / self.h)
    }

    #[inline(always)]
    fn relative_jet(&self, _: f64) -> ProfileJet {
        ProfileJet { value: 1.0, slope: -1.0 / self.h, curvature: 1.0 / (self.h * self.h) }
    }

    fn ln_integral(&self) -> f64 {
        self.d * (2.0 * self.h).ln()
    }

    fn ln_square_integral(&self) -> f64 {
        self.d * self.h.ln()
    }
}
