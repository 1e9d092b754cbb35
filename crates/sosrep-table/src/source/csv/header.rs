//! Names of the columns of a text file, whatever its first line holds.
//!
//! - Nothing but numbers: it is a row, and the columns are `column_1`, ….
//! - One cell fewer than the rows below: the first column holds the names of rows, as R writes them,
//!   and is `rownames`. Where every row ends with a delimiter, the last column is without a name.
//! - No name, or one that an earlier column has: `column_3`, `length_2`. Only the first may be without,
//!   as in tables written with an index: it is `unnamed_1`.

use std::collections::HashSet;

use csv::ByteRecord;

use super::records::Records;
use super::{Row, next_row};
use crate::cell;
use crate::error::{Bytes, Result, RowProblem};
use crate::source::{HeaderNote, numbered};

/// Rows whose cells are counted to find row names.
const ROWS_COUNTED: usize = 10;

/// The names, and the rows that were read to find them.
pub(super) struct Header {
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Row>,
    pub(super) notes: Vec<HeaderNote>,
}

impl Header {
    /// Reads the names; `None` if there is no row at all.
    ///
    /// # Errors
    /// A name that is not UTF-8, or what is wrong with the first rows.
    pub(super) fn read(records: &mut Records, has_names: bool) -> Result<Option<Self>> {
        let Some(first) = next_row(records)? else { return Ok(None) };
        let only_numbers = first.0.iter().all(|cell| cell::number(cell).is_some());
        if !has_names || only_numbers {
            let (names, rows) = (numbered(first.0.len()), vec![first]);
            let notes = has_names.then_some(HeaderNote::NumbersAreData).into_iter().collect();
            return Ok(Some(Self { names, rows, notes }));
        }
        let mut names = written(&first.0).map_err(|problem| records.row(first.1, problem))?;
        records.number_rows_from_here();
        let mut rows = Vec::new();
        while rows.len() < ROWS_COUNTED
            && let Some(row) = next_row(records)?
        {
            rows.push(row);
        }
        let mut notes = Vec::new();
        if rows.iter().all(|(row, _)| row.len() == names.len() + 1) {
            if rows.iter().all(|(row, _)| row[names.len()].is_empty()) {
                names.push(String::new());
            } else if names.len() > 1 && names_rows(&rows) {
                names.insert(0, "rownames".to_string());
                notes.push(HeaderNote::RowNames { column: "rownames".to_string() });
            }
        }
        let given = give_names(&mut names);
        if !given.is_empty() {
            notes.push(HeaderNote::NamesGiven { columns: given });
        }
        Ok(Some(Self { names, rows, notes }))
    }
}

/// The names in a line of names, without the white space around them.
fn written(header: &ByteRecord) -> Result<Vec<String>, RowProblem> {
    let name = |(i, cell): (usize, &[u8])| match std::str::from_utf8(cell) {
        Ok(name) if i == 0 && name.trim().is_empty() => Ok("unnamed_1".to_string()),
        Ok(name) => Ok(name.trim().to_string()),
        Err(_) => Err(RowProblem::NameNotUtf8 { position: i + 1, bytes: Bytes::not_utf8(cell) }),
    };
    header.iter().enumerate().map(name).collect()
}

/// Whether the first cells tell the rows apart.
fn names_rows(rows: &[Row]) -> bool {
    let mut seen = HashSet::new();
    rows.iter().all(|(row, _)| seen.insert(&row[0]))
}

/// Gives a name of its own to every column that has none, and gives those names.
fn give_names(names: &mut [String]) -> Vec<String> {
    let written: HashSet<String> = names.iter().cloned().collect();
    let mut taken = HashSet::new();
    let mut given = Vec::new();
    for (i, name) in names.iter_mut().enumerate() {
        if name.is_empty() || taken.contains(name) {
            let (stem, first) = match name.as_str() {
                "" => ("column", i + 1),
                stem => (stem, 2),
            };
            let free = |name: &String| !written.contains(name) && !taken.contains(name);
            let candidates = (first..).map(|number| format!("{stem}_{number}"));
            *name = candidates.into_iter().find(free).unwrap_or_default();
            given.push(name.clone());
        }
        taken.insert(name.clone());
    }
    given
}
