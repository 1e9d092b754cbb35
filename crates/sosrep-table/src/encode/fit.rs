//! Fitting: what is learnt of each column, and every reason not to.
//!
//! Complaints come in the order a person would want them: columns that can never be features, then
//! missing values, then what is wrong with the values that are there.

use std::collections::HashMap;

use super::cells::{complete_rows, expect_columns};
use super::column::{Column, How};
use super::training::Training;
use super::{Categories, EncodeOptions, Encoding, Missing, ONEHOT_LIMIT, Survey};
use crate::batch::{Batch, ColumnInfo, ColumnKind};
use crate::error::{Error, Place, Result};

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
            Ok(Column { name: info.name.clone(), how: fit_column(&training, position, options)? })
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
                    let file = file.to_string();
                    return Err(Error::ClashingNames { file, name, first, second });
                }
            }
        }
        Ok(())
    }
}

fn expect_cells(file: &str, rows: u64, columns: usize) -> Result<()> {
    if rows == 0 || columns == 0 {
        return Err(Error::NothingToFit { file: file.to_string(), rows, columns });
    }
    Ok(())
}

/// An error for a column without values and for a column of dates.
fn expect_usable_columns(training: &Training) -> Result<()> {
    for (position, info) in training.columns.iter().enumerate() {
        let (file, column) = (training.file(), training.name(position));
        if training.missing(position) == training.rows() {
            return Err(Error::AllMissing { file, column });
        }
        if info.kind == ColumnKind::Date {
            let (place, value) = first_text(training, position);
            return Err(Error::DateColumn { file, place, column, value });
        }
    }
    Ok(())
}

fn expect_complete(training: &Training) -> Result<()> {
    training.survey.first_missing.map_or(Ok(()), |(place, column)| {
        Err(Error::MissingInTraining {
            file: training.file(),
            place,
            column: training.name(column),
            in_column: training.missing(column),
            in_table: training.survey.missing.iter().sum(),
        })
    })
}

/// Leaves rows with a missing value out of the training.
fn drop_incomplete(training: &mut Training) -> Result<()> {
    training.kept = training.batches.iter().map(complete_rows).collect();
    if training.survey.complete > 0 {
        return Ok(());
    }
    // The first of the columns that lack most.
    let worst = (0..training.columns.len()).rev().max_by_key(|&column| training.missing(column));
    let column = worst.unwrap_or_default();
    Err(Error::NoRowLeft {
        file: training.file(),
        rows: training.rows(),
        column: training.name(column),
        in_column: training.missing(column),
    })
}

fn fit_column(training: &Training, position: usize, options: &EncodeOptions) -> Result<How> {
    let impute = options.missing == Missing::Impute;
    let info = &training.columns[position];
    // A few values in all of the table may be none in a sample.
    if !training.has_value(position) {
        return Err(Error::AllMissing { file: training.file(), column: training.name(position) });
    }
    match info.kind {
        ColumnKind::Number => {
            if let Some((place, value)) = training.survey.infinite[position] {
                let (file, column) = (training.file(), training.name(position));
                return Err(Error::Infinite { file, place, column, value });
            }
            Ok(How::Number { fill: impute.then(|| training.median(position)) })
        }
        ColumnKind::Boolean => {
            Ok(How::Boolean { fill: impute.then(|| training.mostly_true(position)) })
        }
        ColumnKind::Text | ColumnKind::Date => fit_text(training, position, options),
    }
}

fn fit_text(training: &Training, position: usize, options: &EncodeOptions) -> Result<How> {
    let counts = training.counts(position);
    let distinct = counts.len();
    let rows = counts.iter().map(|(_, count)| count).sum::<usize>();
    let (file, column) = (training.file(), training.name(position));
    let fill = (options.missing == Missing::Impute).then(|| most_frequent(&counts));
    match options.categories {
        Categories::Error => {
            let (place, value) = first_text(training, position);
            Err(Error::TextColumn { file, place, column, value, distinct })
        }
        _ if distinct == rows && rows >= IDENTIFIER_ROWS => {
            Err(Error::LooksLikeIdentifier { file, column, rows })
        }
        Categories::Onehot if distinct > ONEHOT_LIMIT => {
            Err(Error::TooManyValues { file, column, distinct, limit: ONEHOT_LIMIT })
        }
        Categories::Onehot => {
            let values = counts.into_iter().map(|(value, _)| value.to_string()).collect();
            Ok(How::Onehot { values, fill })
        }
        Categories::Frequency => {
            let share = |(value, count): (&str, _)| (value.to_string(), count as f64 / rows as f64);
            let fill = fill.map(|index| share(counts[index]).1);
            Ok(How::Frequency { shares: counts.into_iter().map(share).collect(), fill })
        }
    }
}

/// Index of the first of the values with the largest count.
fn most_frequent(counts: &[(&str, usize)]) -> usize {
    (0..counts.len()).rev().max_by_key(|&index| counts[index].1).unwrap_or_default()
}

/// The first value of a text column that is known to have one, and its place.
fn first_text(training: &Training, position: usize) -> (Place, String) {
    training.survey.first_text[position].clone().unwrap_or((Place::Row(1), String::new()))
}
