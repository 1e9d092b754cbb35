//! Kernel values of a few rows against all points, and their sums: K(y, x)α for new rows y.
//!
//! ```text
//! f(y) = Σ_i α_i k(x_i, y)
//! ```
//!
//! Cost: d operations a pair and one kernel value. Numerics: each sum depends on its own row only.

use crate::kernel::Kernel;
use crate::lanes::{self, LANES, Lanes, Number};
use crate::panels::{Panels, Queries, Route, Tile, group, padded};
use crate::parallel;
use crate::points::Points;

/// Panels whose kernel values are computed together; their tiles stay in the fastest cache.
const BLOCK: usize = 16;

/// The functions k(x_i, ·) of the points x_i.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelAt<'a, T = f64> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) panels: &'a Panels<T>,
    /// How distances to the points are computed.
    pub(crate) route: Route,
}

impl<T: Number> KernelAt<'_, T> {
    /// Calls `take` with every panel from `first` on and the kernel values of the queries there.
    ///
    /// A block of panels has all its distances computed before the first kernel value: each loop
    /// then has the vector registers for itself.
    #[inline(always)]
    pub(super) fn for_each_tile<const Q: usize>(
        &self,
        queries: &Queries<T, Q>,
        first: usize,
        mut take: impl FnMut(usize, &Tile<T, Q>),
    ) {
        let count = self.panels.count();
        let mut tiles = [[[T::default(); LANES]; Q]; BLOCK];
        for start in (first..count).step_by(BLOCK) {
            let tiles = &mut tiles[..BLOCK.min(count - start)];
            for (i, tile) in tiles.iter_mut().enumerate() {
                *tile = queries.distances(self.route, self.panels, start + i);
            }
            self.kernel.profile_in_place(tiles);
            for (i, tile) in tiles.iter().enumerate() {
                take(start + i, tile);
            }
        }
    }

    /// Σ_i `coefficients`_i k(x_i, y) for every row y of `points`, `Q` of them at a time.
    pub(crate) fn cross_product<const Q: usize>(
        &self,
        coefficients: &[f64],
        points: Points,
    ) -> Vec<f64> {
        self.cross_products::<Q, 1>([coefficients], points).into_iter().flatten().collect()
    }

    /// The same for several coefficients, from kernel values computed once.
    pub(crate) fn cross_products<const Q: usize, const C: usize>(
        &self,
        coefficients: [&[f64]; C],
        points: Points,
    ) -> Vec<[f64; C]> {
        let coefficients = coefficients.map(padded);
        let mut sums = vec![[0.0; C]; points.rows()];
        parallel::for_each_chunk(&mut sums, Q, |few, out| {
            let queries: Queries<T, Q> = Queries::new(points, few * Q);
            let found = lanes::dispatch(
                #[inline(always)]
                || {
                    let mut sums = [[[0.0; LANES]; Q]; C];
                    self.for_each_tile(
                        &queries,
                        0,
                        #[inline(always)]
                        |p, k| {
                            for (sums, coefficients) in sums.iter_mut().zip(&coefficients) {
                                add_weighted(sums, group(coefficients, p), k);
                            }
                        },
                    );
                    sums.map(|sums| sums.map(|lanes| lanes::sum(&lanes)))
                },
            );
            for (row, out) in out.iter_mut().enumerate() {
                *out = found.each_ref().map(|sums| sums[row]);
            }
        });
        sums
    }
}

/// Adds a tile to the sums of its queries, each kernel value times the weight of its point.
#[inline(always)]
fn add_weighted<T: Number, const Q: usize>(
    sums: &mut Tile<f64, Q>,
    weights: &Lanes,
    tile: &Tile<T, Q>,
) {
    // All of them before the first sum, or the compiler gathers single lanes of several queries.
    let mut values = [[0.0; LANES]; Q];
    for (values, k) in values.iter_mut().zip(tile) {
        *values = lanes::map(k, T::into);
    }
    for (sum, k) in sums.iter_mut().zip(&values) {
        for lane in 0..LANES {
            sum[lane] += weights[lane] * k[lane];
        }
    }
}
