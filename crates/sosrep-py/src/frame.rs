//! Data frames that hold nothing but numbers, for estimators that take nothing else.
//!
//! Rows are counted from 0 in messages, as everywhere in Python.

use std::collections::HashMap;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use numpy::PyArray2;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use sosrep_table::{Batch, ColumnInfo, ColumnKind, from_arrow};

use crate::encode::FRAME;
use crate::failure::table_error;
use crate::matrix::array;

/// The names and the numbers of a data frame that holds nothing else.
#[pyfunction]
pub(crate) fn read_frame<'py>(
    py: Python<'py>,
    table: PyTable,
) -> PyResult<(Vec<String>, Bound<'py, PyArray2<f64>>)> {
    let (batches, schema) = table.into_inner();
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let mut values = Vec::new();
    let mut rows = 0;
    for batch in &batches {
        let (columns, batch) =
            from_arrow(FRAME, batch, &HashMap::new(), rows).map_err(table_error)?;
        append_numbers(&columns, &batch, &mut values)?;
        rows += batch.rows() as u64;
    }
    Ok((names.clone(), array(py, values, rows as usize, names.len())?))
}

/// Adds the rows of a batch, its numbers and booleans.
fn append_numbers(columns: &[ColumnInfo], batch: &Batch, values: &mut Vec<f64>) -> PyResult<()> {
    let (first, width) = (values.len(), columns.len());
    values.resize(first + batch.rows() * width, 0.0);
    for (j, column) in columns.iter().enumerate() {
        let cells = batch.cells.column(j);
        let number: Box<dyn Fn(usize) -> f64> = match column.kind {
            ColumnKind::Number => {
                let numbers = cells.as_primitive::<Float64Type>();
                Box::new(|row| numbers.value(row))
            }
            ColumnKind::Boolean => {
                let booleans = cells.as_boolean();
                Box::new(|row| f64::from(u8::from(booleans.value(row))))
            }
            kind => return Err(not_numbers(&column.name, kind)),
        };
        for row in 0..batch.rows() {
            let value = if cells.is_null(row) { f64::NAN } else { number(row) };
            if !value.is_finite() {
                return Err(not_finite(batch.number(row), &column.name, value));
            }
            values[first + row * width + j] = value;
        }
    }
    Ok(())
}

fn not_numbers(column: &str, kind: ColumnKind) -> PyErr {
    let kind = kind.name();
    PyTypeError::new_err(format!(
        "column \"{column}\" of {FRAME} is {kind}; every column must be numbers: leave it out, or \
         encode it first, for example with scikit-learn's OneHotEncoder"
    ))
}

fn not_finite(row: u64, column: &str, value: f64) -> PyErr {
    let found = if value.is_nan() { "missing (NaN)".to_string() } else { value.to_string() };
    PyValueError::new_err(format!(
        "row {row}, column \"{column}\" of {FRAME} is {found}; every value must be finite (rows count \
         from 0)"
    ))
}
