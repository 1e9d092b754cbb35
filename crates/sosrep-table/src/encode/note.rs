//! What a user should know of how a table is used: decisions that may surprise, with the way back.

use std::fmt;

use super::options::{ColumnUse, Dates};
use crate::error::{ColumnProblem, Place, Remedy, joined, quoted};

/// Something that was decided about a column.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// It names the rows, and is not a feature.
    Identifier {
        /// The column.
        column: String,
        /// Why.
        reason: IdentifierReason,
    },
    /// It has no value, and is left out.
    Empty {
        /// The column.
        column: String,
    },
    /// Its dates are all in the same part of every cycle, and it is left out.
    NoCycle {
        /// The column.
        column: String,
    },
    /// It holds dates, and those are left out.
    DatesLeftOut {
        /// The column.
        column: String,
    },
    /// It holds dates, and they are used as numbers.
    DatesAsDays {
        /// The column.
        column: String,
    },
    /// It holds times of day, and they are used as numbers.
    TimesAsNumbers {
        /// The column.
        column: String,
    },
    /// Its dates might have day and month the other way round.
    DayOrMonthFirst {
        /// The column.
        column: String,
    },
    /// Rare values are taken together.
    Pooled {
        /// The column.
        column: String,
        /// Distinct values taken together, where they were counted.
        values: Option<u64>,
        /// Values that are kept.
        kept: u64,
    },
    /// Most rows have a rare value, and it is left out.
    MostlyRare {
        /// The column.
        column: String,
        /// Rows with a rare value.
        rare: u64,
        /// All rows.
        rows: u64,
    },
    /// Integers that do not fit a double are categories.
    BigIntegers {
        /// The column.
        column: String,
    },
    /// Its texts are numbers as people write them.
    WrittenNumbers {
        /// The column.
        column: String,
        /// One of them.
        example: String,
        /// The number that it is.
        value: f64,
    },
    /// Infinite numbers count as missing.
    Infinite {
        /// The column.
        column: String,
        /// Cells with one.
        cells: u64,
        /// The first of them.
        first: Place,
    },
    /// Cells that are not of their column's kind count as missing.
    Unreadable {
        /// The column.
        column: String,
        /// Such cells.
        cells: u64,
        /// The first of them.
        first: Place,
        /// What is wrong with it.
        problem: ColumnProblem,
    },
}

/// Why a column is taken for an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdentifierReason {
    /// It counts the rows.
    RowNumbers,
    /// Text with another value in every row.
    DifferentTexts,
    /// Integers with another value in every row, in a column that is named like an identifier.
    DifferentIntegers,
    /// Integers beyond ±2⁵³ with another value in every row.
    BigIntegers,
}

impl IdentifierReason {
    fn words(self) -> &'static str {
        match self {
            Self::RowNumbers => "it counts the rows",
            Self::DifferentTexts => "every row has another text",
            Self::DifferentIntegers => "every row has another integer, and it is named like an id",
            Self::BigIntegers => "every row has another large integer",
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: ", quoted(self.column()))?;
        match self {
            Self::Identifier { reason, .. } => {
                write!(f, "taken for an identifier and no feature, {}", reason.words())
            }
            Self::Empty { .. } => f.write_str("left out, it has no value"),
            Self::NoCycle { .. } => {
                f.write_str("left out, hour, weekday and month are the same in all rows")
            }
            Self::DatesLeftOut { .. } => f.write_str("left out, it holds dates"),
            Self::DatesAsDays { .. } => f.write_str("dates are numbers, days since 1970-01-01"),
            Self::TimesAsNumbers { .. } => f.write_str("times are numbers, fractions of a day"),
            Self::DayOrMonthFirst { .. } => {
                f.write_str("the month is taken to come first in its dates")
            }
            Self::Pooled { values: Some(values), kept, .. } => {
                let plural = if *values == 1 { " counts" } else { "s count" };
                write!(f, "{values} rare value{plural} as \"other\"")?;
                match kept {
                    0 => f.write_str(", none is frequent"),
                    1 => f.write_str(", 1 is kept"),
                    kept => write!(f, ", {kept} are kept"),
                }
            }
            Self::Pooled { values: None, kept, .. } => {
                write!(f, "rare values count as \"other\", {kept} are kept")
            }
            Self::MostlyRare { rare, rows, .. } => {
                write!(f, "left out, most values are rare ({rare} of {rows} rows)")
            }
            Self::BigIntegers { .. } => {
                f.write_str("integers beyond 2^53 do not fit a number and are categories")
            }
            Self::WrittenNumbers { example, value, .. } => {
                write!(f, "its texts are numbers, {} is {value}", quoted(example))
            }
            Self::Infinite { cells, first, .. } => {
                write!(f, "infinite numbers count as missing (cells: {cells}, first in {first})")
            }
            Self::Unreadable { cells, first, problem, .. } => {
                write!(f, "{problem}; it counts as missing (cells: {cells}, first in {first})")
            }
        }
    }
}

impl Note {
    /// The column it is about.
    pub fn column(&self) -> &str {
        match self {
            Self::Identifier { column, .. }
            | Self::Empty { column }
            | Self::NoCycle { column }
            | Self::DatesLeftOut { column }
            | Self::DatesAsDays { column }
            | Self::TimesAsNumbers { column }
            | Self::DayOrMonthFirst { column }
            | Self::Pooled { column, .. }
            | Self::MostlyRare { column, .. }
            | Self::BigIntegers { column }
            | Self::WrittenNumbers { column, .. }
            | Self::Infinite { column, .. }
            | Self::Unreadable { column, .. } => column,
        }
    }

    /// The way back, where there is one.
    pub fn remedies(&self) -> Vec<Remedy> {
        let use_as = |column_use| vec![Remedy::UseColumn(self.column().to_string(), column_use)];
        match self {
            Self::Identifier { reason: IdentifierReason::DifferentTexts, .. } => {
                use_as(ColumnUse::Category)
            }
            Self::MostlyRare { .. } | Self::WrittenNumbers { .. } => use_as(ColumnUse::Category),
            Self::Identifier { .. } | Self::BigIntegers { .. } => use_as(ColumnUse::Number),
            Self::DatesLeftOut { .. } => use_as(ColumnUse::Date),
            Self::NoCycle { .. } => vec![Remedy::ChooseDates(Dates::Auto)],
            Self::DatesAsDays { .. } | Self::TimesAsNumbers { .. } => {
                [Dates::Parts, Dates::Ignore].map(Remedy::ChooseDates).to_vec()
            }
            Self::Unreadable { problem: ColumnProblem::NotNumber { .. }, .. } => {
                use_as(ColumnUse::Category)
            }
            _ => Vec::new(),
        }
    }

    /// The column and what it would have to be said to be, where that is the way back.
    pub(super) fn use_as(&self) -> Option<(String, ColumnUse)> {
        self.remedies().into_iter().find_map(|remedy| match remedy {
            Remedy::UseColumn(column, use_as) => Some((column, use_as)),
            _ => None,
        })
    }

    /// The note and the way back in one sentence, the way back in the words given.
    pub fn sentence(&self, words: impl Fn(&Remedy) -> String) -> String {
        joined(self, self.remedies().iter().map(words))
    }
}
