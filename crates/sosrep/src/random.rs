//! The one generator behind every random choice: named, seeded, the same on every machine.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of every random choice in this crate.
pub(crate) type Generator = Xoshiro256PlusPlus;

/// The generator for a seed.
pub(crate) fn generator(seed: u64) -> Generator {
    Generator::seed_from_u64(seed)
}

/// A generator for item `index` of a seeded whole: items may be worked on in any order.
pub(crate) fn stream(seed: u64, index: u64) -> Generator {
    generator(generator(seed).random::<u64>() ^ index)
}
