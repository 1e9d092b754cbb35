//! The distances of rows to many others, a few rows at a time.
//!
//! Cost: d operations a pair. Differs from the paper: not in it.

use crate::error::Result;
use crate::lanes::{self, LANES};
use crate::monitor::{Monitor, Stage, items_at_once, report_progress};
use crate::panels::{Metric, Panels, QUERIES, Queries};
use crate::parallel;
use crate::points::Points;

/// The distances of rows of a table to some of them.
pub(super) struct DistancesTo<'a> {
    panels: Panels,
    points: Points<'a>,
    metric: Metric,
}

impl<'a> DistancesTo<'a> {
    /// Of the rows of `points` to `some` of them.
    pub(super) fn new(some: &[usize], points: Points<'a>, metric: Metric) -> Self {
        let panels = Panels::new(Points::new_unchecked(&points.select(some), points.columns()));
        Self { panels, points, metric }
    }

    /// What `f` makes of the place of each of these rows and its distances.
    pub(super) fn of_each<R: Send>(
        &self,
        rows: &[usize],
        monitor: Monitor,
        f: impl Fn(usize, &[f64]) -> R + Sync + Send,
    ) -> Result<Vec<R>> {
        let parts = rows.len().div_ceil(QUERIES);
        let operations = QUERIES * self.panels.rows() * self.panels.operations_a_pair();
        let at_once = items_at_once(operations, parts);
        let mut found = Vec::with_capacity(rows.len());
        for first in (0..parts).step_by(at_once) {
            report_progress(monitor, Stage::Kernel, first, parts)?;
            let of_part = |i: usize| self.of_few(rows, (first + i) * QUERIES, &f);
            found.extend(parallel::map(at_once.min(parts - first), of_part).into_iter().flatten());
        }
        report_progress(monitor, Stage::Kernel, parts, parts)?;
        Ok(found)
    }

    /// The same for a few rows from the `first` on.
    fn of_few<R>(&self, rows: &[usize], first: usize, f: impl Fn(usize, &[f64]) -> R) -> Vec<R> {
        let Self { panels, points, metric } = self;
        let rows = &rows[first..rows.len().min(first + QUERIES)];
        let values = points.select(rows);
        let queries: Queries = Queries::new(Points::new_unchecked(&values, points.columns()), 0);
        let of_row = panels.count() * LANES;
        let mut distances = vec![0.0; QUERIES * of_row];
        lanes::dispatch(
            #[inline(always)]
            || {
                for p in 0..panels.count() {
                    let tile = queries.distances(*metric, panels, p);
                    for (row, found) in distances.chunks_exact_mut(of_row).zip(&tile) {
                        row[p * LANES..][..LANES].copy_from_slice(found);
                    }
                }
            },
        );
        let each = (first..first + rows.len()).zip(distances.chunks_exact(of_row));
        each.map(|(place, distances)| f(place, &distances[..panels.rows()])).collect()
    }
}
