//! The default detector beside others on generated rows, of which it is known what is strange.
//!
//! Han et al. 2022 (ADBench), Sections 3.3 and 4.3, 4.4: four kinds of anomalies (`generate`), one
//! lever at a time (`case`).
//!
//! ```text
//! base            2000 rows, 10 columns, 5 % anomalies
//! irrelevant      columns that say nothing: 0, 10, 50, 100 % of the others
//! contamination   1, 5, 10, 20, 40 %
//! rows            100, 1000, 2000, 10 000
//! columns         2, 10, 50, 200, 500
//! ```
//!
//! Splits and scaling are those of ADBench's protocol: 70 % of the rows, stratified, are fitted
//! without their labels, columns are scaled to \[0, 1\] by them, the others are scored. Three seeds,
//! one from 400 000 values on. The others are PyOD's isolation forest, ECOD, HBOS, k-nearest
//! neighbours, LOF and MCD with its defaults; without a Python that has them, ours runs alone. A run
//! of theirs has one thread and at most 40 seconds; ours has all threads.
//!
//! One line a run is appended as soon as it is known; a second run goes on from there. The lines of
//! the others come in any order where several run side by side; no number depends on that.
//!
//! Differs from the paper: it has no such experiment.

mod case;
mod generate;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Request, Watch};
use crate::baselines::{Options, Reply, Session};
use crate::campaign::{Task, or_reason};
use crate::error::Result;
use crate::log::Log;
use crate::method::{Method, VERSIONS};
use crate::run::{Run, Status};
use case::{Case, Kind, Lever};

/// Ours.
const METHOD: Method = Method::Default;

/// The others, unless the options name some.
const PEERS: [&str; 6] = ["IForest", "ECOD", "HBOS", "KNN", "LOF", "MCD"];

/// Seconds a run of theirs may compute at most.
const LONGEST: f64 = 40.0;

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Row {
    kind: Kind,
    lever: Lever,
    /// The value of the lever; empty for the base setting.
    value: Option<f64>,
    rows: usize,
    columns: usize,
    contamination: f64,
    irrelevant: f64,
    seed: u64,
    method: String,
    status: Status,
    auc_roc: Option<f64>,
    average_precision: Option<f64>,
    fit_seconds: Option<f64>,
    score_seconds: Option<f64>,
    versions: String,
    message: String,
}

impl Row {
    /// A run on a case, or why there were no rows for it.
    fn new(case: &Case, method: &str, outcome: std::result::Result<Run, String>) -> Self {
        let run = outcome.as_ref().ok();
        Self {
            kind: case.kind,
            lever: case.lever,
            value: case.value(case.lever),
            rows: case.rows,
            columns: case.columns,
            contamination: case.contamination,
            irrelevant: case.irrelevant,
            seed: case.seed,
            method: method.to_string(),
            status: run.map_or(Status::Failed, |run| run.status),
            auc_roc: run.and_then(|run| run.auc_roc),
            average_precision: run.and_then(|run| run.average_precision),
            fit_seconds: run.and_then(|run| run.fit_seconds),
            score_seconds: run.and_then(|run| run.score_seconds),
            versions: run.map_or(String::new(), |run| run.versions.clone()),
            message: outcome.map_or_else(|message| message, |run| run.message),
        }
    }

    fn case(&self) -> Case {
        let Self { kind, lever, rows, columns, contamination, irrelevant, seed, .. } = *self;
        Case { kind, lever, rows, columns, contamination, irrelevant, seed }
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join("families.csv")
}

/// Runs what the file has not: ours, then the others where there is a Python.
pub(super) fn run(request: &Request, folder: &Path, watch: Watch) -> Result<()> {
    let mut log: Log<Row> = Log::open(file(folder))?;
    run_cases(&Case::all(request.seed), request.baselines, &mut log, watch)
}

fn run_cases(
    cases: &[Case],
    baselines: Option<&Options>,
    log: &mut Log<Row>,
    watch: Watch,
) -> Result<()> {
    run_ours(cases, log, watch)?;
    baselines.map_or(Ok(()), |options| run_peers(cases, options, log, watch))
}

/// The cases, each with the methods that have no line yet. As in a campaign, a method that was not
/// installed is asked again once versions change.
fn missing(cases: &[Case], methods: &[&str], log: &Log<Row>, versions: &str) -> Vec<Task<Case>> {
    let has = |case: &Case, method: &str| {
        log.entries().iter().any(|row| {
            let counts = row.status != Status::Unavailable || row.versions == versions;
            row.method == method && counts && row.case() == *case
        })
    };
    let task = |case: &Case| {
        let lacking = methods.iter().filter(|method| !has(case, method));
        Task { setting: *case, methods: lacking.map(ToString::to_string).collect() }
    };
    cases.iter().map(task).filter(|task| !task.methods.is_empty()).collect()
}

fn run_ours(cases: &[Case], log: &mut Log<Row>, watch: Watch) -> Result<()> {
    let tasks = missing(cases, &[METHOD.name()], log, VERSIONS);
    for (done, Task { setting: case, .. }) in tasks.iter().enumerate() {
        let what = format!("{METHOD} on {case}");
        let mut monitor = |_: &sosrep::Progress| watch(&what, done, tasks.len());
        let outcome = match or_reason(case.split())? {
            Ok(split) => Ok(METHOD.run(&split, None, &mut monitor)?),
            Err(message) => Err(message),
        };
        log.append(Row::new(case, METHOD.name(), outcome))?;
    }
    Ok(())
}

fn run_peers(cases: &[Case], options: &Options, log: &mut Log<Row>, watch: Watch) -> Result<()> {
    let peers = || PEERS.map(String::from).to_vec();
    let named = !options.methods.is_empty();
    let options = Options {
        timeout: options.timeout.min(LONGEST),
        methods: if named { options.methods.clone() } else { peers() },
        ..options.clone()
    };
    let session = Session::open(&options)?;
    let tasks = missing(cases, &session.methods()?, log, session.versions());
    let splits = || |case: &Case| or_reason(case.split());
    let mut take = |Reply { setting, method, outcome }: Reply<Case>| {
        log.append(Row::new(&setting, &method, outcome))
    };
    session.ask(tasks, splits, &mut take, watch)
}

#[cfg(test)]
mod tests;
