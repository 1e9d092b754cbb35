//! The model in a file.

use std::path::Path;

use sosrep_scoring::Model;

use crate::failure::{Failure, Result, user};

/// Reads a model.
pub(crate) fn load(path: &Path) -> Result<Model> {
    Model::from_bytes(&read(path)?).map_err(|error| unreadable(path, error))
}

/// What is wrong with a model file, and what to do.
pub(crate) fn unreadable(path: &Path, error: sosrep::Error) -> Failure {
    let remedy = match error {
        sosrep::Error::BadModel(_) => "; give a file that sosrep fit or sosrep detect has saved",
        _ => "",
    };
    user(format!("{}: {error}{remedy}", path.display()))
}

/// The bytes of a model file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let file = path.display().to_string();
    std::fs::read(path).map_err(|source| sosrep_table::Error::Read { file, source }.into())
}
