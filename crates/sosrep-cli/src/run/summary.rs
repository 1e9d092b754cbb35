//! What `--json` prints of a table and the fit to it.

use serde::Serialize;
use sosrep::Detector;

use super::method::Method;
use crate::training::TrainingTable;

/// The table and the fit.
#[derive(Serialize)]
pub(super) struct FitSummary<'a> {
    version: &'static str,
    file: &'a str,
    rows: usize,
    rows_dropped: usize,
    #[serde(flatten)]
    method: Method,
    columns: usize,
    features: usize,
    kernel: &'static str,
    bandwidth: f64,
    iterations: Option<usize>,
    residual: Option<f64>,
    threshold: f64,
    estimated_share: Option<f64>,
    seed: u64,
    seconds: f64,
    notes: &'a [String],
}

impl<'a> FitSummary<'a> {
    pub(super) fn new(
        table: &'a TrainingTable,
        detector: &Detector,
        notes: &'a [String],
        seconds: f64,
    ) -> Self {
        let report = detector.report();
        Self {
            version: env!("CARGO_PKG_VERSION"),
            file: &table.file,
            rows: table.usable,
            rows_dropped: table.dropped,
            method: Method::of(detector),
            columns: table.columns.len(),
            features: table.width(),
            kernel: report.kernel.name(),
            bandwidth: report.bandwidth,
            iterations: report.fit.as_ref().map(|fit| fit.iterations),
            residual: report.fit.as_ref().map(|fit| fit.residual),
            threshold: detector.threshold(),
            estimated_share: report.estimated_share,
            seed: detector.seed(),
            seconds,
            notes,
        }
    }
}
