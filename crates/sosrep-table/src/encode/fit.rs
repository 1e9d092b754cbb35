//! Fitting: what is learnt of each column, and every reason not to.
//!
//! Errors are reported in the order in which they are best corrected: columns that can never be
//! features, then missing values, then values that cannot be used.

use std::collections::HashMap;

use super::cells::expect_columns;
use super::column::{Column, ColumnEncoder};
use super::training::Training;
use super::{Categories, EncodeOptions, Encoding, Missing, ONEHOT_LIMIT, Survey};
use crate::batch::{Batch, ColumnInfo, ColumnKind};
use crate::error::{ColumnProblem, Error, FileProblem, Place, Result};

/// Rows from which on a text column without a repeated value is taken for an identifier.
const IDENTIFIER_ROWS: usize = 20;

impl Encoding {
    /// Learns the encoding of these columns, the only ones in the batches.
    ///
    /// # Errors
    /// Dates, text or missing values without a choice what to do about them; a text column with
    /// too many values or a different one in every row; a column without values; an infinite
    /// number; nothing to learn from; two columns that get one name.
    pub fn fit(
        file: &str,
        columns: &[ColumnInfo],
        batches: &[Batch],
        options: &EncodeOptions,
    ) -> Result<Self> {
        let rows = batches.iter().map(|batch| batch.rows() as u64).sum();
        expect_cells(file, rows, columns.len())?;
        let mut survey = Survey::new(columns);
        batches.iter().try_for_each(|batch| survey.add(file, batch))?;
        Self::fit_sample(file, &survey, batches, options)
    }

    /// As [`fit`](Self::fit), from some rows of a table of which the survey has seen all.
    ///
    /// Medians, most frequent values, categories and their shares are those of the rows given; what
    /// is an error in any row is an error here. With [`Missing::Drop`] the rows given must be, or
    /// be among, those without a missing value if there is one.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_sample(
        file: &str,
        survey: &Survey,
        batches: &[Batch],
        options: &EncodeOptions,
    ) -> Result<Self> {
        let columns = survey.columns();
        expect_cells(file, survey.rows, columns.len())?;
        let expected = || columns.iter().map(|info| (info.name.as_str(), info.kind));
        batches.iter().try_for_each(|batch| expect_columns(file, batch, expected()))?;
        let kept = vec![None; batches.len()];
        let mut training = Training { file, columns, survey, batches, kept };
        expect_usable_columns(&training)?;
        match options.missing {
            Missing::Error => expect_complete(&training)?,
            Missing::Drop => drop_incomplete(&mut training)?,
            Missing::Impute => {}
        }
        let fit = |(position, info): (usize, &ColumnInfo)| {
            let encoder = fit_column(&training, position, options)?;
            Ok(Column { name: info.name.clone(), encoder })
        };
        let columns = columns.iter().enumerate().map(fit).collect::<Result<_>>()?;
        let encoding = Self { missing: options.missing, columns };
        encoding.expect_different_names(file)?;
        Ok(encoding)
    }

    fn expect_different_names(&self, file: &str) -> Result<()> {
        let mut owners: HashMap<String, &str> = HashMap::new();
        for column in &self.columns {
            for name in column.feature_names() {
                if let Some(first) = owners.insert(name.clone(), &column.name) {
                    let (first, second) = (first.to_string(), column.name.clone());
                    let problem = FileProblem::ClashingNames { name, first, second };
                    return Err(Error::file(file, problem));
                }
            }
        }
        Ok(())
    }
}

fn expect_cells(file: &str, rows: u64, columns: usize) -> Result<()> {
    if rows == 0 || columns == 0 {
        return Err(Error::file(file, FileProblem::NothingToFit { rows, columns }));
    }
    Ok(())
}

/// An error for a column without values and for a column of dates.
fn expect_usable_columns(training: &Training) -> Result<()> {
    for (position, info) in training.columns.iter().enumerate() {
        if training.missing(position) == training.rows() {
            return Err(training.error(None, position, ColumnProblem::AllMissing));
        }
        if info.kind == ColumnKind::Date {
            let (place, value) = first_text(training, position);
            return Err(training.error(place, position, ColumnProblem::Date { value }));
        }
    }
    Ok(())
}

fn expect_complete(training: &Training) -> Result<()> {
    training.survey.first_missing.map_or(Ok(()), |(place, column)| {
        let problem = ColumnProblem::MissingInTraining {
            in_column: training.missing(column),
            in_table: training.survey.missing.iter().sum(),
        };
        Err(training.error(Some(place), column, problem))
    })
}

/// Leaves rows with a missing value out of the training.
fn drop_incomplete(training: &mut Training) -> Result<()> {
    training.kept = training.batches.iter().map(Batch::complete).collect();
    if training.survey.complete > 0 {
        return Ok(());
    }
    // The first of the columns that lack most.
    let worst = (0..training.columns.len()).rev().max_by_key(|&column| training.missing(column));
    let column = worst.unwrap_or_default();
    let problem = FileProblem::NoRowLeft {
        rows: training.rows(),
        column: training.columns[column].name.clone(),
        in_column: training.missing(column),
    };
    Err(Error::file(training.file, problem))
}

fn fit_column(
    training: &Training,
    position: usize,
    options: &EncodeOptions,
) -> Result<ColumnEncoder> {
    let impute = options.missing == Missing::Impute;
    let info = &training.columns[position];
    // A few values in all of the table may be none in a sample.
    if !training.has_value(position) {
        return Err(training.error(None, position, ColumnProblem::AllMissing));
    }
    match info.kind {
        ColumnKind::Number => {
            if let Some((place, value)) = training.survey.infinite[position] {
                let problem = ColumnProblem::Infinite { value };
                return Err(training.error(Some(place), position, problem));
            }
            Ok(ColumnEncoder::Number { fill: impute.then(|| training.median(position)) })
        }
        ColumnKind::Boolean => {
            Ok(ColumnEncoder::Boolean { fill: impute.then(|| training.mostly_true(position)) })
        }
        ColumnKind::Text | ColumnKind::Date => fit_text(training, position, options),
    }
}

fn fit_text(
    training: &Training,
    position: usize,
    options: &EncodeOptions,
) -> Result<ColumnEncoder> {
    let counts = training.counts(position);
    let distinct = counts.len();
    let rows = counts.iter().map(|(_, count)| count).sum::<usize>();
    let refused = |place, problem| Err(training.error(place, position, problem));
    let fill = (options.missing == Missing::Impute).then(|| most_frequent(&counts));
    match options.categories {
        Categories::Error => {
            let (place, value) = first_text(training, position);
            refused(place, ColumnProblem::Text { value, distinct })
        }
        _ if distinct == rows && rows >= IDENTIFIER_ROWS => {
            refused(None, ColumnProblem::LooksLikeIdentifier { rows })
        }
        Categories::Onehot if distinct > ONEHOT_LIMIT => {
            refused(None, ColumnProblem::TooManyValues { distinct, limit: ONEHOT_LIMIT })
        }
        Categories::Onehot => {
            let values = counts.into_iter().map(|(value, _)| value.to_string()).collect();
            Ok(ColumnEncoder::Onehot { values, fill })
        }
        Categories::Frequency => {
            let share = |(value, count): (&str, _)| (value.to_string(), count as f64 / rows as f64);
            let fill = fill.map(|index| share(counts[index]).1);
            Ok(ColumnEncoder::Frequency { shares: counts.into_iter().map(share).collect(), fill })
        }
    }
}

/// Index of the first of the values with the largest count.
fn most_frequent(counts: &[(&str, usize)]) -> usize {
    (0..counts.len()).rev().max_by_key(|&index| counts[index].1).unwrap_or_default()
}

/// The first value of a text column that is known to have one, and its place.
fn first_text(training: &Training, position: usize) -> (Option<Place>, String) {
    training.survey.first_text[position]
        .clone()
        .map(|(place, text)| (Some(place), text))
        .unwrap_or_default()
}
