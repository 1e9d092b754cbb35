//! A table of texts, as markup and as Markdown.
//!
//! Rows may be shorter than others: a table has as many columns as its longest row, and what is
//! missing is empty.

use maud::{Markup, html};

/// A table of plain texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub header: Vec<String>,
    /// The rows, the first on top.
    pub rows: Vec<Vec<String>>,
    /// Which columns hold numbers, aligned on the right; the others are aligned on the left.
    pub numeric: Vec<bool>,
}

impl Table {
    /// The table as GitHub writes it, with columns aligned in the text too. Characters that Markdown
    /// would take for its own are escaped, so that a cell reads as it is given.
    ///
    /// ```
    /// use sosrep_report::article::Table;
    /// let table = Table {
    ///     header: vec!["method".to_owned(), "rank".to_owned()],
    ///     rows: vec![vec!["a|b".to_owned(), "1".to_owned()]],
    ///     numeric: vec![false, true],
    /// };
    /// assert_eq!(table.markdown(), "| method | rank |\n| ------ | ---: |\n| a\\|b   |    1 |\n");
    /// ```
    pub fn markdown(&self) -> String {
        let cells: Vec<Vec<String>> = self.lines().map(|line| self.padded(line)).collect();
        let widths: Vec<usize> = (0..self.columns())
            .map(|column| cells.iter().map(|line| length(&line[column])).max().unwrap_or(0).max(3))
            .collect();
        let mut text = String::new();
        if widths.is_empty() {
            return text;
        }
        for (place, line) in cells.iter().enumerate() {
            text += &self.written(line, &widths);
            if place == 0 {
                text += &self.rule(&widths);
            }
        }
        text
    }

    /// The table as markup.
    pub(super) fn markup(&self) -> Markup {
        let columns = self.columns();
        html! {
            table {
                thead { tr {
                    @for column in 0..columns {
                        th class=[self.class(column)] scope="col" {
                            (at(&self.header, column))
                        }
                    }
                } }
                tbody { @for row in &self.rows { tr {
                    @for column in 0..columns {
                        td class=[self.class(column)] { (at(row, column)) }
                    }
                } } }
            }
        }
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.header).chain(&self.rows)
    }

    fn columns(&self) -> usize {
        self.lines().map(Vec::len).max().unwrap_or(0)
    }

    fn is_numeric(&self, column: usize) -> bool {
        self.numeric.get(column).copied().unwrap_or(false)
    }

    fn class(&self, column: usize) -> Option<&'static str> {
        self.is_numeric(column).then_some("number")
    }

    /// A line with all columns, escaped.
    fn padded(&self, line: &[String]) -> Vec<String> {
        (0..self.columns()).map(|column| escaped(at(line, column))).collect()
    }

    fn written(&self, line: &[String], widths: &[usize]) -> String {
        let cells = line.iter().zip(widths).enumerate().map(|(column, (cell, &width))| {
            if self.is_numeric(column) {
                format!(" {cell:>width$} |")
            } else {
                format!(" {cell:<width$} |")
            }
        });
        format!("|{}\n", cells.collect::<String>())
    }

    fn rule(&self, widths: &[usize]) -> String {
        let cells = widths.iter().enumerate().map(|(column, &width)| {
            let (dashes, colon) =
                if self.is_numeric(column) { (width - 1, ":") } else { (width, "") };
            format!(" {}{colon} |", "-".repeat(dashes))
        });
        format!("|{}\n", cells.collect::<String>())
    }
}

fn at(line: &[String], column: usize) -> &str {
    line.get(column).map_or("", String::as_str)
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// A cell on one line, with a backslash before what Markdown would take for its own.
fn escaped(cell: &str) -> String {
    let mut text = String::new();
    for c in cell.split_whitespace().collect::<Vec<&str>>().join(" ").chars() {
        if matches!(c, '|' | '\\' | '<' | '&' | '*' | '`') {
            text.push('\\');
        }
        text.push(c);
    }
    text
}
