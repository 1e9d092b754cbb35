//! Doing what was asked: one file a command.

mod density;
mod detect;
mod explain;
mod fit;
mod inspect;
mod method;
mod sample;
mod score;
mod serve;
mod summary;
mod tune;

use clap::CommandFactory;

pub(crate) use detect::Findings;
pub(crate) use method::Method;

use crate::args::{Cli, Command, RunArgs};
use crate::failure::{Failure, Result, user};
use crate::outputs::write_stdout;
use crate::terminal::Terminal;

/// More are a mistake, and the system may not survive them.
const MOST_THREADS: usize = 1024;

/// Runs the command.
pub(crate) fn run(cli: Cli) -> Result<()> {
    match cli.command {
        Command::Detect(args) => detect::detect(&args),
        Command::Fit(args) => fit::fit(&args),
        Command::Score(args) => score::score(&args),
        Command::Tune(args) => tune::tune(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Sample(args) => sample::sample(&args),
        Command::Density(args) => density::density(&args),
        Command::Serve(args) => serve::serve(&args),
        Command::Inspect(args) => inspect::inspect(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "sosrep", &mut script);
            write_stdout(&script)
        }
    }
}

/// Sets the number of threads; results do not depend on it.
fn set_threads(threads: Option<usize>) -> Result<()> {
    match threads {
        None => Ok(()),
        Some(count) if !(1..=MOST_THREADS).contains(&count) => {
            Err(user(format!("--threads is {count}; it must be between 1 and {MOST_THREADS}")))
        }
        Some(count) => rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .build_global()
            .map_err(|error| user(format!("cannot start {count} threads: {error}"))),
    }
}

/// Where words go when `data_on_stdout` says who owns standard output.
fn terminal(args: &RunArgs, data_on_stdout: bool) -> Result<Terminal> {
    if args.json && data_on_stdout {
        return Err(user("--json and an output to - both want standard output; give a file"));
    }
    Ok(Terminal { quiet: args.quiet || args.json, to_stderr: data_on_stdout })
}

/// One JSON object on standard output.
fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::Internal(error.to_string()))?;
    text.push('\n');
    write_stdout(crate::terminal::escaped_json(&text).as_bytes())
}

/// "1.2 s".
fn seconds(seconds: f64) -> String {
    format!("{seconds:.2} s")
}
