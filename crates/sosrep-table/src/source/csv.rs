//! Text with delimiters: CSV and its relatives, read once from start to end.
//!
//! The kinds of columns are inferred from the first [`SAMPLE`] rows, which are kept until they are
//! given out; then memory is that of one batch. A batch ends early when its text exceeds
//! [`BATCH_BYTES`]. Cells of columns that are not projected are counted but not looked at, so what
//! is wrong inside them stays unsaid.
//!
//! Blank lines are skipped. White space around names, numbers, booleans and marks of missing values
//! does not count; text is taken as written. Numbers have a decimal point: with a decimal comma they
//! are text. In a file whose lines end with carriage returns alone, messages give rows for lines.

mod column;
mod header;
mod records;
mod sniff;

use std::io::Read;
use std::vec;

use csv::ByteRecord;

use super::compression::Compression;
use super::infer::Tally;
use super::origin::{Meter, Origin};
use super::{HeaderNote, ReadOptions, Source, Table};
use crate::batch::{Batch, ColumnInfo, ColumnKind, Unreadable};
use crate::error::{ColumnProblem, Error, FileProblem, Place, Result, RowProblem};
pub(super) use column::Column;
use header::Header;
use records::Records;
use sniff::{Dialect, NotText};

/// Rows from which the kinds of columns are inferred.
const SAMPLE: usize = 10_000;
/// Text in the rows of the sample, in bytes, after which no more are taken.
const SAMPLE_BYTES: usize = 64 << 20;
/// Text in the rows of a batch, in bytes, after which no more are added.
const BATCH_BYTES: usize = 64 << 20;

/// A text file being read.
pub(crate) struct CsvSource {
    table: Table,
    /// What was decided about the names.
    notes: Vec<HeaderNote>,
    records: Records,
    /// Rows read already, with their lines.
    sample: vec::IntoIter<(ByteRecord, u64)>,
    /// The row in hand.
    record: ByteRecord,
    batch_rows: usize,
    /// For every column, whether only an empty cell is missing.
    verbatim: Vec<bool>,
    meter: Meter,
}

impl CsvSource {
    /// Reads names and sample.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn open(
        origin: Origin,
        compression: Option<Compression>,
        options: &ReadOptions,
    ) -> Result<Self> {
        let file = origin.name.clone();
        let (text, meter, dialect) = text(origin)?;
        let mut records = Records::new(&file, text, compression, &dialect);
        let Header { names, rows, notes } = Header::read(&mut records, options.header)?
            .ok_or_else(|| Error::File { file: file.clone(), problem: FileProblem::Empty })?;
        let sample = sample(&mut records, rows, names.len())?;
        if sample.is_empty() {
            return Err(Error::File { file, problem: FileProblem::NoRows });
        }
        let verbatim = names.iter().map(|name| options.verbatim.contains(name)).collect();
        let columns = inferred(names, &sample, options);
        Ok(Self {
            verbatim,
            table: Table::new(file, columns),
            notes,
            records,
            sample: sample.into_iter(),
            record: ByteRecord::new(),
            batch_rows: options.batch_rows.max(1),
            meter,
        })
    }

    /// Takes the next row in hand and gives its line; `None` after the last.
    fn advance(&mut self) -> Result<Option<u64>> {
        if let Some((record, line)) = self.sample.next() {
            self.record = record;
            return Ok(Some(line));
        }
        let line = self.records.read(&mut self.record)?;
        if let Some(line) = line {
            check_width(&self.records, &self.record, line, self.table.columns.len())?;
        }
        Ok(line)
    }

    /// Adds the row in hand to the columns, and to the list the cells that are not of their kind.
    fn push(
        &self,
        columns: &mut [Column],
        line: u64,
        row: usize,
        unreadable: &mut Vec<Unreadable>,
    ) -> Result<()> {
        for (place, index) in self.table.indices().enumerate() {
            match columns[place].push(&self.record[index]) {
                Ok(()) => {}
                Err(problem @ ColumnProblem::NotUtf8 { .. }) => {
                    return Err(self.cell(index, line, problem));
                }
                Err(problem) => {
                    columns[place].push_missing();
                    unreadable.push(Unreadable { row, column: place, problem });
                }
            }
        }
        Ok(())
    }

    fn cell(&self, index: usize, line: u64, problem: ColumnProblem) -> Error {
        let (file, column) = (self.table.name.clone(), self.table.columns[index].name.clone());
        Error::Column { file, place: Some(self.records.place(line)), column, problem }
    }
}

impl Source for CsvSource {
    fn name(&self) -> &str {
        &self.table.name
    }

    fn columns(&self) -> &[ColumnInfo] {
        &self.table.columns
    }

    fn header_notes(&self) -> &[HeaderNote] {
        &self.notes
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
        let (mut lines, mut unreadable) = (Vec::new(), Vec::new());
        let mut bytes = 0;
        while lines.len() < self.batch_rows && bytes < BATCH_BYTES {
            let Some(line) = self.advance()? else { break };
            self.push(&mut columns, line, lines.len(), &mut unreadable)?;
            lines.push(line);
            bytes += self.record.as_slice().len();
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let arrays = columns.into_iter().map(Column::finish).collect();
        let mut batch = self.table.batch(arrays, lines.len())?;
        batch.lines = self.records.has_lines().then_some(lines);
        batch.unreadable = unreadable;
        Ok(Some(batch))
    }

    fn progress(&self) -> Option<f64> {
        self.meter.share()
    }
}

/// The text of a file and what it says about itself.
fn text(origin: Origin) -> Result<(Box<dyn Read + Send>, Meter, Dialect)> {
    let file = origin.name.clone();
    let dialect = Dialect::of(&origin.head).map_err(|problem| match problem {
        NotText::File(problem) => Error::File { file: file.clone(), problem },
        NotText::FirstLine(problem) => {
            Error::Row { file: file.clone(), place: Place::Line(1), problem }
        }
    })?;
    let (stream, meter) = origin.into_stream_after(dialect.mark);
    Ok((stream, meter, dialect))
}

/// A row and the line it starts on.
type Row = (ByteRecord, u64);

fn next_row(records: &mut Records) -> Result<Option<Row>> {
    let mut record = ByteRecord::new();
    Ok(records.read(&mut record)?.map(|line| (record, line)))
}

/// The first rows, of which some were read already.
fn sample(records: &mut Records, read: Vec<Row>, width: usize) -> Result<Vec<Row>> {
    let check =
        |records: &Records, (record, line): &Row| check_width(records, record, *line, width);
    read.iter().try_for_each(|row| check(records, row))?;
    let (mut sample, mut bytes) = (read, 0);
    while sample.len() < SAMPLE && bytes < SAMPLE_BYTES {
        let Some(row) = next_row(records)? else { break };
        check(records, &row)?;
        bytes += row.0.as_slice().len();
        sample.push(row);
    }
    Ok(sample)
}

fn check_width(records: &Records, record: &ByteRecord, line: u64, expected: usize) -> Result<()> {
    let found = record.len();
    if found == expected {
        Ok(())
    } else {
        Err(records.row(line, RowProblem::Ragged { found, expected }))
    }
}

fn inferred(names: Vec<String>, sample: &[Row], options: &ReadOptions) -> Vec<ColumnInfo> {
    let infer = |index: usize, name: &str| -> ColumnKind {
        let mut tally = Tally::default();
        sample.iter().for_each(|(record, _)| tally.add(&record[index]));
        tally.kind(name)
    };
    let column = |(index, name): (usize, String)| {
        let kind = options.kind(&name).unwrap_or_else(|| infer(index, &name));
        ColumnInfo { name, kind }
    };
    names.into_iter().enumerate().map(column).collect()
}
