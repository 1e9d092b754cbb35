//! Why a command did not finish, and the exit code that says so.

use std::io;

use crate::remedy;

/// Why a command did not finish.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Something the user can correct: one sentence.
    #[error("{0}")]
    User(String),
    /// Ctrl-C.
    #[error("interrupted; no output was written")]
    Interrupted,
    /// The reader of the output has gone, which is no error.
    #[error("the output was closed")]
    ClosedPipe,
    /// A bug of the program.
    #[error(
        "internal error: {0}. This is a bug of sosrep {version}, please report it with the command \
         you ran and this message.",
        version = env!("CARGO_PKG_VERSION")
    )]
    Internal(String),
}

/// The result of a command or a part of one.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// What the shell is told.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::ClosedPipe => 0,
            Self::User(_) => 1,
            Self::Internal(_) => 2,
            Self::Interrupted => 130,
        }
    }
}

/// A [`Failure::User`] with this sentence.
pub(crate) fn user(sentence: impl Into<String>) -> Failure {
    Failure::User(sentence.into())
}

impl From<sosrep::Error> for Failure {
    fn from(error: sosrep::Error) -> Self {
        match error {
            sosrep::Error::Cancelled => Self::Interrupted,
            _ => Self::User(error.to_string()),
        }
    }
}

impl From<sosrep_table::Error> for Failure {
    fn from(error: sosrep_table::Error) -> Self {
        match &error {
            sosrep_table::Error::Cancelled => Self::Interrupted,
            sosrep_table::Error::Write { source, .. }
                if source.kind() == io::ErrorKind::BrokenPipe =>
            {
                Self::ClosedPipe
            }
            _ => Self::User(error.sentence(remedy::words)),
        }
    }
}

impl From<sosrep_scoring::Error> for Failure {
    fn from(error: sosrep_scoring::Error) -> Self {
        match error {
            sosrep_scoring::Error::Detector(error) => error.into(),
            sosrep_scoring::Error::Table(error) => error.into(),
            sosrep_scoring::Error::Results(error) => error.into(),
            other => Self::Internal(other.to_string()),
        }
    }
}

impl From<arrow_schema::ArrowError> for Failure {
    /// Tables of results are built by the program: one that is inconsistent is its bug.
    fn from(error: arrow_schema::ArrowError) -> Self {
        Self::Internal(error.to_string())
    }
}
