//! What a detector is fitted with, and the fit itself.
//!
//! See [`detector`](crate::detector) for the steps.

use super::rows::DistinctRows;
use super::{
    Bandwidth, Detector, DetectorReport, Preparation, PrepareOptions, Repeats, ScoreQuantiles,
    Scorer, Threshold, repeats, trim,
};
use crate::density::DensityParams;
use crate::error::{Error, Result};
use crate::kernel::KernelKind;
use crate::large::rows_within_memory;
use crate::monitor::{Monitor, silent};
use crate::parameter::Parameter;
use crate::points::{Points, Weights};
use crate::select::{Selection, select};
use crate::solve::{SolveOptions, Start};
use trim::{BroadLook, Core};

/// Typical rows kept as references for explanations.
const TYPICAL_ROWS: usize = 512;

const TRIM: &str = "at least 0 and below 1";
const MAX_ROWS: &str = "none, or at least 1";

/// The rows a fit works on, and how they came about.
struct Prepared {
    preparation: Preparation,
    rows: DistinctRows,
}

/// What to fit.
#[derive(Debug, Clone, PartialEq)]
pub struct DetectorParams {
    prepare: PrepareOptions,
    /// Kernel, solver, memory and seed; its bandwidth is replaced by the one found.
    density: DensityParams,
    bandwidth: Bandwidth,
    repeats: Repeats,
    trim: f64,
    threshold: Threshold,
    max_rows: Option<usize>,
}

impl Default for DetectorParams {
    fn default() -> Self {
        Self {
            prepare: PrepareOptions::default(),
            density: DensityParams::default(),
            bandwidth: Bandwidth::Auto,
            repeats: Repeats::Auto,
            trim: 0.5,
            threshold: Threshold::default(),
            max_rows: None,
        }
    }
}

impl DetectorParams {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The paper's configuration: standardised columns, SDO from 10 000 sampled frequencies,
    /// natural gradient, first stable minimum of the Fisher divergence, every row counted, no
    /// trimming. Solves end at a residual of 1e-3: sampling leaves an error of 1e-2 in the kernel itself.
    pub fn paper() -> Self {
        let solve = SolveOptions { tolerance: 1e-3, ..SolveOptions::default() };
        Self {
            prepare: PrepareOptions { clip: None, ..PrepareOptions::default() },
            density: DensityParams::new().kernel(KernelKind::paper()).solve(solve),
            bandwidth: Bandwidth::paper(),
            repeats: Repeats::Keep,
            trim: 0.0,
            ..Self::default()
        }
    }

    /// How rows become coordinates. Default: standardised, logarithmic beyond five deviations, no
    /// whitening.
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
    pub fn bandwidth(mut self, bandwidth: Bandwidth) -> Self {
        self.bandwidth = bandwidth;
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

    /// Where anomalies begin. Default [`Threshold::Iqr`].
    pub fn threshold(mut self, threshold: Threshold) -> Self {
        self.threshold = threshold;
        self
    }

    /// Most distinct rows fitted; more are represented by a weighted sample. Default: as many as
    /// have a kernel matrix within [`memory`](Self::memory).
    pub fn max_rows(mut self, rows: usize) -> Self {
        self.max_rows = Some(rows);
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

    /// What [`memory`](Self::memory) is.
    pub fn kernel_memory(&self) -> usize {
        self.density.memory
    }

    /// Seed of sampled kernels, row samples and explanations; the rows held out for choosing a
    /// bandwidth have their own, in [`SelectOptions`](crate::select::SelectOptions). Default 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.density.seed = seed;
        self
    }

    fn check(&self) -> Result<()> {
        if !(0.0..1.0).contains(&self.trim) {
            return Err(Error::parameter("trim", self.trim, TRIM));
        }
        if self.max_rows == Some(0) {
            return Err(Error::parameter("max_rows", 0, MAX_ROWS));
        }
        if let Start::Given(_) = self.density.solve.start {
            let requirement = "RowSums or Random: a detector solves for several sets of rows";
            return Err(Error::parameter("start", "Given", requirement));
        }
        self.threshold.check()?;
        self.bandwidth.check()
    }

    /// Every parameter that interfaces show, with the value it has here.
    pub fn parameters(&self) -> Vec<Parameter> {
        let [bandwidth, grid, holdout] = self.bandwidth.parameters();
        let [scaling, clip, whitening] = self.prepare.parameters();
        let trim = Parameter::new("trim", &self.trim, TRIM);
        let repeats = Parameter::new("repeats", &self.repeats, repeats::REPEATS);
        let max_rows = Parameter::new("max_rows", &self.max_rows, MAX_ROWS);
        let mut parameters = vec![self.density.kernel.parameter(), bandwidth];
        parameters.extend([self.threshold.parameter(), trim, repeats, scaling, clip, whitening]);
        parameters.extend([max_rows, grid, holdout]);
        parameters.extend(self.density.solving());
        parameters
    }

    /// Fits the detector, all rows equally weighted if `weights` is `None`.
    ///
    /// A weight of k is k copies of a row, for scores, thresholds and p-values alike, and as such
    /// subject to [`repeats`](Self::repeats); see [`Weights`] for weights that are no counts.
    ///
    /// # Errors
    /// Parameters outside their domain, weights of another length than the rows.
    pub fn fit(&self, points: Points, weights: Option<&Weights>) -> Result<Detector> {
        self.fit_monitored(points, weights, &mut silent)
    }

    /// As [`fit`](Self::fit), telling `monitor` how far it is.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and [`Error::Cancelled`].
    pub fn fit_monitored(
        &self,
        points: Points,
        weights: Option<&Weights>,
        monitor: Monitor,
    ) -> Result<Detector> {
        let equal = Weights::equal(points.rows());
        let weights = weights.unwrap_or(&equal);
        let Prepared { mut preparation, mut rows } = self.prepare_rows(points, weights)?;
        let (bandwidth, selection) = self.choose_bandwidth(&rows, monitor)?;
        let density = self.density.clone().bandwidth(bandwidth);
        let core = if self.trim == 0.0 {
            Core::whole(&rows)
        } else {
            let by_all = preparation.clone();
            let broad = BroadLook::take(&density, &rows, self.trim, monitor)?;
            self.scale_by(&broad.scale, &by_all, points, &mut rows)?;
            let core = broad.core(&density, &rows, self.trim, monitor)?;
            preparation = self.scale_by(&core, &by_all, points, &mut rows)?;
            core
        };
        let density = core.fit(&density, &rows, monitor)?;
        let typical = core.typical_rows(&density, &rows, TYPICAL_ROWS);
        let report = DetectorReport {
            rows: points.rows(),
            columns: points.columns(),
            distinct_rows: rows.distinct,
            fitted_rows: rows.points().rows(),
            core_rows: core.indices.len(),
            repeats: rows.repeats,
            constant_columns: preparation.constant_columns().to_vec(),
            parameters: self.parameters().into_iter().map(Parameter::named_value).collect(),
            kernel: self.density.kernel.clone(),
            bandwidth,
            selection,
            fit: density.report().cloned(),
        };
        let scorer = Scorer { preparation, density, bandwidth };
        let scores = trim::training_scores(&scorer, &core, &rows, points, monitor)?;
        let left_out = trim::leave_one_out(&scorer, &core, &rows, &scores);
        Ok(Detector {
            cut: self.cut(&scores, &left_out, weights)?,
            calibration: ScoreQuantiles::new(&left_out, weights)?,
            scorer,
            typical,
            feature_names: None,
            attachment: None,
            seed: self.density.seed,
            report,
        })
    }

    /// The curve over bandwidths and the choice that [`fit`](Self::fit) would make, without the
    /// fit that follows.
    ///
    /// # Errors
    /// As [`fit_monitored`](Self::fit_monitored), and [`Error::Parameter`] unless the bandwidth is
    /// [`Bandwidth::Select`].
    pub fn tune(
        &self,
        points: Points,
        weights: Option<&Weights>,
        monitor: Monitor,
    ) -> Result<Selection> {
        let equal = Weights::equal(points.rows());
        let prepared = self.prepare_rows(points, weights.unwrap_or(&equal))?;
        let (bandwidth, selection) = self.choose_bandwidth(&prepared.rows, monitor)?;
        let requirement = "chosen from a curve: fisher, likelihood, paper or influence";
        selection.ok_or_else(|| Error::parameter("bandwidth", bandwidth, requirement))
    }

    /// What every fit begins with.
    fn prepare_rows(&self, points: Points, weights: &Weights) -> Result<Prepared> {
        self.check()?;
        let preparation = Preparation::fit(points, weights, &self.prepare)?;
        let most = self.max_rows.unwrap_or_else(|| rows_within_memory(self.density.memory).max(1));
        let seed = self.density.seed;
        let rows = DistinctRows::new(points, weights, &preparation, self.repeats, most, seed)?;
        Ok(Prepared { preparation, rows })
    }

    /// Prepares the rows again, with the scale that some of them have.
    fn scale_by(
        &self,
        core: &Core,
        by_all: &Preparation,
        points: Points,
        rows: &mut DistinctRows,
    ) -> Result<Preparation> {
        // The tails of a sampled kernel are noise, and there the scale of a core would put anomalies.
        if let KernelKind::SdoSampled { .. } = self.density.kernel {
            return Ok(by_all.clone());
        }
        let originals = rows.originals(points, &core.indices);
        let originals = Points::checked_before(&originals, points.columns());
        let preparation = by_all.around(originals, &core.weights, &self.prepare)?;
        rows.prepare_again(points, &preparation)?;
        Ok(preparation)
    }

    fn choose_bandwidth(
        &self,
        rows: &DistinctRows,
        monitor: Monitor,
    ) -> Result<(f64, Option<Selection>)> {
        match &self.bandwidth {
            Bandwidth::Fixed(bandwidth) => Ok((*bandwidth, None)),
            Bandwidth::Auto => {
                Ok((Bandwidth::automatic(&self.density.kernel, rows.distinct), None))
            }
            Bandwidth::Select(options) => {
                let weights = Some(&rows.weights);
                let selection = select(&self.density, rows.points(), weights, options, monitor)?;
                Ok((selection.bandwidth, Some(selection)))
            }
        }
    }

    /// The threshold, from training scores with and without a row's own contribution.
    fn cut(&self, scores: &[f64], left_out: &[f64], weights: &Weights) -> Result<f64> {
        match self.threshold {
            // What share of the training rows is flagged is a statement about their own scores.
            Threshold::Contamination(_) => self.threshold.cut(scores, weights),
            // Where unusual begins is a statement about new rows.
            _ => self.threshold.cut(left_out, weights),
        }
    }
}
