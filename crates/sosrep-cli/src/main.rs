//! `sosrep`: anomalies in tables, from the command line.
//!
//! [`args`] is what was typed, [`plan`] what it means, [`run`] does it. Results go to standard
//! output, everything else to standard error. Outputs are checked before any work is done, written
//! under a temporary name and renamed when complete.

mod args;
mod columns;
mod example;
mod failure;
mod interrupt;
mod judge;
mod labels;
mod model;
mod outputs;
mod panics;
mod plan;
mod progress;
mod reader;
mod remedy;
mod report;
mod run;
mod scan;
mod source_values;
mod terminal;
mod training;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use args::Cli;
use failure::Failure;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            let asked_for =
                matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            return ExitCode::from(u8::from(!asked_for));
        }
    };
    interrupt::listen();
    panics::keep();
    match panics::caught(|| run::run(cli)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !matches!(failure, Failure::ClosedPipe) {
                let words = failure.to_string();
                let lines: Vec<String> = words.lines().map(terminal::printable).collect();
                eprintln!("error: {}", lines.join("\n"));
            }
            ExitCode::from(failure.exit_code())
        }
    }
}
