//! Equal rows merged into one, with the sum of their weights.
//!
//! Exact, since a weight of k is k copies of a row. Cost: n·d.
//!
//! Differs from the paper: it fits on all rows.

use std::collections::{HashMap, hash_map::Entry};
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use crate::error::Result;
use crate::parallel;
use crate::points::{Points, Weights};

/// The distinct rows of a table, in the order of their first occurrence.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Merged {
    /// The rows, one after another; −0 is written as 0.
    pub values: Vec<f64>,
    /// Sum of the weights of the rows merged into each; they stand for as many copies as before.
    pub weights: Weights,
    /// Number of rows merged into each.
    pub counts: Vec<usize>,
    /// For each row of the table, its place among the distinct ones.
    pub group_of: Vec<usize>,
}

/// Merges rows that agree in every value (−0 = 0) and adds their weights.
///
/// # Errors
/// [`Error::WrongLength`](crate::Error::WrongLength) unless there is one weight per row.
pub fn merge_equal_rows(points: Points, weights: &Weights) -> Result<Merged> {
    weights.expect_rows(points)?;
    // Hashing reads the whole table, so all threads do.
    let hasher = RandomState::new();
    let keys = parallel::map(points.rows(), |i| RowKey::new(points.row(i), &hasher));
    let mut places: HashMap<RowKey, usize> = HashMap::new();
    let mut merged = Merged {
        values: Vec::new(),
        weights: weights.clone(),
        counts: Vec::new(),
        group_of: Vec::with_capacity(points.rows()),
    };
    let mut sums = Vec::new();
    for (key, weight) in keys.into_iter().zip(weights.as_slice()) {
        let place = match places.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                merged.values.extend(new.key().row.iter().map(|value| value + 0.0));
                merged.counts.push(0);
                sums.push(0.0);
                *new.insert(sums.len() - 1)
            }
        };
        merged.counts[place] += 1;
        sums[place] += weight;
        merged.group_of.push(place);
    }
    // Without repeated rows the weights stay as they are, to the bit.
    if sums.len() < points.rows() {
        merged.weights = Weights::new(&sums)?.with_copies(weights.copies());
    }
    Ok(merged)
}

/// A row of finite numbers as a key: equal if all values are, −0 and 0 included.
struct RowKey<'a> {
    row: &'a [f64],
    hash: u64,
}

impl<'a> RowKey<'a> {
    fn new(row: &'a [f64], hasher: &RandomState) -> Self {
        let mut state = hasher.build_hasher();
        row.iter().for_each(|value| state.write_u64((value + 0.0).to_bits()));
        Self { row, hash: state.finish() }
    }
}

impl PartialEq for RowKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.row == other.row
    }
}

impl Eq for RowKey<'_> {}

impl Hash for RowKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn equal_rows_merge_with_their_weights_and_counts() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(10);
        let values: Vec<f64> = (0..600).map(|_| f64::from(rng.random_range(0..4))).collect();
        let points = Points::new(&values, 3).unwrap();
        let raw: Vec<f64> = (0..200).map(|_| rng.random::<f64>()).collect();
        let weights = Weights::new(&raw).unwrap();
        let merged = merge_equal_rows(points, &weights).unwrap();
        let distinct = Points::new(&merged.values, 3).unwrap();
        let mut seen = 0;
        for (i, row) in points.iter().enumerate() {
            assert_eq!(distinct.row(merged.group_of[i]), row);
            // First occurrences come in order.
            assert!(merged.group_of[i] <= seen);
            seen += usize::from(merged.group_of[i] == seen);
        }
        assert_eq!(seen, distinct.rows());
        assert!(seen <= 4 * 4 * 4);
        for (group, row) in distinct.iter().enumerate() {
            let members: Vec<usize> = (0..200).filter(|&i| points.row(i) == row).collect();
            assert_eq!(merged.counts[group], members.len());
            let weight: f64 = members.iter().map(|&i| weights.as_slice()[i]).sum();
            assert!((merged.weights.as_slice()[group] - weight).abs() < 1e-14);
        }
        assert_eq!(merged.weights.copies(), weights.copies());
        assert!((merged.weights.as_slice().iter().sum::<f64>() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn minus_zero_is_zero_and_distinct_rows_stay_as_they_are() {
        let points = Points::new(&[-0.0, 1.0, 0.0, 1.0], 2).unwrap();
        let merged = merge_equal_rows(points, &Weights::equal(2)).unwrap();
        assert_eq!((merged.counts, merged.group_of), (vec![2], vec![0, 0]));
        assert!(merged.values[0].is_sign_positive());

        let values: Vec<f64> = (0..200).map(|i| (f64::from(i) * 0.754_877).fract()).collect();
        let weights: Vec<f64> = (1..=100).map(f64::from).collect();
        let weights = Weights::new(&weights).unwrap();
        let merged = merge_equal_rows(Points::new(&values, 2).unwrap(), &weights).unwrap();
        assert_eq!((merged.values, merged.weights), (values, weights));
    }

    #[test]
    fn one_weight_per_row_is_asked_for() {
        assert!(matches!(
            merge_equal_rows(Points::new(&[1.0, 2.0], 1).unwrap(), &Weights::equal(3)),
            Err(Error::WrongLength { expected: 2, found: 3, .. })
        ));
    }
}
