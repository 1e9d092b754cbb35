//! Lines and points over two axes, with named places on the horizontal one.
//!
//! A point that is not finite breaks its line, as does one that is not positive on a logarithmic
//! axis. Long series are thinned evenly. Where several solid lines have no symbols of their own, a
//! few of their points carry them, so that they can be told apart without colours.

use maud::{Markup, html};

use super::legend::legend;
use super::marks::{Mark, Marks};
use super::symbol::{colour, dashes, symbols};
use super::{Axis, LEFT, TOP, nothing};
use crate::figure::canvas::{Caption, Path, figure};
use crate::figure::frame::{Frame, Names, ticks_across, ticks_upwards};
use crate::number::count;
use crate::sampling::evenly;

/// Width of the figure, ends and height of the plot.
const WIDTH: f64 = 760.0;
const ACROSS: (f64, f64) = (84.0, 728.0);
const HEIGHT: f64 = 290.0;
/// Width of a line in the legend.
const SAMPLE: f64 = 24.0;
/// Points of a series drawn at most.
const MOST_POINTS: usize = 2000;
/// Symbols on a line that would have none.
const FEW: usize = 6;

/// Series over two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart {
    /// The title.
    pub title: String,
    /// Name and kind of the horizontal axis.
    pub x: (String, Axis),
    /// Name and kind of the vertical axis.
    pub y: (String, Axis),
    /// The series; the later cover the earlier.
    pub series: Vec<Series>,
    /// Named places on the horizontal axis.
    pub marks: Vec<Mark>,
}

/// Points that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend; none if it is empty.
    pub name: String,
    /// Points in the order of the line; one with a number that is not finite breaks it.
    pub points: Vec<(f64, f64)>,
    /// How they are drawn.
    pub style: Style,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A solid line.
    Line,
    /// Points alone.
    Dots,
    /// A solid line with all its points.
    LineAndDots,
    /// A line on which each value holds until the next point.
    Steps,
    /// A dashed line.
    Dashed,
}

/// Lines and points over two axes.
pub fn lines(chart: &LineChart) -> String {
    let points = drawable(chart);
    let places = points.iter().map(|point| point.0).chain(chart.marks.iter().map(|mark| mark.x));
    let x = chart.x.1.scale(places, ACROSS, ticks_across(ACROSS.1 - ACROSS.0));
    let (Some(x), false) = (x, points.is_empty()) else { return nothing(&chart.title) };
    let names: Vec<&str> = chart.series.iter().map(|series| series.name.as_str()).collect();
    let legend = legend(&names, (LEFT, ACROSS.1), TOP, SAMPLE, |place, ends, y| {
        sample(chart, place, ends, y)
    });
    let marks = Marks::of(&chart.marks, &x);
    let top = TOP + legend.height + marks.height() + 10.0;
    let upwards = (top + HEIGHT, top);
    let values = points.iter().map(|point| point.1);
    let Some(y) = chart.y.1.scale(values, upwards, ticks_upwards(HEIGHT)) else {
        return nothing(&chart.title);
    };
    let frame = Frame { x, y, gap: 0.0 };
    let body = html! {
        (legend.markup)
        (frame.axes(&Names { x: &chart.x.0, y: &chart.y.0 }))
        (marks.draw(upwards))
        @for place in 0..chart.series.len() { (series_of(chart, place, &frame)) }
    };
    let description =
        format!("{} against {}, {} series.", chart.y.0, chart.x.0, count(names.len()));
    let caption = Caption { title: &chart.title, description: &description };
    figure((WIDTH, top + HEIGHT + 52.0), &caption, body)
}

/// Points that have a place.
fn drawable(chart: &LineChart) -> Vec<(f64, f64)> {
    let points = chart.series.iter().flat_map(|series| &series.points);
    points.filter(|point| chart.x.1.holds(point.0) && chart.y.1.holds(point.1)).copied().collect()
}

/// Whether a line needs symbols that its style does not give it.
fn has_few_symbols(chart: &LineChart, place: usize) -> bool {
    let plain = |series: &Series| matches!(series.style, Style::Line | Style::Steps);
    plain(&chart.series[place]) && chart.series.iter().filter(|series| plain(series)).count() > 1
}

fn sample(chart: &LineChart, place: usize, (from, to): (f64, f64), y: f64) -> Markup {
    let style = chart.series[place].style;
    let has_symbol =
        matches!(style, Style::Dots | Style::LineAndDots) || has_few_symbols(chart, place);
    html! {
        @if style != Style::Dots {
            (stroke(place, style, &Path::through([(from, y), (to, y)].into_iter())))
        }
        @if has_symbol { (symbols(place, &[((from + to) / 2.0, y)])) }
    }
}

fn stroke(place: usize, style: Style, path: &Path) -> Markup {
    let line = path.class("line");
    let dashes = (style == Style::Dashed).then(|| dashes(place));
    html! { g class=(colour(place)) stroke-dasharray=[dashes] { (line) } }
}

fn series_of(chart: &LineChart, place: usize, frame: &Frame) -> Markup {
    let series = &chart.series[place];
    let kept = evenly(series.points.len(), MOST_POINTS).into_iter();
    let places: Vec<Option<(f64, f64)>> =
        kept.map(|point| frame.place_inside(series.points[point])).collect();
    let drawn: Vec<(f64, f64)> = places.iter().flatten().copied().collect();
    let with_symbol: Vec<(f64, f64)> = match series.style {
        Style::Dots | Style::LineAndDots => drawn,
        _ if has_few_symbols(chart, place) => few(&drawn),
        _ => Vec::new(),
    };
    html! {
        @if series.style != Style::Dots {
            (stroke(place, series.style, &path(&places, series.style)))
        }
        (symbols(place, &with_symbol))
    }
}

fn few(places: &[(f64, f64)]) -> Vec<(f64, f64)> {
    evenly(places.len(), FEW).into_iter().map(|place| places[place]).collect()
}

/// A line through the places, broken where there is none.
fn path(places: &[Option<(f64, f64)>], style: Style) -> Path {
    let mut path = Path::default();
    let mut before: Option<(f64, f64)> = None;
    for place in places {
        match (before, *place) {
            (None, Some((x, y))) => path.move_to(x, y),
            (Some((_, level)), Some((x, y))) => {
                if style == Style::Steps {
                    path.line_to(x, level);
                }
                path.line_to(x, y);
            }
            (_, None) => {}
        }
        before = *place;
    }
    path
}
