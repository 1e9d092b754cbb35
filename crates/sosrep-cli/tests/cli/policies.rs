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
fn missing_values_are_an_error_if_told() {
    let folder = Folder::with(&holes());
    insta::assert_snapshot!(folder.refuse("detect data.csv --missing error --out o.csv"), @r#"
    data.csv, line 11, column "length": the value is missing, one of 1 in this column and 3 in the table; count it as missing with --missing auto, leave such rows out with --missing drop, or fill in missing values with --missing impute
    data.csv, line 6, column "weight": the value is missing, one of 1 in this column and 3 in the table; count it as missing with --missing auto, leave such rows out with --missing drop, or fill in missing values with --missing impute
    data.csv, line 6, column "age": the value is missing, one of 1 in this column and 3 in the table; count it as missing with --missing auto, leave such rows out with --missing drop, or fill in missing values with --missing impute
    this would work: sosrep detect data.csv --out o.csv --missing auto
    "#);
    let found = json(&folder.succeed("detect data.csv --json"));
    assert_eq!((&found["rows"], &found["rows_dropped"]), (&Value::from(ROWS), &Value::from(0)));
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
    insta::assert_snapshot!(folder.refuse("score m.sosrep holes.csv --out s.csv"), @r#"holes.csv, line 6, column "weight": the value is missing, and in the training table none is; fill it in, leave the row out, or fit the model to a table with missing values, or with --missing impute"#);
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
fn a_column_without_values_is_left_out_and_a_table_refused() {
    let every = |column: usize| (0..ROWS).map(|row| (row, column)).collect::<Vec<_>>();
    let folder = Folder::with(&tables::emptied(&tables::plain(), &every(1)));
    let ran = folder.run("detect data.csv").success();
    insta::assert_snapshot!(ran.stderr, @r#"note: column "weight": left out, it has no value"#);
    insta::assert_snapshot!(folder.refuse("detect data.csv --missing error"), @r#"
    data.csv, column "weight": every value is missing; leave the column out with --ignore weight
    this would work: sosrep detect data.csv --missing auto
    "#);
    let holes: Vec<(usize, usize)> = (0..ROWS).map(|row| (row, row % 3)).collect();
    folder.write("data.csv", tables::emptied(&tables::plain(), &holes));
    insta::assert_snapshot!(folder.refuse("detect data.csv --missing drop"), @r#"
    data.csv: each of the 80 rows has a missing value, so none would be left; column "length" lacks most, 27; count it as missing with --missing auto, or leave the column out with --ignore length
    this would work: sosrep detect data.csv --missing auto
    "#);
}

#[test]
fn text_is_an_error_if_told() {
    let folder = Folder::with(&tables::mixed());
    insta::assert_snapshot!(folder.refuse("detect data.csv --categories error"), @r#"
    data.csv, line 2, column "city": "oslo" is text, and the column has 3 distinct values; encode text with --categories auto or --categories onehot or --categories frequency, or leave the column out with --ignore city
    this would work: sosrep detect data.csv --categories auto
    "#);
}

#[test]
fn one_hot_columns_by_hand_find_the_rows_that_a_category_finds() {
    let folder = Folder::with(&tables::mixed());
    let flag = |city: &'static str| {
        move |row: usize| i32::from(["oslo", "rome", "lima"][row % 3] == city).to_string()
    };
    let member = |row: usize| i32::from(row.is_multiple_of(2)).to_string();
    folder.write(
        "by_hand.csv",
        tables::with_columns(&[
            ("lima", &flag("lima")),
            ("oslo", &flag("oslo")),
            ("rome", &flag("rome")),
            ("member", &member),
        ]),
    );
    // By hand a category counts as three columns: other scores, but the same rows stand out.
    let first = |words: &str| {
        let text = folder.succeed(&format!("detect {words} --quiet --out -"));
        let ranks =
            tables::column(&text, "rank").into_iter().map(|rank| rank.parse::<usize>().unwrap());
        let mut ranked: Vec<(usize, usize)> = ranks.zip(1..).collect();
        ranked.sort_unstable();
        ranked.into_iter().take(4).map(|(_, row)| row).collect::<Vec<usize>>()
    };
    assert_eq!(first("data.csv --categories onehot"), first("by_hand.csv"));
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
fn a_text_in_a_column_of_numbers_is_refused_at_scoring_if_missing_values_are() {
    let folder = Folder::with(&tables::plain());
    folder.succeed("fit data.csv --quiet --missing error --model m.sosrep");
    folder.write("new.csv", tables::replaced(&tables::plain(), &[(6, 1)], "heavy"));
    insta::assert_snapshot!(folder.refuse("score m.sosrep new.csv --out s.csv"), @r#"new.csv, line 8, column "weight": "heavy" is not a number, unlike the rest of the column; correct the cell, leave it empty, or leave the column out with --ignore weight"#);
}

#[test]
fn an_identifier_names_the_rows_unless_told() {
    let folder = Folder::with(&tables::labelled());
    let ran = folder.run("detect data.csv --ignore known").success();
    insta::assert_snapshot!(ran.stderr, @r#"
    note: columns not used: known
    note: column "name": taken for an identifier and no feature, every row has another text; use it with --category name
    "#);
    let top = |words: &str| {
        json(&folder.succeed(&format!("detect data.csv --json {words}")))["top"].clone()
    };
    assert_eq!(top("--ignore known"), top("--drop known --id name"));
    let found = json(&folder.succeed("detect data.csv --drop known --category name --json"));
    assert_eq!(found["top"][0].get("id"), None);
}

#[test]
fn a_plain_command_takes_a_table_with_everything_in_it() {
    let mut table = String::from("Unnamed: 0,when,city,member,size,hash,note\n");
    for row in 0..60_usize {
        let city = ["oslo", "rome", "lima", "NA"][row % 4];
        let city = if row == 7 { "kyiv" } else { city };
        let member = ["yes", "no"][row % 2];
        let size = match row {
            11 => "inf".to_string(),
            12 => String::new(),
            13 => "large".to_string(),
            _ => format!("{:.2}", (row as f64).sin()),
        };
        let day = row % 28 + 1;
        let hash = 9_007_199_254_740_993_u64 + row as u64;
        table += &format!("{row},2024-03-{day:02},{city},{member},{size},{hash},\n");
    }
    let folder = Folder::with(&table);
    let ran = folder.run("detect data.csv --top 0").success();
    insta::assert_snapshot!(ran.stderr, @r#"
    note: column "Unnamed: 0": taken for an identifier and no feature, every row has another integer, and it is named like an id; use it with --number 'Unnamed: 0'
    note: column "when": dates are numbers, days since 1970-01-01; use hour, weekday and month with --dates parts, or leave dates out with --dates ignore
    note: column "city": 1 rare value counts as "other", 3 are kept
    note: column "size": "large" is not a number, unlike the rest of the column; it counts as missing (cells: 1, first in line 15); use it with --category size
    note: column "size": infinite numbers count as missing (cells: 1, first in line 13)
    note: column "hash": taken for an identifier and no feature, every row has another large integer; use it with --number hash
    note: column "note": left out, it has no value
    "#);
    folder.succeed("fit data.csv --quiet --model m.sosrep");
    let scored = folder.succeed("score m.sosrep data.csv --quiet --out -");
    assert_eq!(scored.lines().count(), 61);
    let words = "detect data.csv --missing error --categories error --dates=error --top 0";
    let message = folder.refuse(words);
    insta::assert_snapshot!(message, @r#"
    data.csv, line 2, column "when": "2024-03-01" is a date, and dates are to be an error; use the days with --dates auto, use hour, weekday and month with --dates parts, or leave the column out with --ignore when
    data.csv, line 5, column "city": the value is missing, one of 14 in this column and 76 in the table; count it as missing with --missing auto, leave such rows out with --missing drop, or fill in missing values with --missing impute
    data.csv, line 2, column "city": "oslo" is text, and the column has 4 distinct values; encode text with --categories auto or --categories onehot or --categories frequency, or leave the column out with --ignore city
    data.csv, line 2, column "member": "yes" is text, and the column has 2 distinct values; encode text with --categories auto or --categories onehot or --categories frequency, or leave the column out with --ignore member
    data.csv, line 15, column "size": "large" is not a number, unlike the rest of the column; correct the cell, leave it empty, or leave the column out with --ignore size
    data.csv, line 13, column "size": inf is not a finite number; correct the cell, leave it empty, or leave the column out with --ignore size
    data.csv, column "note": every value is missing; leave the column out with --ignore note
    this would work: sosrep detect data.csv --top 0 --dates auto --missing auto --categories auto
    "#);
    let command = message.lines().last().unwrap().strip_prefix("this would work: sosrep ").unwrap();
    folder.succeed(command);
}

#[test]
fn what_columns_are_can_be_said() {
    let year = |row: usize| (2000 + row % 3).to_string();
    let folder = Folder::with(&tables::with_columns(&[("year", &year)]));
    let features = |words: &str| {
        folder.succeed(&format!("fit data.csv --quiet --model m.sosrep {words}"));
        let found = json(&folder.succeed("inspect m.sosrep --json"));
        found["model"]["feature_names"].as_array().unwrap().len()
    };
    assert_eq!(features(""), 4);
    // Three years and the other ones.
    assert_eq!(features("--category year"), 7);
    assert_eq!(features("--ignore year,age"), 2);
    insta::assert_snapshot!(folder.refuse("detect data.csv --category year --number year"), @"--category and --number both name year; choose one of them");
}

#[test]
fn dates_are_days_or_refused_with_the_ways_out() {
    let day = |row: usize| format!("2024-03-{:02}", row % 28 + 1);
    let folder = Folder::with(&tables::with_columns(&[("day", &day)]));
    insta::assert_snapshot!(folder.refuse("detect data.csv --dates error"), @r#"
    data.csv, line 2, column "day": "2024-03-01" is a date, and dates are to be an error; use the days with --dates auto, use hour, weekday and month with --dates parts, or leave the column out with --ignore day
    this would work: sosrep detect data.csv --dates auto
    "#);
    folder.succeed("detect data.csv --id day --quiet");
    folder.succeed("detect data.csv --drop day --quiet");
    let days = |row: usize| (19_783 + row % 28).to_string();
    folder.write("days.csv", tables::with_columns(&[("day", &days)]));
    let scores = |words: &str| {
        let text = folder.succeed(&format!("detect {words} --quiet --out -"));
        tables::column(&text, "anomaly_score").join(" ")
    };
    assert_eq!(scores("data.csv"), scores("days.csv"));
    assert_eq!(scores("data.csv --dates ignore"), scores("data.csv --drop day"));
    assert_ne!(scores("data.csv --dates parts"), scores("days.csv"));
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

#[test]
fn columns_without_names_are_named_in_a_note() {
    let folder = Folder::new();
    let body = tables::plain().split_once('\n').unwrap().1.to_string();
    let named: String =
        body.lines().enumerate().map(|(row, line)| format!("r{row},{line}\n")).collect();
    folder.write("numbers.csv", &body);
    folder.write("rownames.csv", format!("length,weight,age\n{named}"));
    folder.write("same.csv", format!("length,,length\n{body}"));
    insta::assert_snapshot!(folder.run("detect numbers.csv").stderr, @"note: the first line holds numbers: it is taken for data, the columns are column_1, …; add a line of names above it, or confirm it with --no-header");
    insta::assert_snapshot!(folder.run("detect rownames.csv").stderr, @r#"
    note: the first line has one cell fewer than the rows: the first column is taken for names of rows, "rownames"
    note: column "rownames": taken for an identifier and no feature, every row has another text; use it with --category rownames
    "#);
    insta::assert_snapshot!(folder.run("detect same.csv").stderr, @r#"note: columns without a name of their own were given one: "column_2", "length_2""#);
    folder.succeed("fit numbers.csv --model m.sosrep");
    insta::assert_snapshot!(folder.run("score m.sosrep numbers.csv --out s.csv").stderr, @"note: the first line holds numbers: it is taken for data, the columns are column_1, …; add a line of names above it, or confirm it with --no-header");
}
