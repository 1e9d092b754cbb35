//! Whether all values differ, in bounded memory and whatever their order.
//!
//! Values are known by a hash. Up to [`LIMIT`] are held; beyond, only those whose hash begins with
//! enough zeros to be that few, which is a choice among values and not among rows. A value that is
//! there twice is found if it is held. So for columns of more than [`LIMIT`] values the answer "all
//! differ" speaks of a random part of the values, which is what tells an identifier from a category.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

/// The most values held.
const LIMIT: usize = 1 << 16;

/// Values seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Distinct {
    /// How often each hash was there: once, or more.
    repeated: HashMap<u64, bool>,
    /// Zeros a hash must begin with.
    zeros: u32,
}

impl Distinct {
    /// Adds a value that is there `count` times.
    pub(super) fn add(&mut self, hash: u64, count: u64) {
        if hash.leading_zeros() < self.zeros {
            return;
        }
        let known = self.repeated.insert(hash, count > 1);
        if known.is_some() {
            self.repeated.insert(hash, true);
        }
        self.limit();
    }

    /// Adds the values of other rows.
    pub(super) fn merge(&mut self, other: &Self) {
        self.zeros = self.zeros.max(other.zeros);
        self.repeated.retain(|hash, _| hash.leading_zeros() >= self.zeros);
        other.repeated.iter().for_each(|(hash, repeated)| {
            self.add(*hash, if *repeated { 2 } else { 1 });
        });
    }

    fn limit(&mut self) {
        while self.repeated.len() > LIMIT {
            self.zeros += 1;
            self.repeated.retain(|hash, _| hash.leading_zeros() >= self.zeros);
        }
    }

    /// Whether values could have given it.
    pub(super) fn is_valid(&self) -> bool {
        self.zeros < u64::BITS / 2 && self.repeated.len() <= LIMIT
    }

    /// Whether no value that is held was there twice.
    pub(super) fn all_differ(&self) -> bool {
        self.repeated.values().all(|repeated| !repeated)
    }

    /// Distinct values; an estimate beyond [`LIMIT`].
    pub(super) fn values(&self) -> u64 {
        (self.repeated.len() as u64) << self.zeros
    }
}

/// The hash of a value, the same in every run.
pub(super) fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl Iterator<Item = u64>) -> Distinct {
        let mut distinct = Distinct::default();
        values.for_each(|value| distinct.add(hash(value), 1));
        distinct
    }

    #[test]
    fn any_repetition_is_found_among_few_values() {
        let few = LIMIT as u64;
        assert!(of(0..few).all_differ());
        assert_eq!(of(0..few).values(), few);
        assert!(!of((0..few).chain([few / 2])).all_differ());
    }

    #[test]
    fn many_values_are_estimated_and_their_order_does_not_matter() {
        let many = 5 * LIMIT as u64;
        let (there, back) = (of(0..many), of((0..many).rev()));
        assert!(there.all_differ());
        assert_eq!(there.repeated, back.repeated);
        // The number held is binomial: a fifth is far beyond its deviation of a two-hundredth.
        assert!(there.values().abs_diff(many) < many / 5);
        assert!(!of((0..many).chain(0..many)).all_differ());
    }
}
