//! Laws of the file: every run once, whatever stops it.

use std::fs::{self, Permissions};
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::log;

fn go_on(_: &str, _: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Few rows, so that a run takes no time.
fn cases() -> Vec<Case> {
    let small = |kind, seed| Case { rows: 120, columns: 3, ..Case::base(kind, seed) };
    let of =
        |kind| [small(kind, 1), small(kind, 2), small(kind, 1).moved(Lever::Contamination, 0.2)];
    Kind::ALL.into_iter().flat_map(of).collect()
}

/// The lines, but for their times.
fn timeless(folder: &Path) -> Vec<Row> {
    let rows: Vec<Row> = log::read(file(folder)).unwrap();
    rows.into_iter().map(|row| Row { fit_seconds: None, score_seconds: None, ..row }).collect()
}

fn run_in(folder: &Path, baselines: Option<&Options>, watch: Watch) -> Result<()> {
    run_cases(&cases(), baselines, &mut Log::open(file(folder))?, watch)
}

/// A shell script in the place of Python: A has a score that depends on the seed, B is too late.
fn stand_in(folder: &Path) -> Options {
    let python = folder.join("python");
    let script = r#"#!/bin/sh
echo '{"versions": "stand-in 1", "methods": ["A", "B"]}'
while read -r request; do
case "$request" in *'"seed":1'*) auc=0.25 ;; *) auc=0.75 ;; esac
case "$request" in *'"A"'*) echo "{\"method\": \"A\", \"status\": \"done\", \"auc_roc\": $auc}" ;; esac
case "$request" in *'"B"'*) echo '{"method": "B", "status": "timed-out", "message": "late"}' ;; esac
done
"#;
    fs::write(&python, script).unwrap();
    fs::set_permissions(&python, Permissions::from_mode(0o755)).unwrap();
    let methods = vec!["A".to_string(), "B".to_string()];
    Options { python, timeout: 1.0, jobs: 2, methods, without: Vec::new() }
}

#[test]
fn a_run_that_is_stopped_before_every_line_ends_as_one_that_was_not() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_in(whole.path(), None, &mut go_on).unwrap();
    let expected = timeless(whole.path());
    assert_eq!(expected.len(), cases().len());
    assert!(expected.iter().all(|row| row.status == Status::Done && row.auc_roc.is_some()));
    let mut stop = |_: &str, done: usize, _: usize| match done {
        0 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let mut stops = 0;
    while run_in(parts.path(), None, &mut stop).is_err() {
        stops += 1;
        assert_eq!(timeless(parts.path()), expected[..stops]);
    }
    assert_eq!(stops, cases().len() - 1);
    assert_eq!(timeless(parts.path()), expected);
    // Nothing is left to do, so that nobody is asked whether to go on.
    run_in(parts.path(), None, &mut |_, _, _| ControlFlow::Break(())).unwrap();
    assert_eq!(timeless(parts.path()), expected);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let on = |threads: usize| {
        let folder = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run_in(folder.path(), None, &mut go_on)).unwrap();
        timeless(folder.path())
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn others_are_asked_about_the_same_cases_once() {
    let folder = tempfile::tempdir().unwrap();
    let options = stand_in(folder.path());
    for _ in 0..2 {
        run_in(folder.path(), Some(&options), &mut go_on).unwrap();
        let rows = timeless(folder.path());
        assert_eq!(rows.len(), 3 * cases().len());
        for case in cases() {
            let of = |method: &str| {
                let mut found = rows.iter().filter(|r| r.method == method && r.case() == case);
                (found.next().unwrap().auc_roc, found.count())
            };
            // The seed goes with the rows.
            let expected = if case.seed == 1 { 0.25 } else { 0.75 };
            assert_eq!((of("A"), of("B")), ((Some(expected), 0), (None, 0)));
        }
    }
}
