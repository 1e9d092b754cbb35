//! Products with the kernel matrix of random Fourier features.

use super::KernelProduct;
use crate::error::Result;
use crate::kernel::FourierFeatures;
use crate::lanes::{self, dot};
use crate::parallel;
use crate::points::Points;

/// Rows in a block of features.
const FEATURE_ROWS: usize = 64;

/// Blocks whose sums are held at once.
const BLOCKS_AT_ONCE: usize = 32;

/// K̂ = (2/T) ΦΦᵀ of random Fourier features, never formed: K̂α = (2/T) Φ(Φᵀα).
///
/// Φ is held when its n·T numbers fit the budget and computed anew, by blocks of rows, in every
/// product when they do not. A product is as fast as memory is read, so Φ is kept in single
/// precision: cosines rounded to 6e-8 are as good a sample of the kernel, whose own error is
/// T^(−1/2), and K̂ of the rounded ones is as positive. Sums are in double precision.
#[derive(Debug)]
pub struct FeatureGram<'a> {
    features: &'a FourierFeatures,
    points: Points<'a>,
    /// Φ by blocks of rows; empty when computed anew.
    blocks: Vec<Vec<f32>>,
    diagonal: Vec<f64>,
}

impl<'a> FeatureGram<'a> {
    /// Computes Φ if it fits into `memory` bytes.
    ///
    /// # Errors
    /// [`Error::WrongColumns`](crate::Error::WrongColumns) if the points have another dimension
    /// than the features.
    pub fn new(features: &'a FourierFeatures, points: Points<'a>, memory: usize) -> Result<Self> {
        points.expect_columns(features.dimension())?;
        let held = points.rows().saturating_mul(features.count()) <= memory / size_of::<f32>();
        let mut gram = Self { features, points, blocks: Vec::new(), diagonal: Vec::new() };
        let scale = 2.0 / features.count() as f64;
        let parts: Vec<(Vec<f32>, Vec<f64>)> = parallel::map(gram.block_count(), |block| {
            let phi = gram.compute_block(block);
            let diagonal =
                phi.chunks_exact(features.count()).map(|row| scale * dot(row, row)).collect();
            (if held { phi } else { Vec::new() }, diagonal)
        });
        for (phi, diagonal) in parts {
            gram.blocks.push(phi);
            gram.diagonal.extend(diagonal);
        }
        Ok(gram)
    }

    /// √(2/T) Φᵀα: the function Σ α_i k̂(x_i, ·) as coefficients of the scaled features.
    pub(crate) fn coefficients(&self, alpha: &[f64]) -> Vec<f64> {
        let scale = (2.0 / self.features.count() as f64).sqrt();
        self.transposed(alpha).into_iter().map(|sum| scale * sum).collect()
    }

    fn block_count(&self) -> usize {
        self.points.rows().div_ceil(FEATURE_ROWS)
    }

    fn block_points(&self, block: usize) -> Points<'a> {
        let end = ((block + 1) * FEATURE_ROWS).min(self.points.rows());
        self.points.part(block * FEATURE_ROWS, end)
    }

    fn compute_block(&self, block: usize) -> Vec<f32> {
        let points = self.block_points(block);
        let mut phi = vec![0.0; points.rows() * self.features.count()];
        self.features.map_into(points, &mut phi, |cosine| cosine as f32);
        phi
    }

    fn with_block<R>(&self, block: usize, work: impl FnOnce(&[f32]) -> R) -> R {
        if self.blocks[block].is_empty() {
            work(&self.compute_block(block))
        } else {
            work(&self.blocks[block])
        }
    }

    /// Φᵀα, blocks added in order.
    fn transposed(&self, alpha: &[f64]) -> Vec<f64> {
        let count = self.features.count();
        let mut total = vec![0.0; count];
        // A bounded number of partial sums at a time keeps memory flat in n.
        for first in (0..self.block_count()).step_by(BLOCKS_AT_ONCE) {
            let blocks = BLOCKS_AT_ONCE.min(self.block_count() - first);
            for part in parallel::map(blocks, |i| self.block_transposed(first + i, alpha)) {
                add_scaled(&mut total, 1.0, &part);
            }
        }
        total
    }

    /// The share of one block in Φᵀα.
    fn block_transposed(&self, block: usize, alpha: &[f64]) -> Vec<f64> {
        let count = self.features.count();
        self.with_block(block, |phi| {
            let mut sum = vec![0.0; count];
            for (row, a) in phi.chunks_exact(count).zip(&alpha[block * FEATURE_ROWS..]) {
                lanes::dispatch(
                    #[inline(always)]
                    || add_scaled(&mut sum, *a, row),
                );
            }
            sum
        })
    }
}

impl KernelProduct for FeatureGram<'_> {
    fn rows(&self) -> usize {
        self.points.rows()
    }

    fn multiply(&self, vector: &[f64], product: &mut [f64]) {
        let count = self.features.count();
        let scale = 2.0 / count as f64;
        let sums = self.transposed(vector);
        parallel::for_each_chunk(product, FEATURE_ROWS, |block, out| {
            self.with_block(block, |phi| {
                for (value, row) in out.iter_mut().zip(phi.chunks_exact(count)) {
                    *value = scale * dot(row, &sums);
                }
            });
        });
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.diagonal[i]
    }
}

#[inline(always)]
fn add_scaled<T: Copy + Into<f64>>(sum: &mut [f64], factor: f64, values: &[T]) {
    sum.iter_mut().zip(values).for_each(|(s, &v)| *s += factor * v.into());
}
