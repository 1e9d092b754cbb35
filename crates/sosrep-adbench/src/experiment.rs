//! The experiments of the SOSREP paper beside its benchmark, and two of our own, each one command:
//! what is measured goes to CSV files, and the report is made from those files alone.
//!
//! | experiment | paper | needs data | seconds |
//! |---|---|---|---|
//! | [`fisher`] | Section "Fisher-Divergence Based Hyperparameter Tuning" | yes | 240 |
//! | [`gradients`] | Section "Natural-Gradient vs Standard Gradient Comparison" | yes | 900 |
//! | [`clusters`] | supplement, "Difference Between SOSREP and KDE for Real Data" | yes | 60 |
//! | [`two_blocks`] | supplement, "Difference between SOSREP and KDE Models" | no | 1 |
//! | [`consistency`] | Section "Consistency" | no | 400 |
//! | [`sampling`] | Section "Kernel Evaluation via Sampling" | no | 25 |
//! | [`families`] | none; ADBench's kinds of anomalies, on generated rows | no | 40, and 590 of the others |
//! | [`thresholds`] | none; what the default detector flags | yes | 90 |
//!
//! Seconds were measured on two cores that had other work as well; those of the last two are seconds
//! of computing.
//!
//! A file appears whole or not at all, except those of `gradients`, `consistency`, `families` and
//! `thresholds`: they are logs that grow by a line, and a run that was stopped goes on where it was.
//! The same seed gives the same numbers, whatever the number of threads.

pub mod clusters;
pub mod consistency;
pub mod families;
pub mod fisher;
pub mod gradients;
mod random;
pub mod sampling;
pub(crate) mod table;
pub mod thresholds;
pub mod two_blocks;

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::str::FromStr;

use crate::baselines::Options;
use crate::campaign::Watch;
use crate::catalogue::{Entry, Found};
use crate::error::{Error, Result};

/// An experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Experiment {
    /// Fisher divergence against the bandwidth.
    Fisher,
    /// Negative values under natural and standard gradients.
    Gradients,
    /// SOSREP and KDE on two clusters of real rows.
    Clusters,
    /// SOSREP and KDE on two blocks.
    TwoBlocks,
    /// The error of the density against the number of rows.
    Consistency,
    /// The error of the sampled kernel against the number of samples.
    Sampling,
    /// Kinds of anomalies, on generated rows.
    Families,
    /// Precision and recall by how the threshold is chosen.
    Thresholds,
}

impl Experiment {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Fisher,
        Self::Gradients,
        Self::Clusters,
        Self::TwoBlocks,
        Self::Consistency,
        Self::Sampling,
        Self::Families,
        Self::Thresholds,
    ];

    /// The name used in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fisher => "fisher",
            Self::Gradients => "gradients",
            Self::Clusters => "clusters",
            Self::TwoBlocks => "two-blocks",
            Self::Consistency => "consistency",
            Self::Sampling => "sampling",
            Self::Families => "families",
            Self::Thresholds => "thresholds",
        }
    }

    /// What it shows, in a line.
    pub fn purpose(self) -> &'static str {
        match self {
            Self::Fisher => "Fisher divergence against the bandwidth, and what it chooses",
            Self::Gradients => "negative values of f under the natural and the standard gradient",
            Self::Clusters => "SOSREP and KDE on two clusters of the letter data set",
            Self::TwoBlocks => "SOSREP and KDE on two blocks, computed and in closed form",
            Self::Consistency => "error of the density against the number of rows",
            Self::Sampling => "error of the sampled kernel against the number of samples",
            Self::Families => "kinds of anomalies on generated rows, beside other detectors",
            Self::Thresholds => "precision, recall and F1 by how the threshold is chosen",
        }
    }

    /// Whether its file is in the folder and nothing is to be added: never for one that is written
    /// line by line, which knows itself where to go on.
    pub fn is_finished(self, folder: &Path) -> bool {
        match self {
            Self::Gradients | Self::Consistency | Self::Families | Self::Thresholds => false,
            whole => folder.join(format!("{whole}.csv")).exists(),
        }
    }

    /// Whether it runs on data sets of ADBench.
    pub fn needs_data(self) -> bool {
        matches!(self, Self::Fisher | Self::Gradients | Self::Clusters | Self::Thresholds)
    }
}

impl fmt::Display for Experiment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Experiment {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|experiment| experiment.name() == name);
        found.ok_or_else(|| Error::UnknownExperiment {
            name: name.to_string(),
            names: Self::ALL.map(Self::name).join(", "),
        })
    }
}

/// What an experiment is run with.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// The data sets at hand.
    pub found: Option<&'a Found>,
    /// The seed of every random choice.
    pub seed: u64,
    /// The data set of [`Experiment::Fisher`]; the others have theirs.
    pub data_set: Option<&'a Entry>,
    /// How other detectors are run, for [`Experiment::Families`]; without, ours runs alone.
    pub baselines: Option<&'a Options>,
}

impl<'a> Request<'a> {
    fn data(&self, experiment: Experiment) -> Result<&'a Found> {
        self.found.ok_or(Error::NeedsData { experiment: experiment.name() })
    }
}

/// Tells the watch, and turns its wish to stop into an error.
fn tell(watch: Watch, what: &str, done: usize, of: usize) -> Result<()> {
    match watch(what, done, of) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(sosrep::Error::Cancelled.into()),
    }
}

/// Runs an experiment and writes its files to a folder.
///
/// # Errors
/// [`Error::NeedsData`], a data set that is missing or damaged, [`Error::Python`], [`Error::Core`]
/// with [`sosrep::Error::Cancelled`] when the watch stops it, or a file that cannot be written.
pub fn run(experiment: Experiment, request: &Request, folder: &Path, watch: Watch) -> Result<()> {
    match experiment {
        Experiment::Fisher => fisher::run(request, folder, watch),
        Experiment::Gradients => gradients::run(request, folder, watch),
        Experiment::Clusters => clusters::run(request, folder, watch),
        Experiment::TwoBlocks => two_blocks::run(folder, watch),
        Experiment::Consistency => consistency::run(request, folder, watch),
        Experiment::Sampling => sampling::run(request, folder, watch),
        Experiment::Families => families::run(request, folder, watch),
        Experiment::Thresholds => thresholds::run(request, folder, watch),
    }
}
