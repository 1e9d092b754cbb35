//! The detectors of PyOD and scikit-learn, asked through `python/baselines.py`.
//!
//! The script is part of this library; it runs under a Python that has PyOD. Each of `jobs` workers
//! is one Python process that gets split after split as a file and answers with one line a run.
//! Whatever happens inside of it, an error, a time-out, a crash of a library, is a line in the log.
//! Splits of data sets and splits of generated rows are asked about in the same way.

mod session;
mod worker;

use std::path::{Path, PathBuf};

use crate::campaign::{Campaign, Done, Splits, Watch, unsplit};
use crate::catalogue::Found;
use crate::error::{Error, Result};
use crate::log::Log;
use crate::run::{Run, Setting};
pub(crate) use session::{Reply, Session};

/// How the baselines are run.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// A Python that has PyOD.
    pub python: PathBuf,
    /// Seconds a run may take.
    pub timeout: f64,
    /// Runs side by side, each on one thread.
    pub jobs: usize,
    /// The methods; all that the script has where empty.
    pub methods: Vec<String>,
    /// Those of the methods that are left out.
    pub without: Vec<String>,
}

/// Runs the baselines wherever they are missing from the log.
///
/// # Errors
/// [`Error::Python`] for a Python that does not run or has no PyOD, [`Error::Parameter`] for a
/// method there is not, [`sosrep::Error::Cancelled`] if the watch says so, and whatever is wrong
/// with files.
pub fn run_baselines(
    found: &Found,
    campaign: &Campaign,
    options: &Options,
    log: &mut Log<Run>,
    watch: Watch,
) -> Result<()> {
    let session = Session::open(options)?;
    let done = Done::of(log.entries(), session.versions());
    let tasks = campaign.missing(&done, &session.methods()?);
    let splits = || {
        let mut splits = Splits::new(found);
        move |setting: &Setting| splits.make(setting)
    };
    let mut take = |reply: Reply<Setting>| {
        let Reply { setting, method, outcome } = reply;
        log.append(outcome.unwrap_or_else(|message| unsplit(&setting, &method, &message, "")))
    };
    session.ask(tasks, splits, &mut take, watch)
}

fn failed(python: &Path, problem: &str) -> Error {
    Error::Python { python: python.display().to_string(), problem: problem.to_string() }
}
