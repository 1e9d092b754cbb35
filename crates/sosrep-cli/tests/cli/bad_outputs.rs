//! Outputs that cannot be written, known before the work where that is possible.

use std::fs;
use std::process::{Command, Stdio};

use super::sosrep::{Folder, Ran};
use super::tables;

fn fitted() -> Folder {
    let folder = Folder::with(&tables::plain());
    folder.succeed("fit data.csv --quiet --model m.sosrep");
    folder
}

#[test]
fn a_folder_that_is_not_there() {
    let folder = fitted();
    let message = folder.refuse("detect data.csv --out nowhere/o.csv");
    insta::assert_snapshot!(message, @"cannot write nowhere/o.csv: the folder nowhere does not exist; create it first");
    for words in [
        "score m.sosrep data.csv --out nowhere/o.csv",
        "explain m.sosrep data.csv --out nowhere/o.csv",
        "sample m.sosrep -n 2 --out nowhere/o.csv",
        "density m.sosrep data.csv --out nowhere/o.csv",
        "tune data.csv --out nowhere/o.csv",
        "tune data.csv --plot nowhere/o.csv",
        "fit data.csv --model nowhere/o.csv",
        "detect data.csv --out o.csv --model nowhere/o.csv",
        "detect data.csv --out o.csv --model n.sosrep --report nowhere/o.csv",
    ] {
        assert_eq!(folder.refuse(words), message, "{words}");
    }
}

#[test]
fn an_output_is_refused_before_the_table_is_read() {
    let folder = Folder::new();
    let message = folder.refuse("detect nowhere.csv --out nowhere/o.csv");
    assert!(message.starts_with("cannot write nowhere/o.csv"), "{message}");
}

#[test]
fn a_full_disk() {
    let folder = fitted();
    let message = folder.refuse("detect data.csv --out /dev/full");
    insta::assert_snapshot!(message, @"cannot write /dev/full: the disk is full; free some space");
    for words in [
        "score m.sosrep data.csv --out /dev/full",
        "fit data.csv --model /dev/full",
        "sample m.sosrep -n 3 --out /dev/full",
        "tune data.csv --method influence --plot /dev/full",
    ] {
        assert_eq!(folder.refuse(words), message, "{words}");
    }
}

#[test]
fn a_full_disk_behind_one_of_three_outputs_leaves_none_of_them() {
    let folder = fitted();
    folder.refuse("detect data.csv --out o.csv --model n.sosrep --report /dev/full");
}

#[test]
fn a_full_disk_behind_standard_output() {
    let folder = fitted();
    for words in
        ["score m.sosrep data.csv", "detect data.csv", "inspect m.sosrep", "completions bash"]
    {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = folder.command(words).stdout(Stdio::from(full)).output().unwrap();
        let message = Ran::new(words, output).refusal();
        insta::allow_duplicates! { insta::assert_snapshot!(message, @"cannot write standard output: the disk is full; free some space"); }
    }
}

#[test]
fn endings_that_say_nothing() {
    let folder = fitted();
    insta::assert_snapshot!(folder.refuse("detect data.csv --out scores.xlsx"), @"cannot write scores.xlsx: its name must end in one of .csv, .csv.gz, .csv.zst, .tsv, .parquet, .arrow, .feather, .ipc, .json, .jsonl, .ndjson");
    insta::assert_snapshot!(folder.refuse("score m.sosrep data.csv --out scores"), @"cannot write scores: its name must end in one of .csv, .csv.gz, .csv.zst, .tsv, .parquet, .arrow, .feather, .ipc, .json, .jsonl, .ndjson");
}

#[test]
fn outputs_that_would_overwrite_something() {
    let folder = fitted();
    insta::assert_snapshot!(folder.refuse("detect data.csv --out ./data.csv"), @"./data.csv is an input and would be overwritten; name another file");
    insta::assert_snapshot!(folder.refuse("score m.sosrep data.csv --out m.sosrep"), @"m.sosrep is an input and would be overwritten; name another file");
    insta::assert_snapshot!(folder.refuse("detect data.csv --out o.csv --report ./o.csv"), @"./o.csv is asked to hold two outputs; name two files");
    insta::assert_snapshot!(folder.refuse("detect data.csv --out - --report -"), @"- is asked to hold two outputs; name two files");
    std::os::unix::fs::symlink("data.csv", folder.path("link.csv")).unwrap();
    insta::assert_snapshot!(folder.refuse("detect link.csv --out data.csv"), @"data.csv is an input and would be overwritten; name another file");
    assert_eq!(folder.text("data.csv"), tables::plain());
}

#[test]
fn words_and_data_that_both_want_standard_output() {
    let folder = fitted();
    let message = folder.refuse("detect data.csv --json --out -");
    insta::assert_snapshot!(message, @"--json and an output to - both want standard output; give a file");
    for words in [
        "score m.sosrep data.csv --json",
        "sample m.sosrep -n 3 --json",
        "density m.sosrep data.csv --json",
        "explain m.sosrep data.csv --json --out -",
        "tune data.csv --json --plot -",
        "fit data.csv --json --model -",
    ] {
        assert_eq!(folder.refuse(words), message, "{words}");
    }
}

#[test]
fn a_folder_in_the_place_of_a_file() {
    let folder = fitted();
    fs::create_dir(folder.path("o.csv")).unwrap();
    insta::assert_snapshot!(folder.refuse("detect data.csv --out o.csv"), @"cannot write o.csv: it is a folder; give a file");
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let folder = fitted();
    let body = tables::plain().split_once('\n').unwrap().1.to_string();
    folder.write("long.csv", format!("length,weight,age\n{}", body.repeat(500)));
    let mut sosrep = folder.command("score m.sosrep long.csv --out - --quiet").spawn().unwrap();
    let stdout = sosrep.stdout.take().unwrap();
    let head = Command::new("head").arg("-1").stdin(stdout).output().unwrap();
    assert_eq!(head.stdout, b"row,anomaly_score,p_value,is_anomaly,unscored\n");
    let ran = Ran::new("score | head -1", sosrep.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_reader_that_is_already_gone_is_no_error() {
    let folder = fitted();
    for words in [
        "score m.sosrep data.csv --quiet",
        "sample m.sosrep -n 2000 --quiet",
        "inspect m.sosrep",
        "explain m.sosrep data.csv",
        "completions bash",
        "--help",
    ] {
        let mut sosrep = folder.command(words).spawn().unwrap();
        drop(sosrep.stdout.take());
        let ran = Ran::new(words, sosrep.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{words}");
    }
}

#[test]
fn files_are_written_even_if_nobody_reads_the_table_beside_them() {
    let folder = Folder::with(&tables::plain());
    let mut command = folder.command("detect data.csv --out - --model m.sosrep --report r.html");
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(folder.names(), ["data.csv", "m.sosrep", "r.html"]);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_file_that_is_yet_to_be_is_that_file() {
    let folder = Folder::with(&tables::plain());
    std::os::unix::fs::symlink("target.csv", folder.path("link.csv")).unwrap();
    insta::assert_snapshot!(
        folder.refuse("detect data.csv --out link.csv --report target.csv"),
        @"target.csv is asked to hold two outputs; name two files"
    );
}
