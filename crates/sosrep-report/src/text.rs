//! Texts that come from strangers: column names, row identifiers, commands.
//!
//! Escaping is the template's work. What it does not do is here: characters that XML forbids even
//! when escaped, and texts too long for a figure, where nothing wraps or scrolls.

/// What stands in for a character that XML forbids.
const REPLACEMENT: char = '\u{fffd}';

/// `markup` with every character that XML forbids replaced. For whole documents: what the templates
/// write themselves holds none.
pub(crate) fn allowed(markup: String) -> String {
    if markup.chars().all(is_allowed) {
        return markup;
    }
    markup.chars().map(|c| if is_allowed(c) { c } else { REPLACEMENT }).collect()
}

fn is_allowed(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        c => !c.is_control(),
    }
}

/// At most `limit` characters, the last an ellipsis if there were more.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    if text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(limit.saturating_sub(1)).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

/// `text` closed off, so that its writing direction does not reorder what stands around it.
pub(crate) fn isolated(text: &str) -> String {
    format!("\u{2068}{text}\u{2069}")
}

/// `noun` with the ending that `things` asks for.
pub(crate) fn plural(things: usize, noun: &str) -> String {
    let ending = if things == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", crate::number::count(things))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_stay_and_long_ones_end_in_an_ellipsis() {
        assert_eq!(shortened("ash", 3), "ash");
        assert_eq!(shortened("alcohol", 4), "alc…");
        assert_eq!(shortened("a b c", 3), "a…");
        assert_eq!(shortened("אבגדה", 3), "אב…");
    }

    #[test]
    fn control_characters_are_replaced_and_line_breaks_stay() {
        assert_eq!(allowed("a\u{0}b\u{8}\n\u{ffff}é".to_owned()), "a\u{fffd}b\u{fffd}\n\u{fffd}é");
    }

    #[test]
    fn one_thing_is_singular() {
        assert_eq!([plural(1, "row"), plural(0, "row")], ["1 row", "0 rows"]);
    }
}
