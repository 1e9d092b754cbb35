//! Cells of a table for Python: as columns, and as a person reads them.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{ArrayRef, RecordBatch};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyList;
use sosrep_table::{Batch, Encoding, Value};

/// Texts of cells, column by column.
pub(crate) type Texts = Vec<Vec<String>>;

/// Names and columns: numbers as an array with NaN for what is missing, others as lists with None.
pub(crate) type Columns<'py> = Vec<(String, Bound<'py, PyAny>)>;

/// The columns of a batch of floats, booleans and text.
pub(crate) fn columns<'py>(py: Python<'py>, cells: &RecordBatch) -> PyResult<Columns<'py>> {
    let schema = cells.schema();
    let named = schema.fields().iter().zip(cells.columns());
    named.map(|(field, array)| Ok((field.name().clone(), column(py, array)?))).collect()
}

fn column<'py>(py: Python<'py>, cells: &ArrayRef) -> PyResult<Bound<'py, PyAny>> {
    if let Some(numbers) = cells.as_primitive_opt::<Float64Type>() {
        let values: Vec<f64> = numbers.iter().map(|cell| cell.unwrap_or(f64::NAN)).collect();
        return Ok(values.into_pyarray(py).into_any());
    }
    if let Some(integers) = cells.as_primitive_opt::<Int64Type>() {
        let value = |cell: Option<i64>| cell.map_or(f64::NAN, |value| value as f64);
        return Ok(integers.iter().map(value).collect::<Vec<f64>>().into_pyarray(py).into_any());
    }
    let list = match cells.as_boolean_opt() {
        Some(booleans) => PyList::new(py, booleans.iter().collect::<Vec<Option<bool>>>())?,
        None => PyList::new(py, cells.as_string::<i32>().iter().collect::<Vec<Option<&str>>>())?,
    };
    Ok(list.into_any())
}

/// The cells of each input column as a person reads them.
pub(crate) fn texts(columns: usize, batches: &[Batch]) -> Texts {
    let column = |column: usize| {
        let cells = batches.iter().flat_map(move |batch| batch.texts(column));
        cells.map(|cell| cell.unwrap_or_else(|| Value::Missing.to_string())).collect()
    };
    (0..columns).map(column).collect()
}

/// What rows of numbers stand for, in each input column; a date of several parts has them all.
pub(crate) fn decoded_texts(encoding: &Encoding, values: &[f64]) -> Texts {
    let mut texts = vec![Vec::new(); encoding.input_columns().len()];
    let sources = encoding.column_features();
    for row in values.chunks_exact(encoding.width()) {
        for (column, texts) in texts.iter_mut().enumerate() {
            let parts = sources.iter().filter(|source| source.column == column);
            let parts = parts.map(|source| encoding.value(source, row).to_string());
            texts.push(parts.collect::<Vec<_>>().join(", "));
        }
    }
    texts
}

/// Contributions of the source columns, summed by input column: a date may be several of them.
pub(crate) fn by_column(encoding: &Encoding, contributions: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; encoding.input_columns().len()];
    let pairs = contributions.iter().zip(encoding.column_features());
    pairs.for_each(|(value, source)| sums[source.column] += value);
    sums
}

/// The input columns of which every source column is among the constant ones.
pub(crate) fn constant_columns(encoding: &Encoding, constant_sources: &[usize]) -> Vec<usize> {
    let sources = encoding.column_features();
    let varies = |column: usize| {
        let mut sources = sources.iter().enumerate().filter(|(_, source)| source.column == column);
        sources.any(|(place, _)| !constant_sources.contains(&place))
    };
    (0..encoding.input_columns().len()).filter(|&column| !varies(column)).collect()
}
