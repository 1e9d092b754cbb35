//! Parquet: compressed with Zstandard, in row groups that bound the memory.

use std::io;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::Sink;
use super::stream::{Stream, write_error};
use crate::error::Result;

/// Rows and bytes of a row group, which is held in memory until it is full.
const GROUP_ROWS: usize = 1 << 17;
const GROUP_BYTES: usize = 1 << 26;

/// A Parquet file being written.
pub(super) struct ParquetSink {
    name: String,
    writer: ArrowWriter<Stream>,
}

impl ParquetSink {
    /// Begins the file.
    pub(super) fn new(stream: Stream, schema: SchemaRef) -> Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_max_row_group_bytes(Some(GROUP_BYTES))
            .build();
        let name = stream.name().to_string();
        let writer = ArrowWriter::try_new(stream, schema, Some(properties))
            .map_err(|error| write_error(&name, io_error(error)))?;
        Ok(Self { name, writer })
    }
}

impl Sink for ParquetSink {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.writer.write(batch).map_err(|error| write_error(&self.name, io_error(error)))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let stream = self.writer.into_inner();
        stream.map_err(|error| write_error(&self.name, io_error(error)))?.finish()
    }
}

/// The system's error in one of the Parquet writer, which wraps it.
fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
