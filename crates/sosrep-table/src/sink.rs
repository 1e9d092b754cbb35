//! Writing: batches of rows to a file, in the format its name ends in, or to standard output.
//!
//! ```text
//! .csv  .csv.gz  .csv.zst  .tsv     a null is an empty cell, and so is an empty text
//! .json  .jsonl  .ndjson            NaN and infinities have no form in JSON: they become null
//! .parquet  .arrow  .feather  .ipc  as they are
//! ```
//!
//! Columns are `Float64`, `Int64`, `UInt64`, `Boolean` or `Utf8`. Numbers are written in the
//! shortest form that reads back to the same bits. Rows are written as they come: memory is that of
//! a batch, for Parquet of a row group. The file appears under its name when finished, see
//! [`atomic`](crate::atomic). Standard output, a device and a pipe without such a name get CSV.

mod columns;
mod csv;
mod format;
mod harmless;
mod ipc;
mod json;
mod parquet;
mod stream;

use std::convert::Infallible;
use std::ffi::OsString;
use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use self::csv::CsvSink;
use self::parquet::ParquetSink;
use crate::error::Result;
use columns::expect_supported;
pub use format::{Format, UnknownFormat};
use ipc::{IpcSink, IpcStreamSink};
use json::JsonSink;
use stream::Stream;

/// Where a table goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// A file.
    Path(PathBuf),
    /// Standard output.
    Stdout,
}

impl Output {
    /// An error unless the format is known, to be found out before any work is done.
    ///
    /// # Errors
    /// [`Error::UnknownEnding`](crate::Error::UnknownEnding).
    pub fn check(&self) -> Result<()> {
        Format::of(self).map(|_| ())
    }
}

impl From<OsString> for Output {
    /// A path; `-` is standard output.
    fn from(text: OsString) -> Self {
        if text == "-" { Self::Stdout } else { Self::Path(text.into()) }
    }
}

impl FromStr for Output {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(OsString::from(text).into())
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(f),
            Self::Stdout => f.write_str("standard output"),
        }
    }
}

/// A table being written.
///
/// Dropped before it is finished, it leaves no file and a file that was there as it was.
pub trait Sink: Send {
    /// Writes some rows.
    ///
    /// # Errors
    /// [`Error::Write`](crate::Error::Write), with the system's error as its source.
    fn write(&mut self, batch: &RecordBatch) -> Result<()>;

    /// Writes what is left and puts the file in its place.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Begins to write a table.
///
/// # Errors
/// [`Error::UnknownEnding`](crate::Error::UnknownEnding),
/// [`Error::UnsupportedColumn`](crate::Error::UnsupportedColumn), and those of
/// [`AtomicFile::create`](crate::AtomicFile::create).
pub fn create(output: &Output, schema: SchemaRef) -> Result<Box<dyn Sink>> {
    open(output, None)?.start(schema)
}

/// Begins to write a table to a writer; compressed formats are written without compression.
///
/// # Errors
/// [`Error::UnsupportedColumn`](crate::Error::UnsupportedColumn).
pub fn to_writer(
    name: &str,
    writer: Box<dyn Write + Send>,
    format: Format,
    schema: SchemaRef,
) -> Result<Box<dyn Sink>> {
    Opened { stream: Stream::of_writer(name, writer), format, spreadsheet_safe: false }
        .start(schema)
}

/// An output that can be written to, before it is known which columns it gets.
pub struct Opened {
    stream: Stream,
    format: Format,
    spreadsheet_safe: bool,
}

/// Opens an output, in the format given or else in that of its name.
///
/// # Errors
/// [`Error::UnknownEnding`](crate::Error::UnknownEnding), and those of
/// [`AtomicFile::create`](crate::AtomicFile::create).
pub fn open(output: &Output, format: Option<Format>) -> Result<Opened> {
    let format = format.map_or_else(|| Format::of(output), Ok)?;
    Ok(Opened { stream: Stream::create(output, format)?, format, spreadsheet_safe: false })
}

impl Opened {
    /// Whether texts in CSV that a spreadsheet would take for formulas get an apostrophe before them.
    /// Default: no, cells are written as they are.
    pub fn spreadsheet_safe(mut self, safe: bool) -> Self {
        self.spreadsheet_safe = safe;
        self
    }

    /// Begins the table.
    ///
    /// # Errors
    /// [`Error::UnsupportedColumn`](crate::Error::UnsupportedColumn).
    pub fn start(self, schema: SchemaRef) -> Result<Box<dyn Sink>> {
        let Self { stream, format, spreadsheet_safe: safe } = self;
        expect_supported(stream.name(), &schema)?;
        Ok(match format {
            Format::Csv | Format::CsvGzip | Format::CsvZstd => {
                Box::new(CsvSink::new(stream, b',', &schema, safe))
            }
            Format::Tsv => Box::new(CsvSink::new(stream, b'\t', &schema, safe)),
            Format::Json => Box::new(JsonSink::new(stream, json::Form::Array, &schema)?),
            Format::JsonLines => Box::new(JsonSink::new(stream, json::Form::Lines, &schema)?),
            Format::Parquet => Box::new(ParquetSink::new(stream, schema)?),
            Format::Ipc => Box::new(IpcSink::new(stream, &schema)?),
            Format::IpcStream => Box::new(IpcStreamSink::new(stream, &schema)?),
        })
    }
}

#[cfg(test)]
mod tests;
