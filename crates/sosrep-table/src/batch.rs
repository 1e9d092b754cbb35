//! Some consecutive rows of a table, in the one form every reader gives and every step takes.
//!
//! Columns are Arrow arrays of exactly three types, with missing values as nulls:
//! `Float64` (numbers of any width), `Boolean`, `Utf8` (text, and dates as they are written).
//! A reader turns NaN into null; infinities stay, for the encoder to complain about.

use arrow_array::RecordBatch;

use crate::error::Place;

/// What the cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ColumnKind {
    /// Numbers: a `Float64` array.
    Number,
    /// True or false: a `Boolean` array.
    Boolean,
    /// Text: a `Utf8` array.
    Text,
    /// Dates or times: a `Utf8` array, as written.
    Date,
}

impl ColumnKind {
    /// One word for a person.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Text => "text",
            Self::Date => "date",
        }
    }
}

/// A column of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Its name, not empty and unlike all others.
    pub name: String,
    /// What its cells are.
    pub kind: ColumnKind,
}

/// Some consecutive rows.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The cells: `Float64`, `Boolean` and `Utf8` arrays.
    pub cells: RecordBatch,
    /// Number of the first row in the file, from 1.
    pub first_row: u64,
    /// Line of each row, for files that have lines.
    pub lines: Option<Vec<u64>>,
}

impl Batch {
    /// Rows in the batch.
    pub fn rows(&self) -> usize {
        self.cells.num_rows()
    }

    /// Where the `row`-th row of the batch, from 0, stands in the file.
    pub fn place(&self, row: usize) -> Place {
        match &self.lines {
            Some(lines) => Place::Line(lines[row]),
            None => Place::Row(self.first_row + row as u64),
        }
    }
}
