//! Everything that can go wrong, as data: which parameter, which row, which column, what was found.
//!
//! Each message ends in something the caller can act on. Not converging is not an error: it is a
//! [`StopReason`](crate::solve::StopReason) in the report of a fit.

use thiserror::Error;

/// The result of every fallible function in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no row to work with.
    #[error("the data has no rows; give at least one")]
    NoRows,

    /// There is no column to work with.
    #[error("the data has no columns; give at least one")]
    NoColumns,

    /// A flat buffer does not divide into rows.
    #[error(
        "{values} values do not fill rows of {columns} columns; \
         give a multiple of {columns} values"
    )]
    RaggedBuffer {
        /// Length of the buffer.
        values: usize,
        /// Columns asked for.
        columns: usize,
    },

    /// An array whose rows do not lie one after another.
    #[error(
        "the array is not in row-major order; pass a view of its `as_standard_layout()`, which \
         copies it if needed"
    )]
    NotRowMajor,

    /// A NaN or an infinity in the data.
    #[error(
        "row {row}, column {column} is {value}; \
         every value must be finite (rows and columns count from 0)"
    )]
    NotFinite {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// The value found.
        value: f64,
    },

    /// A value so large that the square of a distance overflows.
    #[error(
        "row {row}, column {column} is {value:e}; values beyond {limit:e} have no squared distances, \
         so scale the columns (rows and columns count from 0)"
    )]
    TooLarge {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// The value found.
        value: f64,
        /// The largest magnitude allowed.
        limit: f64,
    },

    /// A NaN or an infinity in a vector.
    #[error("entry {index} of the {what} is {value}; every entry must be finite (from 0)")]
    NotFiniteEntry {
        /// The vector.
        what: &'static str,
        /// Its entry, from 0.
        index: usize,
        /// The value found.
        value: f64,
    },

    /// The number of columns differs from the number the model was fitted on.
    #[error(
        "the data has {found} columns, the model was fitted on {expected}; give those {expected}"
    )]
    WrongColumns {
        /// Columns of the model.
        expected: usize,
        /// Columns of the data.
        found: usize,
    },

    /// Two inputs that belong together differ in length.
    #[error("{what}: expected {expected} values, found {found}")]
    WrongLength {
        /// The input with the wrong length.
        what: &'static str,
        /// Length required.
        expected: usize,
        /// Length found.
        found: usize,
    },

    /// A weight that is negative, NaN or infinite.
    #[error("the weight of row {row} is {value}; weights must be finite and not negative")]
    BadWeight {
        /// Row, from 0.
        row: usize,
        /// The weight found.
        value: f64,
    },

    /// All weights are zero.
    #[error("all weights are zero; at least one row needs a positive weight")]
    ZeroWeights,

    /// A parameter outside its domain.
    #[error("{name} is {value}; it must be {requirement}")]
    Parameter {
        /// Name of the parameter, the same in every language binding.
        name: &'static str,
        /// The value given.
        value: String,
        /// The domain, in words that complete "it must be …".
        requirement: &'static str,
    },

    /// The quantity does not exist for this kernel.
    #[error("{quantity} is not defined for the {kernel} kernel: {reason}")]
    Undefined {
        /// What was asked for.
        quantity: &'static str,
        /// The kernel's name.
        kernel: &'static str,
        /// Why not, and what to use instead.
        reason: &'static str,
    },

    /// A metric needs both classes among the labels.
    #[error("all {count} labels are the same; the metric needs at least one of each class")]
    OneClass {
        /// Number of labels.
        count: usize,
    },

    /// What another process or part of a table sent is no sample of the same table.
    #[error(
        "the sample of a part of the table cannot be used: {0}; fit again, all of it with one version"
    )]
    BadSample(
        /// What is wrong with it.
        &'static str,
    ),

    /// The system has no room for something whose size follows from what was given or asked for.
    #[error(
        "there is no memory for {what}, {} MB at once; give fewer rows or columns, ask for less, or \
         lower `memory`",
        bytes.div_ceil(1_000_000)
    )]
    OutOfMemory {
        /// What there was no room for.
        what: &'static str,
        /// Its size.
        bytes: u128,
    },

    /// The work was stopped by the caller's progress callback.
    #[error("the work was cancelled")]
    Cancelled,

    /// Bytes that are not a readable model.
    #[error("this is not a readable model: {0}")]
    BadModel(String),

    /// A model written by a newer version of the library.
    #[error(
        "the model has format version {found}, this version of sosrep reads up to {supported}; \
         upgrade sosrep"
    )]
    NewerModel {
        /// Format version of the file.
        found: u64,
        /// Newest format version this library reads.
        supported: u64,
    },
}

impl Error {
    /// A [`Error::Parameter`] with the value written out.
    pub(crate) fn parameter(
        name: &'static str,
        value: impl std::fmt::Display,
        requirement: &'static str,
    ) -> Self {
        Self::Parameter { name, value: value.to_string(), requirement }
    }

    /// A [`Error::Parameter`] for a word, in quotes: an empty one would not be seen otherwise.
    pub(crate) fn word(name: &'static str, word: &str, requirement: &'static str) -> Self {
        Self::parameter(name, format_args!("{word:?}"), requirement)
    }
}

/// `value` if it is a positive finite number, an error naming the parameter otherwise.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<f64> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(Error::parameter(name, value, "a positive finite number"))
    }
}

/// Where a bandwidth can only be a number.
pub(crate) const BANDWIDTH: &str = "between 1e-50 and 1e50";

/// The largest bandwidth.
pub(crate) const LARGEST_BANDWIDTH: f64 = 1e50;

/// The smallest bandwidth.
pub(crate) const SMALLEST_BANDWIDTH: f64 = 1e-50;

/// Whether the inverse powers of a bandwidth stay finite.
pub(crate) fn is_bandwidth(value: f64) -> bool {
    (SMALLEST_BANDWIDTH..=LARGEST_BANDWIDTH).contains(&value)
}

/// `value` if it is a bandwidth, an error otherwise.
pub(crate) fn bandwidth(value: f64) -> Result<f64> {
    if is_bandwidth(value) {
        Ok(value)
    } else {
        Err(Error::parameter("bandwidth", value, BANDWIDTH))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_place_and_the_remedy() {
        let error = Error::NotFinite { row: 3, column: 7, value: f64::NAN };
        assert_eq!(
            error.to_string(),
            "row 3, column 7 is NaN; every value must be finite (rows and columns count from 0)"
        );
        let error = Error::TooLarge { row: 0, column: 1, value: -2e150, limit: 1e145 };
        assert_eq!(
            error.to_string(),
            "row 0, column 1 is -2e150; values beyond 1e145 have no squared distances, so scale the \
             columns (rows and columns count from 0)"
        );
        let error = positive("clip", -1.0).unwrap_err();
        assert_eq!(error.to_string(), "clip is -1; it must be a positive finite number");
        let error = bandwidth(0.0).unwrap_err();
        assert_eq!(error.to_string(), "bandwidth is 0; it must be between 1e-50 and 1e50");
        let error = Error::word("kernel", "", "one of a, b");
        assert_eq!(error.to_string(), "kernel is \"\"; it must be one of a, b");
    }
}
