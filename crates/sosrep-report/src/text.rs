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
    cut(text, limit as f64, |_| 1.0)
}

/// As much of a text as goes into the space of `room` small letters, for a figure.
pub(crate) fn fitted(text: &str, room: f64) -> String {
    cut(text, room, letters)
}

/// The space a text takes, in small letters.
pub(crate) fn width(text: &str) -> f64 {
    text.chars().map(letters).sum()
}

/// The longest beginning that has room for an ellipsis behind it, or the whole text if it fits.
fn cut(text: &str, room: f64, width: fn(char) -> f64) -> String {
    let (mut used, mut end) = (0.0, 0);
    for (at, c) in text.char_indices() {
        if used + width('…') <= room {
            end = at;
        }
        used += width(c);
        if used > room {
            return format!("{}…", text[..end].trim_end());
        }
    }
    text.to_owned()
}

/// The space of a character, in small letters: an estimate, as fonts differ.
fn letters(c: char) -> f64 {
    match c {
        '\u{2066}'..='\u{2069}' => 0.0,
        'f' | 'i' | 'j' | 'l' | 'r' | 't' | ' ' | '.' | ',' | ':' | ';' | '(' | ')' | '/' | '-' => {
            0.6
        }
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 1.5,
        // East Asian scripts, their full-width forms, and pictographs.
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2.0,
        c if c.is_uppercase() => 1.2,
        _ => 1.0,
    }
}

/// `text` with a capital letter and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut rest = text.chars();
    let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
    let stop = if text.ends_with(['.', '!', '?', '…']) || text.is_empty() { "" } else { "." };
    format!("{first}{}{stop}", rest.as_str())
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
        assert_eq!(shortened("ash", 0), "…");
    }

    #[test]
    fn a_fitted_text_takes_no_more_room_than_there_is() {
        for text in ["nonflavanoid_phenols", "葡萄酒的酒精含量", "CONTENT OF ALCOHOL", "酒a酒b酒c"]
        {
            for room in (2..30).map(f64::from) {
                let short = fitted(text, room);
                assert!(width(&short) <= room, "{short} in {room}");
                assert_eq!(short == text, width(text) <= room, "{short} in {room}");
            }
        }
    }

    #[test]
    fn a_wide_character_takes_the_room_of_two() {
        assert_eq!(fitted("酒精含量", 8.0), "酒精含量");
        assert_eq!(fitted("酒精含量", 7.5), "酒精含…");
        assert_eq!(fitted(&isolated("ash"), 3.0), isolated("ash"));
    }

    #[test]
    fn a_sentence_begins_with_a_capital_and_ends_with_a_full_stop() {
        assert_eq!(sentence("rows left out: 3"), "Rows left out: 3.");
        assert_eq!(sentence("One row was dropped."), "One row was dropped.");
        assert_eq!(sentence("été"), "Été.");
        assert_eq!(sentence(" "), "");
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
