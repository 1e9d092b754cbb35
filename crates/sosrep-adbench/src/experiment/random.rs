//! A generator for every random step of an experiment, the same on every machine.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of step `index` of a seeded experiment.
pub(super) fn generator(seed: u64, index: u64) -> Xoshiro256PlusPlus {
    // Mixed before the index is put in: neighbouring seeds must not share streams.
    let mixed = Xoshiro256PlusPlus::seed_from_u64(seed).random::<u64>();
    Xoshiro256PlusPlus::seed_from_u64(mixed ^ index)
}

/// A seed for a part of the work that takes one.
pub(super) fn seed(seed: u64, index: u64) -> u64 {
    generator(seed, index).random()
}
