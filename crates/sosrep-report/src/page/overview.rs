//! The answer in a sentence and the numbers of the run.

use maud::{Markup, html};

use crate::number::{count, number, percent, significant};
use crate::report::{Anomaly, Report};
use crate::text::{isolated, plural, shortened};

/// Letters of a name within a sentence, and of the title.
const NAME: usize = 60;
const TITLE: usize = 160;

/// Title, answer and where the data comes from.
pub(super) fn header(report: &Report) -> Markup {
    html! {
        header {
            h1 title=(report.title) { bdi { (shortened(&report.title, TITLE)) } }
            p.answer { (answer(report)) }
            @if let Some(note) = &report.source_note { p.quiet { (note) } }
            @if !report.notes.is_empty() {
                p.quiet {
                    a href="#notes" { (plural(report.notes.len(), "note")) } " on the data and the fit."
                }
            }
        }
    }
}

/// How many rows stand out, which one most, and why.
fn answer(report: &Report) -> Markup {
    let (rows, flagged) = (report.headline.rows, report.headline.flagged);
    html! {
        @if rows == 0 {
            "There are no rows to score."
        } @else if flagged == 0 {
            "None of " (plural(rows, "row")) " has a score above the threshold of "
            (number(report.scores.threshold))
            @if let Some(first) = report.top.first() {
                "; the highest is " (name(first)) " with " (number(first.score))
            }
            "."
        } @else {
            strong.accent { (count(flagged)) } " of " (plural(rows, "row"))
            @if flagged == 1 { " stands out" } @else { " stand out" }
            @if let Some(first) = report.top.first() {
                @if flagged == 1 { ": " } @else { "; the first is " }
                (name(first)) (because(report, first))
            }
            "."
        }
    }
}

fn name(anomaly: &Anomaly) -> Markup {
    html! { "row " strong { bdi { (shortened(&anomaly.row, NAME)) } } }
}

/// The column that adds most to a row's score.
fn because(report: &Report, anomaly: &Anomaly) -> Markup {
    let reason = anomaly.reasons.first().filter(|reason| reason.contribution > 0.0);
    html! {
        @if let Some((reason, feature)) =
            reason.and_then(|reason| Some((reason, report.features.get(reason.feature)?))) {
            ", mostly because of " strong { bdi { (shortened(&feature.name, NAME)) } }
            " (" bdi { (shortened(&reason.value_text, NAME)) } ", typically "
            bdi { (shortened(&reason.typical_text, NAME)) } ")"
        }
    }
}

/// A number with what it is and a word on it.
struct Tile {
    label: &'static str,
    value: String,
    note: String,
}

/// The numbers of the run.
pub(super) fn tiles(report: &Report) -> Markup {
    let tiles = [run_tiles(report), model_tiles(report), detection_tiles(report)];
    html! {
        dl.tiles {
            @for tile in tiles.into_iter().flatten() {
                div.tile {
                    dt { (tile.label) }
                    dd.figure-of title=(tile.value) { (tile.value) }
                    @if !tile.note.is_empty() { dd.note { (tile.note) } }
                }
            }
        }
    }
}

fn run_tiles(report: &Report) -> Vec<Tile> {
    let headline = &report.headline;
    let share = percent(headline.flagged as f64 / headline.rows.max(1) as f64);
    vec![
        Tile {
            label: "rows scored",
            value: count(headline.rows),
            note: format!("with {}", plural(headline.columns, "column")),
        },
        Tile {
            label: "rows flagged",
            value: count(headline.flagged),
            note: format!("{share} of the rows"),
        },
        Tile {
            label: "score threshold",
            value: number(report.scores.threshold),
            note: shortened(&headline.threshold_rule, TITLE),
        },
    ]
}

fn model_tiles(report: &Report) -> Vec<Tile> {
    let headline = &report.headline;
    let steps = headline.iterations.map(|steps| plural(steps, "solver step"));
    vec![
        Tile {
            label: "bandwidth",
            value: number(headline.bandwidth),
            note: format!("{} kernel", isolated(&shortened(&headline.kernel, NAME))),
        },
        Tile {
            label: "time",
            // More digits of a short time would neither fit nor matter.
            value: match headline.seconds {
                ..1.0 => format!("{:.2}\u{a0}s", headline.seconds),
                seconds => format!("{}\u{a0}s", significant(seconds, 3)),
            },
            note: steps.unwrap_or_default(),
        },
    ]
}

fn detection_tiles(report: &Report) -> Vec<Tile> {
    let Some(detection) = &report.detection else { return Vec::new() };
    vec![Tile {
        label: "area under ROC",
        value: significant(detection.auc_roc, 3),
        note: format!("average precision {}", significant(detection.average_precision, 3)),
    }]
}
