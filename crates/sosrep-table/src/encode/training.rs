//! The training rows that are held, as the encoder asks about them: medians and texts.

use std::collections::BTreeSet;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_buffer::NullBuffer;

use crate::batch::Batch;

/// The training rows.
pub(super) struct Training<'a> {
    /// Batches, each with the rows to learn from; all of them where there is no mask.
    batches: Vec<(&'a Batch, Option<NullBuffer>)>,
    /// How often each row of all batches counts; once where there is none.
    weights: &'a [f64],
}

impl<'a> Training<'a> {
    /// The rows of some batches, only those without a missing value if the others are left out.
    pub(super) fn new(batches: &'a [Batch], drops: bool, weights: &'a [f64]) -> Self {
        let kept = |batch: &'a Batch| (batch, if drops { batch.complete() } else { None });
        Self { batches: batches.iter().map(kept).collect(), weights }
    }

    /// For each batch the rows that are kept and have a value in the column.
    fn present(
        &self,
        column: usize,
    ) -> impl Iterator<Item = (&'a dyn Array, impl Iterator<Item = usize> + use<'a>)> {
        self.batches.iter().map(move |(batch, kept)| {
            let cells = batch.cells.column(column).as_ref();
            let valid = NullBuffer::union(kept.as_ref(), cells.nulls());
            let present =
                move |row: &usize| valid.as_ref().is_none_or(|valid| valid.is_valid(*row));
            (cells, (0..batch.rows()).filter(present))
        })
    }

    /// The median of the finite numbers of a column, if it has some.
    pub(super) fn median(&self, column: usize) -> Option<f64> {
        let (mut values, mut before) = (Vec::new(), 0);
        for (cells, rows) in self.present(column) {
            let numbers = cells.as_primitive::<Float64Type>();
            let cells_of = rows.map(|row| (numbers.value(row), self.weight(before + row)));
            values.extend(cells_of.filter(|(value, _)| value.is_finite()));
            before += cells.len();
        }
        median(values)
    }

    /// The median of the numbers that the texts of a column stand for, if some do.
    pub(super) fn median_of(
        &self,
        column: usize,
        read: impl Fn(&str) -> Option<f64>,
    ) -> Option<f64> {
        let (mut values, mut before) = (Vec::new(), 0);
        for (cells, rows) in self.present(column) {
            let text = cells.as_string::<i32>();
            let number = |row: usize| Some((read(text.value(row))?, self.weight(before + row)));
            values.extend(rows.filter_map(number));
            before += cells.len();
        }
        median(values)
    }

    /// How often a row counts, from the first row of all batches.
    fn weight(&self, row: usize) -> f64 {
        self.weights.get(row).copied().unwrap_or(1.0)
    }

    /// The values of a text column, ascending.
    pub(super) fn texts(&self, column: usize) -> Vec<&'a str> {
        let mut texts = BTreeSet::new();
        for (cells, rows) in self.present(column) {
            let text = cells.as_string::<i32>();
            texts.extend(rows.map(|row| text.value(row)));
        }
        texts.into_iter().collect()
    }
}

/// The value with half of the weight on either side, or midway between two such values.
fn median(mut values: Vec<(f64, f64)>) -> Option<f64> {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let half = values.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut below = 0.0;
    let middle = values.iter().position(|(_, weight)| {
        below += weight;
        below >= half
    })?;
    let next = values.get(middle + 1).filter(|_| below == half);
    Some(next.map_or(values[middle].0, |next| f64::midpoint(values[middle].0, next.0)))
}
