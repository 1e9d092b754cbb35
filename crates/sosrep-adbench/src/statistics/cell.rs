//! The results of one method: a value or a reason for each data set.

use std::collections::BTreeMap;
use std::fmt;

use super::condition::Measure;
use super::{deviation, mean};
use crate::run::{Run, Status};

/// Why there is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Absence {
    /// No line in the runs.
    NotRun,
    /// The method is not installed.
    Unavailable,
    /// Every seed ended with an error, or without a number.
    Failed,
    /// A seed took too long, and none has a result.
    TimedOut,
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotRun => "not run",
            Self::Unavailable => "unavailable",
            Self::Failed => "failed",
            Self::TimedOut => "timed out",
        })
    }
}

/// One method on one data set.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// The value of each seed that has one; never empty.
    Measured(BTreeMap<u64, f64>),
    /// No seed has a value.
    Missing(Absence),
}

impl Cell {
    pub(super) fn new(runs: &BTreeMap<u64, &Run>, measure: Measure) -> Self {
        let value = |(seed, run): (&u64, &&Run)| Some((*seed, measure.of(run)?));
        let values: BTreeMap<u64, f64> = runs.iter().filter_map(value).collect();
        if !values.is_empty() {
            return Self::Measured(values);
        }
        let reason = |run: &&Run| match run.status {
            Status::TimedOut => Absence::TimedOut,
            Status::Unavailable => Absence::Unavailable,
            Status::Failed | Status::Done => Absence::Failed,
        };
        Self::Missing(runs.values().map(reason).max().unwrap_or(Absence::NotRun))
    }

    /// The mean over seeds.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Measured(values) => mean(&values.values().copied().collect::<Vec<f64>>()),
            Self::Missing(_) => None,
        }
    }

    /// Both means over the seeds that have a value in both.
    pub(super) fn on_shared_seeds(&self, other: &Self) -> Option<(f64, f64)> {
        let (Self::Measured(own), Self::Measured(other)) = (self, other) else { return None };
        let shared = own.iter().filter_map(|(seed, value)| Some((*value, *other.get(seed)?)));
        let (own, other): (Vec<f64>, Vec<f64>) = shared.unzip();
        Some((mean(&own)?, mean(&other)?))
    }

    /// How many seeds have a value.
    pub fn seeds(&self) -> usize {
        match self {
            Self::Measured(values) => values.len(),
            Self::Missing(_) => 0,
        }
    }
}

/// The results of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The method.
    pub method: String,
    /// One cell a data set of the board.
    pub cells: Vec<Cell>,
}

impl Row {
    /// The value of each data set that has one.
    pub fn values(&self) -> Vec<f64> {
        self.cells.iter().filter_map(Cell::value).collect()
    }

    /// The mean over the data sets that have a value.
    pub fn mean(&self) -> Option<f64> {
        mean(&self.values())
    }

    /// How many data sets have a value.
    pub fn covered(&self) -> usize {
        self.cells.iter().filter(|cell| cell.seeds() > 0).count()
    }

    /// Seeds that have a value on every data set the method covers, each with its mean over them.
    pub fn seed_means(&self) -> BTreeMap<u64, f64> {
        let measured = |cell: &'_ Cell| match cell {
            Cell::Measured(values) => Some(values.clone()),
            Cell::Missing(_) => None,
        };
        let cells: Vec<BTreeMap<u64, f64>> = self.cells.iter().filter_map(measured).collect();
        let seeds = cells.first().into_iter().flat_map(BTreeMap::keys).copied();
        let of_seed = |seed: u64| -> Option<(u64, f64)> {
            let values: Option<Vec<f64>> = cells.iter().map(|c| c.get(&seed).copied()).collect();
            Some((seed, mean(&values?)?))
        };
        seeds.filter_map(of_seed).collect()
    }

    /// The standard deviation between the means of single seeds.
    pub fn seed_deviation(&self) -> Option<f64> {
        deviation(&self.seed_means().into_values().collect::<Vec<f64>>())
    }

    /// Both means over the data sets that both methods cover.
    pub(super) fn against(&self, other: &Self) -> Option<(f64, f64)> {
        let pairs = self.cells.iter().zip(&other.cells);
        let both = pairs.filter_map(|(one, other)| Some((one.value()?, other.value()?)));
        let (own, others): (Vec<f64>, Vec<f64>) = both.unzip();
        Some((mean(&own)?, mean(&others)?))
    }
}
