//! `sosrep adbench`: the data sets of ADBench, splits of them, and runs on the splits.

mod all;
mod report;

use std::ops::ControlFlow;
use std::thread;

use sosrep_adbench::baselines::{Options, run_baselines};
use sosrep_adbench::experiment::Request;
use sosrep_adbench::{
    Campaign, Entry, Experiment, Found, Log, Noise, Run, RunFolder, Splits, Status, experiment,
    export, find, named, run_methods,
};

use crate::args::adbench::{
    AdbenchCommand, BaselinesCommand, ExperimentCommand, ListArgs, PythonArgs, RunCommand,
    SplitArgs, SplitCommand,
};
use crate::failure::{Failure, Result, user};
use crate::progress::Phases;
use crate::terminal::{Terminal, table};

/// Does what was asked.
pub(crate) fn adbench(command: &AdbenchCommand) -> Result<()> {
    match command {
        AdbenchCommand::List(args) => list(args),
        AdbenchCommand::Split(args) => split_files(args),
        AdbenchCommand::Run(args) => run(args),
        AdbenchCommand::Baselines(args) => baselines(args),
        AdbenchCommand::Experiment(args) => experiments(args),
        AdbenchCommand::Report(args) => report::report(args),
        AdbenchCommand::All(args) => all::all(args),
    }
}

/// Every data set of ADBench, whether its file is there or not.
fn list(args: &ListArgs) -> Result<()> {
    let found = find(&args.data)?;
    let row = |entry: &Entry| {
        let present = found.present.iter().any(|(there, _)| there == entry);
        let number = |pick: fn(&sosrep_adbench::Shape) -> usize| {
            entry.facts.map_or_else(|| "?".to_string(), |facts| pick(&facts.shape).to_string())
        };
        vec![
            entry.to_string(),
            number(|shape| shape.rows),
            number(|shape| shape.columns),
            number(|shape| shape.anomalies),
            if present { "yes" } else { "missing" }.to_string(),
        ]
    };
    let rows: Vec<_> = sosrep_adbench::all().iter().map(row).collect();
    let header = ["data set", "rows", "columns", "anomalies", "file"];
    let terminal = Terminal { quiet: false, to_stderr: false };
    terminal.show(&table(&header, &rows, &[1, 2, 3]))?;
    terminal.remark(&format!(
        "{} of {} data sets are in {}",
        found.present.len(),
        rows.len(),
        args.data.display()
    ));
    Ok(())
}

/// Splits as files.
fn split_files(args: &SplitCommand) -> Result<()> {
    let (found, campaign) = campaign(&args.splits, args.quiet)?;
    std::fs::create_dir_all(&args.out)
        .map_err(|error| user(format!("cannot make the folder {}: {error}", args.out.display())))?;
    let settings = campaign.settings();
    let mut phases = Phases::new(args.quiet);
    let mut splits = Splits::new(&found);
    for (done, setting) in settings.iter().enumerate() {
        if !phases.show("splitting", done as u64, Some(settings.len() as u64)) {
            return Err(Failure::Paused);
        }
        let split = splits.make(setting)?.map_err(user)?;
        export(&split, args.out.join(format!("{}.npz", setting.file_stem())))?;
    }
    phases.clear();
    let terminal = Terminal { quiet: args.quiet, to_stderr: false };
    terminal.remark(&format!("{} splits are in {}", settings.len(), args.out.display()));
    Ok(())
}

/// This program's detector.
fn run(args: &RunCommand) -> Result<()> {
    let (found, campaign) = campaign(&args.splits, args.quiet)?;
    with_log(&RunFolder::make(&args.out)?, args.quiet, |log, watch| {
        Ok(run_methods(&found, &campaign, &args.methods, log, watch)?)
    })
}

/// Those of PyOD and scikit-learn.
fn baselines(args: &BaselinesCommand) -> Result<()> {
    let (found, campaign) = campaign(&args.splits, args.quiet)?;
    let options = options(&args.python, &args.methods)?;
    with_log(&RunFolder::make(&args.out)?, args.quiet, |log, watch| {
        Ok(run_baselines(&found, &campaign, &options, log, watch)?)
    })
}

fn options(args: &PythonArgs, methods: &[String]) -> Result<Options> {
    if args.timeout.is_nan() || args.timeout <= 0.0 {
        return Err(user(format!("--timeout is {}; it must be positive", args.timeout)));
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    Ok(Options {
        python: args.python.clone(),
        timeout: args.timeout,
        jobs: args.jobs.unwrap_or(cores).max(1),
        methods: methods.to_vec(),
        without: Vec::new(),
    })
}

/// The experiments that are not about runs.
fn experiments(args: &ExperimentCommand) -> Result<()> {
    let names = if args.names.is_empty() { &Experiment::ALL[..] } else { &args.names };
    let found = args.data.as_ref().map(find).transpose()?;
    let data_set = args.data_set.as_deref().map(named).transpose()?;
    let baselines = args.python.given().map(|given| options(&given, &[])).transpose()?;
    if baselines.is_none() && names.contains(&Experiment::Families) {
        let terminal = Terminal { quiet: args.quiet, to_stderr: true };
        terminal.remark("families: without --python this program's detector runs alone");
    }
    let request = Request {
        found: found.as_ref(),
        seed: args.seed,
        data_set: data_set.as_ref(),
        baselines: baselines.as_ref(),
    };
    run_experiments(names, &request, &RunFolder::make(&args.out)?, args.quiet)
}

fn run_experiments(
    names: &[Experiment],
    request: &Request,
    folder: &RunFolder,
    quiet: bool,
) -> Result<()> {
    for &name in names {
        let mut phases = Phases::new(quiet);
        experiment::run(name, request, &folder.experiments(), &mut |what, done, of| {
            shown(&mut phases, name.name(), what, done, of)
        })?;
        phases.clear();
        Terminal { quiet, to_stderr: false }.remark(&format!("done: {}", name.purpose()));
    }
    Ok(())
}

/// One word to the bar.
fn shown(
    phases: &mut Phases,
    phase: &'static str,
    what: &str,
    done: usize,
    of: usize,
) -> ControlFlow<()> {
    phases.detail(what);
    if phases.show(phase, done as u64, Some(of as u64)) {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}

/// The splits asked for; data sets that are missing are told.
fn campaign(args: &SplitArgs, quiet: bool) -> Result<(Found, Campaign)> {
    let found = find(&args.data)?;
    let entries = entries(&found, &args.data_sets, quiet)?;
    let noise = |&duplicates: &usize| Noise {
        duplicates,
        jitter: args.jitter,
        irrelevant_features: args.irrelevant,
    };
    let campaign = Campaign {
        entries,
        protocol: args.protocol.into(),
        noise: args.duplicates.iter().map(noise).collect(),
        seeds: args.seeds.0.clone(),
    };
    campaign.check(&found)?;
    Ok((found, campaign))
}

/// The data sets asked for, or all that are at hand; those that are not are told.
fn entries(found: &Found, names: &[String], quiet: bool) -> Result<Vec<Entry>> {
    if !names.is_empty() {
        return Ok(names.iter().map(|name| named(name)).collect::<Result<_, _>>()?);
    }
    if !found.missing.is_empty() {
        let missing: Vec<String> = found.missing.iter().map(ToString::to_string).collect();
        let terminal = Terminal { quiet, to_stderr: true };
        terminal.remark(&format!("missing, and not in any mean: {}", missing.join(", ")));
    }
    Ok(found.present.iter().map(|(entry, _)| *entry).collect())
}

/// Does work that goes on in the log of a folder, with a bar, and says how it went.
fn with_log(
    folder: &RunFolder,
    quiet: bool,
    work: impl FnOnce(
        &mut Log<Run>,
        &mut dyn FnMut(&str, usize, usize) -> ControlFlow<()>,
    ) -> Result<()>,
) -> Result<()> {
    let mut log = folder.log()?;
    let before = log.entries().len();
    let mut phases = Phases::new(quiet);
    let outcome =
        work(&mut log, &mut |what, done, of| shown(&mut phases, "running", what, done, of));
    phases.clear();
    let terminal = Terminal { quiet, to_stderr: false };
    let new = &log.entries()[before..];
    let failed = new.iter().filter(|run| run.status != Status::Done).count();
    terminal.remark(&format!(
        "{} runs were done and {before} were there before; {failed} of the new ones have no result",
        new.len()
    ));
    outcome
}
