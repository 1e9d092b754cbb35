//! The criterion along the bandwidths tried, and the one chosen.
//!
//! Criteria grow without bound at the ends of a grid, which would flatten the part that matters. The
//! vertical axis therefore reaches from the best value to a few times the median distance from it;
//! what lies beyond is drawn as a hollow point at the edge, and the caption says so.

use maud::{Markup, html};

use super::canvas::{Caption, Path, figure, pixels};
use super::frame::{Frame, Names};
use crate::number::number;
use crate::report::Curve;
use crate::sampling::evenly;
use crate::scale::{Scale, extent, widened};
use crate::text::{isolated, plural, shortened};

const SIZE: (f64, f64) = (760.0, 360.0);
const ACROSS: (f64, f64) = (84.0, 740.0);
const UPWARDS: (f64, f64) = (306.0, 56.0);
/// The axis reaches this many times the median distance from the best value.
const REACH: f64 = 4.0;
/// Points drawn at most.
const MOST_POINTS: usize = 500;
/// Letters of the criterion's name at most.
const CRITERION: usize = 50;

/// The bandwidth curve on a logarithmic axis, with the choice marked.
pub fn bandwidth_curve(curve: &Curve) -> String {
    let points = drawable(curve);
    let window = window(&points, curve.lower_is_better);
    let frame = frame(curve, &points, window);
    let better = if curve.lower_is_better { "lower" } else { "higher" };
    let criterion = isolated(&shortened(&curve.criterion, CRITERION));
    let title = format!("Bandwidth {}, chosen by {criterion}", number(curve.chosen));
    let places = plural(points.len(), "place");
    let hollow = hollow(&points, window);
    let description = format!("{criterion} against the bandwidth at {places}. {hollow}");
    let y_name = format!("criterion ({better} is better)");
    let body = html! {
        (frame.axes(&Names { x: "bandwidth (logarithmic)", y: &y_name }))
        (line(&frame, &points, window))
        (choice(&frame, curve, &points))
    };
    figure(SIZE, &Caption { title: &title, description: description.trim_end() }, body)
}

/// What the marks of the curve mean; empty if they need no words.
pub(crate) fn caption(curve: &Curve) -> &'static str {
    let points = drawable(curve);
    hollow(&points, window(&points, curve.lower_is_better))
}

fn hollow(points: &[(f64, f64)], window: (f64, f64)) -> &'static str {
    let inside = |point: &(f64, f64)| (window.0..=window.1).contains(&point.1);
    if points.iter().all(inside) { "" } else { "Hollow points lie beyond the frame." }
}

/// Points with a positive bandwidth and a finite value, from left to right.
fn drawable(curve: &Curve) -> Vec<(f64, f64)> {
    let finite = |point: &&(f64, f64)| point.0 > 0.0 && point.0.is_finite() && point.1.is_finite();
    let mut points: Vec<(f64, f64)> = curve.points.iter().filter(finite).copied().collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    evenly(points.len(), MOST_POINTS).into_iter().map(|index| points[index]).collect()
}

/// The values worth room: from the best one, as far as the curve is not extreme.
fn window(points: &[(f64, f64)], lower_is_better: bool) -> (f64, f64) {
    let Some((low, high)) = extent(points.iter().map(|point| point.1)) else { return (0.0, 1.0) };
    let mut values: Vec<f64> = points.iter().map(|point| point.1.clamp(low, high)).collect();
    values.sort_by(f64::total_cmp);
    let median = values[values.len() / 2];
    if lower_is_better {
        (low, high.min(low + REACH * (median - low).max(0.05 * (high - low))))
    } else {
        (low.max(high - REACH * (high - median).max(0.05 * (high - low))), high)
    }
}

fn frame(curve: &Curve, points: &[(f64, f64)], window: (f64, f64)) -> Frame {
    let chosen = Some(curve.chosen).filter(|chosen| *chosen > 0.0);
    let bandwidths = points.iter().map(|point| point.0).chain(chosen);
    let (first, last) = extent(bandwidths).unwrap_or((0.1, 10.0));
    let (low, high) = widened(window);
    let margin = 0.06 * (high - low);
    Frame {
        x: Scale::logarithmic((first / 1.15, last * 1.15), ACROSS),
        y: Scale::linear((low - margin, high + margin), UPWARDS),
        gap: 0.0,
    }
}

fn line(frame: &Frame, points: &[(f64, f64)], window: (f64, f64)) -> Markup {
    let places = points.iter().filter_map(|point| frame.place_inside(*point));
    html! {
        (Path::through(places).class("curve"))
        @for (point, (x, y)) in
            points.iter().filter_map(|point| Some((point, frame.place_inside(*point)?))) {
            @let inside = (window.0..=window.1).contains(&point.1);
            circle.dot[inside].beyond[!inside] cx=(pixels(x)) cy=(pixels(y)) r="3.5" {
                title { (number(point.0)) ": " (number(point.1)) }
            }
        }
    }
}

/// A line at the chosen bandwidth with its text, and a mark where it meets the curve.
fn choice(frame: &Frame, curve: &Curve, points: &[(f64, f64)]) -> Markup {
    let Some(x) = frame.x.place_inside(curve.chosen) else { return html! {} };
    let ((left, right), (bottom, top)) = (frame.across(), frame.upwards());
    let (at_end, offset) = if x > (left + right) / 2.0 { (true, -6.0) } else { (false, 6.0) };
    let same = |point: &&(f64, f64)| (point.0 / curve.chosen - 1.0).abs() < 1e-9;
    let mark = points.iter().find(same).and_then(|point| frame.place_inside(*point));
    html! {
        (Path::through([(x, top - 16.0), (x, bottom)].into_iter()).class("threshold"))
        text.accent.end[at_end] x=(pixels(x + offset)) y=(pixels(top - 6.0)) {
            "chosen: " (number(curve.chosen))
        }
        @if let Some((x, y)) = mark {
            circle.chosen cx=(pixels(x)) cy=(pixels(y)) r="6" {}
        }
    }
}
