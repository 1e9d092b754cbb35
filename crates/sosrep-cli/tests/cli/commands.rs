//! Every command on a small table: what it prints, and that it prints nothing else.

use serde_json::Value;

use super::sosrep::{Folder, trimmed};
use super::tables::{self, ROWS};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn without_a_table_the_example_is_shown_with_its_source() {
    let folder = Folder::new();
    let ran = folder.run("detect").success();
    for wanted in ["AUC-ROC", "AP", "379", "anomaly", "because of"] {
        assert!(ran.stdout.contains(wanted), "{wanted} in {}", ran.stdout);
    }
    assert!(ran.stderr.contains("doi:10.24432/C5DW2B"), "{}", ran.stderr);
    assert!(!ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\r'), "progress was shown");
    assert!(folder.names().is_empty());
}

#[test]
fn the_example_is_found_well_enough_to_be_an_example() {
    let found = json(&Folder::new().succeed("detect --json"));
    assert_eq!(
        keys(&found),
        [
            "auc_roc",
            "average_precision",
            "bandwidth",
            "columns",
            "core_rows",
            "distinct_rows",
            "estimated_share",
            "features",
            "file",
            "fitted_rows",
            "flagged",
            "iterations",
            "kernel",
            "method",
            "notes",
            "residual",
            "rows",
            "rows_dropped",
            "sampled_rows",
            "seconds",
            "seed",
            "support_rows",
            "threshold",
            "top",
            "version"
        ]
    );
    assert!(found["auc_roc"].as_f64().unwrap() > 0.9, "{found}");
    assert_eq!(found["top"].as_array().unwrap().len(), 10);
    let first = &found["top"][0];
    assert_eq!(keys(first), ["anomaly_score", "is_anomaly", "p_value", "reasons", "row"]);
    assert_eq!(keys(&first["reasons"][0]), ["column", "contribution", "typical", "value"]);
}

#[test]
fn the_summary_of_a_small_table_reads_well() {
    let folder = Folder::with(&tables::labelled());
    let ran = folder.run("detect data.csv --id name --label known --top 3").success();
    insta::with_settings!({filters => [(r"\d+\.\d\d s", "[time]")]}, {
        insta::assert_snapshot!(trimmed(&ran.stdout), @r"
         #   row   score   p-value   flagged   label     because of
        ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
         1   r39   99.53    0.0125   yes       anomaly   length 18.28 (typical 2.895), weight 82.38 (typical 26.7), age 228.8 (typical 40.29)
         2   r79   83.28     0.025   yes       anomaly   length 17.41 (typical 2.895), weight 86.1 (typical 26.7), age 110.2 (typical 40.29)
         3   r19   76.75    0.0375   yes       anomaly   length 17.14 (typical 2.895), weight 68.67 (typical 26.7), age 81.28 (typical 40.29)

          rows        80
          columns     3 numbers (length, weight, age)
          method      exact, on all 80 rows
          kernel      product
          bandwidth   0.1504
          iterations  7, residual 2.5e-7
          threshold   40.71
          flagged     4 rows (5 %), automatic: their scores stand apart from the others
          AUC-ROC     1.0000
          AP          1.0000
          time        [time]
        ");
    });
    insta::assert_snapshot!(ran.stderr, @r#"note: a label of "odd" counts as an anomaly"#);
}

#[test]
fn quiet_prints_nothing_in_any_command() {
    let folder = Folder::with(&tables::labelled());
    for words in [
        "detect data.csv --id name --drop known --model m.sosrep",
        "fit data.csv --id name --label known --model m.sosrep",
        "score m.sosrep data.csv --out scores.csv",
        "explain m.sosrep data.csv",
        "sample m.sosrep -n 3 --out drawn.csv",
        "density m.sosrep data.csv --out density.csv",
        "tune data.csv --id name --label known --method influence",
        "detect",
    ] {
        let ran = folder.run(&format!("{words} --quiet")).success();
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""), "{words}");
    }
}

#[test]
fn json_is_one_object_and_nothing_else_in_any_command() {
    let folder = Folder::with(&tables::labelled());
    for (words, field) in [
        ("detect data.csv --id name --label known --model m.sosrep", "flagged"),
        ("fit data.csv --id name --label known --model m.sosrep", "bandwidth"),
        ("score m.sosrep data.csv --label known --out scores.csv", "auc_roc"),
        ("sample m.sosrep -n 3 --out drawn.csv", "rows"),
        ("density m.sosrep data.csv --out density.csv", "mean_log_density"),
        ("tune data.csv --id name --label known --method influence", "curve"),
        ("inspect m.sosrep", "model"),
    ] {
        let ran = folder.run(&format!("{words} --json")).success();
        let value = json(&ran.stdout);
        assert!(value.get(field).is_some(), "{words}: {value}");
        assert_eq!(ran.stderr, "", "{words}");
    }
    let explained = json(&folder.succeed("explain m.sosrep data.csv --row 20 --json"));
    assert_eq!(explained["rows"][0]["row"], 20, "{explained}");
}

#[test]
fn top_limits_the_rows_shown() {
    let folder = Folder::with(&tables::plain());
    for (top, shown) in [(0, 0), (3, 3), (1000, ROWS)] {
        let found = json(&folder.succeed(&format!("detect data.csv --json --top {top}")));
        assert_eq!(found["top"].as_array().unwrap().len(), shown);
    }
}

#[test]
fn tune_writes_and_draws_the_curve_of_every_method() {
    let folder = Folder::with(&tables::plain());
    for method in ["fisher", "paper", "paper-text", "paper-released", "likelihood", "influence"] {
        let words = format!("tune data.csv --method {method} --out curve.csv --plot curve.svg");
        let shown = folder.succeed(&words);
        assert!(shown.contains("← chosen"), "{shown}");
        let curve = folder.text("curve.csv");
        assert_eq!(
            tables::header(&curve),
            ["bandwidth", "value", "iterations", "residual", "chosen"]
        );
        let chosen = tables::column(&curve, "chosen");
        assert_eq!(chosen.iter().filter(|cell| **cell == "true").count(), 1, "{curve}");
        let place = chosen.iter().position(|cell| *cell == "true").unwrap();
        let best: f64 = tables::column(&curve, "bandwidth")[place].parse().unwrap();
        let fitted = folder.succeed(&format!("tune data.csv --method {method} --json"));
        assert_eq!(json(&fitted)["bandwidth"], best);
        let plot = folder.text("curve.svg");
        assert!(
            plot.contains("<svg") && plot.contains("xmlns") && plot.contains("</svg>"),
            "{plot}"
        );
    }
}

#[test]
fn bandwidths_are_judged_by_the_rows_of_another_table() {
    let folder = Folder::with(&tables::plain());
    // The same rows without one: other rows to judge by than any that are held out.
    let lines: Vec<String> = tables::plain().lines().map(str::to_string).collect();
    folder.write("other.csv", lines[..lines.len() - 1].join("\n"));
    folder.write("none.csv", format!("{}\n", lines[0]));
    let curve = |words: &str| json(&folder.succeed(&format!("{words} --json")))["curve"].clone();
    let judged = curve("tune data.csv --method fisher --judge other.csv");
    assert_ne!(judged, curve("tune data.csv --method fisher"));
    // No row is held out at random, so that the seed plays no part.
    assert_eq!(judged, curve("tune data.csv --method fisher --judge other.csv --seed 9"));
    let detected = "detect data.csv --preset paper-exact --bandwidth fisher --judge other.csv";
    let found = json(&folder.succeed(&format!("{detected} --json")));
    let tuned = "tune data.csv --method fisher --clip none --judge other.csv --json";
    assert_eq!(found["bandwidth"], json(&folder.succeed(tuned))["bandwidth"]);
    let refused = |words: &str| folder.refuse(words);
    let message = refused("detect data.csv --bandwidth 0.3 --judge other.csv");
    assert!(message.contains("rows were given to judge bandwidths by"), "{message}");
    let message = refused("tune data.csv --judge none.csv");
    assert!(message.contains("none.csv"), "{message}");
    let message = refused("fit data.csv --model other.csv --bandwidth fisher --judge other.csv");
    assert!(message.contains("other.csv is an input"), "{message}");
}

#[test]
fn completions_know_the_commands_in_every_shell() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.succeed(&format!("completions {shell}"));
        for word in ["sosrep", "detect", "density", "contamination"] {
            assert!(script.contains(word), "{word} for {shell}");
        }
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    let folder = Folder::new();
    insta::assert_snapshot!(folder.succeed("--help"), @r"
    Find anomalies in a table, and say why they stand out

    Usage: sosrep <COMMAND>

    Commands:
      detect       Fit, score, explain and report in one go; without DATA, on an example
      fit          Fit a detector and save it
      score        Score a table of any length with a saved model
      tune         Show how a criterion depends on the bandwidth
      explain      Say why rows have their scores
      sample       Draw rows from a model's density
      density      The normalised log-density of rows, in the units of the table
      inspect      Show what a model file holds
      serve        Serve models over HTTP, with a page to explore tables
      completions  Print a script that completes commands in a shell
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Files: CSV and JSON (also .gz, .zst), Parquet, Arrow, NPY, NPZ; `-` is standard input or output.
    Exit codes: 0 fine, 1 something you can correct, 2 a bug of the program, 130 interrupted.
    ");
    assert!(folder.succeed("--version").starts_with("sosrep 0."));
    for command in
        ["detect", "fit", "score", "tune", "explain", "sample", "density", "inspect", "serve"]
    {
        assert!(folder.succeed(&format!("{command} --help")).contains("Usage: sosrep"));
    }
}
