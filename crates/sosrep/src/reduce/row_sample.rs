//! Which rows of a table a sample of fixed size keeps, for callers that hold the rows themselves.
//!
//! The rule is that of [`priority`](super::priority) for rows of equal weight: the m rows with the largest
//! priorities 1/u_i are kept, u_i from a hash of (seed, i). A row that is left out once never comes
//! back, so its values can be dropped at once; and the sample of m' < m rows is part of that of m,
//! so a sample can be made smaller when the other rows are no longer held.
//!
//! Cost: a hash a row, and 24 bytes a row kept.

use super::priority::{Kept, Sampler};

/// A uniform sample without replacement of the rows of a table of unknown length, by their numbers.
///
/// ```
/// use sosrep::reduce::RowSample;
///
/// let mut sample = RowSample::new(10, 7);
/// let mut held: Vec<u64> = (0..1000).filter(|&row| sample.offer(row)).collect();
/// held.retain(|&row| sample.keeps(row)); // some were kept until better ones came
/// assert_eq!(held.len(), 10);
/// ```
#[derive(Debug, Clone)]
pub struct RowSample {
    sampler: Sampler,
}

impl RowSample {
    /// An empty sample of at most `size` rows.
    pub fn new(size: usize, seed: u64) -> Self {
        Self { sampler: Sampler::new(size, seed) }
    }

    /// Most rows it keeps.
    pub fn size(&self) -> usize {
        self.sampler.size
    }

    /// The numbers of the rows that it keeps of a table, ascending.
    pub(crate) fn of_table(mut self, rows: usize) -> Vec<usize> {
        (0..rows).for_each(|row| {
            self.offer(row as u64);
        });
        (0..rows).filter(|&row| self.keeps(row as u64)).collect()
    }

    /// Offers a row, each number once and in any order; whether it is kept as yet.
    pub fn offer(&mut self, row: u64) -> bool {
        self.sampler.offer(row, 1.0);
        self.keeps(row)
    }

    /// Whether a row that was offered is still kept.
    pub fn keeps(&self, row: u64) -> bool {
        self.is_whole() || self.sampler.is_before_last(&Kept::new(self.sampler.seed, row, 1.0))
    }

    /// Whether no row was left out yet.
    pub fn is_whole(&self) -> bool {
        self.sampler.heap.len() <= self.sampler.size
    }
}

#[cfg(test)]
mod tests {
    use super::super::subset;
    use super::*;
    use crate::points::{Points, Weights};

    fn kept(size: usize, seed: u64, rows: &[u64]) -> Vec<u64> {
        let mut sample = RowSample::new(size, seed);
        let mut held: Vec<u64> = rows.iter().copied().filter(|&row| sample.offer(row)).collect();
        held.retain(|&row| sample.keeps(row));
        assert_eq!(sample.is_whole(), rows.len() <= size);
        held.sort_unstable();
        held
    }

    #[test]
    fn the_rows_kept_are_those_of_a_subset_of_equal_weights() {
        let rows: Vec<u64> = (0..700).collect();
        let values = vec![0.0; 700];
        let points = Points::new(&values, 1).unwrap();
        for size in [1, 40, 699, 700, 701] {
            let expected = subset(points, &Weights::equal(700), size, 9).unwrap().indices;
            let found: Vec<usize> = kept(size, 9, &rows).iter().map(|&row| row as usize).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn the_order_of_the_rows_does_not_matter_and_a_smaller_sample_is_part_of_a_larger() {
        let rows: Vec<u64> = (0..500).collect();
        let backwards: Vec<u64> = rows.iter().rev().copied().collect();
        let large = kept(60, 3, &rows);
        assert_eq!(kept(60, 3, &backwards), large);
        assert_eq!(kept(20, 3, &large), kept(20, 3, &rows));
    }

    #[test]
    fn a_row_left_out_never_comes_back() {
        let mut sample = RowSample::new(5, 1);
        let mut out = Vec::new();
        for row in 0..200 {
            sample.offer(row);
            assert!(out.iter().all(|&row| !sample.keeps(row)));
            out = (0..=row).filter(|&row| !sample.keeps(row)).collect();
        }
        assert_eq!(out.len(), 195);
        assert!((0..9).all(|row| !RowSample::new(0, 1).offer(row)));
    }
}
