//! Surveys of parts of a table: put together, and as bytes, to be sent from one process to another.
//!
//! ```text
//! "sosrep survey 1\n", then its fields in the format of postcard
//! ```
//!
//! Bytes may come from anywhere: lengths and sums are checked, so that what is read is a survey that
//! some rows could have given. They are no archive: both processes have the same version.

use super::{ColumnTally, Survey, Values};
use crate::batch::{ColumnInfo, ColumnKind};
use crate::error::{Error, Result};

const BEGINNING: &[u8] = b"sosrep survey 1\n";

impl Survey {
    /// Adds the survey of other rows of the table.
    ///
    /// # Errors
    /// [`Error::BadPart`] if it is of other columns, or made with other options.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.columns != other.columns || self.options != other.options {
            return Err(Error::BadPart("it has other columns".to_string()));
        }
        self.rows += other.rows;
        self.complete += other.complete;
        for (missing, others) in self.missing.iter_mut().zip(&other.missing) {
            *missing += others;
        }
        self.tallies.iter_mut().zip(&other.tallies).for_each(|(tally, other)| tally.merge(other));
        Ok(())
    }

    /// The survey as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Only maps of unknown length and the like are no bytes.
        let bytes = postcard::to_allocvec(self).unwrap_or_default();
        [BEGINNING, &bytes].concat()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote, from any source.
    ///
    /// # Errors
    /// [`Error::BadPart`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let unreadable = || Error::BadPart("it is damaged, or of another version".to_string());
        let fields = bytes.strip_prefix(BEGINNING).ok_or_else(unreadable)?;
        let (survey, rest) = postcard::take_from_bytes::<Self>(fields).map_err(|_| unreadable())?;
        if rest.is_empty() && survey.is_valid() { Ok(survey) } else { Err(unreadable()) }
    }

    fn is_valid(&self) -> bool {
        // So few that no sum of several overflows.
        let few = self.rows < 1 << 56 && self.complete <= self.rows;
        let columns = self.columns.len();
        few && self.missing.len() == columns
            && self.missing.iter().all(|missing| *missing <= self.rows)
            && self.tallies.len() == columns
            && self
                .tallies
                .iter()
                .zip(&self.columns)
                .all(|(tally, column)| tally.is_valid(column, self.rows))
    }
}

impl ColumnTally {
    fn merge(&mut self, other: &Self) {
        self.first_missing = match (self.first_missing, other.first_missing) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.unreadable.merge(&other.unreadable);
        match (&mut self.values, &other.values) {
            (Values::Number(tally), Values::Number(other)) => tally.merge(other),
            (Values::Boolean(counts), Values::Boolean(others)) => {
                counts.iter_mut().zip(others).for_each(|(count, others)| *count += others);
            }
            (Values::Text(tally), Values::Text(other)) => tally.merge(other),
            (Values::Date(tally), Values::Date(other)) => tally.merge(other),
            // Of one kind, since the columns are the same and the surveys valid.
            _ => {}
        }
    }

    fn is_valid(&self, column: &ColumnInfo, rows: u64) -> bool {
        match (&self.values, column.kind) {
            (Values::Number(tally), ColumnKind::Number) => {
                tally.is_valid() && tally.present <= rows
            }
            (Values::Boolean(counts), ColumnKind::Boolean) => {
                counts.iter().all(|count| *count <= rows)
            }
            (Values::Text(tally), ColumnKind::Text | ColumnKind::BigInteger) => {
                tally.is_valid() && tally.present() <= rows
            }
            (Values::Date(tally), ColumnKind::Date) => tally.reading().present <= rows,
            _ => false,
        }
    }
}
