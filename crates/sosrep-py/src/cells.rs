//! Cells of a table for Python: as columns, and as a person reads them.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyList;

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
    let list = match cells.as_boolean_opt() {
        Some(booleans) => PyList::new(py, booleans.iter().collect::<Vec<Option<bool>>>())?,
        None => PyList::new(py, cells.as_string::<i32>().iter().collect::<Vec<Option<&str>>>())?,
    };
    Ok(list.into_any())
}

/// The cells of each column as text; `None` where a value is missing.
pub(crate) fn texts(cells: &RecordBatch) -> Vec<Vec<Option<String>>> {
    cells.columns().iter().map(column_texts).collect()
}

fn column_texts(cells: &ArrayRef) -> Vec<Option<String>> {
    if let Some(numbers) = cells.as_primitive_opt::<Float64Type>() {
        return numbers.iter().map(|cell| cell.map(|value| value.to_string())).collect();
    }
    if let Some(booleans) = cells.as_boolean_opt() {
        return booleans.iter().map(|cell| cell.map(|value| value.to_string())).collect();
    }
    let text = cells.as_string::<i32>();
    (0..text.len()).map(|row| text.is_valid(row).then(|| text.value(row).to_string())).collect()
}
