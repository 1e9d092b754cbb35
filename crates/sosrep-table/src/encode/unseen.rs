//! Values of text columns that were not there in training: reported, never an error.
//!
//! They come in the order in which they first appear, row by row, so that the summary of a file
//! does not depend on how it is batched. A summary holds the first few and counts the rest.

use crate::error::Place;

/// A value of a text column that was not there in training.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    /// The column.
    pub column: String,
    /// The value.
    pub value: String,
    /// Rows with it, of those that were kept.
    pub rows: u64,
    /// The first of them.
    pub first: Place,
}

impl Unseen {
    fn remark(&self) -> String {
        let Self { column, value, rows, first } = self;
        format!(
            "column \"{column}\": \"{value}\" was not in the training table (rows: {rows}, first in \
             {first})"
        )
    }
}

/// The unseen values of several batches, in bounded memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnseenValues {
    values: Vec<Unseen>,
    other_cells: u64,
}

impl UnseenValues {
    /// The most values that are held.
    pub const LIMIT: usize = 20;

    /// Adds those of the next batch.
    pub fn add(&mut self, unseen: Vec<Unseen>) {
        for next in unseen {
            let same = |known: &Unseen| known.column == next.column && known.value == next.value;
            match self.values.iter().position(same) {
                Some(index) => self.values[index].rows += next.rows,
                None if self.values.len() < Self::LIMIT => self.values.push(next),
                None => self.other_cells += next.rows,
            }
        }
    }

    /// The first values, as they appear in the file.
    pub fn values(&self) -> &[Unseen] {
        &self.values
    }

    /// Cells with an unseen value that is not among [`values`](Self::values).
    pub fn other_cells(&self) -> u64 {
        self.other_cells
    }

    /// What a user must know of them, in sentences.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks: Vec<String> = self.values.iter().map(Unseen::remark).collect();
        if self.other_cells > 0 {
            let cells = self.other_cells;
            remarks.push(format!(
                "{cells} more cells hold values that were not in the training table"
            ));
        }
        remarks
    }

    /// Cells with an unseen value.
    pub fn cells(&self) -> u64 {
        self.values.iter().map(|unseen| unseen.rows).sum::<u64>() + self.other_cells
    }
}
