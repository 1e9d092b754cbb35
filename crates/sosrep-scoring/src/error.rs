//! Why a table could not be put to a model.

/// Why a table could not be put to a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What the detector says; [`sosrep::Error::Cancelled`] where the caller ended the work.
    #[error(transparent)]
    Detector(#[from] sosrep::Error),
    /// What is wrong with the table.
    #[error(transparent)]
    Table(#[from] sosrep_table::Error),
    /// A table of results that is inconsistent: a mistake of the program.
    #[error(transparent)]
    Results(#[from] arrow_schema::ArrowError),
}

/// The result of a step.
pub type Result<T, E = Error> = std::result::Result<T, E>;
