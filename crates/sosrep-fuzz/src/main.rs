//! Mutates seeds of every target and stops at the first broken promise.
//!
//! ```text
//! sosrep-fuzz [--seconds N] [--runs N] [--target NAME] [--seed N] [--findings FOLDER]
//! ```
//!
//! Seconds and runs are for each target; whichever is reached first ends it. A panic that nobody
//! catches, a number that is not finite or more than five seconds for a file of 16 kB is a finding: the file is
//! written to the folder, and the program ends with 1. Run it under `ulimit -v` to find allocations
//! that no such file justifies: the process then aborts; the same seed and a debugger find the file.

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use sosrep_fuzz::{Mutator, Target, targets};

/// Longer for one file is a finding.
const LONGEST: Duration = Duration::from_secs(5);

struct Options {
    seconds: u64,
    runs: u64,
    target: Option<String>,
    seed: u64,
    findings: PathBuf,
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        println!(
            "sosrep-fuzz [--seconds N] [--runs N] [--target NAME] [--seed N] [--findings FOLDER]"
        );
        return ExitCode::FAILURE;
    };
    // Decoders panic on damaged files, which is caught and no finding.
    panic::set_hook(Box::new(|_| {}));
    let wanted = |target: &Target| options.target.as_deref().is_none_or(|name| name == target.name);
    let mut clean = true;
    for target in targets().iter().filter(|target| wanted(target)) {
        clean &= fuzz(target, &options);
    }
    if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn options() -> Option<Options> {
    let mut options =
        Options { seconds: 10, runs: u64::MAX, target: None, seed: 0, findings: "findings".into() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next()?;
        match word.as_str() {
            "--seconds" => options.seconds = value.parse().ok()?,
            "--runs" => options.runs = value.parse().ok()?,
            "--seed" => options.seed = value.parse().ok()?,
            "--target" => options.target = Some(value),
            "--findings" => options.findings = value.into(),
            _ => return None,
        }
    }
    Some(options)
}

/// Runs a target and prints how often; whether nothing was found.
fn fuzz(target: &Target, options: &Options) -> bool {
    let mut mutator = Mutator::new((target.seeds)(), target.dictionary, options.seed);
    for seed in (target.seeds)() {
        if !(target.run)(&seed) {
            println!("{:8} a seed is not read", target.name);
            return false;
        }
    }
    let (start, mut runs, mut accepted, mut slowest) = (Instant::now(), 0, 0u64, Duration::ZERO);
    while runs < options.runs && start.elapsed().as_secs() < options.seconds {
        let file = mutator.make();
        let began = Instant::now();
        let read = panic::catch_unwind(AssertUnwindSafe(|| (target.run)(&file)));
        slowest = slowest.max(began.elapsed());
        runs += 1;
        match read {
            Ok(read) if began.elapsed() < LONGEST => {
                accepted += u64::from(read);
                if read {
                    mutator.keep(file);
                }
            }
            outcome => {
                let what = if outcome.is_ok() { "slow" } else { "panic" };
                report(target, options, what, &file);
                return false;
            }
        }
    }
    println!(
        "{:8} {runs:>9} runs, {accepted:>9} read, {:>6.0} s, slowest {:.3} s, nothing found",
        target.name,
        start.elapsed().as_secs_f64(),
        slowest.as_secs_f64()
    );
    true
}

fn report(target: &Target, options: &Options, what: &str, file: &[u8]) {
    let path = options.findings.join(format!("{}-{what}-{:x}", target.name, file.len()));
    let written = fs::create_dir_all(&options.findings).and_then(|()| fs::write(&path, file));
    println!("{:8} FOUND {what}: {} ({written:?})", target.name, path.display());
}
