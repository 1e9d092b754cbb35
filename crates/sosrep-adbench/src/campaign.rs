//! Runs of many methods on many settings, into a log that knows which of them are done.
//!
//! A campaign that is stopped, or killed, goes on where it was: a run that is in the log is not
//! repeated. Seeds are the inner loop, so that the file of a data set is read once for all of them.

use std::collections::HashSet;
use std::ops::ControlFlow;

use crate::catalogue::{Entry, Found};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::log::Log;
use crate::method::{self, Method};
use crate::protocol::{Noise, Protocol, Split, split};
use crate::run::{Run, Setting, Status};

/// Hears what is being done, how many parts of it are done, and of how many; may stop it.
pub type Watch<'a> = &'a mut dyn FnMut(&str, usize, usize) -> ControlFlow<()>;

/// Which splits are made.
#[derive(Debug, Clone, PartialEq)]
pub struct Campaign {
    /// The data sets.
    pub entries: Vec<Entry>,
    /// The protocol.
    pub protocol: Protocol,
    /// The kinds of noise.
    pub noise: Vec<Noise>,
    /// The seeds.
    pub seeds: Vec<u64>,
}

impl Campaign {
    /// Every setting, in the order they are run.
    pub fn settings(&self) -> Vec<Setting> {
        let mut settings = Vec::new();
        for noise in &self.noise {
            for entry in &self.entries {
                for &seed in &self.seeds {
                    let (data_set, protocol) = (entry.to_string(), self.protocol);
                    settings.push(Setting { data_set, protocol, noise: *noise, seed });
                }
            }
        }
        settings
    }

    /// An error if a data set is missing or noise is outside its domain, before any work is done.
    ///
    /// # Errors
    /// [`Error::MissingDataSet`](crate::Error::MissingDataSet),
    /// [`Error::Parameter`](crate::Error::Parameter).
    pub fn check(&self, found: &Found) -> Result<()> {
        self.noise.iter().try_for_each(Noise::check)?;
        self.entries.iter().try_for_each(|entry| found.path(entry).map(drop))
    }

    /// What is missing from a log: settings, each with the methods that have not run on it.
    pub fn missing(&self, done: &Done, methods: &[&str]) -> Vec<Task> {
        let task = |setting: Setting| {
            let missing = methods.iter().filter(|method| !done.has(&setting, method));
            Task { methods: missing.map(ToString::to_string).collect(), setting }
        };
        let tasks = self.settings().into_iter().map(task);
        tasks.filter(|task| !task.methods.is_empty()).collect()
    }
}

/// Methods to run on a setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Task<T = Setting> {
    /// The setting.
    pub setting: T,
    /// The methods.
    pub methods: Vec<String>,
}

/// The runs that a log has.
#[derive(Debug, Default)]
pub struct Done(HashSet<String>);

impl Done {
    /// Those of a log. A method that was not installed is not done, unless the same versions would
    /// be asked again.
    pub fn of(runs: &[Run], versions: &str) -> Self {
        let counts = |run: &&Run| run.status != Status::Unavailable || run.versions == versions;
        let name = |run: &Run| Self::name(&run.setting(), &run.method);
        Self(runs.iter().filter(counts).map(name).collect())
    }

    /// Whether a run is there.
    pub fn has(&self, setting: &Setting, method: &str) -> bool {
        self.0.contains(&Self::name(setting, method))
    }

    fn name(setting: &Setting, method: &str) -> String {
        let Setting { data_set, protocol, noise, seed } = setting;
        format!("{data_set} {protocol:?} {noise:?} {seed} {method}")
    }
}

/// What runs on every split.
#[derive(Debug, Clone, Copy)]
pub struct Work<'a> {
    /// The methods.
    pub methods: &'a [Method],
    /// Most distinct rows that they fit; more are represented by a sample. `None` for what the
    /// memory allows.
    pub most_rows: Option<usize>,
}

/// Runs this library's methods wherever they are missing from the log.
///
/// # Errors
/// [`sosrep::Error::Cancelled`] if the watch says so, and whatever is wrong with files; what goes
/// wrong with a split or a fit is in the log.
pub fn run_methods(
    found: &Found,
    campaign: &Campaign,
    work: Work,
    log: &mut Log<Run>,
    watch: Watch,
) -> Result<()> {
    let Work { methods, most_rows } = work;
    let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
    let tasks = campaign.missing(&Done::of(log.entries(), method::VERSIONS), &names);
    let of: usize = tasks.iter().map(|task| task.methods.len()).sum();
    let mut splits = Splits::new(found);
    let mut done = 0;
    for task in tasks {
        let split = splits.make(&task.setting)?;
        for method in
            methods.iter().filter(|method| task.methods.iter().any(|m| m == method.name()))
        {
            let what = format!("{method} on {}", task.setting);
            let mut monitor = |_: &sosrep::Progress| watch(&what, done, of);
            let run = match &split {
                Ok(split) => method.run(split, most_rows, &mut monitor)?,
                Err(message) => unsplit(&task.setting, method.name(), message, method::VERSIONS),
            };
            log.append(run)?;
            done += 1;
        }
    }
    Ok(())
}

/// A run whose rows could not be made.
pub(crate) fn unsplit(setting: &Setting, method: &str, message: &str, versions: &str) -> Run {
    let (message, versions) = (message.to_string(), versions.to_string());
    Run { message, versions, ..Run::begun(setting, method) }
}

/// Makes splits, and keeps the data set of the last one.
#[derive(Debug)]
pub struct Splits<'a> {
    found: &'a Found,
    last: Option<Dataset>,
}

impl<'a> Splits<'a> {
    /// Of the data sets at hand.
    pub fn new(found: &'a Found) -> Self {
        Self { found, last: None }
    }

    /// A split, or why the protocol does not give one.
    ///
    /// # Errors
    /// A data set that is missing or damaged, noise outside its domain.
    pub fn make(&mut self, setting: &Setting) -> Result<std::result::Result<Split, String>> {
        let entry = crate::catalogue::named(&setting.data_set)?;
        let dataset = match self.last.take() {
            Some(dataset) if *dataset.entry() == entry => dataset,
            _ => self.found.read(&entry)?,
        };
        let split = split(&dataset, setting.protocol, &setting.noise, setting.seed);
        self.last = Some(dataset);
        or_reason(split)
    }
}

/// A split, or why the protocol does not give one, which is a result and no error.
pub(crate) fn or_reason(split: Result<Split>) -> Result<std::result::Result<Split, String>> {
    match split {
        Err(problem @ crate::Error::TooFewRows { .. }) => Ok(Err(problem.to_string())),
        other => other.map(Ok),
    }
}
