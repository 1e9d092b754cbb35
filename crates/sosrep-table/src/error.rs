//! What can be wrong with a table: every message names the file, the place in it, the column and
//! the value, and ends with what to do.

mod reading;
mod words;

use std::fmt;
use std::io;

pub use reading::{Bytes, CellProblem, FileProblem, RowProblem};
pub use words::shell_word;

use words::{comma_remedy, counted, mismatch, reason};
pub(crate) use words::{quoted, shown};

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

    // Reading.
    /// A file that is not a table.
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
    /// A cell that is not what its column is.
    #[error("{file}, {place}, column \"{}\": {problem}", shown(column))]
    Cell {
        /// The file.
        file: String,
        /// The row.
        place: Place,
        /// The column.
        column: String,
        /// What is wrong with the cell.
        problem: CellProblem,
    },
    /// A column of a type that is not read.
    #[error(
        "{file}, column \"{}\": the type {found} is neither number, boolean, text nor date; \
         convert the column or drop it",
        shown(column)
    )]
    ColumnType {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// The type found.
        found: String,
    },
    /// The work was stopped by the caller.
    #[error("the work was cancelled")]
    Cancelled,

    // Encoding.
    /// There is nothing to learn from.
    #[error(
        "{file} leaves {} and {} to learn from; give at least one of each",
        counted(*rows, "row"),
        counted(*columns as u64, "column")
    )]
    NothingToFit {
        /// The file.
        file: String,
        /// Its rows.
        rows: u64,
        /// The columns that are features.
        columns: usize,
    },
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
    /// A column of dates among the features.
    #[error(
        "{file}, {place}, column {column:?}: {} is a date; convert the column to a number first \
         (seconds or the day of the week, say), name it as the id with --id {} or leave it out \
         with --drop {}",
        quoted(value),
        shell_word(column),
        shell_word(column)
    )]
    DateColumn {
        /// The file.
        file: String,
        /// The first row with a value.
        place: Place,
        /// The column.
        column: String,
        /// Its first value.
        value: String,
    },
    /// A column of text, and no way to encode text was chosen.
    #[error(
        "{file}, {place}, column {column:?}: {} is text and the column has {}; {}encode text with \
         --categories onehot or --categories frequency, or leave the column out with --drop {}",
        quoted(value),
        counted(*distinct as u64, "distinct value"),
        comma_remedy(value),
        shell_word(column)
    )]
    TextColumn {
        /// The file.
        file: String,
        /// The first row with a value.
        place: Place,
        /// The column.
        column: String,
        /// Its first value.
        value: String,
        /// Its number of distinct values.
        distinct: usize,
    },
    /// A column of text with too many values for one-hot encoding.
    #[error(
        "{file}, column {column:?}: {distinct} distinct values are more than the {limit} that \
         --categories onehot takes; use --categories frequency or leave the column out with \
         --drop {}",
        shell_word(column)
    )]
    TooManyValues {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// Its number of distinct values.
        distinct: usize,
        /// The most there may be.
        limit: usize,
    },
    /// A column of text with a value of its own in every row.
    #[error(
        "{file}, column {column:?}: all {rows} values are different, as in an identifier; name \
         the column as the id with --id {} or leave it out with --drop {}",
        shell_word(column),
        shell_word(column)
    )]
    LooksLikeIdentifier {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// Rows with a value.
        rows: usize,
    },
    /// A value is missing, and no way to handle that was chosen.
    #[error(
        "{file}, {place}, column {column:?}: the value is missing, one of {in_column} in this \
         column and {in_table} in the table; leave such rows out with --missing drop or fill them \
         with --missing impute"
    )]
    MissingInTraining {
        /// The file.
        file: String,
        /// The first row with a missing value.
        place: Place,
        /// The first column with one in that row.
        column: String,
        /// Missing values in that column.
        in_column: u64,
        /// Missing values in all columns.
        in_table: u64,
    },
    /// A value is missing, and the model has no way to handle that.
    #[error(
        "{file}, {place}, column {column:?}: the value is missing and the model takes none; fill \
         it in, leave the row out, or fit the model with --missing drop or --missing impute"
    )]
    MissingInScoring {
        /// The file.
        file: String,
        /// The first row with a missing value.
        place: Place,
        /// The first column with one in that row.
        column: String,
    },
    /// A column without any value.
    #[error(
        "{file}, column {column:?}: every value is missing; leave the column out with --drop {}",
        shell_word(column)
    )]
    AllMissing {
        /// The file.
        file: String,
        /// The column.
        column: String,
    },
    /// Every row has a missing value, and such rows are to be dropped.
    #[error(
        "{file}: each of the {rows} rows has a missing value and --missing drop leaves none; use \
         --missing impute, or leave out column {column:?}, which lacks {in_column}, with --drop {}",
        shell_word(column)
    )]
    NoRowLeft {
        /// The file.
        file: String,
        /// Its rows.
        rows: u64,
        /// The column with most missing values.
        column: String,
        /// Missing values in that column.
        in_column: u64,
    },
    /// An infinite number.
    #[error(
        "{file}, {place}, column {column:?}: {value} is not a finite number; correct it, leave \
         the cell empty, or leave the column out with --drop {}",
        shell_word(column)
    )]
    Infinite {
        /// The file.
        file: String,
        /// The row.
        place: Place,
        /// The column.
        column: String,
        /// The value.
        value: f64,
    },
    /// Two columns become one name.
    #[error(
        "{file}: columns {first:?} and {second:?} both give {name:?} when encoded; rename one of \
         them or use --categories frequency"
    )]
    ClashingNames {
        /// The file.
        file: String,
        /// The name after encoding.
        name: String,
        /// A column that gets it.
        first: String,
        /// The other column that gets it.
        second: String,
    },
    /// A file to be scored has other columns than the model.
    #[error("{}", mismatch(file, missing, renamed, extra))]
    WrongColumns {
        /// The file.
        file: String,
        /// Columns of the model that are not in the file.
        missing: Vec<String>,
        /// Columns of the model that differ in case or spaces from one in the file: the model's
        /// name, the file's.
        renamed: Vec<(String, String)>,
        /// Columns of the file, none of the above, that are not in the model.
        extra: Vec<String>,
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
