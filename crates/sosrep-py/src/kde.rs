//! `Kde`: the classical estimate with the same kernels.

use std::path::PathBuf;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use serde_json::json;
use sosrep::Points;
use sosrep::kernel::Kernel;
use sosrep::model_file::ModelKind;

use crate::failure::value_error;
use crate::matrix::{Matrix, ROWS_AT_ONCE, vector, weights};
use crate::model_file::{read_model, save};
use crate::parameters;
use crate::work::Caller;

/// A kernel density estimate.
#[pyclass(frozen, module = "sosrep._core")]
pub(crate) struct Kde {
    kde: sosrep::Kde,
}

#[pymethods]
impl Kde {
    /// The estimate on the rows, with the parameters of the dictionary.
    #[staticmethod]
    #[pyo3(signature = (rows, sample_weight, parameters, *, n_jobs=None))]
    fn fit<'py>(
        py: Python<'py>,
        rows: Matrix<'py>,
        sample_weight: Option<PyReadonlyArray1<'py, f64>>,
        parameters: &Bound<'py, PyDict>,
        n_jobs: Option<i64>,
    ) -> PyResult<Self> {
        let parsed = parameters::kde(parameters)?;
        let weights = weights(sample_weight)?;
        let numbers = rows.numbers();
        let values = numbers.row_major(py)?;
        let kde = Caller::new(py, n_jobs, None)?.run(|_| {
            let points = Points::new(&values, numbers.columns())?;
            let kernel = Kernel::new(&parsed.kernel, points.columns(), parsed.bandwidth)?;
            sosrep::Kde::new(kernel, points, weights.as_ref())
        })?;
        Ok(Self { kde })
    }

    /// Reads a model file.
    #[new]
    fn new(file: &[u8]) -> PyResult<Self> {
        Ok(Self { kde: read_model(file, ModelKind::Kde, sosrep::Kde::from_bytes)? })
    }

    /// The arguments of the constructor: the model file.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>,)> {
        Ok((PyBytes::new(py, &self.kde.to_bytes().map_err(value_error)?),))
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyType>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type(), slf.get().state(slf.py())?))
    }

    /// Writes the model file, complete or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        save(py, &path, self.kde.to_bytes())
    }

    /// log p.
    #[pyo3(signature = (rows, *, n_jobs=None))]
    fn log_density<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let numbers = rows.numbers();
        let values = Caller::new(py, n_jobs, None)?.run(|handle| {
            numbers.by_parts(ROWS_AT_ONCE, handle, |part| self.kde.log_density(part))
        })?;
        Ok(vector(py, values))
    }

    /// Columns of a row.
    #[getter]
    fn columns(&self) -> usize {
        self.kde.kernel().dimension()
    }

    /// The parameters of the fit, as JSON.
    #[getter]
    fn parameters(&self) -> String {
        let kernel = self.kde.kernel();
        json!({ "kernel": kernel.kind().name(), "bandwidth": kernel.bandwidth() }).to_string()
    }
}
