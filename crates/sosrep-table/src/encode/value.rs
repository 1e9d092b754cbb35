//! From numbers back to cells: what a person would write in the table.
//!
//! The value nearest to the numbers. A category: the value with the largest number. Frequency: the
//! value with the nearest share, which is not the value that was encoded where two have the same
//! share. Two values: the second from ½ on, and a number is missing from ½ on. The first value wins a
//! tie. Cost: a pass over the values of a text column for every row.

use std::collections::HashMap;
use std::f64::consts::TAU;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};
use sosrep::SourceColumn;

use super::Encoding;
use super::column::{Category, Column, ColumnEncoder, Cycle, Dated, NumberRange, Source, Wave};
use crate::date::{iso, iso_time};
use crate::error::{Error, Result};

/// A source column of an encoding: what counts as one column, and its numbers in an encoded row.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnFeatures {
    /// Its name: that of the column of the table, for a part of a date with the part.
    pub name: String,
    /// The column it comes from: an index into [`Encoding::input_columns`].
    pub column: usize,
    /// What the core knows of it.
    pub source: SourceColumn,
    /// Its numbers in an encoded row.
    pub features: Range<usize>,
    /// The wave of a cycle.
    wave: Option<(Cycle, Wave)>,
}

/// What encoded numbers stand for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// A number.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// A text.
    Text(&'a str),
    /// A date, perhaps with a time, in ISO form.
    Date(String),
    /// A text with about this share of the training rows.
    Share(f64),
    /// A text that has no number of its own: rare in training, or not there at all.
    Other,
    /// Nothing.
    Missing,
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) | Self::Share(number) => number.fmt(f),
            Self::Boolean(value) => value.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Date(date) => f.write_str(date),
            Self::Other => f.write_str("other"),
            Self::Missing => f.write_str("missing"),
        }
    }
}

impl Encoding {
    /// What the numbers of a row stand for, as the core takes it: in the order of the features.
    pub fn source_columns(&self) -> Vec<SourceColumn> {
        self.column_features().into_iter().map(|column| column.source).collect()
    }

    /// The source columns with their names and places, in the order of the features.
    pub fn column_features(&self) -> Vec<ColumnFeatures> {
        let mut start = 0;
        let mut found = Vec::new();
        for (column, parts) in self.columns.iter().enumerate() {
            for Source { name, source, wave } in parts.sources() {
                let features = start..start + source.features();
                start = features.end;
                found.push(ColumnFeatures { name, column, source, features, wave });
            }
        }
        found
    }

    /// What an encoded row says about one of the [source columns](Self::column_features).
    ///
    /// # Panics
    /// If the row is shorter than [`width`](Self::width), or the source column of another encoding.
    pub fn value(&self, column: &ColumnFeatures, row: &[f64]) -> Value<'_> {
        match column.wave {
            Some((cycle, wave)) => cycle_value(cycle, wave, column, row),
            None => self.columns[column.column].encoder.value(&row[column.features.clone()]),
        }
    }

    /// A table of the [input columns](Self::input_columns) from encoded rows, one after another:
    /// the values nearest to the numbers. Numbers stay within the range of the training table, and
    /// integers integers. A date of which only cycles are known is missing.
    ///
    /// # Errors
    /// [`Error::RaggedValues`] unless the values fill rows.
    pub fn decode(&self, values: &[f64]) -> Result<RecordBatch> {
        let width = self.width();
        if width == 0 || !values.len().is_multiple_of(width) {
            return Err(Error::RaggedValues { values: values.len(), width });
        }
        let (mut offset, mut arrays, mut fields) = (0, Vec::new(), Vec::new());
        for Column { name, encoder } in &self.columns {
            let end = offset + encoder.width();
            let array = encoder.decode(values.chunks_exact(width).map(|row| &row[offset..end]));
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
            offset = end;
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
            .map_err(|error| Error::BadEncoding(error.to_string()))
    }
}

impl ColumnEncoder {
    /// The cell whose encoded form is nearest to these numbers.
    fn value(&self, numbers: &[f64]) -> Value<'_> {
        let missing = |gaps: &bool| *gaps && numbers[1] >= 0.5;
        let second = numbers[0] >= 0.5;
        match self {
            Self::Number { gaps, .. } if missing(gaps) => Value::Missing,
            Self::Number { .. } => Value::Number(numbers[0]),
            Self::Boolean { .. } => Value::Boolean(second),
            Self::Pair { values, .. } => Value::Text(&values[usize::from(second)]),
            // The zeros of a text that was not there in training.
            Self::Category(_) if numbers.iter().all(|number| *number == 0.0) => Value::Other,
            Self::Category(category) => category.nearest(numbers),
            Self::Frequency { .. } => Value::Share(numbers[0]),
            Self::Date(Dated { gaps, .. }) if missing(gaps) => Value::Missing,
            Self::Date(Dated { cycles: Some(_), .. }) => Value::Missing,
            Self::Date(Dated { clock: true, .. }) => Value::Date(iso_time(numbers[0])),
            Self::Date(Dated { times, .. }) => Value::Date(iso(numbers[0], *times)),
        }
    }

    /// The cells whose encoded forms, each of [`width`](Self::width) numbers, are nearest to these.
    fn decode<'a>(&self, encoded: impl Iterator<Item = &'a [f64]>) -> ArrayRef {
        match self {
            Self::Number { range, notation, .. } => {
                let number = |cell: &[f64]| match self.value(cell) {
                    Value::Number(value) => Some(within(value, range.as_ref())),
                    _ => None,
                };
                let numbers = encoded.map(number);
                if let Some(notation) = notation {
                    let text = |value: f64| notation.write(value);
                    Arc::new(numbers.map(|cell| cell.map(text)).collect::<StringArray>())
                } else if range.is_some_and(|range| range.integers) {
                    let integer = |value: f64| value as i64;
                    Arc::new(numbers.map(|cell| cell.map(integer)).collect::<Int64Array>())
                } else {
                    Arc::new(numbers.collect::<Float64Array>())
                }
            }
            Self::Boolean { .. } => {
                Arc::new(encoded.map(|cell| Some(cell[0] >= 0.5)).collect::<BooleanArray>())
            }
            Self::Category(category) if category.boolean => {
                let boolean = |cell: &[f64]| match category.nearest(cell) {
                    Value::Text(text) => Some(text == "true"),
                    _ => None,
                };
                Arc::new(encoded.map(boolean).collect::<BooleanArray>())
            }
            Self::Frequency { shares, .. } => {
                Arc::new(encoded.map(|cell| nearest(shares, cell[0])).collect::<StringArray>())
            }
            _ => {
                let value = |cell| match self {
                    Self::Category(category) => category.nearest(cell),
                    _ => self.value(cell),
                };
                let text = |cell: &'a [f64]| match value(cell) {
                    Value::Missing => None,
                    value => Some(value.to_string()),
                };
                Arc::new(encoded.map(text).collect::<StringArray>())
            }
        }
    }
}

impl Category {
    /// The value with the largest number, the first at a tie.
    fn nearest(&self, numbers: &[f64]) -> Value<'_> {
        let index = (0..numbers.len()).rev().max_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
        match index {
            Some(index) if Some(index) == self.missing_index() => Value::Missing,
            Some(index) if index < self.values.len() => Value::Text(&self.values[index]),
            _ => Value::Other,
        }
    }
}

/// A number in the range of those seen, and an integer if they were.
fn within(value: f64, range: Option<&NumberRange>) -> f64 {
    match range {
        Some(range) => {
            let value = if range.integers { value.round() } else { value };
            value.clamp(range.low, range.high)
        }
        None => value,
    }
}

/// The part of a date that the waves of a cycle stand for.
fn cycle_value<'a>(cycle: Cycle, wave: Wave, column: &ColumnFeatures, row: &[f64]) -> Value<'a> {
    let Range { start, end } = column.features;
    let step = end - start;
    if step == 2 && row[start + 1] >= 0.5 {
        return Value::Missing;
    }
    let (cosine, sine) = match wave {
        Wave::Cosine => (row[start], row[start + step]),
        Wave::Sine => (row[start - step], row[start]),
    };
    let part = (sine.atan2(cosine) / TAU).rem_euclid(1.0) * cycle.period();
    let index = part.round() as usize;
    match cycle {
        Cycle::Hour => Value::Number(part),
        Cycle::Weekday => Value::Text(WEEKDAYS[index % 7]),
        Cycle::Month => Value::Text(MONTHS[index % 12]),
    }
}

const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The value with the nearest share, the first in order at a tie.
fn nearest(shares: &HashMap<String, f64>, share: f64) -> Option<&str> {
    let distances = shares.iter().map(|(value, known)| ((known - share).abs(), value));
    let nearest = distances.min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    nearest.map(|(_, value)| value.as_str())
}
