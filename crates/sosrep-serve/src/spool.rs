//! Bytes that are kept until they are complete: in memory up to a mebibyte, in a nameless temporary file
//! beyond, which the system removes by itself.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tempfile::SpooledTempFile;

/// Bytes kept in memory.
const IN_MEMORY: usize = 1 << 20;
/// Bytes sent at a time.
const CHUNK: usize = 1 << 16;

/// Bytes being gathered; a clone writes to the same.
#[derive(Clone)]
pub(crate) struct Spool(Arc<Mutex<Kept>>);

struct Kept {
    file: SpooledTempFile,
    length: u64,
}

impl Spool {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Kept { file: SpooledTempFile::new(IN_MEMORY), length: 0 })))
    }

    fn with<T>(&self, work: impl FnOnce(&mut Kept) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn length(&self) -> u64 {
        self.with(|kept| kept.length)
    }

    /// Everything, from the start.
    pub(crate) fn reader(self) -> io::Result<Box<dyn Read + Send>> {
        self.with(|kept| kept.file.seek(SeekFrom::Start(0)))?;
        Ok(Box::new(Reader(self)))
    }

    /// Everything, as the body of an answer of known length.
    pub(crate) fn into_body(self) -> io::Result<Body> {
        let left = self.length();
        let reader = self.reader()?;
        Ok(Body::new(Answer { reader, left }))
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|kept| {
            let written = kept.file.write(bytes)?;
            kept.length += written as u64;
            Ok(written)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Reader(Spool);

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.with(|kept| kept.file.read(buffer))
    }
}

/// An answer being sent.
struct Answer {
    reader: Box<dyn Read + Send>,
    left: u64,
}

impl hyper::body::Body for Answer {
    type Data = Bytes;
    type Error = io::Error;

    /// Reads from memory or from what the system has just written: there is nothing to wait for.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let mut chunk = vec![0; CHUNK.min(self.left as usize)];
        let read = self.reader.read_exact(&mut chunk);
        self.left -= chunk.len() as u64;
        Poll::Ready(Some(read.map(|()| Frame::data(chunk.into()))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
