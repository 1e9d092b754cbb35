//! One table in every format that is read: the same model to the bit, the same scores.

use std::io::{Cursor, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use flate2::{Compression, write::GzEncoder};
use ndarray::{Array1, Array2};
use ndarray_npy::{NpzWriter, WriteNpyExt};
use parquet::arrow::ArrowWriter;

use super::sosrep::Folder;
use super::tables::{self, NAMES, ROWS};

/// The numbers as Arrow holds them, with the label of the anomalies as 0 and 1 if asked.
pub(crate) fn batch(labels: bool) -> RecordBatch {
    let rows = tables::numbers();
    let numbers = |j: usize| -> ArrayRef {
        Arc::new(rows.iter().map(|row| Some(row[j])).collect::<Float64Array>())
    };
    let mut columns: Vec<(&str, ArrayRef)> =
        NAMES.iter().enumerate().map(|(j, name)| (*name, numbers(j))).collect();
    if labels {
        let odd = (0..ROWS).map(|row| i64::from(tables::is_odd(row)));
        columns.push(("y", Arc::new(Int64Array::from_iter_values(odd))));
    }
    RecordBatch::try_from_iter(columns).unwrap()
}

pub(crate) fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn arrow(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn arrow_stream(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

pub(crate) fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 0).unwrap()
}

fn matrix() -> Array2<f64> {
    let values: Vec<f64> = tables::numbers().into_iter().flatten().collect();
    Array2::from_shape_vec((ROWS, NAMES.len()), values).unwrap()
}

fn npy() -> Vec<u8> {
    let mut bytes = Vec::new();
    matrix().write_npy(&mut bytes).unwrap();
    bytes
}

/// An archive with the rows under this name and the labels as `y`.
pub(crate) fn npz(rows: &str) -> Vec<u8> {
    let mut archive = NpzWriter::new_compressed(Cursor::new(Vec::new()));
    archive.add_array(rows, &matrix()).unwrap();
    let odd: Array1<i64> = (0..ROWS).map(|row| i64::from(tables::is_odd(row))).collect();
    archive.add_array("y", &odd).unwrap();
    archive.finish().unwrap().into_inner()
}

/// The scores of a file, as CSV.
fn scores(folder: &Folder, file: &str, options: &str) -> String {
    folder.succeed(&format!("detect {file} --quiet --out - {options}"))
}

#[test]
fn the_same_table_has_the_same_scores_in_every_format_with_names() {
    let folder = Folder::with(&tables::plain());
    let expected = scores(&folder, "data.csv", "");
    assert_eq!(expected.lines().count(), ROWS + 1);
    let quoted = tables::plain().replacen("length", "\"length\"", 1).replace('\n', "\r\n");
    let (array, lines) = (tables::json(), tables::json_lines());
    let files: [(&str, Vec<u8>); 14] = [
        ("data.json", array.clone().into()),
        ("data.jsonl", lines.clone().into()),
        ("data.ndjson.gz", gzip(&lines)),
        ("data.json.zst", zstd(&array)),
        ("data.tsv", tables::separated("\t").into()),
        ("semicolons.csv", tables::separated(";").into()),
        ("windows.csv", format!("\u{feff}{quoted}").into()),
        ("data.csv.gz", gzip(&tables::plain())),
        ("data.csv.zst", zstd(&tables::plain())),
        ("data.parquet", parquet(&batch(false))),
        ("data.arrow", arrow(&batch(false))),
        ("data.arrows", arrow_stream(&batch(false))),
        ("no extension", parquet(&batch(false))),
        ("wrong.csv", gzip(&tables::plain())),
    ];
    for (name, bytes) in files {
        let name = name.replace(' ', "_");
        folder.write(&name, bytes);
        assert_eq!(scores(&folder, &name, ""), expected, "{name}");
    }
}

#[test]
fn decimal_commas_give_the_scores_of_decimal_points() {
    let folder = Folder::with(&tables::plain());
    folder.write("commas.csv", tables::separated(";").replace('.', ","));
    let [commas, points] = ["commas.csv", "data.csv"].map(|table| scores(&folder, table, ""));
    let score = |table| tables::column(table, "anomaly_score");
    assert_eq!(score(&commas), score(&points));
}

#[test]
fn arrays_without_names_have_the_same_scores_and_columns_by_number() {
    let folder = Folder::with(&tables::plain());
    folder.write("data.npy", npy());
    folder.write("data.npz", npz("X"));
    let headless = tables::plain().split_once('\n').unwrap().1.to_string();
    folder.write("headless.csv", headless);
    let expected = scores(&folder, "headless.csv", "--no-header");
    let named = scores(&folder, "data.csv", "");
    assert_eq!(tables::column(&expected, "anomaly_score"), tables::column(&named, "anomaly_score"));
    assert!(expected.contains("column_1 "), "{expected}");
    assert_eq!(scores(&folder, "data.npy", ""), expected);
    assert_eq!(scores(&folder, "data.npz", "--drop y"), expected);
    assert_eq!(scores(&folder, "headless.csv", ""), expected);
}

#[test]
fn an_archive_with_labels_is_judged_as_the_csv_is() {
    let folder = Folder::new();
    let odd = |row: usize| i64::from(tables::is_odd(row)).to_string();
    folder.write("data.csv", tables::with_columns(&[("y", &odd)]));
    folder.write("data.npz", npz("X"));
    folder.write("data.parquet", parquet(&batch(true)));
    let quality = |file: &str| {
        let words = format!("detect {file} --label y --json");
        let found: serde_json::Value = serde_json::from_str(&folder.succeed(&words)).unwrap();
        [found["auc_roc"].as_f64().unwrap(), found["average_precision"].as_f64().unwrap()]
    };
    assert_eq!(quality("data.npz"), quality("data.csv"));
    assert_eq!(quality("data.parquet"), quality("data.csv"));
}

#[test]
fn standard_input_takes_every_format() {
    let folder = Folder::with(&tables::plain());
    let expected = scores(&folder, "data.csv", "");
    for bytes in [
        tables::plain().into_bytes(),
        gzip(&tables::plain()),
        tables::json().into_bytes(),
        gzip(&tables::json_lines()),
        parquet(&batch(false)),
        arrow(&batch(false)),
        arrow_stream(&batch(false)),
    ] {
        let ran = folder.run_with_input("detect - --quiet --out -", &bytes).success();
        assert_eq!(ran.stdout, expected);
    }
}
