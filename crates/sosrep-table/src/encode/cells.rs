//! Checks of a batch, made once, so that its arrays can be read without further checks.

use arrow_schema::Field;

use crate::batch::{Batch, ColumnKind};
use crate::error::{Error, Result};

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
