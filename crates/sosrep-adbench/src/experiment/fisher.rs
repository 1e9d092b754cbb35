//! Fisher divergence against the bandwidth, and what is chosen by it.
//!
//! Paper: Section "Fisher-Divergence Based Hyperparameter Tuning" and its figure "For each HP a";
//! supplement, "Fisher Divergence for Hyper-Parameters Selection".
//!
//! ```text
//! FD(b) = mean_y 2 Δf(y) / f(y),    f fitted to the training rows, y the test rows
//! a = b^2m,  m = ⌊d/2⌋ + 1
//! ```
//!
//! As in the paper the density is fitted to the training rows of a data set and judged by its test
//! rows, without their labels. Two kernels: SDO sampled as in the paper (T = 10 000), with the exact
//! divergence and the paper's estimate by random probes (10 instead of 300, which would take an
//! hour), and exact SDO. Labels are only used to tell what a choice is worth: the area under the ROC
//! curve of the test rows at every bandwidth.
//!
//! The figure shows ln(FD − min FD + 1): shifted to be positive, then the logarithm, as the paper's;
//! from three points below the rule's choice on, as the rule looks no further and the divergence of a
//! sampled kernel is noise there.
//! The authors' protocol is followed: a copy of a training row among the test rows has no divergence.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sosrep::detector::{Preparation, PrepareOptions};
use sosrep::metrics::auc_roc;
use sosrep::select::{Hutchinson, default_grid, fisher_divergence, hutchinson_divergence};
use sosrep::{DensityParams, KernelKind, Points, Weights};
use sosrep_report::chart::{Axis, LineChart, Mark, Series, Style, lines};

use super::{Drawn, Experiment, Finding, Monitor, Request, table, tell};
use crate::catalogue::named;
use crate::error::Result;
use crate::protocol::{Noise, Part, Protocol, split};

/// The data set unless another is asked for.
const DATA_SET: &str = "cardio";
/// Random probes a row; the paper has 300.
const PROBES: usize = 10;
/// Neighbours on each side that a stable minimum is below.
const WINDOW: usize = 3;

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Row {
    data_set: String,
    seed: u64,
    /// `sdo` or `sdo-sampled`.
    kernel: String,
    /// Columns that vary.
    columns: usize,
    bandwidth: f64,
    /// ln a.
    ln_a: f64,
    fisher_divergence: f64,
    /// The same by random probes.
    hutchinson: Option<f64>,
    /// Area under the ROC curve, of the test rows.
    auc_roc: f64,
    /// Whether the paper's rule chooses this bandwidth.
    chosen: bool,
    /// Whether the divergence is smallest here.
    smallest: bool,
}

/// Prepared rows of a split.
struct Rows {
    columns: usize,
    train: Vec<f64>,
    test: Vec<f64>,
    labels: Vec<bool>,
}

impl Rows {
    fn new(train: &Part, test: Part, columns: usize) -> Result<Self> {
        let points = Points::new(&train.values, columns)?;
        let options = PrepareOptions { clip: None, ..PrepareOptions::default() };
        let preparation = Preparation::fit(points, &Weights::equal(points.rows()), &options)?;
        Ok(Self {
            columns: preparation.dimension(),
            train: preparation.apply(points)?,
            test: preparation.apply(Points::new(&test.values, columns)?)?,
            labels: test.labels,
        })
    }

    /// ln a = 2m ln b.
    fn ln_a(&self, bandwidth: f64) -> f64 {
        (2 * (self.columns / 2 + 1)) as f64 * bandwidth.ln()
    }

    /// Divergence, its estimate for a sampled kernel, and AUC at one bandwidth.
    fn at(
        &self,
        kernel: &KernelKind,
        bandwidth: f64,
        seed: u64,
    ) -> Result<(f64, Option<f64>, f64)> {
        let params = DensityParams::new().kernel(kernel.clone()).bandwidth(bandwidth).seed(seed);
        let density = params.fit(Points::new(&self.train, self.columns)?, None)?;
        let test = Points::new(&self.test, self.columns)?;
        let divergence = fisher_divergence(&density, test, None)?;
        let probes = Hutchinson { probes: PROBES, seed, ..Hutchinson::default() };
        let estimate = match kernel {
            KernelKind::SdoSampled { .. } => {
                Some(hutchinson_divergence(&density, test, None, &probes)?)
            }
            _ => None,
        };
        let scores: Vec<f64> = density.log_pre_density(test)?.into_iter().map(|log| -log).collect();
        Ok((divergence, estimate, auc_roc(&scores, &self.labels)?))
    }
}

/// The paper's choice on a whole curve, increasing in the bandwidth: from the right the first point
/// below its three neighbours on both sides, or two, or one; else the last.
fn stable_minimum(curve: &[f64]) -> usize {
    let stands = |i: usize, window: usize| {
        (1..=window).all(|k| curve[i] < curve[i - k] && curve[i] < curve[i + k])
    };
    let windows = (1..=WINDOW).rev();
    let places = windows.flat_map(|window| {
        (window..curve.len().saturating_sub(window)).rev().map(move |i| (i, window))
    });
    let mut stable = places.filter(|&(i, window)| stands(i, window)).map(|(i, _)| i);
    stable.next().unwrap_or(curve.len().saturating_sub(1))
}

fn smallest(curve: &[f64]) -> usize {
    (0..curve.len()).min_by(|&i, &j| curve[i].total_cmp(&curve[j])).unwrap_or(0)
}

fn file(folder: &Path) -> PathBuf {
    folder.join("fisher.csv")
}

/// Evaluates both kernels along the grid.
pub(super) fn run(request: &Request, folder: &Path, monitor: Monitor) -> Result<()> {
    let found = request.data(Experiment::Fisher)?;
    let entry = request.data_set.copied().map_or_else(|| named(DATA_SET), Ok)?;
    let split = split(&found.read(&entry)?, Protocol::Authors, &Noise::default(), request.seed)?;
    let rows = Rows::new(&split.train, split.test, split.columns)?;
    let (grid, kernels) = (default_grid(), [KernelKind::paper(), KernelKind::Sdo]);
    let mut lines: Vec<Row> = Vec::new();
    for kernel in &kernels {
        let first = lines.len();
        for &bandwidth in &grid {
            tell(monitor, "bandwidths", lines.len(), kernels.len() * grid.len())?;
            let (fisher_divergence, hutchinson, auc_roc) =
                rows.at(kernel, bandwidth, request.seed)?;
            lines.push(Row {
                data_set: entry.to_string(),
                seed: request.seed,
                kernel: kernel.name().to_string(),
                columns: rows.columns,
                bandwidth,
                ln_a: rows.ln_a(bandwidth),
                fisher_divergence,
                hutchinson,
                auc_roc,
                chosen: false,
                smallest: false,
            });
        }
        let curve: Vec<f64> = lines[first..].iter().map(|line| line.fisher_divergence).collect();
        lines[first + stable_minimum(&curve)].chosen = true;
        lines[first + smallest(&curve)].smallest = true;
    }
    table::write(&file(folder), &lines)
}

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
pub(super) fn draw(folder: &Path) -> Result<Vec<Drawn>> {
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
pub(super) fn finding(folder: &Path) -> Result<Option<Finding>> {
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
                format!("{:.1}", row.fisher_divergence),
                format!("{:.3}", row.auc_roc),
            ]);
        }
        if rows.is_sorted_by(|a, b| a.fisher_divergence <= b.fisher_divergence) {
            sentences.push(format!(
                "With the {name} the divergence has no minimum inside the grid: it falls all the way \
                 to the smallest bandwidth, and the rule stays at the largest. Where the sampled \
                 kernel has a minimum, it is the noise of the sampling that makes it."
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
        table: Some(table::summary(&header, 2, cells)),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stable_minimum_is_the_first_from_the_right_and_relaxes_its_window() {
        assert_eq!(stable_minimum(&[0.0, 9.0, 3.0, 2.0, 1.0, 2.0, 3.0, 4.0]), 4);
        // Two neighbours only; one only; a monotone curve.
        assert_eq!(stable_minimum(&[0.0, 2.0, 1.0, 2.0, 3.0]), 2);
        assert_eq!(stable_minimum(&[0.0, 2.0, 1.0, 2.0, 0.5]), 2);
        assert_eq!(stable_minimum(&[0.0, 1.0, 2.0]), 2);
        assert_eq!(smallest(&[0.0, 9.0, -3.0, 2.0]), 2);
    }

    #[test]
    fn the_rule_is_that_of_the_library() {
        use sosrep::select::{Criterion, Rule, SelectOptions, select};
        let rows: Vec<f64> = (0..400).map(|i| (f64::from(i) * 0.618).fract().powi(2)).collect();
        let points = Points::new(&rows, 2).unwrap();
        let params = DensityParams::new().kernel(KernelKind::Gaussian);
        let choose = |rule| {
            let options = SelectOptions { rule, ..SelectOptions::new(Criterion::Fisher) };
            select(&params, points, None, &options, &mut sosrep::silent).unwrap()
        };
        let whole = choose(Rule::Minimum);
        let curve: Vec<f64> = whole.curve.iter().map(|point| point.value).collect();
        assert_eq!(whole.curve[smallest(&curve)].bandwidth, whole.bandwidth);
        let chosen = choose(Rule::StableMinimum { window: WINDOW }).bandwidth;
        assert_eq!(whole.curve[stable_minimum(&curve)].bandwidth, chosen);
    }
}
