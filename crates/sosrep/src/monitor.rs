//! How long work tells where it is and is asked to stop.

use std::ops::ControlFlow;

use crate::error::{Error, Result};

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// The kernel matrix is computed.
    Kernel,
    /// The coefficients are solved for.
    Solve,
    /// They are solved for again, on the densest rows.
    Refit,
    /// Bandwidths are tried.
    Tune,
    /// The training rows are scored.
    Score,
    /// The integral of the density is found.
    Normalize,
    /// Rows are drawn.
    Sample,
}

/// Where a long computation is.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Steps done in this stage.
    pub step: usize,
    /// Steps in all, where known beforehand.
    pub steps: Option<usize>,
    /// Residual of the solver, where there is one.
    pub residual: Option<f64>,
}

/// Receives progress; returning [`ControlFlow::Break`] stops the work.
pub type Monitor<'a> = &'a mut dyn FnMut(&Progress) -> ControlFlow<()>;

/// A monitor that never stops anything.
pub fn no_progress(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Tells the monitor, and turns its wish to stop into [`Error::Cancelled`].
pub(crate) fn tell(monitor: Monitor, stage: Stage, step: usize, steps: usize) -> Result<()> {
    match monitor(&Progress { stage, step, steps: Some(steps), residual: None }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Cancelled),
    }
}
