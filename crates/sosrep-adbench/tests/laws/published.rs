//! The files of ADBench, where they are at hand: in the folder that `SOSREP_ADBENCH_DIR` names, or
//! else in `../shared/adbench` beside the project.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;

use sosrep_adbench::experiment::{Request, run};
use sosrep_adbench::{Error, Experiment, Found, Noise, Protocol, Split, find, split};

/// The folder's data sets, or a word that there are none.
fn published() -> Option<Found> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/adbench");
    let folder = std::env::var_os("SOSREP_ADBENCH_DIR").map_or(default.into(), PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: no ADBench data");
        return None;
    }
    Some(find(folder).unwrap())
}

/// The rows a protocol uses of so many.
fn rows_used(rows: usize, protocol: Protocol) -> usize {
    match protocol {
        Protocol::AdBench => rows.clamp(1000, 10_000),
        Protocol::Authors => rows.min(10_000),
    }
}

/// Checks counts and ranges of a split.
fn check(split: &Split, rows: usize) {
    let Split { train, test, origin, columns, .. } = split;
    let used = rows_used(rows, origin.protocol);
    let in_test = (3 * used).div_ceil(10);
    assert_eq!((train.rows.len(), test.rows.len()), (used - in_test, in_test), "{origin:?}");
    assert_eq!(train.values.len(), train.rows.len() * columns);
    let (a, b) = (train.anomalies() as f64, test.anomalies() as f64);
    let share = (a + b) / used as f64;
    assert!((a - share * train.rows.len() as f64).abs() <= 0.5 + 1e-9, "{origin:?}");
    assert!(b >= 1.0 && test.values.iter().all(|x| x.is_finite()), "{origin:?}");
    if origin.protocol == Protocol::AdBench {
        assert!(train.values.iter().all(|x| (0.0..=1.0).contains(x)), "{origin:?}");
    }
    if rows >= 1000 || origin.protocol == Protocol::Authors {
        let seen: HashSet<usize> = train.rows.iter().copied().collect();
        assert!(test.rows.iter().all(|row| !seen.contains(row)), "{origin:?}");
    }
}

#[test]
fn every_data_set_at_hand_has_the_counts_of_the_catalogue_and_splits() {
    let Some(found) = published() else { return };
    for (entry, _) in &found.present {
        let dataset = found.read(entry).unwrap();
        let shape = dataset.shape();
        if let Some(facts) = entry.facts {
            assert_eq!((shape, dataset.checksum()), (facts.shape, facts.checksum), "{entry}");
        }
        for protocol in [Protocol::AdBench, Protocol::Authors] {
            match split(&dataset, protocol, &Noise::default(), 1) {
                Ok(split) => check(&split, shape.rows),
                // 30 anomalies in 95 156 rows: a sample may hold none or one.
                Err(Error::TooFewRows { .. }) if entry.name == "smtp" => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[test]
fn every_data_set_is_at_hand_or_missing() {
    let Some(found) = published() else { return };
    let mut numbers: Vec<u8> = found.present.iter().map(|(entry, _)| entry.number).collect();
    numbers.extend(found.missing.iter().map(|entry| entry.number));
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(1..=47));
}

#[test]
fn thresholds_on_shares_flag_those_shares_of_the_training_rows() {
    let Some(mut found) = published() else { return };
    found.present.retain(|(entry, _)| ["glass", "wine", "thyroid"].contains(&entry.name));
    let folder = tempfile::tempdir().unwrap();
    let request = Request { found: Some(&found), seed: 1, ..Request::default() };
    run(Experiment::Thresholds, &request, folder.path(), &mut |_, _, _| ControlFlow::Continue(()))
        .unwrap();
    let text = std::fs::read_to_string(folder.path().join("thresholds.csv")).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let place = |name: &str| lines[0].iter().position(|cell| *cell == name).unwrap();
    let number = |line: &[&str], name: &str| line[place(name)].parse::<f64>().unwrap();
    assert_eq!(lines.len() - 1, found.present.len() * 4 * 3);
    for line in &lines[1..] {
        let asked = match line[place("rule")] {
            "tenth" => 0.1,
            "true-share" => number(line, "true_share"),
            _ => continue,
        };
        // Rows tied with the threshold are not flagged, and small data sets are full of copies.
        assert!(number(line, "flagged_train") < asked + 0.002, "{line:?}");
        if line[0].ends_with("thyroid") {
            assert!(number(line, "flagged_train") > asked - 0.002, "{line:?}");
        }
    }
}
