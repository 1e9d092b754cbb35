//! What must be known of every row of a table, though not all of them may be held.
//!
//! Whether cells are missing or infinite, how many and where the first is: an encoding learnt from a
//! sample of the rows is then refused for the same reasons, at the same places and with the same
//! counts as one learnt from all of them. Memory: a few numbers a column.

use arrow_array::Array;
use arrow_array::cast::AsArray;

use super::cells::{expect_columns, first_infinite, first_missing};
use crate::batch::{Batch, ColumnInfo, ColumnKind};
use crate::error::{Place, Result};

/// The rows of a table as they go by.
#[derive(Debug, Clone)]
pub struct Survey {
    columns: Vec<ColumnInfo>,
    /// Rows seen.
    pub rows: u64,
    /// Rows without a missing cell.
    pub complete: u64,
    /// Missing cells of each column.
    pub missing: Vec<u64>,
    /// The first missing cell, row by row, and its column.
    pub(super) first_missing: Option<(Place, usize)>,
    /// The first infinite number of each column.
    pub(super) infinite: Vec<Option<(Place, f64)>>,
    /// The first value of each column of text or dates.
    pub(super) first_text: Vec<Option<(Place, String)>>,
}

impl Survey {
    /// No rows yet.
    pub fn new(columns: &[ColumnInfo]) -> Self {
        Self {
            columns: columns.to_vec(),
            rows: 0,
            complete: 0,
            missing: vec![0; columns.len()],
            first_missing: None,
            infinite: vec![None; columns.len()],
            first_text: vec![None; columns.len()],
        }
    }

    /// The columns looked at.
    pub fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    /// Looks at the next rows.
    ///
    /// # Errors
    /// [`Error::UnexpectedCells`](crate::Error::UnexpectedCells) unless they have these columns.
    pub fn add(&mut self, file: &str, batch: &Batch) -> Result<()> {
        expect_columns(file, batch, self.columns.iter().map(|c| (c.name.as_str(), c.kind)))?;
        self.rows += batch.rows() as u64;
        let incomplete = batch.complete().map_or(0, |rows| rows.null_count());
        self.complete += (batch.rows() - incomplete) as u64;
        if self.first_missing.is_none() {
            let first = first_missing(batch);
            self.first_missing = first.map(|(row, column)| (batch.place(row), column));
        }
        for (j, column) in self.columns.iter().enumerate() {
            self.missing[j] += batch.cells.column(j).null_count() as u64;
            match column.kind {
                ColumnKind::Number if self.infinite[j].is_none() => {
                    self.infinite[j] = first_infinite(batch, j);
                }
                ColumnKind::Text | ColumnKind::Date if self.first_text[j].is_none() => {
                    self.first_text[j] = first_text(batch, j);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn first_text(batch: &Batch, column: usize) -> Option<(Place, String)> {
    let text = batch.cells.column(column).as_string::<i32>();
    let row = (0..text.len()).find(|&row| text.is_valid(row))?;
    Some((batch.place(row), text.value(row).to_string()))
}
