//! From named columns to a matrix of numbers, by rules fixed when fitted and kept with the model.
//!
//! ```text
//! number      the value                          boolean     0 or 1
//! one-hot     a column `name=value` per value    frequency   share of the training rows with it
//! ```
//!
//! Rows with missing values are refused, dropped or filled: with the median of a number column, the
//! most frequent value of any other (the smaller one at a tie). What is learnt, is learnt from the
//! rows that are kept; shares are of the rows that have a value. The values of a text column are
//! sorted, so that an encoding depends on the rows and not on how they are batched.
//!
//! A value of a text column that was not there in training is not an error: it is encoded as zeros
//! and reported as [`Unseen`].
//!
//! Cost: fitting takes a pass over each column and a sort of its distinct values; applying takes a
//! pass, with one lookup a cell of text, and allocates nothing per cell.

mod apply;
mod cells;
mod check;
mod column;
mod decode;
mod features;
mod fit;
mod matching;
mod survey;
mod training;
mod unseen;

use serde::{Deserialize, Serialize};

use crate::batch::ColumnInfo;
pub use apply::Encoded;
use column::Column;
pub use features::{Feature, Meaning};
pub use survey::Survey;
pub use unseen::{Unseen, UnseenValues};

/// The most values a column may have for [`Categories::Onehot`].
const ONEHOT_LIMIT: usize = 100;

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

/// The fitted map from rows of a table to rows of numbers.
///
/// One that was read from a file is to be [checked](Self::check) before use: the other functions
/// rely on it and may panic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encoding {
    missing: Missing,
    columns: Vec<Column>,
}

impl Missing {
    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Drop => "drop",
            Self::Impute => "impute",
        }
    }
}

impl Encoding {
    /// Numbers in an encoded row.
    pub fn width(&self) -> usize {
        self.columns.iter().map(Column::width).sum()
    }

    /// Names of the encoded columns, all different.
    pub fn feature_names(&self) -> Vec<String> {
        self.columns.iter().flat_map(Column::feature_names).collect()
    }

    /// The columns a file must have to be scored, in the order [`apply`](Self::apply) takes them.
    pub fn input_columns(&self) -> Vec<ColumnInfo> {
        let info = |column: &Column| ColumnInfo { name: column.name.clone(), kind: column.kind() };
        self.columns.iter().map(info).collect()
    }

    /// What is done about missing values.
    pub fn missing(&self) -> Missing {
        self.missing
    }
}

#[cfg(test)]
mod tests;
