//! Laws of a split: counts, disjoint parts, copies, scaling, seeds.

use std::collections::HashSet;

use sosrep_adbench::{Dataset, Error, Noise, Part, Protocol, Split, split};

use super::made::dataset;

const BOTH: [Protocol; 2] = [Protocol::AdBench, Protocol::Authors];

fn plain(dataset: &Dataset, protocol: Protocol, seed: u64) -> Split {
    split(dataset, protocol, &Noise::default(), seed).unwrap()
}

/// Rows for training and testing, and the anomalies among them.
fn counts(split: &Split) -> [usize; 4] {
    let Split { train, test, .. } = split;
    [train.rows.len(), train.anomalies(), test.rows.len(), test.anomalies()]
}

/// The rows of one class, ascending.
fn rows_of(part: &Part, anomaly: bool) -> Vec<usize> {
    let pairs = part.rows.iter().zip(&part.labels);
    let mut rows: Vec<usize> =
        pairs.filter(|(_, label)| **label == anomaly).map(|p| *p.0).collect();
    rows.sort_unstable();
    rows
}

/// Whether every row bears the label it has in the data set.
fn labels_are_true(dataset: &Dataset, part: &Part) -> bool {
    part.rows.iter().zip(&part.labels).all(|(&row, &label)| dataset.labels()[row] == label)
}

#[test]
fn a_small_data_set_is_filled_up_by_adbench_and_left_alone_by_the_authors() {
    let small = dataset(300, 60);
    let [train, train_anomalies, test, test_anomalies] = counts(&plain(&small, BOTH[0], 1));
    assert_eq!((train, test), (700, 300));
    // Of 1000 draws 200 are expected to be anomalies, with a deviation of 12.6.
    assert!((train_anomalies + test_anomalies).abs_diff(200) < 60);
    assert!((3 * train_anomalies).abs_diff(7 * test_anomalies) <= 10);
    assert_eq!(counts(&plain(&small, BOTH[1], 1)), [210, 42, 90, 18]);
}

#[test]
fn a_large_data_set_is_cut_down_by_both_without_repetition() {
    let large = dataset(10_001, 1000);
    for protocol in BOTH {
        let split = plain(&large, protocol, 1);
        assert_eq!((split.train.rows.len(), split.test.rows.len()), (7000, 3000));
        let rows = split.train.rows.iter().chain(&split.test.rows);
        assert_eq!(rows.collect::<HashSet<_>>().len(), 10_000);
    }
}

#[test]
fn data_sets_between_the_limits_are_used_row_for_row() {
    for (rows, anomalies, expected) in [
        (1000, 42, [700, 29, 300, 13]),
        (1941, 673, [1358, 471, 583, 202]),
        (10_000, 3, [7000, 2, 3000, 1]),
    ] {
        let dataset = dataset(rows, anomalies);
        for protocol in BOTH {
            let split = plain(&dataset, protocol, 7);
            assert_eq!(counts(&split), expected);
            let mut all = [split.train.rows.as_slice(), &split.test.rows].concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..rows), "{rows} rows, each in one part");
            assert!(labels_are_true(&dataset, &split.train));
            assert!(labels_are_true(&dataset, &split.test));
        }
    }
}

#[test]
fn fewer_than_two_rows_of_a_class_are_an_error() {
    let error = split(&dataset(1200, 1), Protocol::Authors, &Noise::default(), 5).unwrap_err();
    assert_eq!(
        error.to_string(),
        "3_backdoor with seed 5: 1 of 1200 rows are anomalies, and a split needs at least 2; use \
         another seed or leave the data set out"
    );
    let error = split(&dataset(4, 4), Protocol::AdBench, &Noise::default(), 5).unwrap_err();
    assert!(matches!(error, Error::TooFewRows { class: "normal", count: 0, rows: 1000, .. }));
}

#[test]
fn duplicates_take_the_place_of_the_anomalies_and_touch_no_normal_row() {
    let dataset = dataset(1500, 100);
    let before = plain(&dataset, Protocol::AdBench, 3);
    for duplicates in 1..=6 {
        let noise = Noise { duplicates, ..Noise::default() };
        let after = split(&dataset, Protocol::AdBench, &noise, 3).unwrap();
        for (before, after) in [(&before.train, &after.train), (&before.test, &after.test)] {
            assert_eq!(after.anomalies(), duplicates * before.anomalies());
            assert_eq!(rows_of(after, false), rows_of(before, false));
            let originals = rows_of(before, true);
            assert!(rows_of(after, true).iter().all(|row| originals.contains(row)));
            assert!(labels_are_true(&dataset, after));
        }
        if duplicates == 1 {
            assert_eq!(after, before);
        }
    }
}

/// The raw values of a column in the rows of a part.
fn column<'a>(dataset: &'a Dataset, part: &'a Part, j: usize) -> impl Iterator<Item = f64> + 'a {
    part.rows.iter().map(move |&row| dataset.row(row)[j])
}

#[test]
fn scaling_puts_train_into_the_unit_interval_and_test_where_train_says() {
    let noise = Noise { duplicates: 3, ..Noise::default() };
    let mut outside = 0;
    for rows in [300, 1234, 12_000] {
        let dataset = dataset(rows, rows / 10);
        let split = split(&dataset, Protocol::AdBench, &noise, 4).unwrap();
        assert!(labels_are_true(&dataset, &split.train) && labels_are_true(&dataset, &split.test));
        (0..3).for_each(|j| check_unit_column(&dataset, &split, j));
        outside += split.test.values.iter().filter(|x| !(0.0..=1.0).contains(*x)).count();
    }
    assert!(outside > 0, "the test rows took part in the fit");
}

/// Compares a column with the raw values of the rows it is said to come from.
fn check_unit_column(dataset: &Dataset, split: &Split, j: usize) {
    let least = column(dataset, &split.train, j).fold(f64::INFINITY, f64::min);
    let most = column(dataset, &split.train, j).fold(f64::NEG_INFINITY, f64::max);
    let range = if most == least { 1.0 } else { most - least };
    for part in [&split.train, &split.test] {
        let scaled = part.values.iter().skip(j).step_by(3);
        let expected = column(dataset, part, j).map(|x| (x - least) / range);
        assert!(scaled.copied().eq(expected), "column {j}");
    }
    let scaled = || split.train.values.iter().skip(j).step_by(3).copied();
    assert_eq!(scaled().fold(f64::INFINITY, f64::min), 0.0);
    assert_eq!(scaled().fold(0.0, f64::max), if most == least { 0.0 } else { 1.0 });
}

#[test]
fn the_authors_standardise_what_adbench_gives() {
    let dataset = dataset(1234, 99);
    let (unit, standard) = (plain(&dataset, BOTH[0], 4), plain(&dataset, BOTH[1], 4));
    assert_eq!(unit.train.rows, standard.train.rows);
    for j in 0..3 {
        let train: Vec<f64> = unit.train.values.iter().skip(j).step_by(3).copied().collect();
        let n = train.len() as f64;
        let mean = train.iter().sum::<f64>() / n;
        let variance = train.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let deviation = if variance == 0.0 { 1.0 } else { variance.sqrt() };
        for (before, after) in [(&unit.train, &standard.train), (&unit.test, &standard.test)] {
            let pairs = before.values.iter().zip(&after.values).skip(j).step_by(3);
            for (x, y) in pairs {
                assert!(((x - mean) / deviation - y).abs() < 1e-12, "column {j}");
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_other_rows() {
    let noise = Noise { duplicates: 2, jitter: Some(0.1), irrelevant_features: 0.7 };
    for rows in [300, 2000, 12_000] {
        let dataset = dataset(rows, rows / 10);
        for protocol in BOTH {
            let [one, again, other] =
                [1, 1, 2].map(|seed| split(&dataset, protocol, &noise, seed).unwrap());
            assert_eq!(one, again);
            assert_ne!(one.train.rows, other.train.rows);
            assert_ne!(rows_of(&one.test, false), rows_of(&other.test, false));
        }
    }
}

#[test]
fn a_step_that_is_added_leaves_the_others_as_they_were() {
    for rows in [300, 2000, 12_000] {
        let dataset = dataset(rows, rows / 10);
        let before = plain(&dataset, Protocol::AdBench, 9);
        let with = |noise: &Noise| split(&dataset, Protocol::AdBench, noise, 9).unwrap();
        let wider = with(&Noise { irrelevant_features: 0.7, ..Noise::default() });
        assert_eq!((wider.columns, wider.irrelevant_columns), (5, 2));
        assert_eq!((&wider.train.rows, &wider.test.rows), (&before.train.rows, &before.test.rows));
        let pairs = wider.train.values.chunks_exact(5).zip(before.train.values.chunks_exact(3));
        assert!(pairs.into_iter().all(|(wide, narrow)| wide[..3] == *narrow));
        let copied = Noise { duplicates: 4, ..Noise::default() };
        let shaken = with(&Noise { jitter: Some(0.1), ..copied });
        assert_eq!(shaken.train.rows, with(&copied).train.rows);
        assert_ne!(shaken.train.values, with(&copied).train.values);
    }
}

#[test]
fn jittered_copies_of_a_row_differ_and_exact_ones_do_not() {
    let dataset = dataset(1500, 50);
    for (jitter, expected) in [(None, false), (Some(0.05), true)] {
        let noise = Noise { duplicates: 6, jitter, ..Noise::default() };
        let Split { train, .. } = split(&dataset, Protocol::AdBench, &noise, 2).unwrap();
        let rows = || train.values.chunks_exact(3).zip(&train.rows).zip(&train.labels);
        let anomalies: Vec<_> = rows().filter(|(_, label)| **label).map(|(row, _)| row).collect();
        let mut pairs = 0;
        for (i, (values, row)) in anomalies.iter().enumerate() {
            for (other_values, _) in anomalies[..i].iter().filter(|(_, other)| other == row) {
                assert_eq!(values != other_values, expected, "row {row}");
                pairs += 1;
            }
        }
        assert!(pairs > 100);
    }
}

#[test]
fn noise_outside_its_domain_is_an_error() {
    let noise = Noise { duplicates: 7, ..Noise::default() };
    let error = split(&dataset(50, 5), Protocol::AdBench, &noise, 1).unwrap_err();
    assert_eq!(error.to_string(), "duplicates is 7; it must be between 1 and 6");
}

#[test]
fn splits_are_those_of_earlier_versions() {
    let begins = |rows, protocol| {
        let split = plain(&dataset(rows, rows / 10), protocol, 1);
        split.train.rows.first_chunk::<5>().copied().unwrap()
    };
    let found = [begins(100, BOTH[0]), begins(100, BOTH[1]), begins(12_000, BOTH[0])];
    let expected = [[40, 77, 86, 22, 66], [71, 90, 4, 63, 25], [9740, 8293, 2121, 7561, 298]];
    assert_eq!(found, expected);
}
