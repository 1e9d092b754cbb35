//! What the numbers of a row stand for: the columns of the table that they come from.
//!
//! A row of a table becomes a row of numbers, its *features*. A column of the table is the unit that
//! counts: it has one coordinate's worth of distance, however many features it takes.
//!
//! | column | features |
//! |---|---|
//! | number | its value |
//! | number that may be missing | its value, or something typical in its place; 1 if missing, else 0 |
//! | category | one for every value: 1 for the value of the row, 0 for all others |
//!
//! Two values, such as true and false, are a number: 0 and 1.

use serde::{Deserialize, Serialize};

/// A column of a table, and the features it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SourceColumn {
    /// A number, one feature.
    Number,
    /// A number that may be missing, two features: the value, where it is missing the median or
    /// anything else; and 1 if it is missing, else 0.
    NumberOrMissing,
    /// A category, as many features as values: 1 for the value of the row, 0 for all others.
    Category(usize),
}

impl SourceColumn {
    /// Features that the column takes.
    pub fn features(self) -> usize {
        match self {
            Self::Number => 1,
            Self::NumberOrMissing => 2,
            Self::Category(values) => values,
        }
    }
}
