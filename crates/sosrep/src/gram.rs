//! Products with kernel matrices: Kα for the rows themselves, and K(y, x)α for new rows.
//!
//! ```text
//! (Kα)_i = Σ_j k(x_i, x_j) α_j        K is n×n, symmetric, k(x_i, x_i) = 1
//! ```
//!
//! The matrix is cut into bands of rows. A band keeps the columns from its own diagonal tile on:
//! each kernel value is computed and read once and used for row i and for row j. Bands are held in
//! memory as far as the budget allows; the others are computed anew in every product. Both
//! run the same code on the same numbers, so the budget never changes a result.
//!
//! Cost: n²/2 kernel values (each d operations) once, or once per product for bands not held; a
//! product reads n²/2 numbers. Memory: 2 n² bytes when held, n²/32 otherwise: 80 MB for 50 000
//! rows.
//!
//! Numerics: distances, profiles and sums in f64, sums in a fixed order, so results depend neither
//! on the number of threads nor on the budget. A product takes as long as the matrix takes to read, so
//! it is kept in f32: kernel values are rounded by 6e-8 of their size, and f, a sum of them, by
//! less. The solver's residual is 1e-6.
//!
//! Differs from the paper: none (the paper forms K).

mod bands;
mod cross;
mod features;
mod product;
mod tiles;

pub(crate) use bands::Bands;
use bands::Group;
pub(crate) use cross::KernelAt;
pub use features::FeatureGram;
use product::{BandProduct, RowsOfBand};
pub(crate) use tiles::Tiles;

use std::ops::ControlFlow;

use crate::error::Result;
use crate::kernel::Kernel;
use crate::lanes::{self, LANES};
use crate::monitor::{Monitor, Stage, items_at_once, no_progress, report_progress};
use crate::panels::{Panels, QUERIES, Queries, Tile, padded};
use crate::parallel;
use crate::points::Points;

/// Rows in a band: a multiple of both the lanes and the queries.
const BAND: usize = 128;

/// Most bands computed by each thread per progress callback.
const BANDS_A_THREAD: usize = 8;

/// The default memory for a kernel matrix: 1 GiB.
pub const DEFAULT_MEMORY: usize = 1 << 30;

/// A symmetric positive semidefinite matrix known by its products: all a solver needs.
pub trait KernelProduct: Sync {
    /// Number of rows n.
    fn rows(&self) -> usize;

    /// `product` = K `vector`; both have n entries.
    fn multiply(&self, vector: &[f64], product: &mut [f64]);

    /// The same in parts, if it takes long, between which `proceed` is asked whether to go on. If it breaks
    /// off, so does this, and `product` is as it was. By default there is one part.
    fn multiply_unless_stopped(
        &self,
        vector: &[f64],
        product: &mut [f64],
        proceed: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let _ = proceed;
        self.multiply(vector, product);
        ControlFlow::Continue(())
    }

    /// k(x_i, x_i).
    fn diagonal(&self, i: usize) -> f64;
}

/// The kernel matrix of a set of points.
#[derive(Debug)]
pub struct Gram<'a> {
    kernel: &'a Kernel,
    panels: Panels,
    bands: Bands,
    known: Option<&'a Tiles>,
}

/// What a matrix can reuse of an earlier one.
#[derive(Debug, Default)]
pub(crate) struct ReusedBuffers<'a> {
    /// Its memory.
    pub(crate) bands: Bands,
    /// The distances among the rows, where they are known; in double precision.
    pub(crate) distances: Option<&'a Tiles>,
}

impl<'a> Gram<'a> {
    /// Computes as many bands as fit into `memory` bytes, with room left for products.
    ///
    /// # Errors
    /// [`Error::WrongColumns`](crate::Error::WrongColumns) if the points have another dimension
    /// than the kernel.
    pub fn new(kernel: &'a Kernel, points: Points, memory: usize) -> Result<Self> {
        Self::new_monitored(kernel, points, memory, &mut no_progress)
    }

    /// As [`new`](Self::new), with progress.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn new_monitored(
        kernel: &'a Kernel,
        points: Points,
        memory: usize,
        monitor: Monitor,
    ) -> Result<Self> {
        Self::build(kernel, points, memory, ReusedBuffers::default(), monitor)
    }

    /// As [`new_monitored`](Self::new_monitored), with the buffers of an earlier matrix.
    pub(crate) fn build(
        kernel: &'a Kernel,
        points: Points,
        memory: usize,
        reused: ReusedBuffers<'a>,
        monitor: Monitor,
    ) -> Result<Self> {
        points.expect_columns(kernel.dimension())?;
        let panels = Panels::new(points);
        let ReusedBuffers { bands: mut spare, distances: known } = reused;
        let mut gram = Self { kernel, panels, bands: Bands::default(), known };
        let held = gram.bands_within(memory);
        spare.set_lengths((0..held).map(|band| gram.groups_of(band)))?;
        let at_once = gram.bands_computed_at_once();
        for (part, bands) in spare.each_mut().chunks_mut(at_once).enumerate() {
            report_progress(monitor, Stage::Kernel, part * at_once, held)?;
            let first = part * at_once;
            parallel::for_each_mut(bands, |i, values| gram.compute_band(first + i, values));
        }
        report_progress(monitor, Stage::Kernel, held, held)?;
        gram.bands = spare;
        Ok(gram)
    }

    /// The memory of the matrix, for the next one.
    pub(crate) fn into_bands(self) -> Bands {
        self.bands
    }

    /// How many bands `memory` bytes have room for, beside a product.
    fn bands_within(&self, memory: usize) -> usize {
        let products = self.product_length() * size_of::<f64>();
        let mut left = memory.saturating_sub(products) / size_of::<Group>();
        let fits = |&band: &usize| {
            let length = self.groups_of(band);
            let fits = length <= left;
            left = left.saturating_sub(length);
            fits
        };
        (0..self.band_count()).take_while(fits).count()
    }

    /// Share of the matrix held in memory, from 0 to 1.
    pub fn held(&self) -> f64 {
        let total: usize = (0..self.band_count()).map(|band| self.groups_of(band)).sum();
        self.bands.length() as f64 / total as f64
    }

    fn band_count(&self) -> usize {
        self.panels.rows().div_ceil(BAND)
    }

    /// Bands that are computed between two reports.
    fn bands_computed_at_once(&self) -> usize {
        let operations = BAND * self.panels.rows() * self.panels.operations_a_pair();
        items_at_once(operations, BANDS_A_THREAD * parallel::threads())
    }

    /// Bands from the `first` on that are multiplied between two reports: many of those that are held.
    fn bands_at_once(&self, first: usize) -> usize {
        match self.bands.count().saturating_sub(first) {
            0 => self.bands_computed_at_once(),
            held => items_at_once(BAND * self.panels.rows(), held),
        }
    }

    fn band_rows(&self, band: usize) -> usize {
        BAND.min(self.panels.rows() - band * BAND)
    }

    /// Panels that are the columns of a band: from its first row to the end.
    fn panels_of(&self, band: usize) -> usize {
        self.panels.count() - band * BAND / LANES
    }

    /// Groups of kernel values of a band, its rows padded to whole groups of queries.
    fn groups_of(&self, band: usize) -> usize {
        self.band_rows(band).next_multiple_of(QUERIES) * self.panels_of(band)
    }

    /// Numbers a product needs for what each band adds to it.
    fn product_length(&self) -> usize {
        (0..self.band_count()).map(|band| self.panels_of(band) * LANES + BAND).sum()
    }

    fn compute_band(&self, band: usize, values: &mut [Group]) {
        let panels = self.panels_of(band);
        for (group, rows) in values.chunks_exact_mut(QUERIES * panels).enumerate() {
            lanes::dispatch(
                #[inline(always)]
                || {
                    self.for_each_tile(
                        band,
                        group,
                        #[inline(always)]
                        |p, tile| (0..QUERIES).for_each(|i| rows[i * panels + p] = tile[i]),
                    );
                },
            );
        }
    }

    /// Calls `take` with every panel of a band, counted in the band, and the kernel values of the
    /// band's `group`-th group of four rows there.
    #[inline(always)]
    fn for_each_tile(&self, band: usize, group: usize, mut take: impl FnMut(usize, &Tile<f32>)) {
        if let Some(known) = self.known {
            for (p, tile) in known.group(band * BAND / QUERIES + group).iter().enumerate() {
                let mut tile = *tile;
                self.kernel.profile_in_place(std::slice::from_mut(&mut tile));
                take(p, &single(&tile));
            }
            return;
        }
        let queries = Queries::among(&self.panels, band * BAND + group * QUERIES);
        let first = band * BAND / LANES;
        let kernel = self.kernel;
        // By differences, as distances that are known are, so that both give the same bits.
        let points = KernelAt { kernel, panels: &self.panels, route: kernel.metric().into() };
        points.for_each_tile(
            &queries,
            first,
            #[inline(always)]
            |p, tile| take(p - first, &single(tile)),
        );
    }

    /// One band's share of Kα.
    fn multiply_band(&self, band: usize, alpha: &[f64]) -> BandProduct {
        let alpha = &alpha[band * BAND..];
        let mut product = BandProduct::new(BAND, alpha.len());
        let held = self.bands.band(band);
        for group in 0..self.band_rows(band).div_ceil(QUERIES) {
            lanes::dispatch(
                #[inline(always)]
                || {
                    let mut rows = RowsOfBand::new(group * QUERIES, alpha, &mut product);
                    if let Some(held) = held {
                        let panels = self.panels_of(band);
                        let row = |i: usize| &held[(group * QUERIES + i) * panels..][..panels];
                        let others = row(1).iter().zip(row(2)).zip(row(3));
                        for (p, (a, ((b, c), d))) in row(0).iter().zip(others).enumerate() {
                            rows.add(p, &[*a, *b, *c, *d]);
                        }
                    } else {
                        self.for_each_tile(
                            band,
                            group,
                            #[inline(always)]
                            |p, tile| rows.add(p, tile),
                        );
                    }
                    rows.finish();
                },
            );
        }
        product
    }
}

/// A tile as it is stored.
#[inline(always)]
fn single(tile: &Tile) -> Tile<f32> {
    let mut stored = [[0.0; LANES]; QUERIES];
    for (stored, k) in stored.iter_mut().zip(tile) {
        *stored = lanes::map(k, |k| k as f32);
    }
    stored
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
    size_of::<f32>() as u128 * held + size_of::<f64>() as u128 * (after + bands * band)
}

impl KernelProduct for Gram<'_> {
    fn rows(&self) -> usize {
        self.panels.rows()
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
        let alpha = padded(vector);
        let mut bands = Vec::with_capacity(self.band_count());
        while bands.len() < self.band_count() {
            let first = bands.len();
            if first > 0 {
                proceed()?;
            }
            let count = self.bands_at_once(first).min(self.band_count() - first);
            bands.extend(parallel::map(count, |i| self.multiply_band(first + i, &alpha)));
        }
        parallel::for_each_chunk(product, BAND, |band, rows| {
            rows.copy_from_slice(&bands[band].own[..rows.len()]);
            for (earlier, part) in bands[..band].iter().enumerate() {
                let after = &part.after[(band - earlier) * BAND..];
                rows.iter_mut().zip(after).for_each(|(row, value)| *row += value);
            }
        });
        ControlFlow::Continue(())
    }

    fn diagonal(&self, _: usize) -> f64 {
        1.0
    }
}
