//! Reasons in words: the columns of the table that add most to a row's score, each with the row's
//! own value and that of the most similar typical row.
//!
//! A column may take several numbers of an encoded row; what they add is added up, and the values
//! are those of the cell. What adds less than a ten-thousandth of the score is below the digits it is
//! shown with, and is no reason.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use serde::Serialize;
use sosrep::Detector;
use sosrep::detector::Explanation;
use sosrep_report::number;
use sosrep_table::{Encoding, TableRecipe};

use crate::error::Result;
use crate::rows::Rows;

/// Rows explained per progress callback.
const AT_ONCE: usize = 64;
/// Reasons named in a line.
const NAMED: usize = 3;
/// Share of the score below which a contribution is no reason.
const ROUNDING: f64 = 1e-4;

/// One column's part in a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// The column: an index into the input columns of the encoding.
    #[serde(skip)]
    pub source: usize,
    /// Its name.
    pub column: String,
    /// The row's value, as a person reads it.
    pub value: String,
    /// The value of the most similar typical row.
    pub typical: String,
    /// That value, if it is a number.
    #[serde(skip)]
    pub typical_number: Option<f64>,
    /// What it adds to the score.
    pub contribution: f64,
}

impl Reason {
    /// "bill_length_mm 59.6 (typical 46.2)".
    fn words(&self) -> String {
        format!("{} {} (typical {})", self.column, self.value, self.typical)
    }
}

/// Why a row has its score: every column, the largest contribution first.
#[derive(Debug, Clone, PartialEq)]
pub struct Reasons {
    /// The row's score.
    pub score: f64,
    /// That of the most similar typical row.
    pub reference_score: f64,
    /// The columns, the largest contribution first.
    pub ranked: Vec<Reason>,
}

impl Reasons {
    /// The columns that speak for an anomaly.
    pub fn against(&self, most: usize) -> impl Iterator<Item = &Reason> {
        let least = ROUNDING * self.score.abs().max((self.score - self.reference_score).abs());
        self.ranked.iter().take(most).filter(move |reason| reason.contribution > least)
    }

    /// "bill_length_mm 59.6 (typical 46.2), island Torgersen (typical Biscoe)".
    pub fn words(&self) -> String {
        self.against(NAMED).map(Reason::words).collect::<Vec<_>>().join(", ")
    }
}

/// Explains the rows at these places; `keep_going` is told how many are done, and ends the work by
/// `false`.
///
/// # Errors
/// Rows that are not those of the model; the work was ended.
pub fn explain(
    detector: &Detector,
    recipe: &TableRecipe,
    rows: &Rows,
    places: &[usize],
    keep_going: &mut dyn FnMut(usize) -> bool,
) -> Result<Vec<Reasons>> {
    let width = recipe.encoding.width();
    let mut found = Vec::with_capacity(places.len());
    for part in places.chunks(AT_ONCE) {
        if !keep_going(found.len()) {
            return Err(sosrep::Error::Cancelled.into());
        }
        let row = |&place: &usize| &rows.values[place * width..(place + 1) * width];
        let values: Vec<f64> = part.iter().flat_map(row).copied().collect();
        let explanations = detector.explain(sosrep::Points::new(&values, width)?)?;
        found.extend(in_columns(&recipe.encoding, &values, &explanations)?);
    }
    keep_going(found.len());
    Ok(found)
}

/// Explanations of encoded rows in terms of the columns of the table.
fn in_columns(
    encoding: &Encoding,
    values: &[f64],
    explanations: &[Explanation],
) -> Result<Vec<Reasons>> {
    let typical: Vec<f64> = explanations.iter().flat_map(|e| &e.reference).copied().collect();
    let (own, typical) = (encoding.decode(values)?, encoding.decode(&typical)?);
    let features = encoding.features();
    let sources: Vec<usize> = features.iter().map(|feature| feature.column).collect();
    let reasons = |(row, explanation): (usize, &Explanation)| {
        let contributions = of_sources(&explanation.contributions, &sources);
        let mut ranked: Vec<Reason> = contributions
            .into_iter()
            .enumerate()
            .map(|(source, contribution)| reason(&own, &typical, row, source, contribution))
            .collect();
        ranked.sort_by(|a, b| b.contribution.total_cmp(&a.contribution));
        let Explanation { score, reference_score, .. } = *explanation;
        Reasons { score, reference_score, ranked }
    };
    Ok(explanations.iter().enumerate().map(reasons).collect())
}

fn reason(
    own: &RecordBatch,
    typical: &RecordBatch,
    row: usize,
    source: usize,
    contribution: f64,
) -> Reason {
    let typical_number = number_at(typical.column(source), row);
    let (value, typical) = pair(own.column(source), typical.column(source), row);
    let column = own.schema_ref().field(source).name().clone();
    Reason { source, column, value, typical, typical_number, contribution }
}

/// What every column of the table adds to a score, from one contribution a column or, where they
/// are of features, from those of its features; `sources` has the column of every feature.
fn of_sources(contributions: &[f64], sources: &[usize]) -> Vec<f64> {
    let columns = sources.iter().max().map_or(0, |last| last + 1);
    if contributions.len() == columns {
        return contributions.to_vec();
    }
    let mut sums = vec![0.0; columns];
    for (contribution, &source) in contributions.iter().zip(sources) {
        sums[source] += contribution;
    }
    sums
}

/// Two cells as a person reads them; numbers that round to the same text have all their digits.
fn pair(own: &ArrayRef, typical: &ArrayRef, row: usize) -> (String, String) {
    let (a, b) = (cell_text(own, row, number), cell_text(typical, row, number));
    if a != b {
        return (a, b);
    }
    let exact = |value: f64| value.to_string();
    let (exact_a, exact_b) = (cell_text(own, row, exact), cell_text(typical, row, exact));
    if exact_a == exact_b { (a, b) } else { (exact_a, exact_b) }
}

/// The number in a cell of numbers.
fn number_at(column: &ArrayRef, row: usize) -> Option<f64> {
    let number = match column.data_type() {
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row) as f64,
        _ => return None,
    };
    column.is_valid(row).then_some(number)
}

/// A cell as a person reads it.
fn cell_text(column: &ArrayRef, row: usize, number: impl Fn(f64) -> String) -> String {
    if column.is_null(row) {
        return "missing".to_string();
    }
    match column.data_type() {
        DataType::Float64 => number(column.as_primitive::<Float64Type>().value(row)),
        DataType::Int64 => number(column.as_primitive::<Int64Type>().value(row) as f64),
        DataType::Boolean => column.as_boolean().value(row).to_string(),
        _ => column.as_string::<i32>().value(row).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(contributions: &[f64]) -> Reasons {
        let reason = |(source, &contribution): (usize, &f64)| Reason {
            source,
            column: format!("c{source}"),
            value: "1".to_string(),
            typical: "2".to_string(),
            typical_number: None,
            contribution,
        };
        let ranked = contributions.iter().enumerate().map(reason).collect();
        Reasons { score: 10.0, reference_score: 1.0, ranked }
    }

    #[test]
    fn what_is_below_the_digits_of_the_score_is_no_reason() {
        let found = reasons(&[8.0, 0.01, 0.0009, -0.5]);
        assert_eq!(found.words(), "c0 1 (typical 2), c1 1 (typical 2)");
        assert_eq!(reasons(&[1e-9, 0.0]).words(), "");
    }

    #[test]
    fn a_column_has_what_its_features_add() {
        let sources = [0, 1, 1, 1, 2];
        assert_eq!(of_sources(&[1.0, 2.0, -0.5, 0.25, 4.0], &sources), [1.0, 1.75, 4.0]);
        assert_eq!(of_sources(&[1.0, 2.0, 3.0], &sources), [1.0, 2.0, 3.0]);
    }
}
