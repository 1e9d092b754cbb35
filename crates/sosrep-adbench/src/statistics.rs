//! Figures about figures: means, quantiles and ranks of what the methods reached.
//!
//! Everything here is a pure function of its arguments. Quantiles interpolate between neighbours as
//! NumPy does. A [`Scoreboard`] puts runs in order and says for each method where it has no result
//! and why.

mod cell;
mod condition;
mod scoreboard;

use sosrep_report::chart::Summary;

pub use cell::{Absence, Cell, Row};
pub use condition::{Condition, Measure};
pub use scoreboard::{Place, Scoreboard};

/// The mean; `None` of no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().sum();
    (!values.is_empty()).then(|| sum / values.len() as f64)
}

/// The standard deviation between values, by n − 1; `None` of fewer than two.
pub fn deviation(values: &[f64]) -> Option<f64> {
    let centre = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// The value below which a share of the others lie; `None` of no values or a share outside \[0, 1\].
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile_of_sorted(&sorted, share)
}

/// The middle value; `None` of no values.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// What a box of a box plot shows; `None` of no values.
pub fn summary(values: &[f64]) -> Option<Summary> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share| quantile_of_sorted(&sorted, share);
    Some(Summary {
        minimum: at(0.0)?,
        lower_quartile: at(0.25)?,
        median: at(0.5)?,
        upper_quartile: at(0.75)?,
        maximum: at(1.0)?,
        mean: mean(values)?,
    })
}

/// Ranks from 1 for the smallest to the number of values for the largest; equal values share the
/// mean of their ranks. What is missing is smaller than everything else and equal to what else is
/// missing, so that the ranks sum up to the same whoever is missing.
pub fn ranks(values: &[Option<f64>]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    // A missing value is `None`, which is less than any `Some`.
    let key = |i: &usize| values[*i].map(Total);
    order.sort_by_key(key);
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for equal in order.chunk_by(|a, b| key(a) == key(b)) {
        let rank = below as f64 + (equal.len() + 1) as f64 / 2.0;
        equal.iter().for_each(|&i| ranks[i] = rank);
        below += equal.len();
    }
    ranks
}

/// A number with the order of `f64::total_cmp`, except that both zeros are equal.
#[derive(Clone, Copy)]
struct Total(f64);

impl Ord for Total {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0 + 0.0).total_cmp(&(other.0 + 0.0))
    }
}

impl PartialOrd for Total {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Total {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Total {}

fn quantile_of_sorted(sorted: &[f64], share: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&share) {
        return None;
    }
    let position = share * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    Some(below + (above - below) * position.fract())
}

#[cfg(test)]
pub(crate) mod tests;
