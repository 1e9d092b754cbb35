//! Whether an encoding read from a file could have come from fitting.
//!
//! Everything the other parts rely on: without it they may fail or give nonsense.

use std::collections::HashSet;

use super::column::{Column, How};
use super::{Encoding, Missing, ONEHOT_LIMIT};
use crate::error::{Error, Result};

impl Encoding {
    /// An error unless the encoding is consistent: names differ, values are sorted, numbers are
    /// finite, and there is something to fill in exactly if missing values are imputed.
    ///
    /// # Errors
    /// [`Error::BadEncoding`], with what is wrong.
    pub fn check(&self) -> Result<()> {
        require(!self.columns.is_empty(), || "it has no columns".to_string())?;
        expect_different(self.columns.iter().map(|column| column.name.clone()))?;
        for column in &self.columns {
            require(!column.name.is_empty(), || "a column has no name".to_string())?;
            column.check()?;
            let imputes = self.missing == Missing::Impute;
            let complaint = || format!("column {:?} and the missing values disagree", column.name);
            require(column.has_fill() == imputes, complaint)?;
        }
        expect_different(self.feature_names().into_iter())
    }
}

impl Column {
    fn has_fill(&self) -> bool {
        match &self.how {
            How::Number { fill } => fill.is_some(),
            How::Boolean { fill } => fill.is_some(),
            How::Onehot { fill, .. } | How::Frequency { fill, .. } => fill.is_some(),
        }
    }

    fn check(&self) -> Result<()> {
        let complain = |what: &str| format!("column {:?} {what}", self.name);
        match &self.how {
            How::Number { fill } => require(fill.is_none_or(f64::is_finite), || {
                complain("fills in a number that is not finite")
            }),
            How::Boolean { .. } => Ok(()),
            How::Onehot { values, fill } => {
                require(values.len() <= ONEHOT_LIMIT, || complain("has too many values"))?;
                self.check_values(values.iter().map(String::as_str), *fill)
            }
            How::Frequency { values, fill } => {
                let shares = values.iter().all(|(_, share)| *share > 0.0 && *share <= 1.0);
                require(shares, || complain("has a share outside (0, 1]"))?;
                self.check_values(values.iter().map(|(value, _)| value.as_str()), *fill)
            }
        }
    }

    /// An error unless there are values, strictly ascending, and the one to fill in among them.
    fn check_values<'a>(
        &self,
        values: impl ExactSizeIterator<Item = &'a str> + Clone,
        fill: Option<usize>,
    ) -> Result<()> {
        let complain = |what: &str| format!("column {:?} {what}", self.name);
        let count = values.len();
        require(count > 0, || complain("has no values"))?;
        require(values.is_sorted_by(|a, b| a < b), || complain("has values out of order"))?;
        require(fill.is_none_or(|index| index < count), || complain("fills in an unknown value"))
    }
}

fn expect_different(names: impl Iterator<Item = String>) -> Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name.clone()) {
            return Err(Error::BadEncoding(format!("two columns are named {name:?}")));
        }
    }
    Ok(())
}

fn require(holds: bool, complaint: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::BadEncoding(complaint())) }
}
