//! The parameters of a density, and its fit: the bandwidth is chosen, then f solved for.
//!
//! See [`density`](crate::density) for the equations and [`select`](crate::select) for ways to choose
//! the bandwidth.

use crate::bandwidth::{Bandwidth, ChosenBandwidth, DEFAULT_BANDWIDTH};
use crate::density::{Density, DensityFit};
use crate::error::{Error, Result};
use crate::gram::DEFAULT_MEMORY;
use crate::kernel::KernelKind;
use crate::monitor::{Monitor, no_progress};
use crate::parameter::Parameter;
use crate::points::{Points, Weights};
use crate::select::{BANDWIDTH, Selection, TuningRows};
use crate::solve::SolveOptions;

const MEMORY: &str = "a whole number of bytes, zero or more";
const SEED: &str = "a whole number from 0 to 2^64 - 1";

/// What to fit: kernel, bandwidth, solver.
#[derive(Debug, Clone, PartialEq)]
pub struct DensityParams {
    pub(crate) kernel: KernelKind,
    pub(crate) bandwidth: Bandwidth,
    pub(crate) solve: SolveOptions,
    pub(crate) memory: usize,
    pub(crate) seed: u64,
    pub(crate) judge: Option<JudgingRows>,
}

/// Rows that bandwidths are judged by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JudgingRows {
    values: Vec<f64>,
    columns: usize,
}

impl JudgingRows {
    pub(crate) fn points(&self) -> Points<'_> {
        Points::new_unchecked(&self.values, self.columns)
    }
}

/// A density, and how its bandwidth was chosen.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TunedDensity {
    /// The density.
    pub density: Density,
    /// Its bandwidth.
    pub bandwidth: f64,
    /// The curve the bandwidth was read from, if it was.
    pub selection: Option<Selection>,
}

impl Default for DensityParams {
    fn default() -> Self {
        Self {
            kernel: KernelKind::default(),
            bandwidth: Bandwidth::Fixed(DEFAULT_BANDWIDTH),
            solve: SolveOptions::default(),
            memory: DEFAULT_MEMORY,
            seed: 0,
            judge: None,
        }
    }
}

impl DensityParams {
    /// The defaults: product kernel, bandwidth 0.2.
    pub fn new() -> Self {
        Self::default()
    }

    /// The kernel. Default [`KernelKind::Product`].
    pub fn kernel(mut self, kernel: KernelKind) -> Self {
        self.kernel = kernel;
        self
    }

    /// Bandwidth b > 0, a distance per column, or how it is chosen from the rows. Default 0.2, for
    /// standardised columns. [`Bandwidth::Auto`] is a rule for prepared rows, so for detectors only.
    pub fn bandwidth(mut self, bandwidth: impl Into<Bandwidth>) -> Self {
        self.bandwidth = bandwidth.into();
        self
    }

    /// How α is found. Default: natural gradient to a residual of 1e-6.
    pub fn solve(mut self, options: SolveOptions) -> Self {
        self.solve = options;
        self
    }

    /// Bytes for the kernel matrix; beyond, blocks are computed anew, with the same result.
    /// Default 1 GiB.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Seed for sampled kernels. Default 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Rows that a chosen bandwidth is judged by, in the columns of the rows that are fitted. All of
    /// these are then fitted at every bandwidth. Default: none, and a share of the rows is held out.
    pub fn judged_by(mut self, rows: Points) -> Self {
        let (values, columns) = (rows.as_slice().to_vec(), rows.columns());
        self.judge = Some(JudgingRows { values, columns });
        self
    }

    /// Every parameter that interfaces show, with the value it has here; grid and share held out
    /// are the defaults where nothing is chosen.
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut parameters = vec![self.kernel.parameter()];
        parameters.extend(self.bandwidth.parameters(BANDWIDTH));
        parameters.extend(self.solving());
        parameters
    }

    /// The parameters that do not change what is estimated, and the seed.
    pub(crate) fn solving(&self) -> [Parameter; 4] {
        let [tolerance, max_iterations] = self.solve.parameters();
        let memory = Parameter::new("memory", &self.memory, MEMORY);
        [tolerance, max_iterations, memory, Parameter::new("seed", &self.seed, SEED)]
    }

    /// The same once the bandwidth is known.
    pub(crate) fn at(&self, bandwidth: f64) -> DensityFit {
        DensityFit {
            kernel: self.kernel.clone(),
            bandwidth,
            unit: 1.0,
            solve: self.solve.clone(),
            memory: self.memory,
            seed: self.seed,
        }
    }

    /// Fits the density to the rows, all equally weighted if `weights` is `None`.
    ///
    /// # Errors
    /// Parameters outside their domain; weights of another length than the rows; values beyond
    /// 1e145 in size, whose squared distances overflow.
    pub fn fit(&self, points: Points, weights: Option<&Weights>) -> Result<Density> {
        self.fit_monitored(points, weights, &mut no_progress)
    }

    /// As [`fit`](Self::fit), with progress.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and [`Error::Cancelled`] if the monitor asks to stop.
    pub fn fit_monitored(
        &self,
        points: Points,
        weights: Option<&Weights>,
        monitor: Monitor,
    ) -> Result<Density> {
        Ok(self.fit_tuned_monitored(points, weights, monitor)?.density)
    }

    /// As [`fit`](Self::fit), with the bandwidth and the curve it was read from.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_tuned(&self, points: Points, weights: Option<&Weights>) -> Result<TunedDensity> {
        self.fit_tuned_monitored(points, weights, &mut no_progress)
    }

    /// As [`fit_tuned`](Self::fit_tuned), with progress.
    ///
    /// # Errors
    /// As [`fit_monitored`](Self::fit_monitored).
    pub fn fit_tuned_monitored(
        &self,
        points: Points,
        weights: Option<&Weights>,
        monitor: Monitor,
    ) -> Result<TunedDensity> {
        let ChosenBandwidth { value, selection } = self.choose(points, weights, monitor)?;
        let density = self.at(value).fit(points, weights, monitor)?;
        Ok(TunedDensity { density, bandwidth: value, selection })
    }

    /// The curve over bandwidths and the choice that a fit would make, without the fit.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and [`Error::Parameter`] unless the bandwidth is
    /// [`Bandwidth::Select`].
    pub fn tune(&self, points: Points, weights: Option<&Weights>) -> Result<Selection> {
        self.tune_monitored(points, weights, &mut no_progress)
    }

    /// As [`tune`](Self::tune), with progress.
    ///
    /// # Errors
    /// As [`tune`](Self::tune), and [`Error::Cancelled`] if the monitor asks to stop.
    pub fn tune_monitored(
        &self,
        points: Points,
        weights: Option<&Weights>,
        monitor: Monitor,
    ) -> Result<Selection> {
        self.choose(points, weights, monitor)?.into_selection()
    }

    fn choose(
        &self,
        points: Points,
        weights: Option<&Weights>,
        monitor: Monitor,
    ) -> Result<ChosenBandwidth> {
        if self.bandwidth == Bandwidth::Auto {
            return Err(Error::word("bandwidth", "auto", BANDWIDTH));
        }
        self.bandwidth.check(BANDWIDTH)?;
        let fit = self.at(DEFAULT_BANDWIDTH);
        let judge = self.judge.as_ref().map(JudgingRows::points);
        let rows = TuningRows { points, weights, judge, distinct: points.rows() };
        self.bandwidth.choose(&fit, &rows, monitor)
    }
}
