//! `Detector`: rows in, scores, p-values and reasons out.

use std::path::PathBuf;

use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use sosrep::detector::{Explanation, TrainingSample};
use sosrep::model_file::ModelKind;
use sosrep::{DetectorParams, Points, SampleParams};

use crate::assessment::{AssessmentArrays, arrays, assess};
use crate::cells::{self, Columns, Texts};
use crate::encode::{self, EncodedArrays, recipe};
use crate::failure::{table_error, value_error};
use crate::matrix::{Matrix, ROWS_AT_ONCE, array, vector, weights, weights_of};
use crate::model_file::{read_model, save, with_recipe};
use crate::parameters;
use crate::report::{Curve, detector_report};
use crate::table::GivenTable;
use crate::training::TrainingRows;
use crate::work::{Caller, run_for_rows};

/// Rows explained between two checks for Ctrl-C: each costs hundreds of scores.
const EXPLAINED_AT_ONCE: usize = 64;

/// A fitted anomaly detector.
#[pyclass(frozen, module = "sosrep._core")]
pub(crate) struct Detector {
    detector: sosrep::Detector,
}

/// A detector, the rows it was fitted to if others were left out, and notes on the table.
type FittedToTable<'py> = (Detector, Option<Bound<'py, PyArray1<usize>>>, Vec<String>);

/// Scores, contributions of the columns of the table, reference rows and their scores.
type Explained<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
);

/// The parameters with the rows that a bandwidth is judged by.
fn judged_by(params: DetectorParams, values: &[f64], columns: usize) -> PyResult<DetectorParams> {
    Ok(params.judged_by(Points::new(values, columns).map_err(value_error)?))
}

#[pymethods]
impl Detector {
    /// Fits a detector with the parameters of the dictionary; a bandwidth is judged by the rows of
    /// `judge`, if they are given.
    #[staticmethod]
    #[pyo3(signature = (rows, sample_weight, parameters, *, judge=None, feature_names=None, n_jobs=None, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn fit<'py>(
        py: Python<'py>,
        rows: Matrix<'py>,
        sample_weight: Option<PyReadonlyArray1<'py, f64>>,
        parameters: &Bound<'py, PyDict>,
        judge: Option<Matrix<'py>>,
        feature_names: Option<Vec<String>>,
        n_jobs: Option<i64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let params = parameters::detector(parameters)?;
        let params = match judge.as_ref().map(Matrix::numbers) {
            Some(judge) => judged_by(params, &judge.row_major(py)?, judge.columns())?,
            None => params,
        };
        let weights = weights(sample_weight)?;
        let numbers = rows.numbers();
        let values = numbers.row_major(py)?;
        Caller::new(py, n_jobs, progress)?.run(|handle| {
            let points = Points::new(&values, numbers.columns())?;
            let monitor = &mut |progress: &_| handle.report(progress);
            let mut detector = params.fit_monitored(points, weights.as_ref(), monitor)?;
            if let Some(names) = feature_names {
                detector = detector.with_feature_names(names)?;
            }
            Ok(Self { detector })
        })
    }

    /// Fits a detector to a table of any columns, encoded by these options.
    #[staticmethod]
    #[pyo3(signature = (table, sample_weight, parameters, options, *, judge=None, n_jobs=None, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn fit_table<'py>(
        py: Python<'py>,
        table: &Bound<'py, GivenTable>,
        sample_weight: Option<PyReadonlyArray1<'py, f64>>,
        parameters: &Bound<'py, PyDict>,
        options: &Bound<'py, PyDict>,
        judge: Option<&Bound<'py, GivenTable>>,
        n_jobs: Option<i64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<FittedToTable<'py>> {
        let table = table.get();
        let (params, options) = (parameters::detector(parameters)?, parameters::encoding(options)?);
        let given = sample_weight.as_ref().map(|given| given.as_array().to_vec());
        let given = given.filter(|given| given.len() == table.rows());
        let read = || TrainingRows::read(table, given.as_deref(), &params, &options);
        let TrainingRows { rows, sample, recipe, notes } = py.detach(read).map_err(table_error)?;
        let weights = weights_of(sample_weight, &rows.kept)?;
        let params = params.columns(recipe.encoding.source_columns());
        let params = match judge {
            Some(judge) => {
                let values = encode::values(py, &recipe, judge.get())?;
                judged_by(params, &values, recipe.encoding.width())?
            }
            None => params,
        };
        let detector = Caller::new(py, n_jobs, progress)?.run(|handle| {
            let width = recipe.encoding.width();
            let points = Points::new(&rows.values, width)?;
            let sample = TrainingSample {
                points: Points::new(&sample.values, width)?,
                copies: &sample.copies,
                table_rows: sample.table_rows,
            };
            let monitor = &mut |progress: &_| handle.report(progress);
            params.fit_assessing(&sample, points, weights.as_ref(), monitor)
        })?;
        Ok((Self { detector: with_recipe(detector, &recipe)? }, rows.selection(py), notes))
    }

    /// Reads a model file.
    #[new]
    fn new(file: &[u8]) -> PyResult<Self> {
        let detector = read_model(file, ModelKind::Detector, sosrep::Detector::from_bytes)?;
        recipe(&detector)?;
        Ok(Self { detector })
    }

    /// The arguments of the constructor: the model file.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>,)> {
        Ok((PyBytes::new(py, &self.detector.to_bytes().map_err(value_error)?),))
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyType>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type(), slf.get().state(slf.py())?))
    }

    /// Writes the model file, complete or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        save(py, &path, self.detector.to_bytes())
    }

    /// Anomaly scores, p-values and labels of the training rows; `None` if read from a file.
    #[getter]
    fn training<'py>(&self, py: Python<'py>) -> Option<AssessmentArrays<'py>> {
        self.detector.training().map(|training| arrays(py, training.clone()))
    }

    /// Anomaly scores, p-values and labels of rows.
    #[pyo3(signature = (rows, *, n_jobs=None))]
    fn assess<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        n_jobs: Option<i64>,
    ) -> PyResult<AssessmentArrays<'py>> {
        let numbers = rows.numbers();
        let assessment = run_for_rows(py, numbers.rows(), n_jobs, |handle| {
            assess(&self.detector, numbers, handle)
        })?;
        Ok(arrays(py, assessment))
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

    /// The share of training rows with a leave-one-out score at least as high.
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
        let values = Caller::new(py, n_jobs, None)?.run(|handle| {
            // The first call computes the normaliser, which takes longer than scoring.
            let density = self.detector.density();
            density.log_normalizer_monitored(&mut |progress| handle.report(progress))?;
            numbers.by_parts(ROWS_AT_ONCE, handle, |part| self.detector.log_density(part))
        })?;
        Ok(vector(py, values))
    }

    /// Scores, signed contributions of the columns, reference rows and their scores.
    #[pyo3(signature = (rows, *, n_jobs=None))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        n_jobs: Option<i64>,
    ) -> PyResult<Explained<'py>> {
        let numbers = rows.numbers();
        let reasons = Caller::new(py, n_jobs, None)?.run(|handle| {
            numbers.by_parts(EXPLAINED_AT_ONCE, handle, |part| self.detector.explain(part))
        })?;
        let table = |rows: Vec<f64>| {
            let columns = rows.len() / reasons.len();
            array(py, rows, reasons.len(), columns)
        };
        let encoding = recipe(&self.detector)?.encoding;
        let contributions =
            |reason: &Explanation| cells::by_column(&encoding, &reason.contributions);
        Ok((
            vector(py, reasons.iter().map(|reason| reason.score).collect()),
            table(reasons.iter().flat_map(contributions).collect())?,
            table(reasons.iter().flat_map(|reason| reason.reference.iter().copied()).collect())?,
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
        let rows = Caller::new(py, n_jobs, None)?.run(|handle| {
            let monitor = &mut |progress: &_| handle.report(progress);
            SampleParams::new().seed(seed).draw_rows_monitored(&self.detector, count, monitor)
        })?;
        array(py, rows, count, self.columns())
    }

    /// The rows of a table encoded as in the fit, and what became of those that cannot be.
    fn encode<'py>(
        &self,
        py: Python<'py>,
        table: &Bound<'py, GivenTable>,
    ) -> PyResult<EncodedArrays<'py>> {
        encode::encode(py, &recipe(&self.detector)?, table.get())
    }

    /// An error unless a table has the columns of the model, in the types they had in the fit.
    fn check_types(&self, table: &Bound<'_, GivenTable>) -> PyResult<()> {
        encode::check_types(&recipe(&self.detector)?, table.get())
    }

    /// The columns nearest to rows of numbers.
    fn decode<'py>(&self, py: Python<'py>, rows: Matrix<'py>) -> PyResult<Columns<'py>> {
        let values = rows.numbers();
        let cells = recipe(&self.detector)?.encoding.decode(&values.row_major(py)?);
        cells::columns(py, &cells.map_err(table_error)?)
    }

    /// Cells of a table as a person reads them.
    fn texts(&self, table: &Bound<'_, GivenTable>) -> PyResult<Texts> {
        let (columns, batches) =
            encode::cells(&recipe(&self.detector)?, table.get()).map_err(table_error)?;
        Ok(cells::texts(columns.len(), &batches))
    }

    /// What rows of numbers stand for, as a person reads it.
    fn decoded_texts(&self, py: Python<'_>, rows: Matrix<'_>) -> PyResult<Texts> {
        let encoding = recipe(&self.detector)?.encoding;
        Ok(cells::decoded_texts(&encoding, &rows.numbers().row_major(py)?))
    }

    /// Whether the model file holds an encoding.
    #[getter]
    fn encodes(&self) -> bool {
        self.detector.attachment().is_some()
    }

    /// Whether a row of the model is a row of its table: numbers that are never missing.
    #[getter]
    fn is_plain(&self) -> PyResult<bool> {
        Ok(encode::is_plain(&recipe(&self.detector)?))
    }

    /// Names of the columns of a table that the model takes.
    #[getter]
    fn source_columns(&self) -> PyResult<Vec<String>> {
        let columns = recipe(&self.detector)?.encoding.input_columns();
        Ok(columns.into_iter().map(|column| column.name).collect())
    }

    /// Names of columns that identify rows.
    #[getter]
    fn ids(&self) -> PyResult<Vec<String>> {
        Ok(recipe(&self.detector)?.ids)
    }

    /// Names of columns that a table may have besides.
    #[getter]
    fn spare_columns(&self) -> PyResult<Vec<String>> {
        let recipe = recipe(&self.detector)?;
        Ok(recipe.spare_columns().into_iter().map(str::to_string).collect())
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

    /// The report of the fit.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        detector_report(py, self.detector.report(), &recipe(&self.detector)?.encoding)
    }

    /// The criterion at every bandwidth of the grid, if the bandwidth was selected.
    #[getter]
    fn curve<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let selection = self.detector.report().selection.as_ref();
        selection.map(|selection| Curve::from(selection).to_dict(py)).transpose()
    }
}

impl Detector {
    pub(crate) fn new_of(detector: sosrep::Detector) -> Self {
        Self { detector }
    }

    fn each<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        n_jobs: Option<i64>,
        work: impl Fn(Points) -> sosrep::Result<Vec<f64>> + Send,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let numbers = rows.numbers();
        let values = run_for_rows(py, numbers.rows(), n_jobs, |handle| {
            numbers.by_parts(ROWS_AT_ONCE, handle, work)
        })?;
        Ok(vector(py, values))
    }
}
