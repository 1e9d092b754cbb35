//! `Kde`: the classical estimate with the same kernels.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use sosrep::Points;
use sosrep::kernel::Kernel;

use crate::failure::value_error;
use crate::matrix::{Matrix, ROWS_AT_ONCE, vector, weights};
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
        let wish = parameters::kde(parameters)?;
        let weights = weights(sample_weight)?;
        let numbers = rows.numbers();
        let values = numbers.row_major(py)?;
        let kde = Caller::new(py, n_jobs, None)?.run(|_| {
            let points = Points::new(&values, numbers.columns())?;
            let kernel = Kernel::new(&wish.kernel, points.columns(), wish.bandwidth)?;
            sosrep::Kde::new(kernel, points, weights.as_ref())
        })?;
        Ok(Self { kde })
    }

    /// Reads a model file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self { kde: sosrep::Kde::from_bytes(bytes).map_err(value_error)? })
    }

    /// Pickles hold the model file and nothing else.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = slf.get().kde.to_bytes().map_err(value_error)?;
        Ok((slf.get_type().getattr("from_bytes")?, (PyBytes::new(slf.py(), &bytes),)))
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
        let values = Caller::new(py, n_jobs, None)?.run(|waiting| {
            numbers.by_parts(ROWS_AT_ONCE, waiting, |part| self.kde.log_density(part))
        })?;
        Ok(vector(py, values))
    }

    /// Columns of a row.
    #[getter]
    fn columns(&self) -> usize {
        self.kde.kernel().dimension()
    }
}
