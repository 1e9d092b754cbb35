//! JSON: an object a row, a row a line; as an array, or as lines on their own.

use std::io::{self, Write};

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use serde::Serialize;

use super::Sink;
use super::columns::{Cell, Cells};
use super::stream::{Stream, write_error};
use crate::error::Result;

/// How rows are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// An array of objects.
    Array,
    /// Objects on lines of their own.
    Lines,
}

/// A JSON file being written.
pub(super) struct JsonSink {
    stream: Stream,
    /// Names of the columns as JSON writes them.
    keys: Vec<String>,
    form: Form,
    /// Whether a row was written.
    begun: bool,
    /// The row being written.
    line: Vec<u8>,
}

impl JsonSink {
    /// Begins the file, and writes nothing yet: work that fails leaves standard output clean.
    pub(super) fn new(stream: Stream, form: Form, schema: &Schema) -> Result<Self> {
        let fields = schema.fields().iter();
        let keys =
            fields.map(|field| serde_json::to_string(field.name())).collect::<Result<_, _>>();
        let keys = keys.map_err(|error| write_error(stream.name(), error.into()))?;
        Ok(Self { stream, keys, form, begun: false, line: Vec::new() })
    }

    fn write_row(&mut self, columns: &[Cells], row: usize) -> io::Result<()> {
        self.line.clear();
        match self.form {
            Form::Array if self.begun => self.line.extend(b",\n"),
            Form::Array => self.line.extend(b"[\n"),
            Form::Lines => {}
        }
        self.begun = true;
        let mut mark = b'{';
        for (key, column) in self.keys.iter().zip(columns) {
            self.line.push(mark);
            mark = b',';
            self.line.extend(key.as_bytes());
            self.line.push(b':');
            serde_json::to_writer(&mut self.line, &column.get(row))?;
        }
        self.line.push(b'}');
        if self.form == Form::Lines {
            self.line.push(b'\n');
        }
        self.stream.write_all(&self.line)
    }
}

impl Sink for JsonSink {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let columns = Cells::of(self.stream.name(), batch)?;
        (0..batch.num_rows())
            .try_for_each(|row| self.write_row(&columns, row))
            .map_err(|source| write_error(self.stream.name(), source))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        if self.form == Form::Array {
            let end: &[u8] = if self.begun { b"\n]\n" } else { b"[\n]\n" };
            self.stream.write_all(end).map_err(|source| write_error(self.stream.name(), source))?;
        }
        self.stream.finish()
    }
}

impl Serialize for Cell<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Float(value) => serializer.serialize_f64(value),
            Self::Integer(value) => serializer.serialize_i64(value),
            Self::Unsigned(value) => serializer.serialize_u64(value),
            Self::Boolean(value) => serializer.serialize_bool(value),
            Self::Text(value) => serializer.serialize_str(value),
        }
    }
}
