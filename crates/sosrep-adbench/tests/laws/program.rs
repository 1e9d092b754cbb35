//! The program: splits, runs that survive being killed, Ctrl-C, and the report handed to Python.

use std::collections::HashSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use ndarray::{Array1, Array2};
use tempfile::TempDir;

use super::made::{folder_with, stranger};

/// A folder with one data set: two columns around 0, and a tenth of the rows far out.
fn data(rows: usize) -> TempDir {
    let labels = Array1::from_shape_fn(rows, |i| i32::from(i % 10 == 0));
    let values = Array2::from_shape_fn((rows, 2), |(i, j)| {
        let usual = (i as f64 * (0.618 + j as f64)).sin();
        if i % 10 == 0 { 3.0 + 2.0 * usual } else { usual }
    });
    folder_with(&stranger(), &values, &labels).0
}

fn command(folder: &TempDir, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sosrep-adbench"));
    command.args(words.split_whitespace()).current_dir(folder.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Exit code, standard output and standard error.
fn ended(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn succeed(folder: &TempDir, words: &str) -> (String, String) {
    let (code, stdout, stderr) = ended(command(folder, words).output().unwrap());
    assert_eq!(code, Some(0), "{words}\n{stderr}");
    (stdout, stderr)
}

/// Data set, seed, duplicates and method of every line of a log.
fn keys(folder: &TempDir) -> Vec<String> {
    let text = fs::read_to_string(folder.path().join("out/runs.csv")).unwrap();
    let key = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        [cells[0], cells[2], cells[3], cells[6]].join(" ")
    };
    text.lines().skip(1).map(key).collect()
}

#[test]
fn the_list_tells_what_is_missing() {
    let (stdout, stderr) = succeed(&data(100), "list --data .");
    assert!(stdout.contains("14_glass") && stdout.contains("missing"), "{stdout}");
    assert!(stderr.contains("1 of 47 data sets"), "{stderr}");
}

#[test]
fn splits_are_files_named_after_what_they_are() {
    let folder = data(100);
    succeed(&folder, "split --data . --out splits --seeds 2 --duplicates 1,5");
    for name in ["3_backdoor-seed-1", "3_backdoor-seed-2", "3_backdoor-times-5-seed-2"] {
        let file = |ending| folder.path().join(format!("splits/{name}.{ending}"));
        let line = fs::read_to_string(file("json")).unwrap();
        assert!(line.contains("\"data_set\":\"3_backdoor\""), "{line}");
        assert!(!fs::read(file("npz")).unwrap().is_empty());
    }
}

const RUNS: &str = "run --data . --out out --methods default,product --seeds 20 --duplicates 1,5 \
                    --protocol authors";

#[test]
fn runs_killed_at_any_time_are_neither_lost_nor_repeated() {
    let folder = data(400);
    for pause in [5, 20, 40, 60, 80] {
        let mut child = command(&folder, RUNS).spawn().unwrap();
        thread::sleep(Duration::from_millis(pause));
        // SIGKILL: the program is not asked.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    succeed(&folder, RUNS);
    let lines = keys(&folder);
    assert_eq!(lines.len(), 80, "2 methods, 20 seeds, 2 kinds of noise");
    assert_eq!(lines.iter().collect::<HashSet<_>>().len(), 80);
    let (_, again) = succeed(&folder, RUNS);
    assert!(again.contains("0 runs were done and 80 were there before"), "{again}");
}

#[test]
fn ctrl_c_keeps_what_is_done() {
    let folder = data(4000);
    let words = "run --data . --out out --methods default --seeds 1000";
    let child = command(&folder, words).spawn().unwrap();
    while keys_or_none(&folder) == 0 {
        thread::sleep(Duration::from_millis(10));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let (code, _, stderr) = ended(child.wait_with_output().unwrap());
    assert!(sent.success() && stderr.contains("what was done so far is kept"), "{stderr}");
    assert_eq!(code, Some(130));
    assert!((1..1000).contains(&keys(&folder).len()));
}

fn keys_or_none(folder: &TempDir) -> usize {
    if folder.path().join("out/runs.csv").exists() { keys(folder).len() } else { 0 }
}

#[test]
fn thresholds_are_measured_once() {
    let folder = data(400);
    let read = || fs::read_to_string(folder.path().join("out/experiments/thresholds.csv")).unwrap();
    let words = "experiment thresholds --data . --out out";
    succeed(&folder, words);
    let text = read();
    assert_eq!(text.lines().count(), 1 + 4 * 3, "a header, four seeds, three rules");
    succeed(&folder, words);
    assert_eq!(read(), text);
}

/// A shell script in the place of Python.
fn stand_in(folder: &TempDir, body: &str) {
    let path = folder.path().join("python");
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_report_is_made_by_the_python_asked_for_with_the_files_of_the_program() {
    let folder = data(100);
    stand_in(&folder, "ls \"$PYTHONPATH\"/adbench_report/__main__.py; echo \"$@\"");
    let (stdout, _) = succeed(&folder, "report out --readme A.md --python ./python");
    assert!(stdout.contains("-m adbench_report out --readme A.md"), "{stdout}");
    let (stdout, _) = succeed(&folder, "report out later --out other --quiet --python ./python");
    assert!(stdout.contains("-m adbench_report out later --out other --quiet"), "{stdout}");
}

#[test]
fn every_file_of_the_python_folder_is_in_the_program() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let names = |path: &str| -> HashSet<String> {
        let entries = fs::read_dir(folder.join(path)).unwrap().map(|entry| entry.unwrap());
        let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
        files.map(|file| format!("{path}{}", file.file_name().into_string().unwrap())).collect()
    };
    let carried = sosrep_adbench::python::FILES.iter().map(|(name, _)| name.to_string());
    let there: HashSet<String> = names("").union(&names("adbench_report/")).cloned().collect();
    assert_eq!(carried.collect::<HashSet<_>>(), there);
}

#[test]
fn what_cannot_be_done_is_told_in_a_sentence() {
    let folder = data(100);
    stand_in(&folder, "exit 3");
    for (words, told) in [
        ("list --data nowhere", "nowhere is not a folder"),
        ("report out --python nowhere/python", "crates/sosrep-adbench/python/requirements.txt"),
        ("report out --python ./python", "ended with exit code 3; what is wrong stands above"),
        ("run --data . --out out --seeds none", "give a number of seeds"),
        ("run --data . --out out --methods forest", "default, paper, paper-test"),
        ("run --data . --out out --duplicates 9", "duplicates is 9; it must be between"),
        ("run --data . --out out --data-sets gold", "no data set \"gold\""),
        ("run --data . --out out --data-sets glass", "14_glass is not in ."),
        ("baselines --data . --out out --timeout 0", "give a positive number"),
        ("experiment fishers --out out", "there is no experiment \"fishers\""),
        ("experiment fisher --out out", "needs the files of ADBench"),
        ("experiment thresholds --out out", "needs the files of ADBench"),
    ] {
        let (code, stdout, stderr) = ended(command(&folder, words).output().unwrap());
        assert!(code.is_some_and(|code| code > 0) && stdout.is_empty(), "{words}: {stdout}");
        assert!(stderr.contains("error: ") && stderr.contains(told), "{words}: {stderr}");
    }
    fs::write(folder.path().join("14_glass.npz"), "not an archive").unwrap();
    let (_, _, stderr) = ended(command(&folder, "run --data . --out out").output().unwrap());
    assert!(stderr.contains("14_glass.npz"), "{stderr}");
}
