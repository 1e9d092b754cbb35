//! Pieces of sentences that messages have in common.

use std::fmt;
use std::io;

/// A value as a message shows it: the first 40 characters, control characters escaped.
pub(crate) fn shown(value: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown = String::new();
    for character in value.chars().take(LONGEST) {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    if value.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// A value in quotes, as a message shows it.
pub(crate) fn quoted(value: &str) -> String {
    format!("\"{}\"", shown(value))
}

/// A statement and what can be done, "a, b, or c", in one sentence.
pub(crate) fn joined(what: &dyn fmt::Display, ways: impl Iterator<Item = String>) -> String {
    let ways: Vec<String> = ways.collect();
    match ways.split_last() {
        None => what.to_string(),
        Some((only, [])) => format!("{what}; {only}"),
        Some((last, others)) => format!("{what}; {}, or {last}", others.join(", ")),
    }
}

/// A number of things, in words.
pub(super) fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// The system's words for an error, without the number.
pub(super) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_string(),
        io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        io::ErrorKind::StorageFull => "the disk is full; free some space".to_string(),
        io::ErrorKind::IsADirectory => "it is a folder; give a file".to_string(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_and_control_characters_escaped() {
        assert_eq!(shown("a\tb\u{1b}"), "a\\tb\\u{1b}");
        assert_eq!(shown(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(shown(&"é".repeat(41)), "é".repeat(40) + "…");
    }
}
