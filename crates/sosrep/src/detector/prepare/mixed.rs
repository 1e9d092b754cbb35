//! Distances within columns that are not plain numbers: categories, and numbers that may be missing.
//!
//! A category has one coordinate a value, a for the value of the row and 0 for all others. With the
//! shares p of the values, two rows drawn at random are as far apart as in a standardised number:
//!
//! ```text
//! δ = √2 / √(1 − Σ p²)       distance of two values: E δ² 1{x ≠ y} = 2
//! a = δ / 2 (Manhattan),  δ / √2 (Euclidean)
//! ```
//!
//! For two values this is the distance of a standardised 0 and 1. Rare values are no further away
//! than that, and beyond the soft clip δ grows by its logarithm, as a number does.
//!
//! A missing number says nothing about its column: it stands at the median m, and another
//! coordinate, κ where it is missing and 0 elsewhere, makes a row that lacks the number on average as
//! far from the rows of the table as one that has it. With the share p of missing values and the
//! distance |·| or (·)² of the metric:
//!
//! ```text
//! (1 − p) (A + κ) = (1 − p) D + p (A + κ),     A = E|Y − m|,  D = E|Y − Y′|
//! κ = D (1 − p) / (1 − 2p) − A,  at most 2 D − A;   for squares the left-hand side is κ²
//! ```
//!
//! Y, Y′ are two prepared values that are present. κ is not negative, since the median is the point of
//! the smallest mean distance, and within a standard deviation of the mean. Two missing values are at
//! distance 0, so a missing value is usual where many rows lack it and unusual where few do. (The
//! product kernel is narrow: to it a sixth of the rows at one place are as usual as the median.)
//!
//! Differs from the paper: it has neither.

use crate::panels::Metric;
use crate::quantile::Ordered;

/// The largest distance of a missing value, in units of that between two values: reached where a third
/// of the rows lack it.
const LARGEST_FACTOR: f64 = 2.0;

/// The coordinate a of a category whose values have these shares, `clip` where the soft clip begins;
/// `None` if there is one value only.
pub(super) fn category_coordinate(
    shares: impl Iterator<Item = f64>,
    clip: Option<f64>,
    metric: Metric,
) -> Option<f64> {
    let (mut values, mut squares) = (0, 0.0);
    for share in shares.filter(|share| *share > 0.0) {
        values += 1;
        squares += share * share;
    }
    if values < 2 {
        return None;
    }
    let distance = (2.0 / (1.0 - squares).max(f64::EPSILON)).sqrt();
    let distance = match clip {
        // The coordinates themselves stay below the clip.
        Some(t) if distance > t => t * (1.0 + (distance / t).ln()).min(2.0_f64.sqrt()),
        _ => distance,
    };
    Some(match metric {
        Metric::Manhattan => distance / 2.0,
        Metric::SquaredEuclidean => distance / 2.0_f64.sqrt(),
    })
}

/// Where a missing value stands, and κ, from the prepared values of a column with their weights.
///
/// # Panics
/// If there are no values.
pub(super) fn missing_place(
    present: Vec<(f64, f64)>,
    missing_share: f64,
    metric: Metric,
) -> (f64, f64) {
    let total: f64 = present.iter().map(|(_, weight)| weight).sum();
    let mean_of = |f: &dyn Fn(f64) -> f64| {
        present.iter().map(|(y, weight)| weight * f(*y)).sum::<f64>() / total
    };
    let mean = mean_of(&|y| y);
    let ordered = Ordered::new(present.clone());
    let median = ordered.quantile(0.5);
    let between = match metric {
        Metric::Manhattan => mean_difference(&ordered),
        Metric::SquaredEuclidean => 2.0 * mean_of(&|y| (y - mean) * (y - mean)),
    };
    let factor = ((1.0 - missing_share) / (1.0 - 2.0 * missing_share).max(0.0)).min(LARGEST_FACTOR);
    let extra = (factor * between - mean_of(&|y| metric.term(y - median))).max(0.0);
    let extra = if metric == Metric::Manhattan { extra } else { extra.sqrt() };
    (median, extra)
}

/// E|Y − Y′| = 2 ∫ F (1 − F), F the distribution function.
fn mean_difference(ordered: &Ordered) -> f64 {
    let (values, cumulative) = (ordered.values(), ordered.cumulative());
    let total = cumulative.last().copied().unwrap_or(1.0);
    let steps = values.windows(2).zip(cumulative);
    2.0 * steps
        .map(|(y, below)| (y[1] - y[0]) * (below / total) * (1.0 - below / total))
        .sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const METRICS: [Metric; 2] = [Metric::Manhattan, Metric::SquaredEuclidean];

    /// The distance of two values of a category whose coordinate is `a`.
    fn distance(a: f64, metric: Metric) -> f64 {
        match metric {
            Metric::Manhattan => 2.0 * a,
            Metric::SquaredEuclidean => (2.0 * a * a).sqrt(),
        }
    }

    #[test]
    fn two_values_are_as_far_apart_as_a_standardised_zero_and_one() {
        for p in [0.5_f64, 0.1, 0.05] {
            let standardised = 1.0 / (p * (1.0 - p)).sqrt();
            for metric in METRICS {
                let a = category_coordinate([p, 1.0 - p].into_iter(), None, metric).unwrap();
                assert!((distance(a, metric) - standardised).abs() < 1e-12 * standardised);
            }
        }
    }

    #[test]
    fn two_rows_at_random_have_the_mean_squared_distance_of_a_standardised_number() {
        let shares = [0.5, 0.3, 0.15, 0.05];
        for metric in METRICS {
            let a = category_coordinate(shares.into_iter(), Some(5.0), metric).unwrap();
            let differ: f64 = shares.iter().map(|p| p * (1.0 - p)).sum();
            assert!((differ * distance(a, metric).powi(2) - 2.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_rarest_value_stays_near_and_a_single_value_has_no_distance() {
        for metric in METRICS {
            let rare = [1.0 - 1e-9, 1e-9].into_iter();
            let a = category_coordinate(rare, Some(5.0), metric).unwrap();
            assert!(a <= 5.0 && distance(a, metric) > 5.0);
            assert_eq!(category_coordinate([1.0, 0.0].into_iter(), Some(5.0), metric), None);
        }
    }

    #[test]
    fn a_row_without_a_value_is_as_far_from_all_rows_as_one_with_a_value() {
        let present: Vec<(f64, f64)> =
            [(-2.0, 1.0), (0.0, 2.0), (0.5, 1.0), (3.0, 1.0), (9.0, 0.5)].into();
        let total: f64 = present.iter().map(|(_, w)| w).sum();
        for metric in METRICS {
            for share in [0.0, 0.1, 0.3] {
                let (place, extra) = missing_place(present.clone(), share, metric);
                let mean = |to: &dyn Fn(f64) -> f64| {
                    present.iter().map(|(y, w)| w * to(*y)).sum::<f64>() / total
                };
                let to_missing = mean(&|y| metric.term(y - place)) + metric.term(extra);
                let of_pairs = mean(&|y| mean(&|other| metric.term(y - other)));
                let of_missing = (1.0 - share) * to_missing;
                let of_present = (1.0 - share) * of_pairs + share * to_missing;
                assert!((of_missing - of_present).abs() < 1e-12, "{of_missing} {of_present}");
            }
        }
    }
}
