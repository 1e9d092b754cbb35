//! Arrow IPC, not compressed: the file, also known as Feather, and the stream.

use std::io;

use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, Schema};

use super::Sink;
use super::stream::{Stream, write_error};
use crate::error::Result;

/// An Arrow file being written.
pub(super) struct IpcSink {
    name: String,
    writer: FileWriter<Stream>,
}

impl IpcSink {
    /// Begins the file.
    pub(super) fn new(stream: Stream, schema: &Schema) -> Result<Self> {
        let name = stream.name().to_string();
        let writer = FileWriter::try_new(stream, schema)
            .map_err(|error| write_error(&name, io_error(error)))?;
        Ok(Self { name, writer })
    }
}

impl Sink for IpcSink {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.writer.write(batch).map_err(|error| write_error(&self.name, io_error(error)))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let stream = self.writer.into_inner();
        stream.map_err(|error| write_error(&self.name, io_error(error)))?.finish()
    }
}

/// An Arrow stream being written.
pub(super) struct IpcStreamSink {
    name: String,
    writer: StreamWriter<Stream>,
}

impl IpcStreamSink {
    /// Begins the stream.
    pub(super) fn new(stream: Stream, schema: &Schema) -> Result<Self> {
        let name = stream.name().to_string();
        let writer = StreamWriter::try_new(stream, schema)
            .map_err(|error| write_error(&name, io_error(error)))?;
        Ok(Self { name, writer })
    }
}

impl Sink for IpcStreamSink {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.writer.write(batch).map_err(|error| write_error(&self.name, io_error(error)))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let stream = self.writer.into_inner();
        stream.map_err(|error| write_error(&self.name, io_error(error)))?.finish()
    }
}

/// The system's error in one of the Arrow writer, which wraps it.
fn io_error(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}
