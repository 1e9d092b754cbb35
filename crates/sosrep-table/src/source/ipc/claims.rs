//! What an Arrow message claims, held against the bytes there are, before the decoder believes it.
//!
//! A batch says how many rows it has, and each compressed buffer how long it is decompressed; the
//! decoder makes room for that. A claim is refused where the format could not keep it:
//!
//! ```text
//! decompressed length   ≤ 255 (LZ4), 131 072 (Zstandard) times the compressed one + 64
//! lengths of a batch    ≤ the memory for a piece of a table, together
//! rows, lengths of arrays ≤ 8 (lengths of all buffers + length of the message): a bit a value
//! ```
//!
//! Cost: eight bytes read for each compressed buffer.

use std::io::{Error as IoError, ErrorKind};

use arrow_ipc::{CompressionType, Message, RecordBatch};
use arrow_schema::ArrowError;

/// The largest length of data compressed to one byte.
const LZ4_RATIO: u64 = 255;
/// A block of 128 KiB of one value takes a few bytes.
const ZSTANDARD_RATIO: u64 = 1 << 17;

/// A message, and where its body can be looked at.
pub(super) struct Claims<'a> {
    pub(super) message: Message<'a>,
    /// Bytes of the message without its body.
    pub(super) message_bytes: u64,
    /// Bytes of the body.
    pub(super) body_bytes: u64,
    /// The most bytes for all buffers of a batch.
    pub(super) memory: u64,
}

impl Claims<'_> {
    /// An error unless the batch in the message, if there is one, can be what it claims; `read` gives
    /// eight bytes of the body.
    pub(super) fn check(
        &self,
        read: impl FnMut(u64) -> Result<[u8; 8], IoError>,
    ) -> Result<(), ArrowError> {
        let in_dictionary = || self.message.header_as_dictionary_batch()?.data();
        match self.message.header_as_record_batch().or_else(in_dictionary) {
            Some(batch) => self.check_batch(batch, read),
            None => Ok(()),
        }
    }

    fn check_batch(
        &self,
        batch: RecordBatch,
        read: impl FnMut(u64) -> Result<[u8; 8], IoError>,
    ) -> Result<(), ArrowError> {
        let bytes = self.decompressed(batch, read)?;
        let most = bytes.saturating_add(self.message_bytes).saturating_mul(8);
        let nodes = batch.nodes().into_iter().flatten().map(|node| node.length());
        for length in nodes.chain([batch.length()]) {
            if !u64::try_from(length).is_ok_and(|length| length <= most) {
                return Err(refused(format!("a batch claims {length} rows in {bytes} bytes")));
            }
        }
        Ok(())
    }

    /// Bytes of all buffers, decompressed.
    fn decompressed(
        &self,
        batch: RecordBatch,
        mut read: impl FnMut(u64) -> Result<[u8; 8], IoError>,
    ) -> Result<u64, ArrowError> {
        let ratio = match batch.compression().map(|compression| compression.codec()) {
            None => None,
            Some(CompressionType::LZ4_FRAME) => Some(LZ4_RATIO),
            Some(_) => Some(ZSTANDARD_RATIO),
        };
        let mut total = 0u64;
        for buffer in batch.buffers().into_iter().flatten() {
            let (offset, length) = (buffer.offset() as u64, buffer.length() as u64);
            if offset.checked_add(length).is_none_or(|end| end > self.body_bytes) {
                return Err(refused("a buffer lies outside its message"));
            }
            let decompressed = match ratio {
                Some(ratio) if length >= 8 => {
                    decompressed_length(i64::from_le_bytes(read(offset)?), length, ratio)?
                }
                _ => length,
            };
            total = total.saturating_add(decompressed);
        }
        if total > self.memory {
            let (total, most) = (total >> 20, self.memory >> 20);
            return Err(refused(format!("a batch claims {total} MiB, at most {most} are read")));
        }
        Ok(total)
    }
}

/// What a compressed buffer of `length` bytes claims to become; the claim is the first eight of them.
fn decompressed_length(claimed: i64, length: u64, ratio: u64) -> Result<u64, ArrowError> {
    let compressed = length - 8;
    let most = compressed.saturating_mul(ratio).saturating_add(64);
    match u64::try_from(claimed) {
        // −1: the rest is not compressed.
        Err(_) if claimed == -1 => Ok(length),
        Ok(claimed) if claimed <= most => Ok(claimed),
        _ => Err(refused(format!("{compressed} bytes claim to be {claimed} decompressed"))),
    }
}

/// The error of a claim that cannot be kept.
pub(super) fn refused(complaint: impl Into<String>) -> ArrowError {
    ArrowError::IpcError(complaint.into())
}

/// The error of a file that ends within a message.
pub(super) fn cut_short() -> ArrowError {
    IoError::new(ErrorKind::UnexpectedEof, "it ends within a message").into()
}
