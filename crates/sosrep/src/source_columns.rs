//! What the numbers of a row stand for: the columns of the table that they come from.
//!
//! A row of a table becomes a row of numbers, its *features*. A column of the table is the unit that
//! counts: it has one coordinate's worth of distance, however many features it takes.
//!
//! | column | features |
//! |---|---|
//! | number | its value |
//! | number that may be missing | its value, or any number in its place; 1 if missing, else 0 |
//! | category | one for every value: 1 for the value of the row, 0 for all others |
//!
//! Two values, such as true and false, are a number: 0 and 1.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

const COLUMNS: &str = "columns whose features add up to those of a row";
const CATEGORY: &str = "categories of at least one value";

/// A column of a table, and the features it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SourceColumn {
    /// A number, one feature.
    Number,
    /// A number that may be missing, two features: the value, and where it is missing any number,
    /// which makes no difference; then 1 if it is missing, else 0.
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

/// The columns of a table, and where their features are in a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    columns: Vec<SourceColumn>,
    /// For every feature its column.
    column_of: Vec<usize>,
    /// For every column its first feature.
    first: Vec<usize>,
}

impl Layout {
    /// A number for every feature, or the columns given.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless the columns take that many features, at least one each.
    pub(crate) fn new(features: usize, columns: Option<&[SourceColumn]>) -> Result<Self> {
        let columns = columns.map_or_else(|| vec![SourceColumn::Number; features], <[_]>::to_vec);
        if columns.contains(&SourceColumn::Category(0)) {
            return Err(Error::parameter("columns", "a category without values", CATEGORY));
        }
        let taken =
            columns.iter().try_fold(0usize, |sum, column| sum.checked_add(column.features()));
        if taken != Some(features) {
            let found = format_args!("for {} features of {features}", taken.unwrap_or(usize::MAX));
            return Err(Error::parameter("columns", found, COLUMNS));
        }
        let mut layout =
            Self { columns, column_of: Vec::with_capacity(features), first: Vec::new() };
        for (index, column) in layout.columns.iter().enumerate() {
            layout.first.push(layout.column_of.len());
            layout.column_of.resize(layout.column_of.len() + column.features(), index);
        }
        Ok(layout)
    }

    /// The columns.
    pub(crate) fn columns(&self) -> &[SourceColumn] {
        &self.columns
    }

    /// Features of a row.
    pub(crate) fn features(&self) -> usize {
        self.column_of.len()
    }

    /// The column of a feature.
    pub(crate) fn column_of(&self, feature: usize) -> usize {
        self.column_of[feature]
    }

    /// What the column of a feature is.
    pub(crate) fn kind_of(&self, feature: usize) -> SourceColumn {
        self.columns[self.column_of[feature]]
    }

    /// The features of a column.
    pub(crate) fn range(&self, column: usize) -> Range<usize> {
        let first = self.first[column];
        first..first + self.columns[column].features()
    }

    /// Whether the feature is the value of a number that is missing in this row.
    pub(crate) fn is_missing(&self, row: &[f64], feature: usize) -> bool {
        self.indicator_of(feature).is_some_and(|indicator| row[indicator] != 0.0)
    }

    /// For the value of a number that may be missing, the feature that tells.
    pub(crate) fn indicator_of(&self, feature: usize) -> Option<usize> {
        let column = self.column_of[feature];
        let is_value =
            self.columns[column] == SourceColumn::NumberOrMissing && self.first[column] == feature;
        is_value.then_some(feature + 1)
    }
}
