//! What is known of a column of dates, in either order of day and month until it is clear which.
//!
//! Of dates such as 3/4/2024 the order is that in which more cells are dates; the month comes first
//! if both read as many.

use serde::{Deserialize, Serialize};

use super::{Faults, earlier};
use crate::date::{DayOrder, cycles, days, is_time};
use crate::error::{ColumnProblem, Place};

/// The dates seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct DateTally {
    pub(in super::super) first: Option<(Place, String)>,
    /// Whether a cell had the year last and `/` between.
    slashes: bool,
    /// Whether a cell was not a time of day.
    dated: bool,
    /// With the month first, and with the day first.
    readings: [Reading; 2],
}

/// The dates in one order of day and month.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct Reading {
    /// Cells that are dates.
    pub(in super::super) present: u64,
    pub(in super::super) low: f64,
    pub(in super::super) high: f64,
    /// Whether a date has a time.
    pub(in super::super) times: bool,
    /// Cells that are not dates.
    pub(in super::super) unreadable: Faults<ColumnProblem>,
    /// The first hour, day of the week and month, and whether there are others.
    cycles: Option<([f64; 3], [bool; 3])>,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            present: 0,
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            times: false,
            unreadable: Faults::default(),
            cycles: None,
        }
    }
}

impl DateTally {
    /// Adds a cell.
    pub(super) fn add(&mut self, text: &str, place: impl Fn() -> Place) {
        if self.first.is_none() {
            self.first = Some((place(), text.to_string()));
        }
        let year_last = text.trim().find('/').is_some_and(|end| end < 4);
        self.slashes |= year_last;
        self.dated = self.dated || !is_time(text);
        let [month_first, day_first] = &mut self.readings;
        let days_of = |order| days(text, order);
        let first = days_of(DayOrder::MonthFirst);
        month_first.add(first, text, &place);
        day_first.add(if year_last { days_of(DayOrder::DayFirst) } else { first }, text, &place);
    }

    /// Adds the dates of other rows.
    pub(super) fn merge(&mut self, other: &Self) {
        self.first = earlier(self.first.take(), &other.first);
        self.slashes |= other.slashes;
        self.dated |= other.dated;
        for (reading, other) in self.readings.iter_mut().zip(&other.readings) {
            reading.merge(other);
        }
    }

    /// The order of day and month.
    pub(in super::super) fn order(&self) -> DayOrder {
        let [month_first, day_first] = &self.readings;
        if day_first.present > month_first.present {
            DayOrder::DayFirst
        } else {
            DayOrder::MonthFirst
        }
    }

    /// Whether these are times of day, without dates.
    pub(in super::super) fn are_times(&self) -> bool {
        self.first.is_some() && !self.dated
    }

    /// Whether both orders would do, so that the one taken is a guess.
    pub(in super::super) fn is_ambiguous(&self) -> bool {
        self.slashes && self.readings[0].present == self.readings[1].present
    }

    /// The dates in that order.
    pub(in super::super) fn reading(&self) -> &Reading {
        &self.readings[usize::from(self.order() == DayOrder::DayFirst)]
    }
}

impl Reading {
    fn add(&mut self, days: Option<f64>, text: &str, place: impl FnOnce() -> Place) {
        let Some(days) = days else {
            self.unreadable.add(place(), || ColumnProblem::NotDate { value: text.to_string() });
            return;
        };
        self.present += 1;
        self.low = self.low.min(days);
        self.high = self.high.max(days);
        self.times |= days.fract() != 0.0;
        self.add_cycles(cycles(days), [false; 3]);
    }

    fn merge(&mut self, other: &Self) {
        self.present += other.present;
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.times |= other.times;
        self.unreadable.merge(&other.unreadable);
        if let Some((cycles, varying)) = other.cycles {
            self.add_cycles(cycles, varying);
        }
    }

    fn add_cycles(&mut self, cycles: [f64; 3], varying: [bool; 3]) {
        let (first, vary) = self.cycles.get_or_insert((cycles, [false; 3]));
        for (i, cycle) in cycles.into_iter().enumerate() {
            vary[i] |= varying[i] || cycle != first[i];
        }
    }

    /// Whether hours, days of the week and months differ.
    pub(in super::super) fn varying(&self) -> [bool; 3] {
        self.cycles.map(|(_, vary)| vary).unwrap_or_default()
    }
}
