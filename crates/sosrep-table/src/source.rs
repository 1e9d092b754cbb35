//! Reading: a file, whatever its format, as batches of rows.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::batch::{Batch, ColumnInfo, ColumnKind};
use crate::error::Result;

/// Where a table comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A file.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// A table held in the program, with the name messages give it.
    Bytes {
        /// The name.
        name: String,
        /// The table, as a file would hold it.
        bytes: &'static [u8],
    },
}

/// How to read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// Kinds that are known and not to be inferred, by column name; names that are not in the file
    /// are not an error here.
    pub kinds: HashMap<String, ColumnKind>,
    /// Whether the first line of a CSV file holds names. Without, columns are `column_1`, ….
    pub header: bool,
    /// Rows in a batch. Default: 8192.
    pub batch_rows: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { kinds: HashMap::new(), header: true, batch_rows: 8192 }
    }
}

/// A table being read.
pub trait Source: Send {
    /// The file's name for messages.
    fn name(&self) -> &str;
    /// All columns in the order of the file, whatever was projected.
    fn columns(&self) -> &[ColumnInfo];
    /// Restricts the batches to these columns (indices into [`columns`](Self::columns)), in this
    /// order. Called before the first batch, if at all.
    fn project(&mut self, columns: &[usize]);
    /// The next rows; `None` after the last.
    ///
    /// # Errors
    /// What is wrong with them.
    fn next_batch(&mut self) -> Result<Option<Batch>>;
    /// Share of the file read, in [0, 1], where the size is known.
    fn progress(&self) -> Option<f64>;
}
