//! `sosrep adbench`: splits, runs that survive being killed, and the report.

use std::collections::HashSet;
use std::fs::File;
use std::thread;
use std::time::Duration;

use ndarray::{Array1, Array2};
use ndarray_npy::NpzWriter;

use super::sosrep::Folder;
use super::tables::Uniform;

/// The file of a data set of which the catalogue knows nothing: two columns around 0, and a tenth
/// of the rows far out.
fn with_speech(rows: usize) -> Folder {
    let folder = Folder::new();
    let mut uniform = Uniform(7);
    let labels = Array1::from_shape_fn(rows, |i| i32::from(i % 10 == 0));
    let values = Array2::from_shape_fn((rows, 2), |(i, _)| {
        if i % 10 == 0 { 3.0 + 4.0 * uniform.next() } else { uniform.next() }
    });
    let mut archive = NpzWriter::new(File::create(folder.path("36_speech.npz")).unwrap());
    archive.add_array("X", &values).unwrap();
    archive.add_array("y", &labels).unwrap();
    archive.finish().unwrap();
    folder
}

/// Data set, seed, duplicates and method of every line of a log.
fn keys(folder: &Folder) -> Vec<String> {
    let text = folder.text("out/runs.csv");
    let key = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        [cells[0], cells[2], cells[3], cells[6]].join(" ")
    };
    text.lines().skip(1).map(key).collect()
}

#[test]
fn the_list_tells_what_is_missing() {
    let folder = with_speech(100);
    let ran = folder.run("adbench list --data .").success();
    assert!(ran.stdout.contains("14_glass") && ran.stdout.contains("missing"), "{}", ran.stdout);
    assert!(ran.stderr.contains("1 of 47 data sets"), "{}", ran.stderr);
    let message = folder.refuse("adbench list --data nowhere");
    assert!(message.contains("nowhere is not a folder"), "{message}");
}

#[test]
fn splits_are_files_named_after_what_they_are() {
    let folder = with_speech(100);
    folder.succeed("adbench split --data . --out splits --seeds 2 --duplicates 1,5");
    for name in ["36_speech-seed-1", "36_speech-seed-2", "36_speech-times-5-seed-2"] {
        let line = folder.text(&format!("splits/{name}.json"));
        assert!(line.contains("\"data_set\":\"36_speech\""), "{line}");
        assert!(!folder.read(&format!("splits/{name}.npz")).is_empty());
    }
}

#[test]
fn runs_killed_at_any_time_are_neither_lost_nor_repeated() {
    let folder = with_speech(400);
    let words = "adbench run --data . --out out --methods default,product --seeds 20 \
                 --duplicates 1,5 --protocol authors";
    for pause in [5, 20, 40, 60, 80] {
        let mut child = folder.command(words).spawn().unwrap();
        thread::sleep(Duration::from_millis(pause));
        // SIGKILL: the program is not asked.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    folder.succeed(words);
    let lines = keys(&folder);
    assert_eq!(lines.len(), 80, "2 methods, 20 seeds, 2 kinds of noise");
    assert_eq!(lines.iter().collect::<HashSet<_>>().len(), 80);
    let again = folder.run(words).success();
    assert!(again.stderr.contains("0 runs were done and 80 were there before"), "{}", again.stderr);
}

#[test]
fn a_report_is_made_from_the_folder_and_its_table_put_into_a_text() {
    let folder = with_speech(200);
    folder.succeed("adbench run --data . --out out --methods default --seeds 2");
    folder
        .write("TEXT.md", "before\n<!-- adbench: generated -->\n<!-- end of adbench -->\nafter\n");
    folder.succeed("adbench report out --readme TEXT.md");
    let text = folder.text("TEXT.md");
    assert!(text.starts_with("before\n") && text.ends_with("after\n"), "{text}");
    assert!(text.contains("| SOSREP-default"), "{text}");
    assert!(folder.text("out/report.html").contains("36_speech"));
    assert!(folder.text("out/figures/auc-roc.svg").starts_with("<svg"));
    // Once more, on what is there already.
    folder.succeed("adbench report out --readme TEXT.md");
    assert_eq!(folder.text("TEXT.md"), text);
}

#[test]
fn what_cannot_be_done_is_told_in_a_sentence() {
    let folder = with_speech(100);
    folder.write("TEXT.md", "no marks\n");
    folder.write("14_glass.npz", "not an archive");
    for (words, told) in [
        ("adbench report .", "there are no runs in ."),
        ("adbench run --data . --out out", "14_glass.npz"),
        ("adbench run --data . --out out --seeds none", "give a number of seeds"),
        ("adbench run --data . --out out --methods forest", "default, paper, sdo"),
        ("adbench experiment fishers --out out", "there is no experiment \"fishers\""),
    ] {
        let message = folder.refuse(words);
        assert!(message.contains(told), "{words}: {message}");
    }
    std::fs::remove_file(folder.path("14_glass.npz")).unwrap();
    for (words, told) in [
        ("adbench run --data . --out out --duplicates 9", "duplicates is 9; it must be between"),
        ("adbench run --data . --out out --data-sets gold", "no data set \"gold\""),
        ("adbench run --data . --out out --data-sets glass", "14_glass is not in ."),
        ("adbench baselines --data . --out out --timeout 0", "--timeout is 0"),
        ("adbench experiment fisher --out out", "needs the files of ADBench"),
        ("adbench experiment thresholds --out out", "needs the files of ADBench"),
        ("adbench experiment families --out out --python p --timeout 0", "--timeout is 0"),
    ] {
        let message = folder.run(words).refusal();
        assert!(message.contains(told), "{words}: {message}");
    }
    folder.succeed("adbench run --data . --out out --methods default --seeds 1");
    let message = folder.run("adbench report out --readme TEXT.md").refusal();
    assert!(message.contains("TEXT.md has no place for the table"), "{message}");
}

#[test]
fn thresholds_are_measured_on_what_is_there_and_reported() {
    let folder = with_speech(400);
    let words = "adbench experiment thresholds --data . --out out";
    folder.succeed(words);
    let text = folder.text("out/experiments/thresholds.csv");
    assert_eq!(text.lines().count(), 1 + 4 * 3, "a header, four seeds, three rules");
    folder.succeed(words);
    assert_eq!(folder.text("out/experiments/thresholds.csv"), text);
    folder.succeed("adbench run --data . --out out --methods default --seeds 1");
    folder.succeed("adbench report out");
    assert!(folder.text("out/report.md").contains("## Thresholds"));
    assert!(folder.text("out/figures/thresholds.svg").starts_with("<svg"));
}
