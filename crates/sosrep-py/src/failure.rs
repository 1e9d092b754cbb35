//! Errors of the core as Python exceptions, with the core's own sentences.

use std::error::Error as _;
use std::path::Path;

use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Everything a user can put right is a `ValueError`.
pub(crate) fn value_error(error: sosrep::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A parameter of the wrong type: the sentence of the core, with the value as Python shows it.
pub(crate) fn wrong_type(name: &str, value: &Bound<'_, PyAny>, domain: &str) -> PyErr {
    PyTypeError::new_err(format!("{name} is {}; it must be {domain}", shown(value)))
}

/// A parameter of the right type outside its domain.
pub(crate) fn wrong_value(name: &str, value: &Bound<'_, PyAny>, domain: &str) -> PyErr {
    PyValueError::new_err(format!("{name} is {}; it must be {domain}", shown(value)))
}

/// A file that could not be written: an `OSError` of the kind the system says, with its path.
pub(crate) fn write_error(path: &Path, error: &sosrep_table::Error) -> PyErr {
    if let sosrep_table::Error::NoFolder { .. } = error {
        return PyFileNotFoundError::new_err(error.to_string());
    }
    let source = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
    match source.and_then(std::io::Error::raw_os_error) {
        Some(number) => PyOSError::new_err((number, error.to_string(), path.to_path_buf())),
        None => PyOSError::new_err(error.to_string()),
    }
}

/// A panic of the core, which is a fault of ours and still must not take the interpreter along.
pub(crate) fn internal(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let words = panic.downcast_ref::<&str>().copied();
    let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    PyRuntimeError::new_err(format!(
        "a fault inside sosrep, please report it: {}",
        words.unwrap_or("no message")
    ))
}

/// `repr(value)`, or the name of its type where even that fails.
fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map(|repr| repr.to_string());
    text.unwrap_or_else(|_| value.get_type().to_string())
}
