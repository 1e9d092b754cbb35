//! Anomaly score, p-value and label of rows, from one evaluation of the density.
//!
//! [`training_assessment`] scores the rows of a fit a second time, each with its own contribution:
//! the core does not return the leave-one-out scores that it calibrates its p-values with.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use sosrep::Points;

use crate::matrix::{Numbers, ROWS_AT_ONCE, vector};
use crate::work::CancelHandle;

/// One entry for each row.
pub(crate) struct Assessment {
    scores: Vec<f64>,
    p_values: Vec<f64>,
    is_anomaly: Vec<bool>,
}

/// Scores, p-values and labels as arrays.
pub(crate) type AssessmentArrays<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<bool>>);

impl Assessment {
    pub(crate) fn to_arrays<'py>(&self, py: Python<'py>) -> AssessmentArrays<'py> {
        let Self { scores, p_values, is_anomaly } = self;
        let labels = is_anomaly.clone().into_pyarray(py);
        (vector(py, scores.clone()), vector(py, p_values.clone()), labels)
    }
}

/// New rows, each compared with the training rows.
pub(crate) fn assess(
    detector: &sosrep::Detector,
    rows: Numbers,
    handle: &CancelHandle,
) -> sosrep::Result<Assessment> {
    let score = |part: Points| detector.anomaly_score(part);
    let scores = rows.by_parts(ROWS_AT_ONCE, handle, score)?;
    let p_values = detector.p_values_of(&scores);
    let is_anomaly = scores.iter().map(|&score| score > detector.threshold()).collect();
    Ok(Assessment { scores, p_values, is_anomaly })
}

/// The training rows.
pub(crate) fn training_assessment(
    detector: &sosrep::Detector,
    rows: Numbers,
    handle: &CancelHandle,
) -> sosrep::Result<Assessment> {
    assess(detector, rows, handle)
}
