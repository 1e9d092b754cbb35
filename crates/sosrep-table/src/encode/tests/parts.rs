//! Surveys and samples of parts of a table, merged: those of the whole, whatever the parts and their order.

use sosrep::reduce::DistinctSample;

use super::super::{EncodeOptions, EncodedSample, Missing, Survey, TableSample};
use super::{FILE, Table, big_integers, booleans, dates, numbers, text};
use crate::Categories;
use crate::batch::Batch;

const ROWS: usize = 600;

/// A table of columns of every kind, with gaps and rows that repeat.
fn table() -> Table {
    let value = |row: usize| row * 3 % 97 % 31;
    let is_gap = |row: usize, column: usize| row.is_multiple_of(column + 7);
    let every: Vec<usize> = (0..ROWS).map(value).collect();
    let rows = || every.iter().copied().enumerate();
    let size: Vec<_> = rows().map(|(i, x)| (!is_gap(i, 1)).then_some(x as f64 - 2.5)).collect();
    let weight: Vec<_> = rows().map(|(_, x)| Some((x * x) as f64)).collect();
    let city = |x: usize| format!("city {}", x % 5);
    let city: Vec<_> = rows().map(|(i, x)| (!is_gap(i, 2)).then(|| city(x))).collect();
    let price: Vec<_> = rows().map(|(_, x)| Some(format!("1.{x:03},50"))).collect();
    let member: Vec<_> = rows().map(|(i, x)| (!is_gap(i, 3)).then_some(x % 2 == 0)).collect();
    let days: Vec<_> = rows().map(|(_, x)| format!("2024-03-{:02}", x % 28 + 1)).collect();
    let day: Vec<_> = days.iter().map(|day| Some(day.as_str())).collect();
    let codes: Vec<_> =
        rows().map(|(_, x)| (9_007_199_254_740_993_u64 + x as u64).to_string()).collect();
    let code: Vec<_> = codes.iter().map(|code| Some(code.as_str())).collect();
    Table::new(&[
        numbers("size", &size),
        numbers("weight", &weight),
        text("city", &city),
        text("price", &price),
        booleans("member", &member),
        dates("day", &day),
        big_integers("code", &code),
    ])
}

/// What parts have to say, sent as bytes and merged, by as many passes as it takes.
fn gathered(
    table: &Table,
    parts: &[Vec<Batch>],
    options: &EncodeOptions,
    size: usize,
) -> EncodedSample {
    let mut survey = Survey::new(&table.columns, options);
    let mut sample = TableSample::new(&survey, DistinctSample::new(16, 1));
    for part in parts {
        let mut of_part = Survey::new(&table.columns, options);
        part.iter().for_each(|batch| of_part.add(FILE, batch).unwrap());
        survey.merge(&Survey::from_bytes(&of_part.to_bytes()).unwrap()).unwrap();
    }
    loop {
        let empty = sample.clone();
        for part in parts {
            let mut of_part = empty.clone();
            part.iter().for_each(|batch| of_part.add(batch, None));
            let sent = DistinctSample::from_bytes(&of_part.rows().to_bytes()).unwrap();
            sample.merge(&sent).unwrap();
        }
        match sample.next_pass(size) {
            Some(next) => sample = next,
            None => break,
        }
    }
    let choice = survey.choose(FILE).unwrap();
    sample.encoded(FILE, &survey, &choice, |_| size).unwrap()
}

#[test]
fn parts_in_any_order_merge_into_the_encoded_sample_of_the_whole() {
    let table = table();
    for (missing, categories) in [
        (Missing::Auto, Categories::Auto),
        (Missing::Impute, Categories::Onehot),
        (Missing::Drop, Categories::Frequency),
    ] {
        let options = EncodeOptions { missing, categories, ..EncodeOptions::default() };
        for size in [20, 1000] {
            let whole = gathered(&table, &[table.split(ROWS).batches], &options, size);
            assert!(whole.copies.len() <= size && !whole.values.is_empty());
            for part in [1, 7, 250] {
                let mut parts: Vec<Vec<Batch>> =
                    table.split(part).batches.chunks(3).map(<[Batch]>::to_vec).collect();
                parts.reverse();
                parts.insert(0, Vec::new());
                assert_eq!(gathered(&table, &parts, &options, size), whole, "{missing:?}, {part}");
            }
        }
    }
}

#[test]
fn a_sample_that_holds_all_rows_is_the_encoded_table() {
    let table = table();
    let options = EncodeOptions::default();
    let (encoding, choice) = table.fit_with(&options).unwrap();
    let encoded = encoding.apply(FILE, &table.features(&choice)).unwrap();
    let sample = gathered(&table, &[table.split(100).batches], &options, 1000);
    assert_eq!(sample.encoding, encoding);
    let width = encoding.width();
    for (row, copies) in sample.values.chunks(width).zip(&sample.copies) {
        let count = encoded.values.chunks(width).filter(|other| *other == row).count();
        assert_eq!(copies.rows, count as u64);
    }
}

#[test]
fn a_key_makes_equal_rows_different_ones() {
    let cells = [Some(1.0); 40];
    let keys: Vec<_> = (0..40).map(|row| Some(format!("key {row}"))).collect();
    let keyed = Table::new(&[numbers("a", &cells), text("key", &keys)]);
    let survey = Survey::new(&keyed.columns[..1], &EncodeOptions::default());
    let mut sample = TableSample::new(&survey, DistinctSample::new(10, 1)).keyed();
    sample.add(keyed.whole(), None);
    let table = sample.rows().table();
    assert_eq!(table.copies.iter().map(|copies| copies.rows).collect::<Vec<_>>(), [1; 10]);
}

#[test]
fn surveys_of_many_texts_do_not_depend_on_the_parts() {
    let texts: Vec<_> = (0..90_000).map(|row| Some(format!("text {}", row * 7 % 80_000))).collect();
    let table = Table::new(&[text("name", &texts)]);
    let options = EncodeOptions::default();
    let of = |batches: &[Batch]| {
        let mut survey = Survey::new(&table.columns, &options);
        batches.iter().for_each(|batch| survey.add(FILE, batch).unwrap());
        survey
    };
    let mut whole = of(&table.batches);
    for part in [11_000, 70_000] {
        let mut merged = of(&[]);
        for batch in table.split(part).batches.iter().rev() {
            merged
                .merge(&Survey::from_bytes(&of(std::slice::from_ref(batch)).to_bytes()).unwrap())
                .unwrap();
        }
        whole = Survey::from_bytes(&whole.to_bytes()).unwrap();
        assert!(merged == whole, "{part}");
    }
}

#[test]
fn bytes_that_no_survey_gives_are_refused_and_other_columns_do_not_merge() {
    let table = table();
    let mut survey = Survey::new(&table.columns, &EncodeOptions::default());
    survey.add(FILE, table.whole()).unwrap();
    let bytes = survey.to_bytes();
    assert_eq!(Survey::from_bytes(&bytes).unwrap(), survey);
    for length in (0..bytes.len()).step_by(7) {
        assert!(Survey::from_bytes(&bytes[..length]).is_err(), "{length}");
    }
    // Whatever is read does not panic later.
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << (place % 8);
        if let Ok(mut read) = Survey::from_bytes(&changed) {
            let _ = read.merge(&survey);
            let _ = read.choose(FILE);
        }
    }
    let other = Survey::new(&table.columns[1..], &EncodeOptions::default());
    assert!(survey.merge(&other).is_err());
}
