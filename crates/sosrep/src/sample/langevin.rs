//! The Metropolis-adjusted Langevin algorithm: a chain that converges to a density.
//!
//! ```text
//! proposal    y = x + (ε²/2) s(x) + ε ξ,      s = ∇log p = 2∇f/f,   ξ normal
//! accept with probability  min(1, p(y) q(x|y) / (p(x) q(y|x))),   q(y|x) ∝ e^(−‖y − x − (ε²/2) s(x)‖² / 2ε²)
//! ```
//!
//! Only ratios of p appear, so no normaliser is needed. Every chain starts at a row of the data:
//! many short chains see all clusters where one long chain would stay in one. The step size is
//! learned in the first half of the burn-in (target acceptance 0.574) and then fixed: where a chain
//! that learns stands depends on what it has learned, and the second half, a proper Markov chain,
//! forgets it.
//!
//! Cost: one evaluation of f and ∇f, n·d, a step.

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::SampleParams;
use crate::density::Density;
use crate::points::Points;
use crate::random::{Generator, stream};

/// The acceptance rate at which Langevin proposals mix fastest in high dimension.
const TARGET_ACCEPTANCE: f64 = 0.574;

impl SampleParams {
    /// A chain after its burn-in.
    pub(super) fn start_chain(&self, density: &Density, starts: Points, chain: u64) -> Chain {
        let mut rng = stream(self.seed, chain);
        let start = starts.row(rng.random_range(0..starts.rows()));
        let mut state = Langevin { here: Place::new(density, start.to_vec()), step: self.step };
        let learning = self.burn_in / 2;
        let mut ln_steps = Vec::with_capacity(learning);
        for t in 0..learning {
            let accepted = state.advance(density, &mut rng).probability;
            // Robbins–Monro on the logarithm of the step.
            state.step *= ((accepted - TARGET_ACCEPTANCE) / (1.0 + t as f64).sqrt()).exp();
            ln_steps.push(state.step.ln());
        }
        // The mean of the later ones: a single one is as noisy as a few proposals are.
        let later = &ln_steps[learning / 2..];
        if !later.is_empty() {
            state.step = (later.iter().sum::<f64>() / later.len() as f64).exp();
        }
        for _ in learning..self.burn_in {
            state.advance(density, &mut rng);
        }
        Chain { rng, state, draws: 0, values: Vec::new(), accepted: 0, steps: 0 }
    }

    /// Goes on until the chain has given `draws`.
    pub(super) fn continue_chain(&self, density: &Density, chain: &mut Chain, draws: usize) {
        while chain.draws < draws {
            for _ in 0..self.thin {
                let moved = chain.state.advance(density, &mut chain.rng).moved;
                chain.accepted += usize::from(moved);
                chain.steps += 1;
            }
            chain.values.extend_from_slice(&chain.state.here.x);
            chain.draws += 1;
        }
    }
}

/// A chain and what it has given.
pub(super) struct Chain {
    rng: Generator,
    state: Langevin,
    draws: usize,
    pub(super) values: Vec<f64>,
    pub(super) accepted: usize,
    pub(super) steps: usize,
}

/// A point with what the algorithm needs to know of the density there.
struct Place {
    x: Vec<f64>,
    log_density: f64,
    score: Vec<f64>,
}

impl Place {
    fn new(density: &Density, x: Vec<f64>) -> Self {
        let jet = density.jet_unchecked(&x);
        Self { log_density: jet.log_pre_density(), score: jet.score_function(), x }
    }

    /// log q(y|x) without its constant, for the proposal from here.
    fn log_proposal(&self, y: &[f64], step: f64) -> f64 {
        let drift = 0.5 * step * step;
        let terms = y.iter().zip(&self.x).zip(&self.score);
        -terms.map(|((y, x), s)| (y - x - drift * s).powi(2)).sum::<f64>() / (2.0 * step * step)
    }
}

struct Langevin {
    here: Place,
    step: f64,
}

struct Advance {
    probability: f64,
    moved: bool,
}

impl Langevin {
    fn advance(&mut self, density: &Density, rng: &mut Generator) -> Advance {
        let drift = 0.5 * self.step * self.step;
        let proposal: Vec<f64> = self
            .here
            .x
            .iter()
            .zip(&self.here.score)
            .map(|(x, s)| {
                let noise: f64 = StandardNormal.sample(rng);
                x + drift * s + self.step * noise
            })
            .collect();
        let uniform: f64 = rng.random();
        if proposal.iter().any(|y| !y.is_finite()) {
            return Advance { probability: 0.0, moved: false };
        }
        let there = Place::new(density, proposal);
        let log_ratio = there.log_density - self.here.log_density
            + there.log_proposal(&self.here.x, self.step)
            - self.here.log_proposal(&there.x, self.step);
        // A score that is not finite (f = 0) makes the ratio NaN: refused.
        let probability = if log_ratio.is_nan() { 0.0 } else { log_ratio.min(0.0).exp() };
        let moved = uniform < probability;
        if moved {
            self.here = there;
        }
        Advance { probability, moved }
    }
}

/// n / (1 + 2 Σ ρ_t), the autocorrelations averaged over chains and summed while pairs of them stay
/// positive (Geyer's initial positive sequence). Deviations are taken from the overall mean, so
/// that chains stuck in different places do not look well mixed.
pub(super) fn effective_sample_size(series: &[Vec<f64>]) -> f64 {
    let total: usize = series.iter().map(Vec::len).sum();
    let mean = series.iter().flatten().sum::<f64>() / total as f64;
    let covariance = |lag: usize| {
        let products = series.iter().map(|s| {
            s.iter().zip(s.iter().skip(lag)).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>()
        });
        products.sum::<f64>() / total as f64
    };
    let variance = covariance(0);
    if variance == 0.0 {
        return 1.0;
    }
    let longest = series.iter().map(Vec::len).max().unwrap_or(0);
    let mut sum = 0.0;
    for lag in (1..longest.saturating_sub(1)).step_by(2) {
        let pair = (covariance(lag) + covariance(lag + 1)) / variance;
        if pair <= 0.0 {
            break;
        }
        sum += pair;
    }
    (total as f64 / (1.0 + 2.0 * sum)).min(total as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x ← ρx + noise has autocorrelations ρᵗ, so the effective size of n draws is n (1−ρ)/(1+ρ).
    #[test]
    fn the_effective_size_of_an_autoregression_is_known() {
        let mut rng = stream(1, 0);
        for rho in [0.0, 0.5, 0.9_f64] {
            let series: Vec<Vec<f64>> = (0..4)
                .map(|_| {
                    let mut x = 0.0;
                    let mut next = || {
                        let noise: f64 = StandardNormal.sample(&mut rng);
                        x = rho * x + noise;
                        x
                    };
                    (0..20_000).map(|_| next()).collect()
                })
                .collect();
            let expected = 80_000.0 * (1.0 - rho) / (1.0 + rho);
            let found = effective_sample_size(&series);
            // Autocorrelations of 80 000 values are known to about a percent.
            assert!((found / expected - 1.0).abs() < 0.1, "ρ = {rho}: {found}, not {expected}");
        }
    }
}
