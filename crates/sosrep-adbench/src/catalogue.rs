//! The 47 data sets of ADBench: what they are called, what their files hold, which are at hand.
//!
//! Of four of them ([`Entry::facts`] is `None`) nothing is known here: their files are taken as they
//! are. All others must be, byte for byte, those ADBench publishes; [`find`] reads every file once
//! for that.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::checksum;
use crate::dataset::{Dataset, Shape};
use crate::error::{Error, Result};

/// A data set of ADBench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its number, from 1 to 47.
    pub number: u8,
    /// Its name without the number.
    pub name: &'static str,
    /// What its file holds, where that is known.
    pub facts: Option<Facts>,
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Rows, columns and anomalies.
    pub shape: Shape,
    /// SHA-256 of the file, as 64 hexadecimal digits.
    pub checksum: &'static str,
}

impl Entry {
    /// The name of its file.
    pub fn file_name(&self) -> String {
        format!("{self}.npz")
    }
}

/// Number and name, as in `14_glass`.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.number, self.name)
    }
}

/// The catalogue itself, which the report reads too: a line a data set.
const LINES: &str = include_str!("../python/adbench_report/catalogue.csv");

/// All data sets, by number.
pub fn all() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> =
        LazyLock::new(|| LINES.lines().skip(1).filter_map(entry).collect());
    &ENTRIES
}

/// A line: number, name, rows, columns, anomalies, SHA-256; the last four may be empty.
fn entry(line: &'static str) -> Option<Entry> {
    let [number, name, rows, columns, anomalies, checksum] =
        line.split(',').collect::<Vec<_>>().try_into().ok()?;
    let count = |text: &str| text.parse::<usize>().ok();
    let shape = count(rows).zip(count(columns)).zip(count(anomalies));
    let facts = shape.map(|((rows, columns), anomalies)| Facts {
        shape: Shape { rows, columns, anomalies },
        checksum,
    });
    Some(Entry { number: number.parse().ok()?, name, facts })
}

/// The data set of a name: `14_glass`, `glass` or `14`.
///
/// # Errors
/// [`Error::UnknownDataSet`].
pub fn named(name: &str) -> Result<Entry> {
    let is_named = |entry: &&Entry| {
        name == entry.name || name == entry.to_string() || name == entry.number.to_string()
    };
    let entry = all().iter().find(is_named);
    entry.copied().ok_or_else(|| Error::UnknownDataSet { name: name.to_string() })
}

/// The data sets of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The folder.
    pub folder: PathBuf,
    /// Those whose file is there, by number.
    pub present: Vec<(Entry, PathBuf)>,
    /// Those whose file is not, by number.
    pub missing: Vec<Entry>,
}

impl Found {
    /// Reads one of the data sets.
    ///
    /// # Errors
    /// [`Error::MissingDataSet`], or what is wrong with the file.
    pub fn read(&self, entry: &Entry) -> Result<Dataset> {
        Dataset::read(entry, self.path(entry)?)
    }

    /// The file of one of the data sets.
    ///
    /// # Errors
    /// [`Error::MissingDataSet`].
    pub fn path(&self, entry: &Entry) -> Result<&Path> {
        let present = self.present.iter().find(|(present, _)| present == entry);
        present.map(|(_, path)| path.as_path()).ok_or_else(|| Error::MissingDataSet {
            data_set: entry.to_string(),
            folder: self.folder.display().to_string(),
            file: entry.file_name(),
        })
    }
}

/// Looks for the data sets in a folder; other files there are left aside.
///
/// # Errors
/// [`Error::NoFolder`]; for a file that is not ADBench's, what is wrong with it, or else
/// [`Error::WrongShape`] or [`Error::WrongChecksum`].
pub fn find(folder: impl AsRef<Path>) -> Result<Found> {
    let folder = folder.as_ref().to_path_buf();
    if !folder.is_dir() {
        return Err(Error::NoFolder { folder: folder.display().to_string() });
    }
    let (mut present, mut missing) = (Vec::new(), Vec::new());
    for entry in all() {
        let path = folder.join(entry.file_name());
        if path.exists() {
            verify(entry, &path)?;
            present.push((*entry, path));
        } else {
            missing.push(*entry);
        }
    }
    Ok(Found { folder, present, missing })
}

/// An error unless the file is the one of the catalogue.
fn verify(entry: &Entry, path: &Path) -> Result<()> {
    let Some(facts) = entry.facts else { return Ok(()) };
    if checksum::of_file(path)? == facts.checksum {
        return Ok(());
    }
    // Reading ends in the same error, or in one that says more: damage, or another table.
    Dataset::read(entry, path).map(drop)
}
