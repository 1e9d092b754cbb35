//! Anomaly score, p-value and label of rows, as arrays.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use sosrep::detector::Assessment;

use crate::failure::value_error;
use crate::matrix::{Numbers, ROWS_AT_ONCE, vector};
use crate::work::CancelHandle;

/// Scores, p-values and labels.
pub(crate) type AssessmentArrays<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<bool>>);

pub(crate) fn arrays(py: Python<'_>, assessment: Assessment) -> AssessmentArrays<'_> {
    let labels = assessment.is_anomaly.into_pyarray(py);
    (vector(py, assessment.scores), vector(py, assessment.p_values), labels)
}

/// New rows, each compared with the training rows, until Ctrl-C.
pub(crate) fn assess(
    detector: &sosrep::Detector,
    rows: Numbers,
    handle: &CancelHandle,
) -> sosrep::Result<Assessment> {
    let scores = rows.by_parts(ROWS_AT_ONCE, handle, |part| detector.anomaly_score(part))?;
    Ok(detector.assessment_of(scores))
}

/// The largest p-value that is flagged at a false-discovery rate.
#[pyfunction]
pub(crate) fn largest_discovery(p_values: Vec<f64>, rate: f64) -> PyResult<f64> {
    sosrep::detector::largest_discovery(&p_values, rate).map_err(value_error)
}
