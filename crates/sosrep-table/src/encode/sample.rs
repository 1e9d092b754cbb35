//! The rows of a table that a fit is based on, from all of its rows as they go by.
//!
//! ```text
//! survey all rows ─→ what each column becomes ─┐
//! sample of distinct rows, by their cells ─────┴→ medians → encoding → rows of numbers with their copies
//! ```
//!
//! It is the one way from a table to a fit: of the command line, of Python, and of tables that lie in parts on
//! several machines, where each part is looked at on its own and the outcomes are merged. What comes out
//! is a function of the rows as a multiset ([`DistinctSample`]).
//!
//! The cells of a row as bytes, column by column: a number as its eight bytes, little-endian, a missing
//! one as NaN; a boolean as 0, 1 or, missing, 2; a text as its length in four bytes, the largest such number
//! where it is missing, and its UTF-8; a date without a time of midnight. So a table of numbers has the sample that its matrix has.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, Field, Schema};
use sosrep::reduce::{DistinctSample, RowCopies};

use super::{Choice, Encoding, Missing, Survey};
use crate::batch::{Batch, ColumnInfo, ColumnKind, RowNumbers};
use crate::error::{Error, Result};

/// The length of a text that is missing.
const NO_TEXT: u32 = u32::MAX;

/// A sample of the rows of a table, by their cells.
#[derive(Debug, Clone, PartialEq)]
pub struct TableSample {
    columns: Vec<ColumnInfo>,
    missing: Missing,
    /// Whether rows have a key beside their cells.
    keyed: bool,
    rows: DistinctSample,
}

/// Encoded rows that stand for a table.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EncodedSample {
    /// How they were made.
    pub encoding: Encoding,
    /// Row by row.
    pub values: Vec<f64>,
    /// How often each counts.
    pub copies: Vec<RowCopies>,
    /// Rows of the table that can be used.
    pub table_rows: usize,
}

impl TableSample {
    /// No rows yet, of the columns surveyed.
    pub fn new(survey: &Survey, rows: DistinctSample) -> Self {
        Self {
            columns: survey.columns().to_vec(),
            missing: survey.options.missing,
            keyed: false,
            rows,
        }
    }

    /// The same of rows that have a key: rows of different keys are different rows, though their cells may
    /// be the same.
    pub fn keyed(self) -> Self {
        Self { keyed: true, ..self }
    }

    /// Offers the rows of a batch with these columns, and behind them the key if there are keys; those with a
    /// missing cell are passed over if they are to be left out. Without weights each counts once.
    pub fn add(&mut self, batch: &Batch, weights: Option<&[f64]>) {
        let complete = batch.complete().filter(|_| self.missing == Missing::Drop);
        let kinds = self.columns.iter().map(|column| column.kind);
        let kinds = kinds.chain(self.keyed.then_some(ColumnKind::Text));
        let columns: Vec<Column> = kinds
            .zip(batch.cells.columns())
            .map(|(kind, cells)| Column::new(kind, cells))
            .collect();
        let mut content = Vec::new();
        for row in 0..batch.rows() {
            if complete.as_ref().is_some_and(|complete| complete.is_null(row)) {
                continue;
            }
            content.clear();
            columns.iter().for_each(|column| column.write(row, &mut content));
            self.rows.offer(&content, weights.map_or(1.0, |weights| weights[row]));
        }
    }

    /// Adds what another part of the table was looked at for.
    ///
    /// # Errors
    /// [`Error::BadPart`] if it was not looked at in the same way.
    pub fn merge(&mut self, rows: &DistinctSample) -> Result<()> {
        self.rows.merge(rows).map_err(|error| Error::BadPart(error.to_string()))
    }

    /// The rows kept.
    pub fn rows(&self) -> &DistinctSample {
        &self.rows
    }

    /// What to offer all rows to once more, if that is needed for a sample of `size` rows.
    pub fn next_pass(&self, size: usize) -> Option<Self> {
        let rows = self.rows.next_pass(size)?;
        Some(Self { columns: self.columns.clone(), rows, ..*self })
    }

    /// Learns the encoding of the features that were chosen, and encodes the rows; `size` says how many
    /// rows of so many numbers a fit is based on, at most.
    ///
    /// # Errors
    /// Rows that are not of these columns, or that cannot be encoded.
    pub fn encoded(
        mut self,
        file: &str,
        survey: &Survey,
        choice: &Choice,
        size: impl Fn(usize) -> usize,
    ) -> Result<EncodedSample> {
        let (batch, copies) = self.batch()?;
        let weights: Vec<f64> = copies.iter().map(|copies| copies.weight).collect();
        let batches = std::slice::from_ref(&batch);
        let encoding = Encoding::fit_weighted(file, survey, choice, batches, &weights)?;
        let size = size(encoding.width());
        let (batch, copies) = if size < self.rows.size() {
            self.rows.shrink(size);
            self.batch()?
        } else {
            (batch, copies)
        };
        let features = batch.project(&choice.features()).map_err(other_columns)?;
        let encoded = encoding.apply(file, &features)?;
        Ok(EncodedSample {
            encoding,
            values: encoded.values,
            copies: encoded.kept.iter().map(|&row| copies[row]).collect(),
            table_rows: self.rows.rows() as usize,
        })
    }

    /// The rows kept, as a batch, and how often each counts.
    fn batch(&self) -> Result<(Batch, Vec<RowCopies>)> {
        let table = self.rows.table();
        let mut cells: Vec<Cells> =
            self.columns.iter().map(|column| Cells::new(column.kind)).collect();
        for content in &table.contents {
            let mut rest = &content[..];
            let read = cells.iter_mut().all(|cells| cells.read(&mut rest).is_some());
            if !read || (!rest.is_empty() && !self.keyed) {
                return Err(Error::BadPart("its rows are not of these columns".to_string()));
            }
        }
        let field = |info: &ColumnInfo| Field::new(&info.name, info.kind.data_type(), true);
        let schema = Schema::new(self.columns.iter().map(field).collect::<Vec<_>>());
        let cells = cells.iter_mut().map(Cells::finish).collect();
        let cells = RecordBatch::try_new(Arc::new(schema), cells).map_err(other_columns)?;
        let numbers = RowNumbers::From(1);
        Ok((Batch { cells, numbers, lines: None, unreadable: Vec::new() }, table.copies))
    }
}

fn other_columns(error: ArrowError) -> Error {
    Error::BadPart(error.to_string())
}

/// The cells of a column of a batch.
enum Column<'a> {
    Numbers(&'a Float64Array),
    Booleans(&'a BooleanArray),
    Texts(&'a StringArray),
    Dates(&'a StringArray),
}

impl<'a> Column<'a> {
    fn new(kind: ColumnKind, cells: &'a ArrayRef) -> Self {
        match kind {
            ColumnKind::Number => Self::Numbers(cells.as_primitive::<Float64Type>()),
            ColumnKind::Boolean => Self::Booleans(cells.as_boolean()),
            ColumnKind::Date => Self::Dates(cells.as_string::<i32>()),
            ColumnKind::Text | ColumnKind::BigInteger => Self::Texts(cells.as_string::<i32>()),
        }
    }

    /// Appends a cell to what a row holds.
    fn write(&self, row: usize, content: &mut Vec<u8>) {
        match self {
            Self::Numbers(cells) => {
                let value = if cells.is_valid(row) { cells.value(row) + 0.0 } else { f64::NAN };
                content.extend_from_slice(&value.to_le_bytes());
            }
            Self::Booleans(cells) => {
                content.push(if cells.is_valid(row) { u8::from(cells.value(row)) } else { 2 });
            }
            Self::Texts(cells) | Self::Dates(cells) if cells.is_null(row) => {
                content.extend_from_slice(&NO_TEXT.to_le_bytes());
            }
            Self::Texts(cells) => write_text(cells.value(row), content),
            Self::Dates(cells) => {
                // A day is the same day whether it was stored with a time or without.
                let text = cells.value(row);
                write_text(text.strip_suffix("T00:00:00").unwrap_or(text), content);
            }
        }
    }
}

fn write_text(text: &str, content: &mut Vec<u8>) {
    content.extend_from_slice(&(text.len() as u32).to_le_bytes());
    content.extend_from_slice(text.as_bytes());
}

/// The cells of a column, read from what rows hold.
enum Cells {
    Numbers(Float64Builder),
    Booleans(BooleanBuilder),
    Texts(StringBuilder),
}

impl Cells {
    fn new(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Number => Self::Numbers(Float64Builder::new()),
            ColumnKind::Boolean => Self::Booleans(BooleanBuilder::new()),
            _ => Self::Texts(StringBuilder::new()),
        }
    }

    /// Reads the next cell; `None` if it is no such cell.
    fn read(&mut self, rest: &mut &[u8]) -> Option<()> {
        match self {
            Self::Numbers(cells) => {
                let value = f64::from_le_bytes(*rest.split_off(..8)?.first_chunk()?);
                cells.append_option(Some(value).filter(|value| !value.is_nan()));
            }
            Self::Booleans(cells) => cells.append_option(match rest.split_off_first()? {
                2 => None,
                cell @ (0 | 1) => Some(*cell == 1),
                _ => return None,
            }),
            Self::Texts(cells) => match u32::from_le_bytes(*rest.split_off(..4)?.first_chunk()?) {
                NO_TEXT => cells.append_null(),
                length => {
                    let text = rest.split_off(..length as usize)?;
                    cells.append_value(std::str::from_utf8(text).ok()?);
                }
            },
        }
        Some(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Numbers(cells) => Arc::new(cells.finish()),
            Self::Booleans(cells) => Arc::new(cells.finish()),
            Self::Texts(cells) => Arc::new(cells.finish()),
        }
    }
}
