//! Sections that are a figure with a few words around it.

use maud::{Markup, PreEscaped, html};

use crate::figure;
use crate::number::{count, percent};
use crate::report::{Confusion, Curve, Detection, Map, Scores};
use crate::text::plural;

/// The distribution of the scores.
pub(super) fn scores(scores: &Scores) -> Markup {
    let left_out = scores.values.iter().filter(|score| !score.is_finite()).count();
    let any_flagged = scores.values.iter().any(|score| *score > scores.threshold);
    let known = scores.labels.as_ref().map(|labels| labels.iter().filter(|label| **label).count());
    html! {
        section id="scores" {
            h2 { "How strange the rows are" }
            figure {
                (scrolling(&figure::score_histogram(scores)))
                figcaption {
                    @if any_flagged { "Orange bars are the rows above the threshold. " }
                    @else { "No row is above the threshold. " }
                    @if let Some(known) = known {
                        "Ticks below the axis are the " (plural(known, "row"))
                        " labelled anomalous. "
                    }
                    @if left_out > 0 { (plural(left_out, "row")) " without a finite score left out." }
                }
            }
        }
    }
}

/// The rows in two dimensions.
pub(super) fn map(map: &Map) -> Markup {
    html! {
        section id="map" {
            h2 { "Where they lie" }
            figure {
                (scrolling(&figure::anomaly_map(map)))
                figcaption {
                    "Rows along the two directions in which the data varies most; rows may be strange \
                     in a direction that is not shown. An axis names the columns that weigh most in \
                     it. Numbers are ranks in the list above. "
                    (figure::map_caption(map))
                    @if map.measured < map.points.len() {
                        " The directions are those of " (count(map.measured))
                        " rows, evenly selected."
                    }
                }
            }
        }
    }
}

/// How the bandwidth was chosen.
pub(super) fn curve(curve: &Curve) -> Markup {
    html! {
        section id="bandwidth" {
            h2 { "How the bandwidth was chosen" }
            figure {
                (scrolling(&figure::bandwidth_curve(curve)))
                figcaption {
                    "The bandwidth is the distance over which the density varies, in units of scaled \
                     columns: small ones follow single rows, large ones blur groups together. "
                    (figure::curve_caption(curve))
                }
            }
        }
    }
}

/// How well known anomalies are found.
pub(super) fn detection(detection: &Detection) -> Markup {
    html! {
        section id="detection" {
            h2 { "How well known anomalies are found" }
            p.quiet {
                (percent(detection.prevalence)) " of the rows are labelled anomalous."
            }
            div.pair {
                figure { (PreEscaped(figure::roc_curve(detection))) }
                figure { (PreEscaped(figure::precision_recall_curve(detection))) }
            }
            (confusion(&detection.confusion))
        }
    }
}

fn confusion(confusion: &Confusion) -> Markup {
    let row = |name: &str, flagged: usize, passed: usize| {
        html! {
            tr { th { (name) } td.number { (count(flagged)) } td.number { (count(passed)) } }
        }
    };
    // Without a flagged row there is no precision, without a known anomaly no recall.
    let shares = [("precision", confusion.precision()), ("recall", confusion.recall())];
    let shares = shares.into_iter().filter(|(_, share)| share.is_finite());
    let clauses: Vec<String> =
        shares.map(|(name, share)| format!("the {name} is {}", percent(share))).collect();
    html! {
        @if !clauses.is_empty() {
            p.quiet { "At the threshold " (clauses.join(" and ")) "." }
        }
        table {
            thead { tr { th {} th.number { "flagged" } th.number { "not flagged" } } }
            tbody {
                (row("known anomalies", confusion.true_positives, confusion.false_negatives))
                (row("normal rows", confusion.false_positives, confusion.true_negatives))
            }
        }
    }
}

/// A figure that scrolls in a box of its own where the page is narrow.
fn scrolling(svg: &str) -> Markup {
    html! { div.scroll { (PreEscaped(svg)) } }
}
