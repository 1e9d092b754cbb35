//! Reading: a file, whatever its format, as batches of rows.
//!
//! [`open`] tells the format by the content. CSV, JSON and Arrow streams are read once from start to
//! end; Parquet, Arrow files and NumPy need a file to jump about in, so standard input is copied to a
//! temporary one for them. Batches are of the same form whatever the format, see
//! [`batch`](crate::batch).
//!
//! Decoders of binary formats may panic on damaged files. That is caught and becomes an error, but
//! the panic hook has then already written to standard error: a program that does not want it
//! installs its own. An allocation that fails would end the program all the same, and a loop that
//! does not end would never let go of it: so what a binary file claims is held against its length
//! before the decoder sees it.

mod arrow_source;
mod compression;
mod csv;
mod format;
mod header_note;
mod infer;
mod ipc;
mod json;
mod npy;
mod npz;
mod origin;
mod parquet;

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use self::csv::CsvSource;
use crate::batch::{Batch, ColumnInfo, ColumnKind};
use crate::error::{Error, Result};
use crate::table::{Table, named, numbered};
use arrow_source::ArrowSource;
use compression::Compression;
use format::Format;
pub use header_note::HeaderNote;
use json::JsonSource;
use origin::Origin;

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
    /// Columns that are text whatever they look like, and in which only an empty cell is missing:
    /// what names a row may well be `NA`.
    pub verbatim: HashSet<String>,
    /// Whether the first line of a CSV file may hold names: one of numbers alone does not. Without
    /// names, columns are `column_1`, ….
    pub header: bool,
    /// Rows in a batch. Default: 8192.
    pub batch_rows: usize,
    /// The most bytes that a piece of a binary file, which is decoded as a whole, may take: a batch
    /// of Arrow, a page of Parquet. Default: 1 GiB.
    pub memory: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            kinds: HashMap::new(),
            verbatim: HashSet::new(),
            header: true,
            batch_rows: 8192,
            memory: 1 << 30,
        }
    }
}

impl ReadOptions {
    /// The kind of a column, if it is known.
    fn kind(&self, name: &str) -> Option<ColumnKind> {
        let text = self.verbatim.contains(name).then_some(ColumnKind::Text);
        text.or_else(|| self.kinds.get(name).copied())
    }
}

/// A table being read.
pub trait Source: Send {
    /// The file's name for messages.
    fn name(&self) -> &str;
    /// All columns in the order of the file, whatever was projected.
    fn columns(&self) -> &[ColumnInfo];
    /// What was decided about the names of columns.
    fn header_notes(&self) -> &[HeaderNote] {
        &[]
    }
    /// Restricts the batches to these columns (indices into [`columns`](Self::columns)), in this
    /// order. Called before the first batch, if at all.
    fn project(&mut self, columns: &[usize]);
    /// Appends these columns to the batches once more, as they are in the file and whatever kind they
    /// are read as otherwise: text as it is written. Gives their kinds. Called after
    /// [`project`](Self::project) and before the first batch, if at all.
    fn carry(&mut self, columns: &[usize]) -> Vec<ColumnInfo>;
    /// The next rows; `None` after the last.
    ///
    /// # Errors
    /// What is wrong with them.
    fn next_batch(&mut self) -> Result<Option<Batch>>;
    /// Share of the file read, in [0, 1], where the size is known.
    fn progress(&self) -> Option<f64>;
}

/// Opens a table and reads what its columns are.
///
/// # Errors
/// [`Error::Read`]; otherwise what is wrong with the file, its names or, for CSV, the first rows.
pub fn open(input: &Input, options: &ReadOptions) -> Result<Box<dyn Source>> {
    let named = match input {
        Input::Path(path) => Some(path.as_path()),
        Input::Stdin => None,
        Input::Bytes { name, .. } => Some(Path::new(name)),
    };
    open_origin(Origin::open(input)?, named, options)
}

/// Opens a table that comes as bytes from wherever they come, as [`open`] does. The name is that of
/// messages, and how it ends counts as that of a file does.
///
/// # Errors
/// Those of [`open`].
pub fn open_reader(
    name: &str,
    reader: Box<dyn Read + Send>,
    options: &ReadOptions,
) -> Result<Box<dyn Source>> {
    open_origin(Origin::of_reader(name, reader)?, Some(Path::new(name)), options)
}

fn open_origin(
    mut origin: Origin,
    named: Option<&Path>,
    options: &ReadOptions,
) -> Result<Box<dyn Source>> {
    let compression = Compression::of(&origin.head);
    if let Some(compression) = compression {
        origin = origin.decompressed(compression)?;
    }
    let name = origin.name.clone();
    let failed = |problem| Error::File { file: name.clone(), problem };
    let format = Format::of(named, &origin.head, compression).map_err(failed)?;
    match format {
        Format::Csv => return Ok(Box::new(CsvSource::open(origin, compression, options)?)),
        Format::Json => return Ok(Box::new(JsonSource::open(origin, compression, options)?)),
        _ => {}
    }
    if format == Format::ArrowStream {
        let (stream, meter) = origin.into_stream();
        let open = || ipc::open_stream(stream, meter, options.memory);
        return Ok(Box::new(ArrowSource::open(name, format, options, open)?));
    }
    let file = origin.into_file()?;
    let open = || match format {
        Format::Parquet => parquet::open(file, options),
        Format::ArrowFile => ipc::open_file(file, options.memory),
        Format::Npy => npy::open(file, options),
        _ => npz::open(file, options),
    };
    Ok(Box::new(ArrowSource::open(name, format, options, open)?))
}

/// All rows of a table.
///
/// `keep_going` is called before every batch with the share of the file read; the work stops when
/// it gives `false`.
///
/// # Errors
/// [`Error::Cancelled`], or what is wrong with the table.
pub fn read_all(
    source: &mut dyn Source,
    keep_going: &mut dyn FnMut(Option<f64>) -> bool,
) -> Result<Vec<Batch>> {
    let mut batches = Vec::new();
    loop {
        if !keep_going(source.progress()) {
            return Err(Error::Cancelled);
        }
        match source.next_batch()? {
            Some(batch) => batches.push(batch),
            None => return Ok(batches),
        }
    }
}
