//! `sosrep-adbench all`: everything the paper measured, into one folder.
//!
//! What costs little or matters most comes first, so that a folder of a run that was stopped makes
//! a report already.

use std::fs;
use std::thread;

use sosrep::KernelKind;
use sosrep_adbench::baselines::{Options, run_baselines};
use sosrep_adbench::experiment::Request;
use sosrep_adbench::{
    Campaign, Entry, Experiment, Found, Method, Noise, Protocol, Result, RunFolder, Work, find,
    run_methods,
};

use super::{entries, make_report, options, read_curves, run_experiments, with_log};
use crate::args::AllCommand;

/// The jitter of copies that are not exact, as a share of a standard deviation.
const JITTER: f64 = 0.01;

/// Baselines that take six to fourteen minutes a seed, where the others take less than three.
const SLOW: [&str; 3] = ["COF", "SOD", "DeepSVDD"];

/// Which detectors of others run.
#[derive(Clone, Copy, PartialEq)]
enum Others {
    None,
    Quick,
    All,
}

/// What is run on which splits.
struct Step {
    campaign: Campaign,
    methods: &'static [Method],
    others: Others,
}

pub(super) fn all(args: &AllCommand) -> Result<()> {
    let found = find(&args.data)?;
    let entries = entries(&found, &args.data_sets, args.quiet)?;
    let options = options(&args.python, &[]);
    let folder = RunFolder::make(&args.out)?;
    let steps = steps(args, &entries);
    steps.iter().try_for_each(|step| step.campaign.check(&found))?;
    for line in set_up(args, &options) {
        folder.add_set_up(&line)?;
    }
    for step in &steps {
        work(step, &found, &options, &folder, args.quiet)?;
    }
    for campaign in curves(args, &entries) {
        let kernels = [KernelKind::Sdo, KernelKind::Laplacian, KernelKind::Gaussian];
        read_curves(&found, &campaign, &kernels, &folder, args.quiet)?;
    }
    let baselines = Some(&options);
    let request = Request { found: Some(&found), seed: 1, data_set: None, baselines };
    let unfinished = |name: &Experiment| !name.is_finished(&folder.experiments());
    let names: Vec<Experiment> = Experiment::ALL.into_iter().filter(unfinished).collect();
    run_experiments(&names, &request, &folder, args.quiet)?;
    make_report(&args.python.python, vec![args.out.as_os_str()], args.quiet)
}

/// The splits of the curves: both protocols, the numbers of copies that the paper has figures for.
fn curves(args: &AllCommand, entries: &[Entry]) -> Vec<Campaign> {
    let noise = [1, 5, 6].map(|duplicates| Noise { duplicates, ..Noise::default() });
    let campaign = |protocol| Campaign {
        entries: entries.to_vec(),
        protocol,
        noise: noise.to_vec(),
        seeds: args.other_seeds.0.clone(),
    };
    [Protocol::AdBench, Protocol::Authors].map(campaign).to_vec()
}

fn work(
    step: &Step,
    found: &Found,
    options: &Options,
    folder: &RunFolder,
    quiet: bool,
) -> Result<()> {
    with_log(folder, quiet, |log, watch| {
        let work = Work { methods: step.methods, most_rows: None };
        run_methods(found, &step.campaign, work, log, watch)
    })?;
    let without = match step.others {
        Others::None => return Ok(()),
        Others::Quick => SLOW.map(String::from).to_vec(),
        Others::All => Vec::new(),
    };
    let options = Options { without, ..options.clone() };
    with_log(folder, quiet, |log, watch| run_baselines(found, &step.campaign, &options, log, watch))
}

/// The main table, then duplicates, the product kernel, and the authors' protocol; other exact
/// kernels have curves. What is slow, the paper's
/// configuration and some baselines, meets fewer kinds of duplicates.
fn steps(args: &AllCommand, entries: &[Entry]) -> Vec<Step> {
    const DEFAULT: &[Method] = &[Method::Default];
    const BOTH: &[Method] = &[Method::Default, Method::Paper];
    const KERNELS: &[Method] = &[Method::Product];
    const PAPER: &[Method] = &[Method::Default, Method::Paper, Method::PaperTest];
    let (seeds, fewer) = (&args.seeds.0, &args.other_seeds.0);
    let campaign = |protocol, noise: &[Noise], seeds: &[u64]| Campaign {
        entries: entries.to_vec(),
        protocol,
        noise: noise.to_vec(),
        seeds: seeds.to_vec(),
    };
    let on = |noise: &[Noise], seeds| campaign(Protocol::AdBench, noise, seeds);
    let times = |duplicates, jitter| Noise { duplicates, jitter, ..Noise::default() };
    let plain = [Noise::default()];
    // The paper gives a figure for ×5.
    let five = [times(5, None)];
    let copies = [2, 3, 4, 6].map(|duplicates| times(duplicates, None));
    let jittered = [times(5, Some(JITTER))];
    let authors = campaign(Protocol::Authors, &[plain[0], five[0]], fewer);
    let step = |campaign, methods, others| Step { campaign, methods, others };
    vec![
        step(on(&plain, seeds), BOTH, Others::All),
        step(on(&five, fewer), BOTH, Others::Quick),
        step(on(&copies, fewer), DEFAULT, Others::Quick),
        step(on(&jittered, fewer), DEFAULT, Others::None),
        step(on(&plain, fewer), KERNELS, Others::None),
        step(authors, PAPER, Others::None),
    ]
}

/// How the folder was made, without the names of folders on this machine.
fn set_up(args: &AllCommand, options: &Options) -> Vec<String> {
    let some =
        (!args.data_sets.is_empty()).then(|| format!(" --data-sets {}", args.data_sets.join(",")));
    let command = format!(
        "Command: sosrep-adbench all --data FOLDER --seeds {} --other-seeds {}{} --timeout {} --jobs {}",
        args.seeds,
        args.other_seeds,
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
