//! The messages of an Arrow stream, one by one, each held against what it claims.
//!
//! ```text
//! FF FF FF FF   length   message (flatbuffer)   body       before version 0.15 without the first four
//! ```
//!
//! A length makes no room: bytes are read as far as there are any.

use std::io::{self, Read};

use arrow_ipc::root_as_message;
use arrow_schema::ArrowError;

use super::claims::{Claims, cut_short, refused};

const CONTINUATION: u32 = u32::MAX;

/// The next message with what comes before and after it; `None` at the end of the stream.
///
/// # Errors
/// A stream that is cut within a message, or a message that claims more than can be.
pub(super) fn next_message(
    stream: &mut dyn Read,
    memory: u64,
) -> Result<Option<Vec<u8>>, ArrowError> {
    let mut bytes = Vec::new();
    if read_more(stream, &mut bytes, 4)? == 0 {
        return Ok(None);
    }
    if word(&bytes, 0)? == CONTINUATION {
        read_more(stream, &mut bytes, 4)?;
    }
    let start = bytes.len();
    let length = word(&bytes, start - 4)?;
    if length == 0 {
        return Ok(None);
    }
    if read_more(stream, &mut bytes, length.into())? < length.into() {
        return Err(cut_short());
    }
    let body = body_length(&bytes[start..])?;
    if body > memory {
        return Err(refused(format!("a message claims a body of {} MiB", body >> 20)));
    }
    let end = bytes.len();
    if read_more(stream, &mut bytes, body)? < body {
        return Err(cut_short());
    }
    check(&bytes[start..end], &bytes[end..], memory)?;
    Ok(Some(bytes))
}

/// Appends so many bytes, or all that are left, and says how many.
fn read_more(stream: &mut dyn Read, bytes: &mut Vec<u8>, count: u64) -> io::Result<u64> {
    stream.take(count).read_to_end(bytes).map(|read| read as u64)
}

fn word(bytes: &[u8], at: usize) -> Result<u32, ArrowError> {
    let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
    word.map(u32::from_le_bytes).ok_or_else(cut_short)
}

fn body_length(message: &[u8]) -> Result<u64, ArrowError> {
    let message = root_as_message(message).map_err(|error| refused(error.to_string()))?;
    u64::try_from(message.bodyLength()).map_err(|_| refused("the body of a message is negative"))
}

fn check(message: &[u8], body: &[u8], memory: u64) -> Result<(), ArrowError> {
    let (message_bytes, body_bytes) = (message.len() as u64, body.len() as u64);
    let message = root_as_message(message).map_err(|error| refused(error.to_string()))?;
    Claims { message, message_bytes, body_bytes, memory }.check(|at| {
        let bytes = usize::try_from(at).ok().and_then(|at| body.get(at..)?.first_chunk().copied());
        bytes.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    })
}
