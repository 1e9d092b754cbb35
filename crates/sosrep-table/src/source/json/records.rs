//! Objects of a file one after another, with or without the brackets and commas of an array.
//!
//! The parser of an object is given the stream itself and stops behind its closing brace, so that
//! neither form is held in memory. A row of more than [`LONGEST`] bytes is refused: a quote or a
//! brace that is not closed would swallow the rest of the file.

use std::io::{self, BufRead, BufReader, Read};

use serde::de::DeserializeSeed;
use serde_json::Deserializer;

use super::object::{Keys, Object, Row};
use crate::error::{Error, FileProblem, Place, Result, RowProblem};
use crate::source::compression::{Compression, read_error};

/// The longest row, in bytes.
const LONGEST: u64 = 64 << 20;

/// How rows are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Nothing was read yet.
    Unknown,
    Array,
    Lines,
    /// The last row was read.
    Ended,
}

/// A file being parsed.
pub(super) struct Records {
    /// The file's name for messages.
    file: String,
    compression: Option<Compression>,
    text: Text,
    form: Form,
    /// Whether a row was read.
    begun: bool,
}

impl Records {
    pub(super) fn new(
        file: &str,
        stream: Box<dyn Read + Send>,
        compression: Option<Compression>,
    ) -> Self {
        let text =
            Text { stream: BufReader::with_capacity(1 << 16, stream), line: 1, read: 0, limit: 0 };
        Self { file: file.to_string(), compression, text, form: Form::Unknown, begun: false }
    }

    /// The next row; `None` after the last.
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::File`] for an empty file or damaged compression; [`Error::Row`].
    pub(super) fn read(&mut self, keys: &mut Keys) -> Result<Option<Row>> {
        if !self.find_row()? {
            return Ok(None);
        }
        self.begun = true;
        let (line, start) = (self.text.line, self.text.read);
        self.text.limit = start + LONGEST;
        let mut problem = None;
        let mut parser = Deserializer::from_reader(&mut self.text);
        let parsed = Object { keys, problem: &mut problem }.deserialize(&mut parser);
        match (parsed, problem) {
            (Ok(cells), _) => {
                let bytes = (self.text.read - start) as usize;
                Ok(Some(Row { line, bytes, cells }))
            }
            (Err(_), Some(problem)) => Err(self.row(line, problem)),
            (Err(_), None) if self.text.read >= self.text.limit => {
                Err(self.row(line, RowProblem::TooLong { megabytes: LONGEST >> 20 }))
            }
            (Err(error), None) if error.is_io() => Err(self.failed(error.into())),
            (Err(error), None) => {
                let last = line + error.line().saturating_sub(1) as u64;
                Err(self.row(last, not_json(&error)))
            }
        }
    }

    /// Goes to the opening brace of the next row; `false` if there is none.
    fn find_row(&mut self) -> Result<bool> {
        if self.form == Form::Unknown {
            self.form = match self.peek()? {
                None => return Err(Error::file(&self.file, FileProblem::Empty)),
                Some(b'[') => {
                    self.text.skip();
                    Form::Array
                }
                Some(_) => Form::Lines,
            };
        }
        match (self.form, self.peek()?) {
            (Form::Array, Some(b']')) => {
                self.text.skip();
                self.form = Form::Ended;
                return self.find_row();
            }
            (Form::Array, Some(b',')) if self.begun => {
                self.text.skip();
            }
            (Form::Array, Some(_)) if self.begun => {
                return Err(self.here("expected `,` or `]` after a row"));
            }
            (Form::Array, None) => return Err(self.here("the array is not closed")),
            (Form::Ended | Form::Lines, None) => return Ok(false),
            (Form::Ended, Some(_)) => return Err(self.here("there is more after the array")),
            _ => {}
        }
        match self.peek()? {
            Some(b'{') => Ok(true),
            Some(byte) => match value(byte) {
                Some(found) => Err(self.row(self.text.line, RowProblem::NotObject { found })),
                None => Err(self.here("expected an object")),
            },
            None => Err(self.here("the array is not closed")),
        }
    }

    fn peek(&mut self) -> Result<Option<u8>> {
        self.text.peek().map_err(|source| self.failed(source))
    }

    fn here(&self, reason: &str) -> Error {
        self.row(self.text.line, RowProblem::Json { reason: reason.to_string() })
    }

    fn row(&self, line: u64, problem: RowProblem) -> Error {
        Error::Row { file: self.file.clone(), place: Place::Line(line), problem }
    }

    fn failed(&self, source: io::Error) -> Error {
        read_error(&self.file, self.compression, source)
    }
}

/// The complaint of the parser without the place, which is that in the row and not in the file.
fn not_json(error: &serde_json::Error) -> RowProblem {
    let words = error.to_string();
    let reason = words.split_once(" at line ").map_or(words.as_str(), |(reason, _)| reason);
    RowProblem::Json { reason: reason.to_string() }
}

/// What begins with this byte, if it is a value and no object.
fn value(byte: u8) -> Option<&'static str> {
    match byte {
        b'[' => Some("an array"),
        b'"' => Some("a text"),
        b'-' | b'0'..=b'9' => Some("a number"),
        b't' | b'f' => Some("a boolean"),
        b'n' => Some("null"),
        _ => None,
    }
}

/// The stream with its lines and bytes counted, up to a limit.
struct Text {
    stream: BufReader<Box<dyn Read + Send>>,
    /// The line of the next byte, from 1.
    line: u64,
    /// Bytes read.
    read: u64,
    /// Where the stream pretends to end.
    limit: u64,
}

impl Text {
    /// The next byte that is no white space, which is not taken.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.stream.fill_buf()?.first().copied() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.skip(),
                other => return Ok(other),
            }
        }
    }

    /// Takes a byte that was looked at.
    fn skip(&mut self) {
        if self.stream.buffer().first() == Some(&b'\n') {
            self.line += 1;
        }
        self.read += 1;
        self.stream.consume(1);
    }
}

impl Read for Text {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // The parser asks for a byte at a time.
        if let ([wanted], [next, ..]) = (&mut *buffer, self.stream.buffer())
            && self.read < self.limit
        {
            *wanted = *next;
            self.skip();
            return Ok(1);
        }
        let room = (self.limit.saturating_sub(self.read) as usize).min(buffer.len());
        let count = self.stream.read(&mut buffer[..room])?;
        self.line += buffer[..count].iter().filter(|byte| **byte == b'\n').count() as u64;
        self.read += count as u64;
        Ok(count)
    }
}
