//! Arrow's own formats: the file, also known as Feather version 2, and the stream.
//!
//! All columns are decoded, since a stream tells its columns only once; those not asked for are
//! then let go. A stream that is cut between two messages is a shorter stream: its end need not be
//! marked.
//!
//! Lengths are not believed where they would make room: the blocks of a file must lie in it, and a
//! stream is decoded as it arrives. The decoder does believe the sizes of compressed columns, so a
//! file made with intent can ask for more memory than there is.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::{FileReader, StreamDecoder, read_footer_length};
use arrow_ipc::{Block, root_as_footer};
use arrow_schema::{ArrowError, SchemaRef};

use super::arrow_source::{Rows, big_integers, damaged};
use super::format::Format;
use super::origin::Meter;
use crate::error::FileProblem;

/// Bytes of a stream decoded at a time.
const CHUNK: u64 = 1 << 16;

struct FileRows {
    reader: FileReader<BufReader<File>>,
    batches_read: usize,
    /// The first batch, decoded in search of big integers.
    first: Option<RecordBatch>,
}

/// Reads the footer of a file.
///
/// # Errors
/// [`FileProblem::Damaged`].
pub(crate) fn open_file(mut file: File) -> Result<Box<dyn Rows>, FileProblem> {
    let failed = |error: ArrowError| damaged(Format::ArrowFile, error);
    check_blocks(&mut file).map_err(failed)?;
    let reader = FileReader::try_new_buffered(file, None).map_err(failed)?;
    Ok(Box::new(FileRows { reader, batches_read: 0, first: None }))
}

/// An error unless all blocks named in the footer lie in the file.
fn check_blocks(file: &mut File) -> Result<(), ArrowError> {
    const TRAILER: u64 = 10;
    let outside = || ArrowError::IpcError("a part of it lies outside the file".to_string());
    let size = file.metadata()?.len();
    let mut trailer = [0; TRAILER as usize];
    file.seek(SeekFrom::Start(size.checked_sub(TRAILER).ok_or_else(outside)?))?;
    file.read_exact(&mut trailer)?;
    let length = read_footer_length(trailer)? as u64;
    let start = size.checked_sub(TRAILER + length).ok_or_else(outside)?;
    let mut footer = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(length).read_to_end(&mut footer)?;
    let footer =
        root_as_footer(&footer).map_err(|error| ArrowError::IpcError(error.to_string()))?;
    let inside = |block: &Block| end(block).is_some_and(|end| end <= size);
    let lists = [footer.recordBatches(), footer.dictionaries()];
    if lists.into_iter().flatten().all(|blocks| blocks.iter().all(inside)) {
        Ok(())
    } else {
        Err(outside())
    }
}

/// Where a block ends; `None` if it is nowhere.
fn end(block: &Block) -> Option<u64> {
    let offset = u64::try_from(block.offset()).ok()?;
    let metadata = u64::try_from(block.metaDataLength()).ok()?;
    let body = u64::try_from(block.bodyLength()).ok()?;
    offset.checked_add(metadata)?.checked_add(body)
}

impl Rows for FileRows {
    fn schema(&self) -> SchemaRef {
        self.reader.schema()
    }

    fn next(&mut self, columns: &[usize]) -> Result<Option<RecordBatch>, FileProblem> {
        self.batches_read += 1;
        let next = self.first.take().map(Ok).or_else(|| self.reader.next());
        let batch = next.map(|batch| batch?.project(columns)).transpose();
        batch.map_err(|error| damaged(Format::ArrowFile, error))
    }

    fn big_integers(&mut self) -> Result<Vec<usize>, FileProblem> {
        let first = self.reader.next().transpose();
        self.first = first.map_err(|error| damaged(Format::ArrowFile, error))?;
        Ok(self.first.as_ref().map(big_integers).unwrap_or_default())
    }

    fn progress(&self) -> Option<f64> {
        let batches = self.reader.num_batches().max(1);
        Some((self.batches_read as f64 / batches as f64).min(1.0))
    }
}

struct StreamRows {
    stream: Box<dyn Read + Send>,
    meter: Meter,
    decoder: StreamDecoder,
    /// Bytes read and not yet decoded.
    chunk: Buffer,
    schema: SchemaRef,
    /// The batch decoded in search of the schema.
    first: Option<RecordBatch>,
}

/// Reads the beginning of a stream.
///
/// # Errors
/// [`FileProblem::Damaged`].
pub(crate) fn open_stream(
    stream: Box<dyn Read + Send>,
    meter: Meter,
) -> Result<Box<dyn Rows>, FileProblem> {
    let (decoder, chunk) = (StreamDecoder::new(), Buffer::from(&[]));
    let schema = SchemaRef::new(arrow_schema::Schema::empty());
    let mut rows = StreamRows { stream, meter, decoder, chunk, schema, first: None };
    rows.first = rows.decode().map_err(|error| damaged(Format::ArrowStream, error))?;
    match rows.decoder.schema() {
        Some(schema) => rows.schema = schema,
        None => return Err(damaged(Format::ArrowStream, "it does not say its columns")),
    }
    Ok(Box::new(rows))
}

impl StreamRows {
    /// The next batch; `None` at the end of the stream.
    fn decode(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            if self.chunk.is_empty() {
                let mut bytes = Vec::new();
                (&mut self.stream).take(CHUNK).read_to_end(&mut bytes)?;
                if bytes.is_empty() {
                    self.decoder.finish()?;
                    return Ok(None);
                }
                self.chunk = Buffer::from_vec(bytes);
            }
            if let Some(batch) = self.decoder.decode(&mut self.chunk)? {
                return Ok(Some(batch));
            }
        }
    }
}

impl Rows for StreamRows {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn next(&mut self, columns: &[usize]) -> Result<Option<RecordBatch>, FileProblem> {
        let next = self.first.take().map_or_else(|| self.decode(), |batch| Ok(Some(batch)));
        next.and_then(|batch| batch.map(|batch| batch.project(columns)).transpose())
            .map_err(|error| damaged(Format::ArrowStream, error))
    }

    fn big_integers(&mut self) -> Result<Vec<usize>, FileProblem> {
        Ok(self.first.as_ref().map(big_integers).unwrap_or_default())
    }

    fn progress(&self) -> Option<f64> {
        self.meter.share()
    }
}
