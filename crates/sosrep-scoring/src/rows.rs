//! Rows of a table as a detector takes them, with what names them and what is known of them.

use arrow_array::RecordBatch;
use sosrep::Points;

use crate::error::Result;

/// What a table says of some rows beside their features.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Number of each row in the file, from 1.
    pub numbers: Vec<u64>,
    /// The text of each id column.
    pub ids: Vec<Vec<Option<String>>>,
    /// The text of the label column, if there is one.
    pub labels: Option<Vec<Option<String>>>,
    /// The columns that are kept for the table of results, in pieces.
    pub kept: Vec<RecordBatch>,
}

impl Names {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// What a person calls the `i`-th row.
    pub fn name(&self, i: usize) -> String {
        self.id(i).unwrap_or_else(|| self.numbers[i].to_string())
    }

    /// The ids of the `i`-th row, with commas between; `None` if it has none.
    pub fn id(&self, i: usize) -> Option<String> {
        let present: Vec<&str> = self.ids.iter().filter_map(|ids| ids[i].as_deref()).collect();
        (!present.is_empty()).then(|| present.join(", "))
    }

    /// The `i`-th row alone, without the columns that are kept.
    fn single(&self, i: usize) -> Self {
        Self {
            numbers: vec![self.numbers[i]],
            ids: self.ids.iter().map(|ids| vec![ids[i].clone()]).collect(),
            labels: self.labels.as_ref().map(|labels| vec![labels[i].clone()]),
            kept: Vec::new(),
        }
    }

    /// Adds the next rows.
    pub fn append(&mut self, mut next: Self) {
        if self.numbers.is_empty() {
            *self = next;
            return;
        }
        self.numbers.append(&mut next.numbers);
        for (ids, more) in self.ids.iter_mut().zip(&mut next.ids) {
            ids.append(more);
        }
        if let (Some(labels), Some(mut more)) = (&mut self.labels, next.labels) {
            labels.append(&mut more);
        }
        self.kept.append(&mut next.kept);
    }
}

/// Encoded rows.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// What names them.
    pub names: Names,
    /// The features, row by row.
    pub values: Vec<f64>,
}

impl Rows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The features as the library takes them.
    ///
    /// # Errors
    /// Another width.
    pub fn points(&self, width: usize) -> Result<Points<'_>> {
        Ok(Points::new(&self.values, width)?)
    }

    /// The `i`-th row alone.
    pub fn single(&self, i: usize, width: usize) -> Self {
        let values = self.values[i * width..(i + 1) * width].to_vec();
        Self { names: self.names.single(i), values }
    }

    /// Adds the rows of the next batch.
    pub fn append(&mut self, mut next: Self) {
        self.names.append(next.names);
        self.values.append(&mut next.values);
    }
}

/// Rows that cannot be scored, and why.
#[derive(Debug, Clone, Default)]
pub struct Unscored {
    /// What names them.
    pub names: Names,
    /// One for each row.
    pub reasons: Vec<String>,
}

impl Unscored {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.reasons.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.reasons.is_empty()
    }

    /// Adds the rows of the next batch.
    pub fn append(&mut self, mut next: Self) {
        self.names.append(next.names);
        self.reasons.append(&mut next.reasons);
    }
}
