//! Which runs are compared, and by what.

use crate::protocol::{Noise, Protocol};
use crate::run::{Run, Status};

/// Which runs are set against each other: those of one protocol and one noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    /// The protocol.
    pub protocol: Protocol,
    /// The noise.
    pub noise: Noise,
}

/// ADBench's protocol without noise.
impl Default for Condition {
    fn default() -> Self {
        Self { protocol: Protocol::AdBench, noise: Noise::default() }
    }
}

impl Condition {
    /// ADBench's protocol with the anomalies copied so many times.
    pub fn duplicated(duplicates: usize) -> Self {
        Self { noise: Noise { duplicates, ..Noise::default() }, ..Self::default() }
    }

    /// Whether a run is one of them.
    pub fn holds(&self, run: &Run) -> bool {
        let Noise { duplicates, jitter, irrelevant_features } = self.noise;
        run.protocol == self.protocol
            && run.duplicates == duplicates
            && run.jitter == jitter
            && run.irrelevant_features == irrelevant_features
    }
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Area under the ROC curve.
    AucRoc,
    /// Average precision.
    AveragePrecision,
    /// Wall time of fit and score.
    Seconds,
}

impl Measure {
    /// Its value in a run that is done; a number that is not finite is no value.
    pub(super) fn of(self, run: &Run) -> Option<f64> {
        let value = match self {
            Self::AucRoc => run.auc_roc,
            Self::AveragePrecision => run.average_precision,
            Self::Seconds => run.seconds(),
        };
        value.filter(|value| value.is_finite() && run.status == Status::Done)
    }
}
