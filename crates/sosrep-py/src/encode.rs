//! Data frames as rows of a detector, by the recipe that its model file holds.
//!
//! Rows are counted from 0 in messages, as everywhere in Python. A row that cannot be scored is left
//! out and reported, so that the others are scored all the same.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use sosrep_table::{
    Batch, ColumnInfo, ColumnKind, Feature, Meaning, TableRecipe, UnseenValues, from_arrow,
};

use crate::failure::{table_error, value_error};
use crate::matrix::array;
use crate::table::GivenTable;

/// What messages call the table.
pub(crate) const FRAME: &str = "the data frame";

/// Rows for a model; the numbers of those that were kept if others were left out; why they were;
/// remarks on values that the model has not seen.
pub(crate) type Encoded<'py> =
    (Bound<'py, PyArray2<f64>>, Option<Bound<'py, PyArray1<usize>>>, Vec<String>, Vec<String>);

/// Rows of numbers, and what became of the others.
#[derive(Default)]
pub(crate) struct EncodedRows {
    pub(crate) values: Vec<f64>,
    /// Rows of the table that were kept, ascending.
    pub(crate) kept: Vec<usize>,
    /// Rows of the table.
    pub(crate) total: usize,
    /// The first row that was left out, and the first of its columns without a value.
    first_left_out: Option<(usize, String)>,
    unseen: UnseenValues,
}

impl EncodedRows {
    /// The kept rows, if others were left out.
    pub(crate) fn selection<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<usize>>> {
        (self.kept.len() < self.total).then(|| self.kept.clone().into_pyarray(py))
    }

    pub(crate) fn into_python(self, py: Python<'_>, width: usize) -> PyResult<Encoded<'_>> {
        let (selection, reasons) = (self.selection(py), self.reasons());
        let remarks = self.unseen.remarks();
        Ok((array(py, self.values, self.kept.len(), width)?, selection, reasons, remarks))
    }

    /// Why rows were left out.
    fn reasons(&self) -> Vec<String> {
        let reason = |(row, column): &(usize, String)| {
            let others = self.total - self.kept.len() - 1;
            let others =
                if others > 0 { format!(" (and {others} more rows)") } else { String::new() };
            format!("row {row}, column \"{column}\" is missing{others}")
        };
        self.first_left_out.iter().map(reason).collect()
    }
}

/// How a detector makes rows of a table.
pub(crate) fn recipe(detector: &sosrep::Detector) -> PyResult<TableRecipe> {
    let width = detector.preparation().input_columns();
    TableRecipe::of_attachment(detector.attachment(), detector.feature_names(), width)
        .map_err(|problem| value_error(sosrep::Error::BadModel(problem.to_string())))
}

/// The column of the table that each feature comes from.
pub(crate) fn sources(recipe: &TableRecipe) -> Vec<usize> {
    recipe.encoding.features().iter().map(|feature| feature.column).collect()
}

/// Whether the features are the columns of the table, and these numbers.
pub(crate) fn is_plain(recipe: &TableRecipe) -> bool {
    let features = recipe.encoding.features();
    let is_number = |(j, feature): (usize, &Feature)| {
        feature.column == j && matches!(feature.meaning, Meaning::Number)
    };
    features.iter().enumerate().all(is_number)
}

/// The rows of a data frame by the recipe of a model.
pub(crate) fn encode<'py>(
    py: Python<'py>,
    recipe: &TableRecipe,
    table: &GivenTable,
) -> PyResult<Encoded<'py>> {
    let rows = py
        .detach(|| {
            let (columns, batches) = cells(recipe, table)?;
            encode_batches(recipe, &columns, &batches)
        })
        .map_err(table_error)?;
    rows.into_python(py, recipe.encoding.width())
}

/// The columns of the model, of the kinds it takes.
pub(crate) fn cells(
    recipe: &TableRecipe,
    table: &GivenTable,
) -> sosrep_table::Result<(Vec<ColumnInfo>, Vec<Batch>)> {
    let columns = recipe.encoding.input_columns();
    let found: Vec<ColumnInfo> = table.names.iter().map(|name| named(name)).collect();
    let places = recipe.encoding.match_columns(FRAME, &found, &recipe.spare_columns())?;
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
        let batch = projected(batch, &places);
        let encoded = encoding.apply(FRAME, &batch)?;
        if rows.first_left_out.is_none() {
            let left_out = first_left_out(&encoded.kept, batch.rows());
            rows.first_left_out =
                left_out.map(|row| (rows.total + row, first_missing(&batch, columns, row)));
        }
        rows.kept.extend(encoded.kept.iter().map(|row| rows.total + row));
        rows.values.extend(encoded.values);
        rows.unseen.add(encoded.unseen);
        rows.total += batch.rows();
    }
    Ok(rows)
}

fn projected(batch: &Batch, places: &[usize]) -> Batch {
    let cells = batch.cells.project(places).expect("the places are those of the batch");
    Batch { cells, numbers: batch.numbers.clone(), lines: batch.lines.clone() }
}

/// A column of a kind that is not known yet.
fn named(name: &str) -> ColumnInfo {
    ColumnInfo { name: name.to_string(), kind: ColumnKind::Text }
}

/// The first row that is not among those kept.
fn first_left_out(kept: &[usize], rows: usize) -> Option<usize> {
    (0..rows).find(|&row| kept.get(row) != Some(&row))
}

/// The first column without a value in a row.
fn first_missing(batch: &Batch, columns: &[ColumnInfo], row: usize) -> String {
    let cells = batch.cells.columns().iter();
    let missing = cells.zip(columns).find(|(array, _)| array.is_null(row));
    missing.map(|(_, column)| column.name.clone()).unwrap_or_default()
}
