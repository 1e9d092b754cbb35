//! Rows of the table that a detector keeps to draw new ones from: usual ones, evenly spread over
//! their scores.
//!
//! Rows that are no anomalies are put in the order of their leave-one-out scores, and every
//! (W/m)-th part of their weight W gives one, so that as many are kept of every kind as there are. A
//! weight of k is k copies, and the order of the rows in the table does not matter.
//!
//! The support of the density would not do: it is the core, half of the rows by default, which lacks
//! thin parts of the data.
//!
//! Cost: n log n, and 8 MB at most up to 16 000 columns. Differs from the paper: not in it.

use std::cmp::Ordering;

use crate::points::{Points, Weights};

/// The most rows kept.
const MOST_ROWS: usize = 2048;
/// The most values kept, as long as that leaves [`FEWEST_ROWS`].
const MOST_VALUES: usize = 1 << 20;
/// Rows kept in any number of columns, if there are so many.
const FEWEST_ROWS: usize = 64;

/// Rows whose scores are not above `cut`, or those of the lowest score if all are; one after another.
pub(super) fn usual_rows(points: Points, weights: &Weights, scores: &[f64], cut: f64) -> Vec<f64> {
    let w = weights.as_slice();
    let counted = || (0..scores.len()).filter(|&i| w[i] > 0.0);
    let lowest = counted().map(|i| scores[i]).fold(f64::INFINITY, f64::min);
    let mut usual: Vec<usize> = counted().filter(|&i| scores[i] <= cut.max(lowest)).collect();
    usual.sort_unstable_by(|&a, &b| {
        scores[a].total_cmp(&scores[b]).then_with(|| compare(points.row(a), points.row(b)))
    });
    let total: f64 = usual.iter().map(|&i| w[i]).sum();
    let copies = (total * weights.copies()).round().max(1.0);
    let most = (MOST_VALUES / points.columns()).clamp(FEWEST_ROWS, MOST_ROWS);
    let count = copies.min(most as f64);
    let (mut kept, mut held) = (Vec::new(), 0.0);
    for &i in &usual {
        held += w[i];
        while (kept.len() as f64 + 0.5) * total < held * count {
            kept.push(i);
        }
    }
    points.select(&kept)
}

/// The order of two rows of equal score.
fn compare(a: &[f64], b: &[f64]) -> Ordering {
    let different = a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
    different.unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_row_is_kept_if_there_are_few() {
        let rows: Vec<f64> = (0..500).map(f64::from).collect();
        let points = Points::new(&rows, 1).unwrap();
        let kept = usual_rows(points, &Weights::equal(500), &rows, 399.0);
        assert_eq!(kept, rows[..400]);
        assert_eq!(usual_rows(points, &Weights::equal(500), &rows, -1.0), [0.0]);
    }

    #[test]
    fn many_rows_are_thinned_evenly_and_a_weight_is_copies() {
        let rows: Vec<f64> = (0..30_000).map(f64::from).collect();
        let points = Points::new(&rows, 1).unwrap();
        let kept = usual_rows(points, &Weights::equal(rows.len()), &rows, f64::INFINITY);
        assert_eq!(kept.len(), MOST_ROWS);
        let below = kept.iter().filter(|x| **x < 3_000.0).count() as f64;
        assert!((below - 0.1 * MOST_ROWS as f64).abs() <= 1.0, "{below}");

        let copied: Vec<f64> = [0.0, 1.0, 1.0, 1.0, 2.0, 2.0].into();
        let of_copies = usual_rows(
            Points::new(&copied, 1).unwrap(),
            &Weights::equal(6),
            &copied,
            f64::INFINITY,
        );
        let weighted = [2.0, 0.0, 1.0];
        let weights = Weights::new(&[2.0, 1.0, 3.0]).unwrap();
        let of_weights =
            usual_rows(Points::new(&weighted, 1).unwrap(), &weights, &weighted, f64::INFINITY);
        assert_eq!(of_copies, copied);
        assert_eq!(of_weights, copied);
    }
}
