//! The page: one HTML document that holds everything it shows.
//!
//! It opens from disk and asks nothing of the network. One script sorts and searches the table of
//! rows; without it the page is the same but for that. A policy in its head makes the browser run no
//! other and fetch nothing. The order is the reader's: the answer, the numbers behind it, which rows
//! and why, then what the answer rests on. A section without data is left out.

mod anomalies;
mod features;
mod overview;
mod plots;
mod rows;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::report::{Report, Reproduce};
use crate::text::{allowed, sentence};
use crate::theme::page_style;

/// Nothing is fetched, one script runs, and styles are in the page.
fn policy() -> String {
    let script = rows::SCRIPT_HASH;
    format!("default-src 'none'; script-src 'sha256-{script}'; style-src 'unsafe-inline'")
}

/// The report as one HTML document.
///
/// Size: below 3 MB, whatever the number of rows and columns. Time: a few passes
/// over the scores and the points of the map.
pub fn page(report: &Report) -> String {
    document(
        &report.title,
        html! { main { (sections(report)) } script { (PreEscaped(rows::SCRIPT)) } },
    )
}

/// A document of this title around its body.
fn document(title: &str, body: Markup) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy());
                title { (title) }
                style { (PreEscaped(page_style())) }
            }
            body { (body) }
        }
    };
    allowed(markup.into_string())
}

fn sections(report: &Report) -> Markup {
    html! {
        (overview::header(report))
        (overview::tiles(report))
        (plots::scores(&report.scores))
        (anomalies::section(report))
        (rows::section(report))
        @if let Some(map) = &report.map { (plots::map(map)) }
        @if let Some(curve) = &report.curve { (plots::curve(curve)) }
        (features::section(&report.features))
        @if let Some(detection) = &report.detection { (plots::detection(detection)) }
        (notes(&report.notes))
        (reproduce(&report.reproduce))
    }
}

fn notes(notes: &[String]) -> Markup {
    html! {
        @if !notes.is_empty() {
            section id="notes" {
                h2 { "Notes" }
                ul { @for note in notes { li { (sentence(note)) } } }
            }
        }
    }
}

fn reproduce(reproduce: &Reproduce) -> Markup {
    html! {
        section id="reproduce" {
            h2 { "How to get this page again" }
            pre { (reproduce.command) }
            p.quiet {
                "Version " (reproduce.version) ", seed " (reproduce.seed) ", "
                (crate::text::plural(reproduce.threads, "thread"))
                ". The number of threads changes the time and nothing else."
            }
        }
    }
}

/// A text on one line, cut with an ellipsis where there is no room, at the end in its own direction of
/// writing, and whole on hover.
fn clipped(text: &str) -> Markup {
    html! { span.clip dir="auto" title=(text) { (text) } }
}
