//! Numbers as people write them for people: `1.234,56 €`, `$1,234.56`, `12 %`, `(300)`, `1 234`.
//!
//! ```text
//! number   = sign? currency? sign? digits fraction? currency? "%"?, or the same in parentheses: negative
//! digits   = a run of digits, or groups: one to three, the first not 0, then three each, with the same
//!            separator between all of them: a space, an apostrophe, or the mark that is not the decimal one
//! fraction = the decimal mark, digits, perhaps an exponent
//! ```
//!
//! Which mark is the decimal one is not to be seen in a cell such as `1,234`: see
//! [`Survey`](crate::Survey). Currency and percent signs do not change the number.

use serde::{Deserialize, Serialize};

/// The decimal mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notation {
    /// As in 1,234.5.
    DecimalPoint,
    /// As in 1.234,5.
    DecimalComma,
}

const CURRENCIES: [char; 7] = ['$', '€', '£', '¥', '₹', '₽', '₩'];
const MINUS: [char; 2] = ['-', '−'];
/// Space, no-break space, narrow no-break space, apostrophes.
const SEPARATORS: [char; 5] = [' ', '\u{a0}', '\u{202f}', '\'', '’'];

impl Notation {
    /// Both, the more frequent first.
    pub(crate) const ALL: [Self; 2] = [Self::DecimalPoint, Self::DecimalComma];

    /// The decimal mark, and the one that may part groups of digits.
    fn marks(self) -> (char, char) {
        match self {
            Self::DecimalPoint => ('.', ','),
            Self::DecimalComma => (',', '.'),
        }
    }

    /// The number that a text is in this notation.
    pub(crate) fn number(self, text: &str) -> Option<f64> {
        let text = text.trim();
        let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let (text, signed) = without_sign(inner.unwrap_or(text));
        let (text, signed_again) = without_sign(text.trim_start_matches(CURRENCIES).trim_start());
        if [inner.is_some(), signed.is_some(), signed_again.is_some()]
            .iter()
            .filter(|s| **s)
            .count()
            > 1
        {
            return None;
        }
        let text = text.strip_suffix('%').unwrap_or(text).trim_end();
        let value = self.plain(text.trim_end_matches(CURRENCIES).trim_end())?;
        let negative = inner.is_some() || signed.or(signed_again) == Some(true);
        Some(if negative { -value } else { value })
    }

    /// The text of a number in this notation.
    pub(crate) fn write(self, value: f64) -> String {
        value.to_string().replace('.', &self.marks().0.to_string())
    }

    /// The number of digits, a fraction and an exponent.
    fn plain(self, text: &str) -> Option<f64> {
        let (mark, group_mark) = self.marks();
        let (whole, rest) = text.split_once(mark).unwrap_or((text, ""));
        let (whole, exponent) = match whole.find(['e', 'E']) {
            Some(at) if rest.is_empty() => whole.split_at(at),
            _ => (whole, ""),
        };
        let is_separator = |c: char| c == group_mark || SEPARATORS.contains(&c);
        let digits = match whole.chars().find(|c| is_separator(*c)) {
            Some(separator) => grouped(whole, separator)?,
            None => whole.to_string(),
        };
        let fraction = if rest.is_empty() { "0" } else { rest };
        let starts = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        let written = digits.bytes().all(|byte| byte.is_ascii_digit()) && starts(fraction);
        let shown = !digits.is_empty() || !rest.is_empty();
        if !(written && shown) {
            return None;
        }
        format!("{digits}.{fraction}{exponent}")
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
    }
}

/// The digits of groups with this separator between them.
fn grouped(text: &str, separator: char) -> Option<String> {
    let mut groups = text.split(separator);
    let first = groups.next()?;
    let whole = (1..=3).contains(&first.len()) && !first.starts_with('0');
    (whole && groups.all(|group| group.len() == 3)).then(|| text.replace(separator, ""))
}

/// What follows a sign, and whether that is a minus.
fn without_sign(text: &str) -> (&str, Option<bool>) {
    if let Some(rest) = text.strip_prefix(MINUS) {
        (rest.trim_start(), Some(true))
    } else if let Some(rest) = text.strip_prefix('+') {
        (rest.trim_start(), Some(false))
    } else {
        (text, None)
    }
}

/// Whether a text is a number in some notation, but none that programs write.
pub(crate) fn is_for_people(text: &str) -> bool {
    crate::cell::number(text.as_bytes()).is_none()
        && Notation::ALL.iter().any(|notation| notation.number(text).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_for_people_are_read() {
        use Notation::{DecimalComma, DecimalPoint};
        for (notation, text, value) in [
            (DecimalPoint, "1,234.5", 1234.5),
            (DecimalPoint, "$1,234,567", 1_234_567.0),
            (DecimalPoint, "-$5.20", -5.2),
            (DecimalPoint, "$ -5.20", -5.2),
            (DecimalPoint, "(1,234)", -1234.0),
            (DecimalPoint, "12.5 %", 12.5),
            (DecimalPoint, "+3%", 3.0),
            (DecimalPoint, "−4", -4.0),
            (DecimalPoint, "1'234.5", 1234.5),
            (DecimalPoint, ".5%", 0.5),
            (DecimalPoint, "1,000e3", 1e6),
            (DecimalComma, "1.234,5", 1234.5),
            (DecimalComma, "0,123", 0.123),
            (DecimalComma, "1 234,5 €", 1234.5),
            (DecimalComma, "12\u{202f}345", 12345.0),
            (DecimalComma, "-0,5e3", -500.0),
            (DecimalComma, "1.234", 1234.0),
        ] {
            assert_eq!(notation.number(text), Some(value), "{text} {notation:?}");
            assert!(is_for_people(text) || text == "1.234", "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in [
            "",
            "%",
            "$",
            "()",
            "-",
            "1,2,3",
            "1,23",
            "0,123",
            "01,234",
            "1,2345",
            "1,234 567",
            "1 234,567 890",
            "192.168.2.1",
            "31.12.2024",
            "5 kg",
            "#5",
            "12:30",
            "--5",
            "-(5)",
            "+-5",
            "1e",
            "1.e",
            "Bern, BE",
            "030 123 456",
            "½",
            "1,234,",
            "e5",
            "inf",
            "1e999",
        ] {
            assert_eq!(Notation::DecimalPoint.number(text), None, "{text:?}");
        }
        for text in ["1.5", "1,5,5", "1.234.5", "1,5.5"] {
            assert_eq!(Notation::DecimalComma.number(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in -1e15..1e15) {
            for notation in Notation::ALL {
                prop_assert_eq!(notation.number(&notation.write(value)), Some(value));
            }
        }

        #[test]
        fn plain_numbers_are_themselves_with_a_decimal_point(text in "-?[0-9]{1,9}(\\.[0-9]{1,6})?") {
            prop_assert_eq!(Notation::DecimalPoint.number(&text), text.parse().ok());
        }
    }
}
