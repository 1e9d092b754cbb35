//! Laws of the file: every run once, whatever stops it, and what is said about it.

use std::fs::{self, Permissions};
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;

use super::means::Means;
use super::*;
use crate::experiment::table;

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
    let rows: Vec<Row> = table::read(&file(folder)).unwrap();
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
    let finding = finding(folder.path()).unwrap().unwrap();
    let said = finding.sentences.join(" ");
    assert!(said.contains("B timed out (12)"), "{said}");
    assert_eq!(finding.tables[0].header, ["kind", METHOD.name(), "A"]);
    // Two seeds of the base are one setting, (0.25 + 0.75) / 2; the other setting has 0.25.
    assert!(finding.tables[0].rows.iter().all(|row| row[2] == "0.375"), "{:?}", finding.tables[0]);
    assert_eq!(draw(folder.path()).unwrap().len(), 5);
}

#[test]
fn ours_alone_is_said_to_be_alone() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(finding(folder.path()).unwrap(), None);
    assert!(draw(folder.path()).unwrap().is_empty());
    run_in(folder.path(), None, &mut go_on).unwrap();
    let said = finding(folder.path()).unwrap().unwrap().sentences.join(" ");
    assert!(said.contains("stands alone") && !said.contains("first"), "{said}");
}

/// A line with a made-up result.
fn line(case: Case, method: &str, auc_roc: Option<f64>) -> Row {
    let mut row = Row::new(&case, method, Err(String::new()));
    (row.auc_roc, row.status) = (auc_roc, auc_roc.map_or(Status::TimedOut, |_| Status::Done));
    row
}

#[test]
fn first_and_not_first_are_read_off_the_file() {
    let base = |kind| Case::base(kind, 1);
    let many = base(Kind::Local).moved(Lever::Columns, 50.0);
    let rows = [
        line(base(Kind::Local), METHOD.name(), Some(0.9)),
        line(base(Kind::Local), "A", Some(0.8)),
        line(base(Kind::Global), METHOD.name(), Some(0.7)),
        line(base(Kind::Global), "A", Some(0.95)),
        line(many, METHOD.name(), Some(0.6)),
        line(many, "A", None),
    ];
    let means = Means::new(&rows).unwrap();
    let (common, others) = means.common();
    assert_eq!((common.len(), others), (2, 1));
    assert_eq!(common.of_kind(Kind::Local), [Some(0.9), Some(0.8)]);
    assert_eq!(means.of_kind(Kind::Local), [Some(0.75), None], "only where all results are there");
    let first = |kind| means.standing(&common.of_kind(kind)).unwrap().is_first();
    assert!(first(Kind::Local) && !first(Kind::Global));
    let columns = means.of_lever(Lever::Columns);
    assert_eq!(columns.iter().map(|(value, _)| *value).collect::<Vec<_>>(), [10.0, 50.0]);
    assert_eq!(columns[1].1, [Some(0.6), None]);

    let folder = tempfile::tempdir().unwrap();
    table::write(&file(folder.path()), &rows).unwrap();
    let said = finding(folder.path()).unwrap().unwrap().sentences.join(" ");
    for words in [
        "first or level with the first for local (0.900; A 0.800); it is not for global (0.700; A 0.950)",
        "In single settings it is first in 1 of 2.",
        "farthest behind for global anomalies, base: 0.700, where A has 0.950",
        "A timed out (1)",
        "over the 2 of 3 runs",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
}
