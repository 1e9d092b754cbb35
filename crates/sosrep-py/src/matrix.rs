//! Two-dimensional numpy arrays of f32 or f64, in any order, as rows of the core.
//!
//! A fit borrows an array that is already row-major f64 and copies any other. Scoring reads
//! [`ROWS_AT_ONCE`] rows at a time, so that an f32 memory map larger than memory can be scored; the
//! core gives a row the same bits in any batch.

use std::borrow::Cow;
use std::collections::TryReserveError;
use std::ops::Range;

use numpy::ndarray::{Array2, ArrayView2, s};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;
use sosrep::{Error, Points, Weights};

use crate::failure::value_error;
use crate::work::CancelHandle;

/// Rows read, and worked on between two looks for a wish to stop.
pub(crate) const ROWS_AT_ONCE: usize = 16_384;

/// An array as it comes.
#[derive(FromPyObject)]
pub(crate) enum Matrix<'py> {
    Double(PyReadonlyArray2<'py, f64>),
    Single(PyReadonlyArray2<'py, f32>),
}

/// Its numbers, without Python.
#[derive(Clone, Copy)]
pub(crate) enum Numbers<'a> {
    Double(ArrayView2<'a, f64>),
    Single(ArrayView2<'a, f32>),
}

impl Matrix<'_> {
    pub(crate) fn numbers(&self) -> Numbers<'_> {
        match self {
            Self::Double(array) => Numbers::Double(array.as_array()),
            Self::Single(array) => Numbers::Single(array.as_array()),
        }
    }
}

impl Numbers<'_> {
    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Double(array) => array.nrows(),
            Self::Single(array) => array.nrows(),
        }
    }

    pub(crate) fn columns(&self) -> usize {
        match self {
            Self::Double(array) => array.ncols(),
            Self::Single(array) => array.ncols(),
        }
    }

    /// Row after row, borrowed where they are laid out so.
    pub(crate) fn row_major(&self, py: Python<'_>) -> PyResult<Cow<'_, [f64]>> {
        py.detach(|| self.try_row_major()).map_err(|_| {
            let (rows, columns) = (self.rows(), self.columns());
            PyMemoryError::new_err(format!("no memory for {rows} rows of {columns} numbers"))
        })
    }

    fn try_row_major(&self) -> Result<Cow<'_, [f64]>, TryReserveError> {
        if let Self::Double(array) = self
            && let Some(values) = array.to_slice()
        {
            return Ok(Cow::Borrowed(values));
        }
        let mut values = Vec::new();
        values.try_reserve_exact(self.rows().saturating_mul(self.columns()))?;
        match self {
            Self::Double(array) => values.extend(array.iter()),
            Self::Single(array) => values.extend(array.iter().copied().map(f64::from)),
        }
        Ok(Cow::Owned(values))
    }

    fn part(&self, rows: Range<usize>) -> Numbers<'_> {
        match self {
            Self::Double(array) => Numbers::Double(array.slice(s![rows, ..])),
            Self::Single(array) => Numbers::Single(array.slice(s![rows, ..])),
        }
    }

    /// What `work` makes of the rows, `rows_at_once` at a time; an error names the row of the whole.
    pub(crate) fn by_parts<T>(
        &self,
        rows_at_once: usize,
        handle: &CancelHandle,
        work: impl Fn(Points) -> sosrep::Result<Vec<T>>,
    ) -> sosrep::Result<Vec<T>> {
        let mut made = Vec::new();
        if self.rows() == 0 {
            return Err(Error::NoRows);
        }
        for first in (0..self.rows()).step_by(rows_at_once) {
            handle.check()?;
            let part = self.part(first..self.rows().min(first + rows_at_once));
            let values = part.try_row_major().expect("a part of the rows fits into memory");
            let points = Points::new(&values, self.columns()).map_err(|error| match error {
                Error::NotFinite { row, column, value } => {
                    Error::NotFinite { row: first + row, column, value }
                }
                other => other,
            })?;
            made.extend(work(points)?);
        }
        Ok(made)
    }
}

/// Whether every number is finite.
#[pyfunction]
pub(crate) fn all_finite(py: Python<'_>, rows: Matrix) -> bool {
    let numbers = rows.numbers();
    py.detach(|| match numbers {
        Numbers::Double(array) => array.iter().all(|value| value.is_finite()),
        Numbers::Single(array) => array.iter().all(|value| value.is_finite()),
    })
}

/// Weights, if any, checked.
pub(crate) fn weights(given: Option<PyReadonlyArray1<f64>>) -> PyResult<Option<Weights>> {
    let Some(given) = given else { return Ok(None) };
    checked(given.as_array().iter().copied().collect())
}

/// Weights, if any, checked, of some of the rows.
pub(crate) fn weights_of(
    given: Option<PyReadonlyArray1<f64>>,
    rows: &[usize],
) -> PyResult<Option<Weights>> {
    let Some(given) = given else { return Ok(None) };
    checked(rows.iter().map(|&row| given.as_array()[row]).collect())
}

fn checked(values: Vec<f64>) -> PyResult<Option<Weights>> {
    Weights::new(&values).map(Some).map_err(value_error)
}

/// A vector for Python.
pub(crate) fn vector(py: Python<'_>, values: Vec<f64>) -> Bound<'_, PyArray1<f64>> {
    values.into_pyarray(py)
}

/// Row-major values as an array.
pub(crate) fn array(
    py: Python<'_>,
    values: Vec<f64>,
    rows: usize,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let array = Array2::from_shape_vec((rows, columns), values);
    Ok(array.map_err(|error| PyRuntimeError::new_err(error.to_string()))?.into_pyarray(py))
}
