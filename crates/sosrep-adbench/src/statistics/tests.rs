//! Laws of the statistics: slow twins, and what is missing is told.

use proptest::prelude::*;

use super::*;
use crate::protocol::{Noise, Protocol};
use crate::run::{Run, Status};

/// A run with a result.
pub(crate) fn done(method: &str, data_set: &str, seed: u64, auc: f64) -> Run {
    Run {
        data_set: data_set.to_string(),
        protocol: Protocol::AdBench,
        seed,
        duplicates: 1,
        jitter: None,
        irrelevant_features: 0.0,
        method: method.to_string(),
        parameters: String::new(),
        status: Status::Done,
        auc_roc: Some(auc),
        average_precision: Some(auc / 2.0),
        fit_seconds: Some(2.0),
        score_seconds: Some(1.0),
        train_rows: 700,
        test_rows: 300,
        columns: 5,
        bandwidth: None,
        iterations: None,
        residual: None,
        versions: String::new(),
        message: String::new(),
    }
}

/// A run without a result.
pub(crate) fn ended(method: &str, data_set: &str, status: Status) -> Run {
    Run { status, auc_roc: None, average_precision: None, ..done(method, data_set, 1, 0.0) }
}

/// A run on copied anomalies.
pub(crate) fn copied(run: Run, duplicates: usize) -> Run {
    Run { duplicates, ..run }
}

fn board(runs: &[Run], methods: &[&str]) -> Scoreboard {
    Scoreboard::new(runs, &Condition::default(), Measure::AucRoc, methods)
}

/// Few distinct values, so that there are ties.
fn values() -> impl Strategy<Value = Vec<Option<f64>>> {
    proptest::collection::vec(proptest::option::weighted(0.8, (0..6).prop_map(f64::from)), 0..20)
}

proptest! {
    #[test]
    fn a_rank_counts_the_smaller_and_half_of_the_equal(values in values()) {
        // `None` is less than any number, and equal to `None`.
        let slow = values.iter().map(|own| {
            let smaller = values.iter().filter(|other| *other < own).count() as f64;
            let equal = values.iter().filter(|other| *other == own).count() as f64;
            smaller + (equal + 1.0) / 2.0
        });
        prop_assert_eq!(ranks(&values), slow.collect::<Vec<f64>>());
    }

    #[test]
    fn ranks_sum_up_to_the_same_whoever_is_missing(values in values()) {
        let count = values.len() as f64;
        prop_assert_eq!(ranks(&values).iter().sum::<f64>(), count * (count + 1.0) / 2.0);
    }

    #[test]
    fn a_quantile_is_on_the_line_between_order_statistics(
        values in proptest::collection::vec(-1e3_f64..1e3, 1..30),
        share in 0.0_f64..=1.0,
    ) {
        // The slow twin walks over the pieces of the empirical line instead of indexing.
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let pieces = sorted.len() - 1;
        let mut slow = sorted[pieces];
        for (i, pair) in sorted.windows(2).enumerate() {
            let (from, to) = (i as f64 / pieces as f64, (i + 1) as f64 / pieces as f64);
            if (from..to).contains(&share) {
                slow = pair[0] + (pair[1] - pair[0]) * (share - from) / (to - from);
            }
        }
        prop_assert!((quantile(&values, share).unwrap() - slow).abs() < 1e-8);
    }

    #[test]
    fn a_board_agrees_with_adding_up_by_hand(
        entries in proptest::collection::vec((0..3_usize, 0..4_usize, 0..3_u64, 0.0_f64..1.0), 0..40)
    ) {
        let (methods, sets) = (["A", "B", "C"], ["4_breastw", "14_glass", "6_cardio", "47_yeast"]);
        let run = |&(m, s, seed, auc): &(usize, usize, u64, f64)| done(methods[m], sets[s], seed, auc);
        let runs: Vec<Run> = entries.iter().map(run).collect();
        let board = board(&runs, &methods);
        for (m, method) in methods.iter().enumerate() {
            let (mut total, mut covered) = (0.0, 0);
            for s in 0..sets.len() {
                // The last entry of a seed counts.
                let of_seed = |seed| entries.iter().rev().find(|e| (e.0, e.1, e.2) == (m, s, seed));
                let found: Vec<f64> = (0..3).filter_map(of_seed).map(|entry| entry.3).collect();
                if !found.is_empty() {
                    total += found.iter().sum::<f64>() / found.len() as f64;
                    covered += 1;
                }
            }
            match board.row(method) {
                None => prop_assert_eq!(covered, 0),
                Some(row) => {
                    prop_assert_eq!(row.covered(), covered);
                    prop_assert!((row.mean().unwrap() - total / covered as f64).abs() < 1e-12);
                }
            }
            let missing = board.missing(method).len();
            prop_assert_eq!(board.row(method).map_or(0, Row::covered) + missing, board.data_sets.len());
        }
    }
}

#[test]
fn quartiles_are_those_of_numpy() {
    // numpy.percentile([3, 1, 4, 1, 5, 9, 2, 6], [25, 50, 75])
    let found = summary(&[3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]).unwrap();
    assert_eq!((found.lower_quartile, found.median, found.upper_quartile), (1.75, 3.5, 5.25));
    assert_eq!((found.minimum, found.maximum, found.mean), (1.0, 9.0, 3.875));
}

#[test]
fn nothing_has_no_statistics() {
    assert_eq!((mean(&[]), median(&[]), deviation(&[1.0])), (None, None, None));
    assert!(summary(&[]).is_none() && ranks(&[]).is_empty());
    assert_eq!((quantile(&[1.0], -0.1), quantile(&[1.0], f64::NAN)), (None, None));
    assert_eq!(deviation(&[1.0, 3.0]), Some(2.0_f64.sqrt()));
}

#[test]
fn both_zeros_share_a_rank() {
    assert_eq!(ranks(&[Some(0.0), Some(-0.0), Some(-1.0)]), [2.5, 2.5, 1.0]);
}

#[test]
fn a_missing_result_has_its_reason() {
    let runs = [
        done("A", "4_breastw", 1, 0.9),
        done("A", "6_cardio", 1, 0.8),
        done("A", "14_glass", 1, 0.7),
        done("A", "47_yeast", 1, 0.6),
        ended("B", "4_breastw", Status::Failed),
        ended("B", "6_cardio", Status::TimedOut),
        ended("B", "14_glass", Status::Unavailable),
        done("C", "4_breastw", 1, f64::NAN),
    ];
    let board = board(&runs, &["A", "B", "C"]);
    let expected = [
        ("4_breastw", Absence::Failed),
        ("6_cardio", Absence::TimedOut),
        ("14_glass", Absence::Unavailable),
        ("47_yeast", Absence::NotRun),
    ];
    assert_eq!(board.missing("B"), expected);
    assert_eq!(board.missing("C")[0], ("4_breastw", Absence::Failed));
    assert_eq!(board.ran().count(), 1, "a method without a result takes no part");
    assert_eq!(board.ranks(), [("A", vec![1.0; 4])]);
}

#[test]
fn data_sets_are_in_the_order_of_their_numbers() {
    let names = ["14_glass", "unheard of", "4_breastw", "47_yeast", "6_cardio"];
    let runs = names.map(|name| done("A", name, 1, 0.5));
    let expected = ["4_breastw", "6_cardio", "14_glass", "47_yeast", "unheard of"];
    assert_eq!(board(&runs, &["A"]).data_sets, expected);
}

#[test]
fn a_place_by_mean_looks_at_shared_data_sets_only() {
    // B covers the easy data set alone, where A is better: its larger mean is no better place.
    let runs = [
        done("A", "4_breastw", 1, 0.95),
        done("A", "6_cardio", 1, 0.55),
        done("B", "4_breastw", 1, 0.9),
    ];
    let board = board(&runs, &["A", "B"]);
    assert!(board.row("B").unwrap().mean() > board.row("A").unwrap().mean());
    assert_eq!(board.place_by_mean("A"), Some(Place { place: 1, of: 2 }));
    assert_eq!(board.place_by_mean("B"), Some(Place { place: 2, of: 2 }));
    assert_eq!(board.place_by_rank("B"), Some(Place { place: 2, of: 2 }));
    let (lead, other) = board.lead("A").unwrap();
    assert!((lead - 0.05).abs() < 1e-12 && other == "B");
    assert_eq!(board.place_by_mean("C"), None);
}

#[test]
fn a_change_looks_at_shared_data_sets_and_seeds_only() {
    let runs = [
        done("A", "4_breastw", 1, 0.8),
        done("A", "4_breastw", 2, 0.1),
        done("A", "6_cardio", 1, 0.1),
        copied(done("A", "4_breastw", 1, 0.6), 6),
    ];
    let after = Scoreboard::new(&runs, &Condition::duplicated(6), Measure::AucRoc, &["A"]);
    let change = board(&runs, &["A"]).change(&after, "A").unwrap();
    assert!((change + 0.25).abs() < 1e-12);
}

#[test]
fn the_deviation_between_seeds_is_that_of_complete_seeds() {
    let runs = [
        done("A", "4_breastw", 1, 0.9),
        done("A", "6_cardio", 1, 0.7),
        done("A", "4_breastw", 2, 0.7),
        done("A", "6_cardio", 2, 0.5),
        done("A", "4_breastw", 3, 0.0),
    ];
    let board = board(&runs, &["A"]);
    let row = board.row("A").unwrap();
    let means: Vec<u64> = row.seed_means().into_keys().collect();
    assert_eq!(means, [1, 2]);
    assert!((row.seed_deviation().unwrap() - 0.2 / 2.0_f64.sqrt()).abs() < 1e-12);
    assert_eq!(board.seeds(), Some((2, 3)));
}

#[test]
fn a_condition_holds_for_its_own_noise_alone() {
    let plain = done("A", "4_breastw", 1, 0.5);
    let jittered = Run { jitter: Some(0.1), ..copied(plain.clone(), 5) };
    let conditions = [Condition::default(), Condition::duplicated(5)];
    assert_eq!(conditions.map(|condition| condition.holds(&plain)), [true, false]);
    assert_eq!(conditions.map(|condition| condition.holds(&jittered)), [false, false]);
    let noise = Noise { duplicates: 5, jitter: Some(0.1), irrelevant_features: 0.0 };
    assert!(Condition { noise, ..Condition::default() }.holds(&jittered));
    let authors = Run { protocol: Protocol::Authors, ..plain };
    assert!(!Condition::default().holds(&authors));
}
