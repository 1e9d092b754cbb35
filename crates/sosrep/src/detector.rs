//! The anomaly detector: rows in, scores, p-values, labels and reasons out.
//!
//! Paper: Section 6.1 (density as anomaly score). The steps of a fit:
//!
//! ```text
//! rows → prepare → merge equal rows → choose b → find a core → prepare again by the core → fit f
//! anomaly score   s(x) = −log f(x)²          higher is more anomalous
//! p-value         share of training rows with a score ≥ s(x)
//! ```
//!
//! Training rows are scored without their own contribution, everywhere.
//!
//! The default, without labels and without a choice per data set: columns standardised, and
//! logarithmic beyond five deviations; copied rows counted once ([`Repeats`]); a core of the densest
//! half of the rows, found by three rough densities, with the groups beside it that are large and as
//! dense; columns standardised again by the core, and distances in the metric of its shrunk
//! covariance, so that anomalies affect neither; product kernel with bandwidth b = 0.08; f fitted to
//! at most 1000 rows of the core. docs/detector.md has the evidence.
//!
//! Cost: three rough densities at 10 000 rows at most, and the distances between those outside the core;
//! one fit to 1000 rows; a scoring of the others, linear in n.
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
//! let found = detector.assess(new)?;
//! assert_eq!(found.is_anomaly, [false, true]);
//! assert!(found.p_values[0] > 0.1 && found.p_values[1] < 0.01);
//!
//! // Reasons add up to the distance in score from a similar, typical row.
//! let reasons = &detector.explain(new)?[1];
//! assert_eq!(reasons.ranking()[0], 1, "the second column is to blame");
//! let sum: f64 = reasons.contributions.iter().sum();
//! assert!((sum - (reasons.score - reasons.reference_score)).abs() < 1e-9);
//! # Ok::<(), sosrep::Error>(())
//! ```

mod assessment;
mod calibrate;
mod core;
mod discoveries;
mod distances;
mod distinct;
mod explain;
mod fit;
mod keyed_rows;
mod links;
mod minorities;
mod near_copies;
mod params;
mod prepare;
mod repeats;
mod rough_density;
mod scatter;
mod threshold;
mod training_sample;
mod upper_part;
mod usual_rows;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use assessment::Assessment;
pub use discoveries::largest_discovery;
pub use explain::Explanation;
pub use params::DetectorParams;
#[cfg(feature = "model-file")]
pub(crate) use prepare::{CLIPS, MissingPlace, Whitening};
pub use prepare::{ConstantColumn, Preparation, PrepareOptions, Scaling};
pub use repeats::{RepeatReport, Repeats};
pub use threshold::{ScoreQuantiles, Threshold};
pub use training_sample::TrainingSample;

use crate::density::Density;
use crate::error::{Error, Result};
use crate::kernel::KernelKind;
use crate::memory::room;
use crate::monitor::{Monitor, Stage, items_at_once, report_progress};
#[cfg(feature = "model-file")]
use crate::panels::Metric;
use crate::points::Points;
use crate::select::Selection;
use crate::solve::FitReport;

/// Deviations that a departure from a constant counts as.
const DEPARTURE: f64 = 5.0;

/// Most rows scored per progress callback.
const SCORED_AT_ONCE: usize = 16_384;

/// How a fit went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DetectorReport {
    /// Rows of the table.
    pub rows: usize,
    /// Those of them that the fit is based on: all, or the copies of a sample of the distinct ones.
    pub sampled_rows: usize,
    /// Columns of the table.
    pub columns: usize,
    /// Distinct rows after preparation.
    pub distinct_rows: usize,
    /// Distinct rows fitted, after sampling.
    pub fitted_rows: usize,
    /// Distinct rows in the core.
    pub core_rows: usize,
    /// Those of them that the final density is fitted to, after sampling; a score costs as many kernel values.
    #[serde(default)]
    pub support_rows: usize,
    /// What was done about rows that occur several times.
    #[serde(default)]
    pub repeats: RepeatReport,
    /// The share of anomalies that the automatic threshold estimates: of the rows in a second group
    /// of scores, 0 if the scores have one tail. `None` for other thresholds.
    #[serde(default)]
    pub estimated_share: Option<f64>,
    /// Columns that never vary and so carry no information about the rows given.
    pub constant_columns: Vec<ConstantColumn>,
    /// What it was fitted with, as [`DetectorParams::parameters`] lists it.
    pub parameters: BTreeMap<String, serde_json::Value>,
    /// The kernel.
    pub kernel: KernelKind,
    /// The bandwidth.
    pub bandwidth: f64,
    /// The curve the bandwidth was read from, if it was.
    pub selection: Option<Selection>,
    /// The last solve.
    pub fit: Option<FitReport>,
}

impl DetectorReport {
    /// What scores of this kernel do not tell, and what to use instead; `None` for all kernels but one.
    pub fn caution(&self) -> Option<&'static str> {
        matches!(self.kernel, KernelKind::SdoSampled { .. }).then_some(
            "the sampled kernel is noise far from the rows it was fitted to: rows far away may be called \
             usual; the kernel sdo is the same one without sampling",
        )
    }
}

/// From rows to scores.
#[derive(Debug, Clone)]
pub(crate) struct Scorer {
    pub(crate) preparation: Preparation,
    pub(crate) density: Density,
    pub(crate) bandwidth: f64,
}

impl Scorer {
    /// −log f² of the prepared rows, and a penalty for every constant column in which a row differs.
    fn anomaly_score(&self, points: Points) -> Result<Vec<f64>> {
        let prepared = self.preparation.apply(points)?;
        let prepared = Points::new_unchecked(&prepared, self.preparation.dimension());
        let mut scores = self.density.log_pre_density_for_scores(prepared)?;
        let departure_cost = self.departure_cost();
        for (score, row) in scores.iter_mut().zip(points.iter()) {
            let departures = self.preparation.departures(row).len() as f64;
            *score = departures * departure_cost - *score;
        }
        Ok(scores)
    }

    /// The same scores, with progress.
    fn anomaly_score_monitored(&self, points: Points, monitor: Monitor) -> Result<Vec<f64>> {
        self.in_parts(points, monitor, |part| self.anomaly_score(part))
    }

    /// −log f² of prepared rows that differ in no constant column, with progress.
    fn prepared_scores(&self, prepared: Points, monitor: Monitor) -> Result<Vec<f64>> {
        self.in_parts(prepared, monitor, |part| {
            let log_pre_density = self.density.log_pre_density_for_scores(part)?;
            Ok(log_pre_density.into_iter().map(|value| 0.0 - value).collect())
        })
    }

    /// The kernel's bandwidth, per coordinate, in units of that per column.
    #[cfg(feature = "model-file")]
    pub(crate) fn unit(&self) -> f64 {
        let metric = self.density.kernel_form().map(|form| form.kernel().metric());
        self.preparation.bandwidth_unit(metric.unwrap_or(Metric::SquaredEuclidean))
    }

    /// Score added for a column that differs from its constant value in training.
    fn departure_cost(&self) -> f64 {
        2.0 * DEPARTURE / (self.bandwidth * self.preparation.varying_columns() as f64)
    }

    /// What `score` gives for the rows, part by part, so that a monitor can follow and cancel it.
    fn in_parts(
        &self,
        points: Points,
        monitor: Monitor,
        score: impl Fn(Points) -> Result<Vec<f64>>,
    ) -> Result<Vec<f64>> {
        let rows = points.rows();
        let at_once = items_at_once(self.density.operations_a_row(), SCORED_AT_ONCE);
        let mut scores = room("the scores", rows)?;
        while scores.len() < rows {
            let first = scores.len();
            report_progress(monitor, Stage::Score, first, rows)?;
            scores.extend(score(points.part(first, rows.min(first + at_once)))?);
        }
        report_progress(monitor, Stage::Score, rows, rows)?;
        Ok(scores)
    }
}

/// A fitted anomaly detector.
#[derive(Debug, Clone)]
pub struct Detector {
    pub(crate) scorer: Scorer,
    /// A row is an anomaly when its score is above.
    pub(crate) cut: f64,
    /// Leave-one-out scores of the training rows.
    pub(crate) calibration: ScoreQuantiles,
    /// Prepared rows of at least median density, references for explanations.
    pub(crate) typical: Vec<f64>,
    /// Usual rows of the table as they were given, which draws start from; none in files of old.
    pub(crate) usual: Vec<f64>,
    pub(crate) feature_names: Option<Vec<String>>,
    pub(crate) attachment: Option<serde_json::Value>,
    pub(crate) seed: u64,
    pub(crate) report: DetectorReport,
    /// Of the rows it was fitted to; not kept in the model file.
    pub(crate) training: Option<Assessment>,
}

impl Detector {
    /// Scores, p-values and labels of rows, in one pass.
    ///
    /// Rows are taken for new ones. Those the detector was fitted to have a part in the density and so
    /// look more usual than they are: [`training`](Self::training) has their assessment without it.
    ///
    /// # Errors
    /// [`Error::WrongColumns`], here and in every method that takes rows.
    pub fn assess(&self, points: Points) -> Result<Assessment> {
        Ok(self.assessment_of(self.anomaly_score(points)?))
    }

    /// The rows the detector was fitted to, each scored without its own contribution; `None` after
    /// loading, since a model file does not hold them.
    pub fn training(&self) -> Option<&Assessment> {
        self.training.as_ref()
    }

    /// p-values and labels of given anomaly scores of new rows.
    pub fn assessment_of(&self, scores: Vec<f64>) -> Assessment {
        Assessment {
            p_values: self.p_values_of(&scores),
            is_anomaly: self.labels_of(&scores),
            scores,
        }
    }

    fn labels_of(&self, scores: &[f64]) -> Vec<bool> {
        scores.iter().map(|score| *score > self.cut).collect()
    }

    /// −log f(x)² for every row: higher is more anomalous. Always finite.
    ///
    /// A row that differs in a column that was constant in training gets 10 / (b d) on top for each
    /// such column: what five deviations add with the product kernel.
    ///
    /// # Errors
    /// [`Error::WrongColumns`].
    pub fn anomaly_score(&self, points: Points) -> Result<Vec<f64>> {
        self.scorer.anomaly_score(points)
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
        Ok(self.labels_of(&self.anomaly_score(points)?))
    }

    /// log p(x) in the units of the input for every row: a true density over the columns that vary.
    ///
    /// ```text
    /// log p(x) = log p_z(z(x)) + log|det ∂z/∂x|        z: the preparation
    /// ```
    ///
    /// p_z is the density the scores are computed from: that of the densest share of the rows, unless nothing
    /// was trimmed. A row that departs from a constant column has none: −∞.
    ///
    /// # Errors
    /// [`Error::WrongColumns`]; [`Error::Undefined`] for random features, which have no normaliser.
    pub fn log_density(&self, points: Points) -> Result<Vec<f64>> {
        let Scorer { preparation, density, .. } = &self.scorer;
        let prepared = preparation.apply(points)?;
        let prepared = Points::new_unchecked(&prepared, preparation.dimension());
        let mut log_density = density.log_density(prepared)?;
        for (value, row) in log_density.iter_mut().zip(points.iter()) {
            let departs = !preparation.departures(row).is_empty();
            *value = if departs { f64::NEG_INFINITY } else { *value + preparation.log_volume(row) };
        }
        Ok(log_density)
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
        &self.scorer.density
    }

    /// Prepared rows of at least median density, row-major: references for explanations.
    pub fn typical_rows(&self) -> &[f64] {
        &self.typical
    }

    /// Usual rows of the table it was fitted to, one after another, in the units of its input: at
    /// most 2048, evenly spread. Those of a model file without them are the typical rows.
    pub(crate) fn usual_rows(&self) -> Vec<f64> {
        if !self.usual.is_empty() {
            return self.usual.clone();
        }
        let preparation = self.preparation();
        let typical = self.typical.chunks_exact(preparation.dimension());
        typical.flat_map(|row| preparation.restore(row)).collect()
    }

    /// How rows become coordinates.
    pub fn preparation(&self) -> &Preparation {
        &self.scorer.preparation
    }

    /// Names of the input columns, if given.
    pub fn feature_names(&self) -> Option<&[String]> {
        self.feature_names.as_deref()
    }

    /// Leave-one-out scores of the training rows, as p-values need them.
    pub fn calibration(&self) -> &ScoreQuantiles {
        &self.calibration
    }

    /// The seed it was fitted with.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// What [`with_attachment`](Self::with_attachment) stored.
    pub fn attachment(&self) -> Option<&serde_json::Value> {
        self.attachment.as_ref()
    }

    /// Stores something of the caller's beside the model, kept in its file and never interpreted:
    /// the command line keeps here how the cells of a table became numbers.
    pub fn with_attachment(mut self, attachment: serde_json::Value) -> Self {
        self.attachment = Some(attachment);
        self
    }

    /// Stores names for the input columns.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless there is one name per column.
    pub fn with_feature_names(mut self, names: Vec<String>) -> Result<Self> {
        if names.len() != self.preparation().input_columns() {
            return Err(Error::WrongLength {
                what: "feature names",
                expected: self.preparation().input_columns(),
                found: names.len(),
            });
        }
        self.feature_names = Some(names);
        Ok(self)
    }
}
