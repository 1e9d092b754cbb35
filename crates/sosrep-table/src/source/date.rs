//! Dates told from other text, as people and programs write them.

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
