//! Every message of the reading half, in full.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, Date64Array, Float64Array, Int64Array, RecordBatch, StringArray,
};
use ndarray::{Array1, Array2, Array3};
use ndarray_npy::{NpzWriter, WriteNpyExt};
use sosrep_table::{ColumnKind, Input, ReadOptions, open, read_all};

use super::Folder;
use super::formats::parquet_bytes;

#[track_caller]
fn refused(name: &str, content: impl AsRef<[u8]>, message: &str) {
    assert_eq!(Folder::with(name, content).error(&ReadOptions::default()), message);
}

fn wanting(column: &str, kind: ColumnKind) -> ReadOptions {
    let kinds = HashMap::from([(column.to_string(), kind)]);
    ReadOptions { kinds, ..ReadOptions::default() }
}

#[test]
fn a_file_that_is_not_there() {
    let missing = Input::Path("no/such/file.csv".into());
    let error = open(&missing, &ReadOptions::default()).err().unwrap().to_string();
    assert_eq!(error, "cannot read no/such/file.csv: there is no such file or folder");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_path_buf();
    let error = open(&Input::Path(path.clone()), &ReadOptions::default()).err().unwrap();
    let expected = format!("cannot read {}: it is a folder; give a file", path.display());
    assert_eq!(error.to_string(), expected);
}

#[test]
fn nothing_in_it() {
    let empty = "data.csv: the file is empty; give a table with at least one row";
    refused("data.csv", "", empty);
    refused("data.csv", "\n\r\n", empty);
    refused("data.csv", "\u{feff}", empty);
    let no_rows = "data.csv: there are columns but no rows; give at least one row";
    refused("data.csv", "a,b\n", no_rows);
    refused("data.csv", "a,b", no_rows);
}

#[test]
fn names_that_do_not_name() {
    refused(
        "data.csv",
        b"a,caf\xe9,c\n1,2,3\n",
        "data.csv, line 1: the name of column 2 has the bytes E9, which are not UTF-8; save the \
         file as UTF-8",
    );
}

#[test]
fn rows_that_do_not_fit() {
    refused(
        "data.csv",
        "a,b,c\n1,2,3\n\n4,5\n",
        "data.csv, line 4: found 2 cells, expected 3; add or remove cells, or put quotes around a \
         cell that contains the delimiter",
    );
    let unclosed = "a quote opens here and is never closed; close it, or write a quote inside a \
                    cell twice";
    refused("data.csv", "a,b\n1,\"x\n2,y\n", &format!("data.csv, line 2: {unclosed}"));
    refused("data.csv", "a,b\n\"1\n\",\"x", &format!("data.csv, line 3: {unclosed}"));
    refused("data.csv", "a,\"b\n1,2\n", &format!("data.csv, line 1: {unclosed}"));
    refused("data.csv", "a,b\r\n1,2\r\n3,\"\r\n", &format!("data.csv, line 3: {unclosed}"));
    let endless = "a,b\n1,\"".to_string() + &"x".repeat(65 << 20);
    refused(
        "data.csv",
        endless,
        "data.csv, line 2: the row is longer than 64 MB; look for a quote that is not closed",
    );
}

#[test]
fn a_quote_that_is_closed_at_the_end_of_the_file_is_closed() {
    for text in ["a,b\n1,\"x\"", "a,b\n1,\"x\ny\"\n", "a,b\n1,\"x\"\"\"", "a,b\n1,5\" pipe"] {
        let file = Folder::with("data.csv", text);
        assert_eq!(file.batches(&ReadOptions::default()).unwrap()[0].rows(), 1, "{text:?}");
    }
}

#[test]
fn cells_that_are_not_what_their_column_is() {
    let numbers = "7\n".repeat(15);
    let rest = |column: &str| {
        format!(
            "is not a number, unlike the rest of the column; CorrectCell, or DropColumn({column:?})"
        )
    };
    refused(
        "data.csv",
        format!("age\n{numbers}abc\n"),
        &format!("data.csv, line 17, column \"age\": \"abc\" {}", rest("age")),
    );
    refused(
        "data.csv",
        format!("age\n{numbers}{}\n", "\u{7}é".repeat(30)),
        &format!(
            "data.csv, line 17, column \"age\": \"{}…\" {}",
            "\\u{7}é".repeat(20),
            rest("age")
        ),
    );
    let file = Folder::with("data.csv", "a\none\ntrue\n");
    assert_eq!(
        file.error(&wanting("a", ColumnKind::Number)),
        format!("data.csv, line 2, column \"a\": \"one\" {}", rest("a"))
    );
    assert_eq!(
        file.error(&wanting("a", ColumnKind::Boolean)),
        "data.csv, line 2, column \"a\": \"one\" is neither true nor false, unlike the rest of the \
         column; CorrectCell, or DropColumn(\"a\")"
    );
}

#[test]
fn text_in_another_encoding() {
    refused(
        "data.csv",
        b"n,drink\n1,tea\n2,caf\xe9 au lait\n",
        "data.csv, line 3, column \"drink\": the bytes E9 20 61 75 are not UTF-8; save the file as \
         UTF-8",
    );
    let mut bytes = b"n\n".to_vec();
    bytes.extend("1\n".repeat(12).bytes());
    bytes.extend(b"\xa01\n");
    refused(
        "data.csv",
        bytes,
        "data.csv, line 14, column \"n\": the bytes A0 31 are not UTF-8; save the file as UTF-8",
    );
    refused(
        "data.csv",
        b"\xff\xfea\0,\0b\0",
        "data.csv, line 1: the bytes FF FE mark UTF-16 text; save the file as UTF-8",
    );
    refused(
        "data.csv",
        b"a\0,\0b\0",
        "data.csv: byte 2 is zero, so this is not a text file; give CSV or JSON saved as UTF-8, Parquet, \
         Arrow or NumPy",
    );
}

#[test]
fn formats_that_are_not_read() {
    refused(
        "data.xlsx",
        b"PK\x03\x04....",
        "data.xlsx: this is a spreadsheet, which cannot be read here; save the sheet as CSV",
    );
    refused(
        "data.csv",
        b"BZh91AY",
        "data.csv: this is a bzip2 file, which cannot be read here; decompress it first",
    );
    refused(
        "data.parquet",
        "a,b\n1,2\n",
        "data.parquet: the name says Parquet, the content is not Parquet; check or rename the file",
    );
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
    encoder.write_all(b"PAR1....PAR1").unwrap();
    refused(
        "data.parquet.gz",
        encoder.finish().unwrap(),
        "data.parquet.gz: this is Parquet compressed by gzip, and only CSV and JSON are read compressed; \
         decompress it first",
    );
}

#[test]
fn columns_that_cannot_be_cells() {
    let binary: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"x", b"y"]));
    let words: ArrayRef = Arc::new(StringArray::from(vec!["1", "one"]));
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let late: ArrayRef = Arc::new(Date64Array::from(vec![0, i64::MAX]));
    let table = [("blob", binary), ("word", words), ("n", numbers), ("late", late)];
    let bytes = parquet_bytes(&RecordBatch::try_from_iter(table).unwrap());
    let file = Folder::with("data.parquet", bytes);
    assert_eq!(
        file.error(&ReadOptions::default()),
        "data.parquet, column \"blob\": the type Binary is neither number, boolean, text nor date; \
         ConvertColumn, or DropColumn(\"blob\")"
    );
    let error = |options: &ReadOptions, column: usize| {
        let mut source = open(&Input::Path(file.path()), options).unwrap();
        source.project(&[column]);
        file.refusal(read_all(source.as_mut(), &mut |_| true))
    };
    assert_eq!(
        error(&wanting("word", ColumnKind::Number), 1),
        "data.parquet, row 2, column \"word\": \"one\" is not a number, unlike the rest of the \
         column; CorrectCell, or DropColumn(\"word\")"
    );
    assert_eq!(
        error(&wanting("n", ColumnKind::Boolean), 2),
        "data.parquet, row 2, column \"n\": \"2\" is neither true nor false, unlike the rest of the \
         column; CorrectCell, or DropColumn(\"n\")"
    );
    assert_eq!(
        error(&ReadOptions::default(), 3),
        "data.parquet, row 2, column \"late\": \"9223372036854775807\" is not a date of the \
         calendar; CorrectCell, or DropColumn(\"late\")"
    );
}

#[test]
fn tables_without_rows() {
    let none: ArrayRef = Arc::new(Int64Array::from(Vec::<i64>::new()));
    let bytes = parquet_bytes(&RecordBatch::try_from_iter([("a", none)]).unwrap());
    let no_rows = "there are columns but no rows; give at least one row";
    refused("data.parquet", bytes, &format!("data.parquet: {no_rows}"));
    refused("x.npy", npy(&Array2::<f64>::zeros((0, 3))), &format!("x.npy: {no_rows}"));
    let no_columns = "x.npy: there are no columns; give at least one";
    refused("x.npy", npy(&Array2::<f64>::zeros((3, 0))), no_columns);
}

fn npy(array: &impl WriteNpyExt) -> Vec<u8> {
    let mut bytes = Vec::new();
    array.write_npy(&mut bytes).unwrap();
    bytes
}

#[test]
fn arrays_that_are_not_tables() {
    refused(
        "x.npy",
        npy(&Array3::<f64>::zeros((2, 2, 2))),
        "x.npy: the array of rows has 3 dimensions; give a matrix, or a vector for one column",
    );
    let float = npy(&Array1::<f64>::zeros(2));
    let retyped = |descriptor: &[u8; 3]| {
        let mut bytes = float.clone();
        let start = bytes.windows(3).position(|window| window == b"<f8").unwrap();
        bytes[start..start + 3].copy_from_slice(descriptor);
        bytes
    };
    let rest = "not little-endian numbers or booleans; save it as float64, for example by \
                x.astype(\"<f8\")";
    refused(
        "x.npy",
        retyped(b">f8"),
        &format!("x.npy: the array holds elements of type >f8, {rest}"),
    );
    refused(
        "x.npy",
        retyped(b"|O8"),
        &format!("x.npy: the array holds elements of type |O8, {rest}"),
    );
    refused(
        "x.npy",
        with_header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"),
        &format!("x.npy: the array holds Python objects |O, {rest}"),
    );
    refused(
        "x.npy",
        with_header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }"),
        &format!("x.npy: the array holds [('a', '<f8')], {rest}"),
    );
}

fn with_header(header: &str) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes
}

#[test]
fn archives_that_are_not_tables() {
    let archive = |arrays: &[(&str, Array2<f64>)]| {
        let mut writer = NpzWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, array) in arrays {
            writer.add_array(*name, array).unwrap();
        }
        writer.finish().unwrap().into_inner()
    };
    refused(
        "x.npz",
        archive(&[("train", Array2::zeros((2, 2))), ("test", Array2::zeros((2, 2)))]),
        "x.npz: there is no array \"X\", only [\"test\", \"train\"]; save the rows under that name, \
         for example by np.savez(path, X=x)",
    );
    refused(
        "x.npz",
        archive(&[("X", Array2::zeros((2, 2))), ("y", Array2::zeros((2, 1)))]),
        "x.npz: the array of labels has 2 dimensions; give a vector",
    );
    let mut writer = NpzWriter::new_compressed(std::io::Cursor::new(Vec::new()));
    writer.add_array("X", &Array2::<f32>::zeros((3, 2))).unwrap();
    writer.add_array("y", &Array1::<u8>::zeros(2)).unwrap();
    refused(
        "x.npz",
        writer.finish().unwrap().into_inner(),
        "x.npz: \"X\" has 3 rows and \"y\" has 2 values; give one per row",
    );
}
