//! Natural-gradient steps.
//!
//! Paper: Equation (natural gradient steps in α coordinates), Proposition "NgPosCone".
//!
//! ```text
//! α ← α − 2λ [α − w / (Kα)]
//! ```
//!
//! Near the optimum the relative error δ = (α − α*) / α* obeys δ ← δ − 2λ (I + P) δ with
//! P = diag(w)⁻¹ diag(α) K diag(α). P has row sums 1 and is similar to a positive semidefinite
//! matrix, so for non-negative kernels the spectrum of I + P lies in [1, 2] whatever the bandwidth
//! and however ill-conditioned K is. That gives the step size:
//!
//! - λ = 1/3 contracts by 1/3 a step;
//! - the heavy-ball method on a spectrum [μ, L] = [1, 2], 2λ = 4 / (√L + √μ)² and momentum
//!   β = ((√L − √μ) / (√L + √μ))², contracts by (√2−1) / (√2+1) = 0.172 a step for the same cost.
//!
//! Far from the optimum the geometric step α ← √(α · w / (Kα)) halves the logarithmic error.
//!
//! Numerics: SDO kernels have a few negative values, so (Kα)_i may be ≤ 0 on the way; the automatic
//! rule floors it at 5 % of the row's own share α_i k(x_i, x_i). The floor never binds for
//! non-negative kernels, nor at the optimum. A sampled kernel with too few features has many
//! negative values: P then leaves [0, 1] and the steps above may not settle. When the residual has
//! not improved for a while, the rule falls back to plain natural gradients whose size is halved
//! until the objective falls, which always ends in a stationary point.
//!
//! The fixed step has neither floor nor fallback: it is the paper's.
//!
//! Differs from the paper: the automatic rule; the released program takes 30 000 steps of λ = 0.01.

use std::ops::ControlFlow;

use super::{State, StepRule};

/// Floor of (Kα)_i as a share of α_i k(x_i, x_i).
pub(crate) const FLOOR: f64 = 0.05;

/// The residual below which the linear analysis holds.
const NEAR: f64 = 0.5;

/// 2λ = 4 / (√2 + 1)².
pub(crate) const STEP: f64 = 0.686_291_501_015_239_3;

/// β = ((√2 − 1) / (√2 + 1))².
pub(crate) const MOMENTUM: f64 = 0.029_437_251_522_859_414;

/// Steps without a better residual before the fallback.
const PATIENCE: usize = 8;

/// Geometric steps far away, heavy ball nearby, descent if neither settles.
pub(super) struct Automatic {
    /// α of the step before, once nearby.
    previous: Option<Vec<f64>>,
    best: f64,
    since_best: usize,
    descent: Option<Descent>,
}

impl Automatic {
    pub(super) fn new() -> Self {
        Self { previous: None, best: f64::INFINITY, since_best: 0, descent: None }
    }

    fn geometric_step(&mut self, state: &mut State) {
        self.previous = None;
        let step = |(i, &a): (usize, &f64)| (a * floored_target(state, i)).max(0.0).sqrt();
        state.alpha = state.alpha.iter().enumerate().map(step).collect();
    }

    fn heavy_ball_step(&mut self, state: &mut State) {
        let previous = self.previous.take().unwrap_or_else(|| state.alpha.clone());
        let step = |(i, (&a, &before)): (usize, (&f64, &f64))| {
            a + STEP * (floored_target(state, i) - a) + MOMENTUM * (a - before)
        };
        let next = state.alpha.iter().zip(&previous).enumerate().map(step).collect();
        self.previous = Some(std::mem::replace(&mut state.alpha, next));
    }
}

/// w_i / (Kα)_i with the floor.
fn floored_target(state: &State, i: usize) -> f64 {
    let f = state.f[i].max(FLOOR * state.alpha[i] * state.gram.diagonal(i));
    if state.w[i] > 0.0 { state.w[i] / f } else { 0.0 }
}

impl StepRule for Automatic {
    fn step(&mut self, state: &mut State, residual: f64) -> ControlFlow<()> {
        if residual < self.best {
            (self.best, self.since_best) = (residual, 0);
        } else {
            self.since_best += 1;
        }
        if self.descent.is_none() && self.since_best >= PATIENCE {
            self.descent = Some(Descent::from(state, residual));
        }
        match &mut self.descent {
            Some(descent) => descent.step(state, residual),
            None if residual > NEAR => self.geometric_step(state),
            None => self.heavy_ball_step(state),
        }
        ControlFlow::Continue(())
    }

    fn may_stall(&self) -> bool {
        self.descent.as_ref().is_some_and(|descent| descent.rate < 1e-12)
    }

    fn settle(&mut self, state: &mut State) {
        let better = |descent: &Descent| descent.objective < state.objective();
        if let Some(descent) = self.descent.take().filter(better) {
            (state.alpha, state.f) = (descent.alpha, descent.f);
        }
    }
}

/// α ← α − r [α − w / (Kα)] with r halved until the objective falls, or until the residual does
/// where the objective is level to rounding.
struct Descent {
    /// The best point so far: where the next step starts.
    alpha: Vec<f64>,
    f: Vec<f64>,
    objective: f64,
    residual: f64,
    rate: f64,
}

impl Descent {
    fn from(state: &State, residual: f64) -> Self {
        let (alpha, f) = (state.alpha.clone(), state.f.clone());
        Self { alpha, f, objective: state.objective(), residual, rate: STEP }
    }

    fn step(&mut self, state: &mut State, residual: f64) {
        let objective = state.objective();
        let rounding = 1e-13 * self.objective.abs().max(1.0);
        let falls = objective < self.objective - rounding;
        let level = objective <= self.objective + rounding;
        if falls || (level && residual < self.residual) {
            self.alpha.clone_from(&state.alpha);
            self.f.clone_from(&state.f);
            (self.objective, self.residual) = (objective, residual);
            self.rate = (2.0 * self.rate).min(STEP);
        } else {
            self.rate *= 0.5;
        }
        for (i, alpha) in state.alpha.iter_mut().enumerate() {
            *alpha = self.alpha[i] + self.rate * (state.w[i] / self.f[i] - self.alpha[i]);
        }
    }
}

/// α ← (1 − 2λ) α + 2λ w / (Kα).
pub(super) struct Fixed {
    pub(super) rate: f64,
}

impl StepRule for Fixed {
    fn step(&mut self, state: &mut State, _: f64) -> ControlFlow<()> {
        let rate = 2.0 * self.rate;
        let rows = state.alpha.iter_mut().zip(&state.f).zip(state.w);
        for ((a, f), w) in rows.filter(|(_, w)| **w > 0.0) {
            *a -= rate * (*a - w / f);
        }
        ControlFlow::Continue(())
    }
}
