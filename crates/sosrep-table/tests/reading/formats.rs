//! Every format gives the same batches for the same table, and every type of column is understood.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int64Array,
    RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use ndarray::{Array1, Array2, ShapeBuilder};
use ndarray_npy::{NpzWriter, WritableElement, WriteNpyExt};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use sosrep_table::{Batch, ColumnKind, Input, ReadOptions, open, open_reader, read_all};

use super::{Folder, in_batches_of, together};

/// A Parquet file with row groups of three rows.
pub(super) fn parquet_bytes(table: &RecordBatch) -> Vec<u8> {
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(3)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties)).unwrap();
    writer.write(table).unwrap();
    writer.into_inner().unwrap()
}

/// An Arrow file of two batches.
pub(super) fn ipc_bytes(table: &RecordBatch) -> Vec<u8> {
    let mut writer = FileWriter::try_new(Vec::new(), &table.schema()).unwrap();
    for part in halves(table) {
        writer.write(&part).unwrap();
    }
    writer.into_inner().unwrap()
}

/// An Arrow stream of two batches.
pub(super) fn stream_bytes(table: &RecordBatch) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &table.schema()).unwrap();
    for part in halves(table) {
        writer.write(&part).unwrap();
    }
    writer.into_inner().unwrap()
}

fn halves(table: &RecordBatch) -> [RecordBatch; 2] {
    let middle = table.num_rows() / 2;
    [table.slice(0, middle), table.slice(middle, table.num_rows() - middle)]
}

/// Five rows of every kind, with missing cells.
pub(super) fn mixed() -> (RecordBatch, &'static str) {
    let days = vec![Some(0), Some(19_782), None, Some(-1), Some(1)];
    let columns: [(&str, ArrayRef); 4] = [
        ("number", Arc::new(Int64Array::from(vec![Some(1), None, Some(-3), Some(4), Some(5)]))),
        (
            "flag",
            Arc::new(BooleanArray::from(vec![Some(true), Some(false), None, None, Some(true)])),
        ),
        (
            "word",
            Arc::new(DictionaryArray::<Int8Type>::from_iter([
                Some("red"),
                None,
                Some("a, b"),
                Some("red"),
                Some("line\nbreak"),
            ])),
        ),
        ("day", Arc::new(Date32Array::from(days))),
    ];
    let text = "number,flag,word,day\n1,true,red,1970-01-01\n,false,,2024-02-29\n\
                -3,,\"a, b\",\n4,,red,1969-12-31\n5,true,\"line\nbreak\",1970-01-02\n";
    (RecordBatch::try_from_iter(columns).unwrap(), text)
}

#[test]
fn every_format_gives_equal_batches_for_the_same_table() {
    let (table, text) = mixed();
    for batch_rows in [1, 2, 4, 100] {
        let options = in_batches_of(batch_rows);
        let read = |name: &str, bytes: &[u8]| {
            let batches = Folder::with(name, bytes).batches(&options).unwrap();
            assert!(batches.iter().all(|batch| batch.rows() <= batch_rows), "{name}");
            let mut next = 1;
            for batch in &batches {
                assert_eq!(batch.number(0), next, "{name}");
                next += batch.rows() as u64;
            }
            together(&batches)
        };
        let expected = read("data.csv", text.as_bytes());
        assert_eq!(read("data.parquet", &parquet_bytes(&table)), expected);
        assert_eq!(read("data.arrow", &ipc_bytes(&table)), expected);
        assert_eq!(read("data.arrows", &stream_bytes(&table)), expected);
        assert_eq!(read("content wins.csv", &parquet_bytes(&table)), expected);
        assert_eq!(read("content wins too", &stream_bytes(&table)), expected);
    }
}

#[test]
fn projection_keeps_order_in_every_format() {
    let (table, text) = mixed();
    let read = |name: &str, bytes: &[u8], columns: &[usize]| {
        let file = Folder::with(name, bytes);
        let mut source = open(&Input::Path(file.path()), &in_batches_of(2)).unwrap();
        assert_eq!(source.columns().len(), 4);
        source.project(columns);
        assert_eq!(source.columns().len(), 4);
        together(&read_all(source.as_mut(), &mut |_| true).unwrap())
    };
    for columns in [&[3, 0][..], &[1], &[2, 3, 1, 0]] {
        let expected = read("data.csv", text.as_bytes(), columns);
        assert_eq!(expected.num_columns(), columns.len());
        assert_eq!(read("data.parquet", &parquet_bytes(&table), columns), expected);
        assert_eq!(read("data.arrow", &ipc_bytes(&table), columns), expected);
        assert_eq!(read("data.arrows", &stream_bytes(&table), columns), expected);
    }
    assert_eq!(read("data.parquet", &parquet_bytes(&table), &[]).num_rows(), 5);
}

#[test]
fn tables_held_in_the_program_are_read_in_every_format() {
    let (table, _) = mixed();
    for bytes in [parquet_bytes(&table), ipc_bytes(&table), stream_bytes(&table)] {
        let input = Input::Bytes { name: "built-in".to_string(), bytes: bytes.leak() };
        let mut source = open(&input, &ReadOptions::default()).unwrap();
        let batches = read_all(source.as_mut(), &mut |_| true).unwrap();
        assert_eq!(batches.iter().map(Batch::rows).sum::<usize>(), 5);
        assert_eq!(source.progress(), Some(1.0));
    }
}

#[test]
fn a_reader_is_read_as_a_file_of_its_name_is() {
    let (table, text) = mixed();
    let compressed = zstd::encode_all(text.as_bytes(), 3).unwrap();
    let forms: [(&str, Vec<u8>); 6] = [
        ("data.csv", text.as_bytes().to_vec()),
        ("data.csv.zst", compressed),
        ("data.parquet", parquet_bytes(&table)),
        ("data.arrow", ipc_bytes(&table)),
        ("data.arrows", stream_bytes(&table)),
        ("data", stream_bytes(&table)),
    ];
    for (name, bytes) in forms {
        let expected = together(&Folder::with(name, &bytes).batches(&in_batches_of(2)).unwrap());
        let reader = Box::new(Cursor::new(bytes));
        let mut source = open_reader(name, reader, &in_batches_of(2)).unwrap();
        assert_eq!(together(&read_all(source.as_mut(), &mut |_| true).unwrap()), expected);
    }
    // What the name promises counts, as it does for files.
    for (name, bytes) in [("data.parquet", &b"a,b\n1,2\n"[..]), ("data.arrows", b"a,b\n")] {
        let refused = Folder::with(name, bytes).error(&ReadOptions::default());
        let reader = Box::new(Cursor::new(bytes.to_vec()));
        let error = open_reader(name, reader, &ReadOptions::default()).err().unwrap();
        assert_eq!(error.sentence(|remedy| format!("{remedy:?}")), refused);
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_read_in_every_format() {
    use std::io::Write;
    use std::os::fd::AsRawFd;

    let (table, text) = mixed();
    let expected = together(&Folder::with("data.csv", text).batches(&in_batches_of(2)).unwrap());
    for bytes in [
        text.as_bytes().to_vec(),
        parquet_bytes(&table),
        ipc_bytes(&table),
        stream_bytes(&table),
        zstd::encode_all(text.as_bytes(), 3).unwrap(),
    ] {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(&bytes).unwrap();
        drop(writer);
        let input = Input::Path(format!("/dev/fd/{}", reader.as_raw_fd()).into());
        let mut source = open(&input, &in_batches_of(2)).unwrap();
        assert_eq!(together(&read_all(source.as_mut(), &mut |_| true).unwrap()), expected);
    }
}

#[test]
fn an_identifier_wanted_as_text_keeps_all_its_digits() {
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(Int64Array::from(vec![9_007_199_254_740_993, -1]))),
        ("x", Arc::new(Float64Array::from(vec![Some(0.1), Some(f64::NAN)]))),
        ("when", Arc::new(TimestampMillisecondArray::from(vec![1_709_210_096_500, 0]))),
    ];
    let file =
        Folder::with("data.parquet", parquet_bytes(&RecordBatch::try_from_iter(columns).unwrap()));
    let kinds = ["id", "x"].map(|name| (name.to_string(), ColumnKind::Text)).into();
    let options = ReadOptions { kinds, ..ReadOptions::default() };
    let cells = together(&file.batches(&options).unwrap());
    let expected: [ArrayRef; 3] = [
        Arc::new(StringArray::from(vec!["9007199254740993", "-1"])),
        Arc::new(StringArray::from(vec![Some("0.1"), None])),
        Arc::new(StringArray::from(vec!["2024-02-29T12:34:56.500", "1970-01-01T00:00:00"])),
    ];
    assert_eq!(cells.columns(), expected);
}

#[test]
fn integers_that_fit_no_double_are_digits_in_every_format() {
    let wide: ArrayRef = Arc::new(Int64Array::from(vec![9_007_199_254_740_993, -1]));
    let small: ArrayRef = Arc::new(Int64Array::from(vec![9_007_199_254_740_991, -1]));
    let rows = RecordBatch::try_from_iter([("wide", wide), ("small", small)]).unwrap();
    let csv = b"wide,small\n9007199254740993,9007199254740991\n-1,-1\n".to_vec();
    for (name, bytes) in [
        ("data.csv", csv),
        ("data.parquet", parquet_bytes(&rows)),
        ("data.arrow", ipc_bytes(&rows)),
        ("stream.arrows", stream_bytes(&rows)),
    ] {
        let file = Folder::with(name, bytes);
        let source = open(&Input::Path(file.path()), &ReadOptions::default()).unwrap();
        let kinds: Vec<ColumnKind> = source.columns().iter().map(|column| column.kind).collect();
        assert_eq!(kinds, [ColumnKind::BigInteger, ColumnKind::Number], "{name}");
        let cells = together(&file.batches(&ReadOptions::default()).unwrap());
        let digits: ArrayRef = Arc::new(StringArray::from(vec!["9007199254740993", "-1"]));
        assert_eq!(cells.column(0), &digits, "{name}");
        let numbers: ArrayRef = Arc::new(Float64Array::from(vec![9_007_199_254_740_991.0, -1.0]));
        assert_eq!(cells.column(1), &numbers, "{name}");
    }
}

fn npy<T: WritableElement>(array: &Array2<T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    array.write_npy(&mut bytes).unwrap();
    bytes
}

fn columns(cells: &RecordBatch) -> Vec<Vec<Option<f64>>> {
    let column = |array: &ArrayRef| array.as_primitive::<Float64Type>().iter().collect();
    cells.columns().iter().map(column).collect()
}

/// Both orders of a matrix, read in small batches.
#[track_caller]
fn assert_read<T: WritableElement + Clone>(number: impl Fn(u8) -> T, value: impl Fn(u8) -> f64) {
    let by_rows = Array2::from_shape_fn((5, 3), |(i, j)| number((3 * i + j) as u8));
    let mut by_columns = Array2::from_elem((5, 3).f(), number(0));
    by_columns.assign(&by_rows);
    assert_ne!(npy(&by_rows), npy(&by_columns));
    for array in [by_rows, by_columns] {
        let batches = Folder::with("x.npy", npy(&array)).batches(&in_batches_of(2)).unwrap();
        assert_eq!(batches.len(), 3);
        let cells = together(&batches);
        let names: Vec<_> = cells.schema().fields().iter().map(|f| f.name().clone()).collect();
        assert_eq!(names, ["column_1", "column_2", "column_3"]);
        for (j, column) in columns(&cells).into_iter().enumerate() {
            let expected: Vec<_> = (0..5).map(|i| Some(value((3 * i + j) as u8))).collect();
            assert_eq!(column, expected);
        }
    }
}

#[test]
fn numpy_arrays_of_every_type_and_order_are_read() {
    assert_read(|i| f64::from(i) - 7.5, |i| f64::from(i) - 7.5);
    assert_read(|i| f32::from(i) - 7.5, |i| f64::from(i) - 7.5);
    assert_read(|i| i as i8 - 7, |i| f64::from(i) - 7.0);
    assert_read(|i| i16::from(i) - 700, |i| f64::from(i) - 700.0);
    assert_read(|i| i32::from(i) - 70_000, |i| f64::from(i) - 70_000.0);
    assert_read(|i| i64::from(i) - (1 << 40), |i| f64::from(i) - f64::powi(2.0, 40));
    assert_read(|i| i + 200, |i| f64::from(i) + 200.0);
    assert_read(|i| u16::from(i) + 60_000, |i| f64::from(i) + 60_000.0);
    assert_read(|i| u32::from(i) + (1 << 31), |i| f64::from(i) + f64::powi(2.0, 31));
    assert_read(|i| u64::from(i) + (1 << 40), |i| f64::from(i) + f64::powi(2.0, 40));
}

#[test]
fn numpy_vectors_are_one_column_and_nan_is_missing() {
    let mut bytes = Vec::new();
    Array1::from_vec(vec![1.0, f64::NAN, f64::INFINITY]).write_npy(&mut bytes).unwrap();
    let cells = together(&Folder::with("x.npy", bytes).batches(&ReadOptions::default()).unwrap());
    assert_eq!(columns(&cells), [[Some(1.0), None, Some(f64::INFINITY)]]);
    let bytes = npy(&Array2::from_elem((2, 1), true));
    let cells = together(&Folder::with("x.npy", bytes).batches(&ReadOptions::default()).unwrap());
    assert_eq!(cells.column(0).as_boolean(), &BooleanArray::from(vec![true, true]));
}

/// An archive of rows, labels and something else.
pub(super) fn npz_bytes() -> Vec<u8> {
    let mut writer = NpzWriter::new_compressed(Cursor::new(Vec::new()));
    writer.add_array("other", &Array1::<f64>::zeros(9)).unwrap();
    writer.add_array("y", &Array1::from_vec(vec![0u8, 1, 0])).unwrap();
    writer.add_array("X", &Array2::from_shape_fn((3, 2), |(i, j)| (2 * i + j) as f32)).unwrap();
    writer.finish().unwrap().into_inner()
}

#[test]
fn numpy_archives_give_rows_and_labels() {
    let file = Folder::with("data.npz", npz_bytes());
    let cells = together(&file.batches(&in_batches_of(2)).unwrap());
    let names: Vec<_> = cells.schema().fields().iter().map(|f| f.name().clone()).collect();
    assert_eq!(names, ["column_1", "column_2", "y"]);
    assert_eq!(
        columns(&cells),
        [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0], [0.0, 1.0, 0.0]].map(|column| column.map(Some))
    );
    assert_eq!(cells.column(0).null_count(), 0);
}
