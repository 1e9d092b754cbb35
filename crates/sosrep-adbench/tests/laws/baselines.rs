//! Laws of the conversation with Python, held with a stand-in that speaks the same lines.
//!
//! The real script, with PyOD, is tested where PyOD is: in `python/tests/test_baselines.py`.

use std::fs::{self, Permissions};
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sosrep_adbench::baselines::{Options, run_baselines};
use sosrep_adbench::{Error, Log, Run, Status};

use super::campaign::{campaign, found};

/// What a worker says first.
const HELLO: &str = r#"echo '{"versions": "stand-in 1", "methods": ["A", "B"]}'"#;

/// A shell script in the place of Python.
fn stand_in(folder: &Path, name: &str, body: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{HELLO}\nwhile read -r request; do\n{body}\ndone\n"))
        .unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path
}

fn run(found: &sosrep_adbench::Found, python: PathBuf, log: &Path) -> Result<usize, Error> {
    let options =
        Options { python, timeout: 1.0, jobs: 2, methods: Vec::new(), without: Vec::new() };
    let mut log = Log::<Run>::open(log)?;
    let before = log.entries().len();
    run_baselines(found, &campaign(3), &options, &mut log, &mut |_, _, _| {
        ControlFlow::Continue(())
    })?;
    Ok(log.entries().len() - before)
}

/// Answers what it is asked, A with a score and B with a time-out.
const BOTH: &str = r#"
case "$request" in *'"A"'*) echo '{"method": "A", "status": "done", "auc_roc": 0.75}' ;; esac
case "$request" in *'"B"'*) echo '{"method": "B", "status": "timed-out", "message": "too long"}' ;; esac
"#;

#[test]
fn every_answer_is_a_line_and_nothing_is_asked_twice() {
    let (folder, found) = found(80, 8);
    let python = stand_in(folder.path(), "python", BOTH);
    let path = folder.path().join("runs.csv");
    assert_eq!(run(&found, python.clone(), &path).unwrap(), 12, "3 seeds, 2 kinds of noise");
    assert_eq!(run(&found, python, &path).unwrap(), 0);
    let runs: Vec<Run> = sosrep_adbench::log::read(&path).unwrap();
    for method in ["A", "B"] {
        let of: Vec<&Run> = runs.iter().filter(|run| run.method == method).collect();
        assert_eq!(of.len(), 6);
        assert!(of.iter().all(|run| run.versions == "stand-in 1" && run.columns == 3));
    }
    let late = runs.iter().find(|run| run.method == "B").unwrap();
    assert_eq!((late.status, late.message.as_str()), (Status::TimedOut, "too long"));
}

#[test]
fn a_worker_that_dies_is_an_error_that_keeps_what_was_answered() {
    let (folder, found) = found(80, 8);
    let once = r#"echo '{"method": "A", "status": "done", "auc_roc": 0.75}'; exit 3"#;
    let path = folder.path().join("runs.csv");
    let problem = run(&found, stand_in(folder.path(), "dies", once), &path).unwrap_err();
    assert!(matches!(&problem, Error::Python { python, .. } if python.contains("dies")));
    let kept = sosrep_adbench::log::read::<Run>(&path).unwrap().len();
    assert!((1..=2).contains(&kept), "{kept} answers");
    let rest = run(&found, stand_in(folder.path(), "lives", BOTH), &path).unwrap();
    assert_eq!(kept + rest, 12);
}

#[test]
fn a_method_that_is_not_installed_is_asked_again_once_versions_change() {
    let (folder, found) = found(80, 8);
    let path = folder.path().join("runs.csv");
    let without = BOTH.replace("timed-out", "unavailable");
    assert_eq!(run(&found, stand_in(folder.path(), "without", &without), &path).unwrap(), 12);
    assert_eq!(run(&found, stand_in(folder.path(), "same", &without), &path).unwrap(), 0);
    let newer = stand_in(folder.path(), "newer", BOTH);
    let script = fs::read_to_string(&newer).unwrap().replace("stand-in 1", "stand-in 2");
    fs::write(&newer, script).unwrap();
    assert_eq!(run(&found, newer, &path).unwrap(), 6);
}

#[test]
fn a_program_that_is_no_python_and_a_method_there_is_not_are_told() {
    let (folder, found) = found(80, 8);
    let path = folder.path().join("runs.csv");
    let absent = folder.path().join("absent");
    let message = run(&found, absent, &path).unwrap_err().to_string();
    assert!(message.contains("absent") && message.contains("python/requirements.txt"), "{message}");
    let options = Options {
        python: stand_in(folder.path(), "python", BOTH),
        timeout: 1.0,
        jobs: 1,
        methods: vec!["C".to_string()],
        without: Vec::new(),
    };
    let mut log = Log::<Run>::open(&path).unwrap();
    let outcome = run_baselines(&found, &campaign(1), &options, &mut log, &mut |_, _, _| {
        ControlFlow::Continue(())
    });
    let message = outcome.unwrap_err().to_string();
    assert!(message.contains("no baseline \"C\"; there are A, B"), "{message}");
}

#[test]
fn a_method_that_is_left_out_is_not_asked_about() {
    let (folder, found) = found(80, 8);
    let path = folder.path().join("runs.csv");
    let options = Options {
        python: stand_in(folder.path(), "python", BOTH),
        timeout: 1.0,
        jobs: 1,
        methods: Vec::new(),
        without: vec!["B".to_string()],
    };
    let mut log = Log::<Run>::open(&path).unwrap();
    run_baselines(&found, &campaign(1), &options, &mut log, &mut |_, _, _| {
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(!log.entries().is_empty());
    assert!(log.entries().iter().all(|run| run.method == "A"));
}

#[test]
fn stopping_ends_the_workers_even_in_the_middle_of_an_answer() {
    let (folder, found) = found(80, 8);
    let path = folder.path().join("runs.csv");
    let options = Options {
        python: stand_in(folder.path(), "sleeps", "exec sleep 600"),
        timeout: 1.0,
        jobs: 2,
        methods: Vec::new(),
        without: Vec::new(),
    };
    let mut log = Log::<Run>::open(&path).unwrap();
    let outcome = run_baselines(&found, &campaign(1), &options, &mut log, &mut |_, _, _| {
        ControlFlow::Break(())
    });
    assert!(matches!(outcome, Err(Error::Core(sosrep::Error::Cancelled))));
    assert_eq!(log.entries().len(), 0);
}
