//! Arrow's own formats: the file, also known as Feather version 2, and the stream.
//!
//! All columns are decoded, since a stream tells its columns only once; those not asked for are
//! then let go. A stream that is cut between two messages is a shorter stream: its end need not be
//! marked.

use std::fs::File;
use std::io::{BufReader, Read};

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};

use super::arrow_source::{Rows, damaged};
use super::format::Format;
use super::origin::Meter;
use crate::error::FileProblem;

struct FileRows {
    reader: FileReader<BufReader<File>>,
    batches_read: usize,
}

/// Reads the footer of a file.
///
/// # Errors
/// [`FileProblem::Damaged`].
pub(crate) fn open_file(file: File) -> Result<Box<dyn Rows>, FileProblem> {
    let reader = FileReader::try_new_buffered(file, None)
        .map_err(|error| damaged(Format::ArrowFile, error))?;
    Ok(Box::new(FileRows { reader, batches_read: 0 }))
}

impl Rows for FileRows {
    fn schema(&self) -> SchemaRef {
        self.reader.schema()
    }

    fn next(&mut self, columns: &[usize]) -> Result<Option<RecordBatch>, FileProblem> {
        self.batches_read += 1;
        selected(self.reader.next(), columns).map_err(|error| damaged(Format::ArrowFile, error))
    }

    fn progress(&self) -> Option<f64> {
        let batches = self.reader.num_batches().max(1);
        Some((self.batches_read as f64 / batches as f64).min(1.0))
    }
}

struct StreamRows {
    reader: StreamReader<BufReader<Box<dyn Read + Send>>>,
    meter: Meter,
}

/// Reads the first message of a stream.
///
/// # Errors
/// [`FileProblem::Damaged`].
pub(crate) fn open_stream(
    stream: Box<dyn Read + Send>,
    meter: Meter,
) -> Result<Box<dyn Rows>, FileProblem> {
    let reader = StreamReader::try_new_buffered(stream, None)
        .map_err(|error| damaged(Format::ArrowStream, error))?;
    Ok(Box::new(StreamRows { reader, meter }))
}

impl Rows for StreamRows {
    fn schema(&self) -> SchemaRef {
        self.reader.schema()
    }

    fn next(&mut self, columns: &[usize]) -> Result<Option<RecordBatch>, FileProblem> {
        selected(self.reader.next(), columns).map_err(|error| damaged(Format::ArrowStream, error))
    }

    fn progress(&self) -> Option<f64> {
        self.meter.share()
    }
}

fn selected(
    next: Option<Result<RecordBatch, ArrowError>>,
    columns: &[usize],
) -> Result<Option<RecordBatch>, ArrowError> {
    next.map(|batch| batch?.project(columns)).transpose()
}
