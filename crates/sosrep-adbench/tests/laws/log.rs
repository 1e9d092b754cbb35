//! Laws of a log: nothing lost, nothing twice, wherever a program is killed.

use std::fs;

use sosrep_adbench::log::read;
use sosrep_adbench::{Error, Log, Noise, Protocol, Run, Setting, Status};

/// A run whose cells hold what a table can hold: commas, quotes, no value, every digit of a number.
fn run(seed: u64) -> Run {
    let setting = Setting {
        data_set: "14_glass".to_string(),
        protocol: Protocol::AdBench,
        noise: Noise { jitter: seed.is_multiple_of(2).then_some(0.1), ..Noise::default() },
        seed,
    };
    Run {
        status: Status::Done,
        auc_roc: Some(1.0 / (seed as f64 + 3.0)),
        parameters: format!("{{\"seed\": {seed}, \"name\": \"a, b\"}}"),
        ..Run::begun(&setting, "KNN")
    }
}

#[test]
fn entries_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.csv");
    let mut log = Log::open(&path).unwrap();
    for seed in 0..5 {
        log.append(run(seed)).unwrap();
    }
    let expected: Vec<Run> = (0..5).map(run).collect();
    assert_eq!(log.entries(), expected);
    assert_eq!(read::<Run>(&path).unwrap(), expected);
    drop(log);
    assert_eq!(Log::<Run>::open(&path).unwrap().entries(), expected);
}

#[test]
fn killed_at_any_byte_it_goes_on_without_a_loss_or_a_repetition() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.csv");
    let mut log = Log::open(&path).unwrap();
    (0..3).for_each(|seed| log.append(run(seed)).unwrap());
    drop(log);
    let whole = fs::read(&path).unwrap();
    for killed_at in 0..=whole.len() {
        fs::write(&path, &whole[..killed_at]).unwrap();
        let lines = whole[..killed_at].iter().filter(|byte| **byte == b'\n').count();
        let mut log = Log::<Run>::open(&path).unwrap();
        let there = log.entries().len();
        assert_eq!(there, lines.saturating_sub(1), "killed at byte {killed_at}");
        (there as u64..3).for_each(|seed| log.append(run(seed)).unwrap());
        assert_eq!(fs::read(&path).unwrap(), whole, "killed at byte {killed_at}");
    }
}

#[test]
fn a_line_break_in_a_message_does_not_break_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.csv");
    let mut log = Log::open(&path).unwrap();
    log.append(Run { message: "one\r\ntwo\nthree".to_string(), ..run(1) }).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2);
    assert_eq!(read::<Run>(&path).unwrap()[0].message, "one  two three");
}

#[test]
fn two_programs_do_not_write_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.csv");
    let first = Log::<Run>::open(&path).unwrap();
    let second = Log::<Run>::open(&path).unwrap_err();
    assert!(matches!(second, Error::LogInUse { .. }), "{second}");
    drop(first);
    Log::<Run>::open(&path).unwrap();
}

#[test]
fn a_line_that_is_no_entry_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.csv");
    let mut log = Log::open(&path).unwrap();
    (0..3).for_each(|seed| log.append(run(seed)).unwrap());
    drop(log);
    let text = fs::read_to_string(&path).unwrap().replacen(",done,", ",perhaps,", 2);
    let text = text.replacen(",perhaps,", ",done,", 1);
    fs::write(&path, text).unwrap();
    let message = Log::<Run>::open(&path).unwrap_err().to_string();
    assert!(message.contains("runs.csv, line 3") && message.contains("perhaps"), "{message}");
}
