//! What a user should know of the names of columns in a text file.

use std::fmt;

use crate::error::{Remedy, joined, quoted};

/// Names listed in a sentence.
const LISTED: usize = 4;

/// Something that was decided about the first line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderNote {
    /// It holds nothing but numbers, and is a row.
    NumbersAreData,
    /// It has one cell fewer than the rows, the first of which are names of rows.
    RowNames {
        /// The name given to the first column.
        column: String,
    },
    /// Some columns had no name, or that of an earlier one.
    NamesGiven {
        /// The names given.
        columns: Vec<String>,
    },
}

impl fmt::Display for HeaderNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NumbersAreData => f.write_str(
                "the first line holds numbers: it is taken for data, the columns are column_1, …",
            ),
            Self::RowNames { column } => write!(
                f,
                "the first line has one cell fewer than the rows: the first column is taken for \
                 names of rows, {}",
                quoted(column)
            ),
            Self::NamesGiven { columns } => {
                let shown = columns.iter().take(LISTED).map(|name| quoted(name));
                let shown = shown.collect::<Vec<_>>().join(", ");
                let more = if columns.len() > LISTED { ", …" } else { "" };
                write!(f, "columns without a name of their own were given one: {shown}{more}")
            }
        }
    }
}

impl HeaderNote {
    /// The way back, where there is one.
    pub fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::NumbersAreData => vec![Remedy::AddNames, Remedy::NoHeader],
            _ => Vec::new(),
        }
    }

    /// The note and the way back in one sentence, the way back in the words given.
    pub fn sentence(&self, words: impl Fn(&Remedy) -> String) -> String {
        joined(self, self.remedies().iter().map(words))
    }
}
