//! Every format read back by a reader that is not ours.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;
use serde_json::Value;

use super::super::{Format, to_writer};
use super::{ENDINGS, Row, batch, schema, write};

/// Rows with what formats get wrong: quotes, delimiters, line breaks, extremes, nulls.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    let float = prop_oneof![any::<f64>().prop_filter("finite", |x| x.is_finite()), Just(3.0)];
    let text = "[a,;\"\t\n\r é\\\\-]{0,6}";
    let row = (
        prop::option::of(float),
        prop::option::of(any::<i64>()),
        prop::option::of(any::<u64>()),
        prop::option::of(any::<bool>()),
        prop::option::of(text),
    );
    prop::collection::vec(row, 0..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_format_reads_back_what_was_written(rows in rows(), size in 1_usize..9) {
        let folder = tempfile::tempdir().unwrap();
        for ending in ENDINGS {
            let path = folder.path().join(format!("out.{ending}"));
            write(&path, &rows, size).unwrap();
            match ending {
                "parquet" => prop_assert_eq!(table(read_parquet(&path)), batch(&rows)),
                "arrow" | "feather" | "ipc" => prop_assert_eq!(table(read_ipc(&path)), batch(&rows)),
                "json" | "jsonl" | "ndjson" => {
                    prop_assert_eq!(read_json(&path, ending), rows.clone());
                }
                // An empty text is not told from a null.
                _ => prop_assert_eq!(read_csv(&path, ending), with_empty_text_missing(&rows)),
            }
        }
    }
}

/// A writer whose bytes can be looked at.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_gets_what_a_file_gets_and_a_stream_reads_back() {
    let row = |i: i64| (Some(i as f64 / 3.0), Some(i), None, Some(i > 2), Some(format!("{i}")));
    let rows: Vec<Row> = (0..5).map(row).collect();
    let written = |format: Format| {
        let bytes = Shared::default();
        let mut sink = to_writer("the answer", Box::new(bytes.clone()), format, schema()).unwrap();
        rows.chunks(2).for_each(|part| sink.write(&batch(part)).unwrap());
        sink.finish().unwrap();
        let bytes = bytes.0.lock().unwrap();
        bytes.clone()
    };
    let folder = tempfile::tempdir().unwrap();
    for (ending, format) in
        [("csv", Format::Csv), ("json", Format::Json), ("jsonl", Format::JsonLines)]
    {
        let path = folder.path().join(format!("out.{ending}"));
        write(&path, &rows, 2).unwrap();
        assert_eq!(written(format), fs::read(&path).unwrap(), "{ending}");
    }
    let stream = written(Format::IpcStream);
    let read = StreamReader::try_new(&stream[..], None).unwrap().map(Result::unwrap).collect();
    assert_eq!(table(read), batch(&rows));
}

fn with_empty_text_missing(rows: &[Row]) -> Vec<Row> {
    let mut rows = rows.to_vec();
    rows.iter_mut().for_each(|row| row.4 = row.4.take().filter(|text| !text.is_empty()));
    rows
}

fn table(batches: Vec<RecordBatch>) -> RecordBatch {
    arrow_select::concat::concat_batches(&schema(), &batches).unwrap()
}

fn read_parquet(path: &Path) -> Vec<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    reader.build().unwrap().map(Result::unwrap).collect()
}

fn read_ipc(path: &Path) -> Vec<RecordBatch> {
    let reader = arrow_ipc::reader::FileReader::try_new(File::open(path).unwrap(), None).unwrap();
    reader.map(Result::unwrap).collect()
}

fn read_csv(path: &Path, ending: &str) -> Vec<Row> {
    let file = File::open(path).unwrap();
    let source: Box<dyn Read> = match ending {
        "csv.gz" => Box::new(flate2::read::MultiGzDecoder::new(file)),
        "csv.zst" => Box::new(zstd::Decoder::new(file).unwrap()),
        _ => Box::new(file),
    };
    let delimiter = if ending == "tsv" { b'\t' } else { b',' };
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(source);
    let names: Vec<_> = reader.headers().unwrap().iter().map(str::to_string).collect();
    assert_eq!(names, ["score", "rank", "row", "flagged, \"really\"", "note"]);
    reader.records().map(|record| csv_row(&record.unwrap())).collect()
}

fn csv_row(record: &csv::StringRecord) -> Row {
    let cell = |index: usize| Some(&record[index]).filter(|cell| !cell.is_empty());
    (
        cell(0).map(|cell| cell.parse().unwrap()),
        cell(1).map(|cell| cell.parse().unwrap()),
        cell(2).map(|cell| cell.parse().unwrap()),
        cell(3).map(|cell| cell.parse().unwrap()),
        cell(4).map(str::to_string),
    )
}

fn read_json(path: &Path, ending: &str) -> Vec<Row> {
    let text = fs::read_to_string(path).unwrap();
    let objects: Vec<Value> = if ending == "json" {
        serde_json::from_str(&text).unwrap()
    } else {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let row = |object: &Value| {
        assert_eq!(object.as_object().unwrap().len(), 5);
        (
            object["score"].as_f64(),
            object["rank"].as_i64(),
            object["row"].as_u64(),
            object["flagged, \"really\""].as_bool(),
            object["note"].as_str().map(str::to_string),
        )
    };
    objects.iter().map(row).collect()
}

fn written(ending: &str, rows: &[Row]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("out.{ending}"));
    write(&path, rows, 8).unwrap();
    fs::read_to_string(path).unwrap()
}

fn score(value: f64) -> Row {
    (Some(value), None, None, None, None)
}

#[test]
fn numbers_in_csv_are_short() {
    let scores = [3.0, 0.1, -0.0, 1e-5, 1e-7, 1e16, 123456789.5, f64::MAX, f64::NAN, f64::INFINITY];
    let text = written("csv", &scores.map(score));
    let cells: Vec<_> = text.lines().skip(1).map(|line| line.trim_end_matches(',')).collect();
    let expected = [
        "3",
        "0.1",
        "-0",
        "0.00001",
        "1e-7",
        "1e16",
        "123456789.5",
        "1.7976931348623157e308",
        "NaN",
        "inf",
    ];
    assert_eq!(cells, expected);
}

#[test]
fn json_has_a_row_a_line_and_null_for_what_is_not_finite() {
    let rows = [
        (Some(0.5), Some(-1), Some(u64::MAX), Some(true), Some("\"é\n".to_string())),
        score(f64::NAN),
        score(f64::NEG_INFINITY),
    ];
    let key = r#""flagged, \"really\"""#;
    let first = format!(
        r#"{{"score":0.5,"rank":-1,"row":18446744073709551615,{key}:true,"note":"\"é\n"}}"#
    );
    let second = format!(r#"{{"score":null,"rank":null,"row":null,{key}:null,"note":null}}"#);
    assert_eq!(written("json", &rows), format!("[\n{first},\n{second},\n{second}\n]\n"));
    assert_eq!(written("jsonl", &rows), format!("{first}\n{second}\n{second}\n"));
    assert_eq!(written("json", &[]), "[\n]\n");
    assert_eq!(written("ndjson", &[]), "");
}

#[test]
fn row_groups_of_parquet_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.parquet");
    write(&path, &vec![score(1.0); 140_000], 10_000).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
    let groups: Vec<_> =
        reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(groups, [131_072, 8_928]);
}
