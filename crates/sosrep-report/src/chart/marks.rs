//! Vertical lines with names above a plot.
//!
//! A name stands right of its line, or left of it where the plot ends. Names that would cover each
//! other go to different lines of text; from right to left, so that the line of a higher name passes
//! left of the lower ones.

use maud::{Markup, html};

use crate::figure::canvas::{LETTER, Path, pixels};
use crate::scale::Scale;
use crate::text::{fitted, isolated, width};

/// Height of a line of names.
const LINE: f64 = 17.0;
/// Between a line and its name, and between two names.
const GAP: f64 = 5.0;
/// Letters of a name at most.
const MOST_LETTERS: f64 = 40.0;

/// A vertical line with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Where it stands on the horizontal axis.
    pub x: f64,
    /// The name, written above the plot.
    pub name: String,
}

/// A mark with the place of its name.
struct Placed {
    x: f64,
    name: String,
    /// Left and right end of the name.
    extent: (f64, f64),
    is_right: bool,
    line: usize,
}

/// Marks with places for their names.
pub(super) struct Marks(Vec<Placed>);

impl Marks {
    /// Places for those marks that have one on the scale.
    pub(super) fn of(marks: &[Mark], scale: &Scale) -> Self {
        let mut placed: Vec<Placed> = marks.iter().filter_map(|mark| placed(mark, scale)).collect();
        placed.sort_by(|a, b| b.x.total_cmp(&a.x));
        for next in 0..placed.len() {
            let (before, after) = placed.split_at_mut(next);
            let free = |line: &usize| {
                let covers = |other: &Placed| {
                    other.line == *line
                        && other.extent.0 < after[0].extent.1 + GAP
                        && after[0].extent.0 < other.extent.1 + GAP
                };
                !before.iter().any(covers)
            };
            let line = (0..=next).find(free).unwrap_or(next);
            after[0].line = line;
        }
        Self(placed)
    }

    /// Room that the names take.
    pub(super) fn height(&self) -> f64 {
        self.0.iter().map(|mark| LINE * (mark.line + 1) as f64).fold(0.0, f64::max)
    }

    /// Lines over a plot between these heights, names above it.
    pub(super) fn draw(&self, (bottom, top): (f64, f64)) -> Markup {
        let base = |mark: &Placed| top - LINE * mark.line as f64 - 5.0;
        html! {
            @for mark in &self.0 {
                (Path::through([(mark.x, base(mark) - 10.0), (mark.x, bottom)].into_iter())
                    .class("mark"))
            }
            @for mark in &self.0 {
                @let x = if mark.is_right { mark.x + GAP } else { mark.x - GAP };
                text.quiet.halo.end[!mark.is_right] x=(pixels(x)) y=(pixels(base(mark))) {
                    (isolated(&mark.name))
                }
            }
        }
    }
}

fn placed(mark: &Mark, scale: &Scale) -> Option<Placed> {
    let x = scale.place_inside(mark.x)?;
    let name = fitted(&mark.name, MOST_LETTERS);
    let room = GAP + LETTER * width(&name);
    let is_right = x + room <= scale.pixels().1 || x - room < 0.0;
    let extent = if is_right { (x, x + room) } else { (x - room, x) };
    Some(Placed { x, name, extent, is_right, line: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_covers_another_and_none_leaves_the_figure() {
        let scale = Scale::linear((0.0, 1.0), (80.0, 700.0));
        let mark = |place: usize| Mark {
            x: (place as f64 * 0.618).fract(),
            name: "a name of some length".repeat(1 + place % 3),
        };
        let marks = Marks::of(&(0..12).map(mark).collect::<Vec<Mark>>(), &scale).0;
        for (place, one) in marks.iter().enumerate() {
            assert!(one.extent.0 >= 0.0 && one.extent.1 <= 760.0, "{:?}", one.extent);
            let apart = |other: &Placed| {
                other.line != one.line
                    || other.extent.1 <= one.extent.0
                    || one.extent.1 <= other.extent.0
            };
            assert!(marks[place + 1..].iter().all(apart));
        }
    }

    #[test]
    fn a_single_name_takes_one_line_and_no_name_none() {
        let scale = Scale::linear((0.0, 1.0), (80.0, 700.0));
        let mark = Mark { x: 0.5, name: "here".to_owned() };
        assert_eq!(Marks::of(&[mark], &scale).height(), LINE);
        assert_eq!(Marks::of(&[], &scale).height(), 0.0);
    }
}
