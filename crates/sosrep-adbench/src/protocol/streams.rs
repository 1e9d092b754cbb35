//! A generator for every random step of a split, the same on every machine.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of every random choice.
pub(super) type Generator = Xoshiro256PlusPlus;

/// A random step. Numbers are not given twice: a new step gets the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Which rows are used.
    Sample = 0,
    /// The columns that say nothing.
    Irrelevant = 1,
    /// Which rows are for training.
    Split = 2,
    /// Copies of anomalies among the training rows.
    CopyTrain = 3,
    /// Copies of anomalies among the test rows.
    CopyTest = 4,
    /// Jitter of the copies among the training rows.
    ShakeTrain = 5,
    /// Jitter of the copies among the test rows.
    ShakeTest = 6,
}

/// The generators of one split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Streams {
    seed: u64,
    data_set: u8,
}

impl Streams {
    pub(super) fn new(seed: u64, data_set: u8) -> Self {
        Self { seed, data_set }
    }

    /// The generator of a step.
    pub(super) fn of(&self, step: Step) -> Generator {
        // Mixed before the index is put in: neighbouring seeds must not share streams.
        let mixed = Generator::seed_from_u64(self.seed).random::<u64>();
        Generator::seed_from_u64(mixed ^ (u64::from(self.data_set) << 8) ^ step as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_streams_of_seeds_data_sets_and_steps_begin_alike() {
        let steps = [Step::Sample, Step::Irrelevant, Step::Split, Step::CopyTrain, Step::CopyTest];
        let mut begun = HashSet::new();
        for seed in 0..20 {
            for data_set in 1..=47 {
                for step in steps.into_iter().chain([Step::ShakeTrain, Step::ShakeTest]) {
                    let first = Streams::new(seed, data_set).of(step).random::<u64>();
                    assert!(begun.insert(first), "seed {seed}, data set {data_set}, {step:?}");
                }
            }
        }
    }
}
