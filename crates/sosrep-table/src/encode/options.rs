//! The choices a user has: missing values and columns of text.
//!
//! Each choice has one name, the same in every interface and in model files, and is read from it by
//! [`FromStr`].

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What is done about missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// They are an error.
    #[default]
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
    /// They are an error.
    #[default]
    Error,
    /// A column of zeros and ones for every value.
    Onehot,
    /// The share of the training rows that have the value.
    Frequency,
}

/// How columns become numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EncodeOptions {
    /// What is done about missing values. Default: [`Missing::Error`].
    pub missing: Missing,
    /// What is done about columns of text. Default: [`Categories::Error`].
    pub categories: Categories,
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
    pub const NAMES: [(&'static str, &'static str); 3] = [
        ("error", "missing values are an error"),
        ("drop", "leave out rows with a missing value"),
        ("impute", "fill in the median, or the most frequent value of text and booleans"),
    ];
    const ALL: [Self; 3] = [Self::Error, Self::Drop, Self::Impute];

    /// The name of the choice.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

impl Categories {
    /// The names, each with what it does.
    pub const NAMES: [(&'static str, &'static str); 3] = [
        ("error", "columns of text are an error"),
        ("onehot", "a column of 0 and 1 for every value"),
        ("frequency", "the share of the training rows that have the value"),
    ];
    const ALL: [Self; 3] = [Self::Error, Self::Onehot, Self::Frequency];

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
        assert_eq!(
            "maybe".parse::<Missing>().unwrap_err().to_string(),
            "missing is \"maybe\"; it must be one of error, drop, impute"
        );
    }
}
