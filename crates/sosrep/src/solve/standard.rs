//! Standard-gradient steps: the same objective, differentiated in the coordinates α.
//!
//! Paper: Equation (standard gradient steps in α coordinates), Algorithm "Optimal alphas".
//!
//! ```text
//! α ← α − 2λ [Kα − K (w / (Kα))]
//! ```
//!
//! Its speed depends on the conditioning of K, and it leaves the cone of non-negative functions:
//! kept for comparison. Cost: two products a step. Differs from the paper: none.

use std::ops::ControlFlow;

use super::{State, StepRule};

/// A fixed learning rate λ.
pub(super) struct Fixed {
    pub(super) rate: f64,
}

impl StepRule for Fixed {
    fn step(&mut self, state: &mut State, _: f64) -> ControlFlow<()> {
        let inverse: Vec<f64> = state.w.iter().zip(&state.f).map(|(w, f)| w / f).collect();
        let mut smoothed = vec![0.0; inverse.len()];
        let State { gram, monitor, progress, .. } = state;
        gram.multiply_unless_stopped(&inverse, &mut smoothed, &mut || monitor(progress))?;
        state.products += 1;
        for ((a, f), s) in state.alpha.iter_mut().zip(&state.f).zip(&smoothed) {
            *a -= 2.0 * self.rate * (f - s);
        }
        ControlFlow::Continue(())
    }
}
