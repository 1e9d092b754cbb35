//! JSON: an array of objects, or objects one after another (JSON lines), an object a row.
//!
//! The columns are the keys of the first [`SAMPLE`] rows in the order they first appear; a key that
//! a row lacks is a missing value there. A key that comes later still is an error: the columns of a
//! table are known before its rows are given out. Kinds are inferred from the text of the cells as
//! those of CSV are, so that a table reads the same in either form. Both forms are read once from
//! start to end, and memory is that of the sample, then of a batch.
//!
//! A cell that is an array or an object is an error, but only in a column that is asked for; a
//! column that is carried along has it as JSON.

mod object;
mod records;

use std::collections::VecDeque;

use super::compression::Compression;
use super::csv::Column;
use super::format::MARK;
use super::infer::Tally;
use super::origin::{Meter, Origin};
use super::{ReadOptions, Source, Table, named};
use crate::batch::{Batch, ColumnInfo, ColumnKind};
use crate::error::{ColumnProblem, Error, FileProblem, Result};
use object::{Cell, Keys, Row};
use records::Records;

/// Rows from which the columns and their kinds are read.
const SAMPLE: usize = 10_000;
/// Text in the rows of the sample, in bytes, after which no more are taken.
const SAMPLE_BYTES: usize = 64 << 20;
/// Text in the rows of a batch, in bytes, after which no more are added.
const BATCH_BYTES: usize = 64 << 20;

/// A JSON file being read.
pub(crate) struct JsonSource {
    table: Table,
    records: Records,
    keys: Keys,
    /// Rows read already.
    sample: VecDeque<Row>,
    batch_rows: usize,
    /// For every column, whether only an empty cell is missing.
    verbatim: Vec<bool>,
    meter: Meter,
}

impl JsonSource {
    /// Reads the sample.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn open(
        origin: Origin,
        compression: Option<Compression>,
        options: &ReadOptions,
    ) -> Result<Self> {
        let file = origin.name.clone();
        let mark = if origin.head.starts_with(MARK) { MARK.len() } else { 0 };
        let (stream, meter) = origin.into_stream_after(mark);
        let mut records = Records::new(&file, stream, compression);
        let mut keys = Keys::default();
        let sample = sample(&mut records, &mut keys)?;
        if sample.is_empty() {
            return Err(Error::file(&file, FileProblem::NoRows));
        }
        keys.close();
        let columns = inferred(named(&file, keys.names().to_vec())?, &sample, options);
        let verbatim = columns.iter().map(|c| options.verbatim.contains(&c.name)).collect();
        let batch_rows = options.batch_rows.max(1);
        let table = Table::new(file, columns);
        Ok(Self { table, records, keys, sample, batch_rows, verbatim, meter })
    }

    /// The next row; `None` after the last.
    fn advance(&mut self) -> Result<Option<Row>> {
        match self.sample.pop_front() {
            Some(row) => Ok(Some(row)),
            None => self.records.read(&mut self.keys),
        }
    }

    /// Adds a row to the columns.
    fn push(&self, columns: &mut [Column], row: &Row) -> Result<()> {
        let projected = self.table.projection.len();
        for (place, index) in self.table.indices().enumerate() {
            let pushed = match row.cell(index) {
                Cell::Missing => columns[place].push(b""),
                Cell::Number(value) => columns[place].push_number(*value),
                Cell::Text(text) => columns[place].push(text.as_bytes()),
                Cell::Nested { found, .. } if place < projected => {
                    Err(ColumnProblem::Type { found: (*found).to_string() })
                }
                Cell::Nested { text, .. } => columns[place].push(text.as_bytes()),
            };
            pushed.map_err(|problem| {
                let name = &self.table.columns[index].name;
                Error::column(&self.table.name, Some(row.place()), name, problem)
            })?;
        }
        Ok(())
    }
}

impl Source for JsonSource {
    fn name(&self) -> &str {
        &self.table.name
    }

    fn columns(&self) -> &[ColumnInfo] {
        &self.table.columns
    }

    fn project(&mut self, columns: &[usize]) {
        self.table.project(columns);
    }

    fn carry(&mut self, columns: &[usize]) -> Vec<ColumnInfo> {
        self.table.carry(columns.iter().map(|&index| (index, ColumnKind::Text)).collect())
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let empty = |&index: &usize| match self.table.columns[index].kind {
            _ if self.verbatim[index] => Column::verbatim(),
            kind => Column::new(kind, self.batch_rows.min(SAMPLE)),
        };
        let mut columns: Vec<Column> = self.table.projection.iter().map(empty).collect();
        columns.extend(self.table.carried.iter().map(|_| Column::verbatim()));
        let mut lines = Vec::new();
        let mut bytes = 0;
        while lines.len() < self.batch_rows && bytes < BATCH_BYTES {
            let Some(row) = self.advance()? else { break };
            self.push(&mut columns, &row)?;
            lines.push(row.line);
            bytes += row.bytes;
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let arrays = columns.into_iter().map(Column::finish).collect();
        let mut batch = self.table.batch(arrays, lines.len())?;
        batch.lines = Some(lines);
        Ok(Some(batch))
    }

    fn progress(&self) -> Option<f64> {
        self.meter.share()
    }
}

fn sample(records: &mut Records, keys: &mut Keys) -> Result<VecDeque<Row>> {
    let mut sample = VecDeque::new();
    let mut bytes = 0;
    while sample.len() < SAMPLE && bytes < SAMPLE_BYTES {
        let Some(row) = records.read(keys)? else { break };
        bytes += row.bytes;
        sample.push_back(row);
    }
    Ok(sample)
}

fn inferred(names: Vec<String>, sample: &VecDeque<Row>, options: &ReadOptions) -> Vec<ColumnInfo> {
    let infer = |index: usize, name: &str| -> ColumnKind {
        let mut tally = Tally::default();
        for row in sample {
            match row.cell(index) {
                Cell::Number(value) => tally.add(value.to_string().as_bytes()),
                Cell::Text(text) => tally.add(text.as_bytes()),
                // Listed as text, like a type of Arrow that is not read.
                Cell::Nested { .. } => return ColumnKind::Text,
                Cell::Missing => {}
            }
        }
        tally.kind(name)
    };
    let column = |(index, name): (usize, String)| {
        let kind = options.kind(&name).unwrap_or_else(|| infer(index, &name));
        ColumnInfo { name, kind }
    };
    names.into_iter().enumerate().map(column).collect()
}
