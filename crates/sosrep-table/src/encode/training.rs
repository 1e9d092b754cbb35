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
}

impl<'a> Training<'a> {
    /// The rows of some batches, only those without a missing value if the others are left out.
    pub(super) fn new(batches: &'a [Batch], drops: bool) -> Self {
        let kept = |batch: &'a Batch| (batch, if drops { batch.complete() } else { None });
        Self { batches: batches.iter().map(kept).collect() }
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
        let mut values = Vec::new();
        for (cells, rows) in self.present(column) {
            let numbers = cells.as_primitive::<Float64Type>();
            values.extend(rows.map(|row| numbers.value(row)).filter(|value| value.is_finite()));
        }
        median(values)
    }

    /// The median of the numbers that the texts of a column stand for, if some do.
    pub(super) fn median_of(
        &self,
        column: usize,
        read: impl Fn(&str) -> Option<f64>,
    ) -> Option<f64> {
        let mut values = Vec::new();
        for (cells, rows) in self.present(column) {
            let text = cells.as_string::<i32>();
            values.extend(rows.filter_map(|row| read(text.value(row))));
        }
        median(values)
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

/// The middle value, or midway between the two in the middle.
fn median(mut values: Vec<f64>) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let half = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    match below.iter().copied().max_by(f64::total_cmp) {
        Some(lower) if even => Some(f64::midpoint(lower, upper)),
        _ => Some(upper),
    }
}
