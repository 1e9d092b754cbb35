//! `sosrep adbench all`: everything the paper measured, into one folder.
//!
//! What costs little or matters most comes first, so that a folder of a run that was stopped makes
//! a report already.

use std::fs;
use std::thread;

use sosrep_adbench::baselines::{Options, run_baselines};
use sosrep_adbench::experiment::Request;
use sosrep_adbench::{
    Campaign, Entry, Experiment, Found, Method, Noise, Protocol, RunFolder, find, run_methods,
};

use super::{entries, options, report, run_experiments, with_log};
use crate::args::adbench::AllCommand;
use crate::failure::Result;

/// The jitter of copies that are not exact, as a share of a standard deviation.
const JITTER: f64 = 0.01;

/// What is run on which splits.
struct Step {
    campaign: Campaign,
    methods: &'static [Method],
    baselines: bool,
}

pub(super) fn all(args: &AllCommand) -> Result<()> {
    let found = find(&args.data)?;
    let entries = entries(&found, &args.data_sets, args.quiet)?;
    let options = options(&args.python, &[])?;
    let folder = RunFolder::make(&args.out)?;
    let steps = steps(args, &entries);
    steps.iter().try_for_each(|step| step.campaign.check(&found))?;
    for line in set_up(args, &options) {
        folder.add_set_up(&line)?;
    }
    for step in &steps {
        work(step, &found, &options, &folder, args.quiet)?;
    }
    let baselines = Some(&options);
    let request = Request { found: Some(&found), seed: 1, data_set: None, baselines };
    let unfinished = |name: &Experiment| !name.is_finished(&folder.experiments());
    let names: Vec<Experiment> = Experiment::ALL.into_iter().filter(unfinished).collect();
    run_experiments(&names, &request, &folder, args.quiet)?;
    report::write(&folder, &args.out, args.quiet)
}

fn work(
    step: &Step,
    found: &Found,
    options: &Options,
    folder: &RunFolder,
    quiet: bool,
) -> Result<()> {
    with_log(folder, quiet, |log, watch| {
        Ok(run_methods(found, &step.campaign, step.methods, log, watch)?)
    })?;
    if !step.baselines {
        return Ok(());
    }
    with_log(folder, quiet, |log, watch| {
        Ok(run_baselines(found, &step.campaign, options, log, watch)?)
    })
}

/// The main table, then duplicates, kernels, and the authors' protocol.
fn steps(args: &AllCommand, entries: &[Entry]) -> Vec<Step> {
    const BOTH: &[Method] = &[Method::Default, Method::Paper];
    const KERNELS: &[Method] = &[Method::Sdo, Method::Laplacian, Method::Gaussian, Method::Product];
    let others = &args.other_seeds.as_ref().unwrap_or(&args.seeds).0;
    let times = |duplicates, jitter| Noise { duplicates, jitter, ..Noise::default() };
    let campaign = |protocol, noise, seeds: &[u64]| Campaign {
        entries: entries.to_vec(),
        protocol,
        noise,
        seeds: seeds.to_vec(),
    };
    let plain = || vec![Noise::default()];
    // ×5 first: it is what the paper gives a figure for.
    let copies = [5, 2, 3, 4, 6].map(|duplicates| times(duplicates, None)).to_vec();
    let jittered = vec![times(5, Some(JITTER))];
    let step = |campaign, methods, baselines| Step { campaign, methods, baselines };
    vec![
        step(campaign(Protocol::AdBench, plain(), &args.seeds.0), BOTH, true),
        step(campaign(Protocol::AdBench, copies, others), BOTH, true),
        step(campaign(Protocol::AdBench, jittered, others), &[Method::Default], false),
        step(campaign(Protocol::AdBench, plain(), others), KERNELS, false),
        step(campaign(Protocol::Authors, plain(), others), BOTH, false),
    ]
}

/// How the folder was made, without the names of folders on this machine.
fn set_up(args: &AllCommand, options: &Options) -> Vec<String> {
    let others = args.other_seeds.as_ref().map(|seeds| format!(" --other-seeds {seeds}"));
    let some =
        (!args.data_sets.is_empty()).then(|| format!(" --data-sets {}", args.data_sets.join(",")));
    let command = format!(
        "Command: sosrep adbench all --data FOLDER --seeds {}{}{} --timeout {} --jobs {}",
        args.seeds,
        others.unwrap_or_default(),
        some.unwrap_or_default(),
        options.timeout,
        options.jobs
    );
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let machine = format!("Machine: {cores} cores of {}", processor());
    vec![command, machine]
}

/// The name of the processor, where the system tells.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("model name"));
    let name = line.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim());
    name.unwrap_or("an unnamed processor").to_string()
}
