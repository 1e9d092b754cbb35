//! Reasons in words: the columns that add most to a row's score.

use serde::Serialize;
use sosrep::Detector;
use sosrep::detector::Explanation;
use sosrep_report::number;
use sosrep_table::{Meaning, TableRecipe};

use crate::failure::Result;
use crate::progress::Phases;
use crate::rows::Rows;

/// Rows explained per progress callback.
const AT_ONCE: usize = 64;
/// Reasons named in a line.
const NAMED: usize = 3;

/// One column's part in a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Reason {
    #[serde(skip)]
    pub(crate) feature: usize,
    pub(crate) column: String,
    pub(crate) value: f64,
    pub(crate) typical: f64,
    pub(crate) contribution: f64,
}

/// Why a row has its score: every column, the largest contribution first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reasons {
    pub(crate) explanation: Explanation,
    pub(crate) ranked: Vec<Reason>,
}

impl Reasons {
    fn new(explanation: Explanation, row: &[f64], names: &[String]) -> Self {
        let reason = |feature: usize| Reason {
            feature,
            column: names[feature].clone(),
            value: row[feature],
            typical: explanation.reference[feature],
            contribution: explanation.contributions[feature],
        };
        Self { ranked: explanation.ranking().into_iter().map(reason).collect(), explanation }
    }

    /// The columns that speak for an anomaly.
    pub(crate) fn against(&self, most: usize) -> impl Iterator<Item = &Reason> {
        self.ranked.iter().take(most).filter(|reason| reason.contribution > 0.0)
    }

    /// "area +5.2, radius +3.1".
    pub(crate) fn words(&self) -> String {
        let named = self.against(NAMED);
        let words =
            named.map(|reason| format!("{} +{}", reason.column, number(reason.contribution)));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// Explains the rows at these places.
pub(crate) fn explain(
    detector: &Detector,
    recipe: &TableRecipe,
    rows: &Rows,
    places: &[usize],
    phases: &mut Phases,
) -> Result<Vec<Reasons>> {
    let width = recipe.encoding.width();
    let names = recipe.encoding.feature_names();
    let row = |place: usize| &rows.values[place * width..(place + 1) * width];
    let mut found = Vec::with_capacity(places.len());
    for part in places.chunks(AT_ONCE) {
        if !phases.show("explaining", found.len() as u64, Some(places.len() as u64)) {
            return Err(crate::failure::Failure::Interrupted);
        }
        let values: Vec<f64> = part.iter().flat_map(|&place| row(place)).copied().collect();
        let explanations = detector.explain(sosrep::Points::new(&values, width)?)?;
        let pairs = explanations.into_iter().zip(part);
        found.extend(
            pairs.map(|(explanation, &place)| Reasons::new(explanation, row(place), &names)),
        );
    }
    Ok(found)
}

/// A feature's value as the reader of the table knows it.
pub(crate) fn value_text(meaning: Meaning, value: f64) -> String {
    match meaning {
        Meaning::Number => number(value),
        Meaning::Boolean => (value >= 0.5).to_string(),
        Meaning::Membership => if value >= 0.5 { "yes" } else { "no" }.to_string(),
        Meaning::Share => sosrep_report::percent(value),
        _ => number(value),
    }
}
