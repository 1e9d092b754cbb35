//! How a table becomes the rows of a detector, kept beside it in the model file.
//!
//! The core keeps an attachment of any JSON without looking at it. Whoever fits on a table stores a
//! [`TableRecipe`] there, so that another table is read the same way, by whatever program. A
//! detector that was fitted on a matrix has none, and its recipe is that of plain numbers.
//!
//! ```
//! use sosrep_table::{Encoding, TableRecipe};
//!
//! let encoding = Encoding::of_numbers(vec!["height".to_string(), "width".to_string()])?;
//! let recipe = TableRecipe { ids: vec!["name".to_string()], ..TableRecipe::new(encoding) };
//! let attachment = serde_json::to_value(&recipe)?;
//! assert_eq!(TableRecipe::of_attachment(Some(&attachment), None, 2)?, recipe);
//!
//! let of_matrix = TableRecipe::of_attachment(None, None, 2)?;
//! assert_eq!(of_matrix.encoding.feature_names(), ["column_1", "column_2"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use serde::{Deserialize, Serialize};

use crate::batch::ColumnInfo;
use crate::encode::{Choice, Encoding, Survey};
use crate::error::Error;
use crate::table::numbered;

/// How a table becomes rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableRecipe {
    /// How cells become numbers.
    pub encoding: Encoding,
    /// The columns that name a row, the most telling first.
    pub ids: Vec<String>,
    /// The column that marks known anomalies.
    pub label: Option<String>,
    /// Columns that were in the training table and were left out.
    pub ignored: Vec<String>,
}

/// Why an attachment is no recipe for a detector, in words that follow "not a readable model: ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeProblem {
    /// It is something else, or of another version.
    #[error(transparent)]
    Unreadable(#[from] serde_json::Error),
    /// It was made before columns had kinds of their own.
    #[error("its table was read by an earlier version; fit it again")]
    Earlier,
    /// Its encoding was not made by fitting.
    #[error(transparent)]
    Encoding(#[from] Error),
    /// It is that of another detector.
    #[error("its table has {features} features, its detector {width}")]
    Width {
        /// Numbers in a row of the recipe.
        features: usize,
        /// Columns of the detector.
        width: usize,
    },
}

impl TableRecipe {
    /// A recipe for tables of nothing but features.
    pub fn new(encoding: Encoding) -> Self {
        Self { encoding, ids: Vec::new(), label: None, ignored: Vec::new() }
    }

    /// The recipe of a training table with the columns `found`, of which some were surveyed. Rows that
    /// have no ids yet are named by the most telling identifier, and what is neither feature, id nor
    /// label is ignored.
    pub fn of_table(mut self, found: &[ColumnInfo], survey: &Survey, choice: &Choice) -> Self {
        if self.ids.is_empty() {
            let identifier = choice.identifiers().first().copied();
            self.ids.extend(identifier.map(|column| survey.columns()[column].name.clone()));
        }
        let features = self.encoding.input_columns();
        let is_used = |name: &String| {
            self.ids.contains(name)
                || self.label.as_ref() == Some(name)
                || features.iter().any(|feature| feature.name == *name)
        };
        let others = found.iter().map(|column| &column.name).filter(|name| !is_used(name));
        self.ignored = others.cloned().collect();
        self
    }

    /// Columns of the training table that are no features: a table may have them, or not.
    pub fn spare_columns(&self) -> Vec<&str> {
        let others = self.label.iter().chain(&self.ignored);
        self.ids.iter().chain(others).map(String::as_str).collect()
    }

    /// The recipe of a detector of `width` columns, checked: what it attached, or, if there is no
    /// attachment, one of plain numbers under the names it has, `column_1`, … without names.
    ///
    /// # Errors
    /// Why there is none.
    pub fn of_attachment(
        attachment: Option<&serde_json::Value>,
        feature_names: Option<&[String]>,
        width: usize,
    ) -> Result<Self, RecipeProblem> {
        let recipe = match attachment {
            Some(attachment) => {
                Self::deserialize(attachment).map_err(|error| match attachment.get("id") {
                    Some(_) => RecipeProblem::Earlier,
                    None => RecipeProblem::Unreadable(error),
                })?
            }
            None => {
                let names = feature_names.map_or_else(|| numbered(width), <[String]>::to_vec);
                Self::new(Encoding::of_numbers(names)?)
            }
        };
        recipe.encoding.check()?;
        let features = recipe.encoding.width();
        if features == width { Ok(recipe) } else { Err(RecipeProblem::Width { features, width }) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
    use serde_json::{Value, json};

    use super::*;
    use crate::{EncodeOptions, from_arrow};

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    fn recipe() -> TableRecipe {
        TableRecipe {
            encoding: Encoding::of_numbers(names(&["a", "b"])).unwrap(),
            ids: names(&["name"]),
            label: None,
            ignored: names(&["comment"]),
        }
    }

    /// What is said of the recipe with a change, for a detector of two columns.
    fn complaint(change: impl Fn(&mut Value)) -> String {
        let mut attachment = serde_json::to_value(recipe()).unwrap();
        change(&mut attachment);
        TableRecipe::of_attachment(Some(&attachment), None, 2).unwrap_err().to_string()
    }

    #[test]
    fn a_recipe_comes_back_from_its_attachment() {
        let attachment = serde_json::to_value(recipe()).unwrap();
        // The names of the features are in the encoding; those beside it are not asked.
        let names = names(&["x", "y"]);
        let read = TableRecipe::of_attachment(Some(&attachment), Some(&names), 2);
        assert_eq!(read.unwrap(), recipe());
    }

    #[test]
    fn a_training_table_is_named_by_its_identifier_unless_ids_were_asked_for() {
        let texts =
            |prefix: &str| (0..30).map(|i| Some(format!("{prefix}{i}"))).collect::<StringArray>();
        let columns: [(&str, ArrayRef); 4] = [
            ("code", Arc::new(texts("c"))),
            ("size", Arc::new((0..30).map(|i| f64::from(i * i % 7)).collect::<Float64Array>())),
            ("name", Arc::new(texts("n"))),
            ("comment", Arc::new(texts("x"))),
        ];
        let rows = RecordBatch::try_from_iter(columns).unwrap();
        let (found, batch) = from_arrow("t", &rows, &HashMap::new(), 1).unwrap();
        let surveyed = &found[..3];
        let batch = batch.project(&[0, 1, 2]).unwrap();
        let mut survey = Survey::new(surveyed, &EncodeOptions::default());
        survey.add("t", &batch).unwrap();
        let choice = survey.choose("t").unwrap();
        let encoding = Encoding::fit_sample("t", &survey, &choice, &[batch]).unwrap();

        let plain = TableRecipe::new(encoding.clone()).of_table(&found, &survey, &choice);
        assert_eq!((plain.ids, plain.ignored), (names(&["code"]), names(&["name", "comment"])));
        let asked = TableRecipe {
            ids: names(&["name"]),
            label: Some("comment".to_string()),
            ..TableRecipe::new(encoding)
        };
        let asked = asked.of_table(&found, &survey, &choice);
        assert_eq!((asked.ids, asked.ignored), (names(&["name"]), names(&["code"])));
    }

    #[test]
    fn without_an_attachment_there_are_plain_numbers_under_the_known_names() {
        let names = names(&["x", "y"]);
        let named = TableRecipe::of_attachment(None, Some(&names), 2).unwrap();
        assert_eq!(named, TableRecipe::new(Encoding::of_numbers(names.clone()).unwrap()));
        let unnamed = TableRecipe::of_attachment(None, None, 3).unwrap();
        assert_eq!(unnamed.encoding.feature_names(), ["column_1", "column_2", "column_3"]);
        let wrong = TableRecipe::of_attachment(None, Some(&names), 3).unwrap_err();
        assert!(matches!(wrong, RecipeProblem::Width { features: 2, width: 3 }), "{wrong}");
        assert!(TableRecipe::of_attachment(None, None, 0).is_err());
    }

    #[test]
    fn a_recipe_of_an_earlier_version_is_to_be_fitted_again() {
        let number = json!({"name": "a", "how": {"number": {"fill": null}}});
        let earlier = json!({
            "encoding": {"missing": "error", "columns": [number]},
            "id": null,
            "label": null,
            "ignored": [],
        });
        let problem = TableRecipe::of_attachment(Some(&earlier), None, 1).unwrap_err();
        assert_eq!(problem.to_string(), "its table was read by an earlier version; fit it again");
    }

    #[test]
    fn an_attachment_that_is_no_recipe_of_the_detector_is_explained() {
        let found = complaint(|attachment| attachment["extra"] = json!(1));
        assert!(found.starts_with("unknown field `extra`"), "{found}");
        let found = complaint(|attachment| *attachment = json!("a note"));
        assert!(found.contains("a note"), "{found}");
        let found = complaint(|attachment| {
            let columns = &mut attachment["encoding"]["columns"];
            columns[1] = columns[0].clone();
        });
        assert!(found.starts_with("the model's encoding of columns is not readable"), "{found}");
        let found = complaint(|attachment| {
            attachment["encoding"]["columns"].as_array_mut().unwrap().pop();
        });
        assert_eq!(found, "its table has 1 features, its detector 2");
    }
}
