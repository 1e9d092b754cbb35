//! From named columns to a matrix of numbers, by rules fixed when fitted and kept with the model.
//!
//! ```text
//! number        the value; if the column has gaps, the median in their place, and 1 in a gap, else 0
//! boolean       0 or 1; so is text of two values without a gap, the first in order is 0
//! text          1 for the value of the row, 0 for all others: values in at least 1 % of the rows and
//!               in two rows, at most 50; then all others, rare or new; then missing ones, if any
//! date          days since 1970-01-01, as a number; or cosine and sine of hour, weekday and month
//! ```
//!
//! That is `auto`; each of [`Missing`], [`Categories`] and [`Dates`] has other choices, by which rows
//! with missing values are refused, dropped or filled: with the median of a number column, the most
//! frequent value of any other (the smaller one at a tie).
//!
//! A [`Survey`] of all rows decides what each column becomes ([`Survey::choose`]): a feature, an
//! identifier, nothing. Only medians are learnt from the rows that are kept. Values of text are
//! sorted, so that an encoding depends on the rows and not on how they are batched.
//!
//! Under `auto` a row that cannot be encoded is not an error: it is listed as [`Unscored`]. A text
//! that was not there in training is another value, or zeros where other values have no number; it is
//! reported as [`Unseen`], unless training had pooled values, which are not kept to be compared.
//!
//! Cost: fitting takes a pass over each column and a sort of its distinct values; applying takes a
//! pass, with one lookup a cell of text, and allocates nothing per cell.

mod apply;
mod cells;
mod choice;
mod column;
mod fit;
mod note;
mod options;
mod sample;
mod survey;
mod training;
mod unseen;
mod value;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::batch::ColumnInfo;
use crate::error::{Error, FileProblem, Result};
pub use apply::{Encoded, Unscored};
pub use choice::{Choice, Part};
pub use column::Meaning;
use column::{Column, ColumnEncoder};
pub use note::{IdentifierReason, Note};
pub use options::{Categories, ColumnUse, Dates, EncodeOptions, Missing};
pub use sample::{EncodedSample, TableSample};
pub use survey::Survey;
pub use unseen::{Unseen, UnseenValues};
pub use value::{ColumnFeatures, Value};

/// The most values a column may have for [`Categories::Onehot`].
const ONEHOT_LIMIT: usize = 100;
/// The most values of a category that have a number of their own.
const KEPT_VALUES: usize = 50;

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

impl Encoding {
    /// The encoding of columns that are numbers already; a row in which one is missing is
    /// [`Unscored`].
    ///
    /// # Errors
    /// [`Error::BadEncoding`] unless there are names and all differ.
    pub fn of_numbers(names: Vec<String>) -> Result<Self> {
        let encoder =
            ColumnEncoder::Number { fill: None, gaps: false, range: None, notation: None };
        let number = |name| Column { name, encoder: encoder.clone() };
        let columns = names.into_iter().map(number).collect();
        let encoding = Self { missing: Missing::Auto, columns };
        encoding.check()?;
        Ok(encoding)
    }

    /// Numbers in an encoded row.
    pub fn width(&self) -> usize {
        self.columns.iter().map(|column| column.encoder.width()).sum()
    }

    /// Names of the encoded columns, all different.
    pub fn feature_names(&self) -> Vec<String> {
        different(self.columns.iter().flat_map(Column::feature_names).collect())
    }

    /// The numbers of an encoded row.
    pub fn features(&self) -> Vec<Feature> {
        let meanings = |(column, parts): (usize, &Column)| {
            parts.encoder.meanings().into_iter().map(move |meaning| (column, meaning))
        };
        let meanings = self.columns.iter().enumerate().flat_map(meanings);
        let features = self.feature_names().into_iter().zip(meanings);
        features.map(|(name, (column, meaning))| Feature { name, column, meaning }).collect()
    }

    /// The columns a file must have to be scored, in the order [`apply`](Self::apply) takes them.
    pub fn input_columns(&self) -> Vec<ColumnInfo> {
        let info = |column: &Column| {
            let (name, kind) = (column.name.clone(), column.encoder.kind());
            ColumnInfo { name, kind }
        };
        self.columns.iter().map(info).collect()
    }

    /// What is done about missing values.
    pub fn missing(&self) -> Missing {
        self.missing
    }

    /// Where each of the [input columns](Self::input_columns) stands among those of a file.
    ///
    /// Columns named in `ignore` may be there or not. Kinds are not compared: read the file with
    /// those of the input columns.
    ///
    /// # Errors
    /// [`FileProblem::WrongColumns`], with all columns that are missing and all that are unknown.
    pub fn match_columns(
        &self,
        file: &str,
        found: &[ColumnInfo],
        ignore: &[&str],
    ) -> Result<Vec<usize>> {
        let find = |name: &str| found.iter().position(|info| info.name == name);
        let places: Vec<Option<usize>> = self.columns.iter().map(|c| find(&c.name)).collect();
        let unknown = |info: &&ColumnInfo| self.columns.iter().all(|c| c.name != info.name);
        let mut extra: Vec<&str> =
            found.iter().filter(unknown).map(|info| info.name.as_str()).collect();
        let (mut missing, mut renamed) = (Vec::new(), Vec::new());
        for (column, _) in self.columns.iter().zip(&places).filter(|(_, place)| place.is_none()) {
            let spelling = simplified(&column.name);
            match extra.iter().find(|name| simplified(name) == spelling) {
                Some(near) => renamed.push((column.name.clone(), near.to_string())),
                None => missing.push(column.name.clone()),
            }
        }
        extra.retain(|name| !ignore.contains(name));
        extra.retain(|name| renamed.iter().all(|(_, near)| near != name));
        if missing.is_empty() && renamed.is_empty() && extra.is_empty() {
            return Ok(places.into_iter().flatten().collect());
        }
        let extra = extra.into_iter().map(str::to_string).collect();
        Err(Error::file(file, FileProblem::WrongColumns { missing, renamed, extra }))
    }

    /// An error unless the encoding is one that fitting could give: names differ, values are
    /// sorted, numbers are finite, and there is something to fill in exactly where it is needed. The other functions rely on all of it.
    ///
    /// # Errors
    /// [`Error::BadEncoding`], with what is wrong.
    pub fn check(&self) -> Result<()> {
        let bad = |what: String| Err(Error::BadEncoding(what));
        if self.columns.is_empty() {
            return bad("it has no columns".to_string());
        }
        expect_different(self.columns.iter().map(|column| column.name.clone()))?;
        for Column { name, encoder } in &self.columns {
            if name.is_empty() {
                return bad("a column has no name".to_string());
            }
            if let Some(fault) = encoder.fault(self.missing) {
                return bad(format!("column {name:?} {fault}"));
            }
        }
        Ok(())
    }
}

/// A name without what people spell in several ways: case, spaces, underscores, hyphens.
fn simplified(name: &str) -> String {
    let kept = name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-'));
    kept.flat_map(char::to_lowercase).collect()
}

fn expect_different(mut names: impl Iterator<Item = String>) -> Result<()> {
    let mut seen = HashSet::new();
    match names.find(|name| !seen.insert(name.clone())) {
        Some(name) => Err(Error::BadEncoding(format!("two columns are named {name:?}"))),
        None => Ok(()),
    }
}

/// The names, with a number behind those that were there before.
fn different(names: Vec<String>) -> Vec<String> {
    let mut seen: HashSet<String> = HashSet::new();
    let different = |name: String| {
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let mut candidates = std::iter::once(name.clone()).chain(numbered);
        let chosen = candidates.find(|candidate| !seen.contains(candidate)).unwrap_or(name);
        seen.insert(chosen.clone());
        chosen
    };
    names.into_iter().map(different).collect()
}

#[cfg(test)]
mod tests;
