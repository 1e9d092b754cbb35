//! Ctrl-C: exit code 130, no output, no temporary file, old files as they were.

use std::fmt::Write;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::sosrep::{Folder, Ran};
use super::tables::{self, Uniform};

/// How long a program that was told to stop may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A table that takes long to fit: thousands of rows of thirty numbers.
fn long_work() -> String {
    let mut uniform = Uniform(3);
    let mut text = (1..=30).map(|j| format!("x{j}")).collect::<Vec<_>>().join(",") + "\n";
    for _ in 0..8000 {
        let row: Vec<String> = (0..30).map(|_| format!("{:.4}", uniform.next())).collect();
        writeln!(text, "{}", row.join(",")).unwrap();
    }
    text
}

/// Waits until the work has begun: the temporary files of its outputs are there.
fn wait_for_parts(folder: &Folder, parts: usize) {
    let started = Instant::now();
    let there = || folder.names().iter().filter(|name| name.ends_with(".part")).count();
    while there() < parts {
        assert!(started.elapsed() < PATIENCE, "the work did not begin: {:?}", folder.names());
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(Duration::from_millis(400));
}

/// Sends the signal and waits for the end.
fn stop(mut child: Child, signal: &str) -> Ran {
    assert!(child.try_wait().unwrap().is_none(), "the work was over too soon");
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the program did not stop at {signal}");
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ran::new("interrupted", child.wait_with_output().unwrap())
}

fn check(folder: &Folder, ran: &Ran, names: &[&str]) {
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(130), ""), "{}", ran.stderr);
    assert_eq!(ran.stderr, "error: interrupted; no output was written\n");
    assert_eq!(folder.names(), names);
}

#[test]
fn a_long_fit_stops_and_leaves_the_old_model() {
    let folder = Folder::with(&long_work());
    folder.write("m.sosrep", "old");
    for signal in ["-INT", "-TERM"] {
        let words = "fit data.csv --threads 1 --bandwidth fisher --model m.sosrep";
        let child = folder.command(words).spawn().unwrap();
        wait_for_parts(&folder, 1);
        check(&folder, &stop(child, signal), &["data.csv", "m.sosrep"]);
        assert_eq!(folder.text("m.sosrep"), "old");
    }
}

#[test]
fn a_long_detect_stops_and_leaves_none_of_its_outputs() {
    let folder = Folder::with(&long_work());
    let words = "detect data.csv --threads 1 --bandwidth fisher --out o.csv --model m.sosrep --report r.html";
    let child = folder.command(words).spawn().unwrap();
    wait_for_parts(&folder, 3);
    check(&folder, &stop(child, "-INT"), &["data.csv"]);
}

#[test]
fn a_long_draw_stops() {
    let folder = Folder::with(&tables::plain());
    folder.succeed("fit data.csv --quiet --model m.sosrep");
    let child = folder.command("sample m.sosrep -n 100000000 --out o.csv").spawn().unwrap();
    wait_for_parts(&folder, 1);
    check(&folder, &stop(child, "-INT"), &["data.csv", "m.sosrep"]);
}

#[test]
fn a_silent_standard_input_can_be_left() {
    let folder = Folder::new();
    let mut command = folder.command("fit - --model m.sosrep");
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let _open = child.stdin.take();
    wait_for_parts(&folder, 1);
    check(&folder, &stop(child, "-INT"), &[]);
}

#[test]
fn a_standard_input_that_falls_silent_can_be_left() {
    use std::io::Write as _;
    let folder = Folder::with(&tables::plain());
    folder.succeed("fit data.csv --quiet --model m.sosrep");
    let mut command = folder.command("score m.sosrep - --out o.csv");
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut open = child.stdin.take().unwrap();
    let body = tables::plain().split_once('\n').unwrap().1.repeat(500);
    open.write_all(format!("length,weight,age\n{body}").as_bytes()).unwrap();
    wait_for_parts(&folder, 1);
    check(&folder, &stop(child, "-INT"), &["data.csv", "m.sosrep"]);
    drop(open);
}
