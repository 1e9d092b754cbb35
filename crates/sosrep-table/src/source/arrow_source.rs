//! Formats that are read as Arrow arrays of many types, brought to the form of a batch.
//!
//! A column of a type that is neither number, boolean, text nor date is listed as text, and is an
//! error only when its cells are asked for. A column of integers is one of big integers if that is seen
//! before the first rows are given out: by the statistics of a Parquet file, the first piece of an
//! Arrow file or stream, all of an array; if it shows only later, the integers are rounded. Rows come as the format gives them and are cut into
//! batches; memory is that of one piece the format gives (of Parquet: one batch).

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::format::Format;
use super::{ReadOptions, Source, Table};
use crate::arrow_cells::{
    Cells, column_cells, columns as columns_of, has_big_integers, with_unreadable,
};
use crate::batch::{Batch, ColumnInfo, ColumnKind};
use crate::error::{Error, FileProblem, Result};

/// Rows of some format as Arrow arrays.
pub(crate) trait Rows: Send {
    /// All columns.
    fn schema(&self) -> SchemaRef;
    /// The next rows of these columns, ascending indices that are the same in every call; `None`
    /// after the last.
    fn next(&mut self, columns: &[usize]) -> Result<Option<RecordBatch>, FileProblem>;
    /// Columns of which an integer is known to be beyond ±2⁵³ before the first rows are given out.
    fn big_integers(&mut self) -> Result<Vec<usize>, FileProblem>;
    /// Share of the file read, in [0, 1], where the size is known.
    fn progress(&self) -> Option<f64>;
}

/// The columns of some rows with an integer beyond ±2⁵³.
pub(super) fn big_integers(rows: &RecordBatch) -> Vec<usize> {
    let columns = rows.columns().iter().enumerate();
    columns.filter(|(_, array)| has_big_integers(array)).map(|(column, _)| column).collect()
}

/// Such a format being read.
pub(crate) struct ArrowSource {
    table: Table,
    format: Format,
    rows: Box<dyn Rows>,
    /// What the columns are by nature, whatever kind they are read as.
    natural: Vec<ColumnKind>,
    /// The columns wanted, ascending.
    ascending: Vec<usize>,
    /// Rows read and not yet given out.
    pending: Option<RecordBatch>,
    batch_rows: usize,
}

impl ArrowSource {
    /// Opens the format and reads its columns.
    ///
    /// # Errors
    /// [`Error::File`].
    pub(crate) fn open(
        name: String,
        format: Format,
        options: &ReadOptions,
        open: impl FnOnce() -> Result<Box<dyn Rows>, FileProblem>,
    ) -> Result<Self> {
        let damaged = |problem| Error::File { file: name.clone(), problem };
        let mut rows = guarded(format, open).map_err(damaged)?;
        let mut columns = columns_of(&name, &rows.schema(), |column| options.kind(column))?;
        for column in guarded(format, || rows.big_integers()).map_err(damaged)? {
            if options.kind(&columns[column].name).is_none() {
                columns[column].kind = ColumnKind::BigInteger;
            }
        }
        let natural = columns_of(&name, &rows.schema(), |_| None)?;
        let natural = natural.iter().map(|column| column.kind).collect();
        let table = Table::new(name, columns);
        let ascending = table.projection.clone();
        let batch_rows = options.batch_rows.max(1);
        Ok(Self { table, format, rows, natural, ascending, pending: None, batch_rows })
    }

    /// At most `batch_rows` of the next rows.
    fn piece(&mut self) -> Result<Option<RecordBatch>> {
        let rest = match self.pending.take() {
            Some(rest) => rest,
            None => {
                let (rows, ascending) = (&mut self.rows, &self.ascending);
                let next = guarded(self.format, || rows.next(ascending));
                let Some(next) = next.map_err(|problem| self.file(problem))? else {
                    return Ok(None);
                };
                next
            }
        };
        let rows = rest.num_rows();
        if rows <= self.batch_rows {
            return Ok(Some(rest));
        }
        self.pending = Some(rest.slice(self.batch_rows, rows - self.batch_rows));
        Ok(Some(rest.slice(0, self.batch_rows)))
    }

    /// Reads the columns that are wanted or carried along.
    fn read_ascending(&mut self) {
        self.ascending = self.table.indices().collect();
        self.ascending.sort_unstable();
        self.ascending.dedup();
    }

    /// The cells of the `index`-th column of the file as this kind, in the form of a batch.
    fn cells(&self, piece: &RecordBatch, index: usize, kind: ColumnKind) -> Result<Cells> {
        let Table { name, columns, .. } = &self.table;
        let column = ColumnInfo { kind, ..columns[index].clone() };
        let position = self.ascending.partition_point(|&other| other < index);
        let cells = guarded(self.format, || {
            let array = piece.columns().get(position).ok_or(FileProblem::NoColumns)?;
            Ok(column_cells(name, &column, array))
        });
        cells.map_err(|problem| self.file(problem))?
    }

    fn file(&self, problem: FileProblem) -> Error {
        Error::File { file: self.table.name.clone(), problem }
    }
}

impl Source for ArrowSource {
    fn name(&self) -> &str {
        &self.table.name
    }

    fn columns(&self) -> &[ColumnInfo] {
        &self.table.columns
    }

    fn project(&mut self, columns: &[usize]) {
        self.table.project(columns);
        self.read_ascending();
    }

    fn carry(&mut self, columns: &[usize]) -> Vec<ColumnInfo> {
        let kinds = self.natural.clone();
        let carried = self.table.carry(columns.iter().map(|&j| (j, kinds[j])).collect());
        self.read_ascending();
        carried
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        loop {
            let Some(piece) = self.piece()? else {
                let empty = self.table.next_row == 1;
                return if empty { Err(self.file(FileProblem::NoRows)) } else { Ok(None) };
            };
            if piece.num_rows() > 0 {
                let projected = self.table.projection.iter();
                let projected = projected.map(|&index| (index, self.table.columns[index].kind));
                let columns = projected.chain(self.table.carried.iter().copied());
                let cells = columns.map(|(index, kind)| self.cells(&piece, index, kind));
                let cells = cells.collect::<Result<Vec<_>>>()?;
                let batch = |arrays| self.table.batch(arrays, piece.num_rows());
                return with_unreadable(cells, batch).map(Some);
            }
        }
    }

    fn progress(&self) -> Option<f64> {
        self.rows.progress()
    }
}

/// What a decoder gives; a panic in it is damage.
fn guarded<T>(
    format: Format,
    decode: impl FnOnce() -> Result<T, FileProblem>,
) -> Result<T, FileProblem> {
    // What is left half done inside a decoder is used again only by the same decoder, guarded too.
    catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(damaged(format, "its decoder cannot go on")))
}

/// The problem of bytes that do not follow their format.
pub(crate) fn damaged(format: Format, reason: impl ToString) -> FileProblem {
    FileProblem::Damaged { format: format.name(), reason: reason.to_string() }
}
