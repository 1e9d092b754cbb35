//! A program that the system gives no more memory says so, and what to do, and leaves no output.

use std::fmt::Write;
#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};

use super::sosrep::Folder;
#[cfg(target_os = "linux")]
use super::sosrep::Ran;
use super::tables::Uniform;

/// Thousands of rows, whose kernel matrix takes half a gigabyte.
fn long_table() -> String {
    let mut uniform = Uniform(5);
    let mut text = "a,b\n".to_string();
    for _ in 0..16_000 {
        writeln!(text, "{:.6},{:.6}", uniform.next(), uniform.next()).unwrap();
    }
    text
}

/// Runs the program with so many kilobytes of addresses.
#[cfg(target_os = "linux")]
fn run_within(folder: &Folder, kilobytes: usize, words: &str) -> Ran {
    let program = env!("CARGO_BIN_EXE_sosrep");
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -v {kilobytes}; exec {program} {words}")]);
    shell.current_dir(folder.path("")).stdin(Stdio::null());
    Ran::new(words, shell.output().unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn a_matrix_that_there_is_no_memory_for_is_an_error_with_its_size_and_a_way_out() {
    let folder = Folder::with(&long_table());
    let words =
        "fit data.csv --threads 1 --trim 0 --max-rows none --max-support none --model m.sosrep";
    insta::assert_snapshot!(run_within(&folder, 400_000, words).refusal(), @"there is no memory for a kernel matrix, 517 MB at once; give fewer rows or columns, ask for less, or lower `memory`");
    assert_eq!(folder.names(), ["data.csv"]);
    // One of the ways out that the message names.
    run_within(&folder, 400_000, &format!("{words} --memory 50MB")).success();
    assert_eq!(folder.names(), ["data.csv", "m.sosrep"]);
}

#[test]
fn more_draws_than_any_memory_holds_are_refused() {
    let folder = Folder::with(&long_table());
    folder.succeed("fit data.csv --memory 2MB --model m.sosrep");
    let words = format!("sample m.sosrep --rows {} --out o.csv", usize::MAX / 64);
    insta::assert_snapshot!(folder.refuse(&words), @"there is no memory for the draws, 2305843009214 MB at once; give fewer rows or columns, ask for less, or lower `memory`");
}
