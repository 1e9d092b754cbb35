//! JSON reads as CSV does, in either of its forms, and says where it departs from a table.

use std::io::Write;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use sosrep_table::{ColumnKind, Input, ReadOptions, open};

use super::{Folder, in_batches_of, rows, together};

/// The rows of a file of this name and content.
fn read(name: &str, content: impl AsRef<[u8]>) -> arrow_array::RecordBatch {
    together(&Folder::with(name, content).batches(&in_batches_of(3)).unwrap())
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

#[track_caller]
fn refused(content: &str, message: &str) {
    assert_eq!(Folder::with("data.json", content).error(&ReadOptions::default()), message);
}

#[test]
fn both_forms_read_as_the_csv_of_the_same_cells() {
    let csv =
        rows("a,b,c,d\n1,true,x,2020-01-01\n-2.5e-3,,\"a, \"\"b\"\"\",\n,false,,2020-01-02\n");
    let objects = [
        json!({"a": 1, "b": true, "c": "x", "d": "2020-01-01"}),
        json!({"c": "a, \"b\"", "a": -2.5e-3, "d": null}),
        json!({"d": "2020-01-02", "b": false}),
    ];
    let array = serde_json::to_string_pretty(&objects).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(array.as_bytes()).unwrap();
    for (name, content) in [
        ("data.json", array.clone().into_bytes()),
        ("data.jsonl", lines(&objects).into_bytes()),
        ("data.ndjson", lines(&objects).replace('\n', "\r\n\r\n").into_bytes()),
        ("data.json.gz", gzip.finish().unwrap()),
        ("data.jsonl.zst", zstd::encode_all(lines(&objects).as_bytes(), 0).unwrap()),
        ("no_name", format!("\u{feff} {array}\n").into_bytes()),
    ] {
        assert_eq!(read(name, content), csv, "{name}");
    }
}

proptest! {
    #[test]
    fn numbers_keep_their_bits(values in prop::collection::vec(any::<f64>(), 1..20)) {
        let row = |value: &f64| json!({"x": value});
        let rows: Vec<Value> = values.iter().map(row).collect();
        let kinds = [("x".to_string(), ColumnKind::Number)].into();
        let options = ReadOptions { kinds, ..ReadOptions::default() };
        let folder = Folder::with("data.jsonl", lines(&rows));
        let read = together(&folder.batches(&options).unwrap());
        let read = arrow_array::cast::AsArray::as_primitive::<arrow_array::types::Float64Type>(read.column(0));
        for (value, read) in values.iter().zip(read) {
            prop_assert_eq!(read, value.is_finite().then_some(*value));
        }
    }

    #[test]
    fn the_order_of_keys_after_the_first_row_does_not_count(
        values in prop::collection::vec([0u8..9, 0..9, 0..9], 1..9),
        turn in 0usize..3,
    ) {
        let object = |(row, values): (usize, &[u8; 3]), turn: usize| {
            let mut keys = [("a", values[0]), ("b", values[1]), ("c", values[2])];
            keys.rotate_left(if row == 0 { 0 } else { turn });
            let pairs: Vec<String> = keys.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
            format!("{{{}}}", pairs.join(","))
        };
        let text = |turn| -> String {
            values.iter().enumerate().map(|row| object(row, turn) + "\n").collect()
        };
        prop_assert_eq!(read("data.jsonl", text(turn)), read("data.jsonl", text(0)));
    }
}

#[test]
fn a_key_that_comes_late_in_the_sample_is_missing_before() {
    let table = read("data.jsonl", "{\"a\":1}\n{\"a\":2,\"b\":\"x\"}\n{}\n");
    assert_eq!(table, rows("a,b\n1,\n2,x\n,\n"));
}

#[test]
fn rows_are_named_by_the_lines_they_start_on() {
    let folder = Folder::with("data.json", "[\n {\"a\": 1},\n\n {\"a\":\n 2}\n]\n");
    let batches = folder.batches(&ReadOptions::default()).unwrap();
    assert_eq!(batches[0].lines, Some(vec![2, 4]));
}

#[test]
fn arrays_and_objects_are_refused_only_where_they_are_asked_for() {
    let text = "{\"a\":1,\"tags\":[\"x\",{\"y\":1}]}\n{\"a\":2}\n{\"a\":3,\"tags\":{}}\n";
    refused(
        text,
        "data.json, line 1, column \"tags\": the type array is neither number, boolean, text nor \
         date; ConvertColumn, or DropColumn(\"tags\")",
    );
    let folder = Folder::with("data.jsonl", text);
    let mut source = open(&Input::Path(folder.path()), &ReadOptions::default()).unwrap();
    source.project(&[0]);
    assert_eq!(source.next_batch().unwrap().unwrap().cells, rows("a\n1\n2\n3\n"));
}

#[test]
fn what_is_no_table_is_told_where_it_stands() {
    let help = "names and texts are in double quotes, a missing value is null";
    refused(
        "{\"a\":1}\n{\"a\":NaN}\n",
        &format!("data.json, line 2: this is not JSON: expected value; {help}"),
    );
    refused(
        "[{\"a\":1}\n",
        &format!("data.json, line 2: this is not JSON: the array is not closed; {help}"),
    );
    refused(
        "[{\"a\":1}] 2",
        &format!("data.json, line 1: this is not JSON: there is more after the array; {help}"),
    );
    refused(
        "[{\"a\":1} {\"a\":2}]",
        &format!("data.json, line 1: this is not JSON: expected `,` or `]` after a row; {help}"),
    );
    refused(
        "a,b\n1,2\n",
        &format!("data.json, line 1: this is not JSON: expected an object; {help}"),
    );
    let records = "give an array of objects or an object a line, as pandas writes them by \
                   to_json(path, orient=\"records\")";
    refused(
        "[\n[1, 2]]",
        &format!("data.json, line 2: found an array where a row is expected; {records}"),
    );
    refused(
        "{\"a\":1}\n{\"a\":1,\"a\":2}\n",
        "data.json, line 2: the key \"a\" is there twice; give every key of a row its own name",
    );
    refused("[]", "data.json: there are columns but no rows; give at least one row");
    refused("[{}]", "data.json: there are no columns; give at least one");
    refused(" \n", "data.json: the file is empty; give a table with at least one row");
}

#[test]
fn a_key_that_comes_after_the_sample_is_an_error() {
    let mut text = "{\"a\":1}\n".repeat(10_000);
    text.push_str("{\"a\":1,\"b\":2}\n");
    refused(
        &text,
        "data.json, line 10001: the key \"b\" is in none of the first rows, which tell \
        the columns; give it to the first row, as null if there is no value",
    );
}

#[test]
fn a_row_is_as_long_as_csv_allows_and_not_longer() {
    let text = format!("{{\"a\":\"{}", "x".repeat(65 << 20));
    refused(
        &text,
        "data.json, line 1: the row is longer than 64 MB; look for a quote that is not \
        closed",
    );
}

#[test]
fn csv_that_begins_with_a_bracket_stays_csv() {
    assert_eq!(read("data.csv", "[m],{s}\n1,2\n").num_columns(), 2);
    let object: Map<String, Value> = [("a".to_string(), json!(1))].into_iter().collect();
    assert_eq!(read("data.csv", Value::Object(object).to_string()).num_columns(), 1);
}
