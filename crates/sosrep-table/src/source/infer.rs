//! The kind of a column from the text of its first cells.
//!
//! Missing cells say nothing. A column is what all its present cells are: numbers, true or false,
//! dates; otherwise text. One exception: when at least [`MOSTLY`] of the present cells are numbers,
//! and at least [`ENOUGH`] of them, the others are taken for mistakes and the column for numbers,
//! so that a slip of the pen is reported where it stands and does not turn a measurement into a
//! category. A column without a present cell is a column of numbers. Integers of which one is beyond
//! ±2⁵³ are big integers: as numbers they would be rounded, and two identifiers might be one.
//!
//! Numbers written for people, such as 1.234,5, are text: the [encoding](crate::encode) reads them.
//! Numbers among them are not taken for numbers, nor they for mistakes.
//!
//! Integers such as 19580329 are dates only if all are dates of 1900 to 2100, at least [`ENOUGH`] of
//! them differ, and the name of the column speaks of a date or day. Times of day are dates without a
//! day; a column has one or the other.

use crate::batch::ColumnKind;
use crate::cell;
use crate::date::{is_compact_date, is_date, is_time};
use crate::notation::is_for_people;

/// Share of numbers above which the rest are mistakes.
const MOSTLY: f64 = 0.9;
/// Numbers that must have been seen for the rest to be mistakes.
const ENOUGH: usize = 10;

/// Counts of what the cells of a column are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    present: usize,
    numbers: usize,
    /// Numbers without a fraction or exponent, and those of them beyond ±2⁵³.
    integers: usize,
    big_integers: usize,
    /// Integers that are dates, and the first few that differ.
    compact_dates: usize,
    different_dates: Vec<u64>,
    /// Numbers written for people.
    written: usize,
    booleans: usize,
    dates: usize,
    times: usize,
}

impl Tally {
    /// Counts one cell.
    pub(crate) fn add(&mut self, text: &[u8]) {
        if cell::is_missing(text) {
            return;
        }
        self.present += 1;
        if let Some(number) = cell::number(text) {
            self.numbers += 1;
            let integer = cell::is_integer(text);
            self.integers += usize::from(integer);
            // 2⁵³ itself may be 2⁵³ + 1, rounded.
            self.big_integers += usize::from(integer && number.abs() >= cell::EXACT_INTEGERS);
            if integer && is_compact_date(text) {
                self.add_compact_date(number as u64);
            }
        } else if cell::boolean(text).is_some() {
            self.booleans += 1;
        } else if is_date(text) {
            self.dates += 1;
        } else if std::str::from_utf8(text).is_ok_and(is_time) {
            self.times += 1;
        } else if std::str::from_utf8(text).is_ok_and(is_for_people) {
            self.written += 1;
        }
    }

    fn add_compact_date(&mut self, date: u64) {
        self.compact_dates += 1;
        if self.different_dates.len() < ENOUGH && !self.different_dates.contains(&date) {
            self.different_dates.push(date);
        }
    }

    /// The kind of the column of that name.
    pub(crate) fn kind(&self, name: &str) -> ColumnKind {
        let name = name.to_lowercase();
        let named_date = name.contains("date") || name.contains("day");
        if named_date && self.compact_dates == self.present && self.different_dates.len() == ENOUGH
        {
            return ColumnKind::Date;
        }
        let written = self.written > 0 && self.numbers + self.written == self.present;
        let mostly_numbers = !written
            && self.numbers >= ENOUGH
            && self.numbers as f64 >= MOSTLY * self.present as f64;
        if self.big_integers > 0 && self.integers == self.present {
            ColumnKind::BigInteger
        } else if self.numbers == self.present || mostly_numbers {
            ColumnKind::Number
        } else if self.booleans == self.present {
            ColumnKind::Boolean
        } else if self.dates == self.present || self.times == self.present {
            ColumnKind::Date
        } else {
            ColumnKind::Text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(cells: &[&str]) -> ColumnKind {
        let mut tally = Tally::default();
        cells.iter().for_each(|cell| tally.add(cell.as_bytes()));
        tally.kind("x")
    }

    #[test]
    fn times_of_day_are_dates_but_not_among_dates() {
        assert_eq!(kind(&["11:38:36", "", "7:05"]), ColumnKind::Date);
        assert_eq!(kind(&["11:38:36", "2024-01-02"]), ColumnKind::Text);
    }

    #[test]
    fn integers_are_dates_by_name_values_and_number_of_different_ones() {
        let of = |name: &str, cells: &[String]| {
            let mut tally = Tally::default();
            cells.iter().for_each(|cell| tally.add(cell.as_bytes()));
            tally.kind(name)
        };
        let days = |count: usize| (0..30).map(|i| format!("202401{:02}", 1 + i % count)).collect();
        let month: Vec<String> = days(30);
        assert_eq!(of("Date", &month), ColumnKind::Date);
        assert_eq!(
            of("birthday", &[month.clone(), vec![String::new()]].concat()),
            ColumnKind::Date
        );
        assert_eq!(of("price", &month), ColumnKind::Number);
        assert_eq!(of("date", &days(ENOUGH - 1)), ColumnKind::Number);
        let other = |cell: &str| of("date", &[month.clone(), vec![cell.to_string()]].concat());
        assert_eq!(other("20240230"), ColumnKind::Number);
        assert_eq!(other("7"), ColumnKind::Number);
    }

    #[test]
    fn a_column_is_what_all_its_present_cells_are() {
        assert_eq!(kind(&["1", "", "inf", "NA"]), ColumnKind::Number);
        assert_eq!(kind(&["true", "?", "False"]), ColumnKind::Boolean);
        assert_eq!(kind(&["2024-01-02", "03.04.2024", "-"]), ColumnKind::Date);
        assert_eq!(kind(&["1", "true"]), ColumnKind::Text);
        assert_eq!(kind(&["true", "2024-01-02"]), ColumnKind::Text);
        assert_eq!(kind(&["red"]), ColumnKind::Text);
        assert_eq!(kind(&["", "NA"]), ColumnKind::Number);
        assert_eq!(kind(&[]), ColumnKind::Number);
    }

    #[test]
    fn integers_that_would_be_rounded_are_big() {
        assert_eq!(kind(&["9007199254740993", "1", "NA"]), ColumnKind::BigInteger);
        assert_eq!(kind(&["-9007199254740993"]), ColumnKind::BigInteger);
        assert_eq!(kind(&["9007199254740991", "1"]), ColumnKind::Number);
        assert_eq!(kind(&["9007199254740993", "1.5"]), ColumnKind::Number);
        assert_eq!(kind(&["1e300", "1"]), ColumnKind::Number);
    }

    #[test]
    fn numbers_for_people_are_text_and_no_mistakes_among_numbers() {
        assert_eq!(kind(&[&["900"; 30][..], &["1,200"]].concat()), ColumnKind::Text);
        assert_eq!(kind(&["$5", "12 %", "NA"]), ColumnKind::Text);
    }

    #[test]
    fn one_word_among_ten_numbers_is_a_mistake_and_among_nine_is_not() {
        let column =
            |numbers: usize, words: usize| [vec!["1"; numbers], vec!["one"; words]].concat();
        assert_eq!(kind(&column(10, 1)), ColumnKind::Number);
        assert_eq!(kind(&column(9, 1)), ColumnKind::Text);
        assert_eq!(kind(&column(18, 2)), ColumnKind::Number);
        assert_eq!(kind(&column(17, 2)), ColumnKind::Text);
    }
}
