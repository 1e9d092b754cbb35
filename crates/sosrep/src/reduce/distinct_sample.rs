//! A sample of the distinct rows of a table, with how often each occurs, which parts of the table can
//! be merged into.
//!
//! ```text
//! key(x) = hash(seed, content of x)
//! keep the m distinct rows of the smallest keys, each with all its copies;
//! and every row that holds at least max(1/1000, 16/m) of the weight, however its key
//! ```
//!
//! A row is known by its content, any bytes, and copies of a row share its key: what is kept is a function
//! of the rows as a multiset. Neither their order nor the parts in which they come, nor threads nor
//! processes change a bit of it. A row of one of the m smallest keys of the table is among the m smallest of its
//! part, so that all its copies are counted.
//!
//! A row may hold much of a table and yet have a large key. Candidates for that are found while the rows
//! go by ([`frequent_rows`](super::frequent_rows)), and counted exactly while they go by a second time. There is no
//! second time where all distinct rows fit, or nothing is frequent. Where a table lies in many parts, the
//! first time goes with a small m: from its largest key follows how many distinct rows D there are, and
//! the second time each part gives only rows whose keys are below a limit that m rows of all are below,
//! m/D and a little more:
//!
//! ```text
//! let mut sample = first; offer every row;
//! while let Some(next) = sample.next_pass(m) { sample = next; offer every row again; }
//! ```
//!
//! Cost: a hash of every row, and the logarithm of m for those below the largest key. Memory: m rows,
//! and at most 4096 that may be frequent. Differs from the paper: not in it.

mod bytes;
mod table;

use std::collections::BTreeMap;

use super::copies::Copies;
use super::frequent_rows::FrequentRows;
use super::row_key::{content_of, row_key};
use crate::error::{Error, Result};
pub use table::{RowCopies, SampledTable};

/// The share of all weight from which on a row is in every sample, at least.
const HEAVY: f64 = 1e-3;
/// The rows of a sample that a row in every one counts for, at least: so few copies that a whole number of
/// them is hardly wrong.
const HEAVY_ROWS: f64 = 16.0;
/// Deviations of estimates that a limit leaves room for.
const ROOM: f64 = 6.0;

/// A sample of the distinct rows of a table.
///
/// ```
/// use sosrep::reduce::DistinctSample;
///
/// let rows: Vec<[f64; 2]> = (0..1000).map(|i| [f64::from(i % 500), 0.0]).collect();
/// let mut whole = DistinctSample::new(100, 7);
/// rows.iter().for_each(|row| whole.offer_row(row, 1.0));
///
/// // The same in two parts, one of which was sent by other means.
/// let (mut one, mut other) = (DistinctSample::new(100, 7), DistinctSample::new(100, 7));
/// rows[300..].iter().for_each(|row| one.offer_row(row, 1.0));
/// rows[..300].iter().for_each(|row| other.offer_row(row, 1.0));
/// one.merge(&DistinctSample::from_bytes(&other.to_bytes())?)?;
/// assert_eq!(one.table().contents, whole.table().contents);
/// assert!(one.table().copies.iter().all(|copies| copies.rows == 2));
/// # Ok::<(), sosrep::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DistinctSample {
    /// m.
    size: usize,
    seed: u64,
    /// Keys beyond are left out.
    limit: u64,
    /// All rows that were offered.
    total: Copies,
    /// The m rows of the smallest keys.
    held: BTreeMap<(u64, Box<[u8]>), Copies>,
    /// Whether a row was left out.
    left_out: bool,
    /// Rows that are counted whatever their key.
    wanted: BTreeMap<Box<[u8]>, Copies>,
    /// The rows among those left out that may hold much, unless they were found before.
    frequent: Option<FrequentRows>,
}

impl DistinctSample {
    /// No rows yet; at most `size` are kept.
    pub fn new(size: usize, seed: u64) -> Self {
        Self {
            size,
            seed,
            limit: u64::MAX,
            total: Copies::default(),
            held: BTreeMap::new(),
            left_out: false,
            wanted: BTreeMap::new(),
            frequent: Some(FrequentRows::default()),
        }
    }

    /// Most rows it keeps, beside those that hold much.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Rows offered.
    pub fn rows(&self) -> u64 {
        self.total.rows()
    }

    /// Offers a row of finite numbers; a weight of k is k copies. Rows of no weight are passed over.
    pub fn offer_row(&mut self, row: &[f64], weight: f64) {
        self.offer(&content_of(row), weight);
    }

    /// Offers a row whose [key](crate::reduce::key_of_numbers) is known.
    pub(crate) fn offer_keyed_row(&mut self, row: &[f64], key: u64, weight: f64) {
        self.offer_keyed(&content_of(row), key, weight);
    }

    /// Offers a row with this content.
    pub fn offer(&mut self, content: &[u8], weight: f64) {
        self.offer_keyed(content, row_key(self.seed, content), weight);
    }

    fn offer_keyed(&mut self, content: &[u8], key: u64, weight: f64) {
        if weight.is_nan() || weight <= 0.0 {
            return;
        }
        self.total.add(weight);
        if let Some(copies) = self.wanted.get_mut(content) {
            return copies.add(weight);
        }
        if key > self.largest() {
            self.leave_out(key, content, weight);
        } else {
            self.held.entry((key, content.into())).or_default().add(weight);
            self.evict();
        }
    }

    /// Adds the rows that another part of the table was asked for in the same way.
    ///
    /// # Errors
    /// [`Error::BadSample`] if it was asked in another way.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        let same = (self.size, self.seed, self.limit) == (other.size, other.seed, other.limit)
            && self.wanted.keys().eq(other.wanted.keys())
            && self.frequent.is_some() == other.frequent.is_some();
        if !same {
            return Err(Error::BadSample("it is of another fit, or of another pass over its rows"));
        }
        self.total.merge(&other.total);
        self.left_out |= other.left_out;
        for (row, copies) in &other.held {
            self.held.entry(row.clone()).or_default().merge(copies);
        }
        for (wanted, copies) in self.wanted.values_mut().zip(other.wanted.values()) {
            wanted.merge(copies);
        }
        if let (Some(frequent), Some(others)) = (&mut self.frequent, &other.frequent) {
            frequent.merge(others);
        }
        self.evict();
        Ok(())
    }

    /// What to offer all rows to once more for a sample of `size` rows; `None` if this is one.
    pub fn next_pass(&self, size: usize) -> Option<Self> {
        if !self.left_out {
            return None;
        }
        let least = self.heavy(size);
        let frequent = self.frequent.iter().flat_map(|frequent| frequent.of_weight(least));
        let new: Vec<Box<[u8]>> = frequent.map(Box::from).collect();
        if new.is_empty() && self.below_limit() >= size {
            return None;
        }
        let wanted = new.into_iter().chain(self.wanted.keys().cloned());
        Some(Self {
            size,
            limit: self.limit_for(size),
            wanted: wanted.map(|content| (content, Copies::default())).collect(),
            frequent: None,
            ..Self::new(size, self.seed)
        })
    }

    /// The weight from which on a row is in every sample of this size.
    fn heavy(&self, size: usize) -> f64 {
        HEAVY.max(HEAVY_ROWS / size.max(1) as f64) * self.total.weight()
    }

    /// Keeps only what a sample of fewer rows would have kept.
    pub fn shrink(&mut self, size: usize) {
        self.size = self.size.min(size);
        if self.held.len() > self.size {
            let heavy = self.heavy(self.size);
            let kept = self.held.iter().filter(|(_, copies)| copies.weight() >= heavy);
            let kept: Vec<_> = kept.map(|(row, copies)| (row.clone(), copies.clone())).collect();
            for (row, copies) in kept {
                self.held.remove(&row);
                self.wanted.insert(row.1, copies);
            }
            self.evict();
        }
    }

    /// Distinct rows known whose keys are not beyond the limit.
    fn below_limit(&self) -> usize {
        let wanted = self.wanted.iter().filter(|(content, copies)| {
            copies.rows() > 0 && row_key(self.seed, content) <= self.limit
        });
        self.held.len() + wanted.count()
    }

    /// A key that hardly more than `size` rows are below, if possible those held.
    fn limit_for(&self, size: usize) -> u64 {
        let held = self.held.len();
        if let Some((key, _)) = self.held.keys().nth(size.max(1) - 1) {
            return *key;
        }
        if held < self.size || held < 2 {
            // There are not as many rows below the limit as was thought.
            return self.limit.saturating_mul(4);
        }
        // The k-th of D keys is k/D of the way, but for a share of 1/√k.
        let share = self.largest() as f64 / held as f64 * size as f64;
        let room = 1.0 + ROOM / (size as f64).sqrt() + ROOM / (held as f64).sqrt();
        // Beyond the largest number it is that number.
        (share * room) as u64
    }

    /// The key beyond which rows are left out.
    fn largest(&self) -> u64 {
        if self.held.len() < self.size {
            return self.limit;
        }
        self.held.last_key_value().map_or(0, |((key, _), _)| *key)
    }

    fn leave_out(&mut self, key: u64, content: &[u8], weight: f64) {
        self.left_out = true;
        if let Some(frequent) = &mut self.frequent {
            frequent.add(key, content, weight);
        }
    }

    fn evict(&mut self) {
        while self.held.len() > self.size
            && let Some(((key, content), copies)) = self.held.pop_last()
        {
            self.leave_out(key, &content, copies.weight());
        }
    }
}

#[cfg(test)]
mod tests;
