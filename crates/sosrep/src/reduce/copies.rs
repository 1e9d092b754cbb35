//! How many rows are equal to one row, and the sum of their weights, to the last bit whatever their order.
//!
//! A sum of weights is held as parts whose exact sum it is, none of which overlap (Shewchuk, "Adaptive
//! precision floating-point arithmetic", 1997), and rounded once. Rows of weight one are counted.
//!
//! Cost: an addition a row of weight one, and for others one a part, of which there are one or two most
//! often. Numerics: a sum beyond the largest number is that number.

use serde::{Deserialize, Serialize};

/// More parts than the exponents of numbers have room for.
const MOST_PARTS: usize = 64;

/// The rows that are equal to one row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Copies {
    /// How many they are.
    rows: u64,
    /// Those of weight 1.
    units: u64,
    /// The weights of the others: parts of a sum, in order of magnitude.
    parts: Vec<f64>,
}

impl Copies {
    pub(crate) fn add(&mut self, weight: f64) {
        self.rows += 1;
        if weight == 1.0 { self.units += 1 } else { add(&mut self.parts, weight) }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.rows = self.rows.saturating_add(other.rows);
        self.units = self.units.saturating_add(other.units);
        other.parts.iter().for_each(|part| add(&mut self.parts, *part));
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// The sum of their weights, rounded once.
    pub(crate) fn weight(&self) -> f64 {
        if self.parts.is_empty() {
            return self.units as f64;
        }
        let mut parts = self.parts.clone();
        add(&mut parts, self.units as f64);
        rounded(&parts)
    }

    /// Whether it could be what adding rows gives.
    pub(super) fn is_valid(&self) -> bool {
        let parts = self.parts.len() <= MOST_PARTS && self.parts.iter().all(|x| x.is_finite());
        parts && self.rows > 0 && self.units <= self.rows && self.weight() > 0.0
    }
}

/// Adds to an exact sum.
fn add(parts: &mut Vec<f64>, mut x: f64) {
    let mut kept = 0;
    for i in 0..parts.len() {
        let (large, small) = if x.abs() < parts[i].abs() { (parts[i], x) } else { (x, parts[i]) };
        let sum = large + small;
        if sum.is_infinite() {
            *parts = vec![f64::MAX];
            return;
        }
        let rest = small - (sum - large);
        if rest != 0.0 {
            parts[kept] = rest;
            kept += 1;
        }
        x = sum;
    }
    parts.truncate(kept);
    if x != 0.0 {
        parts.push(x);
    }
}

/// The number nearest to the sum of the parts.
fn rounded(parts: &[f64]) -> f64 {
    let mut rest = parts.iter().rev().copied();
    let Some(mut sum) = rest.next() else { return 0.0 };
    let mut low = 0.0;
    for part in rest.by_ref() {
        let before = sum;
        sum = before + part;
        low = part - (sum - before);
        if low != 0.0 {
            break;
        }
    }
    // Halfway between two numbers, what is left decides.
    if let Some(next) = rest.next()
        && (low < 0.0) == (next < 0.0)
    {
        let (twice, up) = (2.0 * low, sum + 2.0 * low);
        if twice == up - sum {
            return up;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::random::generator;

    #[test]
    fn the_sum_is_the_nearest_number_in_any_order_and_in_any_parts() {
        let mut random = generator(4);
        for _ in 0..200 {
            // Whole multiples of 2⁻⁶⁰ up to 2⁶⁰: their exact sum fits 128 bits.
            let whole: Vec<u128> = (0..50)
                .map(|_| u128::from(random.random::<u64>() >> 11) << random.random_range(0..60))
                .collect();
            let unit = 2.0_f64.powi(-60);
            let weights: Vec<f64> = whole.iter().map(|whole| *whole as f64 * unit).collect();
            let exact = whole.iter().sum::<u128>() as f64 * unit;
            let sum = |weights: &[f64]| {
                let mut copies = Copies::default();
                weights.iter().for_each(|weight| copies.add(*weight));
                copies
            };
            let backwards: Vec<f64> = weights.iter().rev().copied().collect();
            let mut halves = sum(&weights[25..]);
            halves.merge(&sum(&weights[..25]));
            for found in [sum(&weights), sum(&backwards), halves] {
                assert_eq!((found.weight(), found.rows()), (exact, 50));
                assert!(found.is_valid());
            }
        }
    }

    #[test]
    fn weights_of_one_are_counted_and_sums_do_not_overflow() {
        let mut copies = Copies::default();
        (0..5).for_each(|_| copies.add(1.0));
        assert_eq!((copies.weight(), copies.parts.len()), (5.0, 0));
        copies.add(0.5);
        assert_eq!((copies.weight(), copies.rows()), (5.5, 6));
        copies.add(f64::MAX);
        copies.add(f64::MAX);
        assert_eq!(copies.weight(), f64::MAX);
        assert!(!Copies::default().is_valid());
    }
}
