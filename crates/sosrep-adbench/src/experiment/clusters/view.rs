//! The figures and the findings of the clusters, from their files.

use std::path::Path;

use sosrep_report::chart::{Axis, LineChart, Mark, Series, Style, lines};

use super::{Bin, REACH, Row, SHOWN, Summary, files};
use crate::error::Result;
use crate::experiment::{Drawn, Experiment, Finding, table};

/// The kernel values and the log densities.
pub(in crate::experiment) fn draw(folder: &Path) -> Result<Vec<Drawn>> {
    let [summary, kernel, rows] = files(folder);
    let summaries: Vec<Summary> = table::read(&summary)?;
    let shown = summaries.iter().find(|summary| summary.bandwidth == SHOWN);
    let Some(summary) = shown else { return Ok(Vec::new()) };
    Ok(vec![
        draw_kernel(summary, &table::read(&kernel)?),
        draw_densities(summary, &table::read(&rows)?),
    ])
}

fn draw_kernel(summary: &Summary, bins: &[Bin]) -> Drawn {
    let series = |name: &str, block: &str| {
        let of_block = bins.iter().filter(|bin| bin.block == block);
        let points = of_block.map(|bin| (0.5 * (bin.lower + bin.upper), bin.share)).collect();
        Series { name: name.to_string(), points, style: Style::Steps }
    };
    let title = "Kernel values within and between two clusters".to_string();
    let chart = LineChart {
        title: title.clone(),
        x: ("k(x, x′)".to_string(), Axis::Linear),
        y: ("share of the pairs".to_string(), Axis::Linear),
        series: vec![
            series("within the first", "first"),
            series("within the second", "second"),
            series("between", "between"),
        ],
        marks: Vec::new(),
    };
    let caption = format!(
        "{}: clusters of {} and {} rows, exact SDO kernel, b = {}.",
        summary.data_set, summary.first_rows, summary.second_rows, summary.bandwidth
    );
    Drawn { name: "clusters-kernel".to_string(), title, caption, svg: lines(&chart) }
}

fn draw_densities(summary: &Summary, rows: &[Row]) -> Drawn {
    let series = |name: &str, value: fn(&Row) -> f64| Series {
        name: name.to_string(),
        points: rows.iter().map(|row| (row.position as f64, value(row))).collect(),
        style: Style::Line,
    };
    let title = "Log densities of two clusters".to_string();
    let chart = LineChart {
        title: title.clone(),
        x: ("row, in the order of the clusters".to_string(), Axis::Linear),
        y: ("log density, mean of the first cluster 0".to_string(), Axis::Linear),
        series: vec![
            series("SOSREP", |row| row.sosrep_smooth),
            series("KDE", |row| row.kde_smooth),
        ],
        marks: vec![Mark {
            x: summary.first_rows as f64 - 0.5,
            name: "second cluster".to_string(),
        }],
    };
    let caption = format!(
        "{}: both models with the same kernel on the same rows, running average over {} rows. The \
         gap between the clusters is {:.2} for SOSREP and {:.2} for KDE.",
        summary.data_set,
        2 * REACH + 1,
        summary.gap_sosrep,
        summary.gap_kde
    );
    Drawn { name: "clusters".to_string(), title, caption, svg: lines(&chart) }
}

/// The gaps at every bandwidth.
pub(in crate::experiment) fn finding(folder: &Path) -> Result<Option<Finding>> {
    let [summary, ..] = files(folder);
    let summaries: Vec<Summary> = table::read(&summary)?;
    let shown = summaries.iter().find(|summary| summary.bandwidth == SHOWN);
    let Some(shown) = shown else { return Ok(None) };
    let larger = summaries.iter().filter(|summary| summary.gap_sosrep > summary.gap_kde).count();
    let sentences = vec![
        format!(
            "The paper shows two clusters of letter and finds the gap between their log densities \
             larger for SOSREP than for KDE, without numbers. Here, at b = {SHOWN}, the two of {} \
             clusters most like two blocks have {} and {} rows and mean kernel values of {:.3} and \
             {:.3} within and {:.3} between; three means explain {:.0} % of the variance. The gap \
             is {:.2} for SOSREP and {:.2} for KDE.",
            shown.clusters,
            shown.first_rows,
            shown.second_rows,
            shown.mean_first,
            shown.mean_second,
            shown.mean_between,
            100.0 * shown.explained,
            shown.gap_sosrep,
            shown.gap_kde,
        ),
        format!(
            "SOSREP has the larger gap at {larger} of {} bandwidths. Where β is near 0, the theory \
             says that both have the same.",
            summaries.len()
        ),
    ];
    let cells = summaries.iter().map(|summary| {
        let Summary { mean_first, mean_second, mean_between, beta, .. } = *summary;
        let mut line = vec![
            summary.bandwidth.to_string(),
            format!("{} + {}", summary.first_rows, summary.second_rows),
        ];
        line.extend([mean_first, mean_second, mean_between].map(|mean| format!("{mean:.3}")));
        let rest = [beta, summary.explained, summary.gap_sosrep, summary.gap_kde];
        line.extend(rest.map(|value| format!("{value:.2}")));
        line
    });
    let header = ["b", "rows", "first", "second", "between", "β", "explained", "SOSREP", "KDE"];
    Ok(Some(Finding {
        experiment: Experiment::Clusters,
        heading: "Two clusters of real rows: SOSREP against KDE".to_string(),
        sentences,
        tables: vec![table::summary(&header, 0, cells.collect())],
    }))
}
