//! Spectral clustering: k-means on the leading eigenvectors of the normalised affinity.
//!
//! ```text
//! S = D^(−1/2) W D^(−1/2),   W ≥ 0 symmetric,   D = diag(row sums)
//! rows of the k leading eigenvectors, scaled to length 1, by k-means (Ng, Jordan, Weiss 2001)
//! ```
//!
//! Eigenvectors by orthogonal iteration on (S + I)/2, whose spectrum lies in \[0, 1\]; k-means++ with
//! several starts, of which the tightest is kept. Cost: 2 n² (2k) operations an iteration.

use nalgebra::DMatrix;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

/// Iterations for the eigenvectors; clusters need directions, not digits.
const ITERATIONS: usize = 300;
/// Starts of k-means, and rounds of each at most.
const STARTS: usize = 20;
const ROUNDS: usize = 100;

/// The cluster of every row, from 0.
pub(super) fn cluster(
    affinity: &DMatrix<f64>,
    count: usize,
    generator: &mut impl Rng,
) -> Vec<usize> {
    let vectors = leading_eigenvectors(normalised(affinity), count, generator);
    let rows: Vec<Vec<f64>> = vectors
        .row_iter()
        .map(|row| {
            let norm = row.norm().max(f64::MIN_POSITIVE);
            row.iter().map(|value| value / norm).collect()
        })
        .collect();
    let attempts = (0..STARTS).map(|_| k_means(&rows, count, generator));
    let tightest = attempts.min_by(|a, b| a.1.total_cmp(&b.1));
    tightest.map_or_else(Vec::new, |(labels, _)| labels)
}

/// (D^(−1/2) W D^(−1/2) + I) / 2.
fn normalised(affinity: &DMatrix<f64>) -> DMatrix<f64> {
    let scales = affinity.column_sum().map(|sum| 1.0 / sum.max(f64::MIN_POSITIVE).sqrt());
    DMatrix::from_fn(affinity.nrows(), affinity.ncols(), |i, j| {
        let own = if i == j { 0.5 } else { 0.0 };
        0.5 * affinity[(i, j)] * scales[i] * scales[j] + own
    })
}

/// An n×k matrix of eigenvectors, largest eigenvalue first.
fn leading_eigenvectors(
    matrix: DMatrix<f64>,
    count: usize,
    generator: &mut impl Rng,
) -> DMatrix<f64> {
    let rows = matrix.nrows();
    // More directions than are asked for: convergence is by the gap beyond the last of them.
    let width = (2 * count).min(rows);
    let mut basis = DMatrix::from_fn(rows, width, |_, _| StandardNormal.sample(generator));
    for _ in 0..ITERATIONS {
        basis = (&matrix * basis).qr().q();
    }
    let small = (basis.transpose() * (&matrix * &basis)).symmetric_eigen();
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|&i, &j| small.eigenvalues[j].total_cmp(&small.eigenvalues[i]));
    basis * small.eigenvectors.select_columns(&order[..count.min(width)])
}

fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum()
}

/// The nearest centre and the squared distance to it.
fn nearest(row: &[f64], centres: &[Vec<f64>]) -> (usize, f64) {
    let distances = centres.iter().map(|centre| squared_distance(row, centre)).enumerate();
    distances.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
}

/// Labels and the sum of squared distances.
fn k_means(rows: &[Vec<f64>], count: usize, generator: &mut impl Rng) -> (Vec<usize>, f64) {
    let mut centres = spread_out(rows, count, generator);
    let assign = |centres: &[Vec<f64>]| -> Vec<(usize, f64)> {
        rows.iter().map(|row| nearest(row, centres)).collect()
    };
    let mut assigned = assign(&centres);
    for _ in 0..ROUNDS {
        for (label, centre) in centres.iter_mut().enumerate() {
            let own = rows.iter().zip(&assigned).filter(|(_, (own, _))| *own == label);
            let own: Vec<&Vec<f64>> = own.map(|(row, _)| row).collect();
            // A centre without rows stays where it is.
            if !own.is_empty() {
                let mean = |j: usize| own.iter().map(|row| row[j]).sum::<f64>() / own.len() as f64;
                *centre = (0..centre.len()).map(mean).collect();
            }
        }
        let next = assign(&centres);
        let settled = next.iter().zip(&assigned).all(|(a, b)| a.0 == b.0);
        assigned = next;
        if settled {
            break;
        }
    }
    let total = assigned.iter().map(|(_, distance)| distance).sum();
    (assigned.into_iter().map(|(label, _)| label).collect(), total)
}

/// k-means++: rows far from the centres so far are the likelier ones to become the next.
fn spread_out(rows: &[Vec<f64>], count: usize, generator: &mut impl Rng) -> Vec<Vec<f64>> {
    let mut centres = vec![rows[generator.random_range(0..rows.len())].clone()];
    while centres.len() < count {
        let distances: Vec<f64> = rows.iter().map(|row| nearest(row, &centres).1).collect();
        let mut left = generator.random::<f64>() * distances.iter().sum::<f64>();
        let chosen = distances.iter().position(|distance| {
            left -= distance;
            left < 0.0
        });
        centres.push(rows[chosen.unwrap_or(rows.len() - 1)].clone());
    }
    centres
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::random;

    #[test]
    fn two_obvious_blobs_are_two_clusters() {
        let mut generator = random::generator(3, 0);
        let rows: Vec<f64> = (0..60)
            .map(|i| {
                let x: f64 = StandardNormal.sample(&mut generator);
                if i % 3 == 0 { 8.0 + 0.5 * x } else { x }
            })
            .collect();
        let affinity = DMatrix::from_fn(60, 60, |i, j| (-(rows[i] - rows[j]).abs()).exp());
        let labels = cluster(&affinity, 2, &mut generator);
        assert!((0..60).all(|i| (labels[i] == labels[0]) == (i % 3 == 0)), "{labels:?}");
    }

    #[test]
    fn the_leading_eigenvectors_are_those_of_the_decomposition() {
        let mut generator = random::generator(1, 0);
        let half = DMatrix::<f64>::from_fn(30, 30, |_, _| StandardNormal.sample(&mut generator));
        let matrix = &half * half.transpose() / 100.0;
        let vectors = leading_eigenvectors(matrix.clone(), 3, &mut generator);
        let mut values: Vec<f64> = matrix.symmetric_eigenvalues().iter().copied().collect();
        values.sort_by(|a, b| b.total_cmp(a));
        for (j, value) in values.iter().take(3).enumerate() {
            let residual = &matrix * vectors.column(j) - vectors.column(j) * *value;
            assert!(residual.norm() < 1e-6, "{j}: {}", residual.norm());
        }
    }
}
