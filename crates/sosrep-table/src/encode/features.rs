//! What the numbers of an encoded row mean.

use serde::Serialize;

use super::column::{Column, How};
use super::{Encoding, Missing};
use crate::error::Result;

/// A number of an encoded row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// The column it comes from: an index into [`Encoding::input_columns`].
    pub column: usize,
    /// What it says about the cell.
    pub meaning: Meaning,
}

/// What a number says about a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// Its value.
    Number,
    /// 1 for true, 0 for false.
    Boolean,
    /// 1 if the cell has a certain value, else 0.
    Membership,
    /// The share of the training rows with the cell's value.
    Share,
}

impl Meaning {
    /// A few words for a person.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Boolean => "true or false",
            Self::Membership => "yes or no",
            Self::Share => "share of rows",
        }
    }
}

impl Encoding {
    /// The encoding of columns that are numbers already and must not be missing.
    ///
    /// # Errors
    /// [`Error::BadEncoding`](crate::Error::BadEncoding) unless there are names and all differ.
    pub fn of_numbers(names: Vec<String>) -> Result<Self> {
        let number = |name| Column { name, how: How::Number { fill: None } };
        let columns = names.into_iter().map(number).collect();
        let encoding = Self { missing: Missing::Error, columns };
        encoding.check()?;
        Ok(encoding)
    }

    /// The numbers of an encoded row.
    pub fn features(&self) -> Vec<Feature> {
        let of_column = |(column, parts): (usize, &Column)| {
            let meaning = match parts.how {
                How::Number { .. } => Meaning::Number,
                How::Boolean { .. } => Meaning::Boolean,
                How::Onehot { .. } => Meaning::Membership,
                How::Frequency { .. } => Meaning::Share,
            };
            let names = parts.feature_names().into_iter();
            names.map(move |name| Feature { name, column, meaning }).collect::<Vec<_>>()
        };
        self.columns.iter().enumerate().flat_map(of_column).collect()
    }
}
