//! The split into 70 % for training and 30 % for testing, with the same share of anomalies in both.
//!
//! Counts are those of scikit-learn's `train_test_split(test_size=0.3, stratify=y)`: of n rows
//! ⌈0.3 n⌉ are for testing; each class gives training its exact share rounded down, and the row
//! that may be lacking then comes from the class with the larger remainder, from either if they
//! are equal. Of two classes the remainders add up to 0 or 1, so this is rounding to the nearest.

use std::cmp::Ordering;

use rand::RngExt;
use rand::seq::SliceRandom;

use super::streams::Generator;

/// Positions of training rows and of test rows, both in random order.
pub(super) fn split(labels: &[bool], generator: &mut Generator) -> (Vec<usize>, Vec<usize>) {
    let (mut anomalies, mut normal): (Vec<usize>, Vec<usize>) =
        (0..labels.len()).partition(|&position| labels[position]);
    let train_rows = labels.len() - (3 * labels.len()).div_ceil(10);
    let train_anomalies = share(anomalies.len() * train_rows, labels.len(), generator);
    anomalies.shuffle(generator);
    normal.shuffle(generator);
    let test_anomalies = anomalies.split_off(train_anomalies);
    let test_normal = normal.split_off(train_rows - train_anomalies);
    let mut train = [normal, anomalies].concat();
    let mut test = [test_normal, test_anomalies].concat();
    train.shuffle(generator);
    test.shuffle(generator);
    (train, test)
}

/// The quotient rounded to the nearest integer, a half either way.
fn share(dividend: usize, divisor: usize, generator: &mut Generator) -> usize {
    let divisor = divisor.max(1);
    let rounds_up = match (2 * (dividend % divisor)).cmp(&divisor) {
        Ordering::Less => false,
        Ordering::Equal => generator.random(),
        Ordering::Greater => true,
    };
    dividend / divisor + usize::from(rounds_up)
}

#[cfg(test)]
mod tests {
    use super::super::streams::{Step, Streams};
    use super::*;

    /// Normal rows and anomalies for training and for testing.
    fn counts(normal: usize, anomalies: usize, seed: u64) -> [usize; 4] {
        let labels: Vec<bool> = (0..normal + anomalies).map(|i| i < anomalies).collect();
        let (train, test) = split(&labels, &mut Streams::new(seed, 1).of(Step::Split));
        let anomalous = |rows: &[usize]| rows.iter().filter(|&&row| labels[row]).count();
        let (in_train, in_test) = (anomalous(&train), anomalous(&test));
        [train.len() - in_train, in_train, test.len() - in_test, in_test]
    }

    #[test]
    fn counts_are_those_computed_by_hand() {
        // 214 rows: 65 for testing; 9 · 149 / 214 = 6.27 and 205 · 149 / 214 = 142.73.
        assert_eq!(counts(205, 9, 1), [143, 6, 62, 3]);
        // 1941 rows: 583 for testing; 673 · 1358 / 1941 = 470.86 and 1268 · 1358 / 1941 = 887.14.
        assert_eq!(counts(1268, 673, 1), [887, 471, 381, 202]);
        // Shares without a remainder.
        assert_eq!(counts(960, 40, 1), [672, 28, 288, 12]);
        assert_eq!(counts(9998, 2, 1), [6999, 1, 2999, 1]);
        assert_eq!(counts(9997, 3, 1), [6998, 2, 2999, 1]);
        assert_eq!(counts(2, 2, 1), [1, 1, 1, 1]);
    }

    #[test]
    fn equal_remainders_are_rounded_either_way() {
        // 10 rows, 7 for training: 3.5 of each class.
        let seen: Vec<[usize; 4]> = (0..40).map(|seed| counts(5, 5, seed)).collect();
        assert!(seen.contains(&[4, 3, 1, 2]) && seen.contains(&[3, 4, 2, 1]));
        assert!(seen.iter().all(|counts| matches!(counts, [4, 3, 1, 2] | [3, 4, 2, 1])));
    }

    /// Largest remainders as scikit-learn computes them, in floating point; `None` where they are
    /// equal but for rounding.
    fn slow_twin(normal: usize, anomalies: usize) -> Option<[usize; 4]> {
        let all = (normal + anomalies) as f64;
        let test = (0.3 * all).ceil();
        let shares = [normal as f64 / all * (all - test), anomalies as f64 / all * (all - test)];
        let remainders = shares.map(|share| share - share.floor());
        if (remainders[0] - remainders[1]).abs() < 1e-9 {
            return None;
        }
        let mut train = shares.map(|share| (share + 1e-9).floor() as usize);
        if train[0] + train[1] < (all - test) as usize {
            train[usize::from(remainders[1] > remainders[0])] += 1;
        }
        Some([train[0], train[1], normal - train[0], anomalies - train[1]])
    }

    #[test]
    fn counts_are_those_of_the_slow_twin_and_both_classes_are_in_both_parts() {
        for normal in 2..60 {
            for anomalies in 2..60 {
                let found = counts(normal, anomalies, 3);
                assert!(found.iter().all(|&count| count > 0), "{normal}, {anomalies}: {found:?}");
                if let Some(expected) = slow_twin(normal, anomalies) {
                    assert_eq!(found, expected, "{normal}, {anomalies}");
                }
            }
        }
    }

    #[test]
    fn every_position_is_in_one_part() {
        let labels: Vec<bool> = (0..101).map(|i| i % 7 == 0).collect();
        let (train, test) = split(&labels, &mut Streams::new(5, 1).of(Step::Split));
        let mut all = [train, test].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..101));
    }
}
