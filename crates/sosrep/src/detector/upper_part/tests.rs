use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

fn of(scores: &[f64]) -> UpperCut {
    beyond(0.5, scores)
}

fn beyond(inside: f64, scores: &[f64]) -> UpperCut {
    let pairs = scores.iter().map(|score| (*score, 1.0)).collect();
    cut(&Ordered::new(pairs), scores.len() as f64, inside, &|_| false)
}

fn share_above(scores: &[f64], cut: f64) -> f64 {
    scores.iter().filter(|score| **score > cut).count() as f64 / scores.len() as f64
}

/// 20 000 scores: a share of `inside` is even and below 0, the others have a law, by its inverse.
fn upper(inside: f64, inverse: impl Fn(f64) -> f64) -> Vec<f64> {
    let below = (20_000.0 * inside) as usize;
    let level = |i: usize, rows: usize| (i as f64 + 0.5) / rows as f64;
    let low = (0..below).map(|i| -level(i, below));
    low.chain((below..20_000).map(|i| inverse(level(i - below, 20_000 - below)))).collect()
}

/// Of a rising function, by bisection.
fn inverse(rising: impl Fn(f64) -> f64, level: f64) -> f64 {
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if rising(middle) < level { low = middle } else { high = middle }
    }
    low
}

fn exponential(rows: usize, seed: u64) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..rows).map(|_| -(1.0 - rng.random::<f64>()).ln()).collect()
}

#[test]
fn one_tail_ends_where_the_closed_forms_of_the_band_say() {
    for inside in [0.5, 0.8, 0.9] {
        let exponential = upper(inside, |level| -(1.0 - level).ln());
        let half_normal = upper(inside, |level| inverse(|e| libm::erf(e / 2_f64.sqrt()), level));
        for (scores, beyond_cut) in [
            (exponential, (-TAIL * 2_f64.sqrt()).exp()),
            (half_normal, libm::erfc(TAIL / 2_f64.sqrt())),
        ] {
            let found = beyond(inside, &scores);
            assert_eq!(found.apart, 0.0);
            // The mean square of quantiles misses that of the law by what lies beyond the last.
            let flagged = share_above(&scores, found.cut);
            let expected = (1.0 - inside) * beyond_cut;
            assert!((flagged - expected).abs() < 1e-3, "{flagged} {expected}");
        }
    }
}

#[test]
fn the_part_begins_at_the_median_at_least_and_leaves_a_tenth_at_most() {
    let scores = exponential(1000, 8);
    assert_eq!(beyond(0.0, &scores), beyond(0.5, &scores));
    assert_eq!(beyond(1.0, &scores), beyond(0.9, &scores));
    assert!(beyond(0.9, &scores).cut > beyond(0.7, &scores).cut);
}

#[test]
fn a_second_group_is_cut_off_where_it_begins_and_its_share_is_estimated() {
    for group in [20, 100, 190] {
        let mut scores = exponential(1000 - group, 1);
        let largest = scores.iter().copied().fold(0.0, f64::max);
        scores.extend(exponential(group, 2).iter().map(|e| 40.0 + e));
        let found = of(&scores);
        assert!((largest..40.0).contains(&found.cut), "{group}: {}", found.cut);
        assert!((found.apart - group as f64 / 1000.0).abs() < 1e-12, "{group}: {}", found.apart);
    }
}

#[test]
fn a_larger_group_is_a_minority_of_the_table_of_which_few_are_above() {
    for group in [201, 300, 400, 490] {
        let mut scores = exponential(1000 - group, 1);
        scores.extend(exponential(group, 2).iter().map(|e| 40.0 + e));
        let found = of(&scores);
        let flagged = share_above(&scores, found.cut);
        assert!(found.apart == 0.0 && flagged <= 0.2 * group as f64 / 1000.0, "{group}: {flagged}");
    }
}

#[test]
fn a_larger_group_that_is_scattered_is_cut_off_too() {
    for group in [201, 300, 400] {
        let mut scores = exponential(1000 - group, 1);
        scores.extend(exponential(group, 2).iter().map(|e| 40.0 + e));
        let pairs = scores.iter().map(|score| (*score, 1.0)).collect();
        let asked = std::cell::Cell::new(f64::NAN);
        let is_scattered = |cut| {
            asked.set(cut);
            true
        };
        let found = cut(&Ordered::new(pairs), 1000.0, 0.5, &is_scattered);
        assert_eq!(found.cut, asked.get());
        assert_eq!(share_above(&scores, found.cut), group as f64 / 1000.0);
        assert!((found.apart - group as f64 / 1000.0).abs() < 1e-12, "{group}: {}", found.apart);
    }
}

#[test]
fn at_most_half_of_any_scores_are_above_and_none_of_a_constant() {
    for power in [0.01, 0.3, 1.0, 3.0, 30.0] {
        for rows in (1..50).chain([1000]) {
            let scores: Vec<f64> =
                exponential(rows, rows as u64).iter().map(|e| e.powf(power)).collect();
            let found = of(&scores);
            let flagged = share_above(&scores, found.cut);
            assert!(flagged <= 0.5, "{power} {rows}: {flagged}");
            assert!(found.apart == 0.0 || (found.apart - flagged).abs() < 1e-12);
        }
        assert_eq!(of(&[power; 7]), UpperCut { cut: power, apart: 0.0 });
    }
}

#[test]
fn the_split_leaves_the_least_squares_within_its_parts() {
    let within = |part: &[f64]| {
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        part.iter().map(|e| (e - mean).powi(2)).sum::<f64>()
    };
    for seed in 0..50 {
        // Rounded, so that some are equal.
        let mut scores: Vec<f64> =
            exponential(60, seed).iter().map(|e| (e * e * 10.0).round()).collect();
        scores.sort_by(f64::total_cmp);
        let pairs = scores.iter().map(|score| (*score, 1.0)).collect();
        let upper = UpperPart::new(&Ordered::new(pairs), 0.5);
        let half: Vec<f64> = scores.into_iter().filter(|score| *score >= upper.first).collect();
        let squares = |cut: f64| {
            let first = half.partition_point(|score| *score <= cut);
            within(&half[..first]) + within(&half[first..])
        };
        let below_last = half.iter().filter(|e| **e < half[half.len() - 1]);
        let least = below_last.map(|e| squares(*e)).fold(f64::INFINITY, f64::min);
        let found = squares(upper.split());
        assert!((found - least).abs() <= 1e-9 * least, "{seed}: {found} {least}");
    }
}

#[test]
fn units_do_not_matter() {
    for power in [1.0, 3.0] {
        let scores: Vec<f64> = exponential(300, 5).iter().map(|e| e.powf(power)).collect();
        let plain = of(&scores);
        for (factor, offset) in [(1e-9, 0.0), (8.0, -3.0), (1e300, 0.0)] {
            let moved: Vec<f64> = scores.iter().map(|score| factor * score + offset).collect();
            let found = of(&moved);
            assert!(
                (found.cut - (factor * plain.cut + offset)).abs() <= 1e-12 * factor * plain.cut
            );
            assert!((found.apart - plain.apart).abs() < 1e-12);
        }
    }
}

#[test]
fn the_largest_numbers_do_not_overflow() {
    let mut scores = vec![-f64::MAX; 30];
    scores.extend([0.0; 40]);
    scores.extend([f64::MAX; 10]);
    let found = of(&scores);
    assert!(found.cut >= 0.0 && found.cut < f64::MAX, "{}", found.cut);
    assert!((found.apart - 0.125).abs() < 1e-12, "{}", found.apart);
}
