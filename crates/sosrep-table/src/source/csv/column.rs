//! A column being filled with the cells of a text file, from bytes to an Arrow array.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{BooleanBuilder, Float64Builder, StringBuilder};

use crate::batch::ColumnKind;
use crate::cell;
use crate::error::{Bytes, ColumnProblem};

/// A column of one kind.
pub(in crate::source) enum Column {
    Number(Float64Builder),
    Boolean(BooleanBuilder),
    Text(StringBuilder),
    /// Text in which nothing but the empty cell is missing.
    Verbatim(StringBuilder),
}

impl Column {
    /// An empty column with room for `rows` cells.
    pub(in crate::source) fn new(kind: ColumnKind, rows: usize) -> Self {
        match kind {
            ColumnKind::Number => Self::Number(Float64Builder::with_capacity(rows)),
            ColumnKind::Boolean => Self::Boolean(BooleanBuilder::with_capacity(rows)),
            ColumnKind::Text | ColumnKind::Date | ColumnKind::BigInteger => {
                Self::Text(StringBuilder::new())
            }
        }
    }

    /// An empty column of text that is taken as it is.
    pub(in crate::source) fn verbatim() -> Self {
        Self::Verbatim(StringBuilder::new())
    }

    /// Adds a cell; text is taken as it is written.
    pub(in crate::source) fn push(&mut self, text: &[u8]) -> Result<(), ColumnProblem> {
        match self {
            Self::Number(numbers) => match cell::number(text) {
                Some(value) => numbers.append_option((!value.is_nan()).then_some(value)),
                None if cell::is_missing(text) => numbers.append_null(),
                None => return Err(problem(text, |value| ColumnProblem::NotNumber { value })),
            },
            Self::Boolean(booleans) => match cell::boolean(text) {
                Some(value) => booleans.append_value(value),
                None if cell::is_missing(text) => booleans.append_null(),
                None => return Err(problem(text, |value| ColumnProblem::NotBoolean { value })),
            },
            Self::Text(texts) if cell::is_missing(text) => texts.append_null(),
            Self::Verbatim(texts) if text.trim_ascii().is_empty() => texts.append_null(),
            Self::Text(texts) | Self::Verbatim(texts) => texts.append_value(utf8(text)?),
        }
        Ok(())
    }

    /// Adds a number; as text it is the shortest digits that read back to the same bits.
    pub(in crate::source) fn push_number(&mut self, value: f64) -> Result<(), ColumnProblem> {
        match self {
            Self::Number(numbers) if !value.is_nan() => {
                numbers.append_value(value);
                Ok(())
            }
            _ => self.push(value.to_string().as_bytes()),
        }
    }

    /// Adds a missing cell.
    pub(super) fn push_missing(&mut self) {
        match self {
            Self::Number(numbers) => numbers.append_null(),
            Self::Boolean(booleans) => booleans.append_null(),
            Self::Text(texts) | Self::Verbatim(texts) => texts.append_null(),
        }
    }

    /// The array of the cells added.
    pub(in crate::source) fn finish(self) -> ArrayRef {
        match self {
            Self::Number(mut numbers) => Arc::new(numbers.finish()),
            Self::Boolean(mut booleans) => Arc::new(booleans.finish()),
            Self::Text(mut texts) | Self::Verbatim(mut texts) => Arc::new(texts.finish()),
        }
    }
}

fn utf8(text: &[u8]) -> Result<&str, ColumnProblem> {
    std::str::from_utf8(text).map_err(|_| ColumnProblem::NotUtf8 { bytes: Bytes::not_utf8(text) })
}

/// What is wrong with a cell of the wrong kind: its encoding first.
fn problem(text: &[u8], wrong_kind: impl FnOnce(String) -> ColumnProblem) -> ColumnProblem {
    utf8(text).map_or_else(|not_utf8| not_utf8, |text| wrong_kind(text.trim().to_string()))
}
