//! What must be known of every row of a table, though not all of them may be held.
//!
//! Which cells are missing, infinite or unreadable, how many and where the first is; the range of
//! numbers; the values of text and how often each is there. What a column becomes is decided by it:
//! a function of the rows as a multiset, whatever the batches, the order and the sample that is kept.
//! Parts of a table are surveyed apart and merged; only the places in messages depend on it.
//!
//! Memory: a few numbers a column; for columns of text at most a few megabytes, see
//! [`texts`].

mod bytes;
mod dates;
mod distinct;
mod numbers;
mod texts;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, BooleanArray};

use serde::{Deserialize, Serialize};

use super::EncodeOptions;
use super::cells::expect_columns;
use super::choice::looks_like_id;
use super::options::Missing;
use crate::batch::{Batch, ColumnInfo, ColumnKind};
use crate::error::{ColumnProblem, Place, Result};
use crate::notation::Notation;
pub(super) use dates::DateTally;
pub(super) use numbers::NumberTally;
pub(super) use texts::{TextTally, WrittenNumbers};

/// The rows of a table as they go by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    columns: Vec<ColumnInfo>,
    pub(super) options: EncodeOptions,
    /// Rows seen.
    pub rows: u64,
    /// Rows without a missing cell.
    pub complete: u64,
    /// Missing cells of each column, those that could not be read among them.
    pub missing: Vec<u64>,
    pub(super) tallies: Vec<ColumnTally>,
}

/// What is known of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ColumnTally {
    /// The first missing cell.
    pub(super) first_missing: Option<Place>,
    /// Cells that could not be read, and the first of them.
    pub(super) unreadable: Faults<ColumnProblem>,
    pub(super) values: Values,
}

/// What is known of the values of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Values {
    Number(NumberTally),
    /// Cells that are false, and cells that are true.
    Boolean([u64; 2]),
    Text(TextTally),
    Date(DateTally),
}

/// How many cells have a fault, and the first of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Faults<T> {
    pub(super) cells: u64,
    pub(super) first: Option<(Place, T)>,
}

impl<T> Default for Faults<T> {
    fn default() -> Self {
        Self { cells: 0, first: None }
    }
}

impl<T> Faults<T> {
    pub(super) fn add(&mut self, place: Place, fault: impl FnOnce() -> T) {
        self.cells += 1;
        if self.first.is_none() {
            self.first = Some((place, fault()));
        }
    }
}

impl<T: Clone> Faults<T> {
    pub(super) fn merge(&mut self, other: &Self) {
        self.cells += other.cells;
        self.first = earlier(self.first.take(), &other.first);
    }
}

/// What is found first, if something is.
fn earlier<T: Clone>(a: Option<(Place, T)>, b: &Option<(Place, T)>) -> Option<(Place, T)> {
    match (a, b) {
        (Some(a), Some(b)) if b.0 < a.0 => Some(b.clone()),
        (None, b) => b.clone(),
        (a, _) => a,
    }
}

impl Survey {
    /// No rows yet.
    pub fn new(columns: &[ColumnInfo], options: &EncodeOptions) -> Self {
        let tally = |(position, info): (usize, &ColumnInfo)| ColumnTally {
            first_missing: None,
            unreadable: Faults::default(),
            values: match info.kind {
                ColumnKind::Number => {
                    Values::Number(NumberTally::new(position == 0, looks_like_id(&info.name)))
                }
                ColumnKind::Boolean => Values::Boolean([0; 2]),
                ColumnKind::Text | ColumnKind::BigInteger => Values::Text(TextTally::default()),
                ColumnKind::Date => Values::Date(DateTally::default()),
            },
        };
        Self {
            columns: columns.to_vec(),
            options: options.clone(),
            rows: 0,
            complete: 0,
            missing: vec![0; columns.len()],
            tallies: columns.iter().enumerate().map(tally).collect(),
        }
    }

    /// The columns looked at.
    pub fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    /// The choices of the user.
    pub fn options(&self) -> &EncodeOptions {
        &self.options
    }

    /// Rows to learn from: all of them, or the complete ones if the others are left out.
    pub fn usable(&self) -> u64 {
        if self.options.missing == Missing::Drop { self.complete } else { self.rows }
    }

    /// Looks at the next rows.
    ///
    /// # Errors
    /// [`Error::UnexpectedCells`](crate::Error::UnexpectedCells) unless they have these columns.
    pub fn add(&mut self, file: &str, batch: &Batch) -> Result<()> {
        expect_columns(file, batch, self.columns.iter().map(|c| (c.name.as_str(), c.kind)))?;
        let complete = batch.complete();
        let incomplete = complete.as_ref().map_or(0, |rows| rows.null_count());
        // Rows that are left out say nothing about values.
        let learns = complete.filter(|_| self.options.missing == Missing::Drop);
        let learns = |row: usize| learns.as_ref().is_none_or(|rows| rows.is_valid(row));
        for (position, tally) in self.tallies.iter_mut().enumerate() {
            let cells = batch.cells.column(position);
            self.missing[position] += cells.null_count() as u64;
            tally.find_missing(batch, cells);
            tally.values.add(batch, cells, &learns);
        }
        for cell in &batch.unreadable {
            let tally = &mut self.tallies[cell.column];
            tally.unreadable.add(batch.place(cell.row), || cell.problem.clone());
        }
        self.rows += batch.rows() as u64;
        self.complete += (batch.rows() - incomplete) as u64;
        Ok(())
    }

    /// How the numbers of a column of text are written, if they are numbers written for people and the
    /// user did not say what they are: the decimal mark that leaves all of them numbers. Where both
    /// do, as in 1,234, the comma if a column of the table has numbers with a decimal comma only.
    pub(super) fn notation(&self, column: usize) -> Option<Notation> {
        let Values::Text(texts) = &self.tallies[column].values else { return None };
        if self.options.said(&self.columns[column].name).is_some() {
            return None;
        }
        let is_comma_only = |tally: &ColumnTally| match &tally.values {
            Values::Text(texts) => {
                texts.notations().is_some_and(|(found, _)| found == [Notation::DecimalComma])
            }
            _ => false,
        };
        match texts.notations()?.0[..] {
            [only] => Some(only),
            _ if self.tallies.iter().any(is_comma_only) => Some(Notation::DecimalComma),
            _ => Some(Notation::DecimalPoint),
        }
    }

    /// Cells of a column that are as good as missing, in the rows to learn from.
    pub(super) fn gaps(&self, column: usize) -> u64 {
        let missing = if self.options.missing == Missing::Drop { 0 } else { self.missing[column] };
        missing
            + match &self.tallies[column].values {
                Values::Number(numbers) => numbers.infinite.cells,
                Values::Date(dates) => dates.reading().unreadable.cells,
                _ => 0,
            }
    }
}

impl ColumnTally {
    fn find_missing(&mut self, batch: &Batch, cells: &dyn Array) {
        if self.first_missing.is_none() && cells.null_count() > 0 {
            let row = (0..cells.len()).find(|&row| cells.is_null(row));
            self.first_missing = row.map(|row| batch.place(row));
        }
    }
}

impl Values {
    /// Looks at the cells of a batch.
    fn add(&mut self, batch: &Batch, cells: &dyn Array, learns: &dyn Fn(usize) -> bool) {
        let rows = (0..cells.len()).filter(|&row| cells.is_valid(row) && learns(row));
        match self {
            Self::Number(tally) => {
                let numbers = cells.as_primitive::<Float64Type>();
                rows.for_each(|row| tally.add(numbers.value(row), || batch.place(row)));
            }
            Self::Boolean(counts) => {
                let booleans: &BooleanArray = cells.as_boolean();
                rows.for_each(|row| counts[usize::from(booleans.value(row))] += 1);
            }
            Self::Text(tally) => {
                let text = cells.as_string::<i32>();
                rows.for_each(|row| tally.add(text.value(row), || batch.place(row)));
            }
            Self::Date(tally) => {
                let text = cells.as_string::<i32>();
                rows.for_each(|row| tally.add(text.value(row), || batch.place(row)));
            }
        }
    }

    /// Whether no cell has a value that can be used.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Number(numbers) => numbers.present == 0,
            Self::Boolean(counts) => counts.iter().sum::<u64>() == 0,
            Self::Text(texts) => texts.present() == 0,
            Self::Date(dates) => dates.reading().present == 0,
        }
    }
}
