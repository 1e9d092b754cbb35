//! Reports of fits and curves of bandwidths as dictionaries.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sosrep::detector::DetectorReport;
use sosrep::select::{CurvePoint, Selection};
use sosrep::solve::{FitReport, StopReason};
use sosrep_table::Encoding;

use crate::cells::constant_columns;
use crate::matrix::vector;

/// One solve.
pub(crate) fn fit_report<'py>(py: Python<'py>, report: &FitReport) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let stop = match report.stop {
        StopReason::Converged => "converged",
        StopReason::MaxIterations => "max-iterations",
        StopReason::Stalled => "stalled",
        StopReason::Diverged => "diverged",
        StopReason::Cancelled => "cancelled",
        _ => "stopped",
    };
    dict.set_item("stop", stop)?;
    dict.set_item("iterations", report.iterations)?;
    dict.set_item("products", report.products)?;
    dict.set_item("residual", report.residual)?;
    dict.set_item("objective", report.objective)?;
    dict.set_item("norm_squared", report.norm_squared)?;
    dict.set_item("negative_fraction", report.negative_fraction)?;
    Ok(dict)
}

/// A detector's fit: what it was fitted on, and the last solve. Columns are those of the table.
pub(crate) fn detector_report<'py>(
    py: Python<'py>,
    report: &DetectorReport,
    encoding: &Encoding,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("rows", report.rows)?;
    dict.set_item("columns", report.columns)?;
    dict.set_item("distinct_rows", report.distinct_rows)?;
    dict.set_item("fitted_rows", report.fitted_rows)?;
    dict.set_item("core_rows", report.core_rows)?;
    dict.set_item("support_rows", report.support_rows)?;
    dict.set_item("repeats", report.repeats.sentence())?;
    let constant: Vec<usize> = report.constant_columns.iter().map(|column| column.index).collect();
    dict.set_item("estimated_share", report.estimated_share)?;
    dict.set_item("constant_columns", constant_columns(encoding, &constant))?;
    dict.set_item("kernel", report.kernel.name())?;
    dict.set_item("bandwidth", report.bandwidth)?;
    dict.set_item("caution", report.caution())?;
    if let Some(fit) = &report.fit {
        dict.update(fit_report(py, fit)?.as_mapping())?;
    }
    Ok(dict)
}

/// A criterion along bandwidths, as columns: what a person plots.
#[derive(Clone)]
pub(crate) struct Curve {
    bandwidth: Vec<f64>,
    value: Vec<f64>,
    iterations: Vec<f64>,
    residual: Vec<f64>,
}

/// The columns of a curve in a pickle.
pub(crate) type CurveColumns = (Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>);

impl From<&Selection> for Curve {
    fn from(selection: &Selection) -> Self {
        let column = |read: fn(&CurvePoint) -> f64| selection.curve.iter().map(read).collect();
        Self {
            bandwidth: column(|point| point.bandwidth),
            value: column(|point| point.value),
            iterations: column(|point| point.iterations as f64),
            residual: column(|point| point.residual),
        }
    }
}

impl From<CurveColumns> for Curve {
    fn from((bandwidth, value, iterations, residual): CurveColumns) -> Self {
        Self { bandwidth, value, iterations, residual }
    }
}

impl Curve {
    pub(crate) fn columns(&self) -> CurveColumns {
        let Self { bandwidth, value, iterations, residual } = self.clone();
        (bandwidth, value, iterations, residual)
    }

    pub(crate) fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let (bandwidth, value, iterations, residual) = self.columns();
        dict.set_item("bandwidth", vector(py, bandwidth))?;
        dict.set_item("value", vector(py, value))?;
        dict.set_item("iterations", vector(py, iterations))?;
        dict.set_item("residual", vector(py, residual))?;
        Ok(dict)
    }
}
