//! What can be wrong with a table: a problem, and the remedies as data.
//!
//! The message of an [`Error`] states the problem: file, place, column and value. It ends with what
//! to do where that is the same for everyone; what depends on the interface is in
//! [`Error::remedies`], and each interface has its own words for a [`Remedy`].

mod problem;
mod remedy;
mod words;

use std::fmt;
use std::io;

pub use problem::{Bytes, ColumnProblem, FileProblem, RowProblem};
pub use remedy::Remedy;

use words::reason;
#[cfg(feature = "files")]
pub(crate) use words::shown;
pub(crate) use words::{joined, quoted};

/// The result of reading, encoding or writing a table.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A row of a file as a person finds it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
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
    /// What another process sent of a part of the table does not belong to the rest.
    #[error(
        "a part of the table cannot be used: {0}; fit again, all of it with one version of sosrep"
    )]
    BadPart(String),
    /// The work was stopped by the caller.
    #[error("the work was cancelled")]
    Cancelled,

    // Reading and encoding.
    /// A table that cannot be used.
    #[error("{file}: {problem}")]
    File {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: FileProblem,
    },
    /// A row that does not belong to a table.
    #[error("{file}, {place}: {problem}")]
    Row {
        /// The file.
        file: String,
        /// The row.
        place: Place,
        /// What is wrong with it.
        problem: RowProblem,
    },
    /// A column, or a cell of it, that cannot be used.
    #[error("{file}{}, column {}: {problem}", after_comma(place), quoted(column))]
    Column {
        /// The file.
        file: String,
        /// The first row concerned, if the problem has a place.
        place: Option<Place>,
        /// The column.
        column: String,
        /// What is wrong with it.
        problem: ColumnProblem,
    },
    /// Several things are wrong, each an error of its own.
    #[error("{}", lines(.0))]
    Problems(Vec<Error>),
    /// A batch does not hold the columns it should: a mistake of the program, not of the user.
    #[error("{file}, column {position} from 1: expected {expected}, found {found}")]
    UnexpectedCells {
        /// The file.
        file: String,
        /// The column, from 1.
        position: usize,
        /// Kind and name it should have.
        expected: String,
        /// Type and name it has.
        found: String,
    },
    /// A flat buffer does not divide into rows.
    #[error("{values} values do not fill rows of {width} features; give a multiple of {width}")]
    RaggedValues {
        /// Length of the buffer.
        values: usize,
        /// Features of a row.
        width: usize,
    },
    /// An encoding that was not made by fitting.
    #[error("the model's encoding of columns is not readable: {0}; fit the model again")]
    BadEncoding(String),

    // Writing.
    /// The name of the output does not tell its format.
    #[error("cannot write {file}: its name must end in one of {endings}")]
    UnknownEnding {
        /// The file.
        file: String,
        /// The endings that are known.
        endings: String,
    },
    /// The folder of the output does not exist.
    #[error("cannot write {file}: the folder {folder} does not exist; create it first")]
    NoFolder {
        /// The file.
        file: String,
        /// Its folder.
        folder: String,
    },
    /// The folder of the output takes no new file.
    #[error(
        "cannot write {file}: no file can be created in the folder {folder}: {}",
        reason(source)
    )]
    LockedFolder {
        /// The file.
        file: String,
        /// Its folder.
        folder: String,
        /// What the system says.
        source: io::Error,
    },
    /// A column of a type no output format here takes: a mistake of the program.
    #[error("cannot write {file}: column {column:?} has the type {kind}")]
    UnsupportedColumn {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// Its type.
        kind: String,
    },
}

impl Error {
    /// A [`Error::File`].
    pub(crate) fn file(file: &str, problem: FileProblem) -> Self {
        Self::File { file: file.to_string(), problem }
    }

    /// All problems as one error; `None` if there are none.
    pub(crate) fn of_problems(mut problems: Vec<Self>) -> Option<Self> {
        if problems.len() > 1 { Some(Self::Problems(problems)) } else { problems.pop() }
    }

    /// A [`Error::Column`].
    pub(crate) fn column(
        file: &str,
        place: Option<Place>,
        column: &str,
        problem: ColumnProblem,
    ) -> Self {
        Self::Column { file: file.to_string(), place, column: column.to_string(), problem }
    }
}

/// Each problem on a line.
fn lines(problems: &[Error]) -> String {
    problems.iter().map(Error::to_string).collect::<Vec<_>>().join("\n")
}

fn after_comma(place: &Option<Place>) -> String {
    place.map(|place| format!(", {place}")).unwrap_or_default()
}
