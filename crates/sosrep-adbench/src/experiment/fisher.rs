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
//! rows, without their labels. Two kernels, SDO sampled as in the paper (T = 10 000) and exact, each
//! with the exact divergence and the paper's estimate by random probes and a finite step h = 1e-4
//! (10 probes instead of 300, which would take an hour). Where the bandwidth is small, log f is not
//! smooth within h at a test row, and the estimate leaves the divergence. Labels are only used to
//! tell what a choice is worth: the area under the ROC curve of the test rows at every bandwidth.
//!
//! The authors' protocol is followed: a copy of a training row among the test rows has no divergence.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sosrep::detector::{Preparation, PrepareOptions};
use sosrep::metrics::auc_roc;
use sosrep::select::{Hutchinson, Rule, default_grid, fisher_divergence, hutchinson_divergence};
use sosrep::{DensityParams, KernelKind, Points, Weights};

use super::{Experiment, Request, Watch, table, tell};
use crate::catalogue::named;
use crate::error::Result;
use crate::protocol::{Noise, Part, Protocol, split};

/// The data set unless another is asked for.
const DATA_SET: &str = "cardio";
/// Random probes a row; the paper has 300.
const PROBES: usize = 10;

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
    /// Whether the rule of the paper's text chooses this bandwidth.
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
        let options = PrepareOptions::new().clip(None);
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

    /// Divergence, its estimate by random probes, and AUC at one bandwidth.
    fn at(&self, kernel: &KernelKind, bandwidth: f64, seed: u64) -> Result<(f64, f64, f64)> {
        let params = DensityParams::new().kernel(kernel.clone()).bandwidth(bandwidth).seed(seed);
        let density = params.fit(Points::new(&self.train, self.columns)?, None)?;
        let test = Points::new(&self.test, self.columns)?;
        let divergence = fisher_divergence(&density, test, None)?;
        let probes = Hutchinson::new().probes(PROBES).seed(seed);
        let estimate = hutchinson_divergence(&density, test, None, &probes)?;
        let scores: Vec<f64> = density.log_pre_density(test)?.into_iter().map(|log| -log).collect();
        Ok((divergence, estimate, auc_roc(&scores, &self.labels)?))
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join("fisher.csv")
}

/// Evaluates both kernels along the grid.
pub(super) fn run(request: &Request, folder: &Path, watch: Watch) -> Result<()> {
    let found = request.data(Experiment::Fisher)?;
    let entry = request.data_set.copied().map_or_else(|| named(DATA_SET), Ok)?;
    let split = split(&found.read(&entry)?, Protocol::Authors, &Noise::default(), request.seed)?;
    let rows = Rows::new(&split.train, split.test, split.columns)?;
    let (grid, kernels) = (default_grid(), [KernelKind::paper(), KernelKind::Sdo]);
    let mut lines: Vec<Row> = Vec::new();
    for kernel in &kernels {
        let first = lines.len();
        for &bandwidth in &grid {
            tell(watch, "bandwidths", lines.len(), kernels.len() * grid.len())?;
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
                hutchinson: Some(hutchinson),
                auc_roc,
                chosen: false,
                smallest: false,
            });
        }
        let curve: Vec<f64> = lines[first..].iter().map(|line| line.fisher_divergence).collect();
        let choice = |rule: Rule| rule.read(&curve).unwrap_or(0);
        lines[first + choice(Rule::Text)].chosen = true;
        lines[first + choice(Rule::Minimum)].smallest = true;
    }
    table::write(&file(folder), &lines)
}
