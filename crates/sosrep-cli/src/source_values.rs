//! The values of the table's columns on the scale a figure draws them on: numbers as they are, other
//! values by their place among the column's values, the most frequent first.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use sosrep_report::Histogram;

use crate::failure::Result;
use crate::training::TrainingTable;

/// Rows decoded at a time.
const AT_ONCE: usize = 8192;

/// The values of a column.
pub(crate) struct SourceValues {
    /// One for each row; NaN where it is missing.
    pub(crate) values: Vec<f64>,
    /// The place of each value, for a column that is not of numbers.
    places: Option<HashMap<String, f64>>,
}

impl SourceValues {
    pub(crate) fn is_number(&self) -> bool {
        self.places.is_none()
    }

    /// The value of a row of the table.
    pub(crate) fn of_row(&self, row: usize) -> f64 {
        self.values[row]
    }

    /// The value of a cell: as a number, and as text.
    pub(crate) fn of_cell(&self, number: Option<f64>, text: &str) -> f64 {
        let value = match &self.places {
            None => number,
            Some(places) => places.get(text).copied(),
        };
        value.unwrap_or(f64::NAN)
    }

    /// The values counted, in at most so many bins; values that are no numbers have a bin each.
    pub(crate) fn histogram(&self, bins: usize) -> Histogram {
        let bins = self.places.as_ref().map_or(bins, |places| places.len().clamp(1, bins));
        Histogram::of(&self.values, bins)
    }
}

/// The values of every column that the features come from.
pub(crate) fn source_values(table: &TrainingTable) -> Result<Vec<SourceValues>> {
    let encoding = &table.recipe.encoding;
    let mut columns: Vec<Gathered> =
        encoding.input_columns().iter().map(|_| Gathered::default()).collect();
    for part in table.rows.values.chunks(AT_ONCE * encoding.width()) {
        let cells: RecordBatch = encoding.decode(part)?;
        for (column, array) in columns.iter_mut().zip(cells.columns()) {
            column.add(array);
        }
    }
    Ok(columns.into_iter().map(Gathered::finish).collect())
}

/// The cells of a column so far.
#[derive(Default)]
struct Gathered {
    /// Numbers, or indices into `texts`.
    values: Vec<f64>,
    /// Values that are no numbers, and how many rows have each.
    texts: Vec<(String, usize)>,
    known: HashMap<String, usize>,
}

impl Gathered {
    fn add(&mut self, array: &ArrayRef) {
        match array.data_type() {
            DataType::Float64 => {
                let numbers = array.as_primitive::<arrow_array::types::Float64Type>();
                self.values.extend(numbers.iter().map(|value| value.unwrap_or(f64::NAN)));
            }
            DataType::Boolean => {
                array.as_boolean().iter().for_each(|cell| {
                    self.add_text(cell.map(|value| if value { "true" } else { "false" }));
                });
            }
            _ => array.as_string::<i32>().iter().for_each(|cell| self.add_text(cell)),
        }
    }

    fn add_text(&mut self, cell: Option<&str>) {
        let Some(text) = cell else { return self.values.push(f64::NAN) };
        let place = match self.known.get(text) {
            Some(&place) => place,
            None => {
                self.known.insert(text.to_string(), self.texts.len());
                self.texts.push((text.to_string(), 0));
                self.texts.len() - 1
            }
        };
        self.texts[place].1 += 1;
        self.values.push(place as f64);
    }

    fn finish(self) -> SourceValues {
        if self.texts.is_empty() {
            return SourceValues { values: self.values, places: None };
        }
        let mut order: Vec<usize> = (0..self.texts.len()).collect();
        order.sort_by_key(|&i| (std::cmp::Reverse(self.texts[i].1), &self.texts[i].0));
        let mut place_of = vec![f64::NAN; order.len()];
        for (place, &i) in order.iter().enumerate() {
            place_of[i] = place as f64;
        }
        let place = |&value: &f64| if value.is_nan() { value } else { place_of[value as usize] };
        let values = self.values.iter().map(place).collect();
        let places = self.texts.iter().zip(&place_of).map(|((text, _), &p)| (text.clone(), p));
        SourceValues { values, places: Some(places.collect()) }
    }
}
