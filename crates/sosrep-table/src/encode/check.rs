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
            How::Onehot { fill, .. } => fill.is_some(),
            How::Frequency { fill, .. } => fill.is_some(),
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
                let (count, fill) = (values.len(), fill.unwrap_or(0));
                require(count > 0, || complain("has no values"))?;
                require(count <= ONEHOT_LIMIT, || complain("has too many values"))?;
                require(values.is_sorted_by(|a, b| a < b), || complain("has values out of order"))?;
                require(fill < count, || complain("fills in an unknown value"))
            }
            How::Frequency { shares, fill } => {
                let is_share = |share: &f64| *share > 0.0 && *share <= 1.0;
                require(!shares.is_empty(), || complain("has no values"))?;
                let all = shares.values().chain(fill).all(is_share);
                require(all, || complain("has a share outside (0, 1]"))
            }
        }
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
