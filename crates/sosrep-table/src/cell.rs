//! One cell of text: missing, a number, true or false, or words.
//!
//! White space (ASCII) around a cell does not count here. What a cell is does not depend on its
//! neighbours.

/// What stands for a missing value, whatever the case of its letters; the empty cell among them.
///
/// The last are what pandas and spreadsheets write.
pub const MISSING: [&str; 20] = [
    "", "na", "n/a", "n.a.", "nan", "nat", "null", "none", "?", "-", "–", "—", ".", "<na>", "#n/a",
    "#div/0!", "#value!", "#num!", "#ref!", "#name?",
];

/// Length of the longest token of [`MISSING`].
const LONGEST_MISSING: usize = 7;

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

/// From here on an integer may be no float: 2⁵³.
pub(crate) const EXACT_INTEGERS: f64 = 9_007_199_254_740_992.0;

/// Whether the cell is a sign and digits, and nothing else.
#[cfg(any(feature = "files", test))]
pub(crate) fn is_integer(cell: &[u8]) -> bool {
    let cell = cell.trim_ascii();
    let digits = cell.strip_prefix(b"-").or_else(|| cell.strip_prefix(b"+")).unwrap_or(cell);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

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
        for cell in [
            "", "  ", "NA", "n/A", " NaN ", "NULL", "None", "?", "-", ".", "\t", "—", "#DIV/0!",
            "<NA>", "N.A.",
        ] {
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
}
