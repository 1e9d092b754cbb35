//! Points regrouped so that eight of them meet a query at once, and the two distances kernels use.
//!
//! A panel holds eight points column by column: `panel[column][lane]`. A distance adds its columns
//! in order, one lane per point, so the distance of a pair depends on the two points alone: not on
//! their places in the table, on the other rows of a batch, or on which of the two is the query.
//! That is what makes scores reproducible to the bit under batching and threading.
//!
//! Cost: d subtractions and additions a pair. No ‖x‖² + ‖y‖² − 2⟨x,y⟩, which would lose the
//! distances of close pairs to cancellation.

use crate::lanes::{LANES, Lanes};
use crate::points::Points;

/// Queries handled together: 4 × 8 sums fill the vector registers.
pub(crate) const QUERIES: usize = 4;

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

    /// The distance of two points, added in column order as the panels do.
    pub(crate) fn distance(self, x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).fold(0.0, |sum, (a, b)| sum + self.term(a - b))
    }
}

/// Points in panels of eight; the last panel repeats its last point.
#[derive(Debug, Clone)]
pub(crate) struct Panels {
    values: Vec<f64>,
    rows: usize,
    columns: usize,
}

impl Panels {
    /// Regroups the rows of `points`.
    pub(crate) fn new(points: Points) -> Self {
        let (rows, columns) = (points.rows(), points.columns());
        let mut values = Vec::with_capacity(rows.div_ceil(LANES) * LANES * columns);
        for first in (0..rows).step_by(LANES) {
            for column in 0..columns {
                for lane in 0..LANES {
                    values.push(points.row((first + lane).min(rows - 1))[column]);
                }
            }
        }
        Self { values, rows, columns }
    }

    /// Number of points.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Number of panels.
    pub(crate) fn count(&self) -> usize {
        self.rows.div_ceil(LANES)
    }

    /// Panel `p`: d groups of eight values.
    #[inline(always)]
    pub(crate) fn panel(&self, p: usize) -> &[f64] {
        &self.values[p * LANES * self.columns..(p + 1) * LANES * self.columns]
    }

    /// Copies point `i` into `row`.
    pub(crate) fn copy_row(&self, i: usize, row: &mut [f64]) {
        let lane = i % LANES;
        for (value, group) in row.iter_mut().zip(self.panel(i / LANES).chunks_exact(LANES)) {
            *value = group[lane];
        }
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

/// The distances of a few queries to the eight points of a panel.
#[inline(always)]
pub(crate) fn distances<const Q: usize>(
    metric: Metric,
    queries: &[&[f64]; Q],
    panel: &[f64],
) -> [Lanes; Q] {
    match metric {
        Metric::SquaredEuclidean => add_columns(queries, panel, |x, y| (x - y) * (x - y)),
        Metric::Manhattan => add_columns(queries, panel, |x, y| (x - y).abs()),
    }
}

/// The inner products of a few queries with the eight points of a panel.
#[inline(always)]
pub(crate) fn projections<const Q: usize>(queries: &[&[f64]; Q], panel: &[f64]) -> [Lanes; Q] {
    add_columns(queries, panel, |x, point| x * point)
}

#[inline(always)]
fn add_columns<const Q: usize>(
    queries: &[&[f64]; Q],
    panel: &[f64],
    term: impl Fn(f64, f64) -> f64,
) -> [Lanes; Q] {
    let columns = panel.len() / LANES;
    let queries = queries.map(|query| &query[..columns]);
    let mut sums = [[0.0; LANES]; Q];
    for (column, points) in panel.as_chunks::<LANES>().0.iter().enumerate() {
        for (sum, query) in sums.iter_mut().zip(&queries) {
            let x = query[column];
            for lane in 0..LANES {
                sum[lane] += term(x, points[lane]);
            }
        }
    }
    sums
}

/// The four rows from `first` on; past the end the last row repeats.
#[inline(always)]
pub(crate) fn queries<'a>(rows: Points<'a>, first: usize) -> [&'a [f64]; QUERIES] {
    std::array::from_fn(|i| rows.row((first + i).min(rows.rows() - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panel_distances_equal_the_plain_loop_to_the_bit() {
        let values: Vec<f64> = (0..11 * 5).map(|i| ((i * 37 % 101) as f64).sin()).collect();
        let points = Points::new(&values, 5).unwrap();
        let panels = Panels::new(points);
        for metric in [Metric::SquaredEuclidean, Metric::Manhattan] {
            let queries = [0, 3, 7, 10].map(|i| points.row(i));
            for p in 0..panels.count() {
                let found = distances(metric, &queries, panels.panel(p));
                for (query, lanes) in queries.iter().zip(&found) {
                    for (lane, distance) in lanes.iter().enumerate() {
                        let point = points.row((p * LANES + lane).min(points.rows() - 1));
                        assert_eq!(*distance, metric.distance(query, point));
                        assert_eq!(*distance, metric.distance(point, query));
                    }
                }
            }
        }
    }

    #[test]
    fn rows_come_back_out() {
        let values: Vec<f64> = (0..27).map(f64::from).collect();
        let points = Points::new(&values, 3).unwrap();
        let panels = Panels::new(points);
        let mut row = [0.0; 3];
        for i in 0..points.rows() {
            panels.copy_row(i, &mut row);
            assert_eq!(row, points.row(i));
        }
    }
}
