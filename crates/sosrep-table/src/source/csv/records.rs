//! Records of a text file one after another, each with the line it starts on.
//!
//! The line is found from the end: the parser has counted the line feeds it has passed, those
//! inside the record are subtracted, and one more if a line feed ended it. A pair of carriage
//! return and line feed ends a record at its first half, so the byte that did it is looked up.
//!
//! A quote that is never closed swallows the rest of the file. Every file is read as if one more
//! line feed followed it, so a record that reaches the end of the file without a line end can only
//! be inside a quote; and a record of more than [`LONGEST`] bytes is refused, so that memory stays
//! bounded.

use std::io::{self, Read};

use csv::ByteRecord;

use super::sniff::Dialect;
use crate::error::{Error, Place, Result, RowProblem};
use crate::source::compression::{Compression, read_error};

/// The longest record, in bytes.
const LONGEST: u64 = 64 << 20;

/// A text file being parsed.
pub(super) struct Records {
    /// The file's name for messages.
    file: String,
    compression: Option<Compression>,
    reader: csv::Reader<Feed>,
    /// Whether lines can be counted.
    line_feeds: bool,
    /// Records read since rows are numbered.
    count: u64,
}

impl Records {
    /// Parses the text from its start, the mark of UTF-8 already taken off.
    pub(super) fn new(
        file: &str,
        text: Box<dyn Read + Send>,
        compression: Option<Compression>,
        dialect: &Dialect,
    ) -> Self {
        let feed = Feed { text, chunk: Vec::new(), start: 0, limit: LONGEST, end: End::NotYet };
        let reader = csv::ReaderBuilder::new()
            .delimiter(dialect.delimiter)
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(1 << 16)
            .from_reader(feed);
        let (file, line_feeds) = (file.to_string(), dialect.line_feeds);
        Self { file, compression, reader, line_feeds, count: 0 }
    }

    /// Whether the lines of the file are counted.
    pub(super) fn has_lines(&self) -> bool {
        self.line_feeds
    }

    /// Numbers rows from the next record on.
    pub(super) fn number_rows_from_here(&mut self) {
        self.count = 0;
    }

    /// Reads the next record and gives the line it starts on; `None` after the last. In a file
    /// without line feeds the number of the record takes the place of its line.
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::File`] for damaged compression; [`Error::Row`] for a quote that is
    /// not closed.
    pub(super) fn read(&mut self, record: &mut ByteRecord) -> Result<Option<u64>> {
        let before = self.reader.position().clone();
        self.reader.get_mut().limit = before.byte() + LONGEST;
        match self.reader.read_byte_record(record) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return Err(self.failed(error, before.line())),
        }
        self.count += 1;
        let consumed = self.reader.position().byte();
        let ended_by = self.reader.get_ref().byte_before(consumed);
        let unclosed = self.reader.get_ref().end == End::Told;
        let inside = line_feeds(record.as_slice());
        let terminator = u64::from(ended_by == Some(b'\n') && !unclosed);
        let line = self.reader.position().line() - inside - terminator;
        if unclosed {
            let last = record.range(record.len() - 1).map_or(0, |cell| cell.start);
            let opened = line + line_feeds(&record.as_slice()[..last]);
            return Err(self.row(opened, RowProblem::UnclosedQuote));
        }
        Ok(Some(if self.line_feeds { line } else { self.count }))
    }

    /// Where a record is that starts on `line`.
    pub(super) fn place(&self, line: u64) -> Place {
        if self.line_feeds { Place::Line(line) } else { Place::Row(line) }
    }

    /// The error for a record that starts on `line`.
    pub(super) fn row(&self, line: u64, problem: RowProblem) -> Error {
        Error::Row { file: self.file.clone(), place: self.place(line), problem }
    }

    fn failed(&self, error: csv::Error, line: u64) -> Error {
        if self.reader.get_ref().end == End::TooLong {
            return self.row(line, RowProblem::TooLong { megabytes: LONGEST >> 20 });
        }
        let source = match error.into_kind() {
            csv::ErrorKind::Io(source) => source,
            other => io::Error::other(format!("{other:?}")),
        };
        read_error(&self.file, self.compression, source)
    }
}

fn line_feeds(text: &[u8]) -> u64 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u64
}

/// How far a feed is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// There may be more.
    NotYet,
    /// The line feed after the last byte was given.
    Closed,
    /// The parser was told that there is no more.
    Told,
    /// The parser asked for more than a record may have.
    TooLong,
}

/// The text with a line feed after it, and the piece of it given last.
struct Feed {
    text: Box<dyn Read + Send>,
    chunk: Vec<u8>,
    /// Bytes given before the chunk.
    start: u64,
    /// Bytes that may be given until the next record.
    limit: u64,
    end: End,
}

impl Feed {
    /// The last of the first `count` bytes, if it is in the chunk.
    fn byte_before(&self, count: u64) -> Option<u8> {
        let index = count.checked_sub(self.start + 1)?;
        self.chunk.get(usize::try_from(index).ok()?).copied()
    }

    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.end != End::NotYet {
            self.end = End::Told;
            return Ok(0);
        }
        loop {
            match self.text.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) if !buffer.is_empty() => {
                    self.end = End::Closed;
                    buffer[0] = b'\n';
                    return Ok(1);
                }
                result => return result,
            }
        }
    }
}

impl Read for Feed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let given = self.start + self.chunk.len() as u64;
        if given > self.limit {
            self.end = End::TooLong;
            return Err(io::Error::other("the row is too long"));
        }
        let count = self.fill(buffer)?;
        if count > 0 {
            self.start = given;
            self.chunk.clear();
            self.chunk.extend_from_slice(&buffer[..count]);
        }
        Ok(count)
    }
}
