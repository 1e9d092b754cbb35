//! What every reader keeps: the table's name, its columns, which of them are wanted, rows given out.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};

use crate::batch::{Batch, ColumnInfo, ColumnKind, RowNumbers};
use crate::error::{Error, FileProblem, Result};

/// A table of which batches are given out.
pub(crate) struct Table {
    /// The file's name for messages.
    pub(crate) name: String,
    /// All columns.
    pub(crate) columns: Vec<ColumnInfo>,
    /// The columns wanted, as indices.
    pub(crate) projection: Vec<usize>,
    /// Columns carried along as they are written, after those: their indices and kinds.
    pub(crate) carried: Vec<(usize, ColumnKind)>,
    /// Number of the next row, from 1.
    pub(crate) next_row: u64,
    schema: SchemaRef,
}

impl Table {
    /// A table whose columns are all wanted.
    pub(crate) fn new(name: String, columns: Vec<ColumnInfo>) -> Self {
        let schema = Arc::new(Schema::empty());
        let all: Vec<usize> = (0..columns.len()).collect();
        let (projection, carried) = (Vec::new(), Vec::new());
        let mut table = Self { name, columns, projection, carried, next_row: 1, schema };
        table.project(&all);
        table
    }

    /// Restricts the batches to these columns, in this order.
    pub(crate) fn project(&mut self, columns: &[usize]) {
        self.projection = columns.to_vec();
        self.set_schema();
    }

    /// Carries these columns along, as these kinds.
    pub(crate) fn carry(&mut self, columns: Vec<(usize, ColumnKind)>) -> Vec<ColumnInfo> {
        self.carried = columns;
        self.set_schema();
        self.carried().collect()
    }

    /// The columns wanted and then those carried along, as indices.
    pub(crate) fn indices(&self) -> impl Iterator<Item = usize> {
        self.projection.iter().copied().chain(self.carried.iter().map(|&(index, _)| index))
    }

    fn carried(&self) -> impl Iterator<Item = ColumnInfo> {
        let name = |index: usize| self.columns[index].name.clone();
        self.carried.iter().map(move |&(index, kind)| ColumnInfo { name: name(index), kind })
    }

    fn set_schema(&mut self) {
        let projected = self.projection.iter().map(|&index| field(&self.columns[index]));
        let fields: Vec<Field> = projected.chain(self.carried().map(|c| field(&c))).collect();
        self.schema = Arc::new(Schema::new(fields));
    }

    /// The batch of the next rows.
    pub(crate) fn batch(&mut self, arrays: Vec<ArrayRef>, rows: usize) -> Result<Batch> {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let cells = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
            .map_err(|error| {
            let problem = FileProblem::Damaged { format: "a table", reason: error.to_string() };
            Error::file(&self.name, problem)
        })?;
        let numbers = RowNumbers::From(self.next_row);
        self.next_row += rows as u64;
        Ok(Batch { cells, numbers, lines: None, unreadable: Vec::new() })
    }
}

fn field(column: &ColumnInfo) -> Field {
    Field::new(&column.name, column.kind.data_type(), true)
}

/// Names for columns that have none: `column_1`, `column_2`, ….
pub(crate) fn numbered(columns: usize) -> Vec<String> {
    (1..=columns).map(|position| format!("column_{position}")).collect()
}

/// The names, if there are some, none is empty and no two are the same.
///
/// # Errors
/// [`Error::File`] naming the first that is.
pub(crate) fn named(file: &str, names: Vec<String>) -> Result<Vec<String>> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut problem = names.is_empty().then_some(FileProblem::NoColumns);
    for (i, name) in names.iter().enumerate() {
        let position = i + 1;
        if name.is_empty() {
            problem = Some(FileProblem::NoName { position });
        } else if let Some(first) = seen.insert(name, position) {
            let name = name.clone();
            problem = Some(FileProblem::SameName { name, first, second: position });
        }
        if problem.is_some() {
            break;
        }
    }
    match problem {
        Some(problem) => Err(Error::file(file, problem)),
        None => Ok(names),
    }
}
