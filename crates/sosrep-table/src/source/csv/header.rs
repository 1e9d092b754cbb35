//! Names of the columns of a text file.

use csv::ByteRecord;

use crate::cell;
use crate::error::{Bytes, RowProblem};

/// The names in a line of names, without the white space around them. The first may be empty, as
/// in tables written with an index: it is then `unnamed_1`.
///
/// # Errors
/// A line of numbers, or a name that is not UTF-8.
pub(super) fn names(header: &ByteRecord) -> Result<Vec<String>, RowProblem> {
    if header.iter().all(|cell| cell::number(cell).is_some()) {
        return Err(RowProblem::NumbersAsNames);
    }
    let mut names = Vec::with_capacity(header.len());
    for (i, cell) in header.iter().enumerate() {
        let name = std::str::from_utf8(cell).map_err(|_| RowProblem::NameNotUtf8 {
            position: i + 1,
            bytes: Bytes::not_utf8(cell),
        })?;
        let name = name.trim();
        names.push(if i == 0 && name.is_empty() { "unnamed_1" } else { name }.to_string());
    }
    Ok(names)
}
