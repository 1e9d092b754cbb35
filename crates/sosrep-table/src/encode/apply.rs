//! Applying: the rows of a batch as rows of numbers.
//!
//! Every cell is written, or there is a reason why not. Under [`Missing::Auto`] a row with a reason is
//! passed over and listed; under any other choice the first reason about a missing or unreadable
//! cell is an error.

use std::collections::HashMap;
use std::f64::consts::TAU;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;

use super::cells::expect_columns;
use super::column::{Category, Column, ColumnEncoder, Dated};
use super::{Encoding, Missing, Unseen};
use crate::batch::Batch;
use crate::date::{cycles, days};
use crate::error::{ColumnProblem, Error, Result};
use crate::notation::Notation;

/// The rows of a batch as numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// The rows that were kept, one after another.
    pub values: Vec<f64>,
    /// Which rows of the batch they are, from 0, ascending.
    pub kept: Vec<usize>,
    /// Rows that cannot be encoded, ascending, each with the first reason.
    pub unscored: Vec<Unscored>,
    /// Values of text columns that were not there in training, in order of their first row.
    pub unseen: Vec<Unseen>,
}

/// A row that cannot be encoded, and so not be scored.
#[derive(Debug, Clone, PartialEq)]
pub struct Unscored {
    /// The row of the batch, from 0.
    pub row: usize,
    /// The column.
    pub column: String,
    /// What is wrong with its cell.
    pub problem: ColumnProblem,
}

impl Encoding {
    /// The rows of a batch that holds exactly the [input columns](Self::input_columns), in order.
    ///
    /// # Errors
    /// A missing, infinite or unreadable cell, unless missing values are [`Missing::Auto`]: then
    /// such a row is [`Unscored`]. Other columns.
    pub fn apply(&self, file: &str, batch: &Batch) -> Result<Encoded> {
        expect_columns(
            file,
            batch,
            self.columns.iter().map(|c| (c.name.as_str(), c.encoder.kind())),
        )?;
        let all = || (0..batch.rows()).collect();
        let kept = match self.missing {
            Missing::Drop => batch.complete_rows().unwrap_or_else(all),
            _ => all(),
        };
        let mut rows = Rows::new(batch, kept, self.width());
        let mut offset = 0;
        for (position, column) in self.columns.iter().enumerate() {
            rows.fill(offset, position, column);
            offset += column.encoder.width();
        }
        if self.missing != Missing::Auto {
            rows.expect_written(file, &self.columns)?;
        }
        Ok(rows.finish(&self.columns))
    }
}

/// Rows being filled, column by column.
struct Rows<'a> {
    batch: &'a Batch,
    kept: Vec<usize>,
    values: Vec<f64>,
    width: usize,
    /// For the rows that were kept, the first column that could not be written, and why.
    faults: HashMap<usize, (usize, ColumnProblem)>,
    /// Texts that were not in training, by column: the rows that have them.
    unseen: HashMap<(usize, &'a str), Vec<usize>>,
}

/// Why a cell is not written.
enum Fault<'a> {
    /// It is missing.
    Missing,
    /// It is something else.
    Problem(ColumnProblem),
    /// It is, with a text that was not in training.
    Unseen(&'a str),
}

impl<'a> Rows<'a> {
    fn new(batch: &'a Batch, kept: Vec<usize>, width: usize) -> Self {
        let values = vec![0.0; kept.len() * width];
        Self { batch, kept, values, width, faults: HashMap::new(), unseen: HashMap::new() }
    }

    /// Writes a column from `offset` on in every row.
    fn fill(&mut self, offset: usize, position: usize, column: &Column) {
        let cells = self.batch.cells.column(position).as_ref();
        match &column.encoder {
            ColumnEncoder::Number { fill, gaps, notation: Some(notation), .. } => {
                let texts = cells.as_string::<i32>();
                self.each(position, |row, out| {
                    let cell = cells.is_valid(row).then(|| texts.value(row));
                    let value = cell.map_or(Err(Fault::Missing), |text| written(*notation, text));
                    write_number(value, *fill, *gaps, &mut out[offset..])
                });
            }
            ColumnEncoder::Number { fill, gaps, .. } => {
                let numbers = cells.as_primitive::<Float64Type>();
                self.each(position, |row, out| {
                    let value = if cells.is_valid(row) {
                        finite(numbers.value(row))
                    } else {
                        Err(Fault::Missing)
                    };
                    write_number(value, *fill, *gaps, &mut out[offset..])
                });
            }
            ColumnEncoder::Boolean { fill } => {
                let booleans = cells.as_boolean();
                self.each(position, |row, out| {
                    let cell = cells.is_valid(row).then(|| booleans.value(row));
                    out[offset] = zero_or_one(cell.or(*fill).ok_or(Fault::Missing)?);
                    Ok(())
                });
            }
            ColumnEncoder::Pair { values, fill } => {
                let texts = cells.as_string::<i32>();
                self.each(position, |row, out| {
                    let cell = cells.is_valid(row).then(|| second_of(values, texts.value(row)));
                    let cell = cell.transpose()?;
                    out[offset] = zero_or_one(cell.or(*fill).ok_or(Fault::Missing)?);
                    Ok(())
                });
            }
            ColumnEncoder::Category(category) if category.boolean => {
                let booleans = cells.as_boolean();
                let text = |row| if booleans.value(row) { "true" } else { "false" };
                self.fill_category(offset, position, category, text);
            }
            ColumnEncoder::Category(category) => {
                let texts = cells.as_string::<i32>();
                self.fill_category(offset, position, category, |row| texts.value(row));
            }
            ColumnEncoder::Frequency { shares, fill } => {
                let texts = cells.as_string::<i32>();
                self.each(position, |row, out| {
                    if cells.is_null(row) {
                        out[offset] = fill.ok_or(Fault::Missing)?;
                        return Ok(());
                    }
                    let text = texts.value(row);
                    out[offset] = *shares.get(text).ok_or(Fault::Unseen(text))?;
                    Ok(())
                });
            }
            ColumnEncoder::Date(dated) => {
                let texts = cells.as_string::<i32>();
                self.each(position, |row, out| {
                    let cell = cells.is_valid(row).then(|| texts.value(row));
                    write_date(cell, dated, &mut out[offset..])
                });
            }
        }
    }

    fn fill_category(
        &mut self,
        offset: usize,
        position: usize,
        category: &Category,
        text: impl Fn(usize) -> &'a str,
    ) {
        let cells = self.batch.cells.column(position);
        self.each(position, |row, out| {
            if cells.is_null(row) {
                let index = category.missing_index().or(category.fill).ok_or(Fault::Missing)?;
                out[offset + index] = 1.0;
                return Ok(());
            }
            let text = text(row);
            if let Some(index) = category.index(text) {
                out[offset + index] = 1.0;
                return Ok(());
            }
            if let Some(index) = category.other_index() {
                out[offset + index] = 1.0;
            }
            if category.pooled { Ok(()) } else { Err(Fault::Unseen(text)) }
        });
    }

    /// Writes a cell of a column in every row that is kept, or notes the fault.
    fn each(
        &mut self,
        position: usize,
        write: impl Fn(usize, &mut [f64]) -> Result<(), Fault<'a>>,
    ) {
        let rows = self.kept.iter().zip(self.values.chunks_exact_mut(self.width));
        for (&row, out) in rows {
            let problem = match write(row, out) {
                Ok(()) => continue,
                Err(Fault::Unseen(text)) => {
                    self.unseen.entry((position, text)).or_default().push(row);
                    continue;
                }
                Err(Fault::Problem(problem)) => problem,
                Err(Fault::Missing) => {
                    let unreadable = self.batch.unreadable_at(row, position);
                    unreadable.cloned().unwrap_or(ColumnProblem::MissingInScoring)
                }
            };
            self.faults.entry(row).or_insert((position, problem));
        }
    }

    /// An error for the first fault, row by row, unless it is a text that training did not have.
    fn expect_written(&self, file: &str, columns: &[Column]) -> Result<()> {
        let refused = |(_, (_, problem)): &(&usize, &(usize, ColumnProblem))| {
            !matches!(problem, ColumnProblem::NeitherOfTwo { .. })
        };
        // What could not be read is refused even where a missing value is filled in.
        let unreadable = self.batch.unreadable.first();
        if let Some(cell) = unreadable {
            let (place, name) = (self.batch.place(cell.row), &columns[cell.column].name);
            return Err(Error::column(file, Some(place), name, cell.problem.clone()));
        }
        let faults = self.faults.iter().filter(refused);
        match faults.min_by_key(|(row, _)| **row) {
            Some((row, (column, problem))) => {
                let (place, name) = (self.batch.place(*row), &columns[*column].name);
                Err(Error::column(file, Some(place), name, problem.clone()))
            }
            None => Ok(()),
        }
    }

    fn finish(mut self, columns: &[Column]) -> Encoded {
        let faults = &self.faults;
        if !faults.is_empty() {
            let written: Vec<bool> =
                self.kept.iter().map(|row| !faults.contains_key(row)).collect();
            let mut place = 0;
            self.values.retain(|_| {
                place += 1;
                written[(place - 1) / self.width]
            });
            self.kept.retain(|row| !faults.contains_key(row));
        }
        let unseen = self.unseen(columns);
        let unscored = |(row, (column, problem)): (usize, (usize, ColumnProblem))| Unscored {
            row,
            column: columns[column].name.clone(),
            problem,
        };
        let mut unscored: Vec<Unscored> = self.faults.into_iter().map(unscored).collect();
        unscored.sort_by_key(|unscored| unscored.row);
        Encoded { values: self.values, kept: self.kept, unscored, unseen }
    }

    /// The texts that were not in training, in the rows that were kept.
    fn unseen(&self, columns: &[Column]) -> Vec<Unseen> {
        let mut found = Vec::new();
        for ((column, text), rows) in &self.unseen {
            let mut rows = rows.iter().filter(|row| !self.faults.contains_key(row));
            let Some(&first) = rows.next() else { continue };
            let unseen = Unseen {
                column: columns[*column].name.clone(),
                value: text.to_string(),
                rows: 1 + rows.count() as u64,
                first: self.batch.place(first),
            };
            found.push(((first, *column), unseen));
        }
        // A column has one value a row: row by row, then column by column.
        found.sort_by_key(|(place, _)| *place);
        found.into_iter().map(|(_, unseen)| unseen).collect()
    }
}

fn finite<'a>(value: f64) -> Result<f64, Fault<'a>> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(Fault::Problem(ColumnProblem::Infinite { value }))
    }
}

/// The number that a text is in a notation.
fn written<'a>(notation: Notation, text: &str) -> Result<f64, Fault<'a>> {
    let not_number = || ColumnProblem::NotNumber { value: text.trim().to_string() };
    notation.number(text).ok_or_else(|| Fault::Problem(not_number()))
}

/// Writes a number, or fills its gap.
fn write_number<'a>(
    value: Result<f64, Fault<'a>>,
    fill: Option<f64>,
    gaps: bool,
    out: &mut [f64],
) -> Result<(), Fault<'a>> {
    match (value, fill) {
        (Ok(value), _) => out[0] = value,
        (Err(_), Some(fill)) if gaps => out[..2].copy_from_slice(&[fill, 1.0]),
        (Err(Fault::Missing), Some(fill)) => out[0] = fill,
        (Err(fault), _) => return Err(fault),
    }
    Ok(())
}

/// Writes a date, as days or as cycles, or fills its gap.
fn write_date<'a>(cell: Option<&str>, dated: &Dated, out: &mut [f64]) -> Result<(), Fault<'a>> {
    let read = |text: &str| {
        let not_date = || ColumnProblem::NotDate { value: text.to_string() };
        days(text, dated.order).ok_or_else(|| Fault::Problem(not_date()))
    };
    let value = cell.map_or(Err(Fault::Missing), read);
    let Dated { cycles: Some(chosen), fill, gaps, .. } = dated else {
        return write_number(value, dated.fill, dated.gaps, out);
    };
    let mut days = [0.0; 2];
    write_number(value, *fill, *gaps, &mut days)?;
    let parts = cycles(days[0]);
    let step = 1 + usize::from(*gaps);
    for (i, &cycle) in chosen.iter().enumerate() {
        let angle = TAU * parts[cycle as usize] / cycle.period();
        for (j, wave) in [angle.cos(), angle.sin()].into_iter().enumerate() {
            let place = (2 * i + j) * step;
            out[place] = wave;
            if *gaps {
                out[place + 1] = days[1];
            }
        }
    }
    Ok(())
}

/// Whether a text is the second of two values.
fn second_of<'a>(values: &[String; 2], text: &str) -> Result<bool, Fault<'a>> {
    if text == values[1] {
        Ok(true)
    } else if text == values[0] {
        Ok(false)
    } else {
        let (value, values) = (text.to_string(), Box::new(values.clone()));
        Err(Fault::Problem(ColumnProblem::NeitherOfTwo { value, values }))
    }
}

fn zero_or_one(value: bool) -> f64 {
    f64::from(u8::from(value))
}
