//! The JSON entry of a model file: everything but the arrays.
//!
//! Its first field, `format`, is read before the others, so that a file of a newer format
//! is not taken for a broken one. Numbers that enter a score are written in the shortest form that reads back
//! to the same bits. Numbers of a report may be NaN or infinite, which JSON cannot represent: those
//! are null, and read back as NaN.

use serde::{Deserialize, Serialize};

use super::{FORMAT, ModelKind, bad};
use crate::detector::{ConstantColumn, DetectorReport};
use crate::error::{Error, Result};
use crate::kernel::KernelKind;
use crate::solve::FitReport;
use crate::source_columns::SourceColumn;

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
    pub(super) fit: Option<FitReport>,
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
            1..FORMAT => Err(bad(format!(
                "format {format} is that of a library before the first release; fit it again"
            ))),
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
    /// Training rows of the calibration, a weight of k counted as k.
    pub(super) calibration_rows: f64,
    /// The columns that the features of a row come from; left out when each is a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) columns: Option<Vec<SourceColumn>>,
    pub(super) constant_features: Vec<ConstantColumn>,
    /// Where missing values stand, a number for every column that varies and may be missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) missing_places: Vec<f64>,
    pub(super) clip: Option<f64>,
    pub(super) whitened: bool,
    /// Left out when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) attachment: Option<serde_json::Value>,
    pub(super) report: DetectorReport,
}
