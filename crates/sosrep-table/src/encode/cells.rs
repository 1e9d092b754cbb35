//! Checks of a batch, made once, so that its arrays can be read without further checks.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_schema::Field;

use crate::batch::{Batch, ColumnKind};
use crate::error::{Error, Place, Result};

/// An error unless the batch has these columns, and no others, in this order.
pub(super) fn expect_columns<'a>(
    file: &str,
    batch: &Batch,
    columns: impl Iterator<Item = (&'a str, ColumnKind)>,
) -> Result<()> {
    let schema = batch.cells.schema();
    let mut fields = schema.fields().iter();
    let mut columns = columns;
    for position in 1.. {
        let (expected, found) = (columns.next(), fields.next());
        match (expected, found) {
            (None, None) => break,
            (Some((name, kind)), Some(field))
                if name == field.name() && kind.data_type() == *field.data_type() => {}
            _ => return Err(unexpected(file, position, expected, found.map(AsRef::as_ref))),
        }
    }
    Ok(())
}

fn unexpected(
    file: &str,
    position: usize,
    expected: Option<(&str, ColumnKind)>,
    found: Option<&Field>,
) -> Error {
    let nothing = || "no such column".to_string();
    Error::UnexpectedCells {
        file: file.to_string(),
        position,
        expected: expected.map_or_else(nothing, |(name, kind)| format!("{} {name:?}", kind.name())),
        found: found
            .map_or_else(nothing, |field| format!("{} {:?}", field.data_type(), field.name())),
    }
}

/// The first number in a column of the batch that is not finite, and its place.
pub(super) fn first_infinite(batch: &Batch, position: usize) -> Option<(Place, f64)> {
    let numbers = batch.cells.column(position).as_primitive::<Float64Type>();
    // Missing cells may hold anything, so the fast test can fail without cause; the slow one decides.
    if numbers.values().iter().all(|value| value.is_finite()) {
        return None;
    }
    let infinite = |row: &usize| numbers.is_valid(*row) && !numbers.value(*row).is_finite();
    let row = (0..numbers.len()).find(infinite)?;
    Some((batch.place(row), numbers.value(row)))
}

/// The first missing cell of a batch, row by row: its row and column.
pub(super) fn first_missing(batch: &Batch) -> Option<(usize, usize)> {
    let first = |array: &dyn Array| (0..array.len()).find(|&row| array.is_null(row));
    let columns = batch.cells.columns().iter().enumerate();
    columns
        .filter(|(_, array)| array.null_count() > 0)
        .filter_map(|(column, array)| Some((first(array)?, column)))
        .min()
}
