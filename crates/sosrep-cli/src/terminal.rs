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

/// Text of a table without the control characters that could play with the terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}
