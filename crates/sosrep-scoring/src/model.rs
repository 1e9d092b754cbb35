//! A detector and how tables become its rows.

use sosrep::Detector;
use sosrep::detector::Assessment;
use sosrep_table::TableRecipe;

use crate::error::Result;
use crate::reasons;
use crate::rows::Rows;

/// A detector with its recipe.
#[derive(Debug, Clone)]
pub struct Model {
    /// Scores rows.
    pub detector: Detector,
    /// Makes them from tables.
    pub recipe: TableRecipe,
}

impl Model {
    /// A detector that was fitted to rows of this recipe, which is kept in its file with the names of
    /// the features.
    ///
    /// # Errors
    /// A recipe of another number of features.
    pub fn new(detector: Detector, recipe: TableRecipe) -> Result<Self> {
        let attachment = serde_json::to_value(&recipe)
            .map_err(|error| sosrep::Error::BadModel(error.to_string()))?;
        let detector = detector.with_feature_names(recipe.encoding.feature_names())?;
        Ok(Self { detector: detector.with_attachment(attachment), recipe })
    }

    /// Reads what [`Detector::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`sosrep::Error::BadModel`] and its kin.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, sosrep::Error> {
        let detector = Detector::from_bytes(bytes)?;
        let width = detector.preparation().input_columns();
        let recipe =
            TableRecipe::of_attachment(detector.attachment(), detector.feature_names(), width)
                .map_err(|problem| sosrep::Error::BadModel(problem.to_string()))?;
        Ok(Self { detector, recipe })
    }

    /// Numbers in a row.
    pub fn width(&self) -> usize {
        self.recipe.encoding.width()
    }

    /// Scores, p-values and labels of rows, of which there may be none.
    ///
    /// # Errors
    /// Rows of another width.
    pub fn assess(&self, rows: &Rows) -> Result<Assessment> {
        match rows.is_empty() {
            true => Ok(Assessment::default()),
            false => Ok(self.detector.assess(rows.points(self.width())?)?),
        }
    }

    /// The reasons of the rows that are anomalies, in words.
    ///
    /// # Errors
    /// [`reasons::explain`].
    pub fn words(
        &self,
        rows: &Rows,
        found: &Assessment,
        keep_going: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Option<String>>> {
        let places: Vec<usize> = (0..rows.len()).filter(|&i| found.is_anomaly[i]).collect();
        let reasons = reasons::explain(&self.detector, &self.recipe, rows, &places, keep_going)?;
        let mut words = vec![None; rows.len()];
        for (place, reasons) in places.into_iter().zip(reasons) {
            words[place] = Some(reasons.words());
        }
        Ok(words)
    }
}
