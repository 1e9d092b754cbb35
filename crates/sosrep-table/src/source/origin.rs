//! The bytes of an input: their beginning to look at, all of them to read, and how many were read.
//!
//! Formats with their index at the end need a file to jump about in. Standard input, pipes and
//! tables held in the program are copied to a nameless temporary file for them, which the system
//! removes by itself; it takes as much room as the table does.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Input;
use super::compression::{Compression, read_error};
use crate::error::{Error, Result};

/// Bytes looked at before anything is decided.
const HEAD: usize = 64 * 1024;

/// An input that was opened.
pub(crate) struct Origin {
    /// Its name for messages.
    pub(crate) name: String,
    /// Its first bytes, up to 64 KiB.
    pub(crate) head: Vec<u8>,
    /// The bytes after those.
    rest: Box<dyn Read + Send>,
    /// The file, where there is one that can be read again.
    file: Option<File>,
    meter: Meter,
}

impl Origin {
    /// Opens the input and reads its beginning.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub(crate) fn open(input: &Input) -> Result<Self> {
        let name = match input {
            Input::Path(path) => path.display().to_string(),
            Input::Stdin => "standard input".to_string(),
            Input::Bytes { name, .. } => name.clone(),
        };
        let failed = |source| Error::Read { file: name.clone(), source };
        let parts = parts(input).map_err(failed)?;
        Self::of_parts(name, parts)
    }

    /// What a reader gives.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub(crate) fn of_reader(name: &str, reader: Box<dyn Read + Send>) -> Result<Self> {
        Self::of_parts(name.to_string(), (reader, None, None))
    }

    fn of_parts(name: String, (mut rest, file, size): Parts) -> Result<Self> {
        let head =
            beginning(&mut rest).map_err(|source| Error::Read { file: name.clone(), source })?;
        let meter = Meter { read: Arc::default(), size, counted_inside: false };
        Ok(Self { name, head, rest, file, meter })
    }

    /// The text inside a compressed input. What is counted stays the compressed bytes, since their
    /// number is known.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::File`] if it is damaged.
    pub(crate) fn decompressed(self, compression: Compression) -> Result<Self> {
        let name = self.name.clone();
        let failed = |source| read_error(&name, Some(compression), source);
        let (stream, meter) = self.into_stream();
        let mut rest = compression.decode(stream).map_err(failed)?;
        let head = beginning(&mut rest).map_err(failed)?;
        let meter = Meter { counted_inside: true, ..meter };
        Ok(Self { name, head, rest, file: None, meter })
    }

    /// All bytes from the first, counted as they are read.
    pub(crate) fn into_stream(self) -> (Box<dyn Read + Send>, Meter) {
        self.into_stream_after(0)
    }

    /// All bytes after the first `mark`, which are known already.
    pub(crate) fn into_stream_after(self, mark: usize) -> (Box<dyn Read + Send>, Meter) {
        let mut head = Cursor::new(self.head);
        head.set_position(mark as u64);
        let stream = head.chain(self.rest);
        if self.meter.counted_inside {
            return (Box::new(stream), self.meter);
        }
        let counted = Counted { stream, read: Arc::clone(&self.meter.read) };
        (Box::new(counted), self.meter)
    }

    /// All bytes as a file, at its start.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub(crate) fn into_file(self) -> Result<File> {
        let copy = || -> io::Result<File> {
            let mut file = match self.file {
                Some(file) => file,
                None => {
                    let mut copy = tempfile::tempfile()?;
                    io::copy(&mut Cursor::new(self.head).chain(self.rest), &mut copy)?;
                    copy
                }
            };
            file.rewind()?;
            Ok(file)
        };
        let name = self.name;
        copy().map_err(|source| Error::Read { file: name, source })
    }
}

/// A reader, the regular file behind it if there is one, and the size if it is known.
type Parts = (Box<dyn Read + Send>, Option<File>, Option<u64>);

fn parts(input: &Input) -> io::Result<Parts> {
    Ok(match input {
        Input::Stdin => (Box::new(io::stdin()), None, None),
        Input::Bytes { bytes, .. } => (Box::new(*bytes), None, Some(bytes.len() as u64)),
        Input::Path(path) => {
            let file = File::open(path)?;
            let metadata = file.metadata()?;
            if metadata.is_file() {
                (Box::new(file.try_clone()?), Some(file), Some(metadata.len()))
            } else {
                (Box::new(file), None, None)
            }
        }
    })
}

/// The first bytes, as many as there are up to [`HEAD`].
fn beginning(reader: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// How much of an input was read.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    read: Arc<AtomicU64>,
    size: Option<u64>,
    /// Whether the bytes are counted where they are decompressed.
    counted_inside: bool,
}

impl Meter {
    /// The share that was read, in [0, 1], where the size is known.
    pub(crate) fn share(&self) -> Option<f64> {
        let read = self.read.load(Ordering::Relaxed) as f64;
        self.size.map(|size| (read / size.max(1) as f64).min(1.0))
    }
}

/// A reader that counts.
struct Counted<R> {
    stream: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
