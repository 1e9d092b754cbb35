//! Rows with names on the left and one horizontal scale: what boxes and dots share.
//!
//! The room for the names is that of the longest, up to [`MOST_LETTERS`]; the figure becomes wider
//! for it, the plot does not become narrower.

use maud::{Markup, html};

use crate::figure::canvas::{LETTER, Path, pixels};
use crate::figure::frame::ticks_across;
use crate::scale::Scale;
use crate::text::{fitted, isolated, shortened, width};

/// Letters of a name at most.
const MOST_LETTERS: f64 = 60.0;
/// Between a name and the plot, and left of the names.
const GAP: f64 = 10.0;
const MARGIN: f64 = 8.0;
/// Width of the plot, and the room right of it.
const PLOT: f64 = 560.0;
const RIGHT: f64 = 32.0;
/// From this many rows on there are ticks above the plot too.
const TALL: usize = 20;

/// Where rows lie.
pub(super) struct Rows {
    /// Left and right end of the plot.
    pub(super) across: (f64, f64),
    /// The upper end of the first row.
    pub(super) top: f64,
    /// Height of a row.
    pub(super) pitch: f64,
    /// How many there are.
    pub(super) count: usize,
}

impl Rows {
    /// The middle of a row.
    pub(super) fn middle(&self, row: usize) -> f64 {
        self.top + self.pitch * (row as f64 + 0.5)
    }

    /// The lower end of the last row.
    pub(super) fn bottom(&self) -> f64 {
        self.top + self.pitch * self.count as f64
    }

    /// Size of the figure.
    pub(super) fn size(&self) -> (f64, f64) {
        (self.across.1 + RIGHT, self.bottom() + 52.0)
    }

    /// Grid, ticks and the name of the scale.
    pub(super) fn axes(&self, scale: &Scale, name: &str) -> Markup {
        let (left, right) = self.across;
        let (top, bottom) = (self.top, self.bottom());
        let mut grid = Path::default();
        let ticks = scale.ticks(ticks_across(right - left));
        let upright = ticks.iter().map(|tick| [(tick.place, top), (tick.place, bottom)]);
        let level =
            (0..self.count).map(|row| [(left, self.middle(row)), (right, self.middle(row))]);
        for [from, to] in upright.chain(level) {
            grid.move_to(from.0, from.1);
            grid.line_to(to.0, to.1);
        }
        let heights = [Some(bottom + 18.0), Some(top - 7.0).filter(|_| self.count >= TALL)];
        html! {
            (grid.class("grid"))
            (Path::through([(left, bottom), (right, bottom)].into_iter()).class("axis"))
            @for y in heights.into_iter().flatten() {
                @for tick in &ticks {
                    text.quiet.middle x=(pixels(tick.place)) y=(pixels(y)) { (tick.text) }
                }
            }
            text.quiet.middle x=(pixels((left + right) / 2.0)) y=(pixels(bottom + 40.0)) {
                (fitted(name, (right - left) / LETTER))
            }
        }
    }

    /// The name of a row.
    pub(super) fn name(&self, row: usize, name: &str, marked: bool) -> Markup {
        row_name(name, (self.across.0, self.middle(row)), marked)
    }
}

/// Ends of a plot right of these names.
pub(super) fn beside<'a>(names: impl Iterator<Item = &'a str>) -> (f64, f64) {
    let left = name_room(names);
    (left, left + PLOT)
}

/// Pixels that names on the left take, with the space around them.
pub(super) fn name_room<'a>(names: impl Iterator<Item = &'a str>) -> f64 {
    let letters = names.map(width).fold(0.0, f64::max).min(MOST_LETTERS);
    MARGIN + LETTER * letters + GAP
}

/// A name that ends left of a place.
pub(super) fn row_name(name: &str, (x, y): (f64, f64), marked: bool) -> Markup {
    let shown = fitted(name, MOST_LETTERS);
    html! {
        text.end.accent[marked] x=(pixels(x - GAP)) y=(pixels(y + 4.5)) {
            @if shown != name { title { (shortened(name, 200)) } }
            (isolated(&shown))
        }
    }
}

/// Room above the rows for the ticks there.
pub(super) fn room_above(count: usize) -> f64 {
    if count >= TALL { 24.0 } else { 6.0 }
}
