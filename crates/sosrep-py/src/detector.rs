//! `Detector`: rows in, scores, p-values and reasons out.

use std::path::PathBuf;

use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use pyo3_arrow::PyTable;
use sosrep::detector::Explanation;
use sosrep::{Points, SampleParams};
use sosrep_table::write_atomically;

use crate::failure::{value_error, write_error};
use crate::matrix::{Matrix, ROWS_AT_ONCE, array, vector, weights};
use crate::report::{Curve, detector_report};
use crate::work::Caller;
use crate::{frame, parameters};

/// Rows explained between two looks for Ctrl-C: each costs hundreds of scores.
const EXPLAINED_AT_ONCE: usize = 64;

/// A fitted anomaly detector.
#[pyclass(frozen, module = "sosrep._core")]
pub(crate) struct Detector {
    detector: sosrep::Detector,
}

/// Why rows have their scores: scores, contributions, typical rows and the scores of those.
type Explained<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
);

#[pymethods]
impl Detector {
    /// Fits a detector with the parameters of the dictionary.
    #[staticmethod]
    #[pyo3(signature = (rows, sample_weight, parameters, *, feature_names=None, n_jobs=None, progress=None))]
    fn fit<'py>(
        py: Python<'py>,
        rows: Matrix<'py>,
        sample_weight: Option<PyReadonlyArray1<'py, f64>>,
        parameters: &Bound<'py, PyDict>,
        feature_names: Option<Vec<String>>,
        n_jobs: Option<i64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let params = parameters::detector(parameters)?;
        let weights = weights(sample_weight)?;
        let numbers = rows.numbers();
        let values = numbers.row_major(py)?;
        let detector = Caller::new(py, n_jobs, progress)?.run(|waiting| {
            let points = Points::new(&values, numbers.columns())?;
            let monitor = &mut |progress: &_| waiting.hear(progress);
            let detector = params.fit_monitored(points, weights.as_ref(), monitor)?;
            match feature_names {
                Some(names) => detector.with_feature_names(names),
                None => Ok(detector),
            }
        })?;
        Ok(Self { detector })
    }

    /// Reads a model file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let detector = sosrep::Detector::from_bytes(bytes).map_err(value_error)?;
        frame::recipe(&detector)?;
        Ok(Self { detector })
    }

    /// The model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.detector.to_bytes().map_err(value_error)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes the model file, complete or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let bytes = self.detector.to_bytes().map_err(value_error)?;
        py.detach(|| write_atomically(&path, &bytes)).map_err(|error| write_error(&path, &error))
    }

    /// Pickles hold the model file and nothing else.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let from_bytes = slf.get_type().getattr("from_bytes")?;
        Ok((from_bytes, (slf.get().to_bytes(slf.py())?,)))
    }

    /// −log f²: higher is more anomalous.
    #[pyo3(signature = (rows, *, n_jobs=None))]
    fn anomaly_score<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.each(py, rows, n_jobs, |points| self.detector.anomaly_score(points))
    }

    /// How likely a score this high is for a row like those in training.
    #[pyo3(signature = (rows, *, n_jobs=None))]
    fn p_value<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.each(py, rows, n_jobs, |points| self.detector.p_value(points))
    }

    /// The log-density in the units of the input.
    #[pyo3(signature = (rows, *, n_jobs=None))]
    fn log_density<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let numbers = rows.numbers();
        let values = Caller::new(py, n_jobs, None)?.run(|waiting| {
            // The first time this takes longer than the rows do.
            let density = self.detector.density();
            density.log_normalizer_monitored(&mut |progress| waiting.hear(progress))?;
            numbers.by_parts(ROWS_AT_ONCE, waiting, |part| self.detector.log_density(part))
        })?;
        Ok(vector(py, values))
    }

    /// Scores, signed contributions of the columns, typical rows and their scores.
    #[pyo3(signature = (rows, *, n_jobs=None))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        n_jobs: Option<i64>,
    ) -> PyResult<Explained<'py>> {
        let numbers = rows.numbers();
        let reasons = Caller::new(py, n_jobs, None)?.run(|waiting| {
            numbers.by_parts(EXPLAINED_AT_ONCE, waiting, |part| self.detector.explain(part))
        })?;
        let table = |read: fn(&Explanation) -> &[f64]| {
            let values = reasons.iter().flat_map(read).copied().collect();
            array(py, values, reasons.len(), numbers.columns())
        };
        Ok((
            vector(py, reasons.iter().map(|reason| reason.score).collect()),
            table(|reason| &reason.contributions)?,
            table(|reason| &reason.reference)?,
            vector(py, reasons.iter().map(|reason| reason.reference_score).collect()),
        ))
    }

    /// Draws rows in the units of the input.
    #[pyo3(signature = (count, seed, *, n_jobs=None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        seed: u64,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let samples = Caller::new(py, n_jobs, None)?.run(|waiting| {
            let monitor = &mut |progress: &_| waiting.hear(progress);
            SampleParams::new().seed(seed).draw_rows(&self.detector, count, monitor)
        })?;
        array(py, samples.values, count, self.columns())
    }

    /// The rows of a data frame as the model's numbers, and remarks on values it has not seen.
    fn encode<'py>(&self, py: Python<'py>, table: PyTable) -> PyResult<frame::Encoded<'py>> {
        frame::encode(py, &frame::recipe(&self.detector)?, table)
    }

    /// Whether data frames have to pass [`encode`](Self::encode): the model knows its table.
    #[getter]
    fn encodes(&self) -> bool {
        self.detector.attachment().is_some()
    }

    /// The score above which a row is an anomaly.
    #[getter]
    fn threshold(&self) -> f64 {
        self.detector.threshold()
    }

    /// Columns of a row.
    #[getter]
    fn columns(&self) -> usize {
        self.detector.preparation().input_columns()
    }

    /// Names of the columns, if they have any.
    #[getter]
    fn feature_names(&self) -> Option<Vec<String>> {
        self.detector.feature_names().map(<[String]>::to_vec)
    }

    /// What it was fitted with, as JSON: the names and values of the core's parameters.
    #[getter]
    fn parameters(&self) -> PyResult<String> {
        serde_json::to_string(&self.detector.report().parameters)
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// How the fit went.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        detector_report(py, self.detector.report())
    }

    /// The curve the bandwidth was read from, if it was.
    #[getter]
    fn curve<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let selection = self.detector.report().selection.as_ref();
        selection.map(|selection| Curve::from(selection).to_dict(py)).transpose()
    }
}

impl Detector {
    fn each<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        n_jobs: Option<i64>,
        work: impl Fn(Points) -> sosrep::Result<Vec<f64>> + Send,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let numbers = rows.numbers();
        let values = Caller::new(py, n_jobs, None)?
            .run(|waiting| numbers.by_parts(ROWS_AT_ONCE, waiting, work))?;
        Ok(vector(py, values))
    }
}
