//! The options of a fit: which columns, which kernel, which bandwidth, and what they change.

use serde_json::Value;

use super::sosrep::Folder;
use super::tables::{self, ROWS};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn columns_can_be_chosen_or_dropped_to_the_same_effect() {
    let folder = Folder::with(&tables::labelled());
    let scores =
        |options: &str| folder.succeed(&format!("detect data.csv --quiet --out - {options}"));
    let chosen = scores("--columns length,age");
    assert_eq!(chosen, scores("--drop weight,name,known"));
    assert_eq!(chosen, scores("--drop weight --drop name --drop known"));
    assert_ne!(chosen, scores("--drop name,known"));
}

#[test]
fn the_label_value_decides_what_is_an_anomaly() {
    let folder = Folder::with(&tables::labelled());
    let auc = |options: &str| {
        let words = format!("detect data.csv --id name --label known --json {options}");
        json(&folder.succeed(&words))["auc_roc"].as_f64().unwrap()
    };
    assert_eq!(auc(""), auc("--label-value odd"));
    assert!((auc("--label-value odd") + auc("--label-value usual") - 1.0).abs() < 1e-12);
}

#[test]
fn contamination_flags_that_share_of_the_rows() {
    let folder = Folder::with(&tables::plain());
    for (share, flagged) in [("0.05", 4), ("0.1", 8), ("0.5", 40)] {
        let found =
            json(&folder.succeed(&format!("detect data.csv --json --contamination {share}")));
        assert_eq!(found["flagged"], flagged, "{share}");
    }
    let auto = folder.succeed("detect data.csv --quiet --out - --contamination auto");
    assert_eq!(auto, folder.succeed("detect data.csv --quiet --out -"));
}

#[test]
fn trimming_changes_what_the_density_rests_on() {
    let folder = Folder::with(&tables::plain());
    let terms = |share: &str| {
        folder.succeed(&format!("fit data.csv --quiet --trim {share} --model m.sosrep"));
        json(&folder.succeed("inspect m.sosrep --json"))["model"]["terms"].as_u64().unwrap()
    };
    let (all, core) = (terms("0"), terms("0.5"));
    assert_eq!(all, ROWS as u64);
    assert!((ROWS as u64 / 2..all).contains(&core), "{core}");
    let ran = folder.run("density m.sosrep data.csv --out d.csv").success();
    insta::assert_snapshot!(ran.stderr.trim_end(), @"note: the density is that of the densest 60 of 80 rows; fit with --trim 0 for one of all");
}

#[test]
fn a_name_with_a_comma_can_be_dropped() {
    let folder = Folder::with(&tables::with_columns(&[("\"a, b\"", &|_| "x".to_string())]));
    let mut command = folder.command("detect data.csv --quiet --drop");
    assert!(command.arg("a, b").output().unwrap().status.success());
}

#[test]
fn every_kernel_ranks_the_odd_rows_first() {
    let folder = Folder::with(&tables::labelled());
    for kernel in ["product", "sdo", "sdo-sampled", "laplacian", "gaussian"] {
        let words = format!("detect data.csv --id name --label known --json --kernel {kernel}");
        let found = json(&folder.succeed(&words));
        assert_eq!(found["kernel"], kernel);
        assert!(found["auc_roc"].as_f64().unwrap() > 0.95, "{found}");
    }
}

#[test]
fn every_way_to_a_bandwidth_is_taken() {
    let folder = Folder::with(&tables::plain());
    let fitted =
        |options: &str| json(&folder.succeed(&format!("detect data.csv --json {options}")));
    for (how, kernel) in [
        ("auto", "product"),
        ("likelihood", "product"),
        ("influence", "product"),
        ("fisher", "sdo"),
        ("paper", "sdo"),
        ("paper-text", "sdo"),
        ("paper-released", "sdo"),
    ] {
        let found = fitted(&format!("--bandwidth {how}"));
        assert!(found["bandwidth"].as_f64().unwrap() > 0.0, "{found}");
        assert_eq!(found["kernel"], kernel, "{how}");
    }
    assert_eq!(fitted("--bandwidth 0.25")["bandwidth"], 0.25);
    let paper = fitted("--preset paper");
    assert_eq!(paper["kernel"], "sdo-sampled");
    assert_eq!(fitted("--preset paper-exact")["kernel"], "sdo");
    assert_eq!(fitted("--preset paper --kernel gaussian")["kernel"], "gaussian");
}

#[test]
fn the_same_seed_gives_the_same_bytes_whatever_the_threads() {
    let folder = Folder::with(&tables::labelled());
    let outputs = |options: &str| {
        let words = "detect data.csv --id name --label known --kernel sdo-sampled --quiet";
        folder.succeed(&format!("{words} --out out.csv --model m.sosrep {options}"));
        let drawn = folder.succeed(&format!("sample m.sosrep -n 5 --quiet {options}"));
        [folder.read("out.csv"), folder.read("m.sosrep"), drawn.into_bytes()]
    };
    let expected = outputs("--seed 3 --threads 1");
    assert!(outputs("--seed 3 --threads 1") == expected, "a second run");
    assert!(outputs("--seed 3 --threads 2") == expected, "two threads");
    assert!(outputs("--seed 3") == expected, "all threads");
    let others = outputs("--seed 4");
    assert!(others.iter().zip(&expected).all(|(other, one)| other != one), "another seed");
}

#[test]
fn little_memory_means_a_sample() {
    let folder = Folder::with(&tables::plain());
    let words = "detect data.csv --json --memory";
    for (memory, fitted) in [("1GB", 80), ("20kB", 64)] {
        let found = json(&folder.succeed(&format!("{words} {memory}")));
        assert_eq!(found["notes"], Value::Array(vec![]));
        assert_eq!((&found["distinct_rows"], &found["fitted_rows"]), (&80.into(), &fitted.into()));
    }
    let shown = folder.succeed("detect data.csv --memory 20kB --report page.html");
    let sample = "exact, on a sample of 64 of 80 rows (seed 0); --memory allows more";
    assert!(shown.contains(sample), "{shown}");
    assert!(folder.text("page.html").contains(sample));
}

#[test]
fn tune_and_detect_choose_the_same_bandwidth() {
    let folder = Folder::with(&tables::plain());
    for method in ["fisher", "likelihood", "influence"] {
        let tuned = json(&folder.succeed(&format!("tune data.csv --json --method {method}")));
        let found = json(&folder.succeed(&format!("detect data.csv --json --bandwidth {method}")));
        assert_eq!(tuned["bandwidth"], found["bandwidth"], "{method}");
    }
}

#[test]
fn preparation_is_that_of_the_core_and_its_domains_too() {
    let folder = Folder::with(&tables::plain());
    let scores =
        |options: &str| folder.succeed(&format!("detect data.csv --quiet --out - {options}"));
    let default = scores("");
    assert_eq!(scores("--scaling standard --clip 5 --whitening 0.5"), default);
    for options in ["--scaling robust", "--clip none", "--whitening 0"] {
        assert_ne!(scores(options), default, "{options}");
    }
    insta::assert_snapshot!(folder.refuse("detect data.csv --whitening 0.6"), @"whitening is 0.6; it must be between 0 and 0.5");
    insta::assert_snapshot!(folder.refuse("fit data.csv --clip 0 --model m.sosrep"), @"clip is 0; it must be none, or between 1e-50 and 1e50");
}

#[test]
fn tune_names_its_kernel_and_doubts_a_minimum_at_the_end_of_its_grid() {
    let folder = Folder::with(&tables::plain());
    let found = |options: &str| -> Value {
        serde_json::from_str(&folder.succeed(&format!("tune data.csv --json {options}"))).unwrap()
    };
    for (options, kernel) in [
        ("--method likelihood", "product"),
        ("--method fisher", "sdo"),
        ("--method fisher --kernel gaussian", "gaussian"),
    ] {
        let found = found(options);
        assert_eq!(found["kernel"], kernel, "{options}");
        let curve = found["curve"].as_array().unwrap();
        let ends = [&curve[0]["bandwidth"], &curve[curve.len() - 1]["bandwidth"]];
        let at_an_end = ends.contains(&&found["bandwidth"]);
        let notes = found["notes"].to_string();
        assert_eq!(notes.contains("no minimum inside the grid"), at_an_end, "{notes}");
    }
}
