//! What a band of rows of a kernel matrix adds to its product with a vector.
//!
//! ```text
//! own_i   += Σ_j k_ij α_j       over all columns j of the band
//! after_j += Σ_i k_ij α_i       over the band's rows i, for the columns past its diagonal block
//! ```
//!
//! The matrix is symmetric and a band begins at its own diagonal block: past it every kernel value
//! counts for its row and for its column.
//!
//! Numerics: products are fused and summed in double precision, in an order that follows from the
//! places of the rows alone.

use crate::lanes::LANES;
use crate::panels::{QUERIES, Tile, group};

/// Columns summed at a time: with all that is summed for a few rows, they fill the vector registers.
const WIDE: usize = LANES / 2;

/// What one band adds to the product.
pub(super) struct BandProduct {
    /// Sums of the band's rows over the band's columns.
    pub(super) own: Vec<f64>,
    /// Sums for the band's columns; those of its own rows stay zero.
    pub(super) after: Vec<f64>,
}

impl BandProduct {
    /// Nothing yet, for a band of so many rows, in whole panels, and columns.
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        Self { own: vec![0.0; rows], after: vec![0.0; columns] }
    }
}

/// A few rows of a band, while their tiles are added to its product.
pub(super) struct RowsOfBand<'a> {
    first: usize,
    /// α from the band's first row on, in whole panels.
    alpha: &'a [f64],
    own_alpha: [f64; QUERIES],
    sums: [[f64; WIDE]; QUERIES],
    product: &'a mut BandProduct,
}

impl<'a> RowsOfBand<'a> {
    /// The rows from `first` on, counted in the band.
    #[inline(always)]
    pub(super) fn new(first: usize, alpha: &'a [f64], product: &'a mut BandProduct) -> Self {
        let mut own_alpha = [0.0; QUERIES];
        let own = alpha.len().min(first + QUERIES) - first;
        own_alpha[..own].copy_from_slice(&alpha[first..first + own]);
        Self { first, alpha, own_alpha, sums: [[0.0; WIDE]; QUERIES], product }
    }

    /// Adds the tile of the band's panel `p`.
    #[inline(always)]
    pub(super) fn add(&mut self, p: usize, tile: &Tile<f32>) {
        let past_diagonal = p * LANES >= self.product.own.len();
        for (half, alpha) in group(self.alpha, p).as_chunks::<WIDE>().0.iter().enumerate() {
            let mut k = [[0.0; WIDE]; QUERIES];
            for (k, tile) in k.iter_mut().zip(tile) {
                for lane in 0..WIDE {
                    k[lane] = f64::from(tile[half * WIDE + lane]);
                }
            }
            for (sum, k) in self.sums.iter_mut().zip(&k) {
                for lane in 0..WIDE {
                    sum[lane] = k[lane].mul_add(alpha[lane], sum[lane]);
                }
            }
            if past_diagonal {
                let after = &mut self.product.after[p * LANES + half * WIDE..][..WIDE];
                for (k, alpha) in k.iter().zip(&self.own_alpha) {
                    for lane in 0..WIDE {
                        after[lane] = k[lane].mul_add(*alpha, after[lane]);
                    }
                }
            }
        }
    }

    /// Writes the rows' own sums, once all tiles are added.
    #[inline(always)]
    pub(super) fn finish(self) {
        for (own, sum) in self.product.own[self.first..].iter_mut().zip(&self.sums) {
            *own += (sum[0] + sum[2]) + (sum[1] + sum[3]);
        }
    }
}
