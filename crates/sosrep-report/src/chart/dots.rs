//! Values of several series by category: one row for each category, one symbol for each series.

use maud::{Markup, html};

use super::legend::legend;
use super::rows::{Rows, beside, room_above};
use super::symbol::symbols;
use super::{Axis, LEFT, TOP, nothing};
use crate::figure::canvas::{Caption, figure};
use crate::figure::frame::ticks_across;
use crate::number::{count, number};
use crate::scale::Scale;
use crate::text::plural;

/// Height of a row, and how far apart the symbols of two series lie in it, so that equal values
/// do not hide each other.
const PITCH: f64 = 20.0;
const APART: f64 = 1.6;
/// Width of a symbol in the legend.
const SAMPLE: f64 = 10.0;

/// Values by category.
#[derive(Debug, Clone, PartialEq)]
pub struct DotChart {
    /// The title.
    pub title: String,
    /// What the values are.
    pub x_name: String,
    /// How they are laid out.
    pub axis: Axis,
    /// The names of the rows, the first on top.
    pub categories: Vec<String>,
    /// What is compared in every row.
    pub series: Vec<DotSeries>,
}

/// One value for each category.
#[derive(Debug, Clone, PartialEq)]
pub struct DotSeries {
    /// The name in the legend.
    pub name: String,
    /// The values in the order of the categories; what is missing is not drawn.
    pub values: Vec<Option<f64>>,
}

/// One row for each category, one symbol and colour for each series.
pub fn dots(chart: &DotChart) -> String {
    let across = beside(chart.categories.iter().map(String::as_str));
    let count = chart.categories.len();
    let values = chart.series.iter().flat_map(|series| drawable(series, chart));
    let ticks = ticks_across(across.1 - across.0);
    let Some(scale) = chart.axis.scale(values.map(|(_, value)| value), across, ticks) else {
        return nothing(&chart.title);
    };
    let names: Vec<&str> = chart.series.iter().map(|series| series.name.as_str()).collect();
    let legend = legend(&names, (LEFT, across.1), TOP, SAMPLE, |series, (from, to), y| {
        symbols(series, &[((from + to) / 2.0, y)])
    });
    let top = TOP + legend.height + room_above(count);
    let rows = Rows { across, top, pitch: PITCH, count };
    let body = html! {
        (legend.markup)
        (rows.axes(&scale, &chart.x_name))
        @for (place, name) in chart.categories.iter().enumerate() {
            (rows.name(place, name, false))
        }
        @for place in 0..chart.series.len() { (series_of(chart, place, &rows, &scale)) }
    };
    let description = description(chart);
    figure(rows.size(), &Caption { title: &chart.title, description: &description }, body)
}

/// Rows and values that have a place.
fn drawable(series: &DotSeries, chart: &DotChart) -> impl Iterator<Item = (usize, f64)> {
    let values = series.values.iter().take(chart.categories.len()).enumerate();
    let known = values.filter_map(|(row, value)| Some((row, (*value)?)));
    let axis = chart.axis;
    known.filter(move |(_, value)| axis.holds(*value))
}

fn description(chart: &DotChart) -> String {
    let drawn: usize = chart.series.iter().map(|series| drawable(series, chart).count()).sum();
    format!(
        "{} in {}, {} series; {} drawn.",
        chart.x_name,
        plural(chart.categories.len(), "row"),
        count(chart.series.len()),
        plural(drawn, "value")
    )
}

fn series_of(chart: &DotChart, place: usize, rows: &Rows, scale: &Scale) -> Markup {
    let series = &chart.series[place];
    let most = PITCH / 2.0 - 4.0;
    let offset = APART * (place as f64 - (chart.series.len() as f64 - 1.0) / 2.0);
    let y = |row: usize| rows.middle(row) + offset.clamp(-most, most);
    let places = drawable(series, chart)
        .filter_map(|(row, value)| Some((row, value, scale.place_inside(value)?)));
    html! {
        @for (row, value, x) in places {
            g {
                title { (chart.categories[row]) ", " (series.name) ": " (number(value)) }
                (symbols(place, &[(x, y(row))]))
            }
        }
    }
}
