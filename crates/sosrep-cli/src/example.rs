//! The table that is shown to whoever has none at hand.

use sosrep_table::Input;

/// Its label column.
pub(crate) const LABEL: &str = "diagnosis";

/// Whom it is owed to.
pub(crate) const ATTRIBUTION: &str = "Example data: a part of Breast Cancer Wisconsin (Diagnostic) by \
    W. Wolberg, O. Mangasarian, N. Street and W. Street (1993), UCI Machine Learning Repository, \
    doi:10.24432/C5DW2B, CC BY 4.0. All 357 benign cases and every tenth malignant one.";

/// The table itself.
pub(crate) const BYTES: &[u8] = include_bytes!("../data/breast_cancer.csv");

/// The table as one that is read.
pub(crate) fn input() -> Input {
    Input::Bytes { name: "breast_cancer.csv".to_string(), bytes: BYTES }
}
