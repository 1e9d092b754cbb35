//! Points stored in panels of eight, compared with a query together, and the two distances kernels use.
//!
//! A panel holds eight points column by column: `panel[column][lane]`. A distance adds its columns
//! in order, one lane per point, so the distance of a pair depends on the two points alone: not on
//! their places in the table, on the other rows of a batch, or on which of the two is the query.
//! That is what makes scores reproducible to the bit under batching and threading.
//!
//! ```text
//! ‖x − y‖²  = Σ_j (x_j − y_j)²
//! ‖x − y‖₁  = Σ_j |x_j − y_j|
//!           = 2 Σ_j max(x_j, y_j) − (Σ_j x_j + Σ_j y_j)
//! ```
//!
//! Cost: d additions a pair, and the operations that give the terms. By maxima ‖x − y‖₁ has two operations a column, by differences three.
//!
//! Numerics: no ‖x‖² + ‖y‖² − 2⟨x, y⟩, which would lose the distances of close pairs to cancellation.
//! Maxima lose a little: up to d rounding errors of Σ_j |x_j|. [`Panels::fastest`] takes them where
//! that is negligible, for a distance that comes out negative too. Equal points have a distance of
//! exactly zero.

use std::hint::black_box;

use crate::lanes::{self, LANES, Lanes, Number};
use crate::points::Points;

/// Queries handled together: 4 × 8 sums fill the vector registers.
pub(crate) const QUERIES: usize = 4;

/// One number for each of a few queries and each point of a panel.
pub(crate) type Tile<T = f64, const Q: usize = QUERIES> = [[T; LANES]; Q];

/// How far apart two points are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Metric {
    /// Σ_j (x_j − y_j)².
    SquaredEuclidean,
    /// Σ_j |x_j − y_j|.
    Manhattan,
}

impl Metric {
    /// The share of one column in the distance.
    #[inline(always)]
    pub(crate) fn term(self, difference: f64) -> f64 {
        match self {
            Metric::SquaredEuclidean => difference * difference,
            Metric::Manhattan => difference.abs(),
        }
    }

    /// The distance of two points, added in column order as the panels do, by differences.
    pub(crate) fn distance(self, x: &[f64], y: &[f64]) -> f64 {
        lanes::dispatch(
            #[inline(always)]
            || {
                x.iter().zip(y).fold(0.0, |sum, (x, y)| match self {
                    Metric::SquaredEuclidean => (x - y).mul_add(x - y, sum),
                    Metric::Manhattan => sum + (x - y).abs(),
                })
            },
        )
    }
}

/// How distances are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// From the differences of the columns.
    Differences(Metric),
    /// Manhattan ones from the maxima of the columns.
    Maxima,
}

impl From<Metric> for Route {
    fn from(metric: Metric) -> Self {
        Self::Differences(metric)
    }
}

/// Points in panels of eight; the last panel repeats its last point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Panels<T = f64> {
    values: Vec<T>,
    /// Σ_j x_j of every point.
    sums: Vec<T>,
    rows: usize,
    columns: usize,
}

impl<T: Number> Panels<T> {
    /// Regroups the rows of `points`.
    pub(crate) fn new(points: Points) -> Self {
        let (rows, columns) = (points.rows(), points.columns());
        let mut values = Vec::with_capacity(rows.div_ceil(LANES) * LANES * columns);
        for first in (0..rows).step_by(LANES) {
            for column in 0..columns {
                for lane in 0..LANES {
                    let point = points.row((first + lane).min(rows - 1));
                    values.push(T::rounded(point[column]));
                }
            }
        }
        let mut panels = Self { values, sums: Vec::new(), rows, columns };
        let sums = |p| add_up(panels.panel(p).as_chunks::<LANES>().0);
        panels.sums = (0..panels.count()).flat_map(sums).collect();
        panels
    }

    /// Number of points.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Operations that a kernel value of two points takes, about: the columns and the profile.
    pub(crate) fn operations_a_pair(&self) -> usize {
        self.columns + 16
    }

    /// Number of panels.
    pub(crate) fn count(&self) -> usize {
        self.rows.div_ceil(LANES)
    }

    /// The fastest route to distances with errors of at most `negligible` between points that are
    /// close to each other.
    pub(crate) fn fastest(&self, metric: Metric, negligible: f64) -> Route {
        if metric != Metric::Manhattan {
            return metric.into();
        }
        let size = |row: usize| -> f64 {
            let lane = |column: &[T; LANES]| -> f64 { column[row % LANES].into() };
            let columns = self.panel(row / LANES).as_chunks::<LANES>().0;
            columns.iter().map(|column| lane(column).abs()).sum()
        };
        let largest = (0..self.rows).map(size).fold(0.0, f64::max);
        let rounding = self.columns as f64 * T::EPSILON * largest;
        if rounding <= negligible { Route::Maxima } else { metric.into() }
    }

    /// Panel `p`: d groups of eight values.
    #[inline(always)]
    pub(crate) fn panel(&self, p: usize) -> &[T] {
        &self.values[p * LANES * self.columns..(p + 1) * LANES * self.columns]
    }
}

/// One value per point, padded with zeros to whole panels.
pub(crate) fn padded(values: &[f64]) -> Vec<f64> {
    let mut padded = values.to_vec();
    padded.resize(values.len().next_multiple_of(LANES), 0.0);
    padded
}

/// Lane group `p` of a padded vector.
#[inline(always)]
pub(crate) fn group(values: &[f64], p: usize) -> &Lanes {
    values[p * LANES..].first_chunk().expect("padded to whole panels")
}

/// A few query rows, column by column as in a panel, so that both are read as they lie.
#[derive(Debug, Clone)]
pub(crate) struct Queries<T = f64, const Q: usize = QUERIES> {
    columns: Vec<[T; Q]>,
    /// Σ_j x_j of every query.
    sums: [T; Q],
    /// 1.0, opaque to the compiler: blocks constant folding.
    one: T,
}

impl<T: Number> Queries<T, 1> {
    /// A single row.
    pub(crate) fn one(row: &[f64]) -> Self {
        Self::new(Points::new_unchecked(row, row.len()), 0)
    }
}

impl<T: Number, const Q: usize> Queries<T, Q> {
    /// The rows from `first` on; past the end the last row repeats.
    pub(crate) fn new(rows: Points, first: usize) -> Self {
        let rows: [&[f64]; Q] = std::array::from_fn(|i| rows.row((first + i).min(rows.rows() - 1)));
        Self::of_columns(rows[0].len(), |column, i| T::rounded(rows[i][column]))
    }

    /// All rows, a few at a time.
    pub(crate) fn groups(rows: Points) -> Vec<Self> {
        (0..rows.rows()).step_by(Q).map(|first| Self::new(rows, first)).collect()
    }

    /// The same rows of `panels`.
    pub(crate) fn among(panels: &Panels<T>, first: usize) -> Self {
        let places: [(&[T], usize); Q] = std::array::from_fn(|i| {
            let row = (first + i).min(panels.rows() - 1);
            (panels.panel(row / LANES), row % LANES)
        });
        Self::of_columns(panels.columns(), |column, i| {
            let (panel, lane) = places[i];
            panel[column * LANES + lane]
        })
    }

    fn of_columns(columns: usize, value: impl Fn(usize, usize) -> T) -> Self {
        let column = |column| std::array::from_fn(|i| value(column, i));
        let columns: Vec<[T; Q]> = (0..columns).map(column).collect();
        let sums = add_up(&columns);
        Self { columns, sums, one: black_box(T::rounded(1.0)) }
    }

    /// The queries' values, column after column.
    #[inline(always)]
    pub(crate) fn columns(&self) -> &[[T; Q]] {
        &self.columns
    }

    /// The distances of the queries to the points of panel `p`.
    ///
    /// x·1 ± y is x ± y to the bit, on execution units that additions and maxima leave free.
    #[inline(always)]
    pub(crate) fn distances(
        &self,
        route: impl Into<Route>,
        panels: &Panels<T>,
        p: usize,
    ) -> Tile<T, Q> {
        let (panel, one) = (panels.panel(p), self.one);
        match route.into() {
            Route::Differences(Metric::SquaredEuclidean) => {
                self.add_columns(panel, |sum, x, y| (x - y).mul_add(x - y, sum))
            }
            Route::Differences(Metric::Manhattan) => {
                self.add_columns(panel, |sum, x, y| sum + x.mul_add(one, -y).abs())
            }
            Route::Maxima => {
                let maxima = self.add_columns(panel, |sum, x, y| x.larger(y).mul_add(one, sum));
                self.distances_from(maxima, &panels.sums[p * LANES..][..LANES])
            }
        }
    }

    /// The distances that belong to sums of maxima, given the sums of the points.
    #[inline(always)]
    fn distances_from(&self, maxima: Tile<T, Q>, points: &[T]) -> Tile<T, Q> {
        let mut tile = maxima;
        for (tile, &query) in tile.iter_mut().zip(&self.sums) {
            for lane in 0..LANES {
                tile[lane] = tile[lane] + tile[lane] - (query + points[lane]);
            }
        }
        tile
    }

    /// The inner products of the queries with the points of a panel.
    #[inline(always)]
    pub(crate) fn projections(&self, panel: &[T]) -> Tile<T, Q> {
        self.add_columns(panel, |sum, x, y| x.mul_add(y, sum))
    }

    #[inline(always)]
    fn add_columns(&self, panel: &[T], add: impl Fn(T, T, T) -> T) -> Tile<T, Q> {
        let mut sums = [[T::default(); LANES]; Q];
        for (points, queries) in panel.as_chunks::<LANES>().0.iter().zip(&self.columns) {
            for (sum, &x) in sums.iter_mut().zip(queries) {
                for lane in 0..LANES {
                    sum[lane] = add(sum[lane], x, points[lane]);
                }
            }
        }
        sums
    }
}

/// The sums over the columns, added in order as distances are.
fn add_up<T: Number, const N: usize>(columns: &[[T; N]]) -> [T; N] {
    let mut sums = [T::default(); N];
    for column in columns {
        for (sum, &value) in sums.iter_mut().zip(column) {
            *sum = *sum + value;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    const D: usize = 5;

    fn rows() -> Vec<f64> {
        (0..11 * D).map(|i| ((i * 37 % 101) as f64).sin()).collect()
    }

    /// The distances of all pairs, by tiles; past the end the last row repeats.
    fn all_distances(route: impl Into<Route>, points: Points) -> Vec<Vec<f64>> {
        let (route, panels) = (route.into(), Panels::<f64>::new(points));
        let row = |first: usize| -> Vec<Vec<f64>> {
            let queries: Queries = Queries::new(points, first);
            assert_eq!(queries.columns(), Queries::among(&panels, first).columns());
            let tiles = (0..panels.count()).map(|p| {
                lanes::dispatch(
                    #[inline(always)]
                    || queries.distances(route, &panels, p),
                )
            });
            let tiles: Vec<Tile> = tiles.collect();
            (0..QUERIES).map(|i| tiles.iter().flat_map(|tile| tile[i]).collect()).collect()
        };
        (0..points.rows()).step_by(QUERIES).flat_map(row).collect()
    }

    #[test]
    fn squared_distances_equal_the_plain_loop_to_the_bit() {
        let values = rows();
        let points = Points::new(&values, D).unwrap();
        let found = all_distances(Metric::SquaredEuclidean, points);
        for (i, x) in points.iter().enumerate() {
            for (j, y) in points.iter().enumerate() {
                assert_eq!(found[i][j], Metric::SquaredEuclidean.distance(x, y));
            }
        }
    }

    #[test]
    fn manhattan_distances_equal_the_plain_loop_to_the_bit() {
        let values = rows();
        let points = Points::new(&values, D).unwrap();
        let found = all_distances(Metric::Manhattan, points);
        for (i, x) in points.iter().enumerate() {
            for (j, y) in points.iter().enumerate() {
                assert_eq!(found[i][j], Metric::Manhattan.distance(x, y));
            }
        }
    }

    #[test]
    fn maxima_round_by_no_more_than_they_are_trusted_to() {
        for offset in [0.0, 1e3, 1e12] {
            let mut values = rows();
            values.iter_mut().step_by(D).for_each(|x| *x += offset);
            let points = Points::new(&values, D).unwrap();
            let found = all_distances(Route::Maxima, points);
            let mut worst = 0.0_f64;
            for (i, x) in points.iter().enumerate() {
                for (j, y) in points.iter().enumerate() {
                    worst = worst.max((found[i][j] - Metric::Manhattan.distance(x, y)).abs());
                }
            }
            let panels: Panels = Panels::new(points);
            if worst > 0.0 {
                let exact = Route::Differences(Metric::Manhattan);
                assert_eq!(panels.fastest(Metric::Manhattan, worst / 2.0), exact);
            }
            let trusted = 1e-14 * (1.0 + offset);
            assert_eq!(panels.fastest(Metric::Manhattan, trusted), Route::Maxima);
            assert!(worst <= trusted, "{offset}: {worst}");
            let squared = Metric::SquaredEuclidean;
            assert_eq!(panels.fastest(squared, trusted), squared.into());
        }
    }

    #[test]
    fn distances_do_not_mind_which_point_is_the_query_and_vanish_for_equal_points() {
        let values = rows();
        let points = Points::new(&values, D).unwrap();
        for route in [Metric::SquaredEuclidean.into(), Metric::Manhattan.into(), Route::Maxima] {
            let found = all_distances(route, points);
            for (i, row) in found.iter().enumerate().take(points.rows()) {
                assert_eq!(row[i], 0.0);
                for j in 0..points.rows() {
                    assert_eq!(row[j], found[j][i]);
                }
            }
        }
    }
}
