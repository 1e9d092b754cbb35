//! The formats a table can be written in: given by name, or known by how the name of a file ends.

use std::fs;
use std::path::Path;
use std::str::FromStr;

use super::Output;
use crate::error::{Error, Result};

/// A format, compression included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Text with commas.
    Csv,
    /// Text with commas, compressed by gzip.
    CsvGzip,
    /// Text with commas, compressed by Zstandard.
    CsvZstd,
    /// Text with tabulators.
    Tsv,
    /// Parquet.
    Parquet,
    /// Arrow's file, also known as Feather.
    Ipc,
    /// Arrow's stream, which needs no end to be read; no ending of a name stands for it.
    IpcStream,
    /// An array of objects.
    Json,
    /// An object a line.
    JsonLines,
}

/// A word that names no format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no format {0:?}")]
pub struct UnknownFormat(String);

impl Format {
    /// Names of formats and what they are.
    pub const NAMES: [(&str, &str); 6] = [
        ("csv", "text with commas"),
        ("tsv", "text with tabulators"),
        ("json", "an array of objects"),
        ("jsonl", "an object a line"),
        ("parquet", "Parquet"),
        ("arrow", "Arrow IPC, also known as Feather"),
    ];
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Ok(match name {
            "csv" => Self::Csv,
            "tsv" => Self::Tsv,
            "json" => Self::Json,
            "jsonl" => Self::JsonLines,
            "parquet" => Self::Parquet,
            "arrow" => Self::Ipc,
            other => return Err(UnknownFormat(other.to_string())),
        })
    }
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
