//! Files that are cut short, altered or made to deceive: an error, never a panic, never a wrong
//! table where it can be told.

use std::io::Write;
use std::panic;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use sosrep_table::{Error, FileProblem, ReadOptions, Result};

use super::formats::{ipc_bytes, mixed, npz_bytes, parquet_bytes, stream_bytes};
use super::{Folder, in_batches_of, together};

fn read(name: &str, bytes: &[u8]) -> Result<RecordBatch> {
    Folder::with(name, bytes).batches(&in_batches_of(2)).map(|batches| together(&batches))
}

/// Reads every proper beginning of the file and gives those that are tables.
fn beginnings(name: &str, bytes: &[u8]) -> Vec<(usize, RecordBatch)> {
    let read = |length: usize| {
        let outcome = panic::catch_unwind(|| read(name, &bytes[..length]));
        let outcome = outcome.unwrap_or_else(|_| panic!("{name} cut at {length} panics"));
        outcome.ok().map(|table| (length, table))
    };
    (0..bytes.len()).filter_map(read).collect()
}

#[test]
fn no_beginning_of_a_binary_file_is_a_table() {
    let (table, _) = mixed();
    for (name, bytes) in [
        ("data.parquet", parquet_bytes(&table)),
        ("data.arrow", ipc_bytes(&table)),
        ("data.npz", npz_bytes()),
    ] {
        assert!(read(name, &bytes).is_ok());
        let read: Vec<usize> = beginnings(name, &bytes).iter().map(|(length, _)| *length).collect();
        assert_eq!(read, [0; 0], "{name}");
    }
}

#[test]
fn a_stream_cut_between_messages_is_a_shorter_table() {
    let (table, _) = mixed();
    let bytes = stream_bytes(&table);
    let whole = read("data.arrows", &bytes).unwrap();
    let shorter = beginnings("data.arrows", &bytes);
    assert!(!shorter.is_empty());
    for (length, table) in shorter {
        assert_eq!(table, whole.slice(0, table.num_rows()), "cut at {length}");
    }
}

#[test]
fn no_beginning_of_a_compressed_file_is_a_table() {
    let (_, text) = mixed();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
    encoder.write_all(text.as_bytes()).unwrap();
    let gzip = encoder.finish().unwrap();
    let zstandard = zstd::encode_all(text.as_bytes(), 3).unwrap();
    for (name, bytes) in [("data.csv.gz", gzip), ("data.csv.zst", zstandard)] {
        assert!(read(name, &bytes).is_ok());
        assert!(beginnings(name, &bytes).is_empty(), "{name}");
        let error = read(name, &bytes[..bytes.len() - 1]).unwrap_err();
        assert!(
            matches!(error, Error::File { problem: FileProblem::Damaged { .. }, .. }),
            "{error}"
        );
    }
}

#[test]
fn a_beginning_of_a_text_file_is_an_error_or_a_shorter_table() {
    let (_, text) = mixed();
    let whole = read("data.csv", text.as_bytes()).unwrap();
    for (length, table) in beginnings("data.csv", text.as_bytes()) {
        let complete = table.num_rows() - 1;
        assert!(table.num_rows() <= whole.num_rows(), "cut at {length}");
        // The last row may have lost the end of its last cell, and with it the kind of a column.
        assert_eq!(
            table.column(0).slice(0, complete).as_ref(),
            whole.column(0).slice(0, complete).as_ref(),
            "cut at {length}"
        );
    }
}

#[test]
fn a_changed_byte_is_never_a_panic() {
    let (table, text) = mixed();
    for (name, bytes) in [
        ("data.parquet", parquet_bytes(&table)),
        ("data.arrow", ipc_bytes(&table)),
        ("data.arrows", stream_bytes(&table)),
        ("data.npz", npz_bytes()),
        ("data.csv", text.as_bytes().to_vec()),
    ] {
        for position in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[position] ^= [0x01, 0x80, 0xff][position % 3];
            let outcome = panic::catch_unwind(|| read(name, &altered).is_ok());
            assert!(outcome.is_ok(), "{name}, byte {position}");
        }
    }
}

fn with_header(version: u8, length: &[u8], header: &str, data: &[u8]) -> Vec<u8> {
    [b"\x93NUMPY", &[version, 0][..], length, header.as_bytes(), data].concat()
}

#[test]
fn a_numpy_header_is_not_believed() {
    let header =
        |shape: &str| format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}");
    let file = |shape: &str| {
        let header = header(shape);
        with_header(1, &(header.len() as u16).to_le_bytes(), &header, &[0; 16])
    };
    assert_eq!(read("x.npy", &file("(2,)")).unwrap().num_rows(), 2);
    assert_eq!(read("x.npy", &file("(1, 2)")).unwrap().num_columns(), 2);
    for shape in [
        "(3,)",
        "(1,)",
        "(1099511627776,)",
        "(4611686018427387904, 4)",
        "(18446744073709551615, 18446744073709551615)",
        "(99999999999999999999999,)",
        "(-2,)",
        "(2",
        "2",
        "((((((((2))))))))",
        "()",
    ] {
        let error = Folder::with("x.npy", file(shape)).error(&ReadOptions::default());
        assert!(error.starts_with("x.npy: "), "{shape}: {error}");
    }
    assert_eq!(
        Folder::with("x.npy", file("(1099511627776,)")).error(&ReadOptions::default()),
        "x.npy: not readable as NPY, the file may be damaged or cut short: 16 bytes of data are \
         not 1099511627776 rows of 1 columns"
    );
    let long = with_header(2, &u32::MAX.to_le_bytes(), &header("(2,)"), &[0; 16]);
    assert_eq!(
        Folder::with("x.npy", long).error(&ReadOptions::default()),
        "x.npy: not readable as NPY, the file may be damaged or cut short: the header has \
         4294967295 bytes"
    );
    let short = with_header(1, &9_000u16.to_le_bytes(), &header("(2,)"), &[]);
    assert!(read("x.npy", &short).is_err());
    assert!(read("x.npy", &with_header(9, &[0; 4], "", &[])).is_err());
}

#[test]
fn an_archive_whose_checksum_is_wrong_is_damaged() {
    let mut bytes = npz_bytes();
    let name = bytes.windows(5).position(|window| window == b"X.npy").unwrap();
    // The checksum stands 16 bytes before the name in the header of a zip entry.
    let directory = bytes.windows(5).rposition(|window| window == b"X.npy").unwrap();
    assert_ne!(name, directory);
    bytes[directory - 46 + 16] ^= 1;
    let error = Folder::with("data.npz", bytes).error(&ReadOptions::default());
    assert!(error.starts_with("data.npz: not readable as NP"), "{error}");
}

/// Inputs of less than 2 kB that made decoders ask for 35 GB and 12 PB, or read on for minutes.
#[test]
fn files_made_to_exhaust_memory_or_time_are_refused() {
    let start = Instant::now();
    for (name, bytes) in [
        ("oom_35GB.arrows", &include_bytes!("../hostile/oom_35GB.arrows")[..]),
        ("oom_12PB.arrows", include_bytes!("../hostile/oom_12PB.arrows")),
        ("hang.parquet", include_bytes!("../hostile/hang.parquet")),
        ("hang2.parquet", include_bytes!("../hostile/hang2.parquet")),
    ] {
        let error = Folder::with(name, bytes).error(&ReadOptions::default());
        assert!(error.starts_with(&format!("{name}: not readable as ")), "{error}");
    }
    // They took minutes; a busy machine is allowed some seconds.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn a_piece_that_needs_more_memory_than_allowed_is_refused_and_others_are_read() {
    let (table, _) = mixed();
    for (name, bytes) in [
        ("data.parquet", parquet_bytes(&table)),
        ("data.arrow", ipc_bytes(&table)),
        ("data.arrows", stream_bytes(&table)),
    ] {
        let folder = Folder::with(name, bytes);
        let allowed = |memory| ReadOptions { memory, ..ReadOptions::default() };
        assert!(folder.batches(&allowed(4096)).is_ok(), "{name}");
        let error = folder.error(&allowed(4));
        assert!(error.contains("claims"), "{error}");
    }
}

#[test]
fn a_parquet_file_of_more_rows_than_its_bytes_can_hold_is_refused() {
    let constant = |rows: usize| {
        let column: ArrayRef = Arc::new(Float64Array::from(vec![1.5; rows]));
        let table = RecordBatch::try_from_iter([("x", column)]).unwrap();
        // One page, as no writer makes it unless asked.
        let properties = WriterProperties::builder()
            .set_max_row_group_row_count(Some(usize::MAX))
            .set_data_page_row_count_limit(usize::MAX)
            .build();
        let mut writer =
            ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties)).unwrap();
        writer.write(&table).unwrap();
        writer.into_inner().unwrap()
    };
    assert_eq!(read("data.parquet", &constant(200_000)).unwrap().num_rows(), 200_000);
    let error = Folder::with("data.parquet", constant(20_000_000)).error(&ReadOptions::default());
    assert!(error.contains("claims 20000000 rows in"), "{error}");
}
