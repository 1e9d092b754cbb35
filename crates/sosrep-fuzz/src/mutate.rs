//! Mutations: a seed, or what was accepted before, changed in one to eight places.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Numbers that break what was not thought of.
const NUMBERS: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    f64::INFINITY,
    f64::NAN,
    1e145,
    -1e145,
    1e154,
    1e-160,
    1e-50,
    1e300,
];
/// The longest file that is made.
const LONGEST: usize = 1 << 14;
/// Files kept beside the seeds.
const KEPT: usize = 512;

/// What makes one file after another.
pub struct Mutator {
    rng: Xoshiro256PlusPlus,
    seeds: usize,
    files: Vec<Vec<u8>>,
    dictionary: &'static [&'static [u8]],
}

impl Mutator {
    /// Mutations of these files.
    pub fn new(seeds: Vec<Vec<u8>>, dictionary: &'static [&'static [u8]], seed: u64) -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Self { rng, seeds: seeds.len(), files: seeds, dictionary }
    }

    /// The next file.
    pub fn make(&mut self) -> Vec<u8> {
        let mut bytes = self.any_file().clone();
        for _ in 0..1 << self.rng.random_range(0..4) {
            self.change(&mut bytes);
        }
        bytes.truncate(LONGEST);
        bytes
    }

    /// Keeps a file that was accepted, to be mutated again.
    pub fn keep(&mut self, file: Vec<u8>) {
        if self.rng.random_range(0..16) > 0 {
            return;
        }
        if self.files.len() < self.seeds + KEPT {
            self.files.push(file);
        } else {
            let at = self.rng.random_range(self.seeds..self.files.len());
            self.files[at] = file;
        }
    }

    fn any_file(&mut self) -> &Vec<u8> {
        let at = self.rng.random_range(0..self.files.len());
        &self.files[at]
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            bytes.push(self.rng.random());
        }
        let at = self.rng.random_range(0..bytes.len());
        let end = (at + self.rng.random_range(1..32)).min(bytes.len());
        match self.rng.random_range(0..10) {
            0 => bytes[at] ^= 1 << self.rng.random_range(0..8),
            1 => bytes[at] = self.rng.random(),
            2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'"', b',', b'\n'][at % 8],
            3 => drop(bytes.drain(at..end)),
            4 => {
                let copy = bytes[at..end].to_vec();
                let to = self.rng.random_range(0..=bytes.len());
                bytes.splice(to..to, copy);
            }
            5 => {
                let other = self.any_file().clone();
                let from = self.rng.random_range(0..=other.len());
                let until = (from + end - at).min(other.len());
                bytes.splice(at..end, other[from..until].iter().copied());
            }
            6 => self.write_number(bytes, at),
            7 => {
                let word: [u8; 4] = [0, 1, 0x7fff_ffff, u32::MAX][end % 4].to_le_bytes();
                write(bytes, at, &word[..1 + at % 4]);
            }
            8 if !self.dictionary.is_empty() => {
                let word = self.dictionary[self.rng.random_range(0..self.dictionary.len())];
                bytes.splice(at..at, word.iter().copied());
            }
            _ => write(bytes, at, &self.rng.random::<u64>().to_le_bytes()),
        }
    }

    /// A number in the place of eight bytes, counted from the end: arrays lie there.
    fn write_number(&mut self, bytes: &mut [u8], at: usize) {
        let number = NUMBERS[self.rng.random_range(0..NUMBERS.len())];
        let from_end = (bytes.len() - at).next_multiple_of(8);
        let place = bytes.len().saturating_sub(from_end);
        write(bytes, place, &number.to_le_bytes());
    }
}

/// Overwrites as far as there are bytes.
fn write(bytes: &mut [u8], at: usize, new: &[u8]) {
    bytes[at..].iter_mut().zip(new).for_each(|(old, new)| *old = *new);
}
