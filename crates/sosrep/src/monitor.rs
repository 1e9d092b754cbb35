//! Progress of long computations, and the way to stop them.

use std::ops::ControlFlow;

use crate::error::{Error, Result};
use crate::parallel;

/// Operations on numbers that a thread does between two reports, about: a fifth of a second.
const OPERATIONS: usize = 1 << 29;

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
///
/// Whatever fits, chooses a bandwidth, integrates or draws comes twice: by its plain name, and as
/// `…_monitored` with a monitor as last argument. Functions of rows alone, such as scores, have
/// none: their results do not depend on how rows are batched, so give the rows in parts.
///
/// ```
/// use std::ops::ControlFlow;
/// use sosrep::{DetectorParams, Error, Points, Progress};
///
/// let rows: Vec<f64> = (0..600).map(|i| (f64::from(i) * 0.754_877).fract()).collect();
/// let points = Points::new(&rows, 2)?;
/// let mut calls = 0;
/// let mut stop_at_the_third = |_: &Progress| {
///     calls += 1;
///     if calls < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// };
/// let fit = DetectorParams::new().fit_monitored(points, None, &mut stop_at_the_third);
/// assert_eq!(fit.err(), Some(Error::Cancelled));
/// # Ok::<(), Error>(())
/// ```
pub type Monitor<'a> = &'a mut dyn FnMut(&Progress) -> ControlFlow<()>;

/// A monitor that never stops anything.
pub fn no_progress(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// How many items of so many operations are worked on by all threads between two reports: at least one
/// each, and at most `most`.
pub(crate) fn items_at_once(operations: usize, most: usize) -> usize {
    let each = (OPERATIONS / operations.max(1)).max(1);
    each.saturating_mul(parallel::threads()).min(most.max(1))
}

/// Reports progress; [`Error::Cancelled`] if the monitor asks to stop.
pub(crate) fn report_progress(
    monitor: Monitor,
    stage: Stage,
    step: usize,
    steps: usize,
) -> Result<()> {
    match monitor(&Progress { stage, step, steps: Some(steps), residual: None }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Cancelled),
    }
}
