//! Applying: the rows of a batch as rows of numbers.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, StringArray};

use super::cells::{expect_columns, first_infinite, first_missing};
use super::column::{Column, ColumnEncoder};
use super::{Encoding, Missing, Unseen};
use crate::batch::Batch;
use crate::error::{ColumnProblem, Error, Result};

/// The rows of a batch as numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// The rows that were kept, one after another.
    pub values: Vec<f64>,
    /// Which rows of the batch they are, from 0, ascending.
    pub kept: Vec<usize>,
    /// Values of text columns that were not there in training, in order of their first row.
    pub unseen: Vec<Unseen>,
}

/// Unseen values of a column: the first row and the number of rows of each.
type UnseenCounts<'a> = HashMap<&'a str, (usize, u64)>;

impl Encoding {
    /// The rows of a batch that holds exactly the [input columns](Self::input_columns), in order.
    ///
    /// # Errors
    /// A missing value, unless they are dropped or imputed; an infinite number; other columns.
    pub fn apply(&self, file: &str, batch: &Batch) -> Result<Encoded> {
        expect_columns(
            file,
            batch,
            self.columns.iter().map(|c| (c.name.as_str(), c.encoder.kind())),
        )?;
        let mut rows =
            Rows { kept: self.kept(file, batch)?, values: Vec::new(), width: self.width() };
        rows.values.resize(rows.kept.len() * rows.width, 0.0);
        let (mut offset, mut unseen) = (0, Vec::new());
        for (position, column) in self.columns.iter().enumerate() {
            if let ColumnEncoder::Number { .. } = column.encoder
                && let Some((place, value)) = first_infinite(batch, position)
            {
                let problem = ColumnProblem::Infinite { value };
                return Err(Error::column(file, Some(place), &column.name, problem));
            }
            let counts = rows.fill(offset, column, batch.cells.column(position));
            unseen.extend(counts.into_iter().map(|(value, (first, rows))| {
                let (column, value) = (column.name.clone(), value.to_string());
                (first, Unseen { column, value, rows, first: batch.place(first) })
            }));
            offset += column.encoder.width();
        }
        // Stable, and a column has one first value a row: row by row, then column by column.
        unseen.sort_by_key(|(first, _)| *first);
        let unseen = unseen.into_iter().map(|(_, unseen)| unseen).collect();
        Ok(Encoded { values: rows.values, kept: rows.kept, unseen })
    }

    /// The rows of the batch that are encoded.
    fn kept(&self, file: &str, batch: &Batch) -> Result<Vec<usize>> {
        let all = 0..batch.rows();
        match self.missing {
            Missing::Impute => Ok(all.collect()),
            Missing::Drop => Ok(batch.complete_rows().unwrap_or_else(|| all.collect())),
            Missing::Error => first_missing(batch).map_or(Ok(all.collect()), |(row, column)| {
                let (place, name) = (batch.place(row), &self.columns[column].name);
                Err(Error::column(file, Some(place), name, ColumnProblem::MissingInScoring))
            }),
        }
    }
}

/// Rows being filled, column by column.
struct Rows {
    kept: Vec<usize>,
    values: Vec<f64>,
    width: usize,
}

impl Rows {
    /// Writes a column from `offset` on in every row.
    fn fill<'a>(
        &mut self,
        offset: usize,
        column: &Column,
        cells: &'a dyn Array,
    ) -> UnseenCounts<'a> {
        match &column.encoder {
            ColumnEncoder::Number { fill } => {
                let numbers = cells.as_primitive::<Float64Type>();
                self.fill_values(offset, cells, *fill, |row| numbers.value(row));
                UnseenCounts::new()
            }
            ColumnEncoder::Boolean { fill } => {
                let booleans = cells.as_boolean();
                let fill = fill.map(zero_or_one);
                self.fill_values(offset, cells, fill, |row| zero_or_one(booleans.value(row)));
                UnseenCounts::new()
            }
            ColumnEncoder::Onehot { values, fill } => {
                let one = |index: usize| (offset + index, 1.0);
                self.fill_text(cells.as_string(), fill.map(one), |text| {
                    values.binary_search_by(|value| value.as_str().cmp(text)).ok().map(one)
                })
            }
            ColumnEncoder::Frequency { shares, fill } => {
                self.fill_text(cells.as_string(), fill.map(|share| (offset, share)), |text| {
                    shares.get(text).map(|share| (offset, *share))
                })
            }
        }
    }

    /// Writes a number per row; `fill` where the cell is missing, which a checked encoding has if
    /// such a row was kept.
    fn fill_values(
        &mut self,
        offset: usize,
        cells: &dyn Array,
        fill: Option<f64>,
        value: impl Fn(usize) -> f64,
    ) {
        let fill = fill.unwrap_or(f64::NAN);
        for (&row, out) in self.kept.iter().zip(self.values.chunks_exact_mut(self.width)) {
            out[offset] = if cells.is_valid(row) { value(row) } else { fill };
        }
    }

    /// Writes a number per row with a known value: `find` gives where it goes and what it is, `fill`
    /// the same for a missing cell. All others stay zero.
    fn fill_text<'a>(
        &mut self,
        text: &'a StringArray,
        fill: Option<(usize, f64)>,
        find: impl Fn(&str) -> Option<(usize, f64)>,
    ) -> UnseenCounts<'a> {
        let mut unseen_counts = UnseenCounts::new();
        for (&row, out) in self.kept.iter().zip(self.values.chunks_exact_mut(self.width)) {
            let number = if text.is_valid(row) { find(text.value(row)) } else { fill };
            if let Some((position, value)) = number {
                out[position] = value;
            } else if text.is_valid(row) {
                unseen_counts.entry(text.value(row)).or_insert((row, 0)).1 += 1;
            }
        }
        unseen_counts
    }
}

fn zero_or_one(value: bool) -> f64 {
    f64::from(u8::from(value))
}
