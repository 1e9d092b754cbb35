//! A table that only grows: what was written once is never written again, nor lost.
//!
//! A CSV file with a header. Every entry is one line and one write, synced to disk before the next
//! begins. A program that is killed leaves at most the beginning of a line, without its newline:
//! the next one cuts it off and goes on. Only one program writes at a time: the file is locked
//! until the log is dropped.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// How often a lock is tried.
const ATTEMPTS: usize = 20;
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(50);

/// A log that is open for writing.
#[derive(Debug)]
pub struct Log<T> {
    path: PathBuf,
    file: File,
    has_header: bool,
    entries: Vec<T>,
}

impl<T: Serialize + DeserializeOwned> Log<T> {
    /// Opens a log, which is made if it is not there.
    ///
    /// # Errors
    /// [`Error::LogFile`] for a file that cannot be read or written, [`Error::LogInUse`],
    /// [`Error::LogLine`] for a line that is no entry.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        let failed = |source| Error::LogFile { file: path.display().to_string(), source };
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(&path).map_err(failed)?;
        lock(&path, &file)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = whole_lines(&bytes);
        if whole.len() < bytes.len() {
            file.set_len(whole.len() as u64).map_err(failed)?;
            file.seek(SeekFrom::End(0)).map_err(failed)?;
        }
        let entries = parse(&path, whole)?;
        Ok(Self { path, file, has_header: !whole.is_empty(), entries })
    }

    /// What was written so far.
    pub fn entries(&self) -> &[T] {
        &self.entries
    }

    /// Writes an entry; when this returns it is on the disk.
    ///
    /// # Errors
    /// [`Error::LogFile`].
    pub fn append(&mut self, entry: T) -> Result<()> {
        let failed = |source| Error::LogFile { file: self.path.display().to_string(), source };
        let line = line(&entry, !self.has_header).map_err(failed)?;
        self.file.write_all(&line).and_then(|()| self.file.sync_data()).map_err(failed)?;
        self.has_header = true;
        self.entries.push(entry);
        Ok(())
    }
}

/// Locks the file. A program that is just ending, or just starting another, is waited for.
fn lock(path: &Path, file: &File) -> Result<()> {
    let shown = || path.display().to_string();
    for _ in 0..ATTEMPTS {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(source)) => {
                return Err(Error::LogFile { file: shown(), source });
            }
        }
    }
    Err(Error::LogInUse { file: shown() })
}

/// The entries of a log, without opening it for writing; the beginning of a line at its end, which
/// someone may just be writing, does not count.
///
/// # Errors
/// [`Error::LogFile`], [`Error::LogLine`].
pub fn read<T: DeserializeOwned>(path: impl AsRef<Path>) -> Result<Vec<T>> {
    let path = path.as_ref();
    let failed = |source| Error::LogFile { file: path.display().to_string(), source };
    let bytes = std::fs::read(path).map_err(failed)?;
    parse(path, whole_lines(&bytes))
}

/// Everything up to the last newline.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    &bytes[..end]
}

fn parse<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<Vec<T>> {
    let numbered = (2..).zip(csv::Reader::from_reader(bytes).into_deserialize());
    let entry = |(line, entry): (usize, csv::Result<T>)| {
        entry.map_err(|problem| Error::LogLine {
            file: path.display().to_string(),
            line,
            problem: problem.to_string(),
        })
    };
    numbered.map(entry).collect()
}

/// An entry as bytes, after the header if that is still to be written.
fn line<T: Serialize>(entry: &T, with_header: bool) -> std::io::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new().has_headers(with_header).from_writer(Vec::new());
    writer.serialize(entry)?;
    let mut bytes = writer.into_inner().map_err(|error| error.into_error())?;
    // A newline inside of a cell would make two lines of one; it means no more than a space.
    let begin = if with_header {
        bytes.iter().position(|&byte| byte == b'\n').map_or(0, |i| i + 1)
    } else {
        0
    };
    let end = bytes.len() - 1;
    for byte in &mut bytes[begin..end] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    Ok(bytes)
}
