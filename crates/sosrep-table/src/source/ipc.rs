//! Arrow's own formats: the file, also known as Feather version 2, and the stream.
//!
//! All columns are decoded, since a stream tells its columns only once; those not asked for are
//! then let go. A stream that is cut between two messages is a shorter stream: its end need not be
//! marked.
//!
//! Lengths are not believed where they would make room: the blocks of a file must lie in it, one
//! beside the other, messages of a stream are read as far as there are bytes, and what a batch claims
//! to become must be possible and within the memory for a piece of a table, see `ipc/claims.rs`.

mod claims;
mod messages;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::{FileReader, StreamDecoder, read_footer_length};
use arrow_ipc::{Block, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};

use super::arrow_source::{Rows, big_integers, damaged};
use super::format::Format;
use super::origin::Meter;
use crate::error::FileProblem;
use claims::{Claims, refused};
use messages::next_message;

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
pub(crate) fn open_file(mut file: File, memory: u64) -> Result<Box<dyn Rows>, FileProblem> {
    let failed = |error: ArrowError| damaged(Format::ArrowFile, error);
    check_blocks(&mut file, memory).map_err(failed)?;
    let reader = FileReader::try_new_buffered(file, None).map_err(failed)?;
    Ok(Box::new(FileRows { reader, batches_read: 0, first: None }))
}

/// An error unless all blocks named in the footer lie in the file, one beside the other, and can
/// be what they claim.
fn check_blocks(file: &mut File, memory: u64) -> Result<(), ArrowError> {
    const TRAILER: u64 = 10;
    let outside = || refused("a part of it lies outside the file");
    let size = file.metadata()?.len();
    let mut trailer = [0; TRAILER as usize];
    file.seek(SeekFrom::Start(size.checked_sub(TRAILER).ok_or_else(outside)?))?;
    file.read_exact(&mut trailer)?;
    let length = read_footer_length(trailer)? as u64;
    let start = size.checked_sub(TRAILER + length).ok_or_else(outside)?;
    let footer = read_at(file, start, length)?;
    let footer = root_as_footer(&footer).map_err(|error| refused(error.to_string()))?;
    let lists = [footer.recordBatches(), footer.dictionaries()];
    let mut blocks: Vec<Block> = lists.into_iter().flatten().flatten().copied().collect();
    blocks.sort_unstable_by_key(Block::offset);
    let mut free = 0;
    for block in &blocks {
        if u64::try_from(block.offset()).is_ok_and(|offset| offset < free) {
            return Err(refused("two parts of it overlap"));
        }
        free = end(block).filter(|end| *end <= size).ok_or_else(outside)?;
        check_block(file, block, memory)?;
    }
    Ok(())
}

/// An error unless the batch of a block can be what it claims.
fn check_block(file: &mut File, block: &Block, memory: u64) -> Result<(), ArrowError> {
    let (start, message_bytes) = (block.offset() as u64, block.metaDataLength() as u64);
    let (body, body_bytes) = (start + message_bytes, block.bodyLength() as u64);
    let bytes = read_at(file, start, message_bytes)?;
    // Before version 0.15 the length was not preceded by four bytes.
    let prefix = if bytes.starts_with(&[0xff; 4]) { 8 } else { 4 };
    let message = bytes.get(prefix..).unwrap_or_default();
    let message = root_as_message(message).map_err(|error| refused(error.to_string()))?;
    Claims { message, message_bytes, body_bytes, memory }.check(|at| {
        let mut eight = [0; 8];
        file.seek(SeekFrom::Start(body + at))?;
        file.read_exact(&mut eight).map(|()| eight)
    })
}

/// So many bytes from there on, or as many as there are.
fn read_at(file: &mut File, start: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
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
    /// The most bytes of a batch.
    memory: u64,
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
    memory: u64,
) -> Result<Box<dyn Rows>, FileProblem> {
    let decoder = StreamDecoder::new();
    let schema = SchemaRef::new(arrow_schema::Schema::empty());
    let mut rows = StreamRows { stream, meter, decoder, memory, schema, first: None };
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
        while let Some(message) = next_message(&mut self.stream, self.memory)? {
            let mut message = Buffer::from_vec(message);
            if let Some(batch) = self.decoder.decode(&mut message)? {
                return Ok(Some(batch));
            }
        }
        self.decoder.finish()?;
        Ok(None)
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
