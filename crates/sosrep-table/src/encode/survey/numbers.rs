//! What is known of a column of numbers: its range, whether all are integers, whether they count
//! the rows or all differ.
//!
//! Numbers that count rows are as many integers as there are rows, that all differ, from 0 or 1 on: in
//! whatever order, since rows may come in any.

use serde::{Deserialize, Serialize};

use super::Faults;
use super::distinct::{Distinct, hash};
use crate::cell::EXACT_INTEGERS;
use crate::error::Place;

/// The numbers seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct NumberTally {
    /// Finite numbers.
    pub(in super::super) present: u64,
    pub(in super::super) low: f64,
    pub(in super::super) high: f64,
    /// Whether all are integers, none beyond ±2⁵³.
    pub(in super::super) integers: bool,
    /// Infinite numbers.
    pub(in super::super) infinite: Faults<f64>,
    /// Whether the column may hold row numbers, and whether it is named like an identifier.
    may_count: bool,
    looks_like_id: bool,
    /// The numbers, if either is so, as long as all are integers.
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
            may_count: first_column,
            looks_like_id,
            distinct: (first_column || looks_like_id).then(Distinct::default),
        }
    }

    /// Adds the number of a row.
    pub(super) fn add(&mut self, value: f64, place: impl FnOnce() -> Place) {
        if !value.is_finite() {
            self.infinite.add(place(), || value);
            return;
        }
        self.present += 1;
        self.low = self.low.min(value);
        self.high = self.high.max(value);
        self.integers &= value.fract() == 0.0 && value.abs() <= EXACT_INTEGERS;
        if !self.integers {
            self.distinct = None;
        } else if let Some(distinct) = &mut self.distinct {
            // Zero has two signs.
            distinct.add(hash((value + 0.0).to_bits()), 1);
        }
    }

    /// Adds the numbers of other rows.
    pub(super) fn merge(&mut self, other: &Self) {
        self.present += other.present;
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.integers &= other.integers;
        self.infinite.merge(&other.infinite);
        match (&mut self.distinct, &other.distinct) {
            (Some(distinct), Some(others)) => distinct.merge(others),
            _ => self.distinct = None,
        }
    }

    /// Whether all of `usable` rows have a number of their own among those of all `rows`, from 0 or 1.
    pub(in super::super) fn counts_rows(&self, usable: u64, rows: u64) -> bool {
        let last = rows as f64;
        let counts =
            (self.low >= 0.0 && self.high < last) || (self.low >= 1.0 && self.high <= last);
        self.may_count && self.present == usable && counts && self.are_different_integers()
    }

    /// Whether these are integers that all differ, in a column named like an identifier.
    pub(in super::super) fn all_differ(&self) -> bool {
        self.looks_like_id && self.are_different_integers()
    }

    fn are_different_integers(&self) -> bool {
        self.integers && self.distinct.as_ref().is_some_and(Distinct::all_differ)
    }

    /// Whether rows could have given it.
    pub(super) fn is_valid(&self) -> bool {
        let asked = self.integers && (self.may_count || self.looks_like_id);
        let finite = self.present == 0 || (self.low.is_finite() && self.high.is_finite());
        finite
            && self.distinct.is_some() == asked
            && self.distinct.as_ref().is_none_or(Distinct::is_valid)
    }
}
