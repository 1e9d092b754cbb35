//! Some rows of a table, in the one form every reader gives and every step takes.
//!
//! A reader gives consecutive rows; [`Batch::take`] and [`Batch::concat`] make batches of any
//! others, and every row keeps the number and the line it has in the file.
//!
//! Columns are Arrow arrays of exactly three types, with missing values as nulls:
//! `Float64` (numbers of any width), `Boolean`, `Utf8` (text, and dates as they are written).
//! A reader turns NaN into null; infinities stay, for the encoder to complain about.

use arrow_array::{RecordBatch, UInt64Array};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;

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

    /// The type of the array that holds such cells.
    pub fn data_type(self) -> DataType {
        match self {
            Self::Number => DataType::Float64,
            Self::Boolean => DataType::Boolean,
            Self::Text | Self::Date => DataType::Utf8,
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

/// Numbers of rows in a file, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowNumbers {
    /// Consecutive rows from this one on.
    From(u64),
    /// The number of each row, ascending.
    Each(Vec<u64>),
}

impl RowNumbers {
    /// The number of the `row`-th row, from 0.
    fn get(&self, row: usize) -> u64 {
        match self {
            Self::From(first) => first + row as u64,
            Self::Each(numbers) => numbers[row],
        }
    }
}

/// Some rows, in the order of the file.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The cells: `Float64`, `Boolean` and `Utf8` arrays.
    pub cells: RecordBatch,
    /// Numbers of the rows in the file.
    pub numbers: RowNumbers,
    /// Line of each row, for files that have lines.
    pub lines: Option<Vec<u64>>,
}

impl Batch {
    /// Rows in the batch.
    pub fn rows(&self) -> usize {
        self.cells.num_rows()
    }

    /// Number in the file of the `row`-th row of the batch, from 0; itself counted from 1.
    pub fn number(&self, row: usize) -> u64 {
        self.numbers.get(row)
    }

    /// Where the `row`-th row of the batch, from 0, stands in the file.
    pub fn place(&self, row: usize) -> Place {
        match &self.lines {
            Some(lines) => Place::Line(lines[row]),
            None => Place::Row(self.number(row)),
        }
    }

    /// The rows without a missing cell, as a mask; `None` if they are all.
    pub(crate) fn complete(&self) -> Option<NullBuffer> {
        let columns = self.cells.columns().iter();
        NullBuffer::union_many(columns.map(|array| array.nulls()))
            .filter(|complete| complete.null_count() > 0)
    }

    /// The rows without a missing cell, from 0; `None` if they are all.
    pub fn complete_rows(&self) -> Option<Vec<usize>> {
        self.complete().map(|complete| complete.valid_indices().collect())
    }

    /// Some of the rows, given ascending, copied.
    ///
    /// # Errors
    /// A row that is not there.
    pub fn take(&self, rows: &[usize]) -> Result<Self, ArrowError> {
        if let Some(row) = rows.iter().find(|&&row| row >= self.rows()) {
            let reason = format!("row {row} of a batch of {}", self.rows());
            return Err(ArrowError::InvalidArgumentError(reason));
        }
        let indices: UInt64Array = rows.iter().map(|&row| row as u64).collect();
        let chosen = |lines: &Vec<u64>| rows.iter().map(|&row| lines[row]).collect();
        Ok(Self {
            cells: take_record_batch(&self.cells, &indices)?,
            numbers: RowNumbers::Each(rows.iter().map(|&row| self.number(row)).collect()),
            lines: self.lines.as_ref().map(chosen),
        })
    }

    /// The rows of several batches of one table, in their order; `None` of no batches.
    ///
    /// # Errors
    /// What Arrow makes of batches with different columns, or of more text than an array can hold.
    pub fn concat(batches: &[Self]) -> Result<Option<Self>, ArrowError> {
        let Some(first) = batches.first() else { return Ok(None) };
        let numbers = |batch: &Self| (0..batch.rows()).map(|row| batch.number(row)).collect();
        let lines = |batch: &Self| batch.lines.clone().unwrap_or_default();
        Ok(Some(Self {
            cells: concat_batches(first.cells.schema_ref(), batches.iter().map(|b| &b.cells))?,
            numbers: RowNumbers::Each(batches.iter().flat_map::<Vec<u64>, _>(numbers).collect()),
            lines: first.lines.as_ref().map(|_| batches.iter().flat_map(lines).collect()),
        }))
    }
}
