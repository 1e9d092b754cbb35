//! Columns of the input beside the results, and several columns that name a row.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use serde_json::Value;

use super::formats::{batch, parquet};
use super::sosrep::Folder;
use super::tables::{self, ROWS};

const DETECT: &str = "detect data.csv --quiet --missing drop --drop note";
/// Cells that a reader of numbers would spell in another way.
const SPELT: [&str; 3] = ["1.50", "+7", "1e1"];

/// Numbers in unusual spellings, a row without one, and text with what CSV must quote.
fn table() -> String {
    let table = tables::plain();
    let mut lines = vec![format!("{},note", table.lines().next().unwrap())];
    for (row, line) in table.lines().skip(1).enumerate() {
        lines.push(format!("{line},\"a, \"\"{row}\"\" \""));
    }
    let spelt = SPELT.iter().enumerate().map(|(row, cell)| (row, *cell));
    for (row, cell) in spelt.chain([(3, "")]) {
        let rest = lines[row + 1].split_once(',').unwrap().1.to_string();
        lines[row + 1] = format!("{cell},{rest}");
    }
    lines.join("\n") + "\n"
}

/// A table of results without its own columns.
fn kept(results: &str, own: usize) -> Vec<String> {
    let own_cells = |line: &str| line.splitn(own + 1, ',').last().unwrap().to_string();
    results.lines().map(own_cells).collect()
}

#[test]
fn all_columns_come_back_as_they_were_written() {
    let folder = Folder::with(&table());
    folder.succeed("fit data.csv --quiet --missing drop --drop note --model m.sosrep");
    let scored = folder.succeed("score m.sosrep data.csv --quiet --keep all");
    let input: Vec<String> = table().lines().map(str::to_string).collect();
    assert_eq!(kept(&scored, 5), input);
    let density = folder.succeed("density m.sosrep data.csv --quiet --keep all");
    assert_eq!(kept(&density, 3), input);
    let detected =
        folder.succeed(&format!("{DETECT} --out - --keep all --top 0 --contamination 0.01"));
    for (line, expected) in detected.lines().zip(&input) {
        assert!(line.ends_with(expected), "{line} for {expected}");
    }
}

#[test]
fn the_scores_are_those_without_columns_beside_them() {
    let folder = Folder::with(&table());
    let plain = folder.succeed(&format!("{DETECT} --out -"));
    let beside = folder.succeed(&format!("{DETECT} --out - --keep age,note"));
    assert_eq!(tables::header(&beside), [&tables::header(&plain)[..], &["age", "note"]].concat());
    for (plain, beside) in plain.lines().zip(beside.lines()) {
        assert!(beside.starts_with(plain), "{beside}");
    }
    let refused = folder.refuse(&format!("{DETECT} --out o.csv --keep ages"));
    insta::assert_snapshot!(refused, @r#"data.csv has no column "ages" (--keep); its columns are "length", "weight", "age", "note""#);
}

#[test]
fn numbers_of_a_typed_file_stay_numbers() {
    let folder = Folder::new();
    folder.write("data.parquet", parquet(&batch(false)));
    folder.succeed("detect data.parquet --quiet --keep age --out s.parquet");
    let file = std::fs::File::open(folder.path("s.parquet")).unwrap();
    let reader =
        parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let results = reader.build().unwrap().next().unwrap().unwrap();
    let ages = batch(false)["age"].as_primitive::<Float64Type>().clone();
    assert_eq!(results["age"].as_primitive::<Float64Type>(), &ages);
}

#[test]
fn several_ids_are_joined_in_words_and_apart_in_the_results() {
    let cell = |row: usize| format!("s{row}");
    let table = tables::with_columns(&[("shop", &cell), ("till", &|row| (row % 3).to_string())]);
    let folder = Folder::with(&table);
    let words = "--id shop,till --model m.sosrep --out - --format jsonl --quiet";
    let out = folder.succeed(&format!("detect data.csv {words}"));
    let rows: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (row, line) in rows.iter().enumerate() {
        let expected = (Value::from(cell(row)), Value::from((row % 3).to_string()));
        assert_eq!((&line["shop"], &line["till"]), (&expected.0, &expected.1));
    }
    let shown = folder.succeed("explain m.sosrep data.csv --row 20");
    assert!(shown.starts_with("row s19, 1: score"), "{shown}");
    let scored = folder.succeed("score m.sosrep data.csv --quiet");
    assert_eq!(tables::column(&scored, "till").len(), ROWS);
    let one = folder.succeed("score m.sosrep data.csv --quiet --id till");
    assert_eq!(tables::header(&one)[1], "id");
}

#[test]
fn a_format_can_be_asked_for_where_the_name_tells_none() {
    let folder = Folder::with(&tables::plain());
    let base = "detect data.csv --quiet --out";
    folder.succeed(&format!("{base} s.json"));
    assert_eq!(folder.succeed(&format!("{base} - --format json")), folder.text("s.json"));
    folder.succeed(&format!("{base} scores.txt --format tsv"));
    let tabs = folder.text("scores.txt");
    assert!(tabs.starts_with("row\tanomaly_score\t"), "{tabs}");
    folder.write("bad.csv", "a,b\n1\n");
    assert_eq!(folder.refuse("detect bad.csv --out - --format json").matches('[').count(), 0);
}
