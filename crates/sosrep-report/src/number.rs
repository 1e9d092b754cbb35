//! Numbers as the reader sees them: one manner for tiles, tables, axes and sentences.
//!
//! Four significant digits, no trailing zeros, groups of three from five digits on, a true minus
//! sign. Very small and very large magnitudes are written as 1.2×10⁻⁷. A number that is not one is a
//! dash. Tables and axes ask for a fixed number of decimals instead, so that the points align.

/// Between groups of three digits: a narrow space that does not break.
const GROUP: char = '\u{202f}';
/// What stands for a number that is not one.
const NOTHING: &str = "–";
/// Magnitudes 10^e in this range are written out.
const WRITTEN_OUT: std::ops::Range<i32> = -4..7;
/// Magnitudes from here on are never written out.
const LARGEST_FIXED: f64 = 1e12;

/// A number with up to four significant digits.
///
/// ```
/// use sosrep_report::number;
/// assert_eq!(number(0.123456), "0.1235");
/// assert_eq!(number(-2.50), "−2.5");
/// assert_eq!(number(1.2e-7), "1.2×10⁻⁷");
/// assert_eq!(number(f64::NAN), "–");
/// ```
pub fn number(value: f64) -> String {
    significant(value, 4)
}

/// A number of things.
///
/// ```
/// assert_eq!(sosrep_report::count(1234), "1234");
/// assert_eq!(sosrep_report::count(100_000), "100\u{202f}000");
/// ```
pub fn count(things: usize) -> String {
    grouped(&things.to_string())
}

/// A share of the whole in per cent, with up to three significant digits.
///
/// ```
/// assert_eq!(sosrep_report::percent(0.0555), "5.55\u{a0}%");
/// ```
pub fn percent(share: f64) -> String {
    format!("{}\u{a0}%", significant(100.0 * share, 3))
}

/// A number with up to `digits` significant digits; digits before the point are never cut.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    if let Some(text) = not_ordinary(value) {
        return text;
    }
    let (mantissa, exponent) = rounded(value, digits);
    if WRITTEN_OUT.contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        trimmed(&fixed(value, decimals))
    } else {
        let mantissa = trimmed(&mantissa.replace('-', "−"));
        format!("{mantissa}×10{}", superscript(exponent))
    }
}

/// A number with exactly `decimals` decimals.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    if let Some(text) = not_ordinary(value).filter(|_| value != 0.0) {
        return text;
    }
    if value.abs() >= LARGEST_FIXED {
        return significant(value, 4);
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let sign =
        if value < 0.0 && text.contains(|c: char| ('1'..='9').contains(&c)) { "−" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", grouped(whole))
}

/// Decimals that give the largest of these numbers so many significant digits, at most six.
pub(crate) fn shared_decimals(values: impl Iterator<Item = f64>, digits: usize) -> usize {
    let largest = values.filter(|value| value.is_finite()).fold(0.0, |a: f64, b| a.max(b.abs()));
    if largest == 0.0 { 0 } else { decimals(largest, digits) }
}

/// Decimals that give every one of these probabilities a digit or two, from two to six.
pub(crate) fn probability_decimals(values: impl Iterator<Item = f64>) -> usize {
    let smallest = values.filter(|value| *value > 0.0).fold(1.0, f64::min);
    decimals(smallest, 2).max(2)
}

fn decimals(value: f64, digits: usize) -> usize {
    (digits as i32 - 1 - rounded(value, digits).1).clamp(0, 6) as usize
}

/// The text of a zero, an infinity or a NaN.
fn not_ordinary(value: f64) -> Option<String> {
    let text = match value {
        0.0 => "0",
        f64::INFINITY => "∞",
        f64::NEG_INFINITY => "−∞",
        _ if value.is_nan() => NOTHING,
        _ => return None,
    };
    Some(text.to_owned())
}

/// Mantissa and decimal exponent after rounding, so that 9.9996 counts as 10.
fn rounded(value: f64, digits: usize) -> (String, i32) {
    let text = format!("{:.*e}", digits.saturating_sub(1), value);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.to_owned(), exponent.parse().unwrap_or(0))
}

fn trimmed(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

fn grouped(digits: &str) -> String {
    if digits.len() < 5 {
        return digits.to_owned();
    }
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(GROUP);
        }
        text.push(digit);
    }
    text
}

fn superscript(exponent: i32) -> String {
    let raised = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + (digit as u32 - '0' as u32)).unwrap_or(digit),
    };
    exponent.to_string().chars().map(raised).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number a text stands for.
    fn parsed(text: &str) -> f64 {
        let plain: String = text.chars().filter(|c| *c != GROUP).collect();
        let plain = plain.replace('−', "-").replace("×10", "e").replace('⁻', "-");
        let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
        let lower = |c| match digits.iter().position(|digit| *digit == c) {
            Some(value) => char::from_digit(value as u32, 10).unwrap(),
            None => c,
        };
        plain.chars().map(lower).collect::<String>().parse().unwrap()
    }

    #[test]
    fn a_number_read_back_is_within_half_a_unit_of_its_fourth_digit() {
        let mut value = 1.234567e-300;
        while value < 1e300 {
            for value in [value, -value] {
                let back = parsed(&number(value));
                assert!(
                    (back / value - 1.0).abs() <= 5e-4,
                    "{value} was written {}",
                    number(value)
                );
            }
            value *= 7.7;
        }
    }

    #[test]
    fn rounding_up_to_the_next_power_keeps_the_manner() {
        assert_eq!(number(9.99999), "10");
        assert_eq!(number(999_999.9), "1\u{202f}000\u{202f}000");
        assert_eq!(number(9_999_999.9), "1×10⁷");
        assert_eq!(number(0.000_099_999), "0.0001");
    }

    #[test]
    fn fixed_decimals_align_and_zero_has_no_sign() {
        assert_eq!(fixed(12.0, 2), "12.00");
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(fixed(0.0, 2), "0.00");
        assert_eq!(fixed(-12_345.6, 1), "−12\u{202f}345.6");
        assert_eq!(fixed(1e300, 2), "1×10³⁰⁰");
        assert_eq!(fixed(f64::NAN, 2), "–");
    }

    #[test]
    fn a_column_shares_its_decimals() {
        assert_eq!(shared_decimals([12.3, -0.5, f64::INFINITY].into_iter(), 4), 2);
        assert_eq!(shared_decimals([123_456.0].into_iter(), 4), 0);
        assert_eq!(shared_decimals(std::iter::empty(), 4), 0);
        assert_eq!(probability_decimals([0.5, 0.0025, 0.0, f64::NAN].into_iter()), 4);
        assert_eq!(probability_decimals(std::iter::empty()), 2);
    }

    #[test]
    fn what_is_not_finite_never_reads_as_a_number() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for text in [number(value), fixed(value, 3), percent(value)] {
                assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            }
        }
    }
}
