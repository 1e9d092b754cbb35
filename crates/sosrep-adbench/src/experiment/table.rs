//! The CSV file of an experiment, written whole.

use std::path::Path;

use serde::Serialize;
use sosrep_table::write_atomically;

use crate::error::Result;

/// Writes all rows at once.
pub(crate) fn write<T: Serialize>(path: &Path, rows: &[T]) -> Result<()> {
    let failed = |source| sosrep_table::Error::Write { file: path.display().to_string(), source };
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(|error| failed(error.into()))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.into_error()))?;
    Ok(write_atomically(path, &bytes)?)
}
