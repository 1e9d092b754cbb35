//! Doing what was asked.

mod all;

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;

use sosrep::KernelKind;
use sosrep_adbench::baselines::{Options, run_baselines};
use sosrep_adbench::campaign::Watch;
use sosrep_adbench::experiment::Request;
use sosrep_adbench::readings::{measure_curves, write_readings};
use sosrep_adbench::{
    Campaign, Entry, Error, Experiment, Found, Log, Noise, Result, Run, RunFolder, Splits, Status,
    Work, experiment, export, find, named, python, run_methods,
};

use crate::args::{
    BaselinesCommand, Command, CurvesCommand, ExperimentCommand, ListArgs, PythonArgs,
    ReportCommand, RunCommand, SplitArgs, SplitCommand,
};
use crate::progress::Bar;

/// Does what was asked.
pub(crate) fn run(command: &Command) -> Result<()> {
    match command {
        Command::List(args) => list(args),
        Command::Split(args) => split_files(args),
        Command::Run(args) => methods(args),
        Command::Curves(args) => curves(args),
        Command::Baselines(args) => baselines(args),
        Command::Experiment(args) => experiments(args),
        Command::Report(args) => report(args),
        Command::All(args) => all::all(args),
    }
}

fn remark(quiet: bool, words: &str) {
    if !quiet {
        eprintln!("{words}");
    }
}

/// Every data set of ADBench, whether its file is there or not.
fn list(args: &ListArgs) -> Result<()> {
    let found = find(&args.data)?;
    println!("{:<20} {:>7} {:>8} {:>10}  file", "data set", "rows", "columns", "anomalies");
    for entry in sosrep_adbench::all() {
        let [rows, columns, anomalies] = entry.facts.map_or(["?"; 3].map(String::from), |facts| {
            [facts.shape.rows, facts.shape.columns, facts.shape.anomalies].map(|n| n.to_string())
        });
        let present = found.present.iter().any(|(there, _)| there == entry);
        let file = if present { "yes" } else { "missing" };
        println!("{:<20} {rows:>7} {columns:>8} {anomalies:>10}  {file}", entry.to_string());
    }
    let (there, all) = (found.present.len(), sosrep_adbench::all().len());
    eprintln!("{there} of {all} data sets are in {}", args.data.display());
    Ok(())
}

/// Splits as files.
fn split_files(args: &SplitCommand) -> Result<()> {
    let (found, campaign) = campaign(&args.splits, args.quiet)?;
    std::fs::create_dir_all(&args.out)
        .map_err(|source| Error::LogFile { file: args.out.display().to_string(), source })?;
    let settings = campaign.settings();
    let bar = Bar::new("splitting", args.quiet);
    let mut splits = Splits::new(&found);
    for (done, setting) in settings.iter().enumerate() {
        if bar.show(&setting.to_string(), done, settings.len()) == ControlFlow::Break(()) {
            return Err(sosrep::Error::Cancelled.into());
        }
        let split = splits.make(setting)?.map_err(|problem| Error::NoSplit { problem })?;
        export(&split, args.out.join(format!("{}.npz", setting.file_stem())))?;
    }
    drop(bar);
    remark(args.quiet, &format!("{} splits are in {}", settings.len(), args.out.display()));
    Ok(())
}

/// The detector of sosrep.
fn methods(args: &RunCommand) -> Result<()> {
    let (found, campaign) = campaign(&args.splits, args.quiet)?;
    with_log(&RunFolder::make(&args.out)?, args.quiet, |log, watch| {
        let work = Work { methods: &args.methods, most_rows: args.most_rows };
        run_methods(&found, &campaign, work, log, watch)
    })
}

/// Curves over bandwidths, and what rules choose on them.
fn curves(args: &CurvesCommand) -> Result<()> {
    let (found, campaign) = campaign(&args.splits, args.quiet)?;
    let folder = RunFolder::make(&args.out)?;
    read_curves(&found, &campaign, &args.kernels, &folder, args.quiet)
}

fn read_curves(
    found: &Found,
    campaign: &Campaign,
    kernels: &[KernelKind],
    folder: &RunFolder,
    quiet: bool,
) -> Result<()> {
    let (curves, file) = (folder.curves_file(), folder.readings_file());
    let mut log = Log::open(&curves)?;
    let bar = Bar::new("curves", quiet);
    let mut watch = |what: &str, done, of| bar.show(what, done, of);
    let outcome = measure_curves(found, campaign, kernels, &mut log, &mut watch);
    drop((bar, log));
    let readings = write_readings(&curves, &file)?;
    remark(quiet, &format!("{readings} readings are in {}", file.display()));
    outcome
}

/// Those of PyOD and scikit-learn.
fn baselines(args: &BaselinesCommand) -> Result<()> {
    let (found, campaign) = campaign(&args.splits, args.quiet)?;
    let options = options(&args.python, &args.methods);
    with_log(&RunFolder::make(&args.out)?, args.quiet, |log, watch| {
        run_baselines(&found, &campaign, &options, log, watch)
    })
}

fn options(args: &PythonArgs, methods: &[String]) -> Options {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    Options {
        python: args.python.clone(),
        timeout: args.timeout,
        jobs: args.jobs.unwrap_or(cores).max(1),
        methods: methods.to_vec(),
        without: Vec::new(),
    }
}

/// The experiments that are not about runs.
fn experiments(args: &ExperimentCommand) -> Result<()> {
    let names = if args.names.is_empty() { &Experiment::ALL[..] } else { &args.names };
    let found = args.data.as_ref().map(find).transpose()?;
    let data_set = args.data_set.as_deref().map(named).transpose()?;
    let baselines = args.python.given().map(|given| options(&given, &[]));
    if baselines.is_none() && names.contains(&Experiment::Families) {
        remark(args.quiet, "families: without --python the detector of sosrep runs alone");
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
        let bar = Bar::new(name.name(), quiet);
        let mut watch = |what: &str, done, of| bar.show(what, done, of);
        experiment::run(name, request, &folder.experiments(), &mut watch)?;
        drop(bar);
        remark(quiet, &format!("done: {}", name.purpose()));
    }
    Ok(())
}

/// Tables and figures, made by Python.
fn report(args: &ReportCommand) -> Result<()> {
    let mut options: Vec<&OsStr> = args.folders.iter().map(|folder| folder.as_os_str()).collect();
    if let Some(out) = &args.out {
        options.extend([OsStr::new("--out"), out.as_os_str()]);
    }
    if let Some(readme) = &args.readme {
        options.extend([OsStr::new("--readme"), readme.as_os_str()]);
    }
    make_report(&args.python, options, args.quiet)
}

fn make_report(program: &Path, mut options: Vec<&OsStr>, quiet: bool) -> Result<()> {
    options.extend(quiet.then_some(OsStr::new("--quiet")));
    python::report(program, &options)
}

/// The splits asked for; data sets that are missing are listed.
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

/// The data sets asked for, or all that are in the folder; those that are not are listed.
fn entries(found: &Found, names: &[String], quiet: bool) -> Result<Vec<Entry>> {
    if !names.is_empty() {
        return names.iter().map(|name| named(name)).collect();
    }
    if !found.missing.is_empty() {
        let missing: Vec<String> = found.missing.iter().map(ToString::to_string).collect();
        remark(quiet, &format!("missing, and not in any mean: {}", missing.join(", ")));
    }
    Ok(found.present.iter().map(|(entry, _)| *entry).collect())
}

/// Does work that goes on in the log of a folder, with a bar, and says how it went.
fn with_log(
    folder: &RunFolder,
    quiet: bool,
    work: impl FnOnce(&mut Log<Run>, Watch) -> Result<()>,
) -> Result<()> {
    let mut log = folder.log()?;
    let before = log.entries().len();
    let bar = Bar::new("running", quiet);
    let outcome = work(&mut log, &mut |what, done, of| bar.show(what, done, of));
    drop(bar);
    let new = &log.entries()[before..];
    let failed = new.iter().filter(|run| run.status != Status::Done).count();
    let words = format!(
        "{} runs were done and {before} were there before; {failed} of the new ones have no result",
        new.len()
    );
    remark(quiet, &words);
    outcome
}
