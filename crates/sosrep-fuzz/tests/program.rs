//! The program that mutates: what `./x test` runs for a minute, here for a few files a target.

use std::process::Command;

/// What the program prints about each target, without the times.
fn mutate(seed: &str) -> Vec<String> {
    let program = Command::new(env!("CARGO_BIN_EXE_sosrep-fuzz"))
        .args(["--runs", "1000", "--seed", seed, "--findings", env!("CARGO_TARGET_TMPDIR")])
        .output()
        .unwrap();
    let told = String::from_utf8(program.stdout).unwrap();
    assert!(program.status.success(), "{told}");
    told.lines().map(|line| line.split(" read,").next().unwrap().to_owned()).collect()
}

#[test]
fn every_target_reads_some_of_its_mutations_and_keeps_its_promises() {
    let told = mutate("0");
    assert_eq!(told.len(), sosrep_fuzz::targets().len());
    for (line, target) in told.iter().zip(sosrep_fuzz::targets()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[..3], [target.name, "1000", "runs,"]);
        let read: u32 = words[3].parse().unwrap();
        assert!(0 < read && read < 1000, "{line}");
    }
}

#[test]
fn a_seed_makes_the_same_files_each_time() {
    assert_eq!(mutate("1"), mutate("1"));
    assert_ne!(mutate("1"), mutate("2"));
}
