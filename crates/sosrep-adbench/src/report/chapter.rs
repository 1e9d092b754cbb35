//! A part of the report before it is a page or Markdown: its figures and tables have names, which
//! are those of their files.

use sosrep_report::article::{Block, Section, Table};

use super::sheet::Sheet;
use super::{Figure, NamedTable};
use crate::experiment::{Account, Drawn};

/// A part of the report.
#[derive(Debug, Clone)]
pub(super) struct Chapter {
    pub(super) heading: String,
    pub(super) parts: Vec<Part>,
}

/// What a chapter consists of.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Text(String),
    Table {
        name: String,
        sheet: Sheet,
    },
    /// A table that is no file.
    Plain(Table),
    /// `numbers` are what the figure shows; a figure of another experiment has its own files.
    Figure {
        name: String,
        svg: String,
        caption: String,
        numbers: Option<Sheet>,
    },
    Folded {
        summary: String,
        parts: Vec<Part>,
    },
}

impl Part {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn table(name: &str, sheet: Sheet) -> Self {
        Self::Table { name: name.to_string(), sheet }
    }

    pub(super) fn figure(name: &str, svg: String, caption: String, numbers: Sheet) -> Self {
        Self::Figure { name: name.to_string(), svg, caption, numbers: Some(numbers) }
    }

    pub(super) fn folded(summary: &str, parts: Vec<Part>) -> Self {
        Self::Folded { summary: summary.to_string(), parts }
    }

    /// Itself, or what is folded in it.
    fn flat(&self) -> Vec<&Self> {
        match self {
            Self::Folded { parts, .. } => parts.iter().flat_map(Self::flat).collect(),
            other => vec![other],
        }
    }

    fn figure_file(&self) -> Option<Figure> {
        match self {
            Self::Figure { name, svg, .. } => Some(Figure { name: name.clone(), svg: svg.clone() }),
            _ => None,
        }
    }

    fn table_file(&self) -> Option<NamedTable> {
        match self {
            Self::Table { name, sheet } | Self::Figure { name, numbers: Some(sheet), .. } => {
                Some(NamedTable { name: name.clone(), table: sheet.exact() })
            }
            _ => None,
        }
    }

    fn markdown(&self) -> String {
        match self {
            Self::Text(text) => escaped(text),
            Self::Table { sheet, .. } => sheet.rounded().markdown().trim_end().to_string(),
            Self::Plain(table) => table.markdown().trim_end().to_string(),
            Self::Figure { name, caption, .. } => {
                let caption = escaped(caption).replace('\n', " ");
                format!("![{name}](figures/{name}.svg)\n\n*{caption}*")
            }
            Self::Folded { summary, parts } => {
                let parts: Vec<String> = parts.iter().map(Self::markdown).collect();
                let (summary, parts) = (escaped(summary), parts.join("\n\n"));
                format!("<details><summary>{summary}</summary>\n\n{parts}\n\n</details>")
            }
        }
    }
}

impl Chapter {
    pub(super) fn new(heading: &str, parts: Vec<Part>) -> Self {
        Self { heading: heading.to_string(), parts }
    }

    /// The figures, those that are folded included.
    pub(super) fn figures(&self) -> Vec<Figure> {
        self.parts.iter().flat_map(Part::flat).filter_map(Part::figure_file).collect()
    }

    /// The tables and the numbers of figures.
    pub(super) fn tables(&self) -> Vec<NamedTable> {
        self.parts.iter().flat_map(Part::flat).filter_map(Part::table_file).collect()
    }
}

impl From<Chapter> for Section {
    fn from(chapter: Chapter) -> Self {
        let blocks = chapter.parts.into_iter().map(Block::from).collect();
        Self { heading: chapter.heading, blocks }
    }
}

impl From<Part> for Block {
    fn from(part: Part) -> Self {
        match part {
            Part::Text(text) => Self::Text(text),
            Part::Table { sheet, .. } => Self::Table(sheet.rounded()),
            Part::Plain(table) => Self::Table(table),
            Part::Figure { svg, caption, .. } => Self::Figure { svg, caption },
            Part::Folded { summary, parts } => {
                Self::Folded { summary, blocks: parts.into_iter().map(Self::from).collect() }
            }
        }
    }
}

/// An experiment that is not about runs as a chapter; the numbers of its figures are its own files.
pub(super) fn of_account(account: &Account) -> Chapter {
    let Account { finding, figures } = account;
    let text = Part::text(finding.sentences.join(" "));
    let tables = finding.tables.iter().cloned().map(Part::Plain);
    let figure = |drawn: &Drawn| Part::Figure {
        name: drawn.name.clone(),
        svg: drawn.svg.clone(),
        caption: drawn.caption.clone(),
        numbers: None,
    };
    let parts = [text].into_iter().chain(tables).chain(figures.iter().map(figure));
    Chapter::new(&finding.heading, parts.collect())
}

/// The whole report as Markdown.
pub(super) fn markdown(title: &str, lead: &str, chapters: &[Chapter]) -> String {
    let mut text = format!("# {}\n\n{}\n", escaped(title), escaped(lead));
    for chapter in chapters {
        text.push_str(&format!("\n## {}\n", escaped(&chapter.heading)));
        for part in &chapter.parts {
            text.push_str(&format!("\n{}\n", part.markdown()));
        }
    }
    text
}

/// Words that Markdown does not take for marks.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '\\' | '*' | '`' | '[' | ']' => escaped.extend(['\\', c]),
            other => escaped.push(other),
        }
    }
    escaped
}
