//! The figure and the findings of thresholds, from its file.

use std::path::Path;

use sosrep_report::article::Table;
use sosrep_report::chart::{Axis, DotChart, DotSeries, dots};

use super::{Row, Rule, file};
use crate::error::Result;
use crate::experiment::{Drawn, Experiment, Finding, table};
use crate::run::Status;
use crate::statistics::{mean, median};

/// The data sets, in the order of the file.
fn data_sets(rows: &[Row]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in rows.iter().filter(|row| row.status == Status::Done) {
        if !names.contains(&row.data_set) {
            names.push(row.data_set.clone());
        }
    }
    names
}

/// The mean over the seeds of a data set.
fn at(rows: &[Row], name: &str, rule: Rule, value: fn(&Row) -> Option<f64>) -> Option<f64> {
    let kept = rows.iter().filter(|row| row.data_set == name && row.rule == rule);
    mean(&kept.filter_map(value).collect::<Vec<_>>())
}

/// The same of every data set.
fn all(rows: &[Row], rule: Rule, value: fn(&Row) -> Option<f64>) -> Vec<f64> {
    data_sets(rows).iter().filter_map(|name| at(rows, name, rule, value)).collect()
}

/// F₁ of every data set by all rules, from the best of the automatic one to its worst.
pub(in crate::experiment) fn draw(folder: &Path) -> Result<Vec<Drawn>> {
    let rows: Vec<Row> = table::read(&file(folder))?;
    let mut names = data_sets(&rows);
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let f1 = |name: &String, rule: Rule| at(&rows, name, rule, |row| row.f1);
    let automatic = |name: &String| f1(name, Rule::Automatic).unwrap_or(f64::NEG_INFINITY);
    names.sort_by(|a, b| automatic(b).total_cmp(&automatic(a)));
    let series = |rule: Rule| DotSeries {
        name: rule.name().to_string(),
        values: names.iter().map(|name| f1(name, rule)).collect(),
    };
    let title = "F₁ by how the threshold is chosen".to_string();
    let chart = DotChart {
        title: title.clone(),
        x_name: "F₁ on the test rows".to_string(),
        axis: Axis::Linear,
        series: Rule::ALL.map(series).to_vec(),
        categories: names,
    };
    let caption = "The default detector, ADBench's protocol, mean over the seeds, in the order of \
                   the automatic threshold. 10 %: flags a tenth of the training rows, PyOD's default. \
                   True share: flags as many as are anomalies, which is not known in practice."
        .to_string();
    Ok(vec![Drawn { name: "thresholds".to_string(), title, caption, svg: dots(&chart) }])
}

/// A line a rule, and who wins how often.
pub(in crate::experiment) fn finding(folder: &Path) -> Result<Option<Finding>> {
    let rows: Vec<Row> = table::read(&file(folder))?;
    let names = data_sets(&rows);
    if names.is_empty() {
        return Ok(None);
    }
    let mut sentences = vec![format!(
        "The automatic threshold, Q₃ + 1.5 (Q₃ − Q₁) of the scores, beside the one that flags 10 % \
         of the training rows, as PyOD does unless told otherwise, and the one that flags the true \
         share of anomalies, which is not known in practice. {} data sets, ADBench's protocol, \
         means over the seeds of each.",
        names.len()
    )];
    sentences.push(duel(&rows, &names, Rule::Tenth));
    sentences.push(duel(&rows, &names, Rule::TrueShare));
    sentences.extend(shares(&rows));
    let failed = rows.iter().filter(|row| row.status != Status::Done).count();
    if failed > 0 {
        sentences.push(format!("{failed} of {} lines have no result.", rows.len()));
    }
    Ok(Some(Finding {
        experiment: Experiment::Thresholds,
        heading: "Thresholds".to_string(),
        sentences,
        tables: vec![numbers(&rows)],
    }))
}

fn numbers(rows: &[Row]) -> Table {
    let header = [
        "threshold",
        "mean F₁",
        "median F₁",
        "precision",
        "recall",
        "flagged, mean",
        "flagged, median",
    ];
    table::summary(&header, 1, Rule::ALL.map(|rule| cells(rows, rule)).to_vec())
}

fn cells(rows: &[Row], rule: Rule) -> Vec<String> {
    let of = |value| all(rows, rule, value);
    let number =
        |value: Option<f64>| value.map_or("–".to_string(), |value| format!("{value:.3}"));
    let f1 = of(|row| row.f1);
    let flagged = of(|row| row.flagged_test);
    vec![
        rule.name().to_string(),
        number(mean(&f1)),
        number(median(&f1)),
        number(mean(&of(|row| row.precision))),
        number(mean(&of(|row| row.recall))),
        number(mean(&flagged)),
        number(median(&flagged)),
    ]
}

/// On how many data sets the automatic threshold has the higher F₁.
fn duel(rows: &[Row], names: &[String], other: Rule) -> String {
    let f1 = |name: &String, rule: Rule| at(rows, name, rule, |row| row.f1);
    let pair = |name: &String| Some((f1(name, Rule::Automatic)?, f1(name, other)?));
    let pairs: Vec<(f64, f64)> = names.iter().filter_map(pair).collect();
    let higher = pairs.iter().filter(|(automatic, other)| automatic > other).count();
    let lower = pairs.iter().filter(|(automatic, other)| automatic < other).count();
    let means = |rule: Rule| mean(&all(rows, rule, |row| row.f1)).unwrap_or(f64::NAN);
    format!(
        "By F₁ the automatic threshold is above that of {} on {higher} data sets and below on \
         {lower} of {}, with a mean of {:.3} against {:.3}.",
        match other {
            Rule::Tenth => "10 %",
            _ => "the true share",
        },
        pairs.len(),
        means(Rule::Automatic),
        means(other)
    )
}

/// How much the automatic threshold flags, beside how much there is.
fn shares(rows: &[Row]) -> Option<String> {
    let flagged = all(rows, Rule::Automatic, |row| row.flagged_test);
    let truth = all(rows, Rule::Automatic, |row| row.true_share);
    let (least, most) = (
        flagged.iter().copied().min_by(f64::total_cmp)?,
        flagged.iter().copied().max_by(f64::total_cmp)?,
    );
    Some(format!(
        "It flags between {:.1} and {:.1} % of the test rows, {:.1} % in the median; the true share \
         is {:.1} % in the median.",
        100.0 * least,
        100.0 * most,
        100.0 * median(&flagged)?,
        100.0 * median(&truth)?
    ))
}
