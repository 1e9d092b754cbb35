//! A column in the space of a line: its training values as bars, and where a row lies among them.
//!
//! The bars take up the strip, with some room added for a row outside them; a value further out is an
//! arrow at the edge, since drawing it to scale would leave no room for the bars.

use maud::{Markup, html};

use super::canvas::{Caption, Path, pixels, small};
use crate::report::{Feature, Reason};
use crate::scale::{Scale, extent};
use crate::text::{isolated, plural, shortened};

const SIZE: (f64, f64) = (220.0, 36.0);
/// Left and right end of the bars.
const ACROSS: (f64, f64) = (6.0, 214.0);
/// Bottom and top of the bars.
const UPWARDS: (f64, f64) = (29.0, 6.0);
/// Room added for a value outside the bars, as a share of their width.
const ROOM: f64 = 0.5;
/// Height of the lowest bar that is not empty.
const LOWEST_BAR: f64 = 1.2;
/// Letters of a name in a description.
const NAME: usize = 60;

/// The distribution of a column and, if given, the value of a row beside its typical value.
pub fn feature_strip(feature: &Feature, reason: Option<&Reason>) -> String {
    let name = isolated(&shortened(&feature.name, NAME));
    let title = match reason {
        Some(reason) => format!(
            "{name}: {} here, typically {}",
            isolated(&shortened(&reason.value_text, NAME)),
            isolated(&shortened(&reason.typical_text, NAME))
        ),
        None => format!("distribution of {name}, {}", plural(total(feature), "value")),
    };
    let Some(scale) = scale(feature, reason) else {
        return small(SIZE, &Caption { title: &title, description: "" }, html! {});
    };
    let body = html! {
        (bars(feature, &scale))
        @if let Some(reason) = reason {
            (typical_mark(&scale, reason.typical))
            (value_mark(&scale, reason.value))
        }
    };
    small(SIZE, &Caption { title: &title, description: "" }, body)
}

fn total(feature: &Feature) -> usize {
    feature.histogram.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
}

/// From value to pixel; none if there is neither a bar nor a value.
fn scale(feature: &Feature, reason: Option<&Reason>) -> Option<Scale> {
    let marks: Vec<f64> = reason.map_or(Vec::new(), |reason| vec![reason.value, reason.typical]);
    let bars = extent(feature.histogram.bins().flat_map(|bin| [bin.0, bin.1]));
    let (low, high) = bars.or_else(|| extent(marks.iter().copied()))?;
    let room = ROOM * (high - low);
    let near = marks.into_iter().map(|mark| mark.clamp(low - room, high + room));
    Some(Scale::linear(extent(near.chain([low, high]))?, ACROSS))
}

fn bars(feature: &Feature, scale: &Scale) -> Markup {
    let (bottom, top) = UPWARDS;
    let tallest = feature.histogram.tallest().max(1) as f64;
    let mut path = Path::default();
    for (low, high, rows) in feature.histogram.bins().filter(|bin| bin.2 > 0) {
        let (Some(left), Some(right)) = (scale.place(low), scale.place(high)) else { continue };
        let height = (rows as f64 / tallest * (bottom - top)).max(LOWEST_BAR);
        path.rectangle((left, bottom - height), ((right - 0.4).max(left + 0.8), bottom));
    }
    let base = Path::through([(ACROSS.0, bottom), (ACROSS.1, bottom)].into_iter());
    html! { (path.class("bar")) (base.class("axis")) }
}

fn typical_mark(scale: &Scale, typical: f64) -> Markup {
    html! {
        @if let Some(x) = scale.place_inside(typical) {
            circle.typical cx=(pixels(x)) cy=(pixels(UPWARDS.0)) r="4" {}
        }
    }
}

/// A line with a head, or an arrow at the edge for a value beyond it.
fn value_mark(scale: &Scale, value: f64) -> Markup {
    let (Some(x), Some(inside)) = (scale.place(value), scale.place_inside(value)) else {
        return html! {};
    };
    let (bottom, middle) = (UPWARDS.0, SIZE.1 / 2.0);
    let direction = (x - inside).signum() * 8.0;
    let (line, head) = if (x - inside).abs() > 0.5 {
        let back = inside - direction;
        let line = [(back - direction, middle), (back, middle)];
        (line, [(back, middle - 5.0), (inside, middle), (back, middle + 5.0)])
    } else {
        ([(x, 6.0), (x, bottom)], [(x - 5.0, 1.0), (x, 8.0), (x + 5.0, 1.0)])
    };
    html! {
        (Path::through(line.into_iter()).class("value"))
        (Path::through(head.into_iter()).class("flagged"))
    }
}
