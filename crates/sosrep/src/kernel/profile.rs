//! What the profile g(q) of a kernel offers: its values, its derivatives and its integrals.
//!
//! Implementing [`Profile`] is most of what a new kernel needs. Where g > 0, value, logarithm and the
//! derivatives over the value are enough; a tabulated profile replaces the methods for eight
//! distances by its own.

use super::jets::ProfileJets;
use crate::lanes::{self, Lanes};

/// g(q) of one kernel, at one dimension and bandwidth.
pub(super) trait Profile {
    /// The same profile at another bandwidth.
    fn with_bandwidth(&self, bandwidth: f64) -> Self;

    /// g(q).
    fn value(&self, q: f64) -> f64;

    /// ln|g(q)| and its sign, without underflow.
    fn ln_value(&self, q: f64) -> SignedLog;

    /// 1, g′/g and g″/g: the derivatives where g itself underflows.
    fn relative_jet(&self, q: f64) -> ProfileJet;

    /// ln ∫ k(x, y) dy.
    fn ln_integral(&self) -> f64;

    /// ln ∫ k(x, y)² dy.
    fn ln_square_integral(&self) -> f64;

    /// g, g′, g″.
    #[inline(always)]
    fn jet(&self, q: f64) -> ProfileJet {
        self.relative_jet(q).times(self.value(q))
    }

    /// g at eight distances.
    #[inline(always)]
    fn values(&self, q: &Lanes) -> Lanes {
        lanes::map(q, |q| self.value(q))
    }

    /// g, g′, g″ at eight distances.
    #[inline(always)]
    fn jets(&self, q: &Lanes) -> ProfileJets {
        let mut jets = ProfileJets::ZERO;
        for (lane, &q) in q.iter().enumerate() {
            jets.set(lane, self.jet(q));
        }
        jets
    }
}

/// A kernel value, its first and its second derivative in the distance q.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ProfileJet {
    pub(crate) value: f64,
    pub(crate) slope: f64,
    pub(crate) curvature: f64,
}

/// ln|k| and the sign of k: a kernel value that cannot underflow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SignedLog {
    pub(crate) ln: f64,
    pub(crate) sign: f64,
}

impl SignedLog {
    /// Of a positive number.
    pub(super) fn positive(ln: f64) -> Self {
        Self { ln, sign: 1.0 }
    }
}

impl ProfileJet {
    /// All three times `factor`.
    #[inline(always)]
    pub(crate) fn times(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            slope: self.slope * factor,
            curvature: self.curvature * factor,
        }
    }

    /// Minus `factor` times another.
    #[inline(always)]
    pub(crate) fn minus(self, factor: f64, other: &Self) -> Self {
        Self {
            value: self.value - factor * other.value,
            slope: self.slope - factor * other.slope,
            curvature: self.curvature - factor * other.curvature,
        }
    }

    /// From derivatives in v = `scale`·q to derivatives in q.
    #[inline(always)]
    pub(crate) fn rescaled(self, scale: f64) -> Self {
        Self {
            value: self.value,
            slope: self.slope * scale,
            curvature: self.curvature * scale * scale,
        }
    }
}
