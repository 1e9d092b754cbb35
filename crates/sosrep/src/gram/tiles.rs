//! Distances shared by all bandwidths of a grid: only the profile changes with the bandwidth.
//!
//! A tile holds the distances of four query rows to the eight points of a panel, as
//! [`Queries`] find them: a kernel matrix made from tiles is, to the bit, the one made from rows.
//!
//! Cost: d operations a pair once, then eight bytes a pair read for every bandwidth. That pays from
//! [`WORTH_HOLDING`] columns on. Memory: 8 bytes a pair; 4 n² for the pairs of n rows.
//!
//! Differs from the paper: none.

use super::BAND;
use crate::error::Result;
use crate::lanes::{self, LANES};
use crate::memory::expect_room;
use crate::monitor::{Monitor, Stage, items_at_once, report_progress};
use crate::panels::{Metric, Panels, QUERIES, Queries, Tile};
use crate::parallel;
use crate::points::Points;

/// Columns from which distances take longer to compute than to read.
const WORTH_HOLDING: usize = 12;

/// Tiles of each group of four query rows, panel after panel.
#[derive(Debug)]
pub(crate) struct Tiles {
    query_groups: Vec<Vec<Tile>>,
}

impl Tiles {
    /// The distances among the rows themselves, as the bands of a kernel matrix need them; none if
    /// they take more than `memory` bytes or are as fast to compute.
    pub(crate) fn among(
        metric: Metric,
        rows: Points,
        memory: u128,
        monitor: Monitor,
    ) -> Result<Option<Self>> {
        Self::within(metric, [rows, rows], first_panel, memory, monitor)
    }

    /// The distances of every query to every row, on the same terms.
    pub(crate) fn between(
        metric: Metric,
        queries: Points,
        rows: Points,
        memory: u128,
        monitor: Monitor,
    ) -> Result<Option<Self>> {
        Self::within(metric, [queries, rows], |_| 0, memory, monitor)
    }

    fn within(
        metric: Metric,
        [rows, points]: [Points; 2],
        first_panel: impl Fn(usize) -> usize + Sync,
        memory: u128,
        monitor: Monitor,
    ) -> Result<Option<Self>> {
        let (query_groups, panels) = (rows.rows().div_ceil(QUERIES), points.rows().div_ceil(LANES));
        let tiles: u128 =
            (0..query_groups).map(|group| (panels - first_panel(group)) as u128).sum();
        if rows.columns() < WORTH_HOLDING || tiles * size_of::<Tile>() as u128 > memory {
            return Ok(None);
        }
        expect_room::<Tile>("the distances of all pairs of rows", tiles as usize)?;
        let panels: Panels = Panels::new(points);
        let tiles = |group: usize| {
            let queries: Queries = Queries::new(rows, group * QUERIES);
            let first = first_panel(group);
            let mut tiles = vec![[[0.0; LANES]; QUERIES]; panels.count() - first];
            lanes::dispatch(
                #[inline(always)]
                || {
                    for (i, tile) in tiles.iter_mut().enumerate() {
                        *tile = queries.distances(metric, &panels, first + i);
                    }
                },
            );
            tiles
        };
        let operations = QUERIES * points.rows() * panels.operations_a_pair();
        let at_once = items_at_once(operations, query_groups);
        let mut found = Vec::with_capacity(query_groups);
        while found.len() < query_groups {
            let first = found.len();
            report_progress(monitor, Stage::Kernel, first, query_groups)?;
            let count = at_once.min(query_groups - first);
            found.extend(parallel::map(count, |i| tiles(first + i)));
        }
        report_progress(monitor, Stage::Kernel, query_groups, query_groups)?;
        Ok(Some(Self { query_groups: found }))
    }

    /// The tiles of one group of four queries.
    #[inline(always)]
    pub(crate) fn group(&self, group: usize) -> &[Tile] {
        &self.query_groups[group]
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> u128 {
        self.query_groups.iter().map(|tiles| size_of_val(&tiles[..]) as u128).sum()
    }
}

/// The first panel of a group of four rows: that of its band's diagonal tile.
fn first_panel(group: usize) -> usize {
    group * QUERIES / BAND * BAND / LANES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::{DEFAULT_MEMORY, Gram, KernelProduct, ReusedBuffers};
    use crate::kernel::{Kernel, KernelKind};
    use crate::no_progress;

    #[test]
    fn a_matrix_from_tiles_is_the_matrix_from_rows_to_the_bit() {
        let d = WORTH_HOLDING;
        for (n, kind) in [(1, KernelKind::Sdo), (131, KernelKind::Product), (300, KernelKind::Sdo)]
        {
            let values: Vec<f64> = (0..n * d).map(|i| (i as f64 * 0.7548).fract()).collect();
            let rows = Points::new(&values, d).unwrap();
            let kernel = Kernel::new(&kind, d, 0.3).unwrap();
            let tiles = Tiles::among(kernel.metric(), rows, u128::MAX, &mut no_progress);
            let tiles = tiles.unwrap().unwrap();
            let vector: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
            for memory in [0, DEFAULT_MEMORY] {
                let reused = ReusedBuffers { distances: Some(&tiles), ..ReusedBuffers::default() };
                let from_tiles =
                    Gram::build(&kernel, rows, memory, reused, &mut no_progress).unwrap();
                let from_rows = Gram::new(&kernel, rows, memory).unwrap();
                let [mut product, mut expected] = [vec![0.0; n], vec![0.0; n]];
                from_tiles.multiply(&vector, &mut product);
                from_rows.multiply(&vector, &mut expected);
                assert_eq!(product, expected);
            }
        }
    }

    #[test]
    fn tiles_stay_within_their_memory() {
        let values = vec![0.5; 50 * WORTH_HOLDING];
        let rows = Points::new(&values, WORTH_HOLDING).unwrap();
        let queries = rows.part(0, 9);
        let between = |memory: u128| {
            Tiles::between(Metric::Manhattan, queries, rows, memory, &mut no_progress).unwrap()
        };
        let bytes = between(u128::MAX).unwrap().bytes();
        assert_eq!(bytes, 3 * 7 * 4 * 8 * 8);
        assert!(between(bytes).is_some());
        assert!(between(bytes - 1).is_none());
    }
}
