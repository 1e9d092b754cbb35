//! What holds for every table: round trips, batches, orders, and slow twins of what is learnt.

use proptest::prelude::*;
use proptest::sample::select;

use super::super::{Categories, Encoding, Missing, UnseenValues};
use super::{FILE, NamedColumn, Table, booleans, numbers, text};
use crate::batch::{Batch, RowNumbers};

const WORDS: [&str; 7] = ["", "a", "a=b", "b", "é", "two words", "line\nbreak"];

/// The cells of a table with a column of each kind.
#[derive(Debug, Clone)]
struct Cells {
    numbers: Vec<Option<f64>>,
    booleans: Vec<Option<bool>>,
    words: Vec<Option<&'static str>>,
}

impl Cells {
    fn columns(&self) -> [NamedColumn; 3] {
        [
            numbers("number", &self.numbers),
            text("word", &self.words),
            booleans("flag", &self.booleans),
        ]
    }

    fn table(&self) -> Table {
        Table::new(&self.columns())
    }

    fn complete(&self, row: usize) -> bool {
        self.numbers[row].is_some() && self.booleans[row].is_some() && self.words[row].is_some()
    }
}

/// Tables, with or without missing values, whose first row is complete.
fn tables(gaps: bool) -> impl Strategy<Value = Cells> {
    let number = prop_oneof![any::<f64>().prop_filter("finite", |x| x.is_finite()), -3.0..3.0];
    let gap = move || (0..6).prop_map(move |die| gaps && die == 0);
    let row = (number, any::<bool>(), select(&WORDS[..]), [gap(), gap(), gap()]);
    prop::collection::vec(row, 0..40).prop_map(|rows| {
        let mut cells =
            Cells { numbers: vec![Some(0.5)], booleans: vec![Some(true)], words: vec![Some("b")] };
        for (number, boolean, word, gaps) in rows {
            cells.numbers.push(Some(number).filter(|_| !gaps[0]));
            cells.booleans.push(Some(boolean).filter(|_| !gaps[1]));
            cells.words.push(Some(word).filter(|_| !gaps[2]));
        }
        cells
    })
}

fn choices() -> impl Strategy<Value = (Missing, Categories)> {
    let missing = select(vec![Missing::Drop, Missing::Impute]);
    (missing, select(vec![Categories::Onehot, Categories::Frequency]))
}

proptest! {
    #[test]
    fn decoding_undoes_one_hot_encoding(cells in tables(false)) {
        let table = cells.table();
        let encoding = table.fit(Missing::Error, Categories::Onehot).unwrap();
        let encoded = encoding.apply(FILE, table.whole()).unwrap();
        prop_assert_eq!(encoding.decode(&encoded.values).unwrap(), table.whole().cells.clone());
    }

    #[test]
    fn decoding_undoes_frequency_encoding_up_to_values_with_one_share(cells in tables(false)) {
        let table = cells.table();
        let encoding = table.fit(Missing::Error, Categories::Frequency).unwrap();
        let values = encoding.apply(FILE, table.whole()).unwrap().values;
        let decoded = encoding.decode(&values).unwrap();
        let count = |word| cells.words.iter().filter(|other| **other == Some(word)).count();
        let mut counts: Vec<_> = WORDS.into_iter().map(count).filter(|n| *n > 0).collect();
        counts.sort_unstable();
        let distinct = counts.windows(2).all(|pair| pair[0] < pair[1]);
        if distinct {
            prop_assert_eq!(&decoded, &table.whole().cells);
        }
        let again = Batch { cells: decoded, numbers: RowNumbers::From(1), lines: None, unreadable: Vec::new() };
        prop_assert_eq!(encoding.apply(FILE, &again).unwrap().values, values);
    }

    #[test]
    fn a_feature_is_what_its_name_says(cells in tables(false)) {
        let table = cells.table();
        for categories in [Categories::Onehot, Categories::Frequency] {
            let encoding = table.fit(Missing::Error, categories).unwrap();
            let names = encoding.feature_names();
            let values = encoding.apply(FILE, table.whole()).unwrap().values;
            prop_assert_eq!(names.len(), encoding.width());
            let rows = cells.words.len();
            for (index, value) in values.into_iter().enumerate() {
                let (row, name) = (index / names.len(), names[index % names.len()].as_str());
                let word = cells.words[row].unwrap();
                let expected = match name {
                    "number" => cells.numbers[row].unwrap(),
                    "flag" => if cells.booleans[row].unwrap() { 1.0 } else { 0.0 },
                    "word" => {
                        let same = cells.words.iter().filter(|other| **other == Some(word));
                        same.count() as f64 / rows as f64
                    }
                    other => if other == format!("word={word}") { 1.0 } else { 0.0 },
                };
                prop_assert_eq!(value.to_bits(), expected.to_bits());
            }
        }
    }

    #[test]
    fn batches_do_not_matter(
        training in tables(true),
        scored in tables(true),
        (missing, categories) in choices(),
        size in 1_usize..12,
    ) {
        let mut training = training;
        // Some values are for scoring only.
        for word in training.words.iter_mut().filter(|word| matches!(word, Some("a" | "é"))) {
            *word = Some("b");
        }
        let table = training.table();
        let encoding = table.fit(missing, categories).unwrap();
        prop_assert_eq!(&table.split(size).fit(missing, categories).unwrap(), &encoding);

        let table = scored.table();
        let whole = encoding.apply(FILE, table.whole()).unwrap();
        let (mut values, mut kept) = (Vec::new(), Vec::new());
        let (mut unseen, mut expected) = (UnseenValues::default(), UnseenValues::default());
        for batch in table.split(size).batches {
            let part = encoding.apply(FILE, &batch).unwrap();
            values.extend(part.values);
            kept.extend(part.kept.iter().map(|row| row + batch.number(0) as usize - 1));
            unseen.add(part.unseen);
        }
        expected.add(whole.unseen);
        prop_assert_eq!(values, whole.values);
        prop_assert_eq!(kept, whole.kept);
        prop_assert_eq!(unseen, expected);
    }

    #[test]
    fn dropping_is_fitting_on_the_complete_rows(cells in tables(true)) {
        let complete: Vec<usize> =
            (0..cells.numbers.len()).filter(|row| cells.complete(*row)).collect();
        let rest = Cells {
            numbers: complete.iter().map(|row| cells.numbers[*row]).collect(),
            booleans: complete.iter().map(|row| cells.booleans[*row]).collect(),
            words: complete.iter().map(|row| cells.words[*row]).collect(),
        };
        for categories in [Categories::Onehot, Categories::Frequency] {
            let encoding = cells.table().fit(Missing::Drop, categories).unwrap();
            prop_assert_eq!(&encoding, &rest.table().fit(Missing::Drop, categories).unwrap());
            let encoded = encoding.apply(FILE, cells.table().whole()).unwrap();
            prop_assert_eq!(&encoded.kept, &complete);
            let of_rest = encoding.apply(FILE, rest.table().whole()).unwrap();
            prop_assert_eq!(encoded.values, of_rest.values);
        }
    }

    #[test]
    fn imputing_is_filling_by_hand(cells in tables(true)) {
        let mut filled = cells.clone();
        let (number, boolean, word) =
            (median(&cells.numbers), commonest(&cells.booleans), commonest(&cells.words));
        filled.numbers.iter_mut().for_each(|cell| { cell.get_or_insert(number); });
        filled.booleans.iter_mut().for_each(|cell| { cell.get_or_insert(boolean); });
        filled.words.iter_mut().for_each(|cell| { cell.get_or_insert(word); });
        for categories in [Categories::Onehot, Categories::Frequency] {
            let encoding = cells.table().fit(Missing::Impute, categories).unwrap();
            let encoded = encoding.apply(FILE, cells.table().whole()).unwrap();
            let by_hand = encoding.apply(FILE, filled.table().whole()).unwrap();
            prop_assert_eq!(&encoded.values, &by_hand.values);
            prop_assert_eq!(encoded.kept.len(), cells.numbers.len());
            prop_assert!(encoded.unseen.is_empty());
        }
    }

    #[test]
    fn the_order_of_columns_in_a_file_does_not_matter(
        cells in tables(false),
        order in Just(vec![0_usize, 1, 2, 3]).prop_shuffle(),
    ) {
        let [number, word, flag] = cells.columns();
        let encoding = cells.table().fit(Missing::Error, Categories::Onehot).unwrap();
        let expected = encoding.apply(FILE, cells.table().whole()).unwrap();
        let id = numbers("id", &cells.numbers);
        let columns = [number, word, flag, id];
        let shuffled: Vec<_> = order.iter().map(|index| columns[*index].clone()).collect();
        let file = Table::new(&shuffled);
        let places = encoding.match_columns(FILE, &file.columns, &["id", "label"]).unwrap();
        let projected = file.whole().cells.project(&places).unwrap();
        let batch = Batch { cells: projected, numbers: RowNumbers::From(1), lines: None, unreadable: Vec::new() };
        prop_assert_eq!(encoding.apply(FILE, &batch).unwrap().values, expected.values);
    }

    #[test]
    fn an_encoding_survives_its_file_and_its_check(
        cells in tables(true),
        (missing, categories) in choices(),
    ) {
        let encoding = cells.table().fit(missing, categories).unwrap();
        let json = serde_json::to_string(&encoding).unwrap();
        let read: Encoding = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(&read, &encoding);
        prop_assert_eq!(serde_json::to_string(&read).unwrap(), json);
        prop_assert!(read.check().is_ok());
    }
}

/// The middle of the sorted values.
fn median(cells: &[Option<f64>]) -> f64 {
    let mut values: Vec<f64> = cells.iter().flatten().copied().collect();
    values.sort_by(f64::total_cmp);
    let count = values.len();
    f64::midpoint(values[(count - 1) / 2], values[count / 2])
}

/// The most frequent value, the smallest one at a tie.
fn commonest<T: Ord + Copy>(cells: &[Option<T>]) -> T {
    let count = |value: T| cells.iter().filter(|cell| **cell == Some(value)).count();
    let values = cells.iter().flatten().copied();
    values.min_by_key(|value| (usize::MAX - count(*value), *value)).unwrap()
}

#[test]
fn the_median_of_huge_values_does_not_overflow() {
    let table = Table::new(&[numbers("n", &[Some(1e308), Some(1.5e308), None])]);
    let encoding = table.fit(Missing::Impute, Categories::Error).unwrap();
    assert_eq!(encoding.apply(FILE, table.whole()).unwrap().values[2], 1.25e308);
}

#[test]
fn decoding_takes_numbers_that_are_only_near() {
    let table = Table::new(&[
        text("a", &[Some("x"), Some("y"), Some("y")]),
        booleans("b", &[Some(true), Some(false), Some(true)]),
    ]);
    let onehot = table.fit(Missing::Error, Categories::Onehot).unwrap();
    let frequency = table.fit(Missing::Error, Categories::Frequency).unwrap();
    let expected = Table::new(&[
        text("a", &[Some("y"), Some("x")]),
        booleans("b", &[Some(true), Some(false)]),
    ]);
    let decoded = onehot.decode(&[0.1, 0.8, 0.5, 0.0, 0.0, 0.49]).unwrap();
    assert_eq!(decoded, expected.whole().cells);
    let decoded = frequency.decode(&[0.9, 0.5, 0.45, 0.49]).unwrap();
    assert_eq!(decoded, expected.whole().cells);
}
