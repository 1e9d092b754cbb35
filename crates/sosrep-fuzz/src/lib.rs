//! Hostile bytes for everything that sosrep reads.
//!
//! A target takes any bytes and returns whether they were read; it panics where a promise is broken, such
//! as a score that is no number. Errors are what bad bytes should give. The same targets run in two
//! drivers: the program of this crate mutates seeds on any toolchain, and `fuzz/` guides
//! libFuzzer by coverage.

mod models;
mod mutate;
mod seeds;
mod tables;

pub use mutate::Mutator;

/// Something that reads bytes.
pub struct Target {
    /// Its name, that of its fuzz target too.
    pub name: &'static str,
    /// Reads them; whether they were accepted.
    ///
    /// # Panics
    /// If a promise is broken.
    pub run: fn(&[u8]) -> bool,
    /// Good files to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words of the format.
    pub dictionary: &'static [&'static [u8]],
}

/// All of them.
pub fn targets() -> Vec<Target> {
    let words = seeds::TEXT_WORDS;
    let none: &[&[u8]] = &[];
    vec![
        Target { name: "model", run: models::model, seeds: seeds::models, dictionary: none },
        Target { name: "recipe", run: models::recipe, seeds: seeds::recipes, dictionary: words },
        Target { name: "csv", run: tables::csv, seeds: seeds::csv, dictionary: words },
        Target { name: "json", run: tables::json, seeds: seeds::json, dictionary: words },
        Target { name: "parquet", run: tables::parquet, seeds: seeds::parquet, dictionary: none },
        Target { name: "arrow", run: tables::arrow, seeds: seeds::arrow, dictionary: none },
        Target { name: "numpy", run: tables::numpy, seeds: seeds::numpy, dictionary: seeds::NUMPY },
    ]
}

/// The target of that name.
///
/// # Panics
/// If there is none.
pub fn target(name: &str) -> Target {
    let found = targets().into_iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("there is no target {name}"))
}
