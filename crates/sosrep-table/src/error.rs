//! What can be wrong with a table: every message names the file, the place in it, the column and
//! the value, and ends with what to do.

use std::fmt;
use std::io;

/// The result of reading, encoding or writing a table.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A row of a file as a person finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Line of a text file, from 1; the header is line 1.
    Line(u64),
    /// Row of a table without lines, from 1.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be opened or read.
    #[error("cannot read {file}: {}", reason(source))]
    Read {
        /// The file.
        file: String,
        /// What the system says.
        source: io::Error,
    },
    /// The output cannot be created or written.
    #[error("cannot write {file}: {}", reason(source))]
    Write {
        /// The file.
        file: String,
        /// What the system says.
        source: io::Error,
    },
}

/// The system's words for an error, without the number.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_string(),
        io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        io::ErrorKind::StorageFull => "the disk is full; free some space".to_string(),
        io::ErrorKind::IsADirectory => "it is a folder; give a file".to_string(),
        _ => error.to_string(),
    }
}
