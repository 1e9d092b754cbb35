//! The figure and the findings of the gradients, from their file.

use std::path::Path;

use sosrep_report::article::Table;
use sosrep_report::chart::{Axis, DotChart, DotSeries, dots};

use super::{DATA_SETS, RATE, Row, file};
use crate::catalogue::named;
use crate::error::Result;
use crate::experiment::{Drawn, Experiment, Finding, table};
use crate::published::NegativeShares;

/// The lines of the last seed, in the order of the paper.
pub(super) fn read(folder: &Path) -> Result<Vec<Row>> {
    let rows: Vec<Row> = table::read(&file(folder))?;
    let Some(seed) = rows.last().map(|row| row.seed) else { return Ok(rows) };
    let mut ordered: Vec<Row> = Vec::new();
    for name in DATA_SETS {
        let data_set = named(name)?.to_string();
        let mut of_name = rows.iter().filter(|row| row.data_set == data_set && row.seed == seed);
        ordered.extend(of_name.next_back().cloned());
    }
    Ok(ordered)
}

/// What the paper's claims are compared with: the data sets that were measured.
///
/// # Errors
/// A file that cannot be read or is not the one this experiment writes.
pub(crate) fn evidence(folder: &Path) -> Result<Vec<NegativeShares>> {
    let shares = |row: Row| {
        Some(NegativeShares {
            start: row.negative_start?,
            natural: row.negative_natural?,
            standard: row.negative_standard?,
            data_set: row.data_set,
        })
    };
    Ok(read(folder)?.into_iter().filter_map(shares).collect())
}

/// The shares by data set.
pub(in crate::experiment) fn draw(folder: &Path) -> Result<Vec<Drawn>> {
    let rows = read(folder)?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let series = |name: &str, value: fn(&Row) -> Option<f64>| DotSeries {
        name: name.to_string(),
        values: rows.iter().map(value).collect(),
    };
    let category = |row: &Row| match row.rows {
        Some(_) => row.data_set.clone(),
        None => format!("{} (no file)", row.data_set),
    };
    let title = "Negative values of f at the training rows".to_string();
    let chart = DotChart {
        title: title.clone(),
        x_name: "share of rows with f < 0, mean of the worst 5 of 50 starts".to_string(),
        axis: Axis::Linear,
        categories: rows.iter().map(category).collect(),
        series: vec![
            series("at the start", |row| row.negative_start),
            series("natural gradient, λ = 0.01", |row| row.negative_natural),
            series("standard gradient, λ = 0.01", |row| row.negative_standard),
            series("standard gradient, λ = 1/(4‖K‖)", |row| row.negative_stable),
        ],
    };
    let caption = "50 non-negative starts |N(0, 1)| and 1000 steps on at most 1000 training rows. \
                   Where a start diverged, its share is that of the last step with finite values."
        .to_string();
    Ok(vec![Drawn { name: "gradients".to_string(), title, caption, svg: dots(&chart) }])
}

/// The shares and divergences in numbers.
pub(in crate::experiment) fn finding(folder: &Path) -> Result<Option<Finding>> {
    let rows = read(folder)?;
    let done: Vec<&Row> = rows.iter().filter(|row| row.rows.is_some()).collect();
    if done.is_empty() {
        return Ok(None);
    }
    let mean = |value: fn(&Row) -> Option<f64>| {
        100.0 * done.iter().filter_map(|row| value(row)).sum::<f64>() / done.len() as f64
    };
    let diverging = |value: fn(&Row) -> Option<usize>| {
        done.iter().filter(|row| value(row).is_some_and(|count| count > 0)).count()
    };
    let missing: Vec<&str> =
        rows.iter().filter(|row| row.rows.is_none()).map(|row| row.data_set.as_str()).collect();
    let mut sentences = vec![
        format!(
            "The paper: the natural gradient leaves the share of negative values as it is, the \
             standard gradient raises it, to about 70 % on shuttle. Here, over {} data sets, the \
             worst 5 of 50 starts have {:.2} % negative values on average; after 1000 steps of the \
             natural gradient it is {:.2} %, after 1000 of the standard gradient {:.1} %.",
            done.len(),
            mean(|row| row.negative_start),
            mean(|row| row.negative_natural),
            mean(|row| row.negative_standard),
        ),
        format!(
            "0.01 is above 1/(2‖K‖), the limit of what is stable, on {} data sets. Within it, at \
             1/(4‖K‖), the standard gradient ends with {:.1} %. Starts diverge on {} data sets with \
             the natural gradient, on {} with the standard one, on {} with its smaller step.",
            done.iter().filter(|row| row.norm.is_some_and(|norm| 2.0 * norm * RATE > 1.0)).count(),
            mean(|row| row.negative_stable),
            diverging(|row| row.diverged_natural),
            diverging(|row| row.diverged_standard),
            diverging(|row| row.diverged_stable),
        ),
    ];
    let percent = |share: Option<f64>| share.map_or(f64::NAN, |share| 100.0 * share);
    if let Some(shuttle) = done.iter().find(|row| row.data_set.ends_with("shuttle")) {
        sentences.push(format!(
            "On shuttle: {:.1} % at the start, {:.1} % after the natural gradient, {:.1} % after the \
             standard gradient.",
            percent(shuttle.negative_start),
            percent(shuttle.negative_natural),
            percent(shuttle.negative_standard),
        ));
    }
    if !missing.is_empty() {
        sentences.push(format!("Without a file, and so left out: {}.", missing.join(", ")));
    }
    Ok(Some(Finding {
        experiment: Experiment::Gradients,
        heading: "Natural and standard gradient".to_string(),
        sentences,
        tables: vec![numbers(&rows)],
    }))
}

fn numbers(rows: &[Row]) -> Table {
    let count = |value: Option<usize>| value.map_or(String::new(), |value| value.to_string());
    let percent = |value: Option<f64>| value.map_or(String::new(), |v| format!("{:.2}", 100.0 * v));
    let fixed = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:.2}"));
    let cells = rows.iter().map(|row| {
        vec![
            row.data_set.clone(),
            count(row.rows),
            fixed(row.bandwidth),
            fixed(row.norm),
            percent(row.negative_start),
            percent(row.negative_natural),
            percent(row.negative_standard),
            count(row.diverged_standard),
            percent(row.negative_stable),
            count(row.diverged_stable),
        ]
    });
    let header = [
        "data set",
        "rows",
        "b",
        "‖K‖",
        "start %",
        "natural %",
        "standard %",
        "diverged",
        "stable step %",
        "diverged",
    ];
    table::summary(&header, 1, cells.collect())
}
