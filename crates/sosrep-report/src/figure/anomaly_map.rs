//! The rows in two dimensions, coloured by score, flagged ones ringed.
//!
//! At most [`MOST_POINTS`] rows are drawn: the flagged ones first, by score and up to half of them if
//! there are too many, then an even selection of the others. The colours divide the scores between
//! the second and the ninety-eighth percentile, so that one extreme row does not make all others
//! look the same.

use maud::{Markup, html};

use super::canvas::{Caption, Path, figure, pixels};
use super::frame::{Frame, Names};
use crate::number::{count, percent};
use crate::report::{Axis, Map, MapPoint};
use crate::sampling::evenly;
use crate::scale::{Scale, extent};
use crate::text::{isolated, plural, shortened, width};
use crate::theme::RAMP;

const SIZE: (f64, f64) = (760.0, 520.0);
const ACROSS: (f64, f64) = (72.0, 650.0);
const UPWARDS: (f64, f64) = (466.0, 44.0);
/// Left and right end of the colour bar, its bottom and top.
const COLOUR_BAR: [(f64, f64); 2] = [(678.0, 692.0), (400.0, 110.0)];
/// Rows drawn at most.
const MOST_POINTS: usize = 2000;
/// Ranks written beside their points, and the room a text needs.
const MOST_RANKS: usize = 12;
const RANK_ROOM: (f64, f64) = (20.0, 15.0);
/// Names on an axis and letters of each at most.
const LOADINGS: usize = 2;
const LOADING_NAME: usize = 24;

/// The map with its colour bar.
pub fn anomaly_map(map: &Map) -> String {
    let points: Vec<&MapPoint> =
        selected(map).into_iter().map(|index| &map.points[index]).collect();
    let title = format!("{} by their main directions", plural(points.len(), "row"));
    let flagged = points.iter().filter(|point| point.flagged).count();
    let description = format!(
        "Scatter plot; darker means stranger on light ground, brighter on dark; {} ringed as flagged.",
        plural(flagged, "row")
    );
    let frame = frame(&points);
    let colours = Scale::linear(score_range(map), COLOUR_BAR[1]);
    let (x_room, y_room) = frame.name_room();
    let (x, y) = (axis_name(1, &map.axes[0], x_room), axis_name(2, &map.axes[1], y_room));
    let body = html! {
        (frame.axes(&Names { x: &x, y: &y }))
        (dots(&frame, &points, &colours))
        (rings(&frame, &points))
        (ranks(&frame, &points))
        (colour_bar(&colours))
        @if flagged > 0 { (ring_legend()) }
    };
    figure(SIZE, &Caption { title: &title, description: &description }, body)
}

/// Which rows the map shows, in words.
pub(crate) fn caption(map: &Map) -> String {
    let shown = selected(map);
    if shown.len() == map.points.len() {
        return format!("All {} are shown.", plural(shown.len(), "row"));
    }
    let flagged = |indices: &[usize]| indices.iter().filter(|i| map.points[**i].flagged).count();
    let shown_flagged = flagged(&shown);
    let all_flagged = map.points.iter().filter(|point| point.flagged).count();
    format!(
        "Shown are {} of {} flagged rows, by score, and {} of {} others, evenly selected.",
        count(shown_flagged),
        count(all_flagged),
        count(shown.len() - shown_flagged),
        count(map.points.len() - all_flagged)
    )
}

/// Indices of the rows to draw.
fn selected(map: &Map) -> Vec<usize> {
    let points = &map.points;
    let drawable = |index: &usize| points[*index].x.is_finite() && points[*index].y.is_finite();
    let (mut flagged, others): (Vec<usize>, Vec<usize>) =
        (0..points.len()).filter(drawable).partition(|&index| points[index].flagged);
    flagged.sort_by(|&i, &j| points[j].score.total_cmp(&points[i].score));
    let room_for_flagged = MOST_POINTS - others.len().min(MOST_POINTS / 2);
    flagged.truncate(room_for_flagged);
    let evenly_selected = evenly(others.len(), MOST_POINTS - flagged.len());
    flagged.extend(evenly_selected.into_iter().map(|index| others[index]));
    flagged
}

fn frame(points: &[&MapPoint]) -> Frame {
    let scale = |value: fn(&&MapPoint) -> f64, pixels| {
        let (low, high) = extent(points.iter().map(value)).unwrap_or((0.0, 1.0));
        let margin = 0.04 * (high - low);
        Scale::linear((low - margin, high + margin), pixels)
    };
    Frame { x: scale(|point| point.x, ACROSS), y: scale(|point| point.y, UPWARDS), gap: 0.0 }
}

fn score_range(map: &Map) -> (f64, f64) {
    let finite = map.points.iter().map(|point| point.score).filter(|score| score.is_finite());
    let mut scores: Vec<f64> = finite.collect();
    if scores.is_empty() {
        return (0.0, 1.0);
    }
    scores.sort_by(f64::total_cmp);
    let at = |share: f64| scores[(share * (scores.len() - 1) as f64).round() as usize];
    (at(0.02), at(0.98))
}

/// The share of a direction and the columns in it, the second only if it goes into `room` letters.
fn axis_name(number: usize, axis: &Axis, room: f64) -> String {
    let mut text = format!("direction {number}, {} of variance", percent(axis.share));
    for (place, name) in axis.loadings.iter().take(LOADINGS).enumerate() {
        let separator = if place == 0 { ": " } else { ", " };
        let longer = format!("{text}{separator}{}", isolated(&shortened(name, LOADING_NAME)));
        if place > 0 && width(&longer) > room {
            break;
        }
        text = longer;
    }
    text
}

/// The step of the ramp for a score, faint for one that is not finite.
fn step(colours: &Scale, score: f64) -> usize {
    let (bottom, top) = colours.pixels();
    let place = colours.place_inside(score).unwrap_or(bottom);
    (((place - bottom) / (top - bottom) * RAMP as f64) as usize).min(RAMP - 1)
}

/// One path per colour, the strangest on top.
fn dots(frame: &Frame, points: &[&MapPoint], colours: &Scale) -> Markup {
    let mut paths: Vec<Path> = (0..RAMP).map(|_| Path::default()).collect();
    for point in points {
        if let Some((x, y)) = frame.place((point.x, point.y)) {
            paths[step(colours, point.score)].dot(x, y);
        }
    }
    html! {
        @for (step, path) in paths.iter().enumerate() {
            (path.class(&format!("points points-{step}")))
        }
    }
}

fn rings(frame: &Frame, points: &[&MapPoint]) -> Markup {
    let flagged = points.iter().filter(|point| point.flagged);
    html! {
        g.ring {
            @for (x, y) in flagged.filter_map(|point| frame.place((point.x, point.y))) {
                circle cx=(pixels(x)) cy=(pixels(y)) r="5.5" {}
            }
        }
    }
}

/// The first ranks beside their points; one that would cover a better one is left out.
fn ranks(frame: &Frame, points: &[&MapPoint]) -> Markup {
    let ranked = points.iter().filter_map(|point| {
        let place = frame.place((point.x, point.y))?;
        Some((point.rank.filter(|rank| *rank <= MOST_RANKS)?, place))
    });
    let mut ranked: Vec<(usize, (f64, f64))> = ranked.collect();
    ranked.sort_by_key(|entry| entry.0);
    let mut written: Vec<(usize, (f64, f64))> = Vec::new();
    for (rank, (x, y)) in ranked {
        let free = |other: &(usize, (f64, f64))| {
            (other.1.0 - x).abs() > RANK_ROOM.0 || (other.1.1 - y).abs() > RANK_ROOM.1
        };
        if written.iter().all(free) {
            written.push((rank, (x, y)));
        }
    }
    html! {
        @for (rank, (x, y)) in written {
            text.halo x=(pixels(x + 8.0)) y=(pixels(y - 5.0)) { (rank) }
        }
    }
}

fn colour_bar(colours: &Scale) -> Markup {
    let [(left, right), (bottom, top)] = COLOUR_BAR;
    let height = (bottom - top) / RAMP as f64;
    html! {
        text.quiet x=(pixels(left)) y=(pixels(top - 30.0)) { "score," }
        text.quiet x=(pixels(left)) y=(pixels(top - 14.0)) { "−log f²" }
        @for step in 0..RAMP {
            rect class=(format!("ramp-{step}")) x=(pixels(left))
                y=(pixels(bottom - height * (step + 1) as f64))
                width=(pixels(right - left)) height=(pixels(height)) {}
        }
        @for tick in colours.ticks(5) {
            text.quiet x=(pixels(right + 6.0)) y=(pixels(tick.place + 4.5)) { (tick.text) }
        }
    }
}

/// What a ring means, below the colour bar.
fn ring_legend() -> Markup {
    let [(left, right), (bottom, _)] = COLOUR_BAR;
    html! {
        circle.ring cx=(pixels(left + 7.0)) cy=(pixels(bottom + 28.0)) r="5.5" {}
        text.quiet x=(pixels(right + 6.0)) y=(pixels(bottom + 32.5)) { "flagged" }
    }
}
