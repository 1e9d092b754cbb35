//! One cell of text: missing, a number, true or false, a date, or words.
//!
//! White space (ASCII) around a cell does not count here. What a cell is does not depend on its
//! neighbours; [`infer`](super::infer) decides for a column.

/// What stands for a missing value, whatever the case of its letters; the empty cell among them.
pub const MISSING: [&str; 9] = ["", "na", "n/a", "nan", "null", "none", "?", "-", "."];

/// Length of the longest token of [`MISSING`].
const LONGEST_MISSING: usize = 4;

/// Whether the cell stands for a missing value.
pub(crate) fn is_missing(cell: &[u8]) -> bool {
    let cell = cell.trim_ascii();
    cell.len() <= LONGEST_MISSING
        && MISSING.iter().any(|token| cell.eq_ignore_ascii_case(token.as_bytes()))
}

/// The number written in the cell, in the notation of Rust: `1`, `-1.5`, `+.5`, `1e-3`, `inf`.
pub(crate) fn number(cell: &[u8]) -> Option<f64> {
    short_decimal(cell).or_else(|| std::str::from_utf8(cell.trim_ascii()).ok()?.parse().ok())
}

/// A number of few digits without exponent, which most are: the short way. Digits up to
/// 2⁵³ and the power of ten they are divided by are floats exactly, so the quotient is rounded once
/// and is the nearest float.
fn short_decimal(cell: &[u8]) -> Option<f64> {
    let (sign, digits) = match cell {
        [b'-', digits @ ..] => (-1.0, digits),
        digits => (1.0, digits),
    };
    if digits.len() >= POWERS_OF_TEN.len() {
        return None;
    }
    let mut value = 0;
    let mut point = None;
    for (i, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => value = 10 * value + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(i),
            _ => return None,
        }
    }
    if digits.len() <= usize::from(point.is_some()) || value > 1 << f64::MANTISSA_DIGITS {
        return None;
    }
    let decimals = point.map_or(0, |point| digits.len() - 1 - point);
    Some(sign * value as f64 / POWERS_OF_TEN[decimals])
}

/// 1, 10, …, 10¹⁷.
const POWERS_OF_TEN: [f64; 18] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17,
];

/// `true` or `false`, whatever the case of the letters.
pub(crate) fn boolean(cell: &[u8]) -> Option<bool> {
    let cell = cell.trim_ascii();
    if cell.eq_ignore_ascii_case(b"true") {
        Some(true)
    } else if cell.eq_ignore_ascii_case(b"false") {
        Some(false)
    } else {
        None
    }
}

/// Whether the cell is a date, with or without a time: the year of four digits first and `-` or
/// `/` between, or last and `/` or `.` between, then perhaps `T` or a space and a time.
///
/// A recogniser, not a calendar: 30 February passes.
pub(crate) fn is_date(cell: &[u8]) -> bool {
    let cell = cell.trim_ascii();
    let end = cell.iter().position(|byte| matches!(byte, b'T' | b' ')).unwrap_or(cell.len());
    let (date, rest) = cell.split_at(end);
    is_day(date) && (rest.is_empty() || is_time(&rest[1..]))
}

fn is_day(date: &[u8]) -> bool {
    let Some(&separator) = date.iter().find(|byte| !byte.is_ascii_digit()) else { return false };
    let mut parts = date.split(|&byte| byte == separator);
    let (Some(first), Some(second), Some(third), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let month = |part| digits(part, 1..=2).is_some_and(|value| (1..=12).contains(&value));
    let day = |part| digits(part, 1..=2).is_some_and(|value| (1..=31).contains(&value));
    let year = |part| digits(part, 4..=4).is_some();
    match separator {
        b'-' => year(first) && month(second) && day(third),
        b'.' => day(first) && month(second) && year(third),
        b'/' if first.len() == 4 => year(first) && month(second) && day(third),
        b'/' => year(third) && (day(first) && month(second) || month(first) && day(second)),
        _ => false,
    }
}

/// Hours and minutes, then anything a time or its zone is written with.
fn is_time(time: &[u8]) -> bool {
    let mut parts = time.splitn(2, |&byte| byte == b':');
    let hours = parts.next().and_then(|hours| digits(hours, 1..=2));
    let Some((minutes, rest)) = parts.next().and_then(|rest| rest.split_at_checked(2)) else {
        return false;
    };
    hours.is_some_and(|hours| hours <= 24)
        && digits(minutes, 2..=2).is_some_and(|minutes| minutes < 60)
        && rest.iter().all(|byte| byte.is_ascii_digit() || b":.+- ZzAaPpMm".contains(byte))
}

/// The value of a run of digits whose length is in `lengths`.
fn digits(part: &[u8], lengths: std::ops::RangeInclusive<usize>) -> Option<u32> {
    if lengths.contains(&part.len()) && part.iter().all(u8::is_ascii_digit) {
        Some(part.iter().fold(0, |value, digit| 10 * value + u32::from(digit - b'0')))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_fast_way_to_a_number_gives_what_the_slow_way_does(cell in "[-+ ]?[0-9.e]{0,19}") {
            let slow: Option<f64> = cell.trim().parse().ok();
            prop_assert_eq!(number(cell.as_bytes()).map(f64::to_bits), slow.map(f64::to_bits));
        }

        #[test]
        fn short_decimals_are_the_nearest_floats(cell in "-?[0-9]{1,9}(\\.[0-9]{0,8})?") {
            let slow: f64 = cell.parse().unwrap();
            prop_assert_eq!(number(cell.as_bytes()).map(f64::to_bits), Some(slow.to_bits()));
        }
    }

    #[test]
    fn missing_tokens_are_found_in_any_case_and_amid_spaces() {
        for cell in ["", "  ", "NA", "n/A", " NaN ", "NULL", "None", "?", "-", ".", "\t"] {
            assert!(is_missing(cell.as_bytes()), "{cell:?}");
        }
        for cell in ["0", "--", "..", "nada", "nulls", "n a", "-1", "inf"] {
            assert!(!is_missing(cell.as_bytes()), "{cell:?}");
        }
        assert!(MISSING.iter().all(|token| token.len() <= LONGEST_MISSING));
    }

    #[test]
    fn numbers_are_decimal() {
        for (cell, value) in
            [("1", 1.0), (" -1.5\r", -1.5), ("+.5", 0.5), ("1e-3", 1e-3), ("Inf", f64::INFINITY)]
        {
            assert_eq!(number(cell.as_bytes()), Some(value), "{cell:?}");
        }
        for cell in ["", "0x10", "1,5", "1_000", "1 000", "12a", "½"] {
            assert_eq!(number(cell.as_bytes()), None, "{cell:?}");
        }
    }

    #[test]
    fn only_true_and_false_are_boolean() {
        assert_eq!(boolean(b" True "), Some(true));
        assert_eq!(boolean(b"FALSE"), Some(false));
        for cell in ["yes", "0", "t", ""] {
            assert_eq!(boolean(cell.as_bytes()), None, "{cell:?}");
        }
    }

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
        ] {
            assert!(!is_date(cell.as_bytes()), "{cell:?}");
        }
    }
}
