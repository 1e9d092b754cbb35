//! The parameters of a detector.

use super::{PrepareOptions, Repeats, Scaling, Threshold, repeats};
use crate::bandwidth::{BANDWIDTH, Bandwidth};
use crate::density_params::DensityParams;
use crate::error::{Error, Result};
use crate::kernel::KernelKind;
use crate::parameter::Parameter;
use crate::points::Points;
use crate::solve::{SolveOptions, Start};
use crate::source_columns::SourceColumn;

const TRIM: &str = "at least 0 and below 1";
const MAX_ROWS: &str = "none, or at least 1";
const MAX_SUPPORT: &str = "none, or at least 1";

/// The defaults of both: docs/large-tables.md has what more of them change.
const ROWS: usize = 10_000;
const SUPPORT: usize = 1000;

/// What to fit.
#[derive(Debug, Clone, PartialEq)]
pub struct DetectorParams {
    pub(super) prepare: PrepareOptions,
    /// Kernel, bandwidth, solver, memory and seed.
    pub(super) density: DensityParams,
    pub(super) repeats: Repeats,
    pub(super) trim: f64,
    pub(super) threshold: Threshold,
    pub(super) max_rows: Option<usize>,
    pub(super) max_support: Option<usize>,
    pub(super) columns: Option<Vec<SourceColumn>>,
}

impl Default for DetectorParams {
    fn default() -> Self {
        Self {
            prepare: PrepareOptions::default(),
            density: DensityParams::default().bandwidth(Bandwidth::Auto),
            repeats: Repeats::Auto,
            trim: 0.5,
            threshold: Threshold::default(),
            max_rows: Some(ROWS),
            max_support: Some(SUPPORT),
            columns: None,
        }
    }
}

impl DetectorParams {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The paper's configuration: standardised columns, SDO from 10 000 sampled frequencies with
    /// radii from a grid, natural gradient, Fisher divergence of a held-out share read on the fly
    /// ([`Rule::OnTheFly`](crate::select::Rule::OnTheFly)), every row counted, no trimming. Solves
    /// end at a residual of 1e-3: sampling leaves an error of 1e-2 in the kernel itself.
    ///
    /// The paper judges by the rows it scores: [`judged_by`](Self::judged_by) does. Its text reads
    /// the curve in another way than its program: `Rule::Text`, `Rule::Released`.
    pub fn paper() -> Self {
        let density = DensityParams::new()
            .kernel(KernelKind::paper())
            .bandwidth(Bandwidth::paper())
            .solve(SolveOptions::new().tolerance(1e-3));
        // Every setting is spelled out: the paper's do not follow the defaults of this library.
        Self {
            prepare: PrepareOptions::new().scaling(Scaling::Standard).clip(None).whitening(0.0),
            density,
            repeats: Repeats::Keep,
            trim: 0.0,
            threshold: Threshold::default(),
            max_rows: None,
            max_support: None,
            columns: None,
        }
    }

    /// The same with the exact SDO kernel, which the paper approximates by samples; solves end at
    /// a residual of 1e-6.
    pub fn paper_exact() -> Self {
        Self::paper().kernel(KernelKind::Sdo).solve(SolveOptions::new().tolerance(1e-6))
    }

    /// How rows become coordinates. Default: standardised, logarithmic beyond five deviations, in the
    /// metric of the core.
    pub fn prepare(mut self, options: PrepareOptions) -> Self {
        self.prepare = options;
        self
    }

    /// The kernel. Default [`KernelKind::Product`].
    pub fn kernel(mut self, kernel: KernelKind) -> Self {
        self.density.kernel = kernel;
        self
    }

    /// How the bandwidth is found. Default [`Bandwidth::Auto`].
    pub fn bandwidth(mut self, bandwidth: impl Into<Bandwidth>) -> Self {
        self.density.bandwidth = bandwidth.into();
        self
    }

    /// How equal rows count. Default [`Repeats::Auto`].
    pub fn repeats(mut self, repeats: Repeats) -> Self {
        self.repeats = repeats;
        self
    }

    /// Share of the rows, lowest density first, left out of the core, in [0, 1); 0 for no core.
    /// Default 0.5: a robust core rather than a guess of how many anomalies there are.
    pub fn trim(mut self, share: f64) -> Self {
        self.trim = share;
        self
    }

    /// Where anomalies begin. Default [`Threshold::TailOrGroup`].
    pub fn threshold(mut self, threshold: Threshold) -> Self {
        self.threshold = threshold;
        self
    }

    /// Most distinct rows that the core is found among, or `None` for as many as have a kernel matrix within
    /// [`memory`](Self::memory), which is a limit in any case; more are represented by a weighted
    /// sample. Default 10 000.
    pub fn max_rows(mut self, rows: impl Into<Option<usize>>) -> Self {
        self.max_rows = rows.into();
        self
    }

    /// Most rows of the core that f is fitted to, or `None` for all of them; more are represented by a
    /// weighted sample. A score costs a kernel value for each. Default 1000: which rows are the core, its
    /// scale and its metric are found with all rows, and f hardly changes with more.
    pub fn max_support(mut self, rows: impl Into<Option<usize>>) -> Self {
        self.max_support = rows.into();
        self
    }

    /// How α is found. Default: natural gradient to a residual of 1e-6.
    pub fn solve(mut self, options: SolveOptions) -> Self {
        self.density.solve = options;
        self
    }

    /// Bytes for the kernel matrix. Default 1 GiB.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.density.memory = bytes;
        self
    }

    /// What the features of a row stand for, in their order. Default: each is a number.
    pub fn columns(mut self, columns: Vec<SourceColumn>) -> Self {
        self.columns = Some(columns);
        self
    }

    /// Rows that a chosen bandwidth is judged by, in the features of the table: the paper takes the
    /// rows it scores. All rows of the table are then fitted at every bandwidth. Default: none, and
    /// a share of the rows is held out.
    pub fn judged_by(mut self, rows: Points) -> Self {
        self.density = self.density.judged_by(rows);
        self
    }

    /// Seed of sampled kernels, row samples and explanations; the rows held out for choosing a
    /// bandwidth have their own, in [`SelectOptions`](crate::select::SelectOptions). Default 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.density.seed = seed;
        self
    }

    /// The [seed](Self::seed).
    pub fn seed_value(&self) -> u64 {
        self.density.seed
    }

    pub(super) fn check(&self) -> Result<()> {
        if !(0.0..1.0).contains(&self.trim) {
            return Err(Error::parameter("trim", self.trim, TRIM));
        }
        if self.max_rows == Some(0) {
            return Err(Error::parameter("max_rows", 0, MAX_ROWS));
        }
        if self.max_support == Some(0) {
            return Err(Error::parameter("max_support", 0, MAX_SUPPORT));
        }
        if let Start::Given(_) = self.density.solve.start {
            let requirement = "RowSums or Random: a detector solves for several sets of rows";
            return Err(Error::parameter("start", "Given", requirement));
        }
        self.threshold.check()?;
        self.density.bandwidth.check(BANDWIDTH)
    }

    /// Every parameter that interfaces show, with the value it has here.
    pub fn parameters(&self) -> Vec<Parameter> {
        let [bandwidth, grid, holdout] = self.density.bandwidth.parameters(BANDWIDTH);
        let [scaling, clip, whitening] = self.prepare.parameters();
        let trim = Parameter::new("trim", &self.trim, TRIM);
        let repeats = Parameter::new("repeats", &self.repeats, repeats::REPEATS);
        let max_rows = Parameter::new("max_rows", &self.max_rows, MAX_ROWS);
        let max_support = Parameter::new("max_support", &self.max_support, MAX_SUPPORT);
        let mut parameters = vec![self.density.kernel.parameter(), bandwidth];
        parameters.extend([self.threshold.parameter(), trim, repeats, scaling, clip, whitening]);
        parameters.extend([max_rows, max_support, grid, holdout]);
        parameters.extend(self.density.solving());
        parameters
    }
}
