//! Whether rows whose scores stand apart are scattered, or a minority of the table.
//!
//! ```text
//! G          rows outside the core with a score above the cut
//! S(G)² = Σ_i w_i ‖z_i − z̄‖² / Σ_i w_i     over the rows of G, z̄ their mean
//! scattered  if S(G) > 3.5 S(core), and G holds no kind of rows
//! a kind     the rows that have one of the two values of a feature, at least an eighth of the weight;
//!            held if most of it is in G
//! ```
//!
//! The scores do not tell many anomalies from a minority of the table that is less dense than the core:
//! both are a second group of scores. The places of the rows do. Rows of one kind are near
//! each other, also where their kind varies more than that of the core; anomalies are strange each in
//! its own way, and far from each other too. Where the table itself names a kind, as a value of a category or a
//! yes in place of a no, most of it is no anomaly, however scattered.
//!
//! z are rows in the metric of the core. A sum of squares needs no pairs of rows, and a weight of k is k
//! copies in it.
//!
//! Cost: n d. Numerics: rows lie within ±1e145, so that squares are finite. A core of equal rows has no
//! spread to compare with, and no group is scattered. Differs from the paper: not in it.

use super::core::Core;
use super::distinct::DistinctRows;
use crate::points::Points;

/// The spread that rows of one kind stay below, in units of that of the core.
const SCATTERED: f64 = 3.5;

/// The least share of the weight that a kind of rows has.
const KIND: f64 = 0.125;

/// Whether the distinct rows outside the core with a score above the cut are scattered; `table` has the
/// rows as they were given.
pub(super) fn is_scattered(
    cut: f64,
    scores: &[f64],
    core: &Core,
    rows: &DistinctRows,
    table: Points,
) -> bool {
    let is_core = |row: &usize| core.indices.binary_search(row).is_ok();
    let in_group = |row: &usize| scores[*row] > cut && !is_core(row);
    let group: Vec<usize> = (0..scores.len()).filter(in_group).collect();
    let w = rows.weights.as_slice();
    let of = |group: &[usize]| spread(group, rows.points(), w);
    let of_core = of(&core.indices);
    if of_core == 0.0 || of(&group) <= SCATTERED * of_core {
        return false;
    }
    let all: Vec<usize> = (0..scores.len()).collect();
    let originals = rows.originals(table, &all);
    !holds_a_kind(&group, Points::new_unchecked(&originals, table.columns()), w)
}

/// Whether most rows of one kind are in the group.
fn holds_a_kind(group: &[usize], table: Points, w: &[f64]) -> bool {
    (0..table.columns()).any(|feature| {
        let value = |i: usize| table.row(i)[feature];
        let first = value(0);
        let Some(other) = (0..w.len()).map(value).find(|x| *x != first) else { return false };
        if (0..w.len()).any(|i| value(i) != first && value(i) != other) {
            return false;
        }
        [first, other].into_iter().any(|kind| {
            let weight = |rows: &mut dyn Iterator<Item = usize>| -> f64 {
                rows.filter(|&i| value(i) == kind).map(|i| w[i]).sum()
            };
            let all = weight(&mut (0..w.len()));
            all >= KIND && weight(&mut group.iter().copied()) > all / 2.0
        })
    })
}

/// S; 0 for no rows.
fn spread(group: &[usize], points: Points, w: &[f64]) -> f64 {
    let total: f64 = group.iter().map(|&i| w[i]).sum();
    let mut mean = vec![0.0; points.columns()];
    for &i in group {
        mean.iter_mut().zip(points.row(i)).for_each(|(mean, z)| *mean += w[i] / total * z);
    }
    let square = |i: usize| -> f64 {
        points.row(i).iter().zip(&mean).map(|(z, mean)| (z - mean).powi(2)).sum()
    };
    group.iter().map(|&i| w[i] / total * square(i)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [f64; 10] = [0.3, -1.0, 2.0, 0.5, -4.0, 1.5, 0.0, 3.0, 7.0, -2.5];

    fn of(group: &[usize], values: &[f64], w: &[f64]) -> f64 {
        spread(group, Points::new(values, 2).unwrap(), w)
    }

    /// Σ_ij w_i w_j ‖z_i − z_j‖² = 2 (Σ w)² S².
    #[test]
    fn the_spread_is_that_of_all_pairs() {
        let w = [0.1, 0.4, 0.2, 0.05, 0.25];
        let group = [0, 2, 3, 4];
        let mut pairs = 0.0;
        for i in group {
            for j in group {
                let square = |c: usize| (ROWS[2 * i + c] - ROWS[2 * j + c]).powi(2);
                pairs += w[i] * w[j] * (square(0) + square(1));
            }
        }
        let total: f64 = group.iter().map(|&i| w[i]).sum();
        let expected = (pairs / 2.0).sqrt() / total;
        assert!((of(&group, &ROWS, &w) - expected).abs() < 1e-14);
    }

    #[test]
    fn a_weight_of_k_is_k_copies_in_a_spread() {
        let copied = [&ROWS[..], &ROWS[2..4], &ROWS[2..4]].concat();
        let all: Vec<usize> = (0..7).collect();
        let weighted = of(&all[..5], &ROWS, &[1.0, 3.0, 1.0, 1.0, 1.0]);
        assert!((weighted - of(&all, &copied, &[1.0; 7])).abs() < 1e-14);
    }

    #[test]
    fn a_kind_is_held_that_is_large_enough_and_mostly_in_the_group() {
        // 20 rows; every fifth one is of a kind, of which the first feature knows.
        let table: Vec<f64> =
            (0..20).flat_map(|i| [f64::from(u8::from(i % 5 == 0)), f64::from(i)]).collect();
        let holds =
            |group: &[usize], w: &[f64]| holds_a_kind(group, Points::new(&table, 2).unwrap(), w);
        assert!(holds(&[0, 5, 10, 1], &[0.05; 20]));
        assert!(!holds(&[0, 5, 1, 2, 3, 4], &[0.05; 20]), "half of the kind");
        let mut light = [0.05; 20];
        (0..20).step_by(5).for_each(|i| light[i] = 0.03);
        assert!(!holds(&[0, 5, 10, 15], &light), "less than an eighth");
        assert!(!holds(&[1, 2, 3], &[0.05; 20]), "no kind");
    }

    #[test]
    fn few_rows_have_no_spread_and_large_ones_a_finite_one() {
        assert_eq!(of(&[], &ROWS, &[0.2; 5]), 0.0);
        assert_eq!(of(&[3], &ROWS, &[0.2; 5]), 0.0);
        let far = ROWS.map(|z| z.signum() * 1e145);
        assert!(of(&[0, 1, 2, 3, 4], &far, &[0.2; 5]).is_finite());
    }
}
