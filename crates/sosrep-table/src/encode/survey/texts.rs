//! The values of a column of text, and how often each is there.
//!
//! Up to [`VALUES`] values of [`BYTES`] bytes are counted exactly. A column of more becomes a sketch
//! (Cormode and Muthukrishnan 2005, count-min): a value's count may then be too high, by a few
//! hundred-thousandths of the rows, and never too low. Both are functions of the cells as a multiset.
//!
//! Texts may all be numbers, written for people: see [`Notation`].

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::distinct::{Distinct, hash};
use super::earlier;
use crate::cell::EXACT_INTEGERS;
use crate::error::Place;
use crate::notation::{Notation, is_for_people};

/// The most values counted exactly.
const VALUES: usize = 1 << 16;
/// The most bytes in them.
const BYTES: usize = 8 << 20;
/// Counters of one hash function of a sketch.
const COUNTERS: usize = 1 << 16;

/// The texts seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct TextTally {
    first: Option<(Place, String)>,
    present: u64,
    exact: HashMap<String, u64>,
    bytes: usize,
    sketch: Option<Box<Sketch>>,
    /// The numbers that all texts are, in each notation in which they are.
    numbers: [Option<WrittenNumbers>; 2],
    /// The first of the texts that is a number for people.
    for_people: Option<String>,
}

/// What is known of texts that are numbers in some notation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct WrittenNumbers {
    pub(in super::super) low: f64,
    pub(in super::super) high: f64,
    pub(in super::super) integers: bool,
}

impl WrittenNumbers {
    const NONE: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY, integers: true };

    fn and(self, value: f64) -> Self {
        Self {
            low: self.low.min(value),
            high: self.high.max(value),
            integers: self.integers && value.fract() == 0.0 && value.abs() <= EXACT_INTEGERS,
        }
    }

    fn merged(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            integers: self.integers && other.integers,
        }
    }
}

impl Default for TextTally {
    fn default() -> Self {
        Self {
            first: None,
            present: 0,
            exact: HashMap::new(),
            bytes: 0,
            sketch: None,
            numbers: [Some(WrittenNumbers::NONE); 2],
            for_people: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Sketch {
    /// Counters of four hash functions.
    counters: Vec<u64>,
    distinct: Distinct,
}

impl TextTally {
    /// Adds a cell.
    pub(super) fn add(&mut self, text: &str, place: impl FnOnce() -> Place) {
        self.present += 1;
        if self.first.is_none() {
            self.first = Some((place(), text.to_string()));
        }
        self.count(text, 1);
    }

    /// Adds the texts of other rows.
    pub(super) fn merge(&mut self, other: &Self) {
        self.first = earlier(self.first.take(), &other.first);
        self.present += other.present;
        for (numbers, others) in self.numbers.iter_mut().zip(&other.numbers) {
            *numbers = numbers.zip(*others).map(|(numbers, others)| numbers.merged(others));
        }
        self.note_for_people(other.for_people.as_deref());
        if let Some(others) = &other.sketch {
            self.sketched().merge(others);
        }
        other.exact.iter().for_each(|(text, count)| self.count(text, *count));
    }

    /// Counts a text that may be new.
    fn count(&mut self, text: &str, count: u64) {
        if let Some(sketch) = &mut self.sketch {
            sketch.add(text, count);
            self.read_number(text);
        } else if let Some(known) = self.exact.get_mut(text) {
            *known += count;
        } else {
            self.read_number(text);
            self.bytes += text.len();
            self.exact.insert(text.to_string(), count);
            if self.exact.len() > VALUES || self.bytes > BYTES {
                self.sketched();
            }
        }
    }

    /// The counts as a sketch, from now on.
    fn sketched(&mut self) -> &mut Sketch {
        self.bytes = 0;
        let exact = &mut self.exact;
        self.sketch.get_or_insert_with(|| {
            let mut sketch = Sketch::new();
            exact.drain().for_each(|(text, count)| sketch.add(&text, count));
            Box::new(sketch)
        })
    }

    /// Whether rows could have given it.
    pub(super) fn is_valid(&self) -> bool {
        let counted = match &self.sketch {
            Some(sketch) => {
                let first = sketch.counters.iter().take(COUNTERS);
                let valid = sketch.counters.len() == 4 * COUNTERS && sketch.distinct.is_valid();
                first.map(|count| u128::from(*count)).sum::<u128>() * u128::from(valid)
            }
            None => self.exact.values().map(|count| u128::from(*count)).sum(),
        };
        let bytes: usize = self.exact.keys().map(String::len).sum();
        let few = self.exact.len() <= VALUES && bytes <= BYTES;
        few && counted == u128::from(self.present) && (self.sketch.is_some() || bytes == self.bytes)
    }

    /// The first cell that is not missing.
    pub(in super::super) fn first(&self) -> Option<&(Place, String)> {
        self.first.as_ref()
    }

    /// Cells that are not missing.
    pub(in super::super) fn present(&self) -> u64 {
        self.present
    }

    /// Distinct values; an estimate where they are too many to count.
    pub(in super::super) fn values(&self) -> u64 {
        self.sketch.as_ref().map_or(self.exact.len() as u64, |sketch| sketch.distinct.values())
    }

    /// Whether all cells differ, as far as it is known.
    pub(in super::super) fn all_differ(&self) -> bool {
        match &self.sketch {
            Some(sketch) => sketch.distinct.all_differ(),
            None => self.exact.len() as u64 == self.present,
        }
    }

    /// Reads a text that may be new as a number.
    fn read_number(&mut self, text: &str) {
        if self.numbers == [None; 2] {
            return;
        }
        for (notation, numbers) in Notation::ALL.into_iter().zip(&mut self.numbers) {
            *numbers = numbers.and_then(|numbers| Some(numbers.and(notation.number(text)?)));
        }
        if self.for_people.as_deref().is_none_or(|least| text < least) && is_for_people(text) {
            self.note_for_people(Some(text));
        }
    }

    /// Keeps the least text for people, so that it does not depend on the order of rows.
    fn note_for_people(&mut self, text: Option<&str>) {
        let is_less = |text: &&str| self.for_people.as_deref().is_none_or(|least| *text < least);
        if let Some(text) = text.filter(is_less) {
            self.for_people = Some(text.to_string());
        }
    }

    /// The notations in which all texts are numbers, if one is written for people, such as that given.
    pub(in super::super) fn notations(&self) -> Option<(Vec<Notation>, &str)> {
        let example = self.for_people.as_deref()?;
        let read = Notation::ALL.into_iter().zip(self.numbers).filter(|(_, read)| read.is_some());
        let notations: Vec<Notation> = read.map(|(notation, _)| notation).collect();
        (!notations.is_empty()).then_some((notations, example))
    }

    /// The numbers that all texts are in this notation.
    pub(in super::super) fn numbers(&self, notation: Notation) -> Option<WrittenNumbers> {
        self.numbers[notation as usize]
    }

    /// Whether all values were counted.
    pub(in super::super) fn is_exact(&self) -> bool {
        self.sketch.is_none()
    }

    /// How often each value is there. In a sketch values that share a counter are one, which adds a
    /// few rare ones to a frequent one.
    pub(in super::super) fn frequencies(&self) -> Vec<u64> {
        match &self.sketch {
            None => self.exact.values().copied().collect(),
            Some(sketch) => sketch.counters[..COUNTERS].to_vec(),
        }
    }

    /// The values, ascending, and how often each is there. Where they were too many to count, those
    /// among `candidates`.
    pub(in super::super) fn counts<'a>(
        &'a self,
        candidates: impl FnOnce() -> Vec<&'a str>,
    ) -> Vec<(&'a str, u64)> {
        let mut counts: Vec<(&str, u64)> = match &self.sketch {
            None => self.exact.iter().map(|(text, count)| (text.as_str(), *count)).collect(),
            Some(sketch) => {
                candidates().into_iter().map(|text| (text, sketch.count(text))).collect()
            }
        };
        counts.sort_unstable();
        counts.dedup_by_key(|(text, _)| *text);
        counts
    }
}

impl Sketch {
    fn new() -> Self {
        Self { counters: vec![0; 4 * COUNTERS], distinct: Distinct::default() }
    }

    fn add(&mut self, text: &str, count: u64) {
        let hash = hash(text);
        self.distinct.add(hash, count);
        places(hash).for_each(|place| self.counters[place] += count);
    }

    fn merge(&mut self, other: &Self) {
        self.distinct.merge(&other.distinct);
        for (count, others) in self.counters.iter_mut().zip(&other.counters) {
            *count += others;
        }
    }

    fn count(&self, text: &str) -> u64 {
        places(hash(text)).map(|place| self.counters[place]).min().unwrap_or_default()
    }
}

/// The counters of a hash: each of its four words is a hash of its own.
fn places(hash: u64) -> impl Iterator<Item = usize> {
    (0..4).map(move |i| i * COUNTERS + (hash >> (16 * i)) as usize % COUNTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sketch_never_counts_too_few_and_seldom_too_many() {
        let mut tally = TextTally::default();
        let add = |tally: &mut TextTally, text: &str| tally.add(text, || Place::Row(1));
        (0..3 * VALUES).for_each(|i| add(&mut tally, &format!("rare {i}")));
        (0..5000).for_each(|_| add(&mut tally, "common"));
        assert!(!tally.is_exact() && !tally.all_differ());
        let counts = tally.counts(|| vec!["rare 7", "common"]);
        assert_eq!(counts[0].0, "common");
        // Three values a counter on average, the least of four counters: well below a hundred.
        assert!((5000..5100).contains(&counts[0].1), "{counts:?}");
        assert!((1..100).contains(&counts[1].1), "{counts:?}");
    }
}
