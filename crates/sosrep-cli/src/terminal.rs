//! What a person reads: tables on standard output, remarks on standard error.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use crate::failure::Result;
use crate::outputs::write_stdout;

/// Where words go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    /// Nothing but errors.
    pub(crate) quiet: bool,
    /// Standard output belongs to data: tables go to standard error.
    pub(crate) to_stderr: bool,
}

impl Terminal {
    /// A remark.
    pub(crate) fn remark(&self, words: &str) {
        if !self.quiet {
            eprintln!("{}", printable(words));
        }
    }

    /// A block of text with an empty line after it.
    pub(crate) fn show(&self, block: &str) -> Result<()> {
        // Whatever part of it came from a table: headers and titles as well as cells.
        let block = block.lines().map(printable).collect::<Vec<_>>().join("\n");
        match (self.quiet, self.to_stderr) {
            (true, _) => Ok(()),
            (false, true) => {
                eprintln!("{block}\n");
                Ok(())
            }
            (false, false) => write_stdout(format!("{block}\n\n").as_bytes()),
        }
    }
}

/// A table with a header; `right` columns hold numbers.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>], right: &[usize]) -> String {
    let mut table = Table::new();
    let line = LineStyle::none().fill('─').junction('─');
    table.load_style(TableStyle::new().header_separator(line));
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header.to_vec());
    for row in rows {
        table.add_row(row.iter().map(|cell| printable(cell)).collect::<Vec<_>>());
    }
    for &column in right {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines = table.to_string();
    lines.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// Names and values in two columns.
pub(crate) fn facts(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let line = |(name, value): &(&str, String)| format!("  {name:<width$}  {}", printable(value));
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Text of a table without the characters that could play with the terminal: control characters, C1
/// among them, and those that end a line or turn the direction of writing.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if plays(c) { '\u{FFFD}' } else { c }).collect()
}

fn plays(c: char) -> bool {
    let direction =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || direction
}

/// JSON without such characters: JSON itself escapes those below U+0020 only, and has line ends between
/// its values.
pub(crate) fn escaped_json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{7f}'.. if plays(c) => escaped.push_str(&format!("\\u{:04x}", c as u32)),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_plays_with_a_terminal_is_printed() {
        let shown = printable("\u{1b}]0;title\u{7}\u{9b}2J\u{202e}abc\u{2028}é");
        assert_eq!(shown, "\u{fffd}]0;title\u{fffd}\u{fffd}2J\u{fffd}abc\u{fffd}é");
        let json = serde_json::to_string("\u{1b}\u{7f}\u{9b}é").unwrap();
        let escaped = escaped_json(&json);
        assert_eq!(escaped, "\"\\u001b\\u007f\\u009bé\"");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), "\u{1b}\u{7f}\u{9b}é");
    }
}
