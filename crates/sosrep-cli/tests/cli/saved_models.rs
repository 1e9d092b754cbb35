//! A saved model scores, draws and describes as the detector that was fitted.

use serde_json::Value;

use super::sosrep::{Folder, trimmed};
use super::tables::{self, ROWS};

const FIT: &str = "fit data.csv --quiet --id name --label known --model m.sosrep";

/// A folder with a table, named and labelled, and a model of it.
pub(crate) fn fitted() -> Folder {
    let folder = Folder::with(&tables::labelled());
    folder.succeed(FIT);
    folder
}

/// The scores of a table, as CSV.
pub(crate) fn score(folder: &Folder, words: &str) -> String {
    folder.succeed(&format!("score m.sosrep {words} --quiet"))
}

#[test]
fn fit_finds_the_model_of_detect_and_training_rows_lack_their_own_part() {
    let folder = fitted();
    let detected =
        folder.succeed("detect data.csv --id name --label known --quiet --out - --model d.sosrep");
    let scored = score(&folder, "data.csv --label known");
    assert_eq!(
        tables::header(&scored),
        ["row", "id", "label", "anomaly_score", "p_value", "is_anomaly", "unscored"]
    );
    for column in ["row", "id", "label"] {
        assert_eq!(tables::column(&scored, column), tables::column(&detected, column), "{column}");
    }
    let scores = |text: &str| -> Vec<f64> {
        tables::column(text, "anomaly_score").iter().map(|cell| cell.parse().unwrap()).collect()
    };
    let (new, training) = (scores(&scored), scores(&detected));
    assert!(new.iter().zip(&training).all(|(new, training)| new <= training));
    // Rows outside the core have no part in the density.
    let equal = new.iter().zip(&training).filter(|(new, training)| new == training).count();
    let inspected: Value =
        serde_json::from_str(&folder.succeed("inspect m.sosrep --json")).unwrap();
    assert_eq!(Some(equal), inspected["model"]["terms"].as_u64().map(|core| ROWS - core as usize));
    assert!(folder.read("d.sosrep") == folder.read("m.sosrep"), "the models differ");
}

#[test]
fn columns_may_come_in_another_order_and_those_not_used_may_be_missing() {
    let folder = fitted();
    let expected = score(&folder, "data.csv");
    let table = tables::labelled();
    folder.write(
        "other.csv",
        tables::reordered(&table, &["known", "age", "name", "weight", "length"]),
    );
    assert_eq!(score(&folder, "other.csv"), expected);
    folder.write("other.csv", tables::reordered(&table, &["age", "name", "weight", "length"]));
    assert_eq!(score(&folder, "other.csv"), expected);

    folder.write("other.csv", tables::reordered(&table, &["age", "weight", "length"]));
    let without_id = score(&folder, "other.csv");
    let numbers = |text: &str| tables::column(text, "anomaly_score").join(" ");
    assert_eq!(numbers(&without_id), numbers(&expected));
    assert!(tables::column(&without_id, "id").iter().all(|id| id.is_empty()), "{without_id}");
}

#[test]
fn columns_that_were_dropped_at_the_fit_may_be_there_or_not() {
    let folder = Folder::with(&tables::labelled());
    folder.succeed("fit data.csv --quiet --drop name,known,weight --model m.sosrep");
    let expected = score(&folder, "data.csv");
    folder.write("fewer.csv", tables::reordered(&tables::labelled(), &["age", "length"]));
    assert_eq!(score(&folder, "fewer.csv"), expected);
}

#[test]
fn missing_and_extra_columns_are_listed_all_at_once() {
    let folder = fitted();
    let table = tables::plain().replacen("length,weight,age", "Length,mass,year", 1);
    folder.write("other.csv", table);
    insta::assert_snapshot!(folder.refuse("score m.sosrep other.csv --out s.csv"), @r#"other.csv: the columns differ from those of the model (missing: "weight", "age"; spelt differently: "Length" for "length"; not in the model: "mass", "year"); add, rename or leave out (--ignore) columns until they match"#);
    insta::assert_snapshot!(folder.refuse("explain m.sosrep other.csv"), @r#"other.csv: the columns differ from those of the model (missing: "weight", "age"; spelt differently: "Length" for "length"; not in the model: "mass", "year"); add, rename or leave out (--ignore) columns until they match"#);
    folder.write("extra.csv", tables::with_columns(&[("mass", &|row| row.to_string())]));
    insta::assert_snapshot!(folder.refuse("density m.sosrep extra.csv"), @r#"extra.csv: the columns differ from those of the model (not in the model: "mass"); add, rename or leave out (--ignore) columns until they match"#);
    let dropped = score(&folder, "extra.csv --drop mass");
    assert_eq!(tables::column(&dropped, "row").len(), ROWS);
}

#[test]
fn standard_input_and_output_are_the_defaults_of_a_pipe() {
    let folder = fitted();
    let expected = score(&folder, "data.csv");
    let ran = folder.run_with_input("score m.sosrep - --out -", &folder.read("data.csv")).success();
    assert_eq!(ran.stdout, expected);
    assert!(ran.stderr.contains("rows"), "the summary goes to standard error: {}", ran.stderr);
    score(&folder, "data.csv --out scores.csv");
    assert_eq!(folder.text("scores.csv"), expected);
}

#[test]
fn a_model_can_be_written_to_standard_output() {
    let folder = fitted();
    let words = FIT.replace("m.sosrep", "-");
    let output = folder.command(&words).output().unwrap();
    assert!(output.stdout == folder.read("m.sosrep"), "the bytes differ");
}

#[test]
fn many_batches_are_scored_as_one_row_at_a_time_would_be() {
    let folder = fitted();
    let body = tables::labelled().split_once('\n').unwrap().1.to_string();
    let times = 250;
    folder.write("long.csv", format!("length,weight,age,name,known\n{}", body.repeat(times)));
    let (long, short) = (score(&folder, "long.csv"), score(&folder, "data.csv"));
    let scores = tables::column(&short, "anomaly_score");
    let expected: Vec<&str> = scores.iter().copied().cycle().take(times * ROWS).collect();
    assert_eq!(tables::column(&long, "anomaly_score"), expected);
    let last = tables::column(&long, "row").last().map(|row| row.to_string());
    assert_eq!(last, Some((times * ROWS).to_string()));
}

#[test]
fn drawn_rows_look_like_the_table_and_can_be_scored() {
    let folder = Folder::with(&tables::mixed());
    folder.succeed("fit data.csv --quiet --categories onehot --model m.sosrep");
    let drawn = folder.succeed("sample m.sosrep -n 40 --quiet --seed 1");
    assert_eq!(tables::header(&drawn), ["length", "weight", "age", "city", "member"]);
    let cities = tables::column(&drawn, "city");
    assert!(cities.iter().all(|city| ["oslo", "rome", "lima"].contains(city)), "{cities:?}");
    assert!(cities.iter().any(|city| *city != cities[0]), "one city only: {cities:?}");
    let members = tables::column(&drawn, "member");
    assert!(members.iter().all(|member| ["true", "false"].contains(member)), "{members:?}");
    for name in ["d.csv", "d.tsv", "d.csv.gz", "d.csv.zst", "d.parquet", "d.arrow"] {
        folder.succeed(&format!("sample m.sosrep -n 40 --quiet --seed 1 --out {name}"));
        let scored = score(&folder, name);
        assert_eq!(scored.lines().count(), 41, "{name}");
        folder.write("drawn.csv", &drawn);
        assert_eq!(scored, score(&folder, "drawn.csv"), "{name}");
    }
    for name in ["d.json", "d.jsonl"] {
        folder.succeed(&format!("sample m.sosrep -n 40 --quiet --seed 1 --out {name}"));
        assert_eq!(folder.text(name).matches("\"member\"").count(), 40, "{name}");
    }
    assert_ne!(drawn, folder.succeed("sample m.sosrep -n 40 --quiet --seed 2"));
}

#[test]
fn log_densities_are_finite_and_fall_where_scores_rise() {
    let folder = fitted();
    let text = folder.succeed("density m.sosrep data.csv --quiet");
    assert_eq!(tables::header(&text), ["row", "id", "log_density", "unscored"]);
    let numbers = |text: &str, name: &str| -> Vec<f64> {
        tables::column(text, name).iter().map(|cell| cell.parse().unwrap()).collect()
    };
    let density = numbers(&text, "log_density");
    assert!(density.iter().all(|value| value.is_finite()), "{density:?}");
    let usual: Vec<f64> =
        (0..ROWS).filter(|row| !tables::is_odd(*row)).map(|row| density[row]).collect();
    let lowest = usual.iter().copied().fold(f64::INFINITY, f64::min);
    assert!((0..ROWS).filter(|row| tables::is_odd(*row)).all(|row| density[row] < lowest));
}

#[test]
fn a_sampled_kernel_has_no_density_and_says_so() {
    let folder = Folder::with(&tables::plain());
    folder.succeed("fit data.csv --quiet --kernel sdo-sampled --model m.sosrep");
    insta::assert_snapshot!(folder.refuse("density m.sosrep data.csv --out d.csv"), @"the normaliser is not defined for the sdo-sampled kernel: a sum of cosines has no integral; use the exact sdo kernel");
}

#[test]
fn inspect_tells_what_the_model_holds() {
    let folder = Folder::with(&tables::mixed());
    folder.succeed(
        "fit data.csv --quiet --categories onehot --missing impute --id age --model m.sosrep",
    );
    insta::assert_snapshot!(trimmed(&folder.succeed("inspect m.sosrep")), @r"
      kind            detector
      written by      sosrep 0.1.0, format 4
      kernel          product
      bandwidth       0.1504
      terms           60
      dimension       6
      threshold       34.07
      seed            0
      fitted on       80 rows
      columns         4
      missing values  impute
      id column       age

     column   kind      encoded as
    ───────────────────────────────────────────
     length   number    number
     weight   number    number
     city     text      3 columns of yes or no
     member   boolean   true or false
    ");
    let found: Value = serde_json::from_str(&folder.succeed("inspect m.sosrep --json")).unwrap();
    assert_eq!(found["model"]["kernel"], "product");
    assert_eq!(found["table"]["ids"][0], "age");
    let names = found["model"]["feature_names"].as_array().unwrap();
    assert_eq!(names.len(), 6, "{names:?}");
}

#[test]
fn labels_given_at_scoring_are_judged() {
    let folder = fitted();
    let words = "score m.sosrep data.csv --label known --json --out s.csv";
    let scored: Value = serde_json::from_str(&folder.succeed(words)).unwrap();
    let words = "detect data.csv --id name --label known --json";
    let detected: Value = serde_json::from_str(&folder.succeed(words)).unwrap();
    for field in ["auc_roc", "average_precision", "rows", "flagged", "threshold"] {
        assert_eq!(scored[field], detected[field], "{field}");
    }
}

#[test]
fn a_false_discovery_rate_flags_by_the_p_values_of_the_whole_table() {
    let folder = fitted();
    // Six rows far from all others, after the usual ones.
    let far = (0..6).map(|i| format!("{},{},{}\n", 900 + i, 9000 + i, -9000 - i));
    let usual = tables::plain();
    folder.write(
        "new.csv",
        usual.lines().take(31).map(|line| format!("{line}\n")).chain(far).collect::<String>(),
    );
    for (rate, expected) in [(0.05, 0), (0.1, 6)] {
        let scored = score(&folder, &format!("new.csv --fdr {rate}"));
        let flagged = tables::column(&scored, "is_anomaly");
        // A p-value is at least 1/81, and six of 36 rows are allowed one of 6 / 36 of the rate.
        assert_eq!(1.0 / 81.0 <= 6.0 / 36.0 * rate, expected > 0);
        assert_eq!(flagged.iter().filter(|flag| **flag == "true").count(), expected, "{rate}");
        assert!(expected == 0 || flagged[30..].iter().all(|flag| *flag == "true"));
    }
    let refused = folder.refuse("score m.sosrep new.csv --fdr 1");
    assert_eq!(trimmed(&refused), "fdr is 1; it must be above 0 and below 1");
    let piped = folder.run_with_input("score m.sosrep - --fdr 0.1", b"").refusal();
    assert!(piped.contains("reads the table twice"), "{piped}");
}
