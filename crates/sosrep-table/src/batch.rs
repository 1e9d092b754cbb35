//! Some rows of a table, in the one form every reader gives and every step takes.
//!
//! A reader gives consecutive rows; [`Batch::take`] and [`Batch::concat`] make batches of any
//! others, and every row keeps the number and the line it has in the file.
//!
//! Columns are Arrow arrays of exactly three types, with missing values as nulls:
//! `Float64` (numbers of any width), `Boolean`, `Utf8` (text, and dates as they are written).
//! A reader turns NaN into null; infinities stay, for the encoder to judge. A cell that is not of its
//! column's kind is null too, and listed with what is wrong with it: [`Unreadable`].

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch, UInt64Array};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;

use crate::error::{ColumnProblem, Place};

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
    /// Integers of which some are beyond ±2⁵³ and fit no `Float64`: a `Utf8` array of digits.
    BigInteger,
}

impl ColumnKind {
    /// One word for a person.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Text => "text",
            Self::Date => "date",
            Self::BigInteger => "big integer",
        }
    }

    /// The type of the array that holds such cells.
    pub fn data_type(self) -> DataType {
        match self {
            Self::Number => DataType::Float64,
            Self::Boolean => DataType::Boolean,
            Self::Text | Self::Date | Self::BigInteger => DataType::Utf8,
        }
    }
}

/// A column of a file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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

/// A cell that is not of its column's kind, and is missing in the batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Unreadable {
    /// Its row of the batch, from 0.
    pub row: usize,
    /// Its column of the batch, from 0.
    pub column: usize,
    /// What is wrong with it.
    pub problem: ColumnProblem,
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
    /// Cells that could not be read, row by row.
    pub unreadable: Vec<Unreadable>,
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

    /// The cells of a column as a person writes them.
    pub fn texts(&self, column: usize) -> Vec<Option<String>> {
        let cells = self.cells.column(column);
        let text: Box<dyn Fn(usize) -> String> = match cells.data_type() {
            DataType::Float64 => {
                let numbers = cells.as_primitive::<Float64Type>();
                Box::new(|row| numbers.value(row).to_string())
            }
            DataType::Boolean => {
                let booleans = cells.as_boolean();
                Box::new(|row| booleans.value(row).to_string())
            }
            _ => {
                let texts = cells.as_string::<i32>();
                Box::new(|row| texts.value(row).to_string())
            }
        };
        (0..self.rows()).map(|row| cells.is_valid(row).then(|| text(row))).collect()
    }

    /// What is wrong with a cell that could not be read.
    pub(crate) fn unreadable_at(&self, row: usize, column: usize) -> Option<&ColumnProblem> {
        let start = self.unreadable.partition_point(|cell| cell.row < row);
        let mut of_row = self.unreadable[start..].iter().take_while(|cell| cell.row == row);
        of_row.find(|cell| cell.column == column).map(|cell| &cell.problem)
    }

    /// Some of the columns, in the order given.
    ///
    /// # Errors
    /// A column that is not there.
    pub fn project(&self, columns: &[usize]) -> Result<Self, ArrowError> {
        let place = |cell: &Unreadable| {
            let column = columns.iter().position(|&column| column == cell.column)?;
            Some(Unreadable { column, ..cell.clone() })
        };
        Ok(Self {
            cells: self.cells.project(columns)?,
            numbers: self.numbers.clone(),
            lines: self.lines.clone(),
            unreadable: self.unreadable.iter().filter_map(place).collect(),
        })
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
        let place = |cell: &Unreadable| {
            let row = rows.binary_search(&cell.row).ok()?;
            Some(Unreadable { row, ..cell.clone() })
        };
        let chosen = |lines: &Vec<u64>| rows.iter().map(|&row| lines[row]).collect();
        Ok(Self {
            cells: take_record_batch(&self.cells, &indices)?,
            numbers: RowNumbers::Each(rows.iter().map(|&row| self.number(row)).collect()),
            lines: self.lines.as_ref().map(chosen),
            unreadable: self.unreadable.iter().filter_map(place).collect(),
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
        let (mut unreadable, mut before) = (Vec::new(), 0);
        for batch in batches {
            let moved = |cell: &Unreadable| Unreadable { row: cell.row + before, ..cell.clone() };
            unreadable.extend(batch.unreadable.iter().map(moved));
            before += batch.rows();
        }
        Ok(Some(Self {
            cells: concat_batches(first.cells.schema_ref(), batches.iter().map(|b| &b.cells))?,
            numbers: RowNumbers::Each(batches.iter().flat_map::<Vec<u64>, _>(numbers).collect()),
            lines: first.lines.as_ref().map(|_| batches.iter().flat_map(lines).collect()),
            unreadable,
        }))
    }
}
