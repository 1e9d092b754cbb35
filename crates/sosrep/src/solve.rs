//! The optimal coefficients α: minimises the SOSREP objective over f = Σ_i α_i k(x_i, ·).
//!
//! Paper: Section 3, Lemma "Gradients", Lemma "minimization props".
//!
//! ```text
//! L(α) = αᵀKα − Σ_i w_i log (Kα)_i²           w_i > 0, Σ w_i = 1
//! natural gradient    2 [α − w / (Kα)]
//! standard gradient   2 [Kα − K (w / (Kα))]
//! at the optimum      α_i (Kα)_i = w_i  for every i,  hence  ‖f‖²_H = αᵀKα = 1
//! ```
//!
//! The residual max_i |α_i (Kα)_i / w_i − 1| is the convergence test: it has no scale.
//!
//! Cost: one product with K a step (two for the standard gradient). Rows of weight zero keep
//! α = 0 and do not count in the residual.
//!
//! Differs from the paper: the default step needs no learning rate (see [`Solver::Natural`]); the
//! paper's fixed steps are [`Solver::NaturalStep`] and [`Solver::StandardStep`]. The paper's
//! algorithm box prints the standard gradient where its text means the natural one; both are here.

mod natural;
mod standard;

pub(crate) use natural::FLOOR;

use std::ops::ControlFlow;

use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, positive};
use crate::gram::KernelProduct;
use crate::monitor::{Monitor, Progress, Stage, no_progress};
use crate::parameter::{Parameter, null_as_nan};
use crate::points::{Weights, expect_finite, expect_length};
use crate::random::generator;

const TOLERANCE: &str = "zero or positive";
const MAX_ITERATIONS: &str = "a whole number, zero or more";

/// How α moves.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Solver {
    /// Natural gradient whose step size follows from the problem: about ten products with K
    /// whatever the bandwidth. The default.
    #[default]
    Natural,
    /// Natural gradient with a fixed learning rate λ, as in the paper. The cone of non-negative
    /// functions is kept for λ < ½ and non-negative kernels.
    NaturalStep(
        /// λ > 0. The released program has 0.01.
        f64,
    ),
    /// Standard gradient in α with a fixed learning rate λ.
    StandardStep(
        /// λ > 0; must stay below about 1 / ‖K‖ for stability.
        f64,
    ),
}

/// Where α starts.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Start {
    /// α = w / √(Kw): exact when the kernel matrix has equal row sums. The default.
    #[default]
    RowSums,
    /// |N(0, 1)| for every row, as in the paper.
    Random {
        /// Seed of the generator.
        seed: u64,
    },
    /// Given coefficients, one per row.
    Given(Vec<f64>),
}

/// What to do and when to stop.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SolveOptions {
    /// How α moves. Default [`Solver::Natural`].
    pub solver: Solver,
    /// Where α starts. Default [`Start::RowSums`].
    pub start: Start,
    /// Stop once the residual is at most this. Default 1e-6: the relative error of a density value
    /// is of that order, far below the noise of any sample.
    pub tolerance: f64,
    /// Stop after this many steps. Default 1000; the default solver needs about ten.
    pub max_iterations: usize,
    /// Keep residual and objective of every step in the report. Default no.
    pub history: bool,
}

impl Default for SolveOptions {
    fn default() -> Self {
        Self {
            solver: Solver::default(),
            start: Start::default(),
            tolerance: 1e-6,
            max_iterations: 1000,
            history: false,
        }
    }
}

impl SolveOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How α moves. Default [`Solver::Natural`].
    pub fn solver(mut self, solver: Solver) -> Self {
        self.solver = solver;
        self
    }

    /// Where α starts. Default [`Start::RowSums`].
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// The residual to stop at, zero or positive. Default 1e-6.
    pub fn tolerance(mut self, residual: f64) -> Self {
        self.tolerance = residual;
        self
    }

    /// The most steps, zero or more. Default 1000.
    pub fn max_iterations(mut self, steps: usize) -> Self {
        self.max_iterations = steps;
        self
    }

    /// Whether the report keeps residual and objective of every step. Default no.
    pub fn history(mut self, keep: bool) -> Self {
        self.history = keep;
        self
    }

    /// The options that every interface shows.
    pub(crate) fn parameters(&self) -> [Parameter; 2] {
        [
            Parameter::new("tolerance", &self.tolerance, TOLERANCE),
            Parameter::new("max_iterations", &self.max_iterations, MAX_ITERATIONS),
        ]
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.tolerance.is_nan() || self.tolerance < 0.0 {
            return Err(Error::parameter("tolerance", self.tolerance, TOLERANCE));
        }
        match self.solver {
            Solver::Natural => Ok(()),
            Solver::NaturalStep(step) | Solver::StandardStep(step) => {
                positive("learning_rate", step).map(|_| ())
            }
        }
    }
}

/// Why the solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StopReason {
    /// The residual reached the tolerance.
    Converged,
    /// The number of steps ran out.
    MaxIterations,
    /// The residual no longer falls: rounding, or a kernel too far from positive.
    Stalled,
    /// α is no longer finite: the learning rate is too large.
    Diverged,
    /// The caller asked to stop.
    Cancelled,
}

/// One step, as kept in the history.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepRecord {
    /// max_i |α_i (Kα)_i / w_i − 1|.
    #[serde(deserialize_with = "null_as_nan")]
    pub residual: f64,
    /// αᵀKα − Σ w_i log (Kα)_i².
    #[serde(deserialize_with = "null_as_nan")]
    pub objective: f64,
}

/// How a fit went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FitReport {
    /// Steps taken.
    pub iterations: usize,
    /// Products with K used, the start included.
    pub products: usize,
    /// Why it stopped.
    pub stop: StopReason,
    /// max_i |α_i (Kα)_i / w_i − 1| at the end.
    #[serde(deserialize_with = "null_as_nan")]
    pub residual: f64,
    /// αᵀKα − Σ w_i log (Kα)_i² at the end.
    #[serde(deserialize_with = "null_as_nan")]
    pub objective: f64,
    /// ‖f‖²_H = αᵀKα; 1 at the optimum.
    #[serde(deserialize_with = "null_as_nan")]
    pub norm_squared: f64,
    /// Share of rows with f(x_i) < 0.
    #[serde(deserialize_with = "null_as_nan")]
    pub negative_fraction: f64,
    /// Every step, start first, if asked for.
    pub history: Vec<StepRecord>,
}

/// The result of [`solve`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// Coefficients, one per row.
    pub alpha: Vec<f64>,
    /// f(x_i) = (Kα)_i.
    pub values: Vec<f64>,
    /// How it went.
    pub report: FitReport,
}

/// The problem and where the solver is in it.
struct State<'a> {
    gram: &'a dyn KernelProduct,
    w: &'a [f64],
    alpha: Vec<f64>,
    /// Kα.
    f: Vec<f64>,
    products: usize,
    monitor: Monitor<'a>,
    /// What the monitor is told while a product is computed.
    progress: Progress,
}

impl State<'_> {
    fn residual(&self) -> f64 {
        let each = self.alpha.iter().zip(&self.f).zip(self.w);
        each.filter(|(_, w)| **w > 0.0)
            .map(|((a, f), w)| (a * f / w - 1.0).abs())
            .fold(0.0, nan_max)
    }

    fn norm_squared(&self) -> f64 {
        self.alpha.iter().zip(&self.f).map(|(a, f)| a * f).sum()
    }

    fn objective(&self) -> f64 {
        let each = self.f.iter().zip(self.w).filter(|(_, w)| **w > 0.0);
        self.norm_squared() - each.map(|(f, w)| w * (f * f).ln()).sum::<f64>()
    }

    fn record(&self) -> StepRecord {
        StepRecord { residual: self.residual(), objective: self.objective() }
    }

    /// f = Kα; as it was if the monitor breaks off.
    fn multiply(&mut self) -> ControlFlow<()> {
        let Self { gram, alpha, f, monitor, progress, .. } = self;
        gram.multiply_unless_stopped(alpha, f, &mut || monitor(progress))?;
        self.products += 1;
        ControlFlow::Continue(())
    }
}

/// The larger of two, NaN if either is: `f64::max` would hide a NaN.
fn nan_max(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// Finds α for the given kernel matrix and weights.
///
/// ```
/// use sosrep::{Points, Weights};
/// use sosrep::gram::{DEFAULT_MEMORY, Gram};
/// use sosrep::kernel::{Kernel, KernelKind};
/// use sosrep::solve::{SolveOptions, solve};
///
/// let kernel = Kernel::new(&KernelKind::Gaussian, 1, 0.5)?;
/// let points = Points::new(&[0.0, 0.1, 0.3, 2.0], 1)?;
/// let gram = Gram::new(&kernel, points, DEFAULT_MEMORY)?;
/// let solution = solve(&gram, &Weights::equal(4), &SolveOptions::new())?;
/// // At the optimum α_i f(x_i) = w_i and ‖f‖ = 1.
/// assert!((solution.alpha[2] * solution.values[2] - 0.25).abs() < 1e-6);
/// assert!((solution.report.norm_squared - 1.0).abs() < 1e-6);
/// # Ok::<(), sosrep::Error>(())
/// ```
///
/// # Errors
/// Options outside their domain, or weights or a start of the wrong length. Not converging is
/// not an error: see [`FitReport::stop`].
pub fn solve(
    gram: &dyn KernelProduct,
    weights: &Weights,
    options: &SolveOptions,
) -> Result<Solution> {
    solve_monitored(gram, weights, options, &mut no_progress)
}

/// As [`solve`], with progress. If the monitor asks to stop, the coefficients so far are returned
/// with [`StopReason::Cancelled`].
///
/// # Errors
/// As [`solve`], and [`Error::Cancelled`] before there are any.
pub fn solve_monitored(
    gram: &dyn KernelProduct,
    weights: &Weights,
    options: &SolveOptions,
    monitor: Monitor,
) -> Result<Solution> {
    options.check()?;
    expect_length("weights", weights.as_slice(), gram.rows())?;
    let mut state = start(gram, weights.as_slice(), &options.start, monitor)?;
    let mut rule: Box<dyn StepRule> = match options.solver {
        Solver::Natural => Box::new(natural::Automatic::new()),
        Solver::NaturalStep(rate) => Box::new(natural::Fixed { rate }),
        Solver::StandardStep(rate) => Box::new(standard::Fixed { rate }),
    };
    let mut history = Vec::new();
    let mut watch = StallWatch::default();
    let mut iterations = 0;
    let stop = loop {
        let residual = state.residual();
        if options.history {
            history.push(state.record());
        }
        if let Some(reason) = watch.reason(residual, iterations, options, rule.may_stall()) {
            break reason;
        }
        state.progress = Progress { step: iterations, residual: Some(residual), ..state.progress };
        let before = state.alpha.clone();
        if advance(rule.as_mut(), &mut state, residual).is_break() {
            state.alpha = before;
            break StopReason::Cancelled;
        }
        iterations += 1;
    };
    rule.settle(&mut state);
    let negative = state.f.iter().filter(|f| **f < 0.0).count();
    let report = FitReport {
        iterations,
        products: state.products,
        stop,
        residual: state.residual(),
        objective: state.objective(),
        norm_squared: state.norm_squared(),
        negative_fraction: negative as f64 / gram.rows() as f64,
        history,
    };
    Ok(Solution { alpha: state.alpha, values: state.f, report })
}

/// One step and Kα after it, unless the monitor breaks off.
fn advance(rule: &mut dyn StepRule, state: &mut State, residual: f64) -> ControlFlow<()> {
    (state.monitor)(&state.progress)?;
    rule.step(state, residual)?;
    state.multiply()
}

/// Moves α by one step, given Kα.
trait StepRule {
    /// A step; it breaks off only where the monitor does.
    fn step(&mut self, state: &mut State, residual: f64) -> ControlFlow<()>;

    /// Whether no progress will come: never for a user's learning rate, which may be slow.
    fn may_stall(&self) -> bool {
        false
    }

    /// Leaves α at the best point known, once the steps have ended.
    fn settle(&mut self, _: &mut State) {}
}

fn start<'a>(
    gram: &'a dyn KernelProduct,
    w: &'a [f64],
    start: &Start,
    monitor: Monitor<'a>,
) -> Result<State<'a>> {
    let n = gram.rows();
    let progress = Progress { stage: Stage::Solve, step: 0, steps: None, residual: None };
    let (alpha, f) = (w.to_vec(), vec![0.0; n]);
    let mut state = State { gram, w, alpha, f, products: 0, monitor, progress };
    let multiply = |state: &mut State| match state.multiply() {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Cancelled),
    };
    match start {
        Start::RowSums => {
            multiply(&mut state)?;
            state.alpha = row_sum_start(w, &state.f, |i| gram.diagonal(i));
        }
        Start::Random { seed } => {
            let mut rng = generator(*seed);
            let normal = |_| -> f64 { StandardNormal.sample(&mut rng) };
            state.alpha = (0..n).map(normal).map(f64::abs).collect();
        }
        Start::Given(alpha) => {
            expect_finite("start", alpha, n)?;
            state.alpha.clone_from(alpha);
        }
    }
    // A row of weight zero counts for nothing, wherever α starts.
    state.alpha.iter_mut().zip(w).filter(|(_, w)| **w == 0.0).for_each(|(a, _)| *a = 0.0);
    multiply(&mut state)?;
    Ok(state)
}

/// α = w / √(Kw), given Kw and the diagonal of K.
pub(crate) fn row_sum_start(w: &[f64], sums: &[f64], diagonal: impl Fn(usize) -> f64) -> Vec<f64> {
    // Where negative kernel values outweigh the others, the row's own term remains.
    let floored = |i: usize| sums[i].max(FLOOR * w[i] * diagonal(i));
    (0..w.len())
        .map(|i| w[i] / floored(i).sqrt())
        .map(|a| if a.is_finite() { a } else { 0.0 })
        .collect()
}

/// Detects that the residual no longer improves.
#[derive(Default)]
struct StallWatch {
    best: Option<f64>,
    since: usize,
}

impl StallWatch {
    /// Steps without a new best residual before giving up.
    const PATIENCE: usize = 25;

    fn reason(
        &mut self,
        residual: f64,
        iterations: usize,
        options: &SolveOptions,
        may_stall: bool,
    ) -> Option<StopReason> {
        if residual <= options.tolerance {
            return Some(StopReason::Converged);
        }
        if !residual.is_finite() {
            return Some(StopReason::Diverged);
        }
        if self.best.is_none_or(|best| residual < best) {
            (self.best, self.since) = (Some(residual), 0);
        } else {
            self.since += 1;
        }
        if may_stall && self.since >= Self::PATIENCE {
            return Some(StopReason::Stalled);
        }
        (iterations >= options.max_iterations).then_some(StopReason::MaxIterations)
    }
}
