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
mod column;
mod fit;
mod options;
mod survey;
mod training;
mod unseen;

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema};
use serde::{Deserialize, Serialize};

use crate::batch::ColumnInfo;
use crate::error::{Error, FileProblem, Result};
pub use apply::Encoded;
pub use column::Meaning;
use column::{Column, ColumnEncoder};
pub use options::{Categories, EncodeOptions, Missing};
pub use survey::Survey;
pub use unseen::{Unseen, UnseenValues};

/// The most values a column may have for [`Categories::Onehot`].
const ONEHOT_LIMIT: usize = 100;

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
    /// The encoding of columns that are numbers already and must not be missing.
    ///
    /// # Errors
    /// [`Error::BadEncoding`] unless there are names and all differ.
    pub fn of_numbers(names: Vec<String>) -> Result<Self> {
        let number = |name| Column { name, encoder: ColumnEncoder::Number { fill: None } };
        let columns = names.into_iter().map(number).collect();
        let encoding = Self { missing: Missing::Error, columns };
        encoding.check()?;
        Ok(encoding)
    }

    /// Numbers in an encoded row.
    pub fn width(&self) -> usize {
        self.columns.iter().map(|column| column.encoder.width()).sum()
    }

    /// Names of the encoded columns, all different.
    pub fn feature_names(&self) -> Vec<String> {
        self.columns.iter().flat_map(Column::feature_names).collect()
    }

    /// The numbers of an encoded row.
    pub fn features(&self) -> Vec<Feature> {
        let of_column = |(column, parts): (usize, &Column)| {
            let (names, meaning) = (parts.feature_names().into_iter(), parts.encoder.meaning());
            names.map(move |name| Feature { name, column, meaning })
        };
        self.columns.iter().enumerate().flat_map(of_column).collect()
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

    /// A table of the [input columns](Self::input_columns) from encoded rows, one after another:
    /// the values nearest to the numbers.
    ///
    /// # Errors
    /// [`Error::RaggedValues`] unless the values fill rows.
    pub fn decode(&self, values: &[f64]) -> Result<RecordBatch> {
        let width = self.width();
        if width == 0 || !values.len().is_multiple_of(width) {
            return Err(Error::RaggedValues { values: values.len(), width });
        }
        let (mut offset, mut arrays, mut fields) = (0, Vec::new(), Vec::new());
        for Column { name, encoder } in &self.columns {
            let end = offset + encoder.width();
            arrays.push(encoder.decode(values.chunks_exact(width).map(|row| &row[offset..end])));
            fields.push(Field::new(name, encoder.kind().data_type(), true));
            offset = end;
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
            .map_err(|error| Error::BadEncoding(error.to_string()))
    }

    /// An error unless the encoding is one that fitting could give: names differ, values are
    /// sorted, numbers are finite, and there is something to fill in exactly if missing values are
    /// imputed. The other functions rely on all of it.
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
            if let Some(fault) = encoder.fault(self.missing == Missing::Impute) {
                return bad(format!("column {name:?} {fault}"));
            }
        }
        expect_different(self.feature_names().into_iter())
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

#[cfg(test)]
mod tests;
