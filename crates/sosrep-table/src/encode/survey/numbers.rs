//! What is known of a column of numbers: its range, whether all are integers, whether they count
//! the rows or all differ.

use super::Faults;
use super::distinct::{Distinct, hash};
use crate::cell::EXACT_INTEGERS;
use crate::error::Place;

/// The numbers seen.
#[derive(Debug, Clone)]
pub(in super::super) struct NumberTally {
    /// Finite numbers.
    pub(in super::super) present: u64,
    pub(in super::super) low: f64,
    pub(in super::super) high: f64,
    /// Whether all are integers, none beyond ±2⁵³.
    pub(in super::super) integers: bool,
    /// Infinite numbers.
    pub(in super::super) infinite: Faults<f64>,
    /// Whether every number is that of its row, from 0 and from 1.
    counts_from: [bool; 2],
    distinct: Option<Distinct>,
}

impl NumberTally {
    /// No numbers yet. Only the first column may hold row numbers, and only one that is named like an
    /// identifier is asked whether its numbers differ.
    pub(super) fn new(first_column: bool, looks_like_id: bool) -> Self {
        Self {
            present: 0,
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            integers: true,
            infinite: Faults::default(),
            counts_from: [first_column; 2],
            distinct: looks_like_id.then(Distinct::default),
        }
    }

    /// Adds the number of a row, counted from 0.
    pub(super) fn add(&mut self, value: f64, row: u64, place: impl FnOnce() -> Place) {
        if !value.is_finite() {
            self.infinite.add(place(), || value);
            return;
        }
        self.present += 1;
        self.low = self.low.min(value);
        self.high = self.high.max(value);
        self.integers &= value.fract() == 0.0 && value.abs() <= EXACT_INTEGERS;
        self.counts_from[0] &= value == row as f64;
        self.counts_from[1] &= value == row as f64 + 1.0;
        if let Some(distinct) = &mut self.distinct {
            // Zero has two signs.
            distinct.add(hash((value + 0.0).to_bits()), 1);
        }
    }

    /// Whether these are the numbers of all `rows` rows, in order, from 0 or 1.
    pub(in super::super) fn counts_rows(&self, rows: u64) -> bool {
        self.present == rows && self.counts_from.contains(&true)
    }

    /// Whether these are integers that all differ, in a column named like an identifier.
    pub(in super::super) fn all_differ(&self) -> bool {
        self.integers && self.distinct.as_ref().is_some_and(Distinct::all_differ)
    }
}
