//! CSV: what is read, on which line, as which kind.

use std::collections::HashMap;
use std::io::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use proptest::prelude::*;
use sosrep_table::{
    ColumnInfo, ColumnKind, Error, HeaderNote, Input, Place, ReadOptions, open, read_all,
};

use super::{Folder, in_batches_of, rows, together};

fn names(cells: &RecordBatch) -> Vec<String> {
    cells.schema().fields().iter().map(|field| field.name().clone()).collect()
}

fn numbers(cells: &RecordBatch, column: usize) -> Vec<Option<f64>> {
    cells.column(column).as_primitive::<Float64Type>().iter().collect()
}

fn texts(cells: &RecordBatch, column: usize) -> Vec<Option<&str>> {
    cells.column(column).as_string::<i32>().iter().collect()
}

#[test]
fn every_kind_is_inferred_and_missing_cells_are_null() {
    let cells =
        rows("n,b,t,d,m\n 1.5 ,TRUE, red ,2024-01-02,\nNA,,none,?,-\n-inf,false,\"\",3/4/2024,.\n");
    assert_eq!(names(&cells), ["n", "b", "t", "d", "m"]);
    assert_eq!(numbers(&cells, 0), [Some(1.5), None, Some(f64::NEG_INFINITY)]);
    let booleans: Vec<_> = cells.column(1).as_boolean().iter().collect();
    assert_eq!(booleans, [Some(true), None, Some(false)]);
    assert_eq!(texts(&cells, 2), [Some(" red "), None, None]);
    assert_eq!(texts(&cells, 3), [Some("2024-01-02"), None, Some("3/4/2024")]);
    assert_eq!(numbers(&cells, 4), [None, None, None]);
}

#[test]
fn kinds_that_are_given_are_not_inferred() {
    let file = Folder::with("data.csv", "id,when,x\n007,5,1\nNA,soon,2\n");
    let kinds = [("id", ColumnKind::Text), ("when", ColumnKind::Date), ("z", ColumnKind::Boolean)];
    let kinds: HashMap<_, _> = kinds.map(|(name, kind)| (name.to_string(), kind)).into();
    let options = ReadOptions { kinds, ..ReadOptions::default() };
    let source = open(&Input::Path(file.path()), &options).unwrap();
    let kinds: Vec<ColumnKind> = source.columns().iter().map(|column| column.kind).collect();
    assert_eq!(kinds, [ColumnKind::Text, ColumnKind::Date, ColumnKind::Number]);
    let cells = together(&file.batches(&options).unwrap());
    assert_eq!(texts(&cells, 0), [Some("007"), None]);
    assert_eq!(texts(&cells, 1), [Some("5"), Some("soon")]);
}

#[test]
fn a_quoted_newline_keeps_line_numbers_right() {
    for end in ["\n", "\r\n"] {
        let text = ["a,b", "x,\"one\ntwo\"", "", "y,z", "", "", "\"p\nq\nr\",s", "t,u"].join(end);
        for text in [text.clone(), text + end] {
            for batch_rows in [1, 2, 100] {
                let file = Folder::with("data.csv", &text);
                let batches = file.batches(&in_batches_of(batch_rows)).unwrap();
                let lines: Vec<u64> =
                    batches.iter().flat_map(|b| b.lines.clone().unwrap()).collect();
                assert_eq!(lines, [2, 5, 8, 11], "{text:?}");
                assert_eq!(batches[0].place(0), Place::Line(2));
            }
        }
    }
}

#[test]
fn lines_are_right_past_the_parsers_buffer() {
    let long = "word ".repeat(20_000);
    let row = format!("1,\"{long}\n{long}\"\r\n");
    let file = Folder::with("data.csv", "n,t\r\n".to_string() + &row.repeat(7));
    let batches = file.batches(&in_batches_of(3)).unwrap();
    let lines: Vec<u64> = batches.iter().flat_map(|batch| batch.lines.clone().unwrap()).collect();
    assert_eq!(lines, [2, 4, 6, 8, 10, 12, 14]);
}

#[test]
fn files_without_line_feeds_have_rows_for_lines() {
    let file = Folder::with("data.csv", "a,b\r1,2\r3,4\r");
    let batches = file.batches(&in_batches_of(1)).unwrap();
    assert_eq!(numbers(&together(&batches), 1), [Some(2.0), Some(4.0)]);
    assert_eq!(batches[1].place(0), Place::Row(2));
    let file = Folder::with("data.csv", "a,b\r1,2\r3\r");
    assert_eq!(
        file.error(&ReadOptions::default()),
        "data.csv, row 2: found 1 cell, expected 2; add or remove cells, or put quotes around a \
         cell that contains the delimiter"
    );
}

#[test]
fn delimiter_and_mark_of_utf8_are_recognised() {
    for delimiter in [",", ";", "\t", "|"] {
        let text = "\u{feff}a,\"b,;\t|,,\"\n1,2\n".replace("a,", &format!("a{delimiter}"));
        let cells = rows(&text.replace("1,2", &format!("1{delimiter}2")));
        assert_eq!(names(&cells), ["a", "b,;\t|,,"], "{delimiter:?}");
        assert_eq!(numbers(&cells, 0), [Some(1.0)]);
    }
}

#[test]
fn an_index_without_a_name_and_spaces_around_names_are_usual() {
    assert_eq!(names(&rows(",a, b \n0,1,2\n")), ["unnamed_1", "a", "b"]);
}

#[test]
fn without_a_header_columns_are_numbered() {
    let file = Folder::with("data.csv", "1,x\n2,y\n");
    let options = ReadOptions { header: false, ..ReadOptions::default() };
    let batches = file.batches(&options).unwrap();
    let cells = together(&batches);
    assert_eq!(names(&cells), ["column_1", "column_2"]);
    assert_eq!(numbers(&cells, 0), [Some(1.0), Some(2.0)]);
    assert_eq!(batches[0].lines, Some(vec![1, 2]));
}

/// Names and notes of a text.
fn header(text: &str) -> (Vec<String>, Vec<HeaderNote>) {
    let file = Folder::with("data.csv", text);
    let source = open(&Input::Path(file.path()), &ReadOptions::default()).unwrap();
    let names = source.columns().iter().map(|column| column.name.clone()).collect();
    (names, source.header_notes().to_vec())
}

#[test]
fn a_first_line_of_numbers_is_read_as_without_a_header() {
    let text = "\n1,2.5,-3e4\n4,5,6\n";
    let file = Folder::with("data.csv", text);
    let headless = ReadOptions { header: false, ..ReadOptions::default() };
    let (told, found) = (file.batches(&headless), file.batches(&ReadOptions::default()));
    let (told, found) = (told.unwrap(), found.unwrap());
    assert_eq!(together(&told), together(&found));
    assert_eq!(found[0].lines, Some(vec![2, 3]));
    assert_eq!(header(text).1, [HeaderNote::NumbersAreData]);
    // One word makes it a line of names.
    assert_eq!(header("1,2.5,x\n4,5,6\n"), (["1", "2.5", "x"].map(String::from).into(), vec![]));
}

#[test]
fn names_of_rows_have_no_name_in_the_first_line() {
    let found = header("mpg,cyl\n\"Mazda RX4\",21,6\n\"Datsun\",22.8,4\n");
    let column = "rownames".to_string();
    assert_eq!(found.0, ["rownames", "mpg", "cyl"]);
    assert_eq!(found.1, [HeaderNote::RowNames { column }]);
    // A delimiter at the end of every row adds an empty column behind, and shifts no name.
    let cells = rows("a,b\n1,2,\n3,4,\n");
    assert_eq!(names(&cells), ["a", "b", "column_3"]);
    assert_eq!(numbers(&cells, 0), [Some(1.0), Some(3.0)]);
    // Not if some rows have as many cells as there are names, or the first cells are not names.
    for text in ["a,b\n1,2,3\n4,5\n", "a,b\n1,2,3\n1,5,6\n", "a\n1,5\n2,5\n"] {
        let file = Folder::with("data.csv", text);
        let refused = file.batches(&ReadOptions::default()).unwrap_err();
        assert!(refused.to_string().contains("data.csv, line 2: found"), "{refused}");
    }
}

#[test]
fn every_column_has_a_name_of_its_own() {
    let (names, notes) = header("a, a,,b,a,a_2,\n1,2,3,4,5,6,7\n");
    assert_eq!(names, ["a", "a_3", "column_3", "b", "a_4", "a_2", "column_7"]);
    let columns = ["a_3", "column_3", "a_4", "column_7"].map(String::from).into();
    assert_eq!(notes, [HeaderNote::NamesGiven { columns }]);
    assert_eq!(header("column_2,,x\n1,2,3\n").0, ["column_2", "column_3", "x"]);
}

#[test]
fn columns_that_are_not_projected_are_not_looked_at() {
    let mut bytes = b"bad,n,t\n".to_vec();
    for row in 0..20 {
        writeln!(bytes, "{row},{row},t{row}").unwrap();
    }
    bytes.extend(b"word\xff,20,last\n");
    let file = Folder::with("data.csv", bytes);
    let mut source = open(&Input::Path(file.path()), &in_batches_of(7)).unwrap();
    source.project(&[2, 1]);
    let cells = together(&read_all(source.as_mut(), &mut |_| true).unwrap());
    assert_eq!(names(&cells), ["t", "n"]);
    assert_eq!(texts(&cells, 0)[20], Some("last"));
    assert_eq!(numbers(&cells, 1)[20], Some(20.0));
    assert!(file.error(&ReadOptions::default()).contains("column \"bad\""));

    let mut source = open(&Input::Path(file.path()), &in_batches_of(7)).unwrap();
    source.project(&[]);
    let batches = read_all(source.as_mut(), &mut |_| true).unwrap();
    assert_eq!(batches.iter().map(sosrep_table::Batch::rows).sum::<usize>(), 21);
}

#[test]
fn kinds_come_from_the_first_ten_thousand_rows() {
    let text = |numbers: usize| "a\n".to_string() + &"1\n".repeat(numbers) + "one\n";
    let error = Folder::with("data.csv", text(10_000)).error(&ReadOptions::default());
    assert!(error.starts_with("data.csv, line 10002, column \"a\": \"one\""), "{error}");
    let file = Folder::with("data.csv", "a\n".to_string() + &"one\n".repeat(9_999) + "1\n2\n");
    let cells = together(&file.batches(&ReadOptions::default()).unwrap());
    assert_eq!(texts(&cells, 0)[10_000], Some("2"));
}

#[test]
fn progress_rises_to_one_and_work_can_be_stopped() {
    let file = Folder::with("data.csv", "a,b\n".to_string() + &"1,2\n".repeat(50_000));
    let mut source = open(&Input::Path(file.path()), &in_batches_of(1_000)).unwrap();
    let mut shares = Vec::new();
    let mut keep_going = |share: Option<f64>| {
        shares.push(share.unwrap());
        true
    };
    assert_eq!(read_all(source.as_mut(), &mut keep_going).unwrap().len(), 50);
    assert!(shares.is_sorted() && shares[0] < 0.9);
    assert_eq!(shares.last(), Some(&1.0));

    let mut source = open(&Input::Path(file.path()), &in_batches_of(1_000)).unwrap();
    let mut calls = 0;
    let mut stop_at_third = |_: Option<f64>| {
        calls += 1;
        calls < 3
    };
    let stopped = read_all(source.as_mut(), &mut stop_at_third);
    assert!(matches!(stopped, Err(Error::Cancelled)));
    assert_eq!(calls, 3);
}

#[test]
fn compressed_text_is_read_in_all_its_parts() {
    let parts = ["a,b\n1,", "x\n2,y\n", "3,z"];
    let expected = rows(&parts.concat());
    let gzip = |part: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        encoder.write_all(part.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let zstandard = |part: &str| zstd::encode_all(part.as_bytes(), 3).unwrap();
    for (name, bytes) in [
        ("data.csv.gz", parts.map(gzip).concat()),
        ("data.csv.zst", parts.map(zstandard).concat()),
        ("data.csv", parts.map(gzip).concat()),
        ("data", parts.concat().into_bytes()),
        ("data.tsv", parts.concat().replace(',', "\t").into_bytes()),
    ] {
        let batches = Folder::with(name, bytes).batches(&ReadOptions::default()).unwrap();
        assert_eq!(together(&batches), expected, "{name}");
        assert_eq!(batches[0].lines, Some(vec![2, 3, 4]));
    }
}

#[test]
fn a_table_held_in_the_program_is_read_under_its_name() {
    let input = Input::Bytes { name: "built-in".to_string(), bytes: b"a\n1\n" };
    let source = open(&input, &ReadOptions::default()).unwrap();
    assert_eq!(source.name(), "built-in");
    assert_eq!(source.columns(), [ColumnInfo { name: "a".to_string(), kind: ColumnKind::Number }]);
}

/// A table of text with everything that needs quotes.
fn table() -> impl Strategy<Value = Vec<Vec<String>>> {
    let cell = "[a-c,;\"\t\r\n é|]{0,6}".prop_map(|text| format!("w{text}"));
    (1usize..5, 1usize..12).prop_flat_map(move |(columns, rows)| {
        prop::collection::vec(prop::collection::vec(cell.clone(), columns), rows)
    })
}

proptest! {
    #[test]
    fn what_was_written_is_read_whatever_the_batches(
        table in table(),
        crlf: bool,
        delimiter in prop::sample::select(b",;\t|".to_vec()),
        batch_rows in 1usize..6,
    ) {
        // A single name has no delimiter to tell: it is the comma.
        let delimiter = if table[0].len() == 1 { b',' } else { delimiter };
        let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let mut writer = csv::WriterBuilder::new()
            .terminator(terminator)
            .delimiter(delimiter)
            .from_writer(Vec::new());
        let header: Vec<String> = (0..table[0].len()).map(|i| format!("c{i}")).collect();
        writer.write_record(&header).unwrap();
        let mut lines = vec![2];
        for row in &table {
            writer.write_record(row).unwrap();
            lines.push(lines[lines.len() - 1] + 1 + row.concat().matches('\n').count() as u64);
        }
        let file = Folder::with("data.csv", writer.into_inner().unwrap());
        let batches = file.batches(&in_batches_of(batch_rows)).unwrap();
        prop_assert!(batches.iter().all(|batch| batch.rows() <= batch_rows));
        let first_rows: Vec<u64> = batches.iter().map(|batch| batch.number(0)).collect();
        let expected: Vec<u64> = (1..=table.len() as u64).step_by(batch_rows).collect();
        prop_assert_eq!(first_rows, expected);
        let found: Vec<u64> = batches.iter().flat_map(|b| b.lines.clone().unwrap()).collect();
        prop_assert_eq!(&found, &lines[..table.len()]);
        let cells = together(&batches);
        for column in 0..header.len() {
            let expected: Vec<Option<&str>> =
                table.iter().map(|row| Some(row[column].as_str())).collect();
            prop_assert_eq!(texts(&cells, column), expected);
        }
        prop_assert_eq!(cells.column(0).null_count(), 0);
    }
}
