//! The columns of a batch by type, for the formats that are written cell by cell.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{
    Array, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use arrow_schema::{DataType, Schema};

use crate::error::{Error, Result};

/// A column.
pub(super) enum Cells<'a> {
    Float(&'a Float64Array),
    Integer(&'a Int64Array),
    Unsigned(&'a UInt64Array),
    Boolean(&'a BooleanArray),
    Text(&'a StringArray),
}

/// A cell that is not missing.
pub(super) enum Cell<'a> {
    Float(f64),
    Integer(i64),
    Unsigned(u64),
    Boolean(bool),
    Text(&'a str),
}

impl<'a> Cells<'a> {
    /// The columns of a batch.
    pub(super) fn of(file: &str, batch: &'a RecordBatch) -> Result<Vec<Self>> {
        expect_supported(file, &batch.schema())?;
        Ok(batch.columns().iter().filter_map(|array| Self::typed(array)).collect())
    }

    fn typed(array: &'a dyn Array) -> Option<Self> {
        match array.data_type() {
            DataType::Float64 => array.as_primitive_opt::<Float64Type>().map(Self::Float),
            DataType::Int64 => array.as_primitive_opt::<Int64Type>().map(Self::Integer),
            DataType::UInt64 => array.as_primitive_opt::<UInt64Type>().map(Self::Unsigned),
            DataType::Boolean => array.as_boolean_opt().map(Self::Boolean),
            _ => array.as_string_opt().map(Self::Text),
        }
    }

    /// The cell of a row; `None` if it is missing.
    pub(super) fn get(&self, row: usize) -> Option<Cell<'a>> {
        match self {
            Self::Float(array) => array.is_valid(row).then(|| Cell::Float(array.value(row))),
            Self::Integer(array) => array.is_valid(row).then(|| Cell::Integer(array.value(row))),
            Self::Unsigned(array) => array.is_valid(row).then(|| Cell::Unsigned(array.value(row))),
            Self::Boolean(array) => array.is_valid(row).then(|| Cell::Boolean(array.value(row))),
            Self::Text(array) => array.is_valid(row).then(|| Cell::Text(array.value(row))),
        }
    }
}

/// An error unless every column is of a type that is written.
pub(super) fn expect_supported(file: &str, schema: &Schema) -> Result<()> {
    use DataType::{Boolean, Float64, Int64, UInt64, Utf8};
    let supported = |kind: &DataType| matches!(kind, Float64 | Int64 | UInt64 | Boolean | Utf8);
    match schema.fields().iter().find(|field| !supported(field.data_type())) {
        None => Ok(()),
        Some(field) => Err(Error::UnsupportedColumn {
            file: file.to_string(),
            column: field.name().clone(),
            kind: field.data_type().to_string(),
        }),
    }
}
