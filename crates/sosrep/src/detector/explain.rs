//! Reasons: how much each column adds to a row's anomaly score.
//!
//! ```text
//! Σ_j c_j = s(x) − s(x°)        x° the most similar typical training row
//! c_j = mean over permutations π of  s(x° with x in the columns up to j in π) − s(… before j)
//! ```
//!
//! The columns of the typical row are replaced by those of the explained row one at a time, and each
//! is attributed the change of score it causes (Shapley values by sampled permutations; these come
//! in pairs, one the reverse of the other). Each permutation ends at x, so the sum is exact whatever
//! their number. A column may count against the anomaly: c_j < 0.
//!
//! Cost: d kernel sums of n terms a permutation, since a column moves every coordinate: at most eight of
//! them a row, two where there are many columns. Depends on the row, the model and its seed only.
//!
//! Differs from the paper: not in it.

use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::Detector;
use crate::error::Result;
use crate::panels::Metric;
use crate::parallel;
use crate::points::Points;
use crate::random::generator;

/// Pairs of permutations of opposite order that are averaged, at most.
const PAIRS: usize = 4;

/// Columns up to which there are so many; of more, as many fewer as makes up for their sums.
const COLUMNS: usize = 64;

/// Why a row has its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The row's anomaly score s(x).
    pub score: f64,
    /// The score s(x°) of the reference row.
    pub reference_score: f64,
    /// The most similar typical row, in the units of the input.
    pub reference: Vec<f64>,
    /// One signed contribution per source column; they add up to `score` − `reference_score`.
    pub contributions: Vec<f64>,
}

impl Explanation {
    /// Columns by their signed contribution, largest first.
    pub fn ranking(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.contributions.len()).collect();
        order.sort_by(|&i, &j| self.contributions[j].total_cmp(&self.contributions[i]));
        order
    }
}

/// The two ends of every permutation: a typical row and the explained one, departures from constants
/// aside.
struct Ends<'a> {
    from: &'a [f64],
    from_score: f64,
    to: &'a [f64],
    to_score: f64,
}

impl Detector {
    /// The reasons for every row's score.
    ///
    /// # Errors
    /// [`Error::WrongColumns`](crate::Error::WrongColumns).
    pub fn explain(&self, points: Points) -> Result<Vec<Explanation>> {
        let scores = self.anomaly_score(points)?;
        let orders = self.orders();
        let explain = |i: usize| self.explain_row(points.row(i), scores[i], &orders);
        Ok(parallel::map(points.rows(), explain))
    }

    fn explain_row(&self, x: &[f64], score: f64, orders: &[Vec<usize>]) -> Explanation {
        let mut prepared = vec![0.0; self.scorer.preparation.dimension()];
        self.scorer.preparation.apply_row(x, &mut prepared);
        let typical = self.nearest_typical(&prepared);
        let reference = self.scorer.preparation.restore(typical);
        let departures = self.scorer.preparation.departures(x).len() as f64;
        let reference_score = self.scores_of_prepared(typical)[0];
        let ends = Ends {
            from: &reference,
            from_score: reference_score,
            to: x,
            to_score: score - departures * self.scorer.departure_cost(),
        };
        let columns = self.scorer.preparation.source_columns().len();
        let mut contributions = vec![0.0; columns];
        for order in orders {
            self.add_permutation(&ends, order, &mut contributions);
        }
        contributions.iter_mut().for_each(|c| *c /= orders.len() as f64);
        // A constant column contributes the same in every permutation.
        for column in self.scorer.preparation.departures(x) {
            contributions[column] += self.scorer.departure_cost();
        }
        Explanation { score, reference_score, reference, contributions }
    }

    /// Adds the changes of score along one order of columns. Both ends are known exactly, so that
    /// the rounding of the steps between them cancels in the sum.
    fn add_permutation(&self, ends: &Ends, order: &[usize], contributions: &mut [f64]) {
        let preparation = &self.scorer.preparation;
        let moving: Vec<usize> =
            order.iter().copied().filter(|&column| preparation.varies(column)).collect();
        let Some((&last, others)) = moving.split_last() else { return };
        let mut row = ends.from.to_vec();
        let mut prepared = vec![0.0; others.len() * preparation.dimension()];
        for (&column, prepared) in
            others.iter().zip(prepared.chunks_exact_mut(preparation.dimension()))
        {
            let features = preparation.layout.range(column);
            row[features.clone()].copy_from_slice(&ends.to[features]);
            preparation.apply_row(&row, prepared);
        }
        let mut before = ends.from_score;
        let after = self.scores_of_prepared(&prepared).into_iter().chain([ends.to_score]);
        for (&column, after) in others.iter().chain([&last]).zip(after) {
            contributions[column] += after - before;
            before = after;
        }
    }

    /// −log f² of prepared rows, one after another.
    fn scores_of_prepared(&self, prepared: &[f64]) -> Vec<f64> {
        if prepared.is_empty() {
            return Vec::new();
        }
        let rows = Points::new_unchecked(prepared, self.scorer.preparation.dimension());
        let found = self.scorer.density.log_pre_density_for_scores(rows);
        found.expect("rows of its dimension").into_iter().map(|log| -log).collect()
    }

    fn nearest_typical(&self, prepared: &[f64]) -> &[f64] {
        let metric = self
            .scorer
            .density
            .kernel_form()
            .map_or(Metric::SquaredEuclidean, |f| f.kernel().metric());
        self.typical
            .chunks_exact(prepared.len())
            .min_by(|a, b| metric.distance(a, prepared).total_cmp(&metric.distance(b, prepared)))
            .expect("at least one typical row, checked when built")
    }

    /// The permutations of the columns: the same for every row.
    fn orders(&self) -> Vec<Vec<usize>> {
        let columns = self.scorer.preparation.source_columns().len();
        let mut rng = generator(self.seed);
        let pairs = PAIRS * COLUMNS * COLUMNS / (columns * columns).max(1);
        (0..pairs.clamp(1, PAIRS))
            .flat_map(|_| {
                let mut order: Vec<usize> = (0..columns).collect();
                order.shuffle(&mut rng);
                let reverse = order.iter().rev().copied().collect();
                [order, reverse]
            })
            .collect()
    }
}
