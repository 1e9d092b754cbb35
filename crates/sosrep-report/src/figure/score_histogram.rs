//! The scores of all rows: where most lie, where the threshold cuts, how far the tail goes.
//!
//! A bin ends at the threshold, so the bars in the accent colour hold the flagged rows and no others.
//! Counts are on a logarithmic axis where the bars of the tail would vanish beside the tallest one.
//! Known anomalies are ticks below the axis. Work: one pass over the scores.

use maud::{Markup, html};

use super::canvas::{Caption, Path, figure, pixels};
use super::frame::{Frame, Names};
use crate::histogram::Histogram;
use crate::number::{count, number};
use crate::report::Scores;
use crate::scale::{Scale, extent};
use crate::text::plural;

const SIZE: (f64, f64) = (760.0, 330.0);
/// Left and right end of the plot.
const ACROSS: (f64, f64) = (72.0, 740.0);
/// Bottom and top of the plot without ticks for known anomalies.
const UPWARDS: (f64, f64) = (276.0, 62.0);
/// Room below the plot for known anomalies.
const RUG: f64 = 20.0;
/// Height of the lowest bar that is not empty.
const LOWEST_BAR: f64 = 2.0;
/// The tallest bar over the lowest from which counts are logarithmic.
const STEEP: usize = 40;
/// The axis of counts reaches at least this far, so that its ticks are whole rows.
const FEWEST: f64 = 6.0;
/// A threshold further from the scores than this many times their spread is off the figure.
const FAR: f64 = 2.0;

/// The distribution of the scores, with the threshold and the known anomalies.
pub fn score_histogram(scores: &Scores) -> String {
    let histogram =
        Histogram::anchored(&scores.values, scores.threshold, bins(scores.values.len()));
    let rows = histogram.counts.iter().sum();
    let above = scores.values.iter().filter(|score| **score > scores.threshold).count();
    let threshold = format!(
        "threshold {}, {} of {} above",
        number(scores.threshold),
        count(above),
        plural(scores.values.len(), "row")
    );
    let title = format!("Anomaly scores of {}", plural(rows, "row"));
    let description = format!("Histogram of the anomaly scores; {threshold}.");
    let frame = frame(scores, &histogram);
    let steep = is_steep(&histogram);
    let names = Names {
        x: "anomaly score, −log f² (higher is stranger)",
        y: if steep { "rows (logarithmic)" } else { "rows" },
    };
    let body = html! {
        (frame.axes(&names))
        (bars(&histogram, &frame, scores.threshold))
        (threshold_line(&frame, scores.threshold, &threshold))
        (rug(&frame, scores))
    };
    figure(SIZE, &Caption { title: &title, description: &description }, body)
}

/// Bins for so many rows: growing with the cube root, as for a smooth density.
fn bins(rows: usize) -> usize {
    (6.0 * (rows as f64).cbrt()).clamp(16.0, 70.0) as usize
}

fn is_steep(histogram: &Histogram) -> bool {
    let lowest = histogram.counts.iter().copied().filter(|count| *count > 0).min();
    histogram.tallest() > STEEP * lowest.unwrap_or(1)
}

fn frame(scores: &Scores, histogram: &Histogram) -> Frame {
    let (low, high) = extent(histogram.edges.iter().copied()).unwrap_or((0.0, 1.0));
    let near = |value: f64| (value - low).abs().min((value - high).abs()) <= FAR * (high - low);
    let threshold = Some(scores.threshold).filter(|value| value.is_finite() && near(*value));
    let ends = [low, high].into_iter().chain(threshold);
    let (low, high) = extent(ends).unwrap_or((0.0, 1.0));
    let margin = 0.02 * (high - low);
    let gap = if scores.labels.is_some() { RUG } else { 0.0 };
    let upwards = (UPWARDS.0 - gap, UPWARDS.1);
    let tallest = histogram.tallest().max(1) as f64;
    let y = if is_steep(histogram) {
        Scale::logarithmic((0.6, 1.2 * tallest), upwards)
    } else {
        Scale::linear((0.0, tallest.max(FEWEST)), upwards).rounded_out(5)
    };
    Frame { x: Scale::linear((low - margin, high + margin), ACROSS), y, gap }
}

fn bars(histogram: &Histogram, frame: &Frame, threshold: f64) -> Markup {
    let (mut ordinary, mut flagged) = (Path::default(), Path::default());
    let bottom = frame.upwards().0;
    for (low, high, rows) in histogram.bins().filter(|bin| bin.2 > 0) {
        let corners = (frame.x.place(low), frame.x.place(high), frame.y.place(rows as f64));
        let (Some(left), Some(right), Some(top)) = corners else { continue };
        // A bar beside the next one, with a hairline of ground between them.
        let right = (right - 1.0).max(left + 0.5);
        let path = if low >= threshold { &mut flagged } else { &mut ordinary };
        path.rectangle((left, top.min(bottom - LOWEST_BAR)), (right, bottom));
    }
    html! { (ordinary.class("bar")) (flagged.class("flagged")) }
}

/// The threshold with its text, on the side where there is more room.
fn threshold_line(frame: &Frame, threshold: f64, text: &str) -> Markup {
    if threshold.is_nan() {
        return html! {};
    }
    let ((left, right), (bottom, top)) = (frame.across(), frame.upwards());
    let place = frame.x.place(threshold).filter(|place| (left..=right).contains(place));
    let at = place.unwrap_or(if threshold > 0.0 { right } else { left });
    let (at_end, offset) = if at > (left + right) / 2.0 { (true, -6.0) } else { (false, 6.0) };
    html! {
        @if place.is_some() {
            (Path::through([(at, top - 20.0), (at, bottom + frame.gap)].into_iter()).class("threshold"))
        }
        text.accent.end[at_end] x=(pixels(at + offset)) y=(pixels(top - 9.0)) {
            (text) @if place.is_none() { " (outside this range)" }
        }
    }
}

/// A tick per known anomaly; those within half a pixel of each other share one.
fn rug(frame: &Frame, scores: &Scores) -> Markup {
    let Some(labels) = &scores.labels else { return html! {} };
    let known = scores.values.iter().zip(labels).filter(|(_, known)| **known);
    let places = known.filter_map(|(score, _)| frame.x.place_inside(*score));
    let mut places: Vec<i64> = places.map(|place| (place * 2.0).round() as i64).collect();
    places.sort_unstable();
    places.dedup();
    let top = frame.upwards().0 + 5.0;
    let mut ticks = Path::default();
    for place in places {
        ticks.move_to(place as f64 / 2.0, top);
        ticks.line_to(place as f64 / 2.0, top + RUG - 8.0);
    }
    html! {
        (ticks.class("rug"))
        text.known.end x=(pixels(frame.across().0 - 8.0)) y=(pixels(top + 10.0)) { "known" }
    }
}
