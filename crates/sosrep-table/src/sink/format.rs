//! The formats a table can be written in, known by how a name ends.

use std::fs;
use std::path::Path;

use super::Output;
use crate::error::{Error, Result};

/// A format, compression included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Csv,
    CsvGzip,
    CsvZstd,
    Tsv,
    Parquet,
    Ipc,
    Json,
    JsonLines,
}

/// The endings, as a message lists them.
const ENDINGS: [(&str, Format); 11] = [
    (".csv", Format::Csv),
    (".csv.gz", Format::CsvGzip),
    (".csv.zst", Format::CsvZstd),
    (".tsv", Format::Tsv),
    (".parquet", Format::Parquet),
    (".arrow", Format::Ipc),
    (".feather", Format::Ipc),
    (".ipc", Format::Ipc),
    (".json", Format::Json),
    (".jsonl", Format::JsonLines),
    (".ndjson", Format::JsonLines),
];

impl Format {
    /// The format the output's name asks for.
    pub(super) fn of(output: &Output) -> Result<Self> {
        let Output::Path(path) = output else { return Ok(Self::Csv) };
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let known = ENDINGS.iter().find(|(ending, _)| name.ends_with(ending));
        match known {
            Some((_, format)) => Ok(*format),
            None if is_special(path) => Ok(Self::Csv),
            None => {
                let endings = ENDINGS.map(|(ending, _)| ending).join(", ");
                Err(Error::UnknownEnding { file: output.to_string(), endings })
            }
        }
    }
}

/// Whether this is a device or a pipe, such as `/dev/stdout`: their names say nothing.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}
