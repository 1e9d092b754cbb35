//! Rotation to the eigenvectors of the covariance, with its eigenvalues partly divided out.
//!
//! ```text
//! z_j = λ_j^(−p) ⟨v_j, y − ȳ⟩,    Σ_i w_i (y_i − ȳ)(y_i − ȳ)ᵀ = Σ_j λ_j v_j v_jᵀ
//! ```
//!
//! Cost: n·d² + d³ to fit, d² a row. Numerics: eigenvalues are floored at 1e-10 of the largest, so
//! that directions without spread are not blown up to noise. Differs from the paper: not in it.

use nalgebra::{DMatrix, SymmetricEigen};

use super::column::power_of_two;
use crate::error::{Error, Result};
use crate::points::LARGEST;

/// The smallest eigenvalue used, relative to the largest.
const EIGENVALUE_FLOOR: f64 = 1e-10;

/// z_j = factor_j ⟨v_j, y − ȳ⟩.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Whitening {
    /// ȳ.
    pub(crate) mean: Vec<f64>,
    /// v_1, v_2, … one after another.
    pub(crate) vectors: Vec<f64>,
    /// λ^(−p).
    pub(crate) factors: Vec<f64>,
}

impl Whitening {
    /// Eigenvectors and factors of the weighted covariance of the scaled rows.
    pub(super) fn fit(scaled: &[f64], weights: &[f64], power: f64) -> Result<Self> {
        let columns = scaled.len() / weights.len();
        let mean = mean_row(scaled, weights);
        let unit = power_of_two(
            scaled.chunks_exact(columns).zip(weights).filter(|(_, w)| **w > 0.0).fold(
                0.0,
                |largest, (row, _)| {
                    row.iter().zip(&mean).fold(largest, |l: f64, (y, m)| l.max((y - m).abs()))
                },
            ),
        );
        let covariance = covariance(scaled, weights, &mean, unit);
        let eigen = SymmetricEigen::try_new(covariance, f64::EPSILON, 1000 * columns.max(100))
            .ok_or_else(|| {
                Error::parameter("whitening", power, "0 for these rows: no eigenvectors were found")
            })?;
        let mut order: Vec<usize> = (0..columns).collect();
        order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
        let largest = eigen.eigenvalues[order[0]];
        let mut whitening = Self { mean, vectors: Vec::new(), factors: Vec::new() };
        for j in order {
            // Eigenvalues are in units of unit². All are 0 if clipping made all rows equal.
            let eigenvalue = eigen.eigenvalues[j].max(EIGENVALUE_FLOOR * largest);
            whitening.factors.push(if eigenvalue > 0.0 {
                eigenvalue.powf(-power) * unit.powf(-2.0 * power)
            } else {
                1.0
            });
            // The sign of an eigenvector is free: its largest component is made positive.
            let vector = eigen.eigenvectors.column(j);
            let sign = vector[vector.iamax()].signum();
            whitening.vectors.extend(vector.iter().map(|v| sign * v));
        }
        Ok(whitening)
    }

    pub(super) fn rotate(&self, scaled: &mut [f64], out: &mut [f64]) {
        for (y, mean) in scaled.iter_mut().zip(&self.mean) {
            *y -= mean;
        }
        let vectors = self.vectors.chunks_exact(scaled.len());
        for ((z, vector), factor) in out.iter_mut().zip(vectors).zip(&self.factors) {
            let component: f64 = vector.iter().zip(scaled.iter()).map(|(v, y)| v * y).sum();
            *z = (factor * component).clamp(-LARGEST, LARGEST);
        }
    }

    pub(super) fn rotate_back(&self, prepared: &[f64]) -> Vec<f64> {
        let mut scaled = self.mean.clone();
        let vectors = self.vectors.chunks_exact(scaled.len());
        for ((z, vector), factor) in prepared.iter().zip(vectors).zip(&self.factors) {
            for (y, v) in scaled.iter_mut().zip(vector) {
                *y += v * (z / factor);
            }
        }
        scaled
    }
}

/// Weighted mean of the rows, in two passes the second for the rounding of the first.
fn mean_row(rows: &[f64], weights: &[f64]) -> Vec<f64> {
    let columns = rows.len() / weights.len();
    let total: f64 = weights.iter().sum();
    let mut mean = vec![0.0; columns];
    for _ in 0..2 {
        let mut shift = vec![0.0; columns];
        for (row, weight) in rows.chunks_exact(columns).zip(weights) {
            for ((s, y), m) in shift.iter_mut().zip(row).zip(&mean) {
                *s += weight * (y - m);
            }
        }
        mean.iter_mut().zip(&shift).for_each(|(m, s)| *m += s / total);
    }
    mean
}

/// Σ_i w_i (y_i − ȳ)(y_i − ȳ)ᵀ / unit², in blocks of rows.
fn covariance(scaled: &[f64], weights: &[f64], mean: &[f64], unit: f64) -> DMatrix<f64> {
    const BLOCK: usize = 1024;
    let columns = mean.len();
    let mut covariance = DMatrix::zeros(columns, columns);
    for (rows, weights) in scaled.chunks(BLOCK * columns).zip(weights.chunks(BLOCK)) {
        // One column of the block per row of the table.
        let mut block = DMatrix::from_column_slice(columns, weights.len(), rows);
        for (mut row, weight) in block.column_iter_mut().zip(weights) {
            let root = weight.sqrt();
            row.iter_mut().zip(mean).for_each(|(y, m)| *y = root * ((*y - m) / unit));
        }
        covariance += &block * block.transpose();
    }
    covariance
}
