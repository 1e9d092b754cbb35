//! The rows that may hold much of a table, found while it goes by in any parts.
//!
//! Misra and Gries, "Finding repeated elements", 1982, merged as by Agarwal and others, "Mergeable
//! summaries", 2012: at most 2k rows are counted; when there are more, the (k+1)-th largest count is taken from all
//! and rows without a count are forgotten. Every such step takes its amount from k + 1 rows, so that a
//! count is too low by at most W/(k + 1), W the weight of all rows. A row that holds more is never forgotten,
//! in whatever parts and order the rows came; which others are there depends on it.
//!
//! Cost: one look into a table a row. Differs from the paper: not in it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

/// k: rows that hold more than 1/2049 of the weight are there.
const COUNTED: usize = 2048;
/// Rows with a smaller share of the rows of a part are not sent along with it. With the errors of counting and
/// of two such steps, a row of 1/1024 of the weight is still there.
const SENT: f64 = 1.0 / 4096.0;

/// Rows and how much they hold, at least. Rows are known by their keys.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FrequentRows {
    counts: BTreeMap<u64, Counted>,
    /// The weight of all rows that were added.
    weight: f64,
    /// What counts may lack.
    lacking: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Counted {
    content: Box<[u8]>,
    count: f64,
}

impl FrequentRows {
    pub(super) fn add(&mut self, key: u64, content: &[u8], weight: f64) {
        self.weight += weight;
        self.count(key, content, weight);
    }

    fn count(&mut self, key: u64, content: &[u8], weight: f64) {
        match self.counts.entry(key) {
            Entry::Occupied(mut known) => known.get_mut().count += weight,
            Entry::Vacant(new) => {
                new.insert(Counted { content: content.into(), count: weight });
                self.forget();
            }
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.weight += other.weight;
        self.lacking += other.lacking;
        for (key, Counted { content, count }) in &other.counts {
            self.count(*key, content, *count);
        }
    }

    fn forget(&mut self) {
        if self.counts.len() <= 2 * COUNTED {
            return;
        }
        let mut counts: Vec<f64> = self.counts.values().map(|counted| counted.count).collect();
        let (_, &mut amount, _) = counts.select_nth_unstable_by(COUNTED, |a, b| b.total_cmp(a));
        self.lacking += amount;
        self.counts.retain(|_, counted| {
            counted.count -= amount;
            counted.count > 0.0
        });
    }

    /// The rows that may hold this weight.
    pub(super) fn of_weight(&self, least: f64) -> impl Iterator<Item = &[u8]> {
        let enough = move |counted: &&Counted| counted.count + self.lacking >= least;
        self.counts.values().filter(enough).map(|counted| &*counted.content)
    }

    /// What is worth sending to where parts are merged.
    pub(super) fn sent(&self) -> Self {
        let least = SENT * self.weight;
        let kept = self.counts.iter().filter(|(_, counted)| counted.count >= least);
        let counts: BTreeMap<u64, Counted> =
            kept.map(|(key, counted)| (*key, counted.clone())).collect();
        let left_out = counts.len() < self.counts.len();
        Self { counts, lacking: self.lacking + if left_out { least } else { 0.0 }, ..*self }
    }

    /// Whether it could be what adding rows gives.
    pub(super) fn is_valid(&self) -> bool {
        let valid = |x: f64| x.is_finite() && x >= 0.0;
        let counts = self.counts.values().all(|c| valid(c.count) && c.count > 0.0);
        counts && valid(self.weight) && valid(self.lacking) && self.counts.len() <= 2 * COUNTED
    }
}

#[cfg(test)]
mod tests {
    use super::super::row_key::row_key;
    use super::*;

    #[test]
    fn a_row_that_holds_much_is_there_in_whatever_parts_the_rows_come() {
        // One row of 800 is the same; the parts are of one row in eight hundred each, or of all.
        let rows = 400_000_u32;
        let content = |i: u32| if i.is_multiple_of(800) { 0 } else { i }.to_le_bytes();
        for part in [1, 700, 50_000, rows] {
            let mut all = FrequentRows::default();
            for first in (0..rows).step_by(part as usize) {
                let mut of_part = FrequentRows::default();
                (first..rows.min(first + part))
                    .for_each(|i| of_part.add(row_key(0, &content(i)), &content(i), 1.0));
                all.merge(&of_part.sent());
            }
            assert!(all.is_valid());
            let least = f64::from(rows) / 1000.0;
            assert!(all.of_weight(least).any(|row| row == content(0)), "{part}");
            assert!(all.counts.len() <= 2 * COUNTED);
        }
    }
}
