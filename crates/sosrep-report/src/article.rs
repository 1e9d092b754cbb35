//! An article: sections of text, tables and figures as one HTML document that holds all it shows.
//!
//! Like [`page()`](crate::page()) it opens from disk, runs no script, asks nothing of the network, and
//! is made for light and dark screens and for paper. All text is plain text and is escaped; an empty
//! line in it begins a new paragraph. Figures are taken as they are: they come from
//! [`figure`](crate::figure) and [`chart`](crate::chart).

mod table;

use maud::{Markup, PreEscaped, html};

use crate::page::document;

pub use table::Table;

/// From this many sections on there is a list of contents.
const MANY: usize = 3;

/// A document.
#[derive(Debug, Clone, PartialEq)]
pub struct Article {
    /// The title.
    pub title: String,
    /// What it says, in a few sentences below the title.
    pub lead: String,
    /// The sections in order.
    pub sections: Vec<Section>,
}

/// A part of an article.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// What stands below it.
    pub blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Paragraphs, with an empty line between two.
    Text(String),
    /// A table.
    Table(Table),
    /// A figure with words below it.
    Figure {
        /// An `<svg>` element of this crate.
        svg: String,
        /// The words.
        caption: String,
    },
    /// Blocks that are shown when asked for, and on paper.
    Folded {
        /// The line that unfolds them.
        summary: String,
        /// What it unfolds.
        blocks: Vec<Block>,
    },
}

/// The article as one HTML document.
pub fn article(article: &Article) -> String {
    let body = html! {
        main.article {
            h1 { (article.title) }
            @for paragraph in paragraphs(&article.lead) { p.answer { (paragraph) } }
            @if article.sections.len() >= MANY { (contents(&article.sections)) }
            @for (place, section) in article.sections.iter().enumerate() {
                section id=(identifier(place)) {
                    h2 { (section.heading) }
                    (blocks(&section.blocks))
                }
            }
        }
    };
    document(&article.title, body)
}

fn identifier(place: usize) -> String {
    format!("section-{}", place + 1)
}

fn contents(sections: &[Section]) -> Markup {
    html! {
        nav aria-label="Contents" {
            ol {
                @for (place, section) in sections.iter().enumerate() {
                    li { a href={ "#" (identifier(place)) } { (section.heading) } }
                }
            }
        }
    }
}

fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty())
}

fn blocks(blocks: &[Block]) -> Markup {
    html! { @for block in blocks { (block_of(block)) } }
}

fn block_of(block: &Block) -> Markup {
    match block {
        Block::Text(text) => html! { @for paragraph in paragraphs(text) { p { (paragraph) } } },
        Block::Table(table) => html! { div.scroll { (table.markup()) } },
        Block::Figure { svg, caption } => html! {
            figure {
                div.scroll { (PreEscaped(svg)) }
                @if !caption.is_empty() { figcaption { (caption) } }
            }
        },
        Block::Folded { summary, blocks: inside } => html! {
            details { summary { (summary) } (blocks(inside)) }
        },
    }
}
