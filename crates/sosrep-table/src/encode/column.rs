//! One column of an encoding: its name, and how its cells become numbers and numbers cells again.
//!
//! `fill` replaces a missing cell; there is one exactly when missing cells are imputed. One-hot
//! values are few and strictly ascending, to be found by binary search; shares may be of very many
//! values, to be found by their hash, and are sorted when stored.
//!
//! Decoding takes the value nearest to the numbers. One-hot: the value with the largest number.
//! Frequency: the value with the nearest share, which is not the value that was encoded where two
//! have the same share. Boolean: true from ½ on. The first value wins a tie. Cost: a pass over the
//! values of a text column for every row.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, StringArray};
use serde::{Deserialize, Serialize, Serializer};

use super::ONEHOT_LIMIT;
use crate::batch::ColumnKind;

/// A column of the input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    pub(super) name: String,
    #[serde(rename = "how")]
    pub(super) encoder: ColumnEncoder,
}

/// How cells become numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum ColumnEncoder {
    /// As they are.
    Number { fill: Option<f64> },
    /// 0 or 1.
    Boolean { fill: Option<bool> },
    /// A number per value, 1 for the one the cell has and 0 for the others; `fill` is an index.
    Onehot { values: Vec<String>, fill: Option<usize> },
    /// The share of the training rows with the value; `fill` is the share to fill in.
    Frequency {
        #[serde(serialize_with = "in_order")]
        shares: HashMap<String, f64>,
        fill: Option<f64>,
    },
}

/// What a number of an encoded row says about a cell.
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

impl Column {
    /// Names of the numbers a cell becomes.
    pub(super) fn feature_names(&self) -> Vec<String> {
        match &self.encoder {
            ColumnEncoder::Onehot { values, .. } => {
                values.iter().map(|value| format!("{}={value}", self.name)).collect()
            }
            _ => vec![self.name.clone()],
        }
    }
}

impl ColumnEncoder {
    /// Numbers a cell becomes.
    pub(super) fn width(&self) -> usize {
        if let Self::Onehot { values, .. } = self { values.len() } else { 1 }
    }

    /// What the numbers mean.
    pub(super) fn meaning(&self) -> Meaning {
        match self {
            Self::Number { .. } => Meaning::Number,
            Self::Boolean { .. } => Meaning::Boolean,
            Self::Onehot { .. } => Meaning::Membership,
            Self::Frequency { .. } => Meaning::Share,
        }
    }

    /// What the cells are.
    pub(super) fn kind(&self) -> ColumnKind {
        match self.meaning() {
            Meaning::Number => ColumnKind::Number,
            Meaning::Boolean => ColumnKind::Boolean,
            Meaning::Membership | Meaning::Share => ColumnKind::Text,
        }
    }

    /// The cells whose encoded forms, each of [`width`](Self::width) numbers, are nearest to these.
    pub(super) fn decode<'a>(&self, encoded: impl Iterator<Item = &'a [f64]>) -> ArrayRef {
        match self {
            Self::Number { .. } => {
                Arc::new(encoded.map(|cell| Some(cell[0])).collect::<Float64Array>())
            }
            Self::Boolean { .. } => {
                Arc::new(encoded.map(|cell| Some(cell[0] >= 0.5)).collect::<BooleanArray>())
            }
            Self::Onehot { values, .. } => {
                let value = |cell: &[f64]| {
                    nearest(values.iter().zip(cell).map(|(value, number)| (-number, value)))
                };
                Arc::new(encoded.map(value).collect::<StringArray>())
            }
            Self::Frequency { shares, .. } => {
                let value = |cell: &[f64]| {
                    nearest(shares.iter().map(|(value, share)| ((share - cell[0]).abs(), value)))
                };
                Arc::new(encoded.map(value).collect::<StringArray>())
            }
        }
    }

    /// What no fit would give, with missing cells imputed or not; `None` if all is well.
    pub(super) fn fault(&self, imputes: bool) -> Option<&'static str> {
        let is_share = |share: &f64| *share > 0.0 && *share <= 1.0;
        let (has_fill, faults) = match self {
            Self::Number { fill } => {
                let finite = fill.is_none_or(f64::is_finite);
                (fill.is_some(), vec![(!finite, "fills in a number that is not finite")])
            }
            Self::Boolean { fill } => (fill.is_some(), Vec::new()),
            Self::Onehot { values, fill } => {
                let faults = vec![
                    (values.is_empty(), "has no values"),
                    (values.len() > ONEHOT_LIMIT, "has too many values"),
                    (!values.is_sorted_by(|a, b| a < b), "has values out of order"),
                    (fill.unwrap_or(0) >= values.len(), "fills in an unknown value"),
                ];
                (fill.is_some(), faults)
            }
            Self::Frequency { shares, fill } => {
                let valid = shares.values().chain(fill).all(is_share);
                let faults = vec![
                    (shares.is_empty(), "has no values"),
                    (!valid, "has a share outside (0, 1]"),
                ];
                (fill.is_some(), faults)
            }
        };
        let disagrees = (has_fill != imputes, "and the missing values disagree");
        faults.into_iter().chain([disagrees]).find(|(wrong, _)| *wrong).map(|(_, fault)| fault)
    }
}

/// The value at the smallest distance, the first in order at a tie.
fn nearest<'a>(values: impl Iterator<Item = (f64, &'a String)>) -> Option<&'a str> {
    let nearest = values.min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    nearest.map(|(_, value)| value.as_str())
}

/// Writes the shares in the order of their values, so that equal models are equal files.
fn in_order<S: Serializer>(
    shares: &HashMap<String, f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    shares.iter().collect::<BTreeMap<_, _>>().serialize(serializer)
}
