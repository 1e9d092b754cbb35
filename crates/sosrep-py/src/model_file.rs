//! Model files: read with an error that names the class to read them with, written complete or not
//! at all.

use std::path::Path;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use sosrep::model_file::{ModelKind, peek};
use sosrep_table::{TableRecipe, write_atomically};

use crate::failure::{value_error, write_error};

/// The model in the bytes of a file, read by `read`, which expects a model of this kind.
pub(crate) fn read_model<T>(
    bytes: &[u8],
    kind: ModelKind,
    read: impl FnOnce(&[u8]) -> sosrep::Result<T>,
) -> PyResult<T> {
    read(bytes).map_err(|error| match peek(bytes) {
        Ok(file) if file.kind != kind => wrong_kind(file.kind, kind),
        _ => value_error(error),
    })
}

/// The detector with its recipe and the names of its features, as the command line stores them.
pub(crate) fn with_recipe(
    detector: sosrep::Detector,
    recipe: &TableRecipe,
) -> PyResult<sosrep::Detector> {
    let attachment =
        serde_json::to_value(recipe).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let named = detector.with_feature_names(recipe.encoding.feature_names());
    Ok(named.map_err(value_error)?.with_attachment(attachment))
}

/// Writes a model file under a temporary name and renames it.
pub(crate) fn save(py: Python<'_>, path: &Path, bytes: sosrep::Result<Vec<u8>>) -> PyResult<()> {
    let bytes = bytes.map_err(value_error)?;
    py.detach(|| write_atomically(path, &bytes)).map_err(|error| write_error(path, &error))
}

fn wrong_kind(found: ModelKind, expected: ModelKind) -> PyErr {
    let class = match found {
        ModelKind::Detector => "SobolevDetector",
        ModelKind::Density => "SobolevDensity",
        ModelKind::Kde => "KDE",
        _ => "a newer version of sosrep",
    };
    PyValueError::new_err(format!(
        "not a readable model: it holds a {}, not a {}; load it with {class}.load",
        found.name(),
        expected.name()
    ))
}
