//! Rows, a few of which stand for all of them: those with the first keys.
//!
//! ```text
//! u_i ∈ (0, 1]   a hash of what row i of the table holds, see `reduce/row_key.rs`
//! sample         the rows of largest w_i / u_i, a priority sample, see `reduce/priority.rs`
//! ```
//!
//! Which rows are in the sample depends on nothing but what the rows hold: not on their order, and on the
//! other rows only by how many there are. A table with one row less has the same sample but for one row. A
//! sample that is spread evenly along an order, every seventh row, would change as a whole.
//!
//! The keys are those of the rows as they were given. Prepared values would not do: they change in
//! the last bits when a row is added. In other units a table has another sample, as with another seed.
//!
//! Cost: n·d hashes once, and n log m for a sample of m rows. Differs from the paper: not in it.

use crate::error::Result;
use crate::points::{Points, Weights};
use crate::reduce::{Subset, row_keys, subset_by_keys};

/// The seed of the keys. A sample smooths over the others; it is no choice of the user.
const SEED: u64 = 1;

/// Prepared rows with their weights and keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyedRows<'a> {
    pub(super) points: Points<'a>,
    pub(super) weights: &'a Weights,
    pub(super) keys: &'a [f64],
}

impl KeyedRows<'_> {
    /// The keys of rows of the table.
    pub(super) fn keys_of(table: Points) -> Vec<f64> {
        row_keys(table, SEED)
    }

    /// At most `size` of the rows, with weights by which they stand for all; all rows, with their own
    /// weights, if there are no more.
    pub(super) fn sample(&self, size: usize) -> Result<Subset> {
        subset_by_keys(self.keys, self.weights, size)
    }

    /// Of some of the rows at most `count`, those with the first keys, whatever their weights; in
    /// the order given.
    pub(super) fn first_of(&self, rows: &[usize], count: usize) -> Vec<usize> {
        let Some(last) = rows.len().checked_sub(1).map(|last| last.min(count - 1)) else {
            return Vec::new();
        };
        let mut keys: Vec<f64> = rows.iter().map(|&row| self.keys[row]).collect();
        let limit = *keys.select_nth_unstable_by(last, f64::total_cmp).1;
        rows.iter().copied().filter(|&row| self.keys[row] <= limit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uniform(rows: usize) -> Vec<f64> {
        (0..2 * rows).map(|i| (i as f64 * 0.754_877).fract()).collect()
    }

    /// The sampled rows of a table, by what they hold.
    fn sample(values: &[f64], size: usize) -> Vec<Vec<f64>> {
        let points = Points::new(values, 2).unwrap();
        let (weights, keys) = (Weights::equal(points.rows()), KeyedRows::keys_of(points));
        let rows = KeyedRows { points, weights: &weights, keys: &keys };
        let kept = rows.sample(size).unwrap().indices;
        let all: Vec<usize> = (0..points.rows()).collect();
        assert_eq!(rows.first_of(&all, size), kept, "of equal weights both are the same");
        kept.into_iter().map(|row| points.row(row).to_vec()).collect()
    }

    #[test]
    fn without_one_row_the_sample_changes_by_one_row_at_most() {
        let (values, size) = (uniform(400), 60);
        let whole = sample(&values, size);
        assert_eq!(whole.len(), size);
        for row in 0..400 {
            let mut fewer = values.clone();
            fewer.drain(2 * row..2 * row + 2);
            let found = sample(&fewer, size);
            let new = found.iter().filter(|row| !whole.contains(row)).count();
            let was_sampled = whole.contains(&values[2 * row..2 * row + 2].to_vec());
            assert_eq!((found.len(), new), (size, usize::from(was_sampled)), "{row}");
        }
    }

    #[test]
    fn few_rows_all_stand_for_themselves() {
        let values = uniform(7);
        let points = Points::new(&values, 2).unwrap();
        let weights = Weights::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).unwrap();
        let keys = KeyedRows::keys_of(points);
        let rows = KeyedRows { points, weights: &weights, keys: &keys };
        let sample = rows.sample(7).unwrap();
        assert_eq!((sample.indices, sample.weights), ((0..7).collect(), weights.clone()));
        assert_eq!(rows.first_of(&[5, 2], 2), [5, 2]);
        assert_eq!(rows.first_of(&[], 2), Vec::<usize>::new());
    }
}
