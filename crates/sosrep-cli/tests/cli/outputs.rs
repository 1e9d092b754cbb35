//! One table of scores in every format that is written, read back by others' readers.

use std::io::{Cursor, Read};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_ipc::reader::FileReader;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

use super::sosrep::Folder;
use super::tables::{self, ROWS};

const COLUMNS: [&str; 9] =
    ["row", "id", "label", "anomaly_score", "p_value", "is_anomaly", "rank", "reasons", "unscored"];
const DETECT: &str = "detect data.csv --id name --label known --quiet --out";

/// The table of scores under this name.
fn written(folder: &Folder, name: &str) -> Vec<u8> {
    assert_eq!(folder.succeed(&format!("{DETECT} {name}")), "");
    folder.read(name)
}

fn expected(folder: &Folder) -> String {
    let text = folder.succeed(&format!("{DETECT} -"));
    assert_eq!(tables::header(&text), COLUMNS);
    assert_eq!(text.lines().count(), ROWS + 1);
    text
}

/// The scores as CSV writes them.
fn scores(text: &str) -> Vec<f64> {
    tables::column(text, "anomaly_score").iter().map(|cell| cell.parse().unwrap()).collect()
}

fn check_batches(batches: &[RecordBatch], text: &str) {
    let all: Vec<f64> = batches
        .iter()
        .flat_map(|batch| batch["anomaly_score"].as_primitive::<Float64Type>().values().to_vec())
        .collect();
    assert_eq!(all, scores(text));
    let names: Vec<String> =
        batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, COLUMNS);
    assert_eq!(batches[0]["id"].as_string::<i32>().value(0), "r0");
    assert_eq!(batches[0]["row"].as_primitive::<UInt64Type>().value(0), 1);
    assert!(batches[0]["is_anomaly"].as_boolean().value(19));
}

#[test]
fn text_tables_hold_the_same_rows() {
    let folder = Folder::with(&tables::labelled());
    let text = expected(&folder);
    assert_eq!(written(&folder, "out.csv"), text.as_bytes());
    let mut unpacked = String::new();
    let packed = written(&folder, "out.csv.gz");
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, text);
    let packed = written(&folder, "out.csv.zst");
    assert_eq!(zstd::decode_all(&packed[..]).unwrap(), text.as_bytes());
    let tabs = String::from_utf8(written(&folder, "OUT.TSV")).unwrap();
    assert_eq!(tabs.replace('\t', ",").replace('"', ""), text.replace('"', ""));
}

#[test]
fn parquet_and_arrow_hold_the_same_rows() {
    let folder = Folder::with(&tables::labelled());
    let text = expected(&folder);
    let bytes = written(&folder, "out.parquet");
    let reader = ParquetRecordBatchReaderBuilder::try_new(
        std::fs::File::open(folder.path("out.parquet")).unwrap(),
    );
    assert!(bytes.starts_with(b"PAR1"));
    let batches: Vec<RecordBatch> = reader.unwrap().build().unwrap().map(Result::unwrap).collect();
    check_batches(&batches, &text);
    for name in ["out.arrow", "out.feather"] {
        let reader = FileReader::try_new(Cursor::new(written(&folder, name)), None).unwrap();
        check_batches(&reader.map(Result::unwrap).collect::<Vec<_>>(), &text);
    }
}

#[test]
fn json_tables_hold_the_same_rows() {
    let folder = Folder::with(&tables::labelled());
    let text = expected(&folder);
    let rows: Vec<Value> = serde_json::from_slice(&written(&folder, "out.json")).unwrap();
    let lines = String::from_utf8(written(&folder, "out.jsonl")).unwrap();
    let from_lines: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows, from_lines);
    let read: Vec<f64> = rows.iter().map(|row| row["anomaly_score"].as_f64().unwrap()).collect();
    assert_eq!(read, scores(&text));
    let mut names: Vec<&str> = rows[0].as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    let mut columns = COLUMNS;
    columns.sort_unstable();
    assert_eq!(names, columns);
    assert_eq!(
        (&rows[19]["is_anomaly"], &rows[19]["label"]),
        (&Value::from(true), &Value::from("odd"))
    );
}

#[test]
fn every_table_of_scores_can_be_read_again_by_the_program() {
    let folder = Folder::with(&tables::labelled());
    for name in
        ["s.csv", "s.tsv", "s.csv.gz", "s.csv.zst", "s.parquet", "s.arrow", "s.json", "s.jsonl"]
    {
        written(&folder, name);
        let words = format!("detect {name} --columns anomaly_score,p_value --id id --json");
        let found: Value = serde_json::from_str(&folder.succeed(&words)).unwrap();
        assert_eq!(found["rows"], ROWS, "{name}");
    }
}

#[test]
fn the_page_has_its_sections_and_no_link_to_elsewhere() {
    let folder = Folder::with(&tables::labelled());
    let base = "detect data.csv --id name --quiet --report page.html";
    let titles = |page: &str| -> Vec<String> {
        let parts = page.split("<h2>").skip(1);
        parts.map(|part| part.split("</h2>").next().unwrap().to_string()).collect()
    };
    folder.succeed(&format!("{base} --label known --kernel sdo --bandwidth likelihood"));
    let page = folder.text("page.html");
    insta::assert_debug_snapshot!(titles(&page), @r#"
    [
        "How strange the rows are",
        "The strangest rows, and why",
        "All rows that stand out",
        "Where they lie",
        "How the bandwidth was chosen",
        "The columns",
        "How well known anomalies are found",
        "Notes",
        "How to get this page again",
    ]
    "#);
    for wanted in ["<!DOCTYPE html>", "<svg", "Anomalies in data.csv", "r39", "length"] {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert!(!page.contains("src=\"http") && !page.contains("<script src"), "loads from elsewhere");

    folder.succeed(&format!("{base} --drop known"));
    insta::assert_debug_snapshot!(titles(&folder.text("page.html")), @r#"
    [
        "How strange the rows are",
        "The strangest rows, and why",
        "All rows that stand out",
        "Where they lie",
        "The columns",
        "Notes",
        "How to get this page again",
    ]
    "#);
}

#[test]
fn an_old_output_is_replaced_when_the_new_one_is_complete() {
    let folder = Folder::with(&tables::plain());
    folder.write("out.csv", "old");
    folder.succeed("detect data.csv --quiet --out out.csv");
    assert_eq!(folder.text("out.csv").lines().count(), ROWS + 1);
    assert_eq!(folder.names(), ["data.csv", "out.csv"]);
}
