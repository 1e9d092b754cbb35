//! The rows of a sample as a smaller table, which stands for all of it.
//!
//! ```text
//! heavy rows    those of at least max(1/1000, 16/m) of the weight W, in every sample
//! other rows    those of the smallest keys, as often as they occur: together A of W − H
//! a heavy row counts A / (W − H) of its copies;    H the weight of all heavy rows
//! ```
//!
//! So all rows are thinned alike: those that are not heavy by leaving out most of them with all their copies, the
//! heavy ones by leaving out most of their copies. Where all distinct rows are there, nothing is thinned.
//! Copies stay whole numbers if weights are. A sample of n copies carries no more
//! information than n rows, whatever it stands for.

use super::super::copies::Copies;
use super::super::row_key::{numbers_of, row_key};
use super::DistinctSample;
use crate::error::{Error, Result};

/// Distinct rows that stand for a table.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SampledTable {
    /// What the rows hold, ascending.
    pub contents: Vec<Box<[u8]>>,
    /// How often each counts.
    pub copies: Vec<RowCopies>,
    /// Rows of the table that have a weight.
    pub rows: u64,
}

/// How often a distinct row counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowCopies {
    /// The sum of the weights of its copies.
    pub weight: f64,
    /// The number of its copies.
    pub rows: u64,
}

impl RowCopies {
    fn of(copies: &Copies) -> Self {
        Self { weight: copies.weight(), rows: copies.rows() }
    }

    /// Some of them, at least one.
    fn thinned(self, share: f64, whole: bool) -> Self {
        let weight = self.weight * share;
        let rows = (self.rows as f64 * share).round() as u64;
        Self { weight: if whole { weight.round().max(1.0) } else { weight }, rows: rows.max(1) }
    }
}

impl SampledTable {
    /// The rows as numbers, one after another.
    ///
    /// # Errors
    /// [`Error::BadSample`] unless they are of so many finite numbers each.
    pub fn values(&self, columns: usize) -> Result<Vec<f64>> {
        let mut values = Vec::with_capacity(self.contents.len() * columns);
        for content in &self.contents {
            let row = numbers_of(content, columns);
            values.extend(row.ok_or(Error::BadSample("its rows are not of these columns"))?);
        }
        Ok(values)
    }
}

struct Row<'a> {
    key: u64,
    content: &'a [u8],
    copies: RowCopies,
}

impl DistinctSample {
    /// The rows kept, once there is no [next pass](Self::next_pass).
    pub fn table(&self) -> SampledTable {
        let (heavy, others) = self.heavy_and_others();
        let sum = |rows: &[Row]| rows.iter().map(|row| row.copies.weight).sum::<f64>();
        let share = match self.left_out {
            true if !others.is_empty() => sum(&others) / (self.total.weight() - sum(&heavy)),
            _ => 1.0,
        };
        let is_whole = |row: &Row| row.copies.weight.fract() == 0.0;
        let whole = heavy.iter().chain(&others).all(is_whole);
        let mut rows = heavy;
        if share < 1.0 {
            rows.iter_mut().for_each(|row| row.copies = row.copies.thinned(share, whole));
        }
        rows.extend(others);
        rows.sort_unstable_by_key(|row| row.content);
        SampledTable {
            contents: rows.iter().map(|row| row.content.into()).collect(),
            copies: rows.iter().map(|row| row.copies).collect(),
            rows: self.total.rows(),
        }
    }

    /// The rows that are in any sample, at most half of those kept, and of the others those of the smallest
    /// keys; both by key.
    fn heavy_and_others(&self) -> (Vec<Row<'_>>, Vec<Row<'_>>) {
        let held = self.held.iter().map(|((key, content), copies)| Row {
            key: *key,
            content,
            copies: RowCopies::of(copies),
        });
        let wanted = self.wanted.iter().filter(|(_, copies)| copies.rows() > 0);
        let wanted = wanted.map(|(content, copies)| Row {
            key: row_key(self.seed, content),
            content,
            copies: RowCopies::of(copies),
        });
        let mut rows: Vec<Row> = held.chain(wanted).collect();
        rows.sort_unstable_by_key(|row| (row.key, row.content));
        if !self.left_out {
            return (Vec::new(), rows);
        }
        let least = self.heavy(self.size);
        let (mut heavy, mut others): (Vec<Row>, Vec<Row>) =
            rows.into_iter().partition(|row| row.copies.weight >= least);
        // By weight, of equal ones by key.
        heavy.sort_by(|a, b| b.copies.weight.total_cmp(&a.copies.weight));
        others.extend(heavy.split_off(heavy.len().min(self.size / 2)));
        heavy.sort_unstable_by_key(|row| (row.key, row.content));
        others.sort_unstable_by_key(|row| (row.key, row.content));
        others.retain(|row| row.key <= self.limit);
        others.truncate(self.size - heavy.len());
        (heavy, others)
    }
}
