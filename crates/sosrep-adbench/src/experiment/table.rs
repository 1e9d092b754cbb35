//! The CSV files of an experiment: rows of numbers, written whole, and read where they are there.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sosrep_report::article::Table;
use sosrep_table::write_atomically;

use crate::error::Result;
use crate::log;

/// Writes all rows at once.
pub(super) fn write<T: Serialize>(path: &Path, rows: &[T]) -> Result<()> {
    let failed = |source| sosrep_table::Error::Write { file: path.display().to_string(), source };
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(|error| failed(error.into()))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.into_error()))?;
    Ok(write_atomically(path, &bytes)?)
}

/// The rows of a file; none if it is not there.
pub(super) fn read<T: Serialize + DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    if path.exists() { log::read(path) } else { Ok(Vec::new()) }
}

/// A table whose first `words` columns are words, the others numbers.
pub(super) fn summary(header: &[&str], words: usize, rows: Vec<Vec<String>>) -> Table {
    Table {
        header: header.iter().map(ToString::to_string).collect(),
        numeric: (0..header.len()).map(|column| column >= words).collect(),
        rows,
    }
}
