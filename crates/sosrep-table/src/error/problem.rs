//! What can be wrong with a file, a row and a column.
//!
//! Each problem is the second half of a sentence; [`Error`](super::Error) puts the file, the place
//! and the column before it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::words::{counted, quoted};
use crate::encode::ColumnUse;

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
        "byte {position} is zero, so this is not a text file; give CSV or JSON saved as UTF-8, \
         Parquet, Arrow or NumPy"
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
        "this is {format} compressed by {compression}, and only CSV and JSON are read compressed; \
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
        "there is no array \"X\", only [{}]; save the rows under that name, for example by \
         np.savez(path, X=x)",
        list(arrays)
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
    /// There is nothing to learn from.
    #[error(
        "there are {} and {} to learn from; give at least one of each",
        counted(*rows, "row"),
        counted(*columns as u64, "column")
    )]
    NothingToFit {
        /// Rows of the file.
        rows: u64,
        /// The columns that are features.
        columns: usize,
    },
    /// Every row has a missing value, and such rows are to be left out.
    #[error(
        "each of the {rows} rows has a missing value, so none would be left; column {} lacks most, \
         {in_column}",
        quoted(column)
    )]
    NoRowLeft {
        /// Rows of the file.
        rows: u64,
        /// The column with most missing values.
        column: String,
        /// Missing values in that column.
        in_column: u64,
    },
    /// No column is a feature.
    #[error("no column is left as a feature, all are identifiers or empty: {}", list(left_out))]
    NoFeature {
        /// The columns there are.
        left_out: Vec<String>,
        /// One of them that could be a feature, and what it would be.
        way_back: Option<(String, ColumnUse)>,
    },
    /// A table to be scored has other columns than the model.
    #[error(
        "the columns differ from those of the model ({})",
        differences(missing, renamed, extra)
    )]
    WrongColumns {
        /// Columns of the model that are not in the table.
        missing: Vec<String>,
        /// Columns of the model that differ in case or spaces from one in the table: the model's
        /// name, the table's.
        renamed: Vec<(String, String)>,
        /// Columns of the table, none of the above, that are not in the model.
        extra: Vec<String>,
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
    /// Text that is no JSON.
    #[error(
        "this is not JSON: {reason}; names and texts are in double quotes, a missing value is null"
    )]
    Json {
        /// What the parser says.
        reason: String,
    },
    /// A row of JSON that is no object.
    #[error(
        "found {found} where a row is expected; give an array of objects or an object a line, as \
         pandas writes them by to_json(path, orient=\"records\")"
    )]
    NotObject {
        /// What it is, with its article.
        found: &'static str,
    },
    /// A key that is twice in an object.
    #[error("the key {} is there twice; give every key of a row its own name", quoted(key))]
    SameKey {
        /// The key.
        key: String,
    },
    /// A key that none of the first rows has.
    #[error(
        "the key {} is in none of the first rows, which tell the columns; give it to the first \
         row, as null if there is no value",
        quoted(key)
    )]
    NewKey {
        /// The key.
        key: String,
    },
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

/// What is wrong with a column or one of its cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnProblem {
    /// Not a number in a column of numbers.
    #[error("{} is not a number, unlike the rest of the column", quoted(value))]
    NotNumber {
        /// The cell.
        value: String,
    },
    /// Neither true nor false in a column of those.
    #[error("{} is neither true nor false, unlike the rest of the column", quoted(value))]
    NotBoolean {
        /// The cell.
        value: String,
    },
    /// Not a date in a column of dates.
    #[error("{} is not a date of the calendar", quoted(value))]
    NotDate {
        /// The cell, or the value stored.
        value: String,
    },
    /// Text in another encoding.
    #[error("the bytes {bytes} are not UTF-8; {SAVE}")]
    NotUtf8 {
        /// The bytes.
        bytes: Bytes,
    },
    /// A type that is not read.
    #[error("the type {found} is neither number, boolean, text nor date")]
    Type {
        /// The type found.
        found: String,
    },
    /// Dates among the features.
    #[error("{} is a date, and dates are to be an error", quoted(value))]
    Date {
        /// The first value.
        value: String,
    },
    /// Text, and no way to encode it was chosen.
    #[error(
        "{} is text, and the column has {}",
        quoted(value),
        counted(*distinct as u64, "distinct value")
    )]
    Text {
        /// The first value.
        value: String,
        /// Distinct values.
        distinct: usize,
    },
    /// Text with too many values for one-hot encoding.
    #[error("{distinct} distinct values are more than the {limit} that one-hot encoding takes")]
    TooManyValues {
        /// Distinct values.
        distinct: usize,
        /// The most there may be.
        limit: usize,
    },
    /// Text other than the two values of the training table.
    #[error(
        "{} is neither {} nor {}, and the training table has nothing else",
        quoted(value),
        quoted(&values[0]),
        quoted(&values[1])
    )]
    NeitherOfTwo {
        /// The cell.
        value: String,
        /// The values.
        values: Box<[String; 2]>,
    },
    /// A value is missing, and no way to handle that was chosen.
    #[error("the value is missing, one of {in_column} in this column and {in_table} in the table")]
    MissingInTraining {
        /// Missing values in the column.
        in_column: u64,
        /// Missing values in all columns.
        in_table: u64,
    },
    /// A value is missing, and the model has no way to handle that.
    #[error("the value is missing, and in the training table none is")]
    MissingInScoring,
    /// No value at all.
    #[error("every value is missing")]
    AllMissing,
    /// An infinite number.
    #[error("{value} is not a finite number")]
    Infinite {
        /// The value.
        value: f64,
    },
}

/// A few bytes, shown as pairs of hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
fn list(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}

/// How columns differ from those of a model, all of them at once.
fn differences(missing: &[String], renamed: &[(String, String)], extra: &[String]) -> String {
    let spelt =
        |(ours, theirs): &(String, String)| format!("{} for {}", quoted(theirs), quoted(ours));
    let spelt = renamed.iter().map(spelt).collect::<Vec<_>>().join(", ");
    let parts = [
        ("missing", list(missing)),
        ("spelt differently", spelt),
        ("not in the model", list(extra)),
    ];
    let parts = parts.iter().filter(|(_, names)| !names.is_empty());
    parts.map(|(what, names)| format!("{what}: {names}")).collect::<Vec<_>>().join("; ")
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
