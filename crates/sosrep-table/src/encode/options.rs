//! The choices a user has: missing values, columns of text, dates, and what single columns are.
//!
//! Each choice has one name, the same in every interface and in model files, and is read from it by
//! [`FromStr`]. `auto` is the default of each: whatever the table holds is used as it is meant.

use std::collections::HashMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::batch::ColumnKind;

/// What is done about missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// They say that they are missing, and nothing else.
    #[default]
    Auto,
    /// They are an error.
    Error,
    /// Their rows are left out.
    Drop,
    /// They are replaced by the median of a number column, the most frequent value of another.
    Impute,
}

/// What is done about columns of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Categories {
    /// They are categories, rare values taken together.
    #[default]
    Auto,
    /// They are an error.
    Error,
    /// They are categories of all their values.
    Onehot,
    /// The share of the training rows that have the value.
    Frequency,
}

/// What is done about columns of dates and times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dates {
    /// They are the days since 1970-01-01.
    #[default]
    Auto,
    /// They are the hour, the day of the week and the month, each as a cycle.
    Parts,
    /// They are left out.
    Ignore,
    /// They are an error.
    Error,
}

/// What a column is, by the word of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnUse {
    /// Categories, whatever its cells look like.
    Category,
    /// Numbers, even if it looks like an identifier.
    Number,
    /// Dates.
    Date,
    /// Not a feature.
    Ignore,
}

/// How columns become numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EncodeOptions {
    /// What is done about missing values. Default: [`Missing::Auto`].
    pub missing: Missing,
    /// What is done about columns of text. Default: [`Categories::Auto`].
    pub categories: Categories,
    /// What is done about columns of dates. Default: [`Dates::Auto`].
    pub dates: Dates,
    /// Columns of which the user says what they are. Default: none.
    pub columns: HashMap<String, ColumnUse>,
}

impl EncodeOptions {
    /// The kinds in which columns are to be read, as far as the user said.
    pub fn kinds(&self) -> HashMap<String, ColumnKind> {
        let kind = |(name, use_as): (&String, &ColumnUse)| {
            let kind = match use_as {
                ColumnUse::Category => ColumnKind::Text,
                ColumnUse::Number => ColumnKind::Number,
                ColumnUse::Date => ColumnKind::Date,
                ColumnUse::Ignore => return None,
            };
            Some((name.clone(), kind))
        };
        self.columns.iter().filter_map(kind).collect()
    }

    /// What the user says of a column.
    pub(super) fn said(&self, column: &str) -> Option<ColumnUse> {
        self.columns.get(column).copied()
    }

    /// What is done about a column of text: one that is said to hold categories is no error.
    pub(super) fn categories_of(&self, column: &str) -> Categories {
        match (self.categories, self.said(column)) {
            (Categories::Error, Some(ColumnUse::Category)) => Categories::Auto,
            (categories, _) => categories,
        }
    }

    /// What is done about a column of dates: one that is said to hold them is used.
    pub(super) fn dates_of(&self, column: &str) -> Dates {
        match (self.dates, self.said(column)) {
            (Dates::Error | Dates::Ignore, Some(ColumnUse::Date)) => Dates::Auto,
            (dates, _) => dates,
        }
    }
}

/// A name that no choice has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{option} is {name:?}; it must be one of {names}")]
pub struct UnknownChoice {
    /// What was to be chosen.
    pub option: &'static str,
    /// The name given.
    pub name: String,
    /// The names there are.
    pub names: String,
}

impl Missing {
    /// The names, each with what it does.
    pub const NAMES: [(&'static str, &'static str); 4] = [
        ("auto", "a missing number counts as missing, a missing text is a category"),
        ("error", "missing values are an error"),
        ("drop", "leave out rows with a missing value"),
        ("impute", "fill in the median, or the most frequent value of text and booleans"),
    ];
    const ALL: [Self; 4] = [Self::Auto, Self::Error, Self::Drop, Self::Impute];

    /// The name of the choice.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

impl Categories {
    /// The names, each with what it does.
    pub const NAMES: [(&'static str, &'static str); 4] = [
        ("auto", "text is a category, its rare values taken together"),
        ("error", "columns of text are an error"),
        ("onehot", "a category of all values, at most 100"),
        ("frequency", "the share of the training rows that have the value"),
    ];
    const ALL: [Self; 4] = [Self::Auto, Self::Error, Self::Onehot, Self::Frequency];

    /// The name of the choice.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

impl Dates {
    /// The names, each with what it does.
    pub const NAMES: [(&'static str, &'static str); 4] = [
        ("auto", "a date is a number, the days since 1970-01-01"),
        ("parts", "hour, day of the week and month, each as a cycle"),
        ("ignore", "leave out columns of dates"),
        ("error", "columns of dates are an error"),
    ];
    const ALL: [Self; 4] = [Self::Auto, Self::Parts, Self::Ignore, Self::Error];

    /// The name of the choice.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

impl FromStr for Missing {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        position("missing", &Self::NAMES, name).map(|index| Self::ALL[index])
    }
}

impl FromStr for Categories {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        position("categories", &Self::NAMES, name).map(|index| Self::ALL[index])
    }
}

impl FromStr for Dates {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        position("dates", &Self::NAMES, name).map(|index| Self::ALL[index])
    }
}

fn position(
    option: &'static str,
    names: &[(&str, &str)],
    name: &str,
) -> Result<usize, UnknownChoice> {
    names.iter().position(|(known, _)| *known == name).ok_or_else(|| UnknownChoice {
        option,
        name: name.to_string(),
        names: names.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_model_files_and_reads_back() {
        for choice in Missing::ALL {
            assert_eq!(serde_json::to_value(choice).unwrap(), choice.name());
            assert_eq!(choice.name().parse(), Ok(choice));
        }
        for choice in Categories::ALL {
            assert_eq!(serde_json::to_value(choice).unwrap(), choice.name());
            assert_eq!(choice.name().parse(), Ok(choice));
        }
        for choice in Dates::ALL {
            assert_eq!(serde_json::to_value(choice).unwrap(), choice.name());
            assert_eq!(choice.name().parse(), Ok(choice));
        }
        assert_eq!(
            "maybe".parse::<Missing>().unwrap_err().to_string(),
            "missing is \"maybe\"; it must be one of auto, error, drop, impute"
        );
    }
}
