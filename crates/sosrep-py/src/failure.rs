//! Errors of the core and of tables as Python exceptions, with their own sentences; remedies are in
//! the words of a Python caller.

use std::error::Error as _;
use std::path::Path;

use pyo3::PyErr;
use pyo3::exceptions::{
    PyFileNotFoundError, PyMemoryError, PyOSError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use sosrep_table::{Categories, ColumnUse, Remedy};

pyo3::create_exception!(_core, NotFinite, PyValueError, "A number is NaN or infinite.");

/// Every error of the core that the caller can correct is a `ValueError`, but for want of memory.
pub(crate) fn value_error(error: sosrep::Error) -> PyErr {
    match error {
        sosrep::Error::NotFinite { .. } => NotFinite::new_err(error.to_string()),
        sosrep::Error::OutOfMemory { .. } => PyMemoryError::new_err(error.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// A parameter of the wrong type: the sentence of the core, with the value as Python shows it.
pub(crate) fn wrong_type(name: &str, value: &Bound<'_, PyAny>, domain: &str) -> PyErr {
    PyTypeError::new_err(format!("{name} is {}; it must be {domain}", shown(value)))
}

/// A parameter of the right type outside its domain.
pub(crate) fn wrong_value(name: &str, value: &Bound<'_, PyAny>, domain: &str) -> PyErr {
    PyValueError::new_err(format!("{name} is {}; it must be {domain}", shown(value)))
}

/// A data frame that cannot be used.
pub(crate) fn table_error(error: sosrep_table::Error) -> PyErr {
    PyValueError::new_err(error.sentence(remedy))
}

/// What a Python caller can do: choose another option, change the frame, or fit another model.
pub(crate) fn remedy(remedy: &Remedy) -> String {
    match remedy {
        Remedy::CorrectCell => "correct the value",
        Remedy::FillCell => "fill it in",
        Remedy::DropRow => "leave the row out, for example with frame.dropna()",
        Remedy::DropColumn(name) => return format!("leave it out: frame.drop(columns=[{name:?}])"),
        Remedy::ConvertColumn => "convert it to numbers, booleans or text with frame.astype()",
        Remedy::DecimalPoint => "write numbers with a decimal point instead of a comma",
        Remedy::MatchColumns => "add, rename or leave out columns of the frame until they match",
        Remedy::AddNames | Remedy::NoHeader => "name the columns",
        Remedy::ChooseMissing(how) => return format!("choose missing=\"{}\"", how.name()),
        Remedy::RefitMissing => {
            "score with a model that was fitted to a table with missing values, or with \
             missing=\"impute\""
        }
        Remedy::ChooseCategories(choices) => {
            let choice = |choice: &Categories| format!("categories=\"{}\"", choice.name());
            let choices: Vec<String> = choices.iter().map(choice).collect();
            return format!("choose {}", choices.join(" or "));
        }
        Remedy::ChooseDates(how) => return format!("choose dates=\"{}\"", how.name()),
        Remedy::UseColumn(name, column_use) => {
            let word = match column_use {
                ColumnUse::Category => "category",
                ColumnUse::Number => "number",
                ColumnUse::Date => "date",
                ColumnUse::Ignore => "ignore",
            };
            return format!("use it with columns={{{name:?}: \"{word}\"}}");
        }
        _ => "correct the frame",
    }
    .to_string()
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

/// A panic of the core: a bug of this package, which must not end the interpreter.
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
