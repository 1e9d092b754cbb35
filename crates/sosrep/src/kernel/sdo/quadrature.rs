//! The SDO profile between its series and its closed form (d > 23): the integral itself.
//!
//! Paper: Section 4, the SDO kernel in integral form, with s = e^u:
//!
//! ```text
//! g(ρ) = (1/Z) ∫ w(u) Λ_d(e^u ρ) du,   w(u) = e^(du) / (1 + e^(2mu)),   Z = (π/2m)/sin(πd/2m)
//!      ≈ (h/Z) Σ_n w(ln yₙ − ln ρ) Λ_d(yₙ),   yₙ = e^(nh)
//! ```
//!
//! Symbols: Λ_d see [`SphereWave`], m = ⌊d/2⌋+1, ν = d/2 − 1.
//!
//! The trapezoidal rule may start anywhere, so the nodes yₙ are the same for every ρ and Λ_d is
//! computed once per node. The integrand is analytic for |Im u| < π/2m; the step h = 0.2/m leaves
//! an error of e^(−2π·π/2mh) = e^−49. Past e^(2mu) = e^45 the weight is e^(−(2m−d)u), and that
//! part of the sum, for every node, comes from one backward recurrence.
//!
//! Cost: building 5 to 20 milliseconds, then about 350 exponentials per ρ.
//! Numerics: for ρ ≤ ν the integrand does not change sign where it matters, and everything is kept
//! relative to Λ_d(ρ): ln g is exact to about 1e-12 even where g is 1e-200.
//!
//! Differs from the paper: the paper draws s from this density at random.

use std::f64::consts::PI;

use super::smoothness;
use super::sphere_wave::{Enveloped, SphereWave};

/// The step of the logarithmic grid is this over m.
const STEP: f64 = 0.2;
/// Integrand, relative to its largest value, below e^−45 is left out.
const LN_NEGLIGIBLE: f64 = 45.0;

/// Λ_d on a logarithmic grid, ready to be integrated against the weight for any ρ in a range.
#[derive(Debug, Clone)]
pub(crate) struct Quadrature {
    d: f64,
    /// 2m − d.
    decay: f64,
    step: f64,
    ln_first: f64,
    nodes: Vec<Enveloped>,
    /// Σ_{j≥n} Λ(y_j) (y_n/y_j)^(2m−d), over the envelope of node n.
    tails: Vec<f64>,
    ln_z: f64,
}

impl Quadrature {
    /// Prepares for ρ from `smallest` to ν.
    pub(crate) fn new(dimension: usize, smallest: f64) -> Self {
        let (d, m) = (dimension as f64, smoothness(dimension) as f64);
        let (nu, decay, step) = (d / 2.0 - 1.0, 2.0 * m - d, STEP / m);
        let wave = SphereWave::new(dimension);
        let ln_first = smallest.ln() - 2.0 * LN_NEGLIGIBLE / d;
        let ln_last = nu.ln() + LN_NEGLIGIBLE / nu;
        let count = ((ln_last - ln_first) / step).ceil() as usize;
        let nodes: Vec<Enveloped> =
            (0..count).map(|n| wave.at((ln_first + n as f64 * step).exp())).collect();
        let tails = backward_sums(&nodes, decay * step);
        let ln_z = (PI / (2.0 * m) / (PI * decay / (2.0 * m)).sin()).ln();
        Self { d, decay, step, ln_first, nodes, tails, ln_z }
    }

    /// ln g(ρ).
    pub(crate) fn ln_value(&self, rho: f64) -> f64 {
        let ln_rho = rho.ln();
        let node_at = |u: f64| {
            (((u + ln_rho - self.ln_first) / self.step).max(0.0) as usize).min(self.nodes.len() - 1)
        };
        let reference = self.nodes[node_at(0.0)].ln_envelope;
        let place = |n: usize| self.ln_first + n as f64 * self.step - ln_rho;
        let scale = |n: usize| self.nodes[n].ln_envelope - reference;

        let (first, far) =
            (node_at(-2.0 * LN_NEGLIGIBLE / self.d), node_at(LN_NEGLIGIBLE / self.d));
        let mut sum = self.tails[far] * (scale(far) - self.decay * place(far)).exp();
        for n in first..far {
            let u = place(n);
            let weight = 1.0 / ((-self.d * u).exp() + (self.decay * u).exp());
            sum += weight * self.nodes[n].factor * scale(n).exp();
        }
        reference + (self.step * sum).ln() - self.ln_z
    }
}

/// tailₙ = factorₙ + tailₙ₊₁ · e^(envelopeₙ₊₁ − envelopeₙ − decay·h).
fn backward_sums(nodes: &[Enveloped], decay_per_step: f64) -> Vec<f64> {
    let mut tails = vec![0.0; nodes.len()];
    let mut sum = 0.0;
    let mut above = f64::NEG_INFINITY;
    for (node, tail) in nodes.iter().zip(&mut tails).rev() {
        if sum != 0.0 {
            sum *= (above - node.ln_envelope - decay_per_step).exp();
        }
        sum += node.factor;
        above = node.ln_envelope;
        *tail = sum;
    }
    tails
}
