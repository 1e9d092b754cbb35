//! The rows that stand out: the first few with a figure for each reason.

use maud::{Markup, PreEscaped, html};

use super::clipped;
use crate::figure::{contribution_bar, feature_strip};
use crate::number::{fixed, probability_decimals, shared_decimals, significant};
use crate::report::{Anomaly, Feature, Reason, Report};
use crate::scale::extent;

/// Rows shown with their reasons.
const EXPLAINED: usize = 10;
/// Reasons shown for each of them.
const REASONS: usize = 4;
/// Decimals of a contribution at most, and the size below which it has one digit.
const DECIMALS: usize = 3;
const TINY: f64 = 0.01;

/// Decimals of the numbers that stand below each other.
#[derive(Clone, Copy)]
pub(super) struct Decimals {
    pub(super) score: usize,
    pub(super) p_value: usize,
}

impl Decimals {
    pub(super) fn of(anomalies: &[Anomaly]) -> Self {
        Self {
            score: shared_decimals(anomalies.iter().map(|anomaly| anomaly.score), 4),
            p_value: probability_decimals(anomalies.iter().filter_map(|anomaly| anomaly.p_value)),
        }
    }
}

/// What the contributions in a card have in common.
struct Contributions {
    range: (f64, f64),
    decimals: usize,
}

impl Contributions {
    fn of(reasons: &[Reason]) -> Self {
        let contributions = || reasons.iter().map(|reason| reason.contribution);
        Self {
            range: extent(contributions()).unwrap_or((0.0, 1.0)),
            decimals: shared_decimals(contributions(), 3).min(DECIMALS),
        }
    }

    /// A contribution with its sign.
    fn text(&self, contribution: f64) -> String {
        let sign = if contribution > 0.0 { "+" } else { "" };
        let tiny = contribution != 0.0 && contribution.abs() < TINY;
        let size =
            if tiny { significant(contribution, 1) } else { fixed(contribution, self.decimals) };
        format!("{sign}{size}")
    }
}

/// The section; a sentence if no row is given.
pub(super) fn section(report: &Report) -> Markup {
    let explained = report.top.len().min(EXPLAINED);
    let decimals = Decimals::of(&report.top[..explained]);
    html! {
        section id="anomalies" {
            h2 { "The strangest rows, and why" }
            @if report.top.is_empty() {
                p { "No row was singled out." }
            } @else {
                (legend(report))
                @for (index, anomaly) in report.top[..explained].iter().enumerate() {
                    (card(index + 1, anomaly, &report.features, decimals))
                }
            }
        }
    }
}

/// What the columns of a card mean.
fn legend(report: &Report) -> Markup {
    let has_reasons = report.top.iter().any(|anomaly| !anomaly.reasons.is_empty());
    let has_p_values = report.top.iter().any(|anomaly| anomaly.p_value.is_some());
    html! {
        @if has_p_values {
            p.legend {
                "The p-value is the share of training rows at least as strange, each scored without \
                 its own contribution."
            }
        }
        @if has_reasons {
            p.legend {
                "Each line is a column: what it adds to the score, its training values as grey bars, "
                span.accent { "▼" } " the value in this row and ○ the value in the most similar \
                 typical row. What all columns add makes up the difference in score between the two rows."
            }
        }
    }
}

fn card(rank: usize, anomaly: &Anomaly, features: &[Feature], decimals: Decimals) -> Markup {
    let shown = &anomaly.reasons[..anomaly.reasons.len().min(REASONS)];
    let scale = Contributions::of(shown);
    html! {
        article.anomaly {
            header {
                h3 { span.rank { (rank) } span.clip title=(anomaly.row) { "row " bdi { (anomaly.row) } } }
                span.facts { "score " b { (fixed(anomaly.score, decimals.score)) } }
                @if let Some(p_value) = anomaly.p_value {
                    span.facts { "p-value " b { (fixed(p_value, decimals.p_value)) } }
                }
                (flag(anomaly))
                (label(anomaly))
            }
            @if shown.is_empty() {
                p.quiet { "No column adds to the score of this row by itself." }
            }
            @for reason in shown {
                @if let Some(feature) = features.get(reason.feature) {
                    (reason_line(reason, feature, &scale))
                }
            }
        }
    }
}

pub(super) fn flag(anomaly: &Anomaly) -> Markup {
    html! {
        @if anomaly.flagged { span.facts.accent { "flagged" } }
        @else { span.facts { "below the threshold" } }
    }
}

pub(super) fn label(anomaly: &Anomaly) -> Markup {
    html! {
        @match anomaly.known {
            Some(true) => span.facts.known { "known anomaly" },
            Some(false) => span.facts { "labelled normal" },
            None => {}
        }
    }
}

fn reason_line(reason: &Reason, feature: &Feature, scale: &Contributions) -> Markup {
    html! {
        div.reason {
            (clipped(&feature.name))
            span { (PreEscaped(contribution_bar(reason.contribution, scale.range))) }
            span.amount { (scale.text(reason.contribution)) }
            span.strip { (PreEscaped(feature_strip(feature, Some(reason)))) }
            span.values {
                span.clip title=(reason.value_text) { b.accent { bdi { (reason.value_text) } } }
                span.clip.aside title=(reason.typical_text) {
                    "typically " bdi { (reason.typical_text) }
                }
            }
        }
    }
}
