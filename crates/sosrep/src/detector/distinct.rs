//! The distinct prepared rows a density is fitted to, and how they stand for the rows given.
//!
//! Rows of weight zero are left out, equal rows are merged into weights as [`Repeats`] says, and if
//! there are still too many, a weighted sample stands for them. Differs from the paper: it fits on
//! all rows.

use super::Preparation;
use super::keyed_rows::KeyedRows;
use super::near_copies::near_copies;
use super::repeats::{RepeatReport, Repeats, have_twins};
use crate::error::Result;
use crate::monitor::Monitor;
use crate::points::{Points, Weights};
use crate::reduce::{merge_equal_rows, row_keys, subset_by_keys};
use crate::source_columns::Layout;

/// Copies of a distinct row, on average, from which on a table is one of codes.
const COPIES_OF_A_CODE: f64 = 20.0;

/// Distinct rows with their weights.
pub(super) struct DistinctRows {
    values: Vec<f64>,
    columns: usize,
    /// For every row here an original row that it stands for.
    originals: Vec<usize>,
    /// For every row here the key of that row.
    keys: Vec<f64>,
    pub(super) weights: Weights,
    /// For every original row its row here, if it was not left out or sampled away.
    pub(super) row_of: Vec<Option<usize>>,
    /// For every original row the part that one copy of it has in its distinct row; 1 exactly for
    /// a row that is one copy and has no equal, or whose copies count once.
    pub(super) one_copy: Vec<f64>,
    /// What was done about repeated rows.
    pub(super) repeats: RepeatReport,
    /// Number of distinct rows before sampling.
    pub(super) distinct: usize,
    /// Number of copies that they count for.
    copies: f64,
}

impl DistinctRows {
    /// Prepares, merges and samples down to `most` rows.
    pub(super) fn new(
        points: Points,
        weights: &Weights,
        preparation: &Preparation,
        repeats: Repeats,
        most: usize,
        seed: u64,
    ) -> Result<Self> {
        let w = weights.as_slice();
        let positive: Vec<usize> = (0..w.len()).filter(|&i| w[i] > 0.0).collect();
        let columns = preparation.dimension();
        let mut prepared = preparation.apply(points)?;
        if positive.len() < w.len() {
            prepared = Points::new_unchecked(&prepared, columns).select(&positive);
        }
        let kept_weights = Weights::new(&positive.iter().map(|&i| w[i]).collect::<Vec<_>>())?;
        let merged = merge_equal_rows(Points::new_unchecked(&prepared, columns), &kept_weights)?;
        drop(prepared);
        let all = Points::new_unchecked(&merged.values, columns);
        let groups = Groups::new(&positive, &merged.group_of, all.rows(), weights);
        let once = groups.counted_once(points, &preparation.layout, weights, repeats);
        let originals = points.select(&groups.original);
        let originals = Points::new_unchecked(&originals, points.columns());
        let shares = groups.weights(merged.weights, &once)?;
        let sample = subset_by_keys(&row_keys(originals, seed), &shares, most)?;
        let mut place = vec![None; all.rows()];
        for (new, &old) in sample.indices.iter().enumerate() {
            place[old] = Some(new);
        }
        let mut row_of = vec![None; w.len()];
        let mut one_copy = vec![1.0; w.len()];
        for (&row, &group) in positive.iter().zip(&merged.group_of) {
            row_of[row] = place[group];
            if !once[group] {
                one_copy[row] = weights.one_copy_of(row) / groups.held[group];
            }
        }
        let values = all.select(&sample.indices);
        let keys = KeyedRows::keys_of(originals);
        let keys: Vec<f64> = sample.indices.iter().map(|&group| keys[group]).collect();
        Ok(Self {
            values,
            columns,
            originals: sample.indices.iter().map(|&group| groups.original[group]).collect(),
            keys,
            weights: sample.weights,
            row_of,
            one_copy,
            repeats: RepeatReport {
                policy: repeats,
                repeated: groups.repeated().count(),
                counted_once: once.iter().filter(|once| **once).count(),
                near_copies: 0,
            },
            distinct: all.rows(),
            copies: weights.copies() * groups.shares(&once).iter().sum::<f64>(),
        })
    }

    /// Lets rows that are copies but for a little noise count once together.
    pub(super) fn count_near_copies_once(&mut self, monitor: Monitor) -> Result<()> {
        if let Some(copies) = near_copies(&self.keyed(), monitor)? {
            (self.weights, self.repeats.near_copies) = (copies.weights, copies.rows);
        }
        Ok(())
    }

    /// Whether the table is one of codes, with at least [`COPIES_OF_A_CODE`] copies of a distinct row on
    /// average. How usual a row is is then how often it occurs: there is no core to be found, and the
    /// count of every row counts.
    pub(super) fn are_counts_of_codes(&self) -> bool {
        self.copies >= COPIES_OF_A_CODE * self.distinct as f64
    }

    /// An original row for each of some rows here, one after another.
    pub(super) fn originals(&self, points: Points, indices: &[usize]) -> Vec<f64> {
        points.select(&indices.iter().map(|&i| self.originals[i]).collect::<Vec<_>>())
    }

    /// The same rows in another preparation of the same columns.
    pub(super) fn prepare_again(
        &mut self,
        points: Points,
        preparation: &Preparation,
    ) -> Result<()> {
        let originals = points.select(&self.originals);
        self.values = preparation.apply(Points::new_unchecked(&originals, points.columns()))?;
        Ok(())
    }

    pub(super) fn points(&self) -> Points<'_> {
        Points::new_unchecked(&self.values, self.columns)
    }

    /// The rows with their keys.
    pub(super) fn keyed(&self) -> KeyedRows<'_> {
        KeyedRows { points: self.points(), weights: &self.weights, keys: &self.keys }
    }
}

/// Equal rows, group by group.
struct Groups {
    /// An original row of each.
    original: Vec<usize>,
    /// The weight of each, without the rounding of scaling it to sum to one again.
    held: Vec<f64>,
    /// The largest share of one copy among the rows of each.
    one_copy: Vec<f64>,
}

impl Groups {
    fn new(rows: &[usize], group_of: &[usize], count: usize, weights: &Weights) -> Self {
        let mut groups =
            Self { original: vec![0; count], held: vec![0.0; count], one_copy: vec![0.0; count] };
        for (&row, &group) in rows.iter().zip(group_of) {
            groups.original[group] = row;
            groups.held[group] += weights.as_slice()[row];
            groups.one_copy[group] = groups.one_copy[group].max(weights.one_copy_of(row));
        }
        groups
    }

    /// The groups that hold more than one copy.
    fn repeated(&self) -> impl Iterator<Item = usize> {
        let rounding = 1.0 + 1e-9;
        (0..self.held.len()).filter(move |&g| self.held[g] > rounding * self.one_copy[g])
    }

    /// For every group whether it counts once, though it occurs more often.
    fn counted_once(
        &self,
        points: Points,
        layout: &Layout,
        weights: &Weights,
        repeats: Repeats,
    ) -> Vec<bool> {
        let mut once = vec![false; self.held.len()];
        let repeated: Vec<usize> = self.repeated().collect();
        if repeats == Repeats::Keep || repeated.is_empty() {
            return once;
        }
        if repeats == Repeats::Once {
            repeated.iter().for_each(|&group| once[group] = true);
        } else if weights.are_counts() {
            let rows = points.select(&self.original);
            let rows = Points::new_unchecked(&rows, points.columns());
            for (&group, twin) in repeated.iter().zip(have_twins(rows, layout, &repeated)) {
                once[group] = !twin;
            }
        }
        once
    }

    /// The weights of the groups, a single copy's for those that count once, not summing to one.
    fn shares(&self, once: &[bool]) -> Vec<f64> {
        let share = |g: usize| if once[g] { self.one_copy[g] } else { self.held[g] };
        (0..once.len()).map(share).collect()
    }

    /// The same, scaled to sum to one.
    fn weights(&self, merged: Weights, once: &[bool]) -> Result<Weights> {
        if !once.contains(&true) {
            return Ok(merged);
        }
        let shares = self.shares(once);
        let copies = merged.copies() * shares.iter().sum::<f64>();
        Ok(Weights::new(&shares)?.with_copies(copies.max(1.0)))
    }
}
