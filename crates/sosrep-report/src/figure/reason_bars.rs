//! Columns and what they add to a score, as bars to the right of a zero line, or to its left if they
//! count against an anomaly.
//!
//! The figure is narrow enough for a telephone: beside a cut bar, all bars look the same.

use maud::{Markup, html};

use super::canvas::{Caption, LETTER, Path, figure, pixels, small};
use crate::number::{fixed, number, shared_decimals};
use crate::scale::{Scale, extent};
use crate::text::{fitted, isolated, plural, shortened};

/// Width of the figure, and where its bars begin and end.
const WIDTH: f64 = 420.0;
const ACROSS: (f64, f64) = (180.0, 356.0);
/// Height of a line, and of everything around the lines.
const LINE: f64 = 26.0;
const AROUND: f64 = 48.0;
/// Lines at most.
const MOST_LINES: usize = 20;
/// Room between a name and its bar.
const GAP: f64 = 8.0;
/// Width and height of a single bar.
const SINGLE: (f64, f64) = (120.0, 16.0);

/// Bars for named contributions, in the order given, at most twenty.
pub fn reason_bars(title: &str, contributions: &[(&str, f64)]) -> String {
    let shown = &contributions[..contributions.len().min(MOST_LINES)];
    let height = AROUND + LINE * shown.len() as f64;
    let scale = Scale::linear(range(shown.iter().map(|entry| entry.1)), ACROSS);
    let decimals = shared_decimals(shown.iter().map(|entry| entry.1), 3);
    let description = format!("Bars for the contributions of {}.", plural(shown.len(), "column"));
    let body = html! {
        @for (line, (name, contribution)) in shown.iter().enumerate() {
            @let text = fixed(*contribution, decimals);
            (line_of(&scale, (name, *contribution), &text, AROUND - 8.0 + LINE * line as f64))
        }
    };
    figure((WIDTH, height), &Caption { title, description: &description }, body)
}

/// One contribution as a bar without text, on a scale that holds `range` and zero.
pub fn contribution_bar(contribution: f64, range: (f64, f64)) -> String {
    let scale = Scale::linear(with_zero(range), (1.0, SINGLE.0 - 1.0));
    let title = format!("contribution {}", number(contribution));
    let body = bar(&scale, contribution, (0.0, SINGLE.1));
    small(SINGLE, &Caption { title: &title, description: "" }, body)
}

fn range(contributions: impl Iterator<Item = f64>) -> (f64, f64) {
    with_zero(extent(contributions).unwrap_or((0.0, 1.0)))
}

fn with_zero((low, high): (f64, f64)) -> (f64, f64) {
    let ends = (low.min(0.0), high.max(0.0));
    if ends == (0.0, 0.0) { (0.0, 1.0) } else { ends }
}

fn line_of(scale: &Scale, (name, contribution): (&str, f64), amount: &str, top: f64) -> Markup {
    let end = scale.place_inside(contribution.max(0.0)).unwrap_or(ACROSS.0);
    let baseline = pixels(top + 13.0);
    html! {
        text.end x=(pixels(ACROSS.0 - GAP)) y=(baseline) {
            title { (shortened(name, 200)) }
            (isolated(&fitted(name, (ACROSS.0 - GAP) / LETTER)))
        }
        (bar(scale, contribution, (top, top + 18.0)))
        text.quiet x=(pixels(end + GAP)) y=(baseline) { (amount) }
    }
}

fn bar(scale: &Scale, contribution: f64, (top, bottom): (f64, f64)) -> Markup {
    let (Some(zero), Some(end)) = (scale.place_inside(0.0), scale.place_inside(contribution))
    else {
        return html! {};
    };
    let mut path = Path::default();
    path.rectangle((zero.min(end), top + 2.0), (zero.max(end), bottom - 2.0));
    html! {
        (path.class(if contribution < 0.0 { "against" } else { "flagged" }))
        (Path::through([(zero, top), (zero, bottom)].into_iter()).class("axis"))
    }
}
