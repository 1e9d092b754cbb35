//! All rows that stand out, as a table that can be sorted and searched.
//!
//! Without a script it is a table by score. The script is in the page, and the policy in the head of
//! the page lets this one run and no other: it is known by its hash.

use maud::{Markup, html};

use super::anomalies::{Decimals, flag, label};
use super::clipped;
use crate::number::{count, fixed};
use crate::report::{Anomaly, Feature, Reason, Report};
use crate::text::{plural, shortened};

/// Sorts and searches.
pub(super) const SCRIPT: &str = include_str!("rows.js");
/// SHA-256 of [`SCRIPT`].
pub(super) const SCRIPT_HASH: &str = "aGIKpdHpnCCYUbVI63vQrcAZEKWeJcdZ9aQlRy/W57g=";
/// Rows listed at most.
const LISTED: usize = 2000;
/// Reasons of a row.
const REASONS: usize = 3;
/// Letters of a name or a value.
const TEXT: usize = 40;

/// The section; left out if no row is given.
pub(super) fn section(report: &Report) -> Markup {
    let listed = &report.top[..report.top.len().min(LISTED)];
    let flagged = listed.iter().filter(|anomaly| anomaly.flagged).count();
    html! {
        @if !listed.is_empty() {
            section id="rows" {
                h2 { "All rows that stand out" }
                p.quiet { (extent(report, listed.len(), flagged)) }
                (table(listed, &report.features))
            }
        }
    }
}

/// Which rows are listed.
fn extent(report: &Report, listed: usize, flagged: usize) -> String {
    let all = report.headline.flagged;
    if flagged < all {
        return format!(
            "The {} with the highest scores, of {} that are flagged: a page lists no more.",
            plural(listed, "row"),
            count(all)
        );
    }
    let flagged = match all {
        0 => "No row is flagged".to_string(),
        1 => "The row that is flagged".to_string(),
        _ => format!("All {} that are flagged", plural(all, "row")),
    };
    match listed - listed.min(all) {
        0 => format!("{flagged}."),
        more => format!("{flagged}, and the next {} by score.", count(more)),
    }
}

fn table(listed: &[Anomaly], features: &[Feature]) -> Markup {
    let decimals = Decimals::of(listed);
    let labels = listed.iter().any(|anomaly| anomaly.known.is_some());
    html! {
        div.rows {
            search hidden {
                label { "Search " input type="search" autocomplete="off" spellcheck="false"; }
                output {}
            }
            div.scroll.tall tabindex="0" role="region" aria-label="Rows that stand out" {
                table.wide {
                    thead { tr {
                        th.number scope="col" aria-sort="ascending" { "rank" }
                        th scope="col" { "row" }
                        th.number scope="col" data-first="down" { "score" }
                        th.number scope="col" { "p-value" }
                        th scope="col" { "flag" }
                        @if labels { th scope="col" { "label" } }
                        th scope="col" { "because of" }
                    } }
                    tbody {
                        @for (index, anomaly) in listed.iter().enumerate() {
                            tr {
                                td.number data-v=(index + 1) { (count(index + 1)) }
                                (cells(anomaly, features, decimals, labels))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cells(anomaly: &Anomaly, features: &[Feature], decimals: Decimals, labels: bool) -> Markup {
    let p_value = anomaly.p_value.filter(|value| value.is_finite());
    let score = anomaly.score.is_finite().then_some(anomaly.score);
    html! {
        td { (clipped(&anomaly.row)) }
        td.number data-v=[score] { (fixed(anomaly.score, decimals.score)) }
        td.number data-v=[p_value] {
            @if let Some(value) = anomaly.p_value { (fixed(value, decimals.p_value)) }
        }
        td { (flag(anomaly)) }
        @if labels { td { (label(anomaly)) } }
        td {
            @for reason in anomaly.reasons.iter().take(REASONS) {
                @if let Some(feature) = features.get(reason.feature) { (because(feature, reason)) }
            }
        }
    }
}

/// A column, its value in the row, and what is typical.
fn because(feature: &Feature, reason: &Reason) -> Markup {
    let short = |text: &str| shortened(text, TEXT);
    html! {
        div.why {
            bdi { (short(&feature.name)) } " " b { bdi { (short(&reason.value_text)) } }
            span.aside { " typically " bdi { (short(&reason.typical_text)) } } " "
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use sha2::Digest;

    #[test]
    fn the_policy_names_the_script() {
        let hash = sha2::Sha256::digest(SCRIPT.as_bytes());
        assert_eq!(base64::engine::general_purpose::STANDARD.encode(hash), SCRIPT_HASH);
    }
}
