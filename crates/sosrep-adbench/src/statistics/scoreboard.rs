//! The results of methods on data sets under one condition, with a reason in the place of each one
//! that is missing.
//!
//! A cell is the mean over the seeds that ended with a result. Where the same method, data set and
//! seed stand in the runs twice, the last line counts: it is a run that was repeated.
//!
//! Means of methods that do not cover the same data sets do not compare. So a [`Place`] by mean
//! sets each method against another on the data sets that both cover, and ranks give a missing
//! result the worst rank of its data set.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::cell::{Absence, Cell, Row};
use super::condition::{Condition, Measure};
use super::{mean, ranks};
use crate::catalogue;
use crate::run::Run;

/// A place among methods: 1 is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The place.
    pub place: usize,
    /// Methods that have a result.
    pub of: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.place, self.of)
    }
}

/// Methods × data sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Scoreboard {
    /// The data sets that at least one of the methods was run on, by number.
    pub data_sets: Vec<String>,
    /// The methods, in the order they were asked for.
    pub rows: Vec<Row>,
}

impl Scoreboard {
    /// Puts the runs of some methods under a condition in order.
    pub fn new(runs: &[Run], condition: &Condition, measure: Measure, methods: &[&str]) -> Self {
        let mut cells: BTreeMap<(&str, &str), BTreeMap<u64, &Run>> = BTreeMap::new();
        let is_asked = |run: &&Run| condition.holds(run) && methods.contains(&run.method.as_str());
        for run in runs.iter().filter(is_asked) {
            let cell = cells.entry((&run.method, &run.data_set)).or_default();
            cell.insert(run.seed, run);
        }
        let names: BTreeSet<&str> = cells.keys().map(|(_, data_set)| *data_set).collect();
        let mut data_sets: Vec<&str> = names.into_iter().collect();
        data_sets.sort_by_cached_key(|name| number(name));
        let cell = |method: &str, data_set: &str| match cells.get(&(method, data_set)) {
            Some(runs) => Cell::new(runs, measure),
            None => Cell::Missing(Absence::NotRun),
        };
        let row = |method: &&str| Row {
            method: method.to_string(),
            cells: data_sets.iter().map(|data_set| cell(method, data_set)).collect(),
        };
        let rows = methods.iter().map(row).collect();
        Self { data_sets: data_sets.into_iter().map(str::to_string).collect(), rows }
    }

    /// The same with some of the data sets.
    pub fn restricted(&self, keep: impl Fn(&str) -> bool) -> Self {
        let kept = |name: &&String| keep(name);
        let cells = |row: &Row| {
            let pairs = self.data_sets.iter().zip(&row.cells);
            pairs.filter(|(name, _)| keep(name)).map(|(_, cell)| cell.clone()).collect()
        };
        let row = |row: &Row| Row { method: row.method.clone(), cells: cells(row) };
        Self {
            data_sets: self.data_sets.iter().filter(kept).cloned().collect(),
            rows: self.rows.iter().map(row).collect(),
        }
    }

    /// The same without one of the methods.
    pub fn without(&self, method: &str) -> Self {
        let rows = self.rows.iter().filter(|row| row.method != method).cloned().collect();
        Self { data_sets: self.data_sets.clone(), rows }
    }

    /// The results of a method that has some.
    pub fn row(&self, method: &str) -> Option<&Row> {
        self.ran().find(|row| row.method == method)
    }

    /// The methods that have a result.
    pub fn ran(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.covered() > 0)
    }

    /// The methods that have a result, the best mean first.
    pub fn by_mean(&self) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.ran().collect();
        let mean = |row: &Row| row.mean().unwrap_or(f64::NEG_INFINITY);
        rows.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
        rows
    }

    /// The ranks of each method that has a result, one a data set, 1 being the worst.
    pub fn ranks(&self) -> Vec<(&str, Vec<f64>)> {
        let rows: Vec<&Row> = self.ran().collect();
        let at = |i: usize| -> Vec<Option<f64>> {
            rows.iter().map(|row| row.cells[i].value()).collect()
        };
        let by_data_set: Vec<Vec<f64>> = (0..self.data_sets.len()).map(|i| ranks(&at(i))).collect();
        let of_method = |k: usize| by_data_set.iter().map(|ranks| ranks[k]).collect();
        rows.iter().enumerate().map(|(k, row)| (row.method.as_str(), of_method(k))).collect()
    }

    /// The mean rank of a method that has a result.
    pub fn mean_rank(&self, method: &str) -> Option<f64> {
        self.ranks().iter().find(|(name, _)| *name == method).and_then(|(_, ranks)| mean(ranks))
    }

    /// The place of a method by mean: before it are those with a larger mean over the data sets
    /// that both cover.
    pub fn place_by_mean(&self, method: &str) -> Option<Place> {
        let own = self.row(method)?;
        let is_better = |row: &&Row| own.against(row).is_some_and(|(own, other)| other > own);
        let place = 1 + self.ran().filter(is_better).count();
        Some(Place { place, of: self.ran().count() })
    }

    /// The place of a method by mean rank.
    pub fn place_by_rank(&self, method: &str) -> Option<Place> {
        let own = self.mean_rank(method)?;
        let ranks = self.ranks();
        let better = ranks.iter().filter(|(_, ranks)| mean(ranks).is_some_and(|rank| rank > own));
        Some(Place { place: 1 + better.count(), of: ranks.len() })
    }

    /// By how much a method is ahead of the best other one, which is named, on the data sets that
    /// both cover; negative if it is behind.
    pub fn lead(&self, method: &str) -> Option<(f64, &str)> {
        let own = self.row(method)?;
        let lead = |row: &'_ Row| own.against(row).map(|(own, other)| own - other);
        let others = self.ran().filter(|row| row.method != method);
        let leads = others.filter_map(|row| Some((lead(row)?, row.method.as_str())));
        leads.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// By which share the mean of a method changes from this board to another one, on the data sets
    /// and seeds that have a result on both.
    pub fn change(&self, after: &Self, method: &str) -> Option<f64> {
        let (own, other) = (self.row(method)?, after.row(method)?);
        let (mut before, mut then) = (Vec::new(), Vec::new());
        for (name, cell) in self.data_sets.iter().zip(&own.cells) {
            let position = after.data_sets.iter().position(|after| after == name);
            let Some(position) = position else { continue };
            if let Some((one, other)) = cell.on_shared_seeds(&other.cells[position]) {
                before.push(one);
                then.push(other);
            }
        }
        Some(mean(&then)? / mean(&before)? - 1.0)
    }

    /// The data sets a method has no result on, with the reason.
    pub fn missing(&self, method: &str) -> Vec<(&str, Absence)> {
        let Some(row) = self.rows.iter().find(|row| row.method == method) else {
            return Vec::new();
        };
        let pairs = self.data_sets.iter().zip(&row.cells);
        let missing = pairs.filter_map(|(name, cell)| match cell {
            Cell::Missing(absence) => Some((name.as_str(), *absence)),
            Cell::Measured(_) => None,
        });
        missing.collect()
    }

    /// The fewest and the most seeds behind a result; `None` without results.
    pub fn seeds(&self) -> Option<(usize, usize)> {
        let cells = self.rows.iter().flat_map(|row| &row.cells);
        let counts: Vec<usize> = cells.map(Cell::seeds).filter(|seeds| *seeds > 0).collect();
        Some((*counts.iter().min()?, *counts.iter().max()?))
    }
}

/// The number of a data set; names that ADBench does not know come last.
fn number(name: &str) -> u8 {
    catalogue::named(name).map_or(u8::MAX, |entry| entry.number)
}
