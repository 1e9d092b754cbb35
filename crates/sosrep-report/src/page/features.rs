//! The columns: how much each has to do with the strangest rows, and what its values are.

use maud::{Markup, PreEscaped, html};

use super::clipped;
use crate::figure::{feature_strip, reason_bars};
use crate::number::{count, fixed, number, shared_decimals};
use crate::report::{Feature, Summary};
use crate::text::plural;

/// Columns in the table at most.
const LISTED: usize = 50;
/// Columns in the figure at most.
const DRAWN: usize = 12;

/// The section; left out if there are no columns.
pub(super) fn section(features: &[Feature]) -> Markup {
    let ranked = ranked(features);
    html! {
        @if !features.is_empty() {
            section id="columns" {
                h2 { "The columns" }
                (contributions(&ranked))
                (table(&ranked))
            }
        }
    }
}

/// Largest contribution first, in their own order where that is equal.
fn ranked(features: &[Feature]) -> Vec<&Feature> {
    let key =
        |feature: &Feature| if feature.contribution.is_nan() { 0.0 } else { feature.contribution };
    let mut ranked: Vec<&Feature> = features.iter().collect();
    ranked.sort_by(|a, b| key(b).total_cmp(&key(a)));
    ranked
}

fn contributions(ranked: &[&Feature]) -> Markup {
    let blamed = ranked.iter().filter(|feature| feature.contribution > 0.0).take(DRAWN);
    let bars: Vec<(&str, f64)> =
        blamed.map(|feature| (feature.name.as_str(), feature.contribution)).collect();
    let title = "What the columns add to the highest scores";
    html! {
        @if !bars.is_empty() {
            figure.narrow {
                (PreEscaped(reason_bars(title, &bars)))
                figcaption {
                    "Mean size of a column's contribution over the strangest rows, in units of the score."
                }
            }
        }
    }
}

fn table(ranked: &[&Feature]) -> Markup {
    let listed = &ranked[..ranked.len().min(LISTED)];
    let left_out = ranked.len() - listed.len();
    let decimals = shared_decimals(listed.iter().map(|feature| feature.contribution), 3);
    html! {
        div.scroll {
            table.wide {
                thead { tr {
                    th { "column" } th { "kind" } th.number { "mean contribution" }
                    th { "values" }
                    @for name in ["missing", "min", "25 %", "50 %", "75 %", "max", "mean"] {
                        th.number { (name) }
                    }
                } }
                tbody { @for feature in listed { (row(feature, decimals)) } }
            }
        }
        p.quiet {
            "Training values; 25 %, 50 % and 75 % are the shares of values at or below. "
            @if left_out > 0 {
                (plural(left_out, "column")) " that contribute least are not listed."
            }
        }
    }
}

fn row(feature: &Feature, decimals: usize) -> Markup {
    html! {
        tr {
            td { (clipped(&feature.name)) }
            td.aside { (clipped(&feature.kind)) }
            td.number { (fixed(feature.contribution, decimals)) }
            td { (PreEscaped(feature_strip(feature, None))) }
            td.number { (count(feature.missing)) }
            @for text in summary(feature.summary.as_ref()) { td.number { (text) } }
        }
    }
}

/// Six numbers, or six empty cells.
fn summary(summary: Option<&Summary>) -> [String; 6] {
    let Some(s) = summary else { return Default::default() };
    let numbers = [s.minimum, s.lower_quartile, s.median, s.upper_quartile, s.maximum, s.mean];
    let sizes = numbers.map(f64::abs).into_iter().filter(|size| *size > 0.0);
    let smallest = sizes.clone().fold(f64::INFINITY, f64::min);
    let decimals = shared_decimals(sizes, 4);
    // Decimals in common, unless they would cut a small number down to nothing.
    if smallest * 10_f64.powi(decimals as i32) >= 10.0 {
        numbers.map(|value| fixed(value, decimals))
    } else {
        numbers.map(number)
    }
}
