//! Arrow arrays as numbers, as text and as dates, by what they store.

use std::fmt::{Debug, Display};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, Float16Type,
    Float32Type, Float64Type, Int64Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, Float64Array, PrimitiveArray, StringArray,
    downcast_integer_array, downcast_temporal_array,
};
use arrow_schema::DataType;

use super::{BadCell, each};
use crate::error::ColumnProblem;

/// Numbers of any type; NaN is missing.
pub(super) fn numbers(array: &ArrayRef) -> Float64Array {
    let array: &dyn Array = array.as_ref();
    downcast_integer_array!(
        array => { array.unary(|value| value as f64) }
        DataType::Float16 => floats::<Float16Type>(array, |value| value.to_f64()),
        DataType::Float32 => floats::<Float32Type>(array, f64::from),
        DataType::Float64 => floats::<Float64Type>(array, |value| value),
        DataType::Decimal32(..) => decimals::<Decimal32Type>(array),
        DataType::Decimal64(..) => decimals::<Decimal64Type>(array),
        DataType::Decimal128(..) => decimals::<Decimal128Type>(array),
        DataType::Decimal256(..) => decimals::<Decimal256Type>(array),
        _ => Float64Array::new_null(array.len()),
    )
}

/// Whether a cell is an integer that may be no float.
pub(crate) fn has_big_integers(array: &ArrayRef) -> bool {
    let array: &dyn Array = array.as_ref();
    let wide = |value: i128| value.unsigned_abs() >= 1 << f64::MANTISSA_DIGITS;
    match array.data_type() {
        DataType::Int64 => {
            array.as_primitive::<Int64Type>().iter().flatten().any(|v| wide(v.into()))
        }
        DataType::UInt64 => {
            array.as_primitive::<UInt64Type>().iter().flatten().any(|v| wide(v.into()))
        }
        DataType::Decimal64(_, 0) => {
            array.as_primitive::<Decimal64Type>().iter().flatten().any(|v| wide(v.into()))
        }
        DataType::Decimal128(_, 0) => {
            array.as_primitive::<Decimal128Type>().iter().flatten().any(wide)
        }
        DataType::Decimal256(_, 0) => array
            .as_primitive::<Decimal256Type>()
            .iter()
            .flatten()
            .any(|value| value.to_i128().is_none_or(wide)),
        _ => false,
    }
}

/// Numbers of any type as they are written: all digits of an integer or a decimal, the shortest
/// form of a float that reads back as the same.
pub(super) fn numbers_as_text(array: &ArrayRef) -> StringArray {
    let array: &dyn Array = array.as_ref();
    downcast_integer_array!(
        array => { written(array, Some) }
        DataType::Float16 => {
            written(array.as_primitive::<Float16Type>(), |v| (!v.is_nan()).then_some(v))
        },
        DataType::Float32 => {
            written(array.as_primitive::<Float32Type>(), |v| (!v.is_nan()).then_some(v))
        },
        DataType::Float64 => {
            written(array.as_primitive::<Float64Type>(), |v| (!v.is_nan()).then_some(v))
        },
        DataType::Decimal32(..) => decimal_text::<Decimal32Type>(array).collect(),
        DataType::Decimal64(..) => decimal_text::<Decimal64Type>(array).collect(),
        DataType::Decimal128(..) => decimal_text::<Decimal128Type>(array).collect(),
        DataType::Decimal256(..) => decimal_text::<Decimal256Type>(array).collect(),
        _ => StringArray::new_null(array.len()),
    )
}

fn floats<T: ArrowPrimitiveType>(
    array: &dyn Array,
    widen: impl Fn(T::Native) -> f64,
) -> Float64Array {
    array.as_primitive::<T>().unary_opt(|value| {
        let value = widen(value);
        (!value.is_nan()).then_some(value)
    })
}

fn written<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    present: impl Fn(T::Native) -> Option<T::Native>,
) -> StringArray
where
    T::Native: Display,
{
    array.iter().map(|cell| cell.and_then(&present).map(|value| value.to_string())).collect()
}

/// Decimals by way of their text: dividing by a power of ten would round twice.
fn decimals<T: DecimalType>(array: &dyn Array) -> Float64Array {
    decimal_text::<T>(array).map(|cell| cell.and_then(|text| text.parse::<f64>().ok())).collect()
}

fn decimal_text<T: DecimalType>(array: &dyn Array) -> impl Iterator<Item = Option<String>> {
    let array = array.as_primitive::<T>();
    (0..array.len()).map(|row| array.is_valid(row).then(|| array.value_as_string(row)))
}

/// Dates, times or both in ISO form; those beyond the calendar are missing and listed.
pub(super) fn dates(array: &ArrayRef, bad: &mut Vec<BadCell>) -> StringArray {
    let array: &dyn Array = array.as_ref();
    let data_type = array.data_type();
    let texts = downcast_temporal_array!(
        array => {
            each(rows(array), bad, |row| {
                let text = match data_type {
                    DataType::Date32 | DataType::Date64 => iso(array.value_as_date(row)),
                    DataType::Time32(_) | DataType::Time64(_) => iso(array.value_as_time(row)),
                    _ => iso(array.value_as_datetime(row)),
                };
                let value = || array.value(row).to_string();
                text.map(Some).ok_or_else(|| ColumnProblem::NotDate { value: value() })
            })
        }
        _ => vec![None; array.len()],
    );
    StringArray::from(texts)
}

/// The rows of an array that are not null.
fn rows(array: &dyn Array) -> impl Iterator<Item = Option<usize>> {
    (0..array.len()).map(|row| array.is_valid(row).then_some(row))
}

/// The ISO form, which is how these types are shown to programmers.
fn iso(moment: Option<impl Debug>) -> Option<String> {
    moment.map(|moment| format!("{moment:?}"))
}

/// Text of any of Arrow's layouts.
pub(super) fn text(array: &ArrayRef) -> StringArray {
    match array.data_type() {
        DataType::LargeUtf8 => array.as_string::<i64>().iter().collect(),
        DataType::Utf8View => array.as_string_view().iter().collect(),
        _ => array.as_string::<i32>().clone(),
    }
}
