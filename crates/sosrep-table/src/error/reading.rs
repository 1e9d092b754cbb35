//! What can be wrong with a table that is read.
//!
//! Each problem is the second half of a sentence; [`Error`](super::Error) puts the file, the place
//! and the column before it.

use std::fmt;

use super::words::{counted, quoted};

/// What is wrong with a file as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileProblem {
    /// No bytes, or blank lines only.
    #[error("the file is empty; give a table with at least one row")]
    Empty,
    /// Columns, but no rows.
    #[error("there are columns but no rows; give at least one row")]
    NoRows,
    /// A table without columns.
    #[error("there are no columns; give at least one")]
    NoColumns,
    /// A column without a name.
    #[error("column {position} has no name; give it one")]
    NoName {
        /// The column, from 1.
        position: usize,
    },
    /// Two columns of one name.
    #[error(
        "columns {first} and {second} are both named \"{name}\"; give every column its own name"
    )]
    SameName {
        /// The name.
        name: String,
        /// The first such column, from 1.
        first: usize,
        /// The second.
        second: usize,
    },
    /// A zero byte where text is expected.
    #[error(
        "byte {position} is zero, so this is not a text file; give CSV saved as UTF-8, Parquet, \
         Arrow or NumPy"
    )]
    NotText {
        /// The byte, from 1.
        position: usize,
    },
    /// A format that is not read.
    #[error("this is {what}, which cannot be read here; {remedy}")]
    Unsupported {
        /// The format, with its article.
        what: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A file whose name promises another format.
    #[error("the name says {expected}, the content is not {expected}; check or rename the file")]
    Misnamed {
        /// The format of the name.
        expected: &'static str,
    },
    /// A format other than CSV inside a compressed file.
    #[error(
        "this is {format} compressed by {compression}, and only CSV is read compressed; \
         decompress it first"
    )]
    Compressed {
        /// The format inside.
        format: &'static str,
        /// The compression.
        compression: &'static str,
    },
    /// Bytes that do not follow their format.
    #[error("not readable as {format}, the file may be damaged or cut short: {reason}")]
    Damaged {
        /// The format.
        format: &'static str,
        /// What the decoder says.
        reason: String,
    },
    /// A NumPy array of elements that are neither numbers nor booleans.
    #[error(
        "the array holds {descriptor}, not little-endian numbers or booleans; save it as \
         float64, for example by x.astype(\"<f8\")"
    )]
    ArrayType {
        /// NumPy's name of the type.
        descriptor: String,
    },
    /// A NumPy array that is neither a vector nor a matrix.
    #[error("the array of {array} has {dimensions} dimensions; give {expected}")]
    ArrayDimensions {
        /// What it holds.
        array: &'static str,
        /// Dimensions found.
        dimensions: usize,
        /// What it may have.
        expected: &'static str,
    },
    /// A NumPy archive without the rows.
    #[error(
        "there is no array \"X\" among {}; save the rows under that name, for example by \
         np.savez(path, X=x)",
        List(arrays)
    )]
    NoMatrix {
        /// The arrays found.
        arrays: Vec<String>,
    },
    /// Labels that do not match the rows.
    #[error("\"X\" has {rows} rows and \"y\" has {labels} values; give one per row")]
    ArrayLengths {
        /// Rows of `X`.
        rows: usize,
        /// Values of `y`.
        labels: usize,
    },
}

/// What is wrong with a row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowProblem {
    /// More or fewer cells than columns.
    #[error(
        "found {}, expected {expected}; add or remove cells, or put quotes around a \
         cell that contains the delimiter",
        counted(*found as u64, "cell")
    )]
    Ragged {
        /// Cells of the row.
        found: usize,
        /// Columns of the table.
        expected: usize,
    },
    /// A quote without its end.
    #[error(
        "a quote opens here and is never closed; close it, or write a quote inside a cell twice"
    )]
    UnclosedQuote,
    /// A row too long to be one.
    #[error("the row is longer than {megabytes} MB; look for a quote that is not closed")]
    TooLong {
        /// The limit.
        megabytes: u64,
    },
    /// Numbers where names are expected.
    #[error(
        "every cell is a number where column names are expected; add a line of names, or use \
         --no-header"
    )]
    NumbersAsNames,
    /// A mark of another encoding at the start of the file.
    #[error("the bytes {bytes} mark {encoding} text; save the file as UTF-8")]
    Encoding {
        /// The bytes.
        bytes: Bytes,
        /// The encoding they mark.
        encoding: &'static str,
    },
    /// A name that is not UTF-8.
    #[error("the name of column {position} has the bytes {bytes}, which are not UTF-8; {SAVE}")]
    NameNotUtf8 {
        /// The column, from 1.
        position: usize,
        /// The bytes.
        bytes: Bytes,
    },
}

const SAVE: &str = "save the file as UTF-8";

/// What is wrong with a cell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CellProblem {
    /// Not a number in a column of numbers.
    #[error(
        "\"{value}\" is not a number, and the column is one of numbers; correct the cell, leave \
         it empty or drop the column"
    )]
    NotNumber {
        /// The cell, shortened.
        value: String,
    },
    /// Neither true nor false in a column of those.
    #[error(
        "\"{value}\" is neither true nor false, and the column is one of those; correct the cell, \
         leave it empty or drop the column"
    )]
    NotBoolean {
        /// The cell, shortened.
        value: String,
    },
    /// A date or time that does not exist.
    #[error("{value} is no date or time that can be written; correct it or drop the column")]
    NotDate {
        /// The value stored.
        value: String,
    },
    /// Text in another encoding.
    #[error("the bytes {bytes} are not UTF-8; {SAVE}")]
    NotUtf8 {
        /// The bytes.
        bytes: Bytes,
    },
}

/// A few bytes, shown as pairs of hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    /// The first bytes of `text` that are not UTF-8, at most four of them.
    pub fn not_utf8(text: &[u8]) -> Self {
        let start = std::str::from_utf8(text).map_or_else(|error| error.valid_up_to(), str::len);
        let end = text.len().min(start + 4);
        Self(text[start..end].to_vec())
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs: Vec<String> = self.0.iter().map(|byte| format!("{byte:02X}")).collect();
        f.write_str(&pairs.join(" "))
    }
}

/// Names in quotes, with commas between.
struct List<'a>(&'a [String]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("no arrays at all");
        }
        let names: Vec<String> = self.0.iter().map(|name| quoted(name)).collect();
        f.write_str(&names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_offending_bytes_are_named() {
        assert_eq!(Bytes::not_utf8(b"caf\xe9 au lait").to_string(), "E9 20 61 75");
        assert_eq!(Bytes::not_utf8(b"caf\xe9").to_string(), "E9");
    }
}
