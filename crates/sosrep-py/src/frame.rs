//! Data frames: Arrow tables as rows of numbers, plain ones or by a model's own recipe.
//!
//! Rows are counted from 0 in messages, as everywhere in Python.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use numpy::PyArray2;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use sosrep_table::{Batch, ColumnInfo, ColumnKind, TableRecipe, UnseenValues, from_arrow};

use crate::failure::{table_error, value_error};
use crate::matrix::array;

/// What messages call the table.
const FRAME: &str = "the data frame";

/// Rows for a model, and remarks on values it has not seen.
pub(crate) type Encoded<'py> = (Bound<'py, PyArray2<f64>>, Vec<String>);

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

/// How a detector makes rows of a table.
pub(crate) fn recipe(detector: &sosrep::Detector) -> PyResult<TableRecipe> {
    let width = detector.preparation().input_columns();
    TableRecipe::of_attachment(detector.attachment(), detector.feature_names(), width)
        .map_err(|problem| value_error(sosrep::Error::BadModel(problem.to_string())))
}

/// The rows of a data frame by the recipe of a model.
pub(crate) fn encode<'py>(
    py: Python<'py>,
    recipe: &TableRecipe,
    table: PyTable,
) -> PyResult<Encoded<'py>> {
    let encoding = &recipe.encoding;
    let (batches, schema) = table.into_inner();
    let found: Vec<ColumnInfo> = schema.fields().iter().map(|field| named(field.name())).collect();
    let places =
        encoding.match_columns(FRAME, &found, &recipe.spare_columns()).map_err(table_error)?;
    let wanted = encoding.input_columns().into_iter();
    let kinds = wanted.map(|column| (column.name, column.kind)).collect();
    let (mut values, mut unseen, mut rows) = (Vec::new(), UnseenValues::default(), 0);
    for batch in &batches {
        let (_, batch) =
            from_arrow(FRAME, &projected(batch, &places)?, &kinds, rows).map_err(table_error)?;
        let encoded = encoding.apply(FRAME, &batch).map_err(table_error)?;
        if let Some(row) = first_dropped(&encoded.kept, batch.rows()) {
            return Err(PyValueError::new_err(format!(
                "row {} of {FRAME} has a missing value, and the model leaves such rows out; leave it \
                 out of the frame (rows count from 0)",
                rows + row as u64
            )));
        }
        values.extend(encoded.values);
        unseen.add(encoded.unseen);
        rows += batch.rows() as u64;
    }
    Ok((array(py, values, rows as usize, encoding.width())?, unseen.remarks()))
}

/// A column of a kind that is not known yet.
fn named(name: &str) -> ColumnInfo {
    ColumnInfo { name: name.to_string(), kind: ColumnKind::Text }
}

fn projected(batch: &RecordBatch, places: &[usize]) -> PyResult<RecordBatch> {
    batch.project(places).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The first row that is not among those kept.
fn first_dropped(kept: &[usize], rows: usize) -> Option<usize> {
    (0..rows).find(|&row| kept.get(row) != Some(&row))
}
