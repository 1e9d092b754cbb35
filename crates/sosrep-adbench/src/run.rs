//! One run of one method on one split: a line of `runs.csv`.
//!
//! A failure and a time-out are lines too: a mean that leaves a data set out can say so.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::protocol::{Noise, Origin, Protocol, Split};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// With scores.
    Done,
    /// With an error, or scores that are not numbers.
    Failed,
    /// Stopped, because it took too long.
    TimedOut,
    /// Not begun: the method is not installed.
    Unavailable,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::TimedOut => "timed out",
            Self::Unavailable => "unavailable",
        })
    }
}

/// Which rows a run saw: data set, protocol, noise and seed decide them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The data set, as in `14_glass`.
    pub data_set: String,
    /// The protocol.
    pub protocol: Protocol,
    /// The noise.
    pub noise: Noise,
    /// The seed.
    pub seed: u64,
}

impl From<&Origin> for Setting {
    fn from(origin: &Origin) -> Self {
        Self {
            data_set: origin.data_set.clone(),
            protocol: origin.protocol,
            noise: origin.noise,
            seed: origin.seed,
        }
    }
}

impl Setting {
    /// A name for its file: `14_glass-seed-1`, `14_glass-times-5-seed-1`.
    pub fn file_stem(&self) -> String {
        let Self { data_set, protocol, noise, seed } = self;
        let mut stem = data_set.clone();
        if *protocol == Protocol::Authors {
            stem += "-authors";
        }
        if noise.duplicates > 1 {
            stem += &format!("-times-{}", noise.duplicates);
        }
        if let Some(jitter) = noise.jitter {
            stem += &format!("-jitter-{jitter}");
        }
        if noise.irrelevant_features > 0.0 {
            stem += &format!("-irrelevant-{}", noise.irrelevant_features);
        }
        stem + &format!("-seed-{seed}")
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { data_set, noise, seed, .. } = self;
        write!(f, "{data_set}, seed {seed}")?;
        if noise.duplicates > 1 {
            write!(f, ", anomalies ×{}", noise.duplicates)?;
        }
        match noise.jitter {
            Some(jitter) => write!(f, " jittered by {jitter}"),
            None => Ok(()),
        }
    }
}

/// A line of `runs.csv`; flat, because that is what a table is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The data set, as in `14_glass`.
    pub data_set: String,
    /// The protocol.
    pub protocol: Protocol,
    /// The seed.
    pub seed: u64,
    /// How many times as many anomalies.
    pub duplicates: usize,
    /// Noise on the copies, empty for exact ones.
    pub jitter: Option<f64>,
    /// Irrelevant columns, as a share of the others.
    pub irrelevant_features: f64,
    /// The method.
    pub method: String,
    /// Its parameters, as JSON.
    pub parameters: String,
    /// How it ended.
    pub status: Status,
    /// Area under the ROC curve, of the test rows.
    pub auc_roc: Option<f64>,
    /// Average precision, of the test rows.
    pub average_precision: Option<f64>,
    /// Wall time of the fit.
    pub fit_seconds: Option<f64>,
    /// Wall time of scoring the test rows.
    pub score_seconds: Option<f64>,
    /// Training rows.
    pub train_rows: usize,
    /// Test rows.
    pub test_rows: usize,
    /// Columns.
    pub columns: usize,
    /// The bandwidth, of a method that has one.
    pub bandwidth: Option<f64>,
    /// Steps of the last solve.
    pub iterations: Option<usize>,
    /// Residual of the last solve.
    pub residual: Option<f64>,
    /// What ran: libraries and versions.
    pub versions: String,
    /// What went wrong.
    pub message: String,
}

impl Run {
    /// A run that has not ended yet: its results are empty.
    pub fn begun(setting: &Setting, method: &str) -> Self {
        let Setting { data_set, protocol, noise, seed } = setting;
        Self {
            data_set: data_set.clone(),
            protocol: *protocol,
            seed: *seed,
            duplicates: noise.duplicates,
            jitter: noise.jitter,
            irrelevant_features: noise.irrelevant_features,
            method: method.to_string(),
            parameters: String::new(),
            status: Status::Failed,
            auc_roc: None,
            average_precision: None,
            fit_seconds: None,
            score_seconds: None,
            train_rows: 0,
            test_rows: 0,
            columns: 0,
            bandwidth: None,
            iterations: None,
            residual: None,
            versions: String::new(),
            message: String::new(),
        }
    }

    /// The same, of a split that was made.
    pub fn begun_on(split: &Split, method: &str) -> Self {
        Self {
            train_rows: split.train.rows.len(),
            test_rows: split.test.rows.len(),
            columns: split.columns,
            ..Self::begun(&Setting::from(&split.origin), method)
        }
    }

    /// Which rows it saw.
    pub fn setting(&self) -> Setting {
        let Self { duplicates, jitter, irrelevant_features, .. } = *self;
        Setting {
            data_set: self.data_set.clone(),
            protocol: self.protocol,
            noise: Noise { duplicates, jitter, irrelevant_features },
            seed: self.seed,
        }
    }

    /// Fit and score, if it ended.
    pub fn seconds(&self) -> Option<f64> {
        Some(self.fit_seconds? + self.score_seconds?)
    }
}
