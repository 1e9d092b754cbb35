//! A detector and how tables become its rows, as one file.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sosrep::Detector;
use sosrep_table::Encoding;

use crate::failure::{Failure, Result, user};

/// How a table becomes rows, kept in the model file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableRecipe {
    /// How cells become numbers.
    pub(crate) encoding: Encoding,
    /// The column that names a row.
    pub(crate) id: Option<String>,
    /// The column that marks known anomalies.
    pub(crate) label: Option<String>,
    /// Columns that were in the training table and were left out.
    pub(crate) ignored: Vec<String>,
}

/// The detector with its recipe and the names of its features.
pub(crate) fn with_recipe(detector: Detector, recipe: &TableRecipe) -> Result<Detector> {
    let attachment =
        serde_json::to_value(recipe).map_err(|error| Failure::Internal(error.to_string()))?;
    let named = detector.with_feature_names(recipe.encoding.feature_names())?;
    Ok(named.with_attachment(attachment))
}

/// Reads a model.
pub(crate) fn load(path: &Path) -> Result<(Detector, TableRecipe)> {
    let bytes = read(path)?;
    let detector = Detector::from_bytes(&bytes).map_err(|error| unreadable(path, error))?;
    let recipe = recipe(&detector)
        .map_err(|complaint| unreadable(path, sosrep::Error::BadModel(complaint)))?;
    Ok((detector, recipe))
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

/// The recipe in the model; one of plain numbers if it was fitted on a matrix.
fn recipe(detector: &Detector) -> Result<TableRecipe, String> {
    let width = detector.preparation().input_columns();
    let Some(attachment) = detector.attachment() else {
        let unnamed = || (1..=width).map(|j| format!("column_{j}")).collect();
        let names = detector.feature_names().map_or_else(unnamed, <[String]>::to_vec);
        let encoding = Encoding::of_numbers(names).map_err(|error| error.to_string())?;
        return Ok(TableRecipe { encoding, id: None, label: None, ignored: Vec::new() });
    };
    let recipe: TableRecipe =
        serde_json::from_value(attachment.clone()).map_err(|error| error.to_string())?;
    recipe.encoding.check().map_err(|error| error.to_string())?;
    if recipe.encoding.width() == width {
        Ok(recipe)
    } else {
        Err(format!("its table has {} features, its detector {width}", recipe.encoding.width()))
    }
}
