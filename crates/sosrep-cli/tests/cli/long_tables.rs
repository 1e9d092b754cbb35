//! Tables longer than what is held of them: the sample, and that no row goes unseen.
//!
//! 100 kB hold 833 rows of three numbers (five copies of eight bytes each), and the kernel matrix of
//! fewer.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use serde_json::Value;

use super::formats::parquet;
use super::sosrep::{Folder, trimmed};
use super::tables::{self, NAMES, Uniform};

const FIT: &str = "fit data.csv --model m.sosrep --memory 100kB";
const HELD: usize = 833;

/// Rows of three numbers of three digits.
fn numbers(rows: usize) -> Vec<[f64; 3]> {
    let mut uniform = Uniform(11);
    let mut cell = || (1000.0 * (uniform.next() + uniform.next())).round() / 1000.0;
    (0..rows).map(|_| [cell(), cell(), cell()]).collect()
}

fn csv(rows: usize) -> String {
    let mut text = NAMES.join(",") + "\n";
    for [a, b, c] in numbers(rows) {
        writeln!(text, "{a},{b},{c}").unwrap();
    }
    text
}

fn as_parquet(rows: usize) -> Vec<u8> {
    let rows = numbers(rows);
    let column = |j: usize| -> ArrayRef {
        Arc::new(rows.iter().map(|row| Some(row[j])).collect::<Float64Array>())
    };
    let columns = NAMES.iter().enumerate().map(|(j, name)| (*name, column(j)));
    parquet(&RecordBatch::try_from_iter(columns).unwrap())
}

fn fitted(folder: &Folder, words: &str) -> Value {
    serde_json::from_str(&folder.succeed(&format!("{words} --json"))).unwrap()
}

#[test]
fn the_sample_is_the_same_from_every_format_and_for_the_same_seed_only() {
    let folder = Folder::with(&csv(20_000));
    folder.write("data.parquet", as_parquet(20_000));
    folder.succeed(FIT);
    let model = folder.read("m.sosrep");
    for data in ["data.parquet", "data.csv --threads 1"] {
        folder.succeed(&format!("fit {data} --model other.sosrep --memory 100kB"));
        assert!(folder.read("other.sosrep") == model, "{data}");
    }
    let words = "fit - --model other.sosrep --memory 100kB";
    folder.run_with_input(words, &folder.read("data.csv")).success();
    assert!(folder.read("other.sosrep") == model, "standard input");
    folder.succeed(&format!("{FIT} --seed 1"));
    assert!(folder.read("m.sosrep") != model, "another seed");
}

#[test]
fn the_order_of_the_rows_changes_no_bit_of_a_model_and_no_row_that_holds_much_is_lost() {
    let mut lines: Vec<String> = csv(6000).lines().map(str::to_string).collect();
    let header = lines.remove(0);
    lines.extend(vec!["7.5,7.5,7.5".to_string(); 2000]);
    let folder = Folder::with(&format!("{header}\n{}", lines.join("\n")));
    let found = fitted(&folder, FIT);
    assert_eq!(found["rows"], 8000);
    let model = folder.read("m.sosrep");
    lines.sort();
    folder.write("data.csv", format!("{header}\n{}", lines.join("\n")));
    for command in [FIT, "detect data.csv --model m.sosrep --memory 100kB"] {
        folder.succeed(command);
        assert!(folder.read("m.sosrep") == model, "{command}");
    }
    folder.write("new.csv", "length,weight,age\n7.5,7.5,7.5\n");
    let scored = folder.succeed("score m.sosrep new.csv --out - --quiet");
    let p_value = scored.lines().nth(1).and_then(|line| line.split(',').nth(2)).unwrap();
    let p_value: f64 = p_value.parse().unwrap();
    // A quarter of the table scores as high as this row, which lies far outside and counts.
    assert!((p_value - 0.25).abs() < 0.01, "{scored}");
    let refused = folder.run_with_input("fit - --model m --memory 100kB", &folder.read("data.csv"));
    let words = refused.refusal();
    assert!(words.contains("a second time"), "{words}");
}

#[test]
fn a_table_at_the_limit_is_held_whole_and_one_row_more_is_sampled() {
    let folder = Folder::with(&csv(HELD));
    let whole = fitted(&folder, FIT);
    assert_eq!((&whole["rows"], &whole["sampled_rows"]), (&HELD.into(), &HELD.into()));
    let model = folder.read("m.sosrep");
    folder.succeed("detect data.csv --model m.sosrep --memory 100kB");
    assert!(folder.read("m.sosrep") == model, "both are based on all rows");

    folder.write("data.csv", csv(HELD + 1));
    let sampled = fitted(&folder, FIT);
    assert_eq!((&sampled["rows"], &sampled["sampled_rows"]), (&(HELD + 1).into(), &HELD.into()));
    let model = folder.read("m.sosrep");
    let all = fitted(&folder, "detect data.csv --model m.sosrep --memory 100kB");
    assert_eq!(all["sampled_rows"], HELD);
    assert!(folder.read("m.sosrep") == model, "detect and fit are based on the same rows");
}

#[test]
fn the_method_says_which_rows_the_density_rests_on() {
    let method = |words: &str, rows: usize| {
        let folder = Folder::with(&csv(rows));
        let shown = trimmed(&folder.run(words).success().stdout);
        let line = shown.lines().find_map(|line| line.trim().strip_prefix("method")).unwrap();
        line.trim().to_string()
    };
    insta::assert_snapshot!(method("fit data.csv --model m", 100), @"exact, on all 100 rows");
    insta::assert_snapshot!(method(FIT, 800), @"exact, on a sample of 168 of 800 rows (seed 0); --memory allows more");
    insta::assert_snapshot!(method(&format!("{FIT} --seed 7"), 5000), @"exact, on a sample of 168 of 5000 rows (seed 7); --memory allows more");
    insta::assert_snapshot!(method(&format!("{FIT} --kernel sdo-sampled"), 100), @"features, on all 100 rows");
    let few = "length\n1\n2\n3\n".to_string() + &"1\n2\n3\n".repeat(2000);
    let folder = Folder::with(&few);
    let shown = folder.succeed(FIT);
    assert!(shown.contains("exact, on all 6003 rows"), "{shown}");
}

#[test]
fn what_is_wrong_in_a_row_that_is_not_held_is_found_with_its_line_and_all_counts() {
    let table = csv(5000);
    let folder = Folder::with(&tables::emptied(&table, &[(4000, 1), (4001, 2), (4990, 1)]));
    let fit = format!("{FIT} --missing error");
    insta::assert_snapshot!(folder.refuse(&fit), @r#"
    data.csv, line 4002, column "weight": the value is missing, one of 2 in this column and 3 in the table; count it as missing with --missing auto, leave such rows out with --missing drop, or fill in missing values with --missing impute
    data.csv, line 4003, column "age": the value is missing, one of 1 in this column and 3 in the table; count it as missing with --missing auto, leave such rows out with --missing drop, or fill in missing values with --missing impute
    this would work: sosrep fit data.csv --model m.sosrep --memory 100kB --missing auto
    "#);
    for row in [3000, 3500, 4000, 4500, 4999] {
        folder.write("data.csv", tables::replaced(&table, &[(row, 2)], "inf"));
        let place = format!("data.csv, line {}, column \"age\": inf is not", row + 2);
        let message = folder.refuse(&fit);
        assert!(message.starts_with(&place), "{message}");
    }
    let text: String = (1..=300_000).fold("a,b\n".to_string(), |mut text, row| {
        writeln!(text, "{row},{}", if row == 300_000 { "n.d." } else { "1" }).unwrap();
        text
    });
    folder.write("data.csv", text);
    insta::assert_snapshot!(folder.refuse("fit data.csv --missing error --model m.sosrep"), @r#"
    data.csv, line 300001, column "b": "n.d." is not a number, unlike the rest of the column; correct the cell, leave it empty, or leave the column out with --ignore b
    this would work: sosrep fit data.csv --model m.sosrep --missing auto
    "#);
}

#[test]
fn rows_left_out_for_missing_values_take_no_place_in_the_sample() {
    let holes = |rows: usize| -> Vec<(usize, usize)> {
        (0..rows).filter(|row| row % 2 == 1).map(|row| (row, row % 3)).collect()
    };
    let drop = format!("{FIT} --missing drop");
    let folder = Folder::with(&tables::emptied(&csv(1600), &holes(1600)));
    let some = fitted(&folder, &drop);
    let counts = |found: &Value| ["rows", "rows_dropped", "sampled_rows"].map(|n| found[n].clone());
    assert_eq!(counts(&some), [800, 800, 800].map(Value::from));
    let scores = |folder: &Folder| folder.succeed("score m.sosrep new.csv --out - --quiet");
    folder.write("new.csv", csv(50));
    let with_holes = scores(&folder);
    let table = csv(1600);
    let kept = table.lines().enumerate().filter(|(line, _)| *line == 0 || line % 2 == 1);
    folder.write("data.csv", kept.map(|(_, line)| line).collect::<Vec<_>>().join("\n"));
    folder.succeed(FIT);
    assert_eq!(scores(&folder), with_holes);

    folder.write("data.csv", tables::emptied(&csv(4000), &holes(4000)));
    assert_eq!(counts(&fitted(&folder, &drop)), [2000, 2000, HELD].map(Value::from));
}

#[test]
fn columns_that_become_many_leave_fewer_rows() {
    let mut table = "kind,size\n".to_string();
    for (row, [size, ..]) in numbers(4000).into_iter().enumerate() {
        writeln!(table, "kind {},{size}", row % 10).unwrap();
    }
    let folder = Folder::with(&table);
    let found = fitted(&folder, &format!("{FIT} --categories onehot"));
    assert_eq!((&found["features"], &found["rows"]), (&11.into(), &4000.into()));
    assert_eq!(found["distinct_rows"], 100_000 / (11 * 5 * 8));
    let shares = fitted(&folder, &format!("{FIT} --categories frequency"));
    assert!(shares["sampled_rows"].as_u64() > Some(100_000 / (2 * 5 * 8)));
}

#[test]
fn tuning_takes_the_same_sample() {
    let folder = Folder::with(&csv(5000));
    folder.write("data.parquet", as_parquet(5000));
    let words = "--method influence --memory 100kB";
    let tuned = fitted(&folder, &format!("tune data.csv {words}"));
    assert_eq!(fitted(&folder, &format!("tune data.parquet {words}")), tuned);
    let found = fitted(&folder, &format!("{FIT} --bandwidth influence"));
    assert_eq!(tuned["bandwidth"], found["bandwidth"]);
}
