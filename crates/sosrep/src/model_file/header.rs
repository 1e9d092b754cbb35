//! The JSON entry of a model file: everything but the arrays.
//!
//! Its first field, `format`, is read before the others, so that a file from the future is told
//! from a broken one. Numbers that enter a score are written in the shortest form that reads back
//! to the same bits. Numbers of a report may be NaN or infinite, for which JSON has no word: those
//! are written as the strings "NaN", "inf" and "-inf".

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{FORMAT, ModelKind, bad};
use crate::detector::{ConstantColumn, DetectorReport, RepeatReport};
use crate::error::{Error, Result};
use crate::kernel::KernelKind;
use crate::select::{CurvePoint, SelectOptions, Selection};
use crate::solve::{FitReport, StepRecord, StopReason};

/// The entry.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub(super) format: u64,
    pub(super) library_version: String,
    pub(super) kind: ModelKind,
    pub(super) form: FormKind,
    /// Missing for random features put together by hand.
    pub(super) kernel: Option<KernelKind>,
    pub(super) bandwidth: Option<f64>,
    pub(super) fit: Option<FitEntry>,
    pub(super) detector: Option<DetectorEntry>,
}

/// How f is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FormKind {
    /// f = Σ_i α_i k(x_i, ·).
    Kernel,
    /// f = Σ_t θ_t ψ_t.
    Features,
}

/// The first field of any version.
#[derive(Deserialize)]
struct Version {
    format: u64,
}

impl Header {
    pub(super) fn read(entry: &str) -> Result<Self> {
        let unreadable = |error: serde_json::Error| bad(format!("its entry \"sosrep\": {error}"));
        let Version { format } = serde_json::from_str(entry).map_err(unreadable)?;
        match format {
            FORMAT => serde_json::from_str(entry).map_err(unreadable),
            0 => Err(bad("there is no format version 0")),
            1 => Err(bad("format 1 is that of a library before the first release; fit it again")),
            found => Err(Error::NewerModel { found, supported: FORMAT }),
        }
    }

    pub(super) fn write(&self) -> Result<String> {
        serde_json::to_string(self).map_err(bad)
    }

    /// An error unless the file holds what it is read as.
    pub(super) fn expect(&self, kind: ModelKind) -> Result<()> {
        if self.kind == kind {
            return Ok(());
        }
        let (holds, not) = (self.kind.name(), kind.name());
        Err(bad(format!("it holds a {holds}, not a {not}; read it as a {holds}")))
    }
}

/// What a detector has beyond its density.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DetectorEntry {
    pub(super) threshold: f64,
    pub(super) seed: u64,
    pub(super) feature_names: Option<Vec<String>>,
    /// Training rows behind the calibration, a weight of k counted as k.
    pub(super) calibration_rows: f64,
    pub(super) input_columns: usize,
    pub(super) constant_columns: Vec<ConstantColumn>,
    pub(super) clip: Option<f64>,
    pub(super) whitened: bool,
    /// Left out when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) attachment: Option<serde_json::Value>,
    pub(super) report: ReportEntry,
}

/// What a report says beyond the model.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportEntry {
    pub(super) rows: usize,
    pub(super) distinct_rows: usize,
    pub(super) fitted_rows: usize,
    pub(super) core_rows: usize,
    pub(super) repeats: RepeatReport,
    pub(super) parameters: BTreeMap<String, serde_json::Value>,
    pub(super) selection: Option<SelectionEntry>,
}

impl From<&DetectorReport> for ReportEntry {
    fn from(report: &DetectorReport) -> Self {
        Self {
            rows: report.rows,
            distinct_rows: report.distinct_rows,
            fitted_rows: report.fitted_rows,
            core_rows: report.core_rows,
            repeats: report.repeats,
            parameters: report.parameters.clone(),
            selection: report.selection.as_ref().map(SelectionEntry::from),
        }
    }
}

/// A [`Selection`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SelectionEntry {
    bandwidth: f64,
    options: SelectOptions,
    curve: Vec<CurveEntry>,
}

/// A [`CurvePoint`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CurveEntry {
    bandwidth: f64,
    value: Number,
    iterations: usize,
    residual: Number,
}

impl From<&Selection> for SelectionEntry {
    fn from(selection: &Selection) -> Self {
        let entry = |point: &CurvePoint| CurveEntry {
            bandwidth: point.bandwidth,
            value: point.value.into(),
            iterations: point.iterations,
            residual: point.residual.into(),
        };
        Self {
            bandwidth: selection.bandwidth,
            options: selection.options.clone(),
            curve: selection.curve.iter().map(entry).collect(),
        }
    }
}

impl From<SelectionEntry> for Selection {
    fn from(entry: SelectionEntry) -> Self {
        let point = |entry: CurveEntry| CurvePoint {
            bandwidth: entry.bandwidth,
            value: entry.value.into(),
            iterations: entry.iterations,
            residual: entry.residual.into(),
        };
        let curve = entry.curve.into_iter().map(point).collect();
        Self { bandwidth: entry.bandwidth, options: entry.options, curve }
    }
}

/// A [`FitReport`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FitEntry {
    iterations: usize,
    products: usize,
    stop: StopReason,
    residual: Number,
    objective: Number,
    norm_squared: Number,
    negative_fraction: Number,
    history: Vec<StepEntry>,
}

/// A [`StepRecord`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepEntry {
    residual: Number,
    objective: Number,
}

impl From<&FitReport> for FitEntry {
    fn from(report: &FitReport) -> Self {
        let entry = |step: &StepRecord| StepEntry {
            residual: step.residual.into(),
            objective: step.objective.into(),
        };
        Self {
            iterations: report.iterations,
            products: report.products,
            stop: report.stop,
            residual: report.residual.into(),
            objective: report.objective.into(),
            norm_squared: report.norm_squared.into(),
            negative_fraction: report.negative_fraction.into(),
            history: report.history.iter().map(entry).collect(),
        }
    }
}

impl From<FitEntry> for FitReport {
    fn from(entry: FitEntry) -> Self {
        let step = |entry: StepEntry| StepRecord {
            residual: entry.residual.into(),
            objective: entry.objective.into(),
        };
        Self {
            iterations: entry.iterations,
            products: entry.products,
            stop: entry.stop,
            residual: entry.residual.into(),
            objective: entry.objective.into(),
            norm_squared: entry.norm_squared.into(),
            negative_fraction: entry.negative_fraction.into(),
            history: entry.history.into_iter().map(step).collect(),
        }
    }
}

/// A number that may be NaN or infinite.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Number {
    Finite(f64),
    Other(String),
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        if value.is_finite() { Self::Finite(value) } else { Self::Other(value.to_string()) }
    }
}

impl From<Number> for f64 {
    fn from(number: Number) -> Self {
        match number {
            Number::Finite(value) => value,
            Number::Other(text) => text.parse().unwrap_or(f64::NAN),
        }
    }
}
