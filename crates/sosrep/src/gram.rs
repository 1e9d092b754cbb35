//! Products with kernel matrices: Kα for the rows themselves, and K(y, x)α for new rows.
//!
//! ```text
//! (Kα)_i = Σ_j k(x_i, x_j) α_j        K is n×n, symmetric, k(x_i, x_i) = 1
//! ```
//!
//! The matrix is cut into bands of rows. A band keeps the columns from its own diagonal tile on:
//! each kernel value is computed and read once and used for row i and for row j. Bands are held in
//! memory as long as the budget lasts and computed anew in every product when it does not; both
//! run the same code on the same numbers, so the budget never changes a result.
//!
//! Cost: n²/2 kernel values (each d operations) once, or once per product for bands not held; a
//! product reads n²/2 numbers. Memory: 4 n² bytes when held, n²/32 otherwise: 80 MB for 50 000
//! rows. Numerics: everything in f64, sums in a fixed order, so results depend neither on
//! the number of threads nor on the budget.
//!
//! Differs from the paper: none (the paper forms K).

use rayon::prelude::*;

use crate::error::Result;
use crate::kernel::{FourierFeatures, Kernel};
use crate::lanes::{self, LANES, Lanes};
use crate::monitor::{Monitor, Stage, silent, tell};
use crate::panels::{Panels, QUERIES, distances, group, padded, queries};
use crate::points::Points;

/// Rows in a band: a multiple of both the lanes and the queries.
const BAND: usize = 128;

/// Bands computed by each thread between two words to the monitor.
const BANDS_A_THREAD: usize = 8;

/// Rows in a block of features.
const FEATURE_ROWS: usize = 64;

/// The default memory for a kernel matrix: 2 GiB.
pub const DEFAULT_MEMORY: usize = 2 << 30;

/// A symmetric positive semidefinite matrix known by its products: all a solver needs.
pub trait KernelProduct: Sync {
    /// Number of rows n.
    fn rows(&self) -> usize;

    /// `product` = K `vector`; both have n entries.
    fn multiply(&self, vector: &[f64], product: &mut [f64]);

    /// k(x_i, x_i).
    fn diagonal(&self, i: usize) -> f64;
}

/// The kernel matrix of a set of points.
#[derive(Debug)]
pub struct Gram<'a> {
    kernel: &'a Kernel,
    panels: Panels,
    /// Kernel values of each band, row after row; empty when the band is computed anew.
    bands: Vec<Vec<f64>>,
}

impl<'a> Gram<'a> {
    /// Computes as many bands as fit into `memory` bytes, with room left for products.
    ///
    /// # Errors
    /// [`Error::WrongColumns`](crate::Error::WrongColumns) if the points have another dimension
    /// than the kernel.
    pub fn new(kernel: &'a Kernel, points: Points, memory: usize) -> Result<Self> {
        Self::new_monitored(kernel, points, memory, &mut silent)
    }

    /// As [`new`](Self::new), telling `monitor` how far it is.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn new_monitored(
        kernel: &'a Kernel,
        points: Points,
        memory: usize,
        monitor: Monitor,
    ) -> Result<Self> {
        points.expect_columns(kernel.dimension())?;
        let panels = Panels::new(points);
        let mut gram = Self { kernel, panels, bands: Vec::new() };
        let mut left = (memory / size_of::<f64>()).saturating_sub(gram.product_length());
        let held = (0..gram.band_count())
            .take_while(|&band| {
                let fits = gram.band_length(band) <= left;
                left = left.saturating_sub(gram.band_length(band));
                fits
            })
            .count();
        while gram.bands.len() < held {
            let first = gram.bands.len();
            tell(monitor, Stage::Kernel, first, held)?;
            let together = first..held.min(first + BANDS_A_THREAD * rayon::current_num_threads());
            let bands: Vec<Vec<f64>> =
                together.into_par_iter().map(|band| gram.compute_band(band)).collect();
            gram.bands.extend(bands);
        }
        gram.bands.resize(gram.band_count(), Vec::new());
        Ok(gram)
    }

    /// Share of the matrix held in memory, from 0 to 1.
    pub fn held(&self) -> f64 {
        let held: usize = self.bands.iter().map(Vec::len).sum();
        let total: usize = (0..self.band_count()).map(|band| self.band_length(band)).sum();
        held as f64 / total as f64
    }

    fn band_count(&self) -> usize {
        self.panels.rows().div_ceil(BAND)
    }

    fn band_rows(&self, band: usize) -> usize {
        BAND.min(self.panels.rows() - band * BAND)
    }

    /// Columns of a band: from its first row to the end, padded to whole lanes.
    fn width(&self, band: usize) -> usize {
        self.panels.count() * LANES - band * BAND
    }

    /// Kernel values of a band, its rows padded to whole groups of queries.
    fn band_length(&self, band: usize) -> usize {
        self.band_rows(band).next_multiple_of(QUERIES) * self.width(band)
    }

    /// Numbers a product needs for what each band adds to the rows after it.
    fn product_length(&self) -> usize {
        (0..self.band_count()).map(|band| self.width(band) + BAND).sum()
    }

    fn compute_band(&self, band: usize) -> Vec<f64> {
        let width = self.width(band);
        let mut values = vec![0.0; self.band_length(band)];
        for (four, rows) in values.chunks_exact_mut(QUERIES * width).enumerate() {
            self.compute_rows(band, four, rows);
        }
        values
    }

    /// Kernel values of the `four`-th group of four rows of a band against the band's columns.
    fn compute_rows(&self, band: usize, four: usize, values: &mut [f64]) {
        let (width, d) = (self.width(band), self.panels.columns());
        let mut queries = vec![0.0; QUERIES * d];
        for (i, query) in queries.chunks_exact_mut(d).enumerate() {
            let row = (band * BAND + four * QUERIES + i).min(self.panels.rows() - 1);
            self.panels.copy_row(row, query);
        }
        let queries: [&[f64]; QUERIES] = std::array::from_fn(|i| &queries[i * d..(i + 1) * d]);
        let first_panel = band * BAND / LANES;
        lanes::dispatch(
            #[inline(always)]
            || {
                for p in first_panel..self.panels.count() {
                    let q = distances(self.kernel.metric(), &queries, self.panels.panel(p));
                    for (i, q) in q.iter().enumerate() {
                        let at = i * width + (p - first_panel) * LANES;
                        values[at..at + LANES].copy_from_slice(&self.kernel.profile_values(q));
                    }
                }
            },
        );
    }

    /// One band's share of Kα: the full sums so far of its own rows, and what its rows add to
    /// the rows after it.
    fn multiply_band(&self, band: usize, alpha: &[f64]) -> BandProduct {
        let width = self.width(band);
        let own_rows = self.band_rows(band);
        let mut product = BandProduct { own: vec![0.0; BAND], after: vec![0.0; width] };
        let mut scratch = vec![0.0; if self.bands[band].is_empty() { QUERIES * width } else { 0 }];
        for four in 0..own_rows.div_ceil(QUERIES) {
            let rows = if self.bands[band].is_empty() {
                self.compute_rows(band, four, &mut scratch);
                &scratch[..]
            } else {
                &self.bands[band][four * QUERIES * width..(four + 1) * QUERIES * width]
            };
            lanes::dispatch(
                #[inline(always)]
                || multiply_rows(rows, four * QUERIES, &alpha[band * BAND..], &mut product),
            );
        }
        product
    }
}

/// Bytes a kernel matrix of n rows takes when all of it is held, products included.
pub(crate) fn bytes_to_hold(rows: usize) -> u128 {
    let (rows, band) = (rows as u128, BAND as u128);
    let width = rows.next_multiple_of(LANES as u128);
    let bands = rows.div_ceil(band);
    let after = bands * width - band * (bands * bands.saturating_sub(1) / 2);
    let last_rows = rows - band * bands.saturating_sub(1);
    let last_width = width - band * bands.saturating_sub(1);
    let held =
        band * (after - last_width) + last_rows.next_multiple_of(QUERIES as u128) * last_width;
    size_of::<f64>() as u128 * (held + after + bands * band)
}

/// What one band adds to the product.
struct BandProduct {
    /// Sums of the band's rows over the band's columns.
    own: Vec<f64>,
    /// Transposed sums for the band's columns past its diagonal tile.
    after: Vec<f64>,
}

/// Adds four rows' sums to `product`; `alpha` starts at the band's first row.
#[inline(always)]
fn multiply_rows(rows: &[f64], first: usize, alpha: &[f64], product: &mut BandProduct) {
    let width = product.after.len();
    let rows: [&[Lanes]; QUERIES] =
        std::array::from_fn(|i| rows[i * width..(i + 1) * width].as_chunks().0);
    let columns: &[Lanes] = alpha[..width].as_chunks().0;
    let after: &mut [Lanes] = product.after.as_chunks_mut().0;
    let own_alpha: [f64; QUERIES] =
        std::array::from_fn(|i| alpha.get(first + i).copied().unwrap_or(0.0));
    let mut sums = [[0.0; LANES]; QUERIES];
    for c in 0..columns.len() {
        for i in 0..QUERIES {
            for lane in 0..LANES {
                sums[i][lane] += rows[i][c][lane] * columns[c][lane];
            }
        }
        if c >= BAND / LANES {
            for lane in 0..LANES {
                after[c][lane] += (rows[0][c][lane] * own_alpha[0]
                    + rows[1][c][lane] * own_alpha[1])
                    + (rows[2][c][lane] * own_alpha[2] + rows[3][c][lane] * own_alpha[3]);
            }
        }
    }
    for (own, sum) in product.own[first..].iter_mut().zip(&sums) {
        *own += lanes::sum(sum);
    }
}

impl KernelProduct for Gram<'_> {
    fn rows(&self) -> usize {
        self.panels.rows()
    }

    fn multiply(&self, vector: &[f64], product: &mut [f64]) {
        let alpha = padded(vector);
        let bands: Vec<BandProduct> = (0..self.band_count())
            .into_par_iter()
            .map(|band| self.multiply_band(band, &alpha))
            .collect();
        product.par_chunks_mut(BAND).enumerate().for_each(|(band, rows)| {
            rows.copy_from_slice(&bands[band].own[..rows.len()]);
            for (earlier, part) in bands[..band].iter().enumerate() {
                let after = &part.after[(band - earlier) * BAND..];
                rows.iter_mut().zip(after).for_each(|(row, value)| *row += value);
            }
        });
    }

    fn diagonal(&self, _: usize) -> f64 {
        1.0
    }
}

/// Σ_i `coefficients`_i k(x_i, y) for every row y: each sum depends on its own row only.
pub(crate) fn cross_product(
    kernel: &Kernel,
    panels: &Panels,
    coefficients: &[f64],
    points: Points,
) -> Vec<f64> {
    let coefficients = padded(coefficients);
    let mut sums = vec![0.0; points.rows()];
    sums.par_chunks_mut(QUERIES).enumerate().for_each(|(four, out)| {
        let queries = queries(points, four * QUERIES);
        let found = lanes::dispatch(
            #[inline(always)]
            || {
                let mut sums = [[0.0; LANES]; QUERIES];
                for p in 0..panels.count() {
                    let q = distances(kernel.metric(), &queries, panels.panel(p));
                    let weights = group(&coefficients, p);
                    for (sum, q) in sums.iter_mut().zip(&q) {
                        let k = kernel.profile_values(q);
                        for lane in 0..LANES {
                            sum[lane] += weights[lane] * k[lane];
                        }
                    }
                }
                sums.map(|lanes| lanes::sum(&lanes))
            },
        );
        out.copy_from_slice(&found[..out.len()]);
    });
    sums
}

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
        let parts: Vec<(Vec<f32>, Vec<f64>)> = (0..gram.block_count())
            .into_par_iter()
            .map(|block| {
                let phi = gram.compute_block(block);
                let diagonal =
                    phi.chunks_exact(features.count()).map(|row| scale * dot(row, row)).collect();
                (if held { phi } else { Vec::new() }, diagonal)
            })
            .collect();
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
        let blocks: Vec<usize> = (0..self.block_count()).collect();
        // A bounded number of partial sums at a time keeps memory flat in n.
        for some in blocks.chunks(32) {
            let parts: Vec<Vec<f64>> = some
                .par_iter()
                .map(|&block| {
                    self.with_block(block, |phi| {
                        let mut sum = vec![0.0; count];
                        for (row, a) in phi.chunks_exact(count).zip(&alpha[block * FEATURE_ROWS..])
                        {
                            lanes::dispatch(
                                #[inline(always)]
                                || add_scaled(&mut sum, *a, row),
                            );
                        }
                        sum
                    })
                })
                .collect();
            for part in &parts {
                add_scaled(&mut total, 1.0, part);
            }
        }
        total
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
        product.par_chunks_mut(FEATURE_ROWS).enumerate().for_each(|(block, out)| {
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

/// Σ x_i y_i in lanes, in a fixed order.
pub(crate) fn dot<X: Copy + Into<f64>, Y: Copy + Into<f64>>(x: &[X], y: &[Y]) -> f64 {
    lanes::dispatch(
        #[inline(always)]
        || {
            let (x_lanes, x_rest) = x.as_chunks::<LANES>();
            let (y_lanes, y_rest) = y.as_chunks::<LANES>();
            let mut sums = [0.0; LANES];
            for (a, b) in x_lanes.iter().zip(y_lanes) {
                for lane in 0..LANES {
                    sums[lane] += a[lane].into() * b[lane].into();
                }
            }
            let rest = x_rest.iter().zip(y_rest);
            rest.fold(lanes::sum(&sums), |sum, (&a, &b)| sum + a.into() * b.into())
        },
    )
}
