//! A data set in memory: its rows as numbers, which of them are anomalies, and the checksum of the
//! file they came from.
//!
//! The archive is read by `sosrep-table`; numbers of any width become `f64`. Values are kept within
//! ±1e145, the limit of the detector: no scaling that follows can then overflow. A file is read
//! twice, for its checksum and for its arrays; memory is that of the rows as `f64`, and during
//! reading that of the arrays as the file stores them.

use std::fmt;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef};
use sosrep_table::{Batch, Input, ReadOptions, Source, open};

use crate::catalogue::Entry;
use crate::checksum;
use crate::error::{Error, Result};

/// The largest magnitude of a value.
const LARGEST: f64 = 1e145;

/// The size of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Rows.
    pub rows: usize,
    /// Columns of a row, without the label.
    pub columns: usize,
    /// Rows that are anomalies.
    pub anomalies: usize,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, columns, anomalies } = self;
        write!(f, "{rows} rows of {columns} columns with {anomalies} anomalies")
    }
}

/// A data set that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    entry: Entry,
    checksum: String,
    columns: usize,
    values: Vec<f64>,
    labels: Vec<bool>,
}

impl Dataset {
    /// Reads the file of a data set and compares it with the catalogue.
    ///
    /// # Errors
    /// [`Error::Table`] for a file that is missing or damaged, [`Error::NoLabels`],
    /// [`Error::Label`], [`Error::Value`], [`Error::WrongShape`], [`Error::WrongChecksum`].
    pub fn read(entry: &Entry, path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let checksum = checksum::of_file(path)?;
        let mut source = open(&Input::Path(path.to_path_buf()), &ReadOptions::default())?;
        let columns = feature_columns(&*source)?;
        let (values, labels) = (Vec::new(), Vec::new());
        let mut dataset = Self { entry: *entry, checksum, columns, values, labels };
        while let Some(batch) = source.next_batch()? {
            dataset.append(source.name(), &batch)?;
        }
        dataset.expect_facts(source.name())?;
        Ok(dataset)
    }

    /// The entry of the catalogue.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// SHA-256 of the file, as 64 hexadecimal digits.
    pub fn checksum(&self) -> &str {
        &self.checksum
    }

    /// Rows, columns and anomalies.
    pub fn shape(&self) -> Shape {
        Shape {
            rows: self.labels.len(),
            columns: self.columns,
            anomalies: self.labels.iter().filter(|anomaly| **anomaly).count(),
        }
    }

    /// The values, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Row `i`, from 0.
    ///
    /// # Panics
    /// If there are not more than `i` rows.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }

    /// Whether each row is an anomaly.
    pub fn labels(&self) -> &[bool] {
        &self.labels
    }

    /// Adds the rows of a batch, whose last column is the label.
    fn append(&mut self, file: &str, batch: &Batch) -> Result<()> {
        let (features, labels) = batch.cells.columns().split_at(self.columns);
        let (file, start) = (|| file.to_string(), self.values.len());
        self.values.resize(start + batch.rows() * self.columns, 0.0);
        for (column, cells) in features.iter().enumerate() {
            for row in 0..batch.rows() {
                let value = number(cells, row);
                if value.is_nan() || value.abs() > LARGEST {
                    let (place, column) = (batch.place(row), column + 1);
                    return Err(Error::Value { file: file(), place, column, value });
                }
                self.values[start + row * self.columns + column] = value;
            }
        }
        for row in 0..batch.rows() {
            let value = number(&labels[0], row);
            let wrong = || Error::Label { file: file(), place: batch.place(row), value };
            self.labels.push(label(value).ok_or_else(wrong)?);
        }
        Ok(())
    }

    /// An error unless this is what the catalogue says.
    fn expect_facts(&self, file: &str) -> Result<()> {
        let Some(facts) = self.entry.facts else { return Ok(()) };
        let (file, found) = (file.to_string(), self.shape());
        if found != facts.shape {
            return Err(Error::WrongShape { file, expected: facts.shape, found });
        }
        if self.checksum != facts.checksum {
            let (expected, found) = (facts.checksum.to_string(), self.checksum.clone());
            return Err(Error::WrongChecksum { file, expected, found });
        }
        Ok(())
    }
}

/// The number of columns before the label, which the reader puts last under the name `y`.
fn feature_columns(source: &dyn Source) -> Result<usize> {
    match source.columns().split_last() {
        Some((last, features)) if last.name == "y" && !features.is_empty() => Ok(features.len()),
        _ => Err(Error::NoLabels { file: source.name().to_string() }),
    }
}

/// A cell as a number. The reader turns NaN into a missing cell; here it is NaN again.
fn number(cells: &ArrayRef, row: usize) -> f64 {
    if cells.is_null(row) {
        return f64::NAN;
    }
    match cells.as_boolean_opt() {
        Some(flags) => f64::from(u8::from(flags.value(row))),
        None => cells.as_primitive_opt::<Float64Type>().map_or(f64::NAN, |cells| cells.value(row)),
    }
}

fn label(value: f64) -> Option<bool> {
    match value {
        0.0 => Some(false),
        1.0 => Some(true),
        _ => None,
    }
}
