//! The area of a plot: two scales, a grid, ticks and the names of the axes.

use maud::{Markup, html};

use super::canvas::{LETTER, Path, pixels};
use crate::scale::Scale;
use crate::text::fitted;

/// How far the name of an axis may reach over its ends, across and upright.
const OVERHANG: (f64, f64) = (60.0, 10.0);
/// Pixels a tick's text needs, upright and across.
const TICK_ROOM: (f64, f64) = (34.0, 66.0);

/// Two scales that share an area.
pub(crate) struct Frame {
    /// From left to right.
    pub(crate) x: Scale,
    /// From bottom to top.
    pub(crate) y: Scale,
    /// Room kept free below the area, before the ticks of the horizontal axis.
    pub(crate) gap: f64,
}

/// The names of the axes.
pub(crate) struct Names<'a> {
    /// Below the frame.
    pub(crate) x: &'a str,
    /// Left of the frame, upwards.
    pub(crate) y: &'a str,
}

/// Ticks that go into so many pixels of a horizontal axis.
pub(crate) fn ticks_across(room: f64) -> usize {
    (room / TICK_ROOM.1).max(2.0) as usize
}

/// Ticks that go into so many pixels of a vertical axis.
pub(crate) fn ticks_upwards(room: f64) -> usize {
    (room / TICK_ROOM.0).max(2.0) as usize
}

impl Frame {
    /// The place of a point; none if it is not finite.
    pub(crate) fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.x.place(x)?, self.y.place(y)?))
    }

    /// The place of a point, or the nearest inside the frame.
    pub(crate) fn place_inside(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.x.place_inside(x)?, self.y.place_inside(y)?))
    }

    /// Left and right end.
    pub(crate) fn across(&self) -> (f64, f64) {
        self.x.pixels()
    }

    /// Bottom and top.
    pub(crate) fn upwards(&self) -> (f64, f64) {
        self.y.pixels()
    }

    /// Letters that go into the name of the horizontal and of the vertical axis.
    pub(crate) fn name_room(&self) -> (f64, f64) {
        let ((left, right), (bottom, top)) = (self.across(), self.upwards());
        ((right - left + OVERHANG.0) / LETTER, (bottom - top + OVERHANG.1) / LETTER)
    }

    /// Grid, ticks and names.
    pub(crate) fn axes(&self, names: &Names) -> Markup {
        let ((left, right), (bottom, top)) = (self.across(), self.upwards());
        let base = bottom + self.gap;
        let middle = (top + bottom) / 2.0;
        let (x_room, y_room) = self.name_room();
        let turned = format!("rotate(-90 16 {})", pixels(middle));
        let base_line = Path::through([(left, bottom), (right, bottom)].into_iter());
        html! {
            (self.ticks())
            (base_line.class("axis"))
            text.quiet.middle x=(pixels((left + right) / 2.0)) y=(pixels(base + 40.0)) {
                (fitted(names.x, x_room))
            }
            text.quiet.middle x="16" y=(pixels(middle)) transform=(turned) {
                (fitted(names.y, y_room))
            }
        }
    }

    fn ticks(&self) -> Markup {
        let ((left, right), (bottom, top)) = (self.across(), self.upwards());
        let across = self.x.ticks(ticks_across(right - left));
        let upwards = self.y.ticks(ticks_upwards(bottom - top));
        let mut grid = Path::default();
        for tick in &across {
            grid.move_to(tick.place, top);
            grid.line_to(tick.place, bottom);
        }
        for tick in &upwards {
            grid.move_to(left, tick.place);
            grid.line_to(right, tick.place);
        }
        html! {
            (grid.class("grid"))
            @for tick in &across {
                text.quiet.middle x=(pixels(tick.place)) y=(pixels(bottom + self.gap + 18.0)) {
                    (tick.text)
                }
            }
            @for tick in &upwards {
                text.quiet.end x=(pixels(left - 8.0)) y=(pixels(tick.place + 4.5)) { (tick.text) }
            }
        }
    }
}
