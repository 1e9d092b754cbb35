//! One column of an encoding: its name and how its cells become numbers.
//!
//! `fill` is what stands for a missing cell; there is one exactly when missing cells are imputed.
//! One-hot values are few and strictly ascending, to be found by binary search; shares may be of
//! very many values, to be found by their hash, and are sorted when stored.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize, Serializer};

use crate::batch::ColumnKind;

/// A column of the input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) how: How,
}

/// How cells become numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum How {
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

impl Column {
    /// Numbers a cell becomes.
    pub(super) fn width(&self) -> usize {
        match &self.how {
            How::Onehot { values, .. } => values.len(),
            _ => 1,
        }
    }

    /// What the cells are.
    pub(super) fn kind(&self) -> ColumnKind {
        match self.how {
            How::Number { .. } => ColumnKind::Number,
            How::Boolean { .. } => ColumnKind::Boolean,
            How::Onehot { .. } | How::Frequency { .. } => ColumnKind::Text,
        }
    }

    /// Names of the numbers a cell becomes.
    pub(super) fn feature_names(&self) -> Vec<String> {
        match &self.how {
            How::Onehot { values, .. } => {
                values.iter().map(|value| format!("{}={value}", self.name)).collect()
            }
            _ => vec![self.name.clone()],
        }
    }
}

/// Writes the shares in the order of their values, so that equal models are equal files.
fn in_order<S: Serializer>(
    shares: &HashMap<String, f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    shares.iter().collect::<BTreeMap<_, _>>().serialize(serializer)
}
