//! Cells that are not numbers: what the policies do, and that a model remembers them.

use serde_json::Value;

use super::sosrep::Folder;
use super::tables::{self, ROWS};

/// A table with three cells missing in two rows.
fn holes() -> String {
    tables::emptied(&tables::plain(), &[(4, 1), (4, 2), (9, 0)])
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn missing_values_stop_the_work_unless_told() {
    let folder = Folder::with(&holes());
    insta::assert_snapshot!(folder.refuse("detect data.csv --out o.csv"), @r#"data.csv, line 6, column "weight": the value is missing, one of 1 in this column and 3 in the table; leave such rows out with --missing drop, or fill in missing values with --missing impute"#);
    assert_eq!(folder.refuse("detect data.csv"), folder.refuse("detect data.csv --missing error"));
}

#[test]
fn every_spelling_of_a_missing_value_is_one() {
    for spelling in ["NA", "NaN", "null", "n/a"] {
        let table = tables::replaced(&tables::plain(), &[(4, 1)], spelling);
        let folder = Folder::with(&table);
        let found = json(&folder.succeed("detect data.csv --missing drop --json"));
        assert_eq!(found["rows_dropped"], 1, "{spelling}");
    }
}

#[test]
fn dropped_rows_have_no_score_and_change_no_other() {
    let folder = Folder::with(&holes());
    let dropped = folder.succeed("detect data.csv --missing drop --quiet --out - --format jsonl");
    let lines: Vec<Value> = dropped.lines().map(json).collect();
    let rows: Vec<u64> = lines.iter().map(|line| line["row"].as_u64().unwrap()).collect();
    assert_eq!(rows, (1..=ROWS as u64).collect::<Vec<_>>());
    for line in &lines {
        let left_out = [5, 10].contains(&line["row"].as_u64().unwrap());
        for name in ["anomaly_score", "p_value", "is_anomaly", "rank"] {
            assert_eq!(line[name].is_null(), left_out, "{line}");
        }
        assert_eq!(line["unscored"].is_null(), !left_out, "{line}");
    }
    assert_eq!(lines[4]["unscored"], "missing value in weight");
    let table = tables::plain();
    let kept = table.lines().enumerate().filter(|(line, _)| ![5, 10].contains(line));
    let kept = kept.map(|(_, line)| line);
    folder.write("kept.csv", kept.collect::<Vec<_>>().join("\n"));
    let kept = folder.succeed("detect kept.csv --quiet --out - --format jsonl");
    let scores = |text: &str| -> Vec<f64> {
        text.lines().filter_map(|line| json(line)["anomaly_score"].as_f64()).collect()
    };
    assert_eq!(scores(&dropped), scores(&kept));
    let ran = folder.run("detect data.csv --missing drop").success();
    insta::assert_snapshot!(ran.stderr, @"note: rows left out for missing values: 2");
}

#[test]
fn imputing_takes_the_median_and_the_most_frequent_text() {
    let cell = |row: usize| if row < 50 { "red" } else { "blue" }.to_string();
    let table = tables::with_columns(&[("colour", &cell)]);
    let emptied = tables::emptied(&table, &[(4, 1), (60, 3)]);
    let mut weights: Vec<f64> = tables::column(&emptied, "weight")
        .iter()
        .filter(|cell| !cell.is_empty())
        .map(|cell| cell.parse().unwrap())
        .collect();
    weights.sort_by(f64::total_cmp);
    let filled = tables::replaced(&emptied, &[(4, 1)], &weights[weights.len() / 2].to_string());
    let filled = tables::replaced(&filled, &[(60, 3)], "red");
    let folder = Folder::with(&emptied);
    folder.write("filled.csv", filled);
    let words = "--missing impute --categories onehot --quiet --out -";
    let imputed = folder.succeed(&format!("detect data.csv {words}"));
    assert_eq!(imputed, folder.succeed(&format!("detect filled.csv {words}")));
    assert_eq!(imputed.lines().count(), ROWS + 1);
}

#[test]
fn a_model_remembers_what_to_do_with_missing_values() {
    let folder = Folder::with(&tables::plain());
    folder.write("holes.csv", holes());
    let fit = |policy: &str| {
        folder.succeed(&format!("fit data.csv --quiet --missing {policy} --model m.sosrep"));
    };
    fit("error");
    insta::assert_snapshot!(folder.refuse("score m.sosrep holes.csv --out s.csv"), @r#"holes.csv, line 6, column "weight": the value is missing, and the model takes no missing values; fill it in, leave the row out, or fit the model with --missing drop or --missing impute"#);
    fit("drop");
    let scored = json(&folder.succeed("score m.sosrep holes.csv --out s.csv --json"));
    assert_eq!((&scored["rows"], &scored["rows_unscored"]), (&Value::from(78), &Value::from(2)));
    insta::assert_snapshot!(folder.run("score m.sosrep holes.csv --out s.csv").stderr, @r#"note: rows that cannot be scored: 2; their lines have no score, and say why in the column "unscored""#);
    insta::assert_snapshot!(folder.refuse("explain m.sosrep holes.csv --row 5"), @"--row is 5; that row cannot be scored: missing value in weight");
    fit("impute");
    let scored = json(&folder.succeed("score m.sosrep holes.csv --out s.csv --json"));
    assert_eq!((&scored["rows"], &scored["rows_unscored"]), (&Value::from(ROWS), &Value::from(0)));
}

#[test]
fn a_column_or_a_table_without_values_is_refused() {
    let every = |column: usize| (0..ROWS).map(|row| (row, column)).collect::<Vec<_>>();
    let folder = Folder::with(&tables::emptied(&tables::plain(), &every(1)));
    insta::assert_snapshot!(folder.refuse("detect data.csv --missing impute"), @r#"data.csv, column "weight": every value is missing; leave the column out with --drop weight"#);
    let holes: Vec<(usize, usize)> = (0..ROWS).map(|row| (row, row % 3)).collect();
    folder.write("data.csv", tables::emptied(&tables::plain(), &holes));
    insta::assert_snapshot!(folder.refuse("detect data.csv --missing drop"), @r#"data.csv: each of the 80 rows has a missing value, so none would be left; column "length" lacks most, 27; fill in missing values with --missing impute, or leave the column out with --drop length"#);
}

#[test]
fn text_stops_the_work_unless_told() {
    let folder = Folder::with(&tables::mixed());
    insta::assert_snapshot!(folder.refuse("detect data.csv"), @r#"data.csv, line 2, column "city": "oslo" is text, and the column has 3 distinct values; encode text with --categories onehot or --categories frequency, or leave the column out with --drop city"#);
}

#[test]
fn one_hot_columns_are_those_a_person_would_make() {
    let folder = Folder::with(&tables::mixed());
    let flag = |city: &'static str| {
        move |row: usize| i32::from(["oslo", "rome", "lima"][row % 3] == city).to_string()
    };
    let member = |row: usize| i32::from(row.is_multiple_of(2)).to_string();
    // In the order of the encoding: the kernel sums over columns, and the last bit depends on it.
    folder.write(
        "by_hand.csv",
        tables::with_columns(&[
            ("lima", &flag("lima")),
            ("oslo", &flag("oslo")),
            ("rome", &flag("rome")),
            ("member", &member),
        ]),
    );
    let scores = |words: &str| {
        let text = folder.succeed(&format!("detect {words} --quiet --out -"));
        tables::column(&text, "anomaly_score").join(" ")
    };
    assert_eq!(scores("data.csv --categories onehot"), scores("by_hand.csv"));
}

#[test]
fn frequencies_are_shares_of_the_rows() {
    let folder = Folder::with(&tables::mixed());
    let share = |row: usize| ([27.0, 27.0, 26.0][row % 3] / ROWS as f64).to_string();
    let member = |row: usize| (row.is_multiple_of(2)).to_string();
    folder.write("by_hand.csv", tables::with_columns(&[("city", &share), ("member", &member)]));
    let scores = |words: &str| {
        let text = folder.succeed(&format!("detect {words} --quiet --out -"));
        tables::column(&text, "anomaly_score").join(" ")
    };
    assert_eq!(scores("data.csv --categories frequency"), scores("by_hand.csv"));
}

#[test]
fn values_that_training_did_not_have_are_scored_and_reported() {
    let folder = Folder::with(&tables::mixed());
    folder.write("new.csv", tables::replaced(&tables::mixed(), &[(3, 3), (7, 3), (9, 3)], "kyiv"));
    for policy in ["onehot", "frequency"] {
        folder.succeed(&format!("fit data.csv --quiet --categories {policy} --model m.sosrep"));
        let ran = folder.run("score m.sosrep new.csv --out s.csv").success();
        assert_eq!(
            ran.stderr,
            "note: column \"city\": \"kyiv\" was not in the training table (rows: 3, first in line 5)\n"
        );
        let scored = json(&folder.succeed("score m.sosrep new.csv --out s.csv --json"));
        assert_eq!(scored["unseen_cells"], 3, "{policy}");
        assert_eq!(scored["rows"], ROWS);
    }
}

#[test]
fn a_text_that_looks_like_a_number_stays_text_for_a_model_of_text() {
    let code = |row: usize| if row.is_multiple_of(2) { "A1" } else { "7" }.to_string();
    let folder = Folder::with(&tables::with_columns(&[("code", &code)]));
    folder.succeed("fit data.csv --quiet --categories onehot --model m.sosrep");
    let sevens = tables::with_columns(&[("code", &|_| "7".to_string())]);
    folder.write("sevens.csv", sevens);
    let scored = json(&folder.succeed("score m.sosrep sevens.csv --out s.csv --json"));
    assert_eq!(scored["unseen_cells"], 0);
}

#[test]
fn a_text_in_a_column_of_numbers_is_refused_at_scoring() {
    let folder = Folder::with(&tables::plain());
    folder.succeed("fit data.csv --quiet --model m.sosrep");
    folder.write("new.csv", tables::replaced(&tables::plain(), &[(6, 1)], "heavy"));
    insta::assert_snapshot!(folder.refuse("score m.sosrep new.csv --out s.csv"), @r#"new.csv, line 8, column "weight": "heavy" is not a number, unlike the rest of the column; correct the cell, leave it empty, or leave the column out with --drop weight"#);
}

#[test]
fn identifiers_and_endless_texts_are_not_categories() {
    let folder = Folder::with(&tables::labelled());
    let words = "detect data.csv --drop known --categories onehot";
    insta::assert_snapshot!(folder.refuse(words), @r#"data.csv, column "name": all 80 values are different, as in an identifier; name it as the id with --id name, or leave the column out with --drop name"#);
}

#[test]
fn dates_are_refused_with_the_ways_out() {
    let day = |row: usize| format!("2024-03-{:02}", row % 28 + 1);
    let folder = Folder::with(&tables::with_columns(&[("day", &day)]));
    insta::assert_snapshot!(folder.refuse("detect data.csv --categories onehot"), @r#"data.csv, line 2, column "day": "2024-03-01" is a date, and dates cannot be features; convert the column to a number first (seconds or the day of the week, say), name it as the id with --id day, or leave the column out with --drop day"#);
    folder.succeed("detect data.csv --id day --quiet");
    folder.succeed("detect data.csv --drop day --quiet");
}

#[test]
fn booleans_count_as_zero_and_one() {
    let word = |row: usize| (row.is_multiple_of(2)).to_string();
    let digit = |row: usize| i32::from(row.is_multiple_of(2)).to_string();
    let folder = Folder::with(&tables::with_columns(&[("member", &word)]));
    folder.write("digits.csv", tables::with_columns(&[("member", &digit)]));
    let scores = |file: &str| {
        let text = folder.succeed(&format!("detect {file} --quiet --out -"));
        tables::column(&text, "anomaly_score").join(" ")
    };
    assert_eq!(scores("data.csv"), scores("digits.csv"));
}

#[test]
fn a_constant_column_is_mentioned() {
    let folder = Folder::with(&tables::with_columns(&[("year", &|_| "1993".to_string())]));
    let ran = folder.run("detect data.csv").success();
    insta::assert_snapshot!(ran.stderr, @"note: columns with a single value: year");
}
