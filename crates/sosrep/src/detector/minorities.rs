//! Large groups outside the core whose rows are as close to each other as those of the core.
//!
//! ```text
//! r      upper quartile, over rows of the core, of the distance to the 12th nearest row of the core
//! groups rows outside the core, linked where they are at most r apart
//! back   groups that hold at least an eighth of all weight
//! ```
//!
//! The core is the densest half of the rows. A group that is hardly less dense may be left out of it as
//! a whole, and all of it would be flagged: so large a group is a minority of the table, not anomalies.
//! A group that is several times less dense than the core is not linked, and stays outside.
//!
//! Distances are measured within a sample of 3000 rows where there are more; a row that is not in it
//! goes with its nearest sampled row, if that is within r.
//!
//! Cost: at most 3000 n distances. Differs from the paper: not in it.

use super::links::Links;
use super::rough_density::Sample;
use crate::lanes::{self, LANES};
use crate::panels::{Metric, Panels, QUERIES, Queries};
use crate::parallel;
use crate::points::{Points, Weights};

/// The neighbour of a row of the core whose distance counts.
const NEIGHBOUR: usize = 12;
/// The quantile of that distance up to which rows are linked.
const QUANTILE: f64 = 0.75;
/// The least weight of a group that comes back.
const LEAST: f64 = 0.125;
/// Most rows that distances are measured within.
const SAMPLED: usize = 3000;
/// Most rows of the core whose neighbours are sought.
const NEIGHBOURHOODS: usize = 300;

/// The rows that come back; the core are indices of rows, ascending.
pub(super) fn minorities(
    core: &[usize],
    points: Points,
    weights: &Weights,
    metric: Metric,
) -> Vec<usize> {
    let w = weights.as_slice();
    let sample = Sample::new(points, w, SAMPLED);
    let is_core = |i: &usize| core.binary_search(i).is_ok();
    let inside: Vec<usize> = sample.indices.iter().copied().filter(is_core).collect();
    let (outside, shares): (Vec<usize>, Vec<f64>) =
        sample.indices.into_iter().zip(sample.shares).filter(|(row, _)| !is_core(row)).unzip();
    let Some(reach) = reach(&inside, points, metric) else { return Vec::new() };
    if outside.is_empty() {
        return Vec::new();
    }
    let panels = panels(&outside, points);

    let near = with_distances(&outside, points, &panels, metric, |a, distances| {
        (0..a).filter(|&b| distances[b] <= reach).collect::<Vec<usize>>()
    });
    let mut links = Links::new(outside.len());
    for (a, others) in near.into_iter().enumerate() {
        others.into_iter().for_each(|b| links.link(a, b));
    }
    let roots = links.roots();
    // The sample is even: where no group has half of the weight in it, none has all of it outside.
    let mut held = vec![0.0; outside.len()];
    roots.iter().zip(&shares).for_each(|(&root, share)| held[root] += share);
    if held.iter().all(|held| *held < LEAST / 2.0) {
        return Vec::new();
    }

    let others: Vec<usize> = (0..w.len()).filter(|i| !is_core(i)).collect();
    let group_of = with_distances(&others, points, &panels, metric, |k, distances| {
        if let Ok(place) = outside.binary_search(&others[k]) {
            return Some(roots[place]);
        }
        let nearest = distances.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1))?;
        (*nearest.1 <= reach).then(|| roots[nearest.0])
    });
    let mut held = vec![0.0; outside.len()];
    for (&row, group) in others.iter().zip(&group_of) {
        group.iter().for_each(|&group| held[group] += w[row]);
    }
    // Tolerance for rounding: the weights sum to one only up to it.
    let comes_back = |group: &usize| held[*group] >= LEAST - 1e-12;
    let rows = others.into_iter().zip(group_of);
    rows.filter(|(_, group)| group.as_ref().is_some_and(comes_back)).map(|(row, _)| row).collect()
}

/// r; `None` for a core of one row.
fn reach(core: &[usize], points: Points, metric: Metric) -> Option<f64> {
    let neighbour = NEIGHBOUR.min(core.len().checked_sub(1)?).checked_sub(1)?;
    let some: Vec<usize> =
        core.iter().copied().step_by(core.len().div_ceil(NEIGHBOURHOODS)).collect();
    let mut reaches =
        with_distances(&some, points, &panels(core, points), metric, |k, distances| {
            let others = core.iter().zip(distances).filter(|(row, _)| **row != some[k]);
            let mut distances: Vec<f64> = others.map(|(_, distance)| *distance).collect();
            *distances.select_nth_unstable_by(neighbour, f64::total_cmp).1
        });
    reaches.sort_by(f64::total_cmp);
    Some(reaches[(reaches.len() as f64 * QUANTILE) as usize])
}

fn panels(rows: &[usize], points: Points) -> Panels {
    Panels::new(Points::new_unchecked(&points.select(rows), points.columns()))
}

/// What `f` makes of the place of each of these rows and its distances to the points of the panels.
fn with_distances<R: Send>(
    rows: &[usize],
    points: Points,
    panels: &Panels,
    metric: Metric,
    f: impl Fn(usize, &[f64]) -> R + Sync + Send,
) -> Vec<R> {
    let parts = parallel::map(rows.len().div_ceil(QUERIES), |part| {
        let first = part * QUERIES;
        let rows = &rows[first..rows.len().min(first + QUERIES)];
        let values = points.select(rows);
        let queries: Queries = Queries::new(Points::new_unchecked(&values, points.columns()), 0);
        let of_row = panels.count() * LANES;
        let mut distances = vec![0.0; QUERIES * of_row];
        lanes::dispatch(
            #[inline(always)]
            || {
                for p in 0..panels.count() {
                    let tile = queries.distances(metric, panels, p);
                    for (row, found) in distances.chunks_exact_mut(of_row).zip(&tile) {
                        row[p * LANES..][..LANES].copy_from_slice(found);
                    }
                }
            },
        );
        let each = (first..first + rows.len()).zip(distances.chunks_exact(of_row));
        each.map(|(place, distances)| f(place, &distances[..panels.rows()])).collect::<Vec<R>>()
    });
    parts.into_iter().flatten().collect()
}
