//! Box plots: the spread of many values in one row for each name.
//!
//! A box reaches from the lower to the upper quartile, its whiskers to the extremes; a line marks the
//! median and a dot the mean. A row with a number that is not finite says "no data". Numbers out of
//! order are drawn in order.

use maud::{Markup, html};

use super::rows::{Rows, beside, room_above};
use super::{Axis, LEFT, TOP, nothing};
use crate::figure::canvas::{Caption, Path, figure, pixels};
use crate::figure::frame::ticks_across;
use crate::number::number;
use crate::report::Summary;
use crate::scale::Scale;
use crate::text::plural;

/// Height of a row, half the height of a box and of a whisker's end.
const PITCH: f64 = 24.0;
const HALF_BOX: f64 = 7.0;
const HALF_END: f64 = 4.0;
/// Height of the line that says what the parts of a box are.
const LEGEND: f64 = 22.0;

/// One box.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxRow {
    /// What the values belong to.
    pub name: String,
    /// The values in five numbers and their mean; whiskers go from the minimum to the maximum.
    pub summary: Summary,
    /// Whether to draw it in the accent colour.
    pub marked: bool,
}

/// Boxes on one scale.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxChart {
    /// The title.
    pub title: String,
    /// What the values are.
    pub x_name: String,
    /// The boxes, the first on top.
    pub rows: Vec<BoxRow>,
}

/// Horizontal boxes, the first row on top.
pub fn boxes(chart: &BoxChart) -> String {
    let across = beside(chart.rows.iter().map(|row| row.name.as_str()));
    let count = chart.rows.len();
    let rows = Rows { across, top: TOP + LEGEND + room_above(count), pitch: PITCH, count };
    let values = chart.rows.iter().filter_map(|row| ordered(&row.summary)).flatten();
    let ticks = ticks_across(across.1 - across.0);
    let Some(scale) = Axis::Linear.scale(values, across, ticks) else {
        return nothing(&chart.title);
    };
    let description = format!(
        "Box plots of {} in {}: quartiles, extremes, median and mean.",
        chart.x_name,
        plural(count, "row")
    );
    let body = html! {
        (legend(LEFT, TOP + LEGEND / 2.0))
        (rows.axes(&scale, &chart.x_name))
        @for (place, row) in chart.rows.iter().enumerate() {
            (rows.name(place, &row.name, row.marked))
            (row_of(&scale, row, rows.middle(place)))
        }
    };
    figure(rows.size(), &Caption { title: &chart.title, description: &description }, body)
}

/// Minimum, quartiles with the median between them, and maximum; none if one is not finite.
fn ordered(summary: &Summary) -> Option<[f64; 5]> {
    let mut five = [
        summary.minimum,
        summary.lower_quartile,
        summary.median,
        summary.upper_quartile,
        summary.maximum,
    ];
    five.sort_by(f64::total_cmp);
    five.iter().all(|value| value.is_finite()).then_some(five)
}

fn row_of(scale: &Scale, row: &BoxRow, y: f64) -> Markup {
    let places = ordered(&row.summary).map(|five| five.map(|value| scale.place_inside(value)));
    let Some([Some(minimum), Some(lower), Some(median), Some(upper), Some(maximum)]) = places
    else {
        let left = scale.pixels().0;
        return html! { text.quiet.halo x=(pixels(left + 8.0)) y=(pixels(y + 4.5)) { "no data" } };
    };
    let mean = Some(row.summary.mean).filter(|mean| mean.is_finite());
    let mean = mean.and_then(|mean| scale.place_inside(mean));
    html! {
        g class=[row.marked.then_some("marked")] {
            title {
                (row.name) ": median " (number(row.summary.median))
                ", mean " (number(row.summary.mean))
            }
            (shape([minimum, lower, median, upper, maximum], mean, y))
        }
    }
}

fn shape([minimum, lower, median, upper, maximum]: [f64; 5], mean: Option<f64>, y: f64) -> Markup {
    let (mut whiskers, mut quartiles) = (Path::default(), Path::default());
    for (from, to) in [(minimum, lower), (maximum, upper)] {
        whiskers.move_to(from, y);
        whiskers.line_to(to, y);
        whiskers.move_to(from, y - HALF_END);
        whiskers.line_to(from, y + HALF_END);
    }
    quartiles.rectangle((lower, y - HALF_BOX), (upper, y + HALF_BOX));
    let middle = Path::through([(median, y - HALF_BOX), (median, y + HALF_BOX)].into_iter());
    html! {
        (whiskers.class("whisker"))
        (quartiles.class("box"))
        (middle.class("median"))
        @if let Some(mean) = mean { circle.typical cx=(pixels(mean)) cy=(pixels(y)) r="3.5" {} }
    }
}

/// A box that stands for all, with words for its parts.
fn legend(left: f64, y: f64) -> Markup {
    let places = [0.0, 16.0, 28.0, 46.0, 64.0].map(|offset| left + offset);
    html! {
        (shape(places, Some(left + 36.0), y))
        text.quiet x=(pixels(left + 74.0)) y=(pixels(y + 4.5)) {
            "extremes, quartiles, median (line) and mean (dot)"
        }
    }
}
