//! Pieces of sentences that messages have in common.

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

/// A number of things, in words.
pub(super) fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Advice for numbers such as 2,895 that are text because of their comma; nothing for other text.
pub(super) fn comma_remedy(value: &str) -> &'static str {
    let is_number = |text: &str| text.trim().parse::<f64>().is_ok();
    if value.matches(',').count() == 1 && is_number(&value.replace(',', ".")) {
        "write numbers with a decimal point instead of a comma, or "
    } else {
        ""
    }
}

/// A word as it is typed in a shell.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./=,:+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The words for columns that do not match, all of them at once.
pub(super) fn mismatch(
    file: &str,
    missing: &[String],
    renamed: &[(String, String)],
    extra: &[String],
) -> String {
    let list =
        |names: &[String]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    let mut parts = Vec::new();
    if !missing.is_empty() {
        parts.push(format!("missing: {}", list(missing)));
    }
    if !renamed.is_empty() {
        let pairs =
            renamed.iter().map(|(ours, theirs)| format!("{} for {}", quoted(theirs), quoted(ours)));
        parts.push(format!("spelt differently: {}", pairs.collect::<Vec<_>>().join(", ")));
    }
    if !extra.is_empty() {
        parts.push(format!("not in the model: {}", list(extra)));
    }
    format!(
        "{file} and the model differ in their columns ({}); add, rename or leave out (--drop) \
         columns until they match",
        parts.join("; ")
    )
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
    fn decimal_commas_are_recognised() {
        assert!(comma_remedy("2,895").starts_with("write numbers"));
        assert!(comma_remedy("-0,5e3").starts_with("write numbers"));
        assert_eq!(comma_remedy("1,2,3"), "");
        assert_eq!(comma_remedy("Bern, BE"), "");
    }

    #[test]
    fn long_values_are_cut_and_control_characters_escaped() {
        assert_eq!(shown("a\tb\u{1b}"), "a\\tb\\u{1b}");
        assert_eq!(shown(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(shown(&"é".repeat(41)), "é".repeat(40) + "…");
    }
}
