//! Fitting: the encoder of every feature, from the survey of all rows and, for medians, the rows kept.

use super::cells::expect_columns;
use super::choice::{Choice, varying_cycles};
use super::column::{Category, Column, ColumnEncoder, Dated, NumberRange};
use super::options::{Categories, Dates, Missing};
use super::survey::{DateTally, NumberTally, TextTally, Values, WrittenNumbers};
use super::training::Training;
use super::{EncodeOptions, Encoding, KEPT_VALUES, Survey};
use crate::batch::{Batch, ColumnInfo};
use crate::date::days;
use crate::error::Result;
use crate::notation::Notation;

/// The smallest share of the rows in which a value is not rare.
const KEPT_SHARE: f64 = 0.01;
/// The fewest rows in which a value is not rare.
const KEPT_ROWS: u64 = 2;

impl Encoding {
    /// Learns what becomes of these columns, the only ones in the batches.
    ///
    /// The encoding takes the [features](Choice::features) of the choice.
    ///
    /// # Errors
    /// See [`Survey::choose`].
    pub fn fit(
        file: &str,
        columns: &[ColumnInfo],
        batches: &[Batch],
        options: &EncodeOptions,
    ) -> Result<(Self, Choice)> {
        let mut survey = Survey::new(columns, options);
        batches.iter().try_for_each(|batch| survey.add(file, batch))?;
        let choice = survey.choose(file)?;
        Ok((Self::fit_sample(file, &survey, &choice, batches)?, choice))
    }

    /// The encoding of the features that were chosen, from some rows of the table that was surveyed.
    ///
    /// Medians are those of the rows given, all else is known from the survey. With
    /// [`Missing::Drop`] rows with a missing value are passed over.
    ///
    /// # Errors
    /// [`Error::UnexpectedCells`](crate::Error::UnexpectedCells) unless the batches have the columns
    /// of the survey.
    pub fn fit_sample(
        file: &str,
        survey: &Survey,
        choice: &Choice,
        batches: &[Batch],
    ) -> Result<Self> {
        Self::fit_weighted(file, survey, choice, batches, &[])
    }

    /// As [`fit_sample`](Self::fit_sample); a row of weight k counts as k copies for medians. Without
    /// weights each counts once.
    ///
    /// # Errors
    /// As [`fit_sample`](Self::fit_sample).
    pub fn fit_weighted(
        file: &str,
        survey: &Survey,
        choice: &Choice,
        batches: &[Batch],
        weights: &[f64],
    ) -> Result<Self> {
        let expected = || survey.columns().iter().map(|info| (info.name.as_str(), info.kind));
        batches.iter().try_for_each(|batch| expect_columns(file, batch, expected()))?;
        let training = Training::new(batches, survey.options.missing == Missing::Drop, weights);
        let fit = |column: usize| {
            let name = survey.columns()[column].name.clone();
            Column { name, encoder: encoder(survey, &training, column) }
        };
        let columns = choice.features().into_iter().map(fit).collect();
        Ok(Self { missing: survey.options.missing, columns })
    }
}

fn encoder(survey: &Survey, training: &Training, column: usize) -> ColumnEncoder {
    match &survey.tallies[column].values {
        Values::Number(numbers) => number(survey, training, column, numbers),
        Values::Boolean(counts) => boolean(survey, column, *counts),
        Values::Text(texts) => match survey.notation(column) {
            Some(notation) => written_number(survey, training, column, texts, notation),
            None => text(survey, training, column, texts),
        },
        Values::Date(dates) => date(survey, training, column, dates),
    }
}

/// Whether a column has gaps that are kept, and whether it needs something to fill in.
fn gaps_and_fill(survey: &Survey, column: usize) -> (bool, bool) {
    let gaps = survey.options.missing == Missing::Auto && survey.gaps(column) > 0;
    (gaps, gaps || survey.options.missing == Missing::Impute)
}

fn number(
    survey: &Survey,
    training: &Training,
    column: usize,
    numbers: &NumberTally,
) -> ColumnEncoder {
    let (gaps, fills) = gaps_and_fill(survey, column);
    // A column may have no value in the rows kept.
    let fill = fills.then(|| training.median(column).unwrap_or(numbers.low));
    let range = NumberRange { low: numbers.low, high: numbers.high, integers: numbers.integers };
    ColumnEncoder::Number { fill, gaps, range: Some(range), notation: None }
}

fn written_number(
    survey: &Survey,
    training: &Training,
    column: usize,
    texts: &TextTally,
    notation: Notation,
) -> ColumnEncoder {
    let (gaps, fills) = gaps_and_fill(survey, column);
    let range = texts.numbers(notation);
    let low = range.map_or(0.0, |range| range.low);
    let median = || training.median_of(column, |text| notation.number(text)).unwrap_or(low);
    let range =
        range.map(|WrittenNumbers { low, high, integers }| NumberRange { low, high, integers });
    ColumnEncoder::Number { fill: fills.then(median), gaps, range, notation: Some(notation) }
}

fn boolean(survey: &Survey, column: usize, [no, yes]: [u64; 2]) -> ColumnEncoder {
    if gaps_and_fill(survey, column).0 {
        return ColumnEncoder::Category(Category {
            values: ["false", "true"].map(str::to_string).to_vec(),
            other: true,
            pooled: false,
            missing: true,
            boolean: true,
            fill: None,
        });
    }
    let imputes = survey.options.missing == Missing::Impute;
    ColumnEncoder::Boolean { fill: imputes.then_some(yes > no) }
}

fn text(survey: &Survey, training: &Training, column: usize, texts: &TextTally) -> ColumnEncoder {
    let (gaps, _) = gaps_and_fill(survey, column);
    let counts = texts.counts(|| training.texts(column));
    let fill = (survey.options.missing == Missing::Impute).then(|| most_frequent(&counts));
    let rows = survey.usable();
    let categories = survey.options.categories_of(&survey.columns()[column].name);
    let owned = |values: &[&str]| values.iter().map(ToString::to_string).collect::<Vec<String>>();
    let all: Vec<&str> = counts.iter().map(|(value, _)| *value).collect();
    match (categories, &all[..]) {
        (Categories::Frequency, _) => {
            let cells = texts.present() as f64;
            let share = |(value, count): &(&str, u64)| (value.to_string(), *count as f64 / cells);
            let imputed = fill.map(|index| share(&counts[index]).1);
            let missing = gaps.then(|| survey.gaps(column) as f64 / rows as f64);
            let shares = counts.iter().map(share).collect();
            ColumnEncoder::Frequency { shares, fill: imputed.or(missing) }
        }
        (Categories::Auto, [first, second]) if survey.is_pair(column) => ColumnEncoder::Pair {
            values: [first.to_string(), second.to_string()],
            fill: fill.map(|index| index == 1),
        },
        (Categories::Auto, _) => {
            let kept = kept_values(&counts, rows);
            let place = |index: usize| kept.binary_search(&counts[index].0).unwrap_or(kept.len());
            ColumnEncoder::Category(Category {
                pooled: texts.values() > kept.len() as u64,
                fill: fill.map(place),
                values: owned(&kept),
                other: true,
                missing: gaps,
                boolean: false,
            })
        }
        _ => ColumnEncoder::Category(Category {
            values: owned(&all),
            other: false,
            pooled: false,
            missing: gaps,
            boolean: false,
            fill,
        }),
    }
}

fn date(survey: &Survey, training: &Training, column: usize, dates: &DateTally) -> ColumnEncoder {
    let (gaps, fills) = gaps_and_fill(survey, column);
    let parts = survey.options.dates_of(&survey.columns()[column].name) == Dates::Parts;
    let order = dates.order();
    let read = |text: &str| days(text, order);
    let median = || training.median_of(column, read).unwrap_or(dates.reading().low);
    ColumnEncoder::Date(Dated {
        order,
        times: dates.reading().times,
        clock: dates.are_times(),
        cycles: parts.then(|| varying_cycles(dates)),
        fill: fills.then(median),
        gaps,
    })
}

/// The values that are not rare, ascending: in enough rows, and the most frequent if they are many.
pub(super) fn kept_values<'a>(counts: &[(&'a str, u64)], rows: u64) -> Vec<&'a str> {
    let mut kept: Vec<&(&str, u64)> =
        counts.iter().filter(|(_, count)| is_frequent(*count, rows)).collect();
    // Stable: of equally frequent values the first.
    kept.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    kept.truncate(KEPT_VALUES);
    let mut kept: Vec<&str> = kept.into_iter().map(|(value, _)| *value).collect();
    kept.sort_unstable();
    kept
}

/// Rows that have one of the values that are not rare, by how many have each value.
pub(super) fn kept_rows(mut counts: Vec<u64>, rows: u64) -> u64 {
    counts.retain(|count| is_frequent(*count, rows));
    counts.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
    counts.iter().take(KEPT_VALUES).sum()
}

fn is_frequent(count: u64, rows: u64) -> bool {
    count >= KEPT_ROWS && count as f64 >= KEPT_SHARE * rows as f64
}

/// Index of the first of the values with the largest count.
fn most_frequent(counts: &[(&str, u64)]) -> usize {
    (0..counts.len()).rev().max_by_key(|&index| counts[index].1).unwrap_or_default()
}
