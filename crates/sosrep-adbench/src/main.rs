//! `sosrep-adbench`: what the SOSREP paper measured, measured again.
//!
//! [`args`] is what was typed, [`command`] does it. Runs and experiments write CSV files that grow
//! line by line; Ctrl-C keeps what is done, and the same command goes on from there.

mod args;
mod command;
mod progress;

use std::process::ExitCode;

use clap::Parser;
use sosrep_adbench::Error;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    progress::listen();
    match command::run(&cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Core(sosrep::Error::Cancelled)) => {
            eprintln!("interrupted; what was done so far is kept");
            ExitCode::from(130)
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
