//! `Density`: f, its density and what follows from it.

use std::path::PathBuf;

use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use serde_json::json;
use sosrep::model_file::ModelKind;
use sosrep::select::fisher_divergence;
use sosrep::{Error, Points, SampleParams};

use crate::failure::value_error;
use crate::matrix::{Matrix, ROWS_AT_ONCE, array, vector, weights};
use crate::model_file::{read_model, save};
use crate::parameters;
use crate::report::{Curve, CurveColumns, fit_report};
use crate::work::Caller;

/// Rows differentiated between two checks for Ctrl-C.
const SCORES_AT_ONCE: usize = 1024;

/// A fitted density, with what its file does not hold.
#[pyclass(frozen, module = "sosrep._core")]
pub(crate) struct Density {
    density: sosrep::Density,
    /// `None` for sampled frequencies read from a file, which does not hold it.
    bandwidth: Option<f64>,
    curve: Option<Curve>,
}

/// The arguments of the constructor.
type State<'py> = (Bound<'py, PyBytes>, Option<f64>, Option<CurveColumns>);

#[pymethods]
impl Density {
    /// Fits a density with the parameters of the dictionary, at a selected bandwidth if asked to.
    #[staticmethod]
    #[pyo3(signature = (rows, sample_weight, parameters, *, n_jobs=None, progress=None))]
    fn fit<'py>(
        py: Python<'py>,
        rows: Matrix<'py>,
        sample_weight: Option<PyReadonlyArray1<'py, f64>>,
        parameters: &Bound<'py, PyDict>,
        n_jobs: Option<i64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let params = parameters::density(parameters)?;
        let weights = weights(sample_weight)?;
        let numbers = rows.numbers();
        let values = numbers.row_major(py)?;
        let fitted = Caller::new(py, n_jobs, progress)?.run(|handle| {
            let points = Points::new(&values, numbers.columns())?;
            params.fit_tuned_monitored(points, weights.as_ref(), &mut |progress| {
                handle.report(progress)
            })
        })?;
        Ok(Self {
            density: fitted.density,
            bandwidth: Some(fitted.bandwidth),
            curve: fitted.selection.as_ref().map(Curve::from),
        })
    }

    /// Reads a model file; the bandwidth and its curve are what the file does not hold.
    #[new]
    #[pyo3(signature = (file, bandwidth=None, curve=None))]
    fn new(file: &[u8], bandwidth: Option<f64>, curve: Option<CurveColumns>) -> PyResult<Self> {
        let density = read_model(file, ModelKind::Density, sosrep::Density::from_bytes)?;
        let in_file = density.kernel_form().map(|form| form.kernel().bandwidth());
        Ok(Self { density, bandwidth: in_file.or(bandwidth), curve: curve.map(Curve::from) })
    }

    /// The arguments of the constructor: the model file and plain numbers.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<State<'py>> {
        let file = PyBytes::new(py, &self.density.to_bytes().map_err(value_error)?);
        Ok((file, self.bandwidth, self.curve.as_ref().map(Curve::columns)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, State<'py>)> {
        Ok((slf.get_type(), slf.get().state(slf.py())?))
    }

    /// Writes the model file, complete or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        save(py, &path, self.density.to_bytes())
    }

    /// log p, or log f² if not to be normalised.
    #[pyo3(signature = (rows, *, normalized, n_jobs=None))]
    fn log_density<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        normalized: bool,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let numbers = rows.numbers();
        let values = Caller::new(py, n_jobs, None)?.run(|handle| {
            if normalized {
                // The first call computes the normaliser, which takes longer than scoring.
                self.density.log_normalizer_monitored(&mut |progress| handle.report(progress))?;
            }
            numbers.by_parts(ROWS_AT_ONCE, handle, |part| match normalized {
                true => self.density.log_density(part),
                false => self.density.log_pre_density(part),
            })
        })?;
        Ok(vector(py, values))
    }

    /// ∇log p.
    #[pyo3(signature = (rows, *, n_jobs=None))]
    fn score_function<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let numbers = rows.numbers();
        let values = Caller::new(py, n_jobs, None)?.run(|handle| {
            numbers.by_parts(SCORES_AT_ONCE, handle, |part| self.density.score_function(part))
        })?;
        array(py, values, numbers.rows(), numbers.columns())
    }

    /// The Fisher divergence from the distribution of the rows, up to a constant.
    #[pyo3(signature = (rows, *, n_jobs=None))]
    fn fisher_divergence<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        n_jobs: Option<i64>,
    ) -> PyResult<f64> {
        let numbers = rows.numbers();
        Caller::new(py, n_jobs, None)?.run(|handle| {
            let ratios = numbers.by_parts(SCORES_AT_ONCE, handle, |part| {
                // The error for a kernel without a divergence, at the cost of one row.
                fisher_divergence(&self.density, Points::new(part.row(0), part.columns())?, None)?;
                self.density.laplacian_ratio(part)
            })?;
            Ok(ratios.iter().sum::<f64>() / ratios.len() as f64)
        })
    }

    /// Draws rows.
    #[pyo3(signature = (count, seed, *, n_jobs=None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        seed: u64,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let samples = Caller::new(py, n_jobs, None)?.run(|handle| {
            let form = self.density.kernel_form().ok_or(Error::Undefined {
                quantity: "a draw",
                kernel: "sdo-sampled",
                reason: "a sum of cosines has no integral; use the exact sdo kernel",
            })?;
            let monitor = &mut |progress: &_| handle.report(progress);
            // The step is a length, so it has to follow the units of the columns.
            let params = SampleParams::new().seed(seed).step(form.kernel().bandwidth());
            params.draw_monitored(&self.density, form.support(), count, monitor)
        })?;
        array(py, samples.values, count, self.columns())
    }

    /// Columns of a row.
    #[getter]
    fn columns(&self) -> usize {
        self.density.dimension()
    }

    /// Whether the density can be normalised: not if it is made of sampled frequencies.
    #[getter]
    fn has_normalizer(&self) -> bool {
        self.density.kernel_form().is_some()
    }

    /// The bandwidth.
    #[getter]
    fn bandwidth(&self) -> PyResult<f64> {
        self.bandwidth.ok_or_else(|| {
            PyAttributeError::new_err(
                "a file of the kernel sdo-sampled holds its frequencies and not its bandwidth; \
                 fit the density, or keep it with pickle or joblib",
            )
        })
    }

    /// The parameters of the fit that the model file holds, as JSON.
    #[getter]
    fn parameters(&self) -> String {
        let form = self.density.kernel_form();
        let kernel = form.map_or("sdo-sampled", |form| form.kernel().kind().name());
        match self.bandwidth {
            Some(bandwidth) => json!({ "kernel": kernel, "bandwidth": bandwidth }),
            None => json!({ "kernel": kernel }),
        }
        .to_string()
    }

    /// Coefficients of the rows, or of the frequencies of a sampled kernel.
    #[getter]
    fn coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let kernel = self.density.kernel_form().map(|form| form.alpha().to_vec());
        let features = self.density.feature_form().map(|form| form.coefficients().to_vec());
        vector(py, kernel.or(features).unwrap_or_default())
    }

    /// The report of the solver.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        match self.density.report() {
            Some(report) => fit_report(py, report),
            None => Ok(PyDict::new(py)),
        }
    }

    /// The criterion at every bandwidth of the grid, if the bandwidth was selected.
    #[getter]
    fn curve<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.curve.as_ref().map(|curve| curve.to_dict(py)).transpose()
    }
}
