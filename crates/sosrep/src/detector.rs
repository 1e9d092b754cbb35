//! The anomaly detector: rows in, scores, p-values, labels and reasons out.
//!
//! Paper: Section 6.1 (density as anomaly score). The steps of a fit:
//!
//! ```text
//! rows → prepare → merge equal rows → choose b → fit f → keep the densest share → refit f
//! anomaly score   s(x) = −log f(x)²          higher is more anomalous
//! p-value         share of training rows with a leave-one-out score ≥ s(x)
//! ```
//!
//! The default is the configuration that measured best on ADBench without labels and without a
//! choice per data set: standardised columns limited to ±5, product kernel, bandwidth
//! b = 0.15 (n / 1000)^(−1/4) with n the number of distinct rows, and one refit on the densest half
//! of the rows, a robust core that anomalies in the training data do not reach.
//!
//! Cost: that of one density fit and one of half the size, plus one scoring of the training rows.
//!
//! Differs from the paper: all of the default; [`DetectorParams::paper`] is the paper's.
//!
//! ```
//! use sosrep::{DetectorParams, Points};
//!
//! // 300 rows on a circle of radius 1.
//! let rows: Vec<f64> = (0..300).map(f64::from).flat_map(|i| [i.cos(), i.sin()]).collect();
//! let detector = DetectorParams::new().fit(Points::new(&rows, 2)?, None)?;
//!
//! // A row on the circle and one above it.
//! let new = [0.6, 0.8, 0.0, 2.5];
//! let new = Points::new(&new, 2)?;
//! assert_eq!(detector.is_anomaly(new)?, [false, true]);
//! let p_values = detector.p_value(new)?;
//! assert!(p_values[0] > 0.1 && p_values[1] < 0.01);
//!
//! // Reasons add up to the distance in score from a similar, typical row.
//! let reasons = &detector.explain(new)?[1];
//! assert_eq!(reasons.ranking()[0], 1, "the second column is to blame");
//! let sum: f64 = reasons.contributions.iter().sum();
//! assert!((sum - (reasons.score - reasons.reference_score)).abs() < 1e-9);
//! # Ok::<(), sosrep::Error>(())
//! ```

mod explain;
mod ordered;
mod prepare;
mod threshold;
mod trim;

use serde::{Deserialize, Serialize};

pub use explain::Explanation;
pub(crate) use prepare::Whitening;
pub use prepare::{Affected, ConstantColumn, Preparation, PrepareOptions, Scaling};
pub use threshold::{ScoreQuantiles, Threshold};

use crate::density::{Density, DensityParams};
use crate::error::{Error, Result, bandwidth as check_bandwidth};
use crate::kernel::KernelKind;
use crate::large::{merge_equal_rows, rows_within_memory, subset};
use crate::monitor::{Monitor, silent};
use crate::points::{Points, Weights};
use crate::select::{Criterion, SelectOptions, Selection, select};
use crate::solve::{FitReport, SolveOptions};

/// Typical rows kept as references for explanations.
const TYPICAL_ROWS: usize = 512;

/// How the bandwidth is found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Bandwidth {
    /// 0.15 (n / 1000)^(−1/4), n the number of distinct rows. The default, meant for the product
    /// kernel on standardised columns.
    #[default]
    Auto,
    /// A given value.
    Fixed(f64),
    /// From a curve over a grid.
    Select(SelectOptions),
}

impl Bandwidth {
    /// The minimum of the exact Fisher divergence.
    pub fn fisher() -> Self {
        Self::Select(SelectOptions::new(Criterion::Fisher))
    }

    /// The maximum of the held-out likelihood.
    pub fn likelihood() -> Self {
        Self::Select(SelectOptions::new(Criterion::Likelihood))
    }

    /// The paper's procedure.
    pub fn paper() -> Self {
        Self::Select(SelectOptions::paper())
    }

    /// A median self-influence of 0.02.
    pub fn self_influence() -> Self {
        Self::Select(SelectOptions::new(Criterion::SelfInfluence { target: 0.02 }))
    }
}

/// What to fit.
#[derive(Debug, Clone, PartialEq)]
pub struct DetectorParams {
    prepare: PrepareOptions,
    kernel: KernelKind,
    bandwidth: Bandwidth,
    trim: f64,
    threshold: Threshold,
    max_rows: Option<usize>,
    solve: SolveOptions,
    memory: usize,
    seed: u64,
}

impl Default for DetectorParams {
    fn default() -> Self {
        let density = DensityParams::default();
        Self {
            prepare: PrepareOptions::default(),
            kernel: KernelKind::Product,
            bandwidth: Bandwidth::Auto,
            trim: 0.5,
            threshold: Threshold::default(),
            max_rows: None,
            solve: density.solve,
            memory: density.memory,
            seed: 0,
        }
    }
}

impl DetectorParams {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The paper's configuration: standardised columns, SDO from 10 000 sampled frequencies,
    /// natural gradient, first stable minimum of the Fisher divergence, no trimming.
    pub fn paper() -> Self {
        Self {
            prepare: PrepareOptions { clip: None, ..PrepareOptions::default() },
            kernel: KernelKind::paper(),
            bandwidth: Bandwidth::paper(),
            trim: 0.0,
            ..Self::default()
        }
    }

    /// How rows become coordinates. Default: standardised, limited to ±5, no whitening.
    pub fn prepare(mut self, options: PrepareOptions) -> Self {
        self.prepare = options;
        self
    }

    /// The kernel. Default [`KernelKind::Product`].
    pub fn kernel(mut self, kernel: KernelKind) -> Self {
        self.kernel = kernel;
        self
    }

    /// How the bandwidth is found. Default [`Bandwidth::Auto`].
    pub fn bandwidth(mut self, bandwidth: Bandwidth) -> Self {
        self.bandwidth = bandwidth;
        self
    }

    /// Share of the rows, lowest density first, left out of the refit, in [0, 1); 0 for no refit.
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
        self.solve = options;
        self
    }

    /// Bytes for the kernel matrix. Default 2 GiB.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Seed of every random choice: sampled kernels, held-out rows, row samples, explanations.
    /// Default 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    fn check(&self) -> Result<()> {
        if !(0.0..1.0).contains(&self.trim) {
            return Err(Error::parameter("trim", self.trim, "at least 0 and below 1"));
        }
        if self.max_rows == Some(0) {
            return Err(Error::parameter("max_rows", 0, "at least 1"));
        }
        self.threshold.check()?;
        match self.bandwidth {
            Bandwidth::Fixed(b) => check_bandwidth(b).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Fits the detector, all rows equally weighted if `weights` is `None`.
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
        self.check()?;
        let equal = Weights::equal(points.rows());
        let weights = weights.unwrap_or(&equal);
        let preparation = Preparation::fit(points, weights, &self.prepare)?;
        let core = Core::new(self, &preparation.apply(points)?, weights, &preparation)?;
        let (bandwidth, selection) = self.choose_bandwidth(&core, monitor)?;
        let density_params = DensityParams {
            kernel: self.kernel.clone(),
            bandwidth,
            solve: self.solve.clone(),
            memory: self.memory,
            seed: self.seed,
        };
        let fitted = trim::fit(&density_params, &core, self.trim, monitor)?;
        self.assemble(points, weights, preparation, bandwidth, selection, core, fitted)
    }

    fn choose_bandwidth(&self, core: &Core, monitor: Monitor) -> Result<(f64, Option<Selection>)> {
        match &self.bandwidth {
            Bandwidth::Fixed(bandwidth) => Ok((*bandwidth, None)),
            Bandwidth::Auto => Ok((0.15 * (core.distinct_rows as f64 / 1000.0).powf(-0.25), None)),
            Bandwidth::Select(options) => {
                let params = DensityParams {
                    kernel: self.kernel.clone(),
                    solve: self.solve.clone(),
                    memory: self.memory,
                    seed: self.seed,
                    ..DensityParams::default()
                };
                let selection =
                    select(&params, core.points(), Some(&core.weights), options, monitor)?;
                Ok((selection.bandwidth, Some(selection)))
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a detector, used once")]
    fn assemble(
        &self,
        points: Points,
        weights: &Weights,
        preparation: Preparation,
        bandwidth: f64,
        selection: Option<Selection>,
        core: Core,
        fitted: trim::Fitted,
    ) -> Result<Detector> {
        let report = DetectorReport {
            rows: points.rows(),
            columns: points.columns(),
            distinct_rows: core.distinct_rows,
            fitted_rows: core.weights.as_slice().len(),
            core_rows: fitted.kept.len(),
            constant_columns: preparation.constant_columns().to_vec(),
            kernel: self.kernel.clone(),
            bandwidth,
            selection,
            fit: fitted.density.report().cloned(),
        };
        let mut detector = Detector {
            preparation,
            typical: fitted.typical_rows(&core, TYPICAL_ROWS),
            density: fitted.density,
            bandwidth,
            cut: 0.0,
            calibration: ScoreQuantiles::new(&[0.0], &Weights::equal(1))?,
            feature_names: None,
            seed: self.seed,
            report,
        };
        let scores = detector.anomaly_score(points)?;
        let left_out = trim::leave_one_out(&detector.density, &fitted.kept, &core, &scores);
        detector.cut = match self.threshold {
            // What share of the training rows is flagged is a statement about their own scores.
            Threshold::Contamination(_) => self.threshold.cut(&scores, weights)?,
            // Where unusual begins is a statement about new rows.
            _ => self.threshold.cut(&left_out, weights)?,
        };
        detector.calibration = ScoreQuantiles::new(&left_out, weights)?;
        Ok(detector)
    }
}

/// The distinct prepared rows a density is fitted to.
struct Core {
    values: Vec<f64>,
    columns: usize,
    weights: Weights,
    /// Number of original rows behind each row here.
    counts: Vec<usize>,
    /// For every original row its row here, if that row was not sampled away.
    row_of: Vec<Option<usize>>,
    distinct_rows: usize,
}

impl Core {
    fn new(
        params: &DetectorParams,
        prepared: &[f64],
        weights: &Weights,
        preparation: &Preparation,
    ) -> Result<Self> {
        let columns = preparation.dimension();
        let merged = merge_equal_rows(Points::new(prepared, columns)?, weights)?;
        let distinct_rows = merged.counts.len();
        let size = params.max_rows.unwrap_or_else(|| rows_within_memory(params.memory).max(1));
        let all = Points::new(&merged.values, columns)?;
        let sample = subset(all, &merged.weights, size, params.seed)?;
        let mut place = vec![None; distinct_rows];
        for (new, &old) in sample.indices.iter().enumerate() {
            place[old] = Some(new);
        }
        Ok(Self {
            values: all.select(&sample.indices),
            columns,
            weights: sample.weights,
            counts: sample.indices.iter().map(|&i| merged.counts[i]).collect(),
            row_of: merged.group_of.iter().map(|&group| place[group]).collect(),
            distinct_rows,
        })
    }

    fn points(&self) -> Points<'_> {
        Points::new(&self.values, self.columns).expect("rows of checked points")
    }
}

/// How a fit went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DetectorReport {
    /// Rows given.
    pub rows: usize,
    /// Columns given.
    pub columns: usize,
    /// Distinct rows after preparation.
    pub distinct_rows: usize,
    /// Distinct rows fitted, after sampling.
    pub fitted_rows: usize,
    /// Distinct rows in the densest share that the final density rests on.
    pub core_rows: usize,
    /// Columns that never vary and so carry no information about the rows given.
    pub constant_columns: Vec<ConstantColumn>,
    /// The kernel.
    pub kernel: KernelKind,
    /// The bandwidth.
    pub bandwidth: f64,
    /// The curve the bandwidth was read from, if it was.
    pub selection: Option<Selection>,
    /// The last solve.
    pub fit: Option<FitReport>,
}

/// A fitted anomaly detector.
#[derive(Debug, Clone)]
pub struct Detector {
    pub(crate) preparation: Preparation,
    pub(crate) density: Density,
    pub(crate) bandwidth: f64,
    /// A row is an anomaly when its score is above.
    pub(crate) cut: f64,
    /// Leave-one-out scores of the training rows.
    pub(crate) calibration: ScoreQuantiles,
    /// Prepared rows of at least median density, references for explanations.
    pub(crate) typical: Vec<f64>,
    pub(crate) feature_names: Option<Vec<String>>,
    pub(crate) seed: u64,
    pub(crate) report: DetectorReport,
}

impl Detector {
    /// −log f(x)² for every row: higher is more anomalous. Always finite.
    ///
    /// A row that differs in a column that was constant in training gets 2c / (b d) on top for each
    /// such column, with c the clipping limit: what the product kernel would charge for it.
    ///
    /// # Errors
    /// [`Error::WrongColumns`], here and in every method that takes rows.
    pub fn anomaly_score(&self, points: Points) -> Result<Vec<f64>> {
        let prepared = self.preparation.apply(points)?;
        let prepared = Points::new(&prepared, self.preparation.dimension())?;
        let mut scores = self.density.log_pre_density(prepared)?;
        for (score, row) in scores.iter_mut().zip(points.iter()) {
            let departures = self.preparation.departures(row).len() as f64;
            *score = departures * self.departure_cost() - *score;
        }
        Ok(scores)
    }

    /// How likely a score this high is for a row like those in training, in (0, 1].
    ///
    /// Training rows are scored without their own contribution, so that new rows of the same kind
    /// have uniform p-values.
    ///
    /// # Errors
    /// [`Error::WrongColumns`].
    pub fn p_value(&self, points: Points) -> Result<Vec<f64>> {
        Ok(self.p_values_of(&self.anomaly_score(points)?))
    }

    /// p-values of given anomaly scores.
    pub fn p_values_of(&self, scores: &[f64]) -> Vec<f64> {
        scores.iter().map(|&score| self.calibration.p_value(score)).collect()
    }

    /// Whether each row's score is above the threshold.
    ///
    /// # Errors
    /// [`Error::WrongColumns`].
    pub fn is_anomaly(&self, points: Points) -> Result<Vec<bool>> {
        Ok(self.anomaly_score(points)?.into_iter().map(|score| score > self.cut).collect())
    }

    /// The score above which a row is an anomaly.
    pub fn threshold(&self) -> f64 {
        self.cut
    }

    /// How the fit went.
    pub fn report(&self) -> &DetectorReport {
        &self.report
    }

    /// The density of the prepared rows.
    pub fn density(&self) -> &Density {
        &self.density
    }

    /// Prepared rows of at least median density, row-major: references for explanations.
    pub fn typical_rows(&self) -> &[f64] {
        &self.typical
    }

    /// How rows become coordinates.
    pub fn preparation(&self) -> &Preparation {
        &self.preparation
    }

    /// Names of the input columns, if given.
    pub fn feature_names(&self) -> Option<&[String]> {
        self.feature_names.as_deref()
    }

    /// Stores names for the input columns.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless there is one name per column.
    pub fn with_feature_names(mut self, names: Vec<String>) -> Result<Self> {
        if names.len() != self.preparation.input_columns() {
            return Err(Error::WrongLength {
                what: "feature names",
                expected: self.preparation.input_columns(),
                found: names.len(),
            });
        }
        self.feature_names = Some(names);
        Ok(self)
    }

    /// Score added for a column that leaves its training constant.
    fn departure_cost(&self) -> f64 {
        let limit = self.preparation.clip().unwrap_or(5.0);
        2.0 * limit / (self.bandwidth * self.preparation.dimension() as f64)
    }
}
