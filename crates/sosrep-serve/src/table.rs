//! The table in a body, as rows for a model.

use std::io::Read;

use axum::http::StatusCode;
use sosrep_scoring::{Model, Parts, Rows, Unscored, read_options};
use sosrep_table::{ColumnInfo, Source, open_reader};

use crate::problem::{Problem, Result};

/// A table that was opened for a model.
pub(crate) struct Table<'a> {
    name: &'static str,
    source: Box<dyn Source>,
    parts: Parts,
    model: &'a Model,
    /// Names of the id columns: those of the fit if the table has none of them.
    pub(crate) ids: Vec<String>,
    /// Columns of the table beside the results.
    pub(crate) kept: Vec<ColumnInfo>,
    rows_left: u64,
}

/// Which columns go beside the results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Keep {
    None,
    All,
}

impl<'a> Table<'a> {
    /// Reads what the columns are, and finds those of the model.
    pub(crate) fn open(
        name: &'static str,
        bytes: Box<dyn Read + Send>,
        model: &'a Model,
        keep: &Keep,
        most_rows: u64,
    ) -> Result<Self> {
        let recipe = &model.recipe;
        let ids = recipe.ids.iter().map(String::as_str);
        let options = read_options(true, ids, &recipe.encoding.input_columns());
        let mut source = open_reader(name, bytes, &options)?;
        let found = source.columns().to_vec();
        let place = |id: &String| found.iter().position(|column| column.name == *id);
        let parts = Parts {
            ids: recipe.ids.iter().filter_map(place).collect(),
            kept: if *keep == Keep::All { (0..found.len()).collect() } else { Vec::new() },
            ..Parts::default()
        };
        let parts = parts.of_model(recipe, name, &found, &[])?;
        source.project(&parts.projection());
        let ids = match parts.ids[..] {
            [] => recipe.ids.clone(),
            _ => parts.ids.iter().map(|&j| found[j].name.clone()).collect(),
        };
        let kept = source.carry(&parts.kept);
        Ok(Self { name, source, parts, model, ids, kept, rows_left: most_rows })
    }

    /// The next rows: those that can be scored and those that cannot; `None` after the last.
    pub(crate) fn next(&mut self) -> Result<Option<(Rows, Unscored)>> {
        let Some(batch) = self.source.next_batch()? else { return Ok(None) };
        let Some(left) = self.rows_left.checked_sub(batch.rows() as u64) else {
            let detail = "the table has more rows than one request may have; send it in parts, or \
                          start the service with a larger --row-limit";
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
        };
        self.rows_left = left;
        let split = self.parts.split(&batch)?;
        let (rows, unscored, _) = split.encode(self.name, &self.model.recipe.encoding)?;
        Ok(Some((rows, unscored)))
    }
}
