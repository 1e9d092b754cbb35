//! 2Δf/f at many points.
//!
//! ```text
//! 2 Δf(y) / f(y) = 2 Σ_i α_i Δk(x_i, y) / Σ_i α_i k(x_i, y)
//! ```
//!
//! Cost: four rows y and eight rows x_i at a time; twice the work of f alone. Numerics: each ratio
//! depends on its own row only. Where f underflows both sums are taken again, one kernel value
//! after another, in the scale of the largest.
//!
//! Differs from the paper: it estimates this by random probes.

use super::{KernelForm, UNDERFLOW};
use crate::gram::Tiles;
use crate::lanes::{self, LANES};
use crate::panels::{QUERIES, Queries, Tile, group};
use crate::parallel;
use crate::points::Points;

impl KernelForm {
    /// 2Δf/f for every row; `known` are the rows' distances to the support rows.
    pub(in crate::density) fn laplacian_ratios(
        &self,
        points: Points,
        known: Option<&Tiles>,
    ) -> Vec<f64> {
        let mut ratios = vec![0.0; points.rows()];
        parallel::for_each_chunk(&mut ratios, QUERIES, |group, out| {
            let tiles = known.map(|known| known.group(group));
            let found = self.values_and_laplacians(points, group * QUERIES, tiles);
            for (i, (ratio, [f, laplacian])) in out.iter_mut().zip(found).enumerate() {
                let near = f.abs() > UNDERFLOW && laplacian.is_finite();
                *ratio = if near {
                    2.0 * laplacian / f
                } else {
                    self.jet_without_gradient(points.row(group * QUERIES + i)).laplacian_ratio()
                };
            }
        });
        ratios
    }

    /// f and Δf at the four rows from `first` on.
    fn values_and_laplacians(
        &self,
        points: Points,
        first: usize,
        tiles: Option<&[Tile]>,
    ) -> [[f64; 2]; QUERIES] {
        let queries = Queries::new(points, first);
        lanes::dispatch(
            #[inline(always)]
            || {
                let mut sums = [[[0.0; LANES]; 2]; QUERIES];
                for p in 0..self.panels.count() {
                    let computed;
                    let q = if let Some(tiles) = tiles {
                        &tiles[p]
                    } else {
                        computed = queries.distances(self.kernel.metric(), &self.panels, p);
                        &computed
                    };
                    let alpha = group(&self.alpha, p);
                    for (sum, q) in sums.iter_mut().zip(q) {
                        let terms = self.kernel.values_and_laplacians(q);
                        for (sum, term) in sum.iter_mut().zip(&terms) {
                            for lane in 0..LANES {
                                sum[lane] += alpha[lane] * term[lane];
                            }
                        }
                    }
                }
                sums.map(|both| both.map(|lanes| lanes::sum(&lanes)))
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Kernel, KernelKind};

    /// Rows near and far from 60 support rows, and some of these.
    fn points(columns: usize) -> (Vec<f64>, Vec<f64>) {
        let support: Vec<f64> = (0..60 * columns).map(|i| (i as f64 * 0.7548).fract()).collect();
        let mut rows: Vec<f64> = (0..13 * columns).map(|i| (i as f64 * 0.5698).fract()).collect();
        rows.extend(&support[..2 * columns]);
        for far in [3.0, 30.0, 1e4, 1e9] {
            rows.extend((0..columns).map(|j| far + 0.1 * j as f64));
        }
        (support, rows)
    }

    #[test]
    fn four_rows_at_once_are_the_rows_one_by_one() {
        let kinds =
            [KernelKind::Sdo, KernelKind::Laplacian, KernelKind::Gaussian, KernelKind::Product];
        for (kind, columns) in kinds.iter().flat_map(|kind| [2, 5, 40].map(|d| (kind, d))) {
            let (support, rows) = points(columns);
            for bandwidth in [0.01, 0.2, 10.0] {
                let kernel = Kernel::new(kind, columns, bandwidth).unwrap();
                let support = Points::new(&support, columns).unwrap();
                let alpha: Vec<f64> = (0..60).map(|i| 1.0 + 0.1 * f64::from(i % 7)).collect();
                let form = KernelForm::new(kernel, support, &alpha).unwrap();
                let points = Points::new(&rows, columns).unwrap();
                let found = form.laplacian_ratios(points, None);
                for (row, ratio) in points.iter().zip(found) {
                    let jet = form.jet_without_gradient(row);
                    let expected = jet.laplacian_ratio();
                    // Where terms of both signs cancel, digits are those of the terms.
                    let size = form.size_of_ratio(row);
                    assert!(
                        (ratio - expected).abs() <= 1e-12 * (expected.abs() + size),
                        "{} {columns} {bandwidth}: {ratio} and {expected}",
                        kind.name()
                    );
                }
            }
        }
    }

    impl KernelForm {
        /// The ratio with every term of Δf taken as positive, and f as it is.
        fn size_of_ratio(&self, x: &[f64]) -> f64 {
            let q = self.distances(x);
            let (mut f, mut sizes, mut laplacian) = (0.0, 0.0, 0.0);
            for (&q, alpha) in q.iter().zip(self.alpha()) {
                let jet = self.kernel.jet(q);
                f += alpha * jet.value;
                sizes += alpha * jet.value.abs();
                laplacian += alpha * self.kernel.laplacian_of(q, &jet).abs();
            }
            if f.abs() > UNDERFLOW { laplacian / f.abs() * (sizes / f.abs()) } else { 0.0 }
        }
    }
}
