//! A split as files that programs in other languages read: an NPZ archive and a line of JSON.
//!
//! The archive holds `X_train`, `y_train`, `X_test` and `y_test`, all `float64`, not compressed:
//! `numpy.load` reads it. The line stands in a file of the same name with the ending `.json` and
//! says what the split is and which archive it belongs to. Each file appears whole or not at all,
//! the archive first; the checksum in the line tells an archive from the one written before it.
//! Equal splits give equal bytes. The archive is put together in memory.

mod npy;

use std::io::{self, Cursor, Write};
use std::path::Path;

use serde::Serialize;
use sosrep_table::write_atomically;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::checksum;
use crate::error::Result;
use crate::protocol::{Origin, Part, Split};

/// What an exported split is: one line of JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// What the split was made from.
    #[serde(flatten)]
    pub origin: Origin,
    /// Columns, the irrelevant ones included.
    pub columns: usize,
    /// Irrelevant columns, the last.
    pub irrelevant_columns: usize,
    /// Rows for training.
    pub train_rows: usize,
    /// Anomalies among them.
    pub train_anomalies: usize,
    /// Rows for testing.
    pub test_rows: usize,
    /// Anomalies among them.
    pub test_anomalies: usize,
    /// SHA-256 of the archive.
    pub split_sha256: String,
    /// This library and its version.
    pub library: &'static str,
}

impl Description {
    fn of(split: &Split, archive: &[u8]) -> Self {
        Self {
            origin: split.origin.clone(),
            columns: split.columns,
            irrelevant_columns: split.irrelevant_columns,
            train_rows: split.train.rows.len(),
            train_anomalies: split.train.anomalies(),
            test_rows: split.test.rows.len(),
            test_anomalies: split.test.anomalies(),
            split_sha256: checksum::of_bytes(archive),
            library: concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")),
        }
    }
}

/// Writes a split to `path`, which must end in `.npz`, and its description beside it.
///
/// # Errors
/// [`Error::Table`](crate::Error::Table) for a path of another ending or one that cannot be
/// written.
pub fn export(split: &Split, path: impl AsRef<Path>) -> Result<Description> {
    let path = path.as_ref();
    let file = || path.display().to_string();
    if path.extension().is_none_or(|ending| ending != "npz") {
        let (file, endings) = (file(), ".npz".to_string());
        return Err(sosrep_table::Error::UnknownEnding { file, endings }.into());
    }
    let failed = |source| sosrep_table::Error::Write { file: file(), source };
    let archive = archive(split).map_err(failed)?;
    let description = Description::of(split, &archive);
    let mut line = serde_json::to_vec(&description).map_err(|error| failed(error.into()))?;
    line.push(b'\n');
    write_atomically(path, &archive)?;
    write_atomically(path.with_extension("json"), &line)?;
    Ok(description)
}

/// The bytes of the archive.
fn archive(split: &Split) -> io::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in [("train", &split.train), ("test", &split.test)] {
        let Part { values, labels, .. } = part;
        let labels: Vec<f64> = labels.iter().map(|&anomaly| f64::from(u8::from(anomaly))).collect();
        zip.start_file(format!("X_{name}.npy"), options())?;
        zip.write_all(&npy::matrix(values, split.columns))?;
        zip.start_file(format!("y_{name}.npy"), options())?;
        zip.write_all(&npy::vector(&labels))?;
    }
    Ok(zip.finish()?.into_inner())
}

/// No compression, and no time, which would make equal splits differ.
fn options() -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
}
