//! The figures and the findings of the Fisher divergence, from its file.

use std::path::Path;

use sosrep_report::chart::{Axis, LineChart, Mark, Series, Style, lines};

use super::{PROBES, Row, WINDOW, file};
use crate::error::Result;
use crate::experiment::{Drawn, Experiment, Finding, table};

/// The name of a kernel in a figure.
fn kernel_name(kernel: &str) -> &str {
    if kernel == "sdo" { "exact kernel" } else { "sampled kernel" }
}

/// The lines of each kernel.
fn by_kernel(rows: &[Row]) -> Vec<&[Row]> {
    rows.chunk_by(|a, b| a.kernel == b.kernel).collect()
}

/// The part of a curve that the rule looks at before it chooses the smallest bandwidth of any.
fn looked_at<'a>(rows: &'a [Row], curves: &[&[Row]]) -> &'a [Row] {
    let places = curves.iter().filter_map(|curve| curve.iter().position(|row| row.chosen));
    &rows[places.min().unwrap_or(0).saturating_sub(WINDOW).min(rows.len())..]
}

/// ln(FD − min + 1) of a curve.
fn shifted(rows: &[Row], value: impl Fn(&Row) -> Option<f64>) -> Vec<(f64, f64)> {
    let finite = |row: &Row| value(row).filter(|value| value.is_finite());
    let lowest = rows.iter().filter_map(&finite).fold(f64::INFINITY, f64::min);
    let point = |row: &Row| Some((row.bandwidth, (finite(row)? - lowest).ln_1p()));
    rows.iter().filter_map(point).collect()
}

/// The divergence and what it is worth, against the bandwidth.
pub(in crate::experiment) fn draw(folder: &Path) -> Result<Vec<Drawn>> {
    let rows: Vec<Row> = table::read(&file(folder))?;
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let (mut curves, mut areas, mut marks) = (Vec::new(), Vec::new(), Vec::new());
    let curves_of = by_kernel(&rows);
    for rows in &curves_of {
        let name = kernel_name(&rows[0].kernel);
        let line = |name: String, points, style| Series { name, points, style };
        let looked_at = looked_at(rows, &curves_of);
        let points = shifted(looked_at, |row| Some(row.fisher_divergence));
        curves.push(line(name.to_string(), points, Style::LineAndDots));
        let points = shifted(looked_at, |row| row.hutchinson);
        if !points.is_empty() {
            let name = format!("{name}, {PROBES} random probes");
            curves.push(line(name, points, Style::Dashed));
        }
        let points = rows.iter().map(|row| (row.bandwidth, row.auc_roc)).collect();
        areas.push(line(name.to_string(), points, Style::LineAndDots));
        let choices = rows.iter().filter(|row| row.chosen);
        marks.extend(choices.map(|row| (row.bandwidth, format!("rule, {name}"))));
    }
    let marks = || marks.iter().map(|(x, name)| Mark { x: *x, name: name.clone() }).collect();
    let drawn = |name: &str, y: &str, series, title: String, caption: String| {
        let chart = LineChart {
            title: title.clone(),
            x: ("bandwidth b".to_string(), Axis::Logarithmic),
            y: (y.to_string(), Axis::Linear),
            series,
            marks: marks(),
        };
        Drawn { name: name.to_string(), title, caption, svg: lines(&chart) }
    };
    let Row { data_set, seed, .. } = first;
    let caption = format!(
        "{data_set}, seed {seed}: fitted to the training rows, judged by the test rows; shifted to \
         be positive and taken to the logarithm as in the paper, from three points below the \
         smaller choice on. Vertical lines: the choices of the paper's rule, the first stable \
         minimum from the right."
    );
    let worth = format!(
        "{data_set}, seed {seed}: area under the ROC curve of the test rows at every bandwidth; \
         labels are used here only."
    );
    let title = format!("Fisher divergence on {data_set}");
    let worth_title = format!("What a bandwidth is worth on {data_set}");
    Ok(vec![
        drawn("fisher", "ln(FD − min FD + 1)", curves, title, caption),
        drawn("fisher-auc", "area under the ROC curve", areas, worth_title, worth),
    ])
}

/// What is chosen and what it is worth.
pub(in crate::experiment) fn finding(folder: &Path) -> Result<Option<Finding>> {
    let rows: Vec<Row> = table::read(&file(folder))?;
    let Some(first) = rows.first() else { return Ok(None) };
    let mut sentences = vec![format!(
        "The paper shows one data set, without its name, and finds that the divergence is somewhat \
         noisy with one clear minimum. On {}, seed {}:",
        first.data_set, first.seed
    )];
    let mut cells = Vec::new();
    for rows in by_kernel(&rows) {
        let name = kernel_name(&rows[0].kernel);
        let best = rows.iter().max_by(|a, b| a.auc_roc.total_cmp(&b.auc_roc));
        let places = [
            ("paper's rule", rows.iter().find(|row| row.chosen)),
            ("smallest divergence", rows.iter().find(|row| row.smallest)),
            ("best AUC, with hindsight", best),
        ];
        for (place, row) in places.into_iter().filter_map(|(place, row)| Some((place, row?))) {
            cells.push(vec![
                name.to_string(),
                place.to_string(),
                format!("{:.3}", row.bandwidth),
                format!("{:.1}", row.ln_a),
                format!("{:.2}", row.fisher_divergence),
                format!("{:.3}", row.auc_roc),
            ]);
        }
        if rows.is_sorted_by(|a, b| a.fisher_divergence <= b.fisher_divergence) {
            sentences.push(format!(
                "With the {name} the divergence has no minimum inside the grid: it falls all the way \
                 to the smallest bandwidth, and the rule stays at the largest. Where the sampled \
                 kernel has a minimum it is the sampling that makes it: both differ in nothing else."
            ));
        }
        if let (Some(chosen), Some(best)) = (rows.iter().find(|row| row.chosen), best) {
            sentences.push(format!(
                "With the {name} the paper's rule chooses b = {:.2}, where the area under the ROC \
                 curve is {:.3}; the best on the grid is {:.3} at b = {:.2}.",
                chosen.bandwidth, chosen.auc_roc, best.auc_roc, best.bandwidth
            ));
        }
    }
    let header = ["kernel", "choice", "b", "ln a", "FD", "AUC-ROC"];
    Ok(Some(Finding {
        experiment: Experiment::Fisher,
        heading: "Choosing the bandwidth by Fisher divergence".to_string(),
        sentences,
        tables: vec![table::summary(&header, 2, cells)],
    }))
}
