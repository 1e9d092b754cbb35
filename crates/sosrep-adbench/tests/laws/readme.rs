//! The table of the README is the one of the committed run.

use std::fs;
use std::path::{Path, PathBuf};

use sosrep_adbench::RunFolder;
use sosrep_adbench::report::{readme_table, with_block};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of the run that the README links to.
fn committed(text: &str) -> PathBuf {
    let (_, rest) = text.split_once("](bench/runs/").unwrap();
    let (run, _) = rest.split_once("/report.md)").unwrap();
    root().join("bench/runs").join(run)
}

#[test]
fn the_table_of_the_readme_is_that_of_the_committed_run() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let runs = RunFolder::existing(committed(&text)).runs().unwrap();
    assert!(!runs.is_empty());
    let expected = with_block(&text, "adbench", &readme_table(&runs)).unwrap();
    // `sosrep adbench report bench/runs/… --readme README.md` brings it up to date.
    assert_eq!(text, expected);
}

#[test]
fn the_committed_report_is_what_its_runs_say() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let folder = committed(&text);
    let report = RunFolder::existing(&folder).report().unwrap();
    assert_eq!(fs::read_to_string(folder.join("report.md")).unwrap(), report.markdown);
    for figure in &report.figures {
        let file = folder.join("figures").join(format!("{}.svg", figure.name));
        let there = fs::read_to_string(&file).unwrap();
        assert_eq!(there, sosrep_report::standalone(&figure.svg), "{}", file.display());
    }
}
