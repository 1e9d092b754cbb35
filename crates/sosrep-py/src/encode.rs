//! Data frames as rows of a detector, by the recipe that its model file holds.
//!
//! Rows are counted from 0 in messages, as everywhere in Python. A row that cannot be scored is left
//! out and reported, so that the others are scored all the same.

use std::collections::HashMap;

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sosrep::SourceColumn;
use sosrep_table::{
    Batch, ColumnInfo, ColumnKind, Encoded, TableRecipe, Unscored, UnseenValues, from_arrow,
};

use crate::failure::{table_error, value_error};
use crate::matrix::array;
use crate::table::GivenTable;

/// What messages call the table.
pub(crate) const FRAME: &str = "the data frame";

/// Rows for a model; the numbers of those that were kept if others were left out; why they were;
/// remarks on values that the model has not seen.
pub(crate) type EncodedArrays<'py> =
    (Bound<'py, PyArray2<f64>>, Option<Bound<'py, PyArray1<usize>>>, Vec<String>, Vec<String>);

/// Rows of numbers, and what became of the others.
#[derive(Default)]
pub(crate) struct EncodedRows {
    pub(crate) values: Vec<f64>,
    /// Rows of the table that were kept, ascending.
    pub(crate) kept: Vec<usize>,
    /// Rows of the table.
    pub(crate) total: usize,
    /// The first row that was left out, and why.
    first_left_out: Option<String>,
    unseen: UnseenValues,
}

impl EncodedRows {
    /// The kept rows, if others were left out.
    pub(crate) fn selection<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<usize>>> {
        (self.kept.len() < self.total).then(|| self.kept.clone().into_pyarray(py))
    }

    pub(crate) fn into_python(self, py: Python<'_>, width: usize) -> PyResult<EncodedArrays<'_>> {
        let (selection, reasons) = (self.selection(py), self.reasons());
        let remarks = self.unseen.remarks();
        Ok((array(py, self.values, self.kept.len(), width)?, selection, reasons, remarks))
    }

    /// Why rows were left out.
    fn reasons(&self) -> Vec<String> {
        let others = self.total - self.kept.len().min(self.total - 1) - 1;
        let more = match others {
            0 => String::new(),
            1 => " (and 1 more row)".to_string(),
            _ => format!(" (and {others} more rows)"),
        };
        self.first_left_out.iter().map(|reason| format!("{reason}{more}")).collect()
    }
}

/// How a detector makes rows of a table.
pub(crate) fn recipe(detector: &sosrep::Detector) -> PyResult<TableRecipe> {
    let width = detector.preparation().input_columns();
    TableRecipe::of_attachment(detector.attachment(), detector.feature_names(), width)
        .map_err(|problem| value_error(sosrep::Error::BadModel(problem.to_string())))
}

/// Whether the features are the columns of the table, and these numbers.
pub(crate) fn is_plain(recipe: &TableRecipe) -> bool {
    let encoding = &recipe.encoding;
    let numbers = encoding.input_columns().iter().all(|column| column.kind == ColumnKind::Number);
    numbers && encoding.source_columns().iter().all(|source| *source == SourceColumn::Number)
}

/// The rows of a data frame by the recipe of a model.
pub(crate) fn encode<'py>(
    py: Python<'py>,
    recipe: &TableRecipe,
    table: &GivenTable,
) -> PyResult<EncodedArrays<'py>> {
    let rows = py
        .detach(|| {
            let (columns, batches) = cells(recipe, table)?;
            encode_batches(recipe, &columns, &batches)
        })
        .map_err(table_error)?;
    rows.into_python(py, recipe.encoding.width())
}

/// The features of the rows of a data frame that can be encoded.
pub(crate) fn values(
    py: Python<'_>,
    recipe: &TableRecipe,
    table: &GivenTable,
) -> PyResult<Vec<f64>> {
    let encoded = py.detach(|| {
        let (columns, batches) = cells(recipe, table)?;
        encode_batches(recipe, &columns, &batches)
    });
    Ok(encoded.map_err(table_error)?.values)
}

/// The columns of the model, of the kinds it takes.
pub(crate) fn cells(
    recipe: &TableRecipe,
    table: &GivenTable,
) -> sosrep_table::Result<(Vec<ColumnInfo>, Vec<Batch>)> {
    let columns = recipe.encoding.input_columns();
    let places =
        recipe.encoding.match_columns(FRAME, &columns_of(table), &recipe.spare_columns())?;
    let kinds = columns.iter().map(|column| (column.name.clone(), column.kind)).collect();
    let (mut batches, mut rows) = (Vec::new(), 0);
    for batch in &table.batches {
        let wanted = batch.project(&places).expect("the places are those of the batch");
        let (_, batch) = from_arrow(FRAME, &wanted, &kinds, rows)?;
        rows += batch.rows() as u64;
        batches.push(batch);
    }
    Ok((columns, batches))
}

/// An error unless the columns of the model are there, of the kinds they had in the fit.
pub(crate) fn check_types(recipe: &TableRecipe, table: &GivenTable) -> PyResult<()> {
    let (columns, found) = (recipe.encoding.input_columns(), columns_of(table));
    let places = recipe.encoding.match_columns(FRAME, &found, &recipe.spare_columns());
    let places = places.map_err(table_error)?;
    for batch in &table.batches {
        let wanted = batch.project(&places).expect("the places are those of the batch");
        let (natural, _) = from_arrow(FRAME, &wanted, &HashMap::new(), 0).map_err(table_error)?;
        for (expected, found) in columns.iter().zip(natural) {
            let is_big = expected.kind == ColumnKind::BigInteger;
            if found.kind != expected.kind && !(is_big && found.kind == ColumnKind::Number) {
                let words = format!(
                    "column {:?} is of type {} and was of type {} in the fit; convert it, or fit again",
                    found.name,
                    found.kind.name(),
                    expected.kind.name()
                );
                return Err(PyValueError::new_err(words));
            }
        }
    }
    Ok(())
}

/// The rows of batches that have these columns.
pub(crate) fn encode_batches(
    recipe: &TableRecipe,
    columns: &[ColumnInfo],
    batches: &[Batch],
) -> sosrep_table::Result<EncodedRows> {
    let encoding = &recipe.encoding;
    let places = encoding.match_columns(FRAME, columns, &recipe.spare_columns())?;
    let mut rows = EncodedRows::default();
    for batch in batches {
        let batch = batch.project(&places).expect("the places are those of the batch");
        let encoded = encoding.apply(FRAME, &batch)?;
        if rows.first_left_out.is_none() {
            rows.first_left_out = first_left_out(&encoded, &batch);
        }
        rows.kept.extend(encoded.kept.iter().map(|row| rows.total + row));
        rows.values.extend(encoded.values);
        rows.unseen.add(encoded.unseen);
        rows.total += batch.rows();
    }
    Ok(rows)
}

/// The columns of a table, of kinds that are not known yet.
pub(crate) fn columns_of(table: &GivenTable) -> Vec<ColumnInfo> {
    let column = |name: &String| ColumnInfo { name: name.clone(), kind: ColumnKind::Text };
    table.names.iter().map(column).collect()
}

/// Why the first row that is not among those kept is not.
fn first_left_out(encoded: &Encoded, batch: &Batch) -> Option<String> {
    if let Some(Unscored { row, column, problem }) = encoded.unscored.first() {
        return Some(format!("{}, column \"{column}\": {problem}", batch.place(*row)));
    }
    let row = (0..batch.rows()).find(|&row| encoded.kept.get(row) != Some(&row))?;
    let schema = batch.cells.schema();
    let mut cells = batch.cells.columns().iter().zip(schema.fields());
    let column = cells.find(|(array, _)| array.is_null(row)).map(|(_, field)| field.name());
    let column = column.map(String::as_str).unwrap_or_default();
    Some(format!("{}, column \"{column}\": the value is missing", batch.place(row)))
}
