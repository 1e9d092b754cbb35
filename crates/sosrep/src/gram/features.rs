//! Products with the kernel matrix of random Fourier features.

use std::ops::ControlFlow;

use super::KernelProduct;
use crate::error::Result;
use crate::kernel::FourierFeatures;
use crate::lanes::{self, dot};
use crate::memory::expect_room;
use crate::monitor::{Monitor, Stage, items_at_once, no_progress, report_progress};
use crate::parallel;
use crate::points::Points;

/// Rows in a block of features.
const FEATURE_ROWS: usize = 64;

/// Most blocks whose sums are held at once.
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
        Self::new_monitored(features, points, memory, &mut no_progress)
    }

    /// As [`new`](Self::new), with progress.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn new_monitored(
        features: &'a FourierFeatures,
        points: Points<'a>,
        memory: usize,
        monitor: Monitor,
    ) -> Result<Self> {
        points.expect_columns(features.dimension())?;
        let held = points.rows().saturating_mul(features.count()) <= memory / size_of::<f32>();
        let mut gram = Self { features, points, blocks: Vec::new(), diagonal: Vec::new() };
        if held {
            let values = points.rows() * features.count();
            expect_room::<f32>("the features of all rows", values)?;
        }
        let scale = 2.0 / features.count() as f64;
        let part = |block: usize| {
            let phi = gram.compute_block(block);
            let diagonal =
                phi.chunks_exact(features.count()).map(|row| scale * dot(row, row)).collect();
            (if held { phi } else { Vec::new() }, diagonal)
        };
        let count = gram.block_count();
        let (mut blocks, mut diagonals) = (Vec::with_capacity(count), Vec::new());
        while blocks.len() < count {
            let first = blocks.len();
            report_progress(monitor, Stage::Kernel, first, count)?;
            let at_once = gram.blocks_at_once().min(count - first);
            for (phi, diagonal) in parallel::map(at_once, |i| part(first + i)) {
                blocks.push(phi);
                diagonals.extend::<Vec<f64>>(diagonal);
            }
        }
        report_progress(monitor, Stage::Kernel, count, count)?;
        (gram.blocks, gram.diagonal) = (blocks, diagonals);
        Ok(gram)
    }

    /// √(2/T) Φᵀα: the function Σ α_i k̂(x_i, ·) as coefficients of the scaled features.
    pub(crate) fn coefficients(&self, alpha: &[f64]) -> Vec<f64> {
        let scale = (2.0 / self.features.count() as f64).sqrt();
        let sums = self.transposed(alpha, &mut || ControlFlow::Continue(()));
        sums.continue_value().into_iter().flatten().map(|sum| scale * sum).collect()
    }

    /// Blocks worked on between two reports, as if none were held.
    fn blocks_at_once(&self) -> usize {
        let operations = self.features.count() * (self.features.dimension() + 16);
        items_at_once(FEATURE_ROWS * operations, BLOCKS_AT_ONCE)
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
    fn transposed(
        &self,
        alpha: &[f64],
        proceed: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> ControlFlow<(), Vec<f64>> {
        let count = self.features.count();
        let mut total = vec![0.0; count];
        // A bounded number of partial sums at a time keeps memory flat in n.
        let at_once = self.blocks_at_once();
        for first in (0..self.block_count()).step_by(at_once) {
            if first > 0 {
                proceed()?;
            }
            let blocks = at_once.min(self.block_count() - first);
            for part in parallel::map(blocks, |i| self.block_transposed(first + i, alpha)) {
                add_scaled(&mut total, 1.0, &part);
            }
        }
        ControlFlow::Continue(total)
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
        let _ = self.multiply_unless_stopped(vector, product, &mut || ControlFlow::Continue(()));
    }

    fn multiply_unless_stopped(
        &self,
        vector: &[f64],
        product: &mut [f64],
        proceed: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let count = self.features.count();
        let scale = 2.0 / count as f64;
        let sums = self.transposed(vector, proceed)?;
        let mut values = vec![0.0; product.len()];
        let at_once = self.blocks_at_once();
        for (part, values) in values.chunks_mut(at_once * FEATURE_ROWS).enumerate() {
            if part > 0 {
                proceed()?;
            }
            parallel::for_each_chunk(values, FEATURE_ROWS, |block, out| {
                self.with_block(part * at_once + block, |phi| {
                    for (value, row) in out.iter_mut().zip(phi.chunks_exact(count)) {
                        *value = scale * dot(row, &sums);
                    }
                });
            });
        }
        product.copy_from_slice(&values);
        ControlFlow::Continue(())
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.diagonal[i]
    }
}

#[inline(always)]
fn add_scaled<T: Copy + Into<f64>>(sum: &mut [f64], factor: f64, values: &[T]) {
    sum.iter_mut().zip(values).for_each(|(s, &v)| *s += factor * v.into());
}
