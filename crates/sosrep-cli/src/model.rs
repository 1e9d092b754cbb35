//! A detector and how tables become its rows, as one file.

use std::path::Path;

use sosrep::Detector;
use sosrep_table::TableRecipe;

use crate::failure::{Failure, Result, user};

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
    let width = detector.preparation().input_columns();
    let recipe = TableRecipe::of_attachment(detector.attachment(), detector.feature_names(), width)
        .map_err(|problem| unreadable(path, sosrep::Error::BadModel(problem.to_string())))?;
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
