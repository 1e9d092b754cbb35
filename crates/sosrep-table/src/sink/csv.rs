//! CSV: a header, then a line a row; quotes where needed, `true` and `false`, empty for a null.
//!
//! The header waits for the first rows, or the end: work that fails before leaves standard output clean.
//! The only cell of a row, if empty, is written as `""`: an empty line would be no row.
//!
//! A spreadsheet takes a text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return for a
//! formula. Asked for, such a text and such a name get an apostrophe before them, by which spreadsheets
//! know a text; other readers then see the apostrophe, so it is not the default.

use std::io::{self, Write};

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use csv::{Writer, WriterBuilder};

use super::Sink;
use super::columns::{Cell, Cells};
use super::stream::{Stream, write_error};
use crate::error::Result;

/// A CSV file being written.
pub(super) struct CsvSink {
    name: String,
    writer: Writer<Stream>,
    /// Names of the columns, until they are written.
    header: Option<Vec<String>>,
    /// Room for the digits of a number.
    digits: Vec<u8>,
    /// Whether texts that begin a formula get an apostrophe.
    spreadsheet_safe: bool,
}

impl CsvSink {
    pub(super) fn new(
        stream: Stream,
        delimiter: u8,
        schema: &Schema,
        spreadsheet_safe: bool,
    ) -> Self {
        let name = stream.name().to_string();
        let writer = WriterBuilder::new().delimiter(delimiter).from_writer(stream);
        let names = schema.fields().iter().map(|field| field.name().clone());
        Self { name, writer, header: Some(names.collect()), digits: Vec::new(), spreadsheet_safe }
    }

    fn write_header(&mut self) -> Result<()> {
        let Some(names) = self.header.take() else { return Ok(()) };
        let safe = |name: String| match self.spreadsheet_safe && begins_formula(&name) {
            true => format!("'{name}"),
            false => name,
        };
        let written = self.writer.write_record(names.into_iter().map(safe));
        written.map_err(|error| write_error(&self.name, io_error(error)))
    }

    fn write_cell(&mut self, cell: Option<Cell>) -> csv::Result<()> {
        self.digits.clear();
        match cell {
            None => return self.writer.write_field([]),
            Some(Cell::Text(text)) if self.spreadsheet_safe && begins_formula(text) => {
                write!(self.digits, "'{text}")?;
            }
            Some(Cell::Text(text)) => return self.writer.write_field(text),
            Some(Cell::Boolean(value)) => write!(self.digits, "{value}")?,
            Some(Cell::Integer(value)) => write!(self.digits, "{value}")?,
            Some(Cell::Unsigned(value)) => write!(self.digits, "{value}")?,
            Some(Cell::Float(value)) => write_float(&mut self.digits, value)?,
        }
        self.writer.write_field(&self.digits)
    }

    fn write_row(&mut self, columns: &[Cells], row: usize) -> csv::Result<()> {
        for column in columns {
            self.write_cell(column.get(row))?;
        }
        self.writer.write_record(None::<&[u8]>)
    }
}

impl Sink for CsvSink {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.write_header()?;
        let columns = Cells::of(&self.name, batch)?;
        (0..batch.num_rows())
            .try_for_each(|row| self.write_row(&columns, row))
            .map_err(|error| write_error(&self.name, io_error(error)))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.write_header()?;
        let stream = self.writer.into_inner().map_err(csv::IntoInnerError::into_error);
        stream.map_err(|source| write_error(&self.name, source))?.finish()
    }
}

/// Whether a spreadsheet would take the text for a formula.
fn begins_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r'])
}

/// The shortest digits that read back to the same bits; with an exponent where zeros would pile up.
fn write_float(out: &mut Vec<u8>, value: f64) -> io::Result<()> {
    let size = value.abs();
    if size != 0.0 && size.is_finite() && !(1e-5..1e16).contains(&size) {
        write!(out, "{value:e}")
    } else {
        write!(out, "{value}")
    }
}

/// The system's error in one of the CSV writer, whose own conversion hides its kind.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
