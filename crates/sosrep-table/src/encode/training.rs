//! The training rows as the encoder asks about them: counts, medians, first values.

use std::collections::HashMap;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_buffer::NullBuffer;

use super::Survey;
use crate::batch::{Batch, ColumnInfo};
use crate::error::{ColumnProblem, Error, Place};

/// The training rows.
pub(super) struct Training<'a> {
    pub(super) file: &'a str,
    pub(super) columns: &'a [ColumnInfo],
    /// What is known of all rows.
    pub(super) survey: &'a Survey,
    /// The rows to learn from.
    pub(super) batches: &'a [Batch],
    /// For each batch the rows to learn from; all of them where there is no mask.
    pub(super) kept: Vec<Option<NullBuffer>>,
}

impl<'a> Training<'a> {
    /// The error for a column.
    pub(super) fn error(
        &self,
        place: Option<Place>,
        column: usize,
        problem: ColumnProblem,
    ) -> Error {
        Error::column(self.file, place, &self.columns[column].name, problem)
    }

    /// All rows, kept or not.
    pub(super) fn rows(&self) -> u64 {
        self.survey.rows
    }

    /// Missing cells of a column, in all rows.
    pub(super) fn missing(&self, column: usize) -> u64 {
        self.survey.missing[column]
    }

    /// For each batch the rows that are kept and have a value in the column.
    fn present(
        &self,
        column: usize,
    ) -> impl Iterator<Item = (&'a Batch, impl Iterator<Item = usize> + use<'a>)> {
        self.batches.iter().zip(&self.kept).map(move |(batch, kept)| {
            let valid = NullBuffer::union(kept.as_ref(), batch.cells.column(column).nulls());
            let present =
                move |row: &usize| valid.as_ref().is_none_or(|valid| valid.is_valid(*row));
            (batch, (0..batch.rows()).filter(present))
        })
    }

    /// Whether a row to learn from has a value in the column.
    pub(super) fn has_value(&self, column: usize) -> bool {
        self.present(column).any(|(_, mut rows)| rows.next().is_some())
    }

    /// The middle value of a number column, or midway between the two in the middle.
    pub(super) fn median(&self, column: usize) -> f64 {
        let mut values = Vec::new();
        for (batch, rows) in self.present(column) {
            let numbers = batch.cells.column(column).as_primitive::<Float64Type>();
            values.extend(rows.map(|row| numbers.value(row)));
        }
        if values.is_empty() {
            return 0.0;
        }
        let half = values.len() / 2;
        let even = values.len().is_multiple_of(2);
        let (below, &mut upper, _) = values.select_nth_unstable_by(half, f64::total_cmp);
        match below.iter().copied().max_by(f64::total_cmp) {
            Some(lower) if even => f64::midpoint(lower, upper),
            _ => upper,
        }
    }

    /// Whether more cells of a boolean column are true than false.
    pub(super) fn mostly_true(&self, column: usize) -> bool {
        let (mut cells, mut truths) = (0, 0);
        for (batch, rows) in self.present(column) {
            let booleans = batch.cells.column(column).as_boolean();
            for row in rows {
                cells += 1;
                truths += usize::from(booleans.value(row));
            }
        }
        2 * truths > cells
    }

    /// The values of a text column, ascending, with the number of cells that have them.
    pub(super) fn counts(&self, column: usize) -> Vec<(&'a str, usize)> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for (batch, rows) in self.present(column) {
            let text = batch.cells.column(column).as_string::<i32>();
            rows.for_each(|row| *counts.entry(text.value(row)).or_default() += 1);
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable();
        counts
    }
}
