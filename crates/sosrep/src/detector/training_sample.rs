//! The rows that a fit is based on: distinct, in one order, each with how often it occurs.
//!
//! Sums are rounded, so that their order matters in the last bit. Here, and only here, the order of rows
//! is left behind: whatever follows is computed from distinct rows in ascending order, column
//! by column. So a model is a function of the rows as a multiset. A table of more distinct rows than
//! [`row_sample`](DetectorParams::row_sample) holds is represented by a sample of them, the same whether
//! it is in memory, read in portions, or lies in parts on several machines, see [`DistinctSample`].
//!
//! Cost: n hashes and m·log m comparisons of m distinct rows. Differs from the paper: not in it.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::{Assessment, Detector, DetectorParams};
use crate::error::{Error, Result};
use crate::monitor::Monitor;
use crate::parallel;
use crate::points::{Points, Weights};
use crate::reduce::{Copies, DistinctSample, RowCopies, key_of_numbers, most_training_rows};

/// Rows that stand for a table, each with how often it counts; equal rows may be there several times.
#[derive(Debug, Clone, Copy)]
pub struct TrainingSample<'a> {
    /// The rows.
    pub points: Points<'a>,
    /// How often each counts.
    pub copies: &'a [RowCopies],
    /// Rows of the table that have a weight.
    pub table_rows: usize,
}

/// Distinct rows, ascending.
pub(super) struct TrainingRows {
    values: Vec<f64>,
    columns: usize,
    pub(super) weights: Weights,
    /// Rows of the table.
    pub(super) table_rows: usize,
    /// Rows of the table that these stand for one by one.
    pub(super) sampled_rows: usize,
    /// Where every row of the table stands among these, if they are all of them; none for rows of no weight.
    places: Option<Vec<Option<usize>>>,
}

impl DetectorParams {
    /// An empty sample of the size that a fit to this many columns is based on, for callers that
    /// sample a table while they read it.
    pub fn row_sample(&self, columns: usize) -> DistinctSample {
        DistinctSample::new(most_training_rows(self.density.memory, columns), self.density.seed)
    }

    /// What a fit to these rows is based on.
    pub(super) fn training_rows(
        &self,
        points: Points,
        weights: Option<&Weights>,
    ) -> Result<TrainingRows> {
        if let Some(weights) = weights {
            weights.expect_rows(points)?;
        }
        let mut sample = self.row_sample(points.columns());
        let size = sample.size();
        if points.rows() <= size {
            return TrainingRows::whole(points, weights);
        }
        let keys =
            parallel::map(points.rows(), |i| key_of_numbers(self.density.seed, points.row(i)));
        loop {
            for (i, (row, key)) in points.iter().zip(&keys).enumerate() {
                let weight = weights.map_or(1.0, |weights| weights.given(i));
                sample.offer_keyed_row(row, *key, weight);
            }
            match sample.next_pass(size) {
                Some(next) => sample = next,
                None => break,
            }
        }
        let table = sample.table();
        let (values, table_rows) = (table.values(points.columns())?, table.rows as usize);
        let points = Points::new_unchecked(&values, points.columns());
        TrainingRows::new(&TrainingSample { points, copies: &table.copies, table_rows })
    }
}

impl TrainingRows {
    /// Merges equal rows and puts them in order.
    pub(super) fn new(sample: &TrainingSample) -> Result<Self> {
        let TrainingSample { points, copies, table_rows } = *sample;
        if copies.len() != points.rows() {
            let (expected, found) = (points.rows(), copies.len());
            return Err(Error::WrongLength { what: "copies of rows", expected, found });
        }
        let weight = |i: usize| copies[i].weight;
        let sampled_rows = copies.iter().map(|copies| copies.rows).sum();
        Ok(Self { places: None, ..Self::merged(points, weight, table_rows, sampled_rows)? })
    }

    /// All rows of a table that have a weight: what a sample would hold that has room for them.
    fn whole(points: Points, weights: Option<&Weights>) -> Result<Self> {
        let weight = |i: usize| weights.map_or(1.0, |weights| weights.given(i));
        let rows = (0..points.rows()).filter(|&i| weight(i) > 0.0).count();
        Self::merged(points, weight, rows, rows as u64)
    }

    fn merged(
        points: Points,
        weight: impl Fn(usize) -> f64,
        table_rows: usize,
        sampled_rows: u64,
    ) -> Result<Self> {
        // The first column decides most comparisons, and lies beside the row's number.
        let counted = (0..points.rows()).filter(|&i| weight(i) > 0.0);
        let mut order: Vec<(f64, usize)> = counted.map(|i| (points.row(i)[0] + 0.0, i)).collect();
        parallel::sort_unstable_by(&mut order, |(a, i), (b, j)| {
            a.total_cmp(b).then_with(|| ascending(points.row(*i), points.row(*j)))
        });
        let mut values = Vec::with_capacity(order.len() * points.columns());
        let (mut sums, mut places) = (Vec::new(), vec![None; points.rows()]);
        for equal in order.chunk_by(|(_, i), (_, j)| points.row(*i) == points.row(*j)) {
            values.extend(points.row(equal[0].1).iter().map(|value| value + 0.0));
            let mut sum = Copies::default();
            for &(_, i) in equal {
                sum.add(weight(i));
                places[i] = Some(sums.len());
            }
            sums.push(sum.weight());
        }
        let weights = Weights::new(&sums)?.of_rows(sampled_rows);
        let sampled_rows = (sampled_rows as usize).min(table_rows);
        let columns = points.columns();
        Ok(Self { values, columns, weights, table_rows, sampled_rows, places: Some(places) })
    }

    pub(super) fn points(&self) -> Points<'_> {
        Points::new_unchecked(&self.values, self.columns)
    }

    /// Where every row stands among these, if it does.
    fn places_of(&self, rows: Points) -> Vec<Option<usize>> {
        let here = self.points();
        let place_of: HashMap<u64, usize, BuildHasherDefault<KeyHasher>> =
            (0..here.rows()).map(|place| (key_of_numbers(SEED, here.row(place)), place)).collect();
        parallel::map(rows.rows(), |i| {
            let place = place_of.get(&key_of_numbers(SEED, rows.row(i))).copied();
            place.filter(|&place| here.row(place) == rows.row(i))
        })
    }
}

/// Of the keys by which rows are found: any will do.
const SEED: u64 = 0;

/// Takes keys of rows, which are spread evenly, as they are.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// The order of two rows, column by column; −0 is 0.
fn ascending(a: &[f64], b: &[f64]) -> Ordering {
    let different = a.iter().zip(b).find(|(a, b)| a != b);
    different.map_or(Ordering::Equal, |(a, b)| a.total_cmp(b))
}

impl Detector {
    /// The same detector, whose training assessment is that of a table: a row equal to one of those
    /// it was fitted to is assessed as that one was, and all others, and those of no weight, as new ones.
    pub(super) fn assessing(
        mut self,
        rows: &TrainingRows,
        points: Points,
        weights: Option<&Weights>,
        monitor: Monitor,
    ) -> Result<Self> {
        points.expect_columns(rows.columns)?;
        let has_weight = |i: usize| weights.is_none_or(|weights| weights.given(i) > 0.0);
        let mut places = match &rows.places {
            Some(places) => Cow::Borrowed(places),
            None => Cow::Owned(rows.places_of(points)),
        };
        if let Some(none) = (0..places.len()).find(|&i| places[i].is_some() && !has_weight(i)) {
            let rest = places.to_mut().iter_mut().enumerate().skip(none);
            rest.filter(|(i, _)| !has_weight(*i)).for_each(|(_, place)| *place = None);
        }
        let new: Vec<usize> = (0..places.len()).filter(|&i| places[i].is_none()).collect();
        let values = points.select(&new);
        let scores = match new.is_empty() {
            true => Vec::new(),
            false => {
                let new = Points::new_unchecked(&values, points.columns());
                self.scorer.anomaly_score_monitored(new, monitor)?
            }
        };
        let fitted = self.training.take().unwrap_or_default();
        let (new, mut next, mut all) = (self.assessment_of(scores), 0.., Assessment::default());
        for place in places.iter() {
            let (part, i) = match place {
                Some(i) => (&fitted, *i),
                None => (&new, next.next().unwrap_or(0)),
            };
            all.scores.push(part.scores[i]);
            all.p_values.push(part.p_values[i]);
            all.is_anomaly.push(part.is_anomaly[i]);
        }
        self.training = Some(all);
        Ok(self)
    }
}
