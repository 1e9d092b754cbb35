//! Dates and times as people and programs write them, as days since 1970-01-01.
//!
//! ```text
//! 2024-02-29   2024/02/29   29.02.2024   29/02/2024 or 02/29/2024   20240229   12:30 (a time alone)
//! Feb 29 2024   February 29, 2024   29 Feb 2024   29-Feb-2024
//! then perhaps T or a space, and 12:30, 12:30:59.25, 7:05 PM, with Z, +01:00 or +0100 behind
//! ```
//!
//! A time is a fraction of its day. A time zone is taken off, so that clocks show UTC. Days are those
//! of the Gregorian calendar, also before it was used. Which of two small numbers around `/` is
//! the month is not to be seen in one cell: see [`DayOrder`].

use serde::{Deserialize, Serialize};

/// What comes first in a date such as 3/4/2024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DayOrder {
    MonthFirst,
    DayFirst,
}

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Whether the cell looks like a date, with or without a time, in either order.
///
/// A recogniser, not a calendar: 30 February passes.
#[cfg(any(feature = "files", test))]
pub(crate) fn is_date(cell: &[u8]) -> bool {
    let Ok(cell) = std::str::from_utf8(cell) else { return false };
    let is_moment = |order| {
        let parts = parts(cell.trim(), order);
        parts.is_some_and(|(_, time)| time.is_none_or(|time| seconds(time).is_some()))
    };
    is_moment(DayOrder::MonthFirst) || is_moment(DayOrder::DayFirst)
}

/// Whether the cell is a time of day without a date.
pub(crate) fn is_time(cell: &str) -> bool {
    seconds(cell.trim()).is_some()
}

/// Whether the cell is a date of 1900 to 2100 in eight digits; an integer may be one by chance.
#[cfg(any(feature = "files", test))]
pub(crate) fn is_compact_date(cell: &[u8]) -> bool {
    let date = std::str::from_utf8(cell).ok().and_then(|cell| compact_day(cell.trim()));
    date.is_some_and(|(year, month, day)| day <= days_of_month(year, month))
}

/// The days since 1970-01-01; `None` if there is no such date.
pub(crate) fn days(cell: &str, order: DayOrder) -> Option<f64> {
    let cell = cell.trim();
    if let Some(seconds) = seconds(cell) {
        return Some(seconds.rem_euclid(DAY) / DAY);
    }
    let compact = || compact_day(cell).map(|date| (date, None));
    let ((year, month, day), time) = parts(cell, order).or_else(compact)?;
    let seconds = time.map_or(Some(0.0), seconds)?;
    (day <= days_of_month(year, month)).then(|| of_civil(year, month, day) as f64 + seconds / DAY)
}

/// The time of day in ISO form, to the second.
pub(crate) fn iso_time(days: f64) -> String {
    iso(days - days.floor(), true).split_off("1970-01-01T".len())
}

/// The date and time in ISO form, to the second; without the time where `with_time` is not.
pub(crate) fn iso(days: f64, with_time: bool) -> String {
    let seconds = (days * DAY).round();
    if !seconds.is_finite() || seconds.abs() > 1e13 {
        return days.to_string();
    }
    let (day, second) = if with_time {
        (seconds.div_euclid(DAY), seconds.rem_euclid(DAY))
    } else {
        (days.round(), 0.0)
    };
    let (year, month, day) = to_civil(day as i64);
    let date = format!("{year:04}-{month:02}-{day:02}");
    if !with_time {
        return date;
    }
    let second = second as u32;
    format!("{date}T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

/// Hour of the day (0 to 24, with fraction, to a millisecond: a day's fraction is rounded), day of the
/// week (0 is Monday) and month (0 is January) of a moment.
pub(crate) fn cycles(days: f64) -> [f64; 3] {
    let day = days.floor();
    let (_, month, _) = to_civil(day as i64);
    let milliseconds = (1000.0 * DAY * (days - day)).round();
    [milliseconds / 3.6e6, (day + 3.0).rem_euclid(7.0), f64::from(month - 1)]
}

/// Year, month and day.
type Civil = (i64, u32, u32);

/// The date and what follows it.
fn parts(cell: &str, order: DayOrder) -> Option<(Civil, Option<&str>)> {
    named_day(cell).or_else(|| {
        let (date, time) = split(cell);
        Some((day(date, order)?, time))
    })
}

/// A date with the name of its month, which is first or second, and what follows it.
fn named_day(cell: &str) -> Option<(Civil, Option<&str>)> {
    const BETWEEN: [char; 4] = [' ', ',', '-', '.'];
    let mut rest = cell;
    let [first, second, year] = std::array::from_fn(|_| {
        let end = rest.find(BETWEEN).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after.trim_start_matches(BETWEEN);
        part
    });
    let (month, day) = match (month_named(first), month_named(second)) {
        (Some(month), _) => (month, second),
        (None, month) => (month?, first),
    };
    let day = digits(day, 1..=2).filter(|day| (1..=31).contains(day))?;
    let year = i64::from(digits(year, 4..=4)?);
    Some(((year, month, day), (!rest.is_empty()).then_some(rest)))
}

/// The month of an English name, or of its first three letters.
fn month_named(word: &str) -> Option<u32> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let is = |name: &&str| {
        [&name[..3], *name].iter().any(|form| word.eq_ignore_ascii_case(form))
            || (*name == "september" && word.eq_ignore_ascii_case("sept"))
    };
    (1..).zip(MONTHS).find(|(_, name)| is(name)).map(|(month, _)| month)
}

/// A date of 1900 to 2100 in eight digits, of the month whatever its length.
fn compact_day(cell: &str) -> Option<Civil> {
    let date = digits(cell, 8..=8)?;
    let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
    let is_date =
        (1900..=2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then_some((i64::from(year), month, day))
}

/// The date and what follows it, parted by T or a space.
fn split(cell: &str) -> (&str, Option<&str>) {
    match cell.find(['T', ' ']) {
        Some(end) => (&cell[..end], Some(&cell[end + 1..])),
        None => (cell, None),
    }
}

/// Year, month and day, each in the range that is written so, of the month whatever its length.
fn day(date: &str, order: DayOrder) -> Option<Civil> {
    // Years beyond four digits are written with a sign.
    let (sign, date) = match date.as_bytes().first()? {
        b'+' => (1, &date[1..]),
        b'-' => (-1, &date[1..]),
        _ => (1, date),
    };
    let separator = date.chars().find(|c| !c.is_ascii_digit())?;
    let mut parts = date.split(separator);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let year_first = first.len() >= 4;
    let (year, month, day) = match (separator, order) {
        ('-' | '/', _) if year_first => (first, second, third),
        ('.', _) | ('/', DayOrder::DayFirst) => (third, second, first),
        ('/', DayOrder::MonthFirst) => (third, first, second),
        _ => return None,
    };
    let year = digits(year, 4..=6)?;
    let month = digits(month, 1..=2).filter(|month| (1..=12).contains(month))?;
    let day = digits(day, 1..=2).filter(|day| (1..=31).contains(day))?;
    Some((sign * i64::from(year), month, day))
}

/// Seconds since midnight of a time in UTC; of a time in another zone perhaps below 0 or above a day.
fn seconds(time: &str) -> Option<f64> {
    let (hours, rest) = time.split_once(':')?;
    let mut hours = digits(hours, 1..=2).filter(|hours| *hours <= 24)?;
    let minutes = digits(rest.get(..2)?, 2..=2).filter(|minutes| *minutes < 60)?;
    let mut rest = &rest[2..];
    let mut second = 0.0;
    if let Some(after) = rest.strip_prefix(':') {
        let end = after.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(after.len());
        second = after[..end].parse::<f64>().ok().filter(|second| (0.0..=60.0).contains(second))?;
        rest = &after[end..];
    }
    let rest = rest.trim();
    let half = rest.get(..2).map(str::to_ascii_uppercase);
    let zone = match half.as_deref() {
        Some("AM") if hours <= 12 => {
            hours %= 12;
            &rest[2..]
        }
        Some("PM") if hours <= 12 => {
            hours = hours % 12 + 12;
            &rest[2..]
        }
        _ => rest,
    };
    Some(f64::from(3600 * hours + 60 * minutes) + second - offset(zone.trim())?)
}

/// Seconds that a time zone is ahead of UTC.
fn offset(zone: &str) -> Option<f64> {
    if zone.is_empty() || zone.eq_ignore_ascii_case("z") || zone.eq_ignore_ascii_case("utc") {
        return Some(0.0);
    }
    let sign = match zone.as_bytes()[0] {
        b'+' => 1.0,
        b'-' => -1.0,
        _ => return None,
    };
    let zone = zone[1..].replace(':', "");
    let hours = digits(zone.get(..2)?, 2..=2)?;
    let minutes = if zone.len() > 2 { digits(&zone[2..], 2..=2)? } else { 0 };
    Some(sign * f64::from(3600 * hours + 60 * minutes))
}

/// The value of a run of digits whose length is in `lengths`.
fn digits(part: &str, lengths: std::ops::RangeInclusive<usize>) -> Option<u32> {
    let all = lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    if all { part.parse().ok() } else { None }
}

fn days_of_month(year: i64, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a date, counted in eras of 400 years that begin in March.
fn of_civil(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = i64::from((153 * ((month + 9) % 12) + 2) / 5 + day - 1);
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The date of so many days since 1970-01-01.
fn to_civil(days: i64) -> Civil {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month + 2) / 5 + 1) as u32;
    let month = if month < 10 { month + 3 } else { month - 9 } as u32;
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_told_from_numbers_and_words() {
        for cell in [
            "2024-02-29",
            "2024/12/31",
            "31/12/2024",
            "12/31/2024",
            "1/2/2024",
            "31.12.2024",
            " 2024-02-29T12:30:59.25+01:00 ",
            "2024-02-29 12:30",
            "2/29/2024 7:05 PM",
            "Jan 1 2000",
            "1 JAN 2000",
            "January 1, 2000",
            "01-Sept-2000 12:30",
        ] {
            assert!(is_date(cell.as_bytes()), "{cell:?}");
        }
        for cell in [
            "",
            "2024",
            "20240229",
            "2024-02",
            "2024-13-01",
            "2024-00-01",
            "24-02-29",
            "31/31/2024",
            "2024.02.29",
            "2024-02-29-1",
            "2024-02-29T",
            "2024-02-29 noon",
            "2024-02-29 12:60",
            "12:30",
            "1.2.3",
            "192.168.2024",
            "-1",
            "Mayo 1 2000",
            "Jan 2000",
            "Jan 32 2000",
            "Jan 1 2000 noon",
            "Jan Feb 2000",
        ] {
            assert!(!is_date(cell.as_bytes()), "{cell:?}");
        }
    }

    #[test]
    fn days_are_counted_from_the_epoch_in_utc() {
        let month_first = |cell| days(cell, DayOrder::MonthFirst);
        for (cell, expected) in [
            ("1970-01-01", 0.0),
            ("1970-01-02T12:00", 1.5),
            ("1969-12-31 18:00:00", -0.25),
            ("2000-03-01", 11_017.0),
            ("01.03.2000", 11_017.0),
            ("3/1/2000 6:00 PM", 11_017.75),
            ("3/1/2000 12:00 AM", 11_017.0),
            ("2000-03-01T01:00:00+01:00", 11_017.0),
            ("2000-02-29T18:00:00-0600", 11_017.0),
            ("06:00:00", 0.25),
            ("00:30+01:00", 0.979_166_666_666_666_6),
            ("Mar 1 2000", 11_017.0),
            ("1 march 2000 18:00", 11_017.75),
            ("March 1, 2000", 11_017.0),
            ("20000301", 11_017.0),
            ("-0001-01-01", -719_893.0),
        ] {
            assert_eq!(month_first(cell), Some(expected), "{cell}");
        }
        assert_eq!(days("3/1/2000", DayOrder::DayFirst), Some(10_959.0));
        for cell in [
            "Feb 30 2000",
            "20000230",
            "18991231",
            "21010101",
            "2000030",
            "2023-02-29",
            "1900-02-29",
            "31.04.2000",
            "13/13/2000",
            "noon",
            "",
        ] {
            assert_eq!(month_first(cell), None, "{cell}");
        }
    }

    #[test]
    fn every_day_of_a_thousand_years_follows_the_last_and_reads_back() {
        let mut expected = of_civil(1600, 1, 1);
        for year in 1600..2600 {
            for month in 1..=12 {
                for day in 1..=days_of_month(year, month) {
                    assert_eq!(of_civil(year, month, day), expected);
                    assert_eq!(to_civil(expected), (year, month, day));
                    expected += 1;
                }
            }
        }
    }

    #[test]
    fn moments_are_written_as_they_are_read() {
        for cell in ["2013-01-05", "1969-07-20", "0001-01-01"] {
            assert_eq!(iso(days(cell, DayOrder::DayFirst).unwrap(), false), cell);
        }
        for cell in ["2013-01-05T23:59:59", "1969-07-20T20:17:40"] {
            assert_eq!(iso(days(cell, DayOrder::DayFirst).unwrap(), true), cell);
        }
    }

    #[test]
    fn times_are_told_from_dates_and_written_as_they_are_read() {
        for cell in ["11:38:36", "00:00:00", "23:59:59"] {
            assert!(is_time(cell), "{cell}");
            assert_eq!(iso_time(days(cell, DayOrder::DayFirst).unwrap()), cell);
        }
        assert!(is_time(" 7:05 PM ") && !is_time("2024-01-01 11:38") && !is_time("11"));
    }

    #[test]
    fn eight_digits_are_a_date_where_the_calendar_has_it() {
        assert!(is_compact_date(b"19580329") && is_compact_date(b" 20000229 "));
        for cell in [&b"20230229"[..], b"18991231", b"21010101", b"2024-1-1", b"1958032"] {
            assert!(!is_compact_date(cell), "{cell:?}");
        }
    }

    #[test]
    fn cycles_are_those_of_the_calendar() {
        // A Saturday in January.
        assert_eq!(cycles(days("2013-01-05T06:30", DayOrder::DayFirst).unwrap()), [6.5, 5.0, 0.0]);
    }
}
