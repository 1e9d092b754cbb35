//! Arrow arrays of any type of number, boolean, text or date, as the three types of a batch.
//!
//! [`from_arrow`] takes what another library holds in memory; files of Arrow's own and related
//! formats come the same way.
//!
//! Numbers of any width become `Float64`; a NaN is missing. Integers beyond ±2⁵³ are rounded unless the
//! column is wanted as [`ColumnKind::BigInteger`], see [`big_integers`]. Dates and
//! times become text in ISO form, time zones left aside: the clock shows UTC. Dictionaries become
//! the values they stand for.
//!
//! A column may be wanted as another kind than it is. Numbers as text are written exactly, so that
//! an identifier keeps all its digits. Text is read as numbers or booleans the way CSV is, marks of
//! missing values among it. Booleans as numbers are 0 and 1; of numbers only those are booleans.
//! Text wanted as text is taken as it is, since these formats have their own way to say that a
//! value is missing.

mod natural;

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};

use crate::batch::{Batch, ColumnInfo, ColumnKind, Unreadable};
use crate::cell;
use crate::error::{ColumnProblem, Error, Result};
use crate::table::{Table, named};
pub(crate) use natural::has_big_integers;
use natural::{dates, numbers, numbers_as_text, text};

/// Rows of any types as a batch, and what its columns are.
///
/// `table` is the name messages give to the whole, `first_row` the number of the first row in it,
/// from 1. A column in `kinds` is wanted as that kind, the others stay what they are by nature.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int32Array, RecordBatch};
/// use sosrep_table::{ColumnKind, from_arrow};
///
/// let zip: ArrayRef = Arc::new(Int32Array::from(vec![10115, 80331]));
/// let rows = RecordBatch::try_from_iter([("zip", zip)]).unwrap();
/// let kinds = HashMap::from([("zip".to_string(), ColumnKind::Text)]);
/// let (columns, batch) = from_arrow("addresses", &rows, &kinds, 1)?;
/// assert_eq!((columns[0].name.as_str(), columns[0].kind), ("zip", ColumnKind::Text));
/// assert_eq!(batch.rows(), 2);
/// # Ok::<(), sosrep_table::Error>(())
/// ```
///
/// # Errors
/// [`Error::Column`] for a column that is neither number, boolean, text nor date, [`Error::File`]
/// for columns without or of the same name. A cell that is not of the kind wanted is missing, and
/// listed in [`Batch::unreadable`].
///
/// # Panics
/// If the arrays are inconsistent, which Arrow does not build.
pub fn from_arrow(
    table: &str,
    rows: &RecordBatch,
    kinds: &HashMap<String, ColumnKind>,
    first_row: u64,
) -> Result<(Vec<ColumnInfo>, Batch)> {
    let columns = columns(table, rows.schema_ref(), |name| kinds.get(name).copied())?;
    let cells = columns.iter().zip(rows.columns());
    let cells = cells.map(|(column, array)| column_cells(table, column, array));
    let cells = cells.collect::<Result<Vec<_>>>()?;
    let mut table = Table::new(table.to_string(), columns);
    table.next_row = first_row;
    let batch = with_unreadable(cells, |arrays| table.batch(arrays, rows.num_rows()))?;
    Ok((table.columns, batch))
}

/// The columns of which a cell is an integer beyond ±2⁵³, as kinds for [`from_arrow`]: as numbers such
/// cells would be rounded. Of a table in several pieces, ask for each and put the answers together.
pub fn big_integers(rows: &RecordBatch) -> HashMap<String, ColumnKind> {
    let columns = rows.schema_ref().fields().iter().zip(rows.columns());
    let big = columns.filter(|(_, array)| has_big_integers(array));
    big.map(|(field, _)| (field.name().clone(), ColumnKind::BigInteger)).collect()
}

/// The columns of a schema: of the kind that `wanted` gives for their names, or of their nature. A
/// type that is not read is listed as text.
///
/// # Errors
/// [`Error::File`] for columns without or of the same name.
pub(crate) fn columns(
    table: &str,
    schema: &Schema,
    wanted: impl Fn(&str) -> Option<ColumnKind>,
) -> Result<Vec<ColumnInfo>> {
    let names = schema.fields().iter().map(|field| field.name().clone()).collect();
    let column = |(name, field): (String, &Arc<Field>)| {
        let kind = wanted(&name).or_else(|| natural_kind(field.data_type()));
        ColumnInfo { kind: kind.unwrap_or(ColumnKind::Text), name }
    };
    Ok(named(table, names)?.into_iter().zip(schema.fields()).map(column).collect())
}

/// The cells of a column in the form of a batch, and those that could not be read.
pub(crate) type Cells = (ArrayRef, Vec<BadCell>);

/// The cells of a column.
///
/// # Errors
/// [`Error::Column`] for a type that is not read.
pub(crate) fn column_cells(table: &str, column: &ColumnInfo, array: &ArrayRef) -> Result<Cells> {
    if natural_kind(array.data_type()).is_none() {
        let problem = ColumnProblem::Type { found: array.data_type().to_string() };
        return Err(Error::column(table, None, &column.name, problem));
    }
    let mut bad = Vec::new();
    let array = convert(array, column.kind, &mut bad);
    Ok((array, bad))
}

/// The batch of some columns, with the cells that could not be read.
pub(crate) fn with_unreadable(
    cells: Vec<Cells>,
    batch: impl FnOnce(Vec<ArrayRef>) -> Result<Batch>,
) -> Result<Batch> {
    let (arrays, bad): (Vec<_>, Vec<_>) = cells.into_iter().unzip();
    let mut batch = batch(arrays)?;
    let of_column = |(column, cells): (usize, Vec<BadCell>)| {
        cells.into_iter().map(move |BadCell { row, problem }| Unreadable { row, column, problem })
    };
    batch.unreadable = bad.into_iter().enumerate().flat_map(of_column).collect();
    batch.unreadable.sort_by_key(|cell| (cell.row, cell.column));
    Ok(batch)
}

/// A cell that cannot be converted, and its row in the array.
#[derive(Debug, PartialEq)]
pub(crate) struct BadCell {
    row: usize,
    problem: ColumnProblem,
}

/// The kind of a column of this type; `None` for types that are not read.
fn natural_kind(data_type: &DataType) -> Option<ColumnKind> {
    use DataType::*;
    match data_type {
        Null => Some(ColumnKind::Number),
        Boolean => Some(ColumnKind::Boolean),
        Utf8 | LargeUtf8 | Utf8View => Some(ColumnKind::Text),
        Date32 | Date64 | Timestamp(..) | Time32(_) | Time64(_) => Some(ColumnKind::Date),
        Dictionary(_, values) => natural_kind(values),
        other => other.is_numeric().then_some(ColumnKind::Number),
    }
}

/// The cells as an array of a batch; those that are not of the kind, or beyond the calendar, are
/// missing there and listed.
///
/// # Panics
/// If the type has no [`natural_kind`], or the array is inconsistent.
fn convert(array: &ArrayRef, kind: ColumnKind, bad: &mut Vec<BadCell>) -> ArrayRef {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let values = arrow_select::take::take(dictionary.values(), dictionary.keys(), None)
            .expect("keys of a checked dictionary are those of its values");
        return convert(&values, kind, bad);
    }
    let as_text = kind.data_type() == DataType::Utf8;
    match natural_kind(array.data_type()) {
        Some(ColumnKind::Number) if as_text => Arc::new(numbers_as_text(array)),
        Some(ColumnKind::Number) => from_numbers(numbers(array), kind, bad),
        Some(ColumnKind::Boolean) => from_booleans(array.as_boolean(), kind),
        Some(ColumnKind::Date) => from_text(dates(array, bad), kind, bad),
        _ => from_text(text(array), kind, bad),
    }
}

fn from_numbers(numbers: Float64Array, kind: ColumnKind, bad: &mut Vec<BadCell>) -> ArrayRef {
    if kind != ColumnKind::Boolean {
        return Arc::new(numbers);
    }
    let booleans = each(numbers.iter(), bad, |value| match value {
        0.0 => Ok(Some(false)),
        1.0 => Ok(Some(true)),
        _ => Err(ColumnProblem::NotBoolean { value: value.to_string() }),
    });
    Arc::new(BooleanArray::from(booleans))
}

fn from_booleans(booleans: &BooleanArray, kind: ColumnKind) -> ArrayRef {
    let cells = booleans.iter();
    match kind {
        ColumnKind::Boolean => Arc::new(booleans.clone()),
        ColumnKind::Number => {
            Arc::new(cells.map(|cell| cell.map(f64::from)).collect::<Float64Array>())
        }
        ColumnKind::Text | ColumnKind::Date | ColumnKind::BigInteger => {
            let word = |cell: bool| if cell { "true" } else { "false" };
            Arc::new(cells.map(|cell| cell.map(word)).collect::<StringArray>())
        }
    }
}

fn from_text(text: StringArray, kind: ColumnKind, bad: &mut Vec<BadCell>) -> ArrayRef {
    match kind {
        ColumnKind::Text | ColumnKind::Date | ColumnKind::BigInteger => Arc::new(text),
        ColumnKind::Number => {
            let numbers = each(text.iter(), bad, |text| match cell::number(text.as_bytes()) {
                Some(value) => Ok((!value.is_nan()).then_some(value)),
                None if cell::is_missing(text.as_bytes()) => Ok(None),
                None => Err(ColumnProblem::NotNumber { value: text.trim().to_string() }),
            });
            Arc::new(Float64Array::from(numbers))
        }
        ColumnKind::Boolean => {
            let booleans = each(text.iter(), bad, |text| match cell::boolean(text.as_bytes()) {
                Some(value) => Ok(Some(value)),
                None if cell::is_missing(text.as_bytes()) => Ok(None),
                None => Err(ColumnProblem::NotBoolean { value: text.trim().to_string() }),
            });
            Arc::new(BooleanArray::from(booleans))
        }
    }
}

/// The present cells converted one by one; the others stay missing.
fn each<A, B>(
    cells: impl Iterator<Item = Option<A>>,
    bad: &mut Vec<BadCell>,
    convert: impl Fn(A) -> Result<Option<B>, ColumnProblem>,
) -> Vec<Option<B>> {
    let convert = |(row, cell): (usize, Option<A>)| {
        convert(cell?).unwrap_or_else(|problem| {
            bad.push(BadCell { row, problem });
            None
        })
    };
    cells.enumerate().map(convert).collect()
}

#[cfg(test)]
mod tests;
