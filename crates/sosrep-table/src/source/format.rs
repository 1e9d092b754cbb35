//! The format of a file: by its first bytes, by its extension where those say nothing, CSV
//! otherwise.
//!
//! An extension is believed against the bytes in no case: a file named `.parquet` that does not
//! begin like one is refused, since read as CSV it would fail with a message about its lines.

use std::path::Path;

use super::compression::Compression;
use crate::error::FileProblem;

/// A format that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Csv,
    Json,
    Parquet,
    ArrowFile,
    ArrowStream,
    Npy,
    Npz,
}

/// First bytes and the format they begin. A stream begins with a mark of four bytes that is not
/// UTF-8, in all versions of Arrow since 0.15.
const MAGIC: [(&[u8], Format); 5] = [
    (b"PAR1", Format::Parquet),
    (b"ARROW1", Format::ArrowFile),
    (b"\xff\xff\xff\xff", Format::ArrowStream),
    (b"\x93NUMPY", Format::Npy),
    (b"PK\x03\x04", Format::Npz),
];

/// First bytes of formats that people try, what they are and what to do.
const REFUSED: [(&[u8], &str, &str); 5] = [
    (b"\xd0\xcf\x11\xe0", "an Excel workbook", "save the sheet as CSV"),
    (b"FEA1", "a Feather file of version 1", "save it as version 2"),
    (b"BZh", "a bzip2 file", "decompress it first"),
    (b"\xfd7zXZ\x00", "an xz file", "decompress it first"),
    (b"\x89HDF", "an HDF5 file", "save the table as Parquet or CSV"),
];

/// The mark of UTF-8, which some programs put before text.
pub(crate) const MARK: &[u8] = b"\xef\xbb\xbf";

/// Extensions of JSON, which is believed to be that even if it does not begin like it: the message
/// says then where it departs from JSON.
const JSON: [&str; 3] = ["json", "jsonl", "ndjson"];

/// Extensions of the formats that can be told by their first bytes.
const EXTENSIONS: [(&str, Format); 8] = [
    ("parquet", Format::Parquet),
    ("pq", Format::Parquet),
    ("arrow", Format::ArrowFile),
    ("feather", Format::ArrowFile),
    ("ipc", Format::ArrowFile),
    ("arrows", Format::ArrowStream),
    ("npy", Format::Npy),
    ("npz", Format::Npz),
];

impl Format {
    /// The format of an input of this name, if it has one, that begins with `head`, perhaps after decompression.
    ///
    /// # Errors
    /// [`FileProblem::Empty`], [`FileProblem::Unsupported`], [`FileProblem::Misnamed`],
    /// [`FileProblem::Compressed`].
    pub(crate) fn of(
        named: Option<&Path>,
        head: &[u8],
        compression: Option<Compression>,
    ) -> Result<Self, FileProblem> {
        let extension = extension(named, compression.is_some());
        if head.is_empty() {
            return Err(FileProblem::Empty);
        }
        if let Some((_, what, remedy)) = REFUSED.iter().find(|(magic, ..)| head.starts_with(magic))
        {
            return Err(FileProblem::Unsupported { what, remedy });
        }
        match (Self::by_content(head), extension.as_str()) {
            (Some(Self::Npz), "xlsx" | "xlsm" | "ods") => Err(FileProblem::Unsupported {
                what: "a spreadsheet",
                remedy: "save the sheet as CSV",
            }),
            (Some(Self::Npz), "zip") => Err(FileProblem::Unsupported {
                what: "a zip archive",
                remedy: "extract the file in it first",
            }),
            (Some(Self::Json), _) => Ok(Self::Json),
            (Some(format), _) => match compression {
                None => Ok(format),
                Some(compression) => Err(FileProblem::Compressed {
                    format: format.name(),
                    compression: compression.name(),
                }),
            },
            (None, extension) if JSON.contains(&extension) => Ok(Self::Json),
            (None, _) if compression.is_some() => Ok(Self::Csv),
            (None, "arrows") => Ok(Self::ArrowStream),
            (None, extension) => match EXTENSIONS.iter().find(|(known, _)| *known == extension) {
                Some((_, format)) => Err(FileProblem::Misnamed { expected: format.name() }),
                None => Ok(Self::Csv),
            },
        }
    }

    /// The format whose first bytes these are.
    fn by_content(head: &[u8]) -> Option<Self> {
        let magic = MAGIC.iter().find(|(magic, _)| head.starts_with(magic));
        magic.map(|&(_, format)| format).or_else(|| begins_json(head).then_some(Self::Json))
    }

    /// Its name for a person.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Json => "JSON",
            Self::Parquet => "Parquet",
            Self::ArrowFile => "Arrow IPC",
            Self::ArrowStream => "an Arrow IPC stream",
            Self::Npy => "NPY",
            Self::Npz => "NPZ",
        }
    }
}

/// Whether these bytes begin an object, or an array of arrays or objects; CSV may well begin with a
/// bracket.
fn begins_json(head: &[u8]) -> bool {
    let head = head.strip_prefix(MARK).unwrap_or(head).trim_ascii_start();
    let second = |rest: &[u8]| rest.trim_ascii_start().first().copied();
    match head {
        [b'{', rest @ ..] => matches!(second(rest), Some(b'"' | b'}')),
        [b'[', rest @ ..] => matches!(second(rest), Some(b'{' | b'[' | b']')),
        _ => false,
    }
}

/// The last extension of the file's name in lower case, that of the compression left aside; empty
/// without one.
fn extension(named: Option<&Path>, compressed: bool) -> String {
    let Some(path) = named else { return String::new() };
    let stem = path.file_stem().map(Path::new).filter(|_| compressed);
    stem.unwrap_or(path)
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
        .unwrap_or_default()
}
