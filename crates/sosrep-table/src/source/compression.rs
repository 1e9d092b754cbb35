//! Compressed text, told by its first bytes and decompressed as it is read.
//!
//! A gzip file may have several members and a Zstandard file several frames, as parallel
//! compressors write them; they are read as one text.

use std::io::{self, BufReader, Read};

use crate::error::{Error, FileProblem};

/// A compression that is undone while reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Zstandard,
}

impl Compression {
    /// The compression of a file that begins with `head`.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        if head.starts_with(b"\x1f\x8b") {
            Some(Self::Gzip)
        } else if head.starts_with(b"\x28\xb5\x2f\xfd") {
            Some(Self::Zstandard)
        } else {
            None
        }
    }

    /// Its name for a person.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstandard => "Zstandard",
        }
    }

    /// The text inside.
    pub(crate) fn decode(self, stream: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::new(stream))),
            Self::Zstandard => Box::new(zstd::stream::read::Decoder::new(stream)?),
        })
    }
}

/// The error for a stream that was perhaps compressed. What the decoder complains about is damage;
/// what the system complains about is not.
pub(crate) fn read_error(file: &str, compression: Option<Compression>, source: io::Error) -> Error {
    use io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
    let file = file.to_string();
    match (compression, source.kind()) {
        (Some(compression), InvalidData | InvalidInput | Other | UnexpectedEof) => {
            let (format, reason) = (compression.name(), source.to_string());
            Error::File { file, problem: FileProblem::Damaged { format, reason } }
        }
        _ => Error::Read { file, source },
    }
}
