//! Finding the model's columns in a file, by name and in any order.

use super::Encoding;
use crate::batch::ColumnInfo;
use crate::error::{Error, Result};

impl Encoding {
    /// Where each of the [input columns](Self::input_columns) stands among those of a file.
    ///
    /// Columns named in `ignore` may be there or not. Kinds are not looked at: read the file with
    /// those of the input columns.
    ///
    /// # Errors
    /// [`Error::WrongColumns`], with all columns that are missing and all that are unknown.
    pub fn match_columns(
        &self,
        file: &str,
        found: &[ColumnInfo],
        ignore: &[&str],
    ) -> Result<Vec<usize>> {
        let find = |name: &str| found.iter().position(|info| info.name == name);
        let places: Vec<Option<usize>> = self.columns.iter().map(|c| find(&c.name)).collect();
        let unknown = |info: &&ColumnInfo| self.columns.iter().all(|c| c.name != info.name);
        let mut extra: Vec<&str> =
            found.iter().filter(unknown).map(|info| info.name.as_str()).collect();
        let (mut missing, mut renamed) = (Vec::new(), Vec::new());
        for (column, _) in self.columns.iter().zip(&places).filter(|(_, place)| place.is_none()) {
            let spelling = simplified(&column.name);
            match extra.iter().find(|name| simplified(name) == spelling) {
                Some(near) => renamed.push((column.name.clone(), near.to_string())),
                None => missing.push(column.name.clone()),
            }
        }
        extra.retain(|name| !ignore.contains(name));
        extra.retain(|name| renamed.iter().all(|(_, near)| near != name));
        if missing.is_empty() && renamed.is_empty() && extra.is_empty() {
            return Ok(places.into_iter().flatten().collect());
        }
        let extra = extra.into_iter().map(str::to_string).collect();
        Err(Error::WrongColumns { file: file.to_string(), missing, renamed, extra })
    }
}

/// A name without what people spell in several ways: case, spaces, underscores, hyphens.
fn simplified(name: &str) -> String {
    let kept = name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-'));
    kept.flat_map(char::to_lowercase).collect()
}
