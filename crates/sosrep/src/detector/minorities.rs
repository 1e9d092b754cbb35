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
//! Distances are measured within a sample of 10 000 rows where there are more; a row that is not in it
//! goes with its nearest sampled row, if that is within r.
//!
//! Cost: at most 10 000 n distances. Differs from the paper: not in it.

use super::distances::DistancesTo;
use super::keyed_rows::KeyedRows;
use super::links::Links;
use crate::error::Result;
use crate::monitor::Monitor;
use crate::panels::Metric;

/// The neighbour of a row of the core whose distance counts.
const NEIGHBOUR: usize = 12;
/// The quantile of that distance up to which rows are linked.
const QUANTILE: f64 = 0.75;
/// The least weight of a group that comes back.
const LEAST: f64 = 0.125;
/// Most rows that distances are measured within.
const SAMPLED: usize = 10_000;
/// Most rows of the core whose neighbours are sought.
const NEIGHBOURHOODS: usize = 300;

/// The rows that come back; the core are indices of rows, ascending.
pub(super) fn minorities(
    core: &[usize],
    rows: &KeyedRows,
    metric: Metric,
    monitor: Monitor,
) -> Result<Vec<usize>> {
    let (points, w) = (rows.points, rows.weights.as_slice());
    let sample = rows.sample(SAMPLED)?;
    let is_core = |i: &usize| core.binary_search(i).is_ok();
    let inside: Vec<usize> = sample.indices.iter().copied().filter(is_core).collect();
    let sampled = sample.indices.iter().zip(sample.weights.as_slice());
    let (outside, shares): (Vec<usize>, Vec<f64>) =
        sampled.filter(|(row, _)| !is_core(row)).unzip();
    let Some(reach) = reach(&inside, rows, metric, monitor)? else { return Ok(Vec::new()) };
    if outside.is_empty() {
        return Ok(Vec::new());
    }
    let to_outside = DistancesTo::new(&outside, points, metric);
    let near = to_outside.of_each(&outside, monitor, |a, distances| {
        (0..a).filter(|&b| distances[b] <= reach).collect::<Vec<usize>>()
    })?;
    let mut links = Links::new(outside.len());
    for (a, others) in near.into_iter().enumerate() {
        others.into_iter().for_each(|b| links.link(a, b));
    }
    let roots = links.roots();
    // The sample is even: where no group has half of the weight in it, none has all of it outside.
    let mut held = vec![0.0; outside.len()];
    roots.iter().zip(&shares).for_each(|(&root, share)| held[root] += share);
    if held.iter().all(|held| *held < LEAST / 2.0) {
        return Ok(Vec::new());
    }

    let is_sampled = |i: &usize| outside.binary_search(i).is_ok();
    let others: Vec<usize> = (0..w.len()).filter(|i| !is_core(i) && !is_sampled(i)).collect();
    let group_of_others = to_outside.of_each(&others, monitor, |_, distances| {
        let nearest = distances.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1))?;
        (*nearest.1 <= reach).then(|| roots[nearest.0])
    })?;
    let others = others.into_iter().zip(group_of_others);
    let others = others.filter_map(|(row, group)| Some((row, group?)));
    let grouped: Vec<(usize, usize)> = outside.iter().copied().zip(roots).chain(others).collect();
    let mut held = vec![0.0; outside.len()];
    grouped.iter().for_each(|&(row, group)| held[group] += w[row]);
    // Tolerance for rounding: the weights sum to one only up to it.
    let back = grouped.iter().filter(|(_, group)| held[*group] >= LEAST - 1e-12);
    Ok(back.map(|(row, _)| *row).collect())
}

/// r; `None` for a core of one row.
fn reach(
    core: &[usize],
    rows: &KeyedRows,
    metric: Metric,
    monitor: Monitor,
) -> Result<Option<f64>> {
    let neighbour = NEIGHBOUR.min(core.len().saturating_sub(1));
    if neighbour == 0 {
        return Ok(None);
    }
    let some = rows.first_of(core, NEIGHBOURHOODS);
    let to_core = DistancesTo::new(core, rows.points, metric);
    let mut reaches = to_core.of_each(&some, monitor, |k, distances| {
        let others = core.iter().zip(distances).filter(|(row, _)| **row != some[k]);
        let mut distances: Vec<f64> = others.map(|(_, distance)| *distance).collect();
        *distances.select_nth_unstable_by(neighbour - 1, f64::total_cmp).1
    })?;
    reaches.sort_by(f64::total_cmp);
    Ok(Some(reaches[(reaches.len() as f64 * QUANTILE) as usize]))
}
