//! The names of series beside samples of them, in lines above a plot.

use maud::{Markup, html};

use crate::figure::canvas::{LETTER, pixels};
use crate::text::{fitted, isolated, width};

/// Space behind a sample and behind a name.
const GAPS: (f64, f64) = (8.0, 16.0);
/// Height of a line.
const LINE: f64 = 20.0;

/// A legend, and the room it takes.
pub(super) struct Legend {
    pub(super) markup: Markup,
    pub(super) height: f64,
}

/// A legend of these names from `top` on, between two ends. `draw` writes what a name stands for, a
/// sample of the given width, between two ends at a height. A name without letters has no entry.
pub(super) fn legend(
    names: &[&str],
    (left, right): (f64, f64),
    top: f64,
    sample: f64,
    draw: impl Fn(usize, (f64, f64), f64) -> Markup,
) -> Legend {
    let before = sample + GAPS.0;
    let (mut x, mut line, mut entries) = (left, 0, Vec::new());
    for (series, name) in names.iter().enumerate().filter(|(_, name)| !name.trim().is_empty()) {
        let name = fitted(name, (right - left - before) / LETTER);
        let room = before + LETTER * width(&name);
        if x > left && x + room > right {
            (x, line) = (left, line + 1);
        }
        entries.push((series, name, (x, top + LINE * (f64::from(line) + 0.5))));
        x += room + GAPS.1;
    }
    let height = if entries.is_empty() { 0.0 } else { LINE * f64::from(line + 1) };
    let markup = html! {
        @for (series, name, (x, y)) in &entries {
            (draw(*series, (*x, x + sample), *y))
            text x=(pixels(x + before)) y=(pixels(y + 4.5)) { (isolated(name)) }
        }
    };
    Legend { markup, height }
}
