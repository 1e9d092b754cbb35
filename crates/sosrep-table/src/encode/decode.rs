//! Back from rows of numbers to a table: the values nearest to the numbers.
//!
//! One-hot: the value with the largest number. Frequency: the value with the nearest share, which
//! is not the value that was encoded where two have the same share. Boolean: true from ½ on. The
//! first value wins a tie. Cost: a pass over the values of a text column for every row.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};

use super::Encoding;
use super::cells::data_type;
use super::column::{Column, How};
use crate::error::{Error, Result};

impl Encoding {
    /// A table of the [input columns](Self::input_columns) from encoded rows, one after another.
    ///
    /// # Errors
    /// [`Error::RaggedValues`] unless the values fill rows.
    pub fn decode(&self, values: &[f64]) -> Result<RecordBatch> {
        let width = self.width();
        if width == 0 || !values.len().is_multiple_of(width) {
            return Err(Error::RaggedValues { values: values.len(), width });
        }
        let (mut offset, mut arrays, mut fields) = (0, Vec::new(), Vec::new());
        for column in &self.columns {
            let end = offset + column.width();
            let cells = values.chunks_exact(width).map(|row| &row[offset..end]);
            arrays.push(decode_column(column, cells));
            fields.push(Field::new(&column.name, data_type(column.kind()), true));
            offset = end;
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
            .map_err(|error| Error::BadEncoding(error.to_string()))
    }
}

fn decode_column<'a>(column: &Column, cells: impl Iterator<Item = &'a [f64]>) -> ArrayRef {
    match &column.how {
        How::Number { .. } => Arc::new(cells.map(|cell| Some(cell[0])).collect::<Float64Array>()),
        How::Boolean { .. } => {
            Arc::new(cells.map(|cell| Some(cell[0] >= 0.5)).collect::<BooleanArray>())
        }
        How::Onehot { values, .. } => {
            let value = |cell: &[f64]| {
                nearest(values.iter().zip(cell).map(|(value, number)| (-number, value)))
            };
            Arc::new(cells.map(value).collect::<StringArray>())
        }
        How::Frequency { shares, .. } => {
            let value = |cell: &[f64]| {
                nearest(shares.iter().map(|(value, share)| ((share - cell[0]).abs(), value)))
            };
            Arc::new(cells.map(value).collect::<StringArray>())
        }
    }
}

/// The value at the smallest distance, the first in order at a tie.
fn nearest<'a>(values: impl Iterator<Item = (f64, &'a String)>) -> Option<&'a str> {
    let nearest = values.min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    nearest.map(|(_, value)| value.as_str())
}
