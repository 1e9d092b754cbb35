//! The figures and the findings of consistency, from its file.

use std::path::Path;

use sosrep_report::chart::{Axis, LineChart, Series, Style, lines};

use super::{DIMENSIONS, Rate, Row, SIZES, file};
use crate::error::Result;
use crate::experiment::{Drawn, Experiment, Finding, slope, table};

/// The mean over the draws, by the number of rows.
fn curve(rows: &[Row], dimension: usize, rate: Rate, value: fn(&Row) -> f64) -> Vec<(f64, f64)> {
    let of_size = |size: usize| {
        let kept = |row: &&Row| (row.dimension, row.rate, row.rows) == (dimension, rate, size);
        let values: Vec<f64> = rows.iter().filter(kept).map(value).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (!values.is_empty()).then_some((size as f64, mean))
    };
    SIZES.into_iter().filter_map(of_size).collect()
}

/// Errors and divergences against N, at the rate of the theorem.
pub(in crate::experiment) fn draw(folder: &Path) -> Result<Vec<Drawn>> {
    let rows: Vec<Row> = table::read(&file(folder))?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let both = |sosrep: fn(&Row) -> f64, kde: fn(&Row) -> f64| {
        let mut series = Vec::new();
        for d in DIMENSIONS {
            for (name, value, style) in
                [("SOSREP", sosrep, Style::LineAndDots), ("KDE", kde, Style::Dashed)]
            {
                let points = curve(&rows, d, Rate::Theorem, value);
                series.push(Series { name: format!("{name}, d = {d}"), points, style });
            }
        }
        series
    };
    let drawn = |name: &str, title: &str, y: &str, series, caption: &str| {
        let chart = LineChart {
            title: title.to_string(),
            x: ("rows N".to_string(), Axis::Logarithmic),
            y: (y.to_string(), Axis::Logarithmic),
            series,
            marks: Vec::new(),
        };
        let (name, title, caption) = (name.to_string(), title.to_string(), caption.to_string());
        Drawn { name, title, caption, svg: lines(&chart) }
    };
    Ok(vec![
        drawn(
            "consistency",
            "Distance of the root of the density from the truth",
            "‖u − √p‖ in L₂",
            both(|row| row.sosrep_error, |row| row.kde_error),
            "Two bumps with compact support, exact SDO kernel with a = 1/N as in the theorem, mean \
             of three draws up to 3200 rows. SOSREP is u itself, not normalised; KDE has the same kernel and is normalised.",
        ),
        drawn(
            "consistency-divergence",
            "Divergence of the density from the truth",
            "KL(p, p̂)",
            both(|row| row.sosrep_divergence, |row| row.kde_divergence),
            "The mean of log p − log p̂ over 4000 fresh rows, with the density normalised; the same \
             fits as in the figure before.",
        ),
    ])
}

/// Errors at both ends and their exponents.
pub(in crate::experiment) fn finding(folder: &Path) -> Result<Option<Finding>> {
    let rows: Vec<Row> = table::read(&file(folder))?;
    let (mut cells, mut nearer) = (Vec::new(), 0);
    for d in DIMENSIONS {
        for rate in [Rate::Theorem, Rate::Usual] {
            let of = |value| curve(&rows, d, rate, value);
            let errors = of(|row| row.sosrep_error);
            let kde = of(|row| row.kde_error);
            let (Some(first), Some(last)) = (errors.first(), errors.last()) else { continue };
            let end = |curve: &[(f64, f64)]| curve.last().map_or(f64::NAN, |(_, value)| *value);
            let exponent = |curve: &[(f64, f64)]| {
                slope::exponent(curve).map_or(String::new(), |slope| format!("{slope:.2}"))
            };
            nearer += usize::from(last.1 < end(&kde));
            let name = if rate == Rate::Theorem { "a = 1/N" } else { "b = ½ N^(−1/(d+4))" };
            cells.push(vec![
                name.to_string(),
                d.to_string(),
                format!("{:.3}", first.1),
                format!("{:.3}", last.1),
                exponent(&errors),
                format!("{:.3}", end(&of(|row| row.sosrep_mass))),
                format!("{:.4}", end(&of(|row| row.sosrep_divergence))),
                format!("{:.3}", end(&kde)),
                exponent(&kde),
                format!("{:.4}", end(&of(|row| row.kde_divergence))),
            ]);
        }
    }
    let (Some(fewest), Some(most)) =
        (rows.iter().map(|row| row.rows).min(), rows.iter().map(|row| row.rows).max())
    else {
        return Ok(None);
    };
    let fewest_name = format!("error, N = {fewest}");
    let most_name = format!("N = {most}");
    let header = [
        "rate",
        "d",
        &fewest_name,
        &most_name,
        "exponent",
        "‖u‖²",
        "KL",
        "KDE error",
        "exponent",
        "KDE KL",
    ];
    Ok(Some(Finding {
        experiment: Experiment::Consistency,
        heading: "Consistency".to_string(),
        sentences: vec![
            format!(
                "The paper proves that u_N converges to √p in L₂ in any dimension when a = 1/N, \
                 and that its norm becomes one, without a rate. Measured on a known density with \
                 {fewest} to {most} rows, in one, two and three dimensions; columns without another \
                 word are SOSREP at N = {most}."
            ),
            format!(
                "At N = {most} SOSREP is nearer to the truth than KDE with the same kernel and \
                 bandwidth in {nearer} of {} cases.",
                cells.len()
            ),
        ],
        tables: vec![table::summary(&header, 1, cells)],
    }))
}
