//! How well the scores find known anomalies: the ROC curve and precision against recall.
//!
//! Both mark the place of the threshold in use and what a random order of the rows would give. The
//! precision is drawn in steps, so that the area below it is the average precision. Long curves are
//! thinned evenly.

use maud::{Markup, html};

use super::canvas::{Caption, LETTER, Path, figure, pixels};
use super::frame::{Frame, Names};
use crate::number::{percent, significant};
use crate::report::Detection;
use crate::sampling::evenly;
use crate::scale::Scale;
use crate::text::width;

const SIZE: (f64, f64) = (440.0, 400.0);
const ACROSS: (f64, f64) = (72.0, 424.0);
const UPWARDS: (f64, f64) = (346.0, 42.0);
/// Points drawn at most.
const MOST_POINTS: usize = 1500;
/// What is written beside the mark on a curve.
const MARK: &str = "threshold in use";

/// Where a curve goes from left to right.
#[derive(Clone, Copy, PartialEq)]
enum Course {
    Up,
    Down,
}

/// True against false positive rate over all thresholds.
pub fn roc_curve(detection: &Detection) -> String {
    let title = format!("ROC curve, area {}", significant(detection.auc_roc, 3));
    let frame = unit_frame();
    let names = Names { x: "share of normal rows flagged", y: "share of known anomalies flagged" };
    let points = thinned(&detection.roc);
    let places = [(0.0, 0.0)].into_iter().chain(points);
    let curve = Path::through(places.filter_map(|point| frame.place_inside(point)));
    let at = (detection.confusion.false_positive_rate(), detection.confusion.recall());
    let body = html! {
        (frame.axes(&names))
        (chance(&frame, [(0.0, 0.0), (1.0, 1.0)]))
        (curve.class("curve"))
        (threshold(&frame, at, Course::Up))
    };
    let description = "Share of known anomalies flagged against share of normal rows flagged.";
    figure(SIZE, &Caption { title: &title, description }, body)
}

/// Precision against recall over all thresholds.
pub fn precision_recall_curve(detection: &Detection) -> String {
    let average = significant(detection.average_precision, 3);
    let title = format!("Precision and recall, average precision {average}");
    let frame = unit_frame();
    let names = Names {
        x: "recall: share of known anomalies flagged",
        y: "precision: share of flagged rows known",
    };
    let curve = Path::through(steps(&frame, &thinned(&detection.precision_recall)).into_iter());
    let at = (detection.confusion.recall(), detection.confusion.precision());
    let prevalence = detection.prevalence;
    let body = html! {
        (frame.axes(&names))
        (chance(&frame, [(0.0, prevalence), (1.0, prevalence)]))
        (curve.class("curve"))
        (threshold(&frame, at, Course::Down))
    };
    let description = format!(
        "Precision against recall; {} of the rows are known anomalies.",
        percent(prevalence)
    );
    figure(SIZE, &Caption { title: &title, description: &description }, body)
}

fn unit_frame() -> Frame {
    let scale = |pixels| Scale::linear((0.0, 1.0), pixels);
    Frame { x: scale(ACROSS), y: scale(UPWARDS), gap: 0.0 }
}

fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    evenly(points.len(), MOST_POINTS).into_iter().map(|index| points[index]).collect()
}

/// Corners of a curve that holds, from each recall to the next, the precision of the latter.
fn steps(frame: &Frame, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners = Vec::with_capacity(2 * points.len());
    let mut before = frame.across().0;
    for (x, y) in points.iter().filter_map(|point| frame.place_inside(*point)) {
        // Where no recall is added there is no area, only a line down and up again.
        if x > before {
            corners.extend([(before, y), (x, y)]);
            before = x;
        }
    }
    corners
}

fn chance(frame: &Frame, ends: [(f64, f64); 2]) -> Markup {
    let [Some(from), Some(to)] = ends.map(|end| frame.place_inside(end)) else {
        return html! {};
    };
    html! {
        (Path::through([from, to].into_iter()).class("chance"))
        text.quiet.end.halo x=(pixels(to.0 - 6.0)) y=(pixels(label_height(from, to))) { "chance" }
    }
}

/// Above a level line, well below the end of a rising one.
fn label_height(from: (f64, f64), to: (f64, f64)) -> f64 {
    let level = (from.1 - to.1).abs() < 1.0;
    if level { (to.1 - 7.0).max(UPWARDS.1 + 14.0) } else { to.1 + 62.0 }
}

/// A mark at the threshold, with its text where the curve does not go: below right of a place on a
/// rising curve or above left of it, the other two corners for a falling one.
fn threshold(frame: &Frame, at: (f64, f64), course: Course) -> Markup {
    let Some((x, y)) = frame.place(at) else { return html! {} };
    let room = 10.0 + LETTER * width(MARK);
    let is_right = match course {
        Course::Up => x + room <= ACROSS.1,
        Course::Down => x - room < ACROSS.0,
    };
    let is_below = is_right == (course == Course::Up);
    let label_x = if is_right { x + 10.0 } else { x - 10.0 };
    let label_y = if is_below { y + 20.0 } else { y - 10.0 };
    let label_y = label_y.max(UPWARDS.1 + 14.0).min(UPWARDS.0 - 6.0);
    html! {
        circle.chosen cx=(pixels(x)) cy=(pixels(y)) r="6" {}
        text.accent.halo.end[!is_right] x=(pixels(label_x)) y=(pixels(label_y)) { (MARK) }
    }
}
