//! Encodings learnt from some rows of a table of which all were seen.

use super::super::{Categories, EncodeOptions, Encoding, Missing, Survey};
use super::{FILE, Table, booleans, numbers, text};
use crate::batch::RowNumbers;
use crate::error::{Place, Result};

const EVERY: [Missing; 4] = [Missing::Auto, Missing::Error, Missing::Drop, Missing::Impute];

fn options(missing: Missing) -> EncodeOptions {
    EncodeOptions { missing, categories: Categories::Onehot, ..EncodeOptions::default() }
}

/// The encoding learnt from some rows of a table that went by in batches of two.
fn sampled(table: &Table, rows: &[usize], options: &EncodeOptions) -> Result<Encoding> {
    let mut survey = Survey::new(&table.columns, options);
    table.split(2).batches.iter().try_for_each(|batch| survey.add(FILE, batch))?;
    let choice = survey.choose(FILE)?;
    Encoding::fit_sample(FILE, &survey, &choice, &[table.whole().take(rows).unwrap()])
}

fn fitted(table: &Table, options: &EncodeOptions) -> Result<Encoding> {
    table.fit_with(options).map(|(encoding, _)| encoding)
}

#[test]
fn what_is_wrong_in_any_row_is_refused_in_the_same_words() {
    let some = |x: f64| [Some(x), Some(2.0), Some(3.0), Some(x), Some(5.0)];
    let mut late = some(1.0);
    late[3] = None;
    let mut infinite = some(1.0);
    infinite[4] = Some(f64::INFINITY);
    let never = [None; 5];
    for (columns, missing) in [
        (vec![numbers("a", &some(1.0)), numbers("b", &late)], Missing::Error),
        (vec![numbers("a", &infinite)], Missing::Impute),
        (vec![numbers("a", &some(1.0)), numbers("b", &never)], Missing::Drop),
        (vec![numbers("a", &some(1.0)), booleans("b", &[None; 5])], Missing::Error),
    ] {
        let table = Table::new(&columns);
        let whole = fitted(&table, &options(missing)).unwrap_err().to_string();
        assert_eq!(sampled(&table, &[0, 1], &options(missing)).unwrap_err().to_string(), whole);
    }
}

#[test]
fn a_sample_of_all_rows_gives_the_encoding_of_the_table() {
    let table = Table::new(&[
        numbers("a", &[Some(1.0), Some(4.0), None, Some(2.0)]),
        text("b", &[Some("x"), None, Some("y"), Some("x")]),
    ]);
    for missing in [Missing::Drop, Missing::Impute] {
        let whole = fitted(&table, &options(missing)).unwrap();
        assert_eq!(sampled(&table, &[0, 1, 2, 3], &options(missing)).unwrap(), whole);
    }
}

#[test]
fn a_column_without_a_value_in_the_sample_is_encoded_as_the_whole_table_says() {
    let table = Table::new(&[
        numbers("a", &[Some(1.0), Some(4.0), Some(2.0)]),
        text("b", &[None, None, Some("x")]),
        numbers("c", &[None, None, Some(7.0)]),
    ]);
    for missing in [Missing::Auto, Missing::Impute] {
        let encoding = sampled(&table, &[0, 1], &options(missing)).unwrap();
        let whole = fitted(&table, &options(missing)).unwrap();
        let encoded = |encoding: &Encoding| encoding.apply(FILE, table.whole()).unwrap().values;
        assert_eq!(encoded(&encoding), encoded(&whole));
    }
}

#[test]
fn a_survey_counts_all_rows_whatever_the_batches() {
    let table = Table::new(&[
        numbers("a", &[Some(1.0), None, None, Some(2.0), Some(3.0)]),
        text("b", &[Some("x"), None, Some("y"), None, Some("x")]),
    ]);
    for size in [1, 2, 5] {
        let mut survey = Survey::new(&table.columns, &EncodeOptions::default());
        for batch in &table.split(size).batches {
            survey.add(FILE, batch).unwrap();
        }
        assert_eq!((survey.rows, survey.complete), (5, 2));
        assert_eq!(survey.missing, [2, 2]);
    }
    assert_eq!(table.whole().complete_rows(), Some(vec![0, 4]));
    for missing in EVERY {
        assert_eq!(fitted(&table, &options(missing)).is_ok(), missing != Missing::Error);
    }
}

#[test]
fn rows_taken_and_put_together_keep_their_numbers_and_lines() {
    let cells: Vec<Option<f64>> = (0..9).map(|x| Some(f64::from(x))).collect();
    let table = Table::new(&[numbers("a", &cells)]);
    let parts: Vec<_> =
        table.split(3).batches.iter().map(|batch| batch.take(&[0, 2]).unwrap()).collect();
    let together = crate::Batch::concat(&parts).unwrap().unwrap();
    assert_eq!(together.numbers, RowNumbers::Each(vec![1, 3, 4, 6, 7, 9]));
    let places: Vec<Place> = (0..6).map(|row| together.place(row)).collect();
    assert_eq!(places, [2, 4, 5, 7, 8, 10].map(Place::Line));
    assert!(table.whole().complete_rows().is_none());
    assert!(table.whole().take(&[9]).is_err());
    assert!(crate::Batch::concat(&[]).unwrap().is_none());
}
