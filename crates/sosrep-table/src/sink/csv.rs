//! CSV: a header, then a line a row; quotes where needed, `true` and `false`, empty for a null.
//!
//! The only cell of a row, if empty, is written as `""`: an empty line would be no row.

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
    /// Room for the digits of a number.
    digits: Vec<u8>,
}

impl CsvSink {
    /// Writes the header.
    pub(super) fn new(stream: Stream, delimiter: u8, schema: &Schema) -> Result<Self> {
        let name = stream.name().to_string();
        let mut writer = WriterBuilder::new().delimiter(delimiter).from_writer(stream);
        let names = schema.fields().iter().map(|field| field.name());
        writer.write_record(names).map_err(|error| write_error(&name, io_error(error)))?;
        Ok(Self { name, writer, digits: Vec::new() })
    }

    fn write_cell(&mut self, cell: Option<Cell>) -> csv::Result<()> {
        self.digits.clear();
        match cell {
            None => return self.writer.write_field([]),
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
        let columns = Cells::of(&self.name, batch)?;
        (0..batch.num_rows())
            .try_for_each(|row| self.write_row(&columns, row))
            .map_err(|error| write_error(&self.name, io_error(error)))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let stream = self.writer.into_inner().map_err(csv::IntoInnerError::into_error);
        stream.map_err(|source| write_error(&self.name, source))?.finish()
    }
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
