//! The columns of a table that options name.

use sosrep_scoring::Parts;
use sosrep_table::ColumnInfo;

use crate::failure::{Result, user};

/// An error if a column has two parts to play.
pub(crate) fn check_parts(parts: &Parts) -> Result<()> {
    if parts.label.is_some_and(|label| parts.ids.contains(&label)) {
        return Err(user("--id and --label name the same column; choose one of them"));
    }
    let ids = parts.ids.iter().map(|&column| ("--id", column));
    for (flag, column) in ids.chain(parts.label.map(|column| ("--label", column))) {
        if parts.features.contains(&column) {
            return Err(user(format!(
                "{flag} names a column that the model takes for a feature; name another, or fit \
                 the model with {flag}"
            )));
        }
    }
    Ok(())
}

/// The index of a column the user named with `flag`.
pub(crate) fn find(file: &str, columns: &[ColumnInfo], flag: &str, name: &str) -> Result<usize> {
    columns.iter().position(|column| column.name == name).ok_or_else(|| {
        let names: Vec<String> =
            columns.iter().take(20).map(|column| format!("\"{}\"", column.name)).collect();
        let more = if columns.len() > 20 { ", …" } else { "" };
        user(format!(
            "{file} has no column \"{name}\" ({flag}); its columns are {}{more}",
            names.join(", ")
        ))
    })
}

/// The indices of columns the user listed with `flag`. A name may hold commas: what is no column as a
/// whole is taken apart at them.
pub(crate) fn find_all(
    file: &str,
    columns: &[ColumnInfo],
    flag: &str,
    lists: &[String],
) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    for list in lists {
        if columns.iter().any(|column| column.name == *list) {
            found.push(find(file, columns, flag, list)?);
            continue;
        }
        for name in list.split(',').map(str::trim) {
            found.push(find(file, columns, flag, name)?);
        }
    }
    Ok(found)
}

/// The indices of the columns that are kept beside the results.
pub(crate) fn find_kept(
    file: &str,
    columns: &[ColumnInfo],
    lists: &[String],
) -> Result<Vec<usize>> {
    let is_column = |name: &str| columns.iter().any(|column| column.name == name);
    if lists.iter().any(|list| list == "all" && !is_column("all")) {
        return Ok((0..columns.len()).collect());
    }
    find_all(file, columns, "--keep", lists)
}
