//! The values of a column of text, and how often each is there.
//!
//! Up to [`VALUES`] values of [`BYTES`] bytes are counted exactly. A column of more becomes a sketch
//! (Cormode and Muthukrishnan 2005, count-min): a value's count may then be too high, by a few
//! hundred-thousandths of the rows, and never too low. Both are functions of the cells as a multiset.

use std::collections::HashMap;

use super::distinct::{Distinct, hash};
use crate::error::{Place, has_decimal_comma};

/// The most values counted exactly.
const VALUES: usize = 1 << 16;
/// The most bytes in them.
const BYTES: usize = 8 << 20;
/// Counters of one hash function of a sketch.
const COUNTERS: usize = 1 << 16;

/// The texts seen.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct TextTally {
    first: Option<(Place, String)>,
    present: u64,
    exact: HashMap<String, u64>,
    bytes: usize,
    sketch: Option<Box<Sketch>>,
}

#[derive(Debug, Clone)]
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
        if let Some(sketch) = &mut self.sketch {
            sketch.add(text, 1);
        } else if let Some(count) = self.exact.get_mut(text) {
            *count += 1;
        } else {
            self.bytes += text.len();
            self.exact.insert(text.to_string(), 1);
            if self.exact.len() > VALUES || self.bytes > BYTES {
                let mut sketch = Sketch::new();
                self.exact.drain().for_each(|(text, count)| sketch.add(&text, count));
                self.sketch = Some(Box::new(sketch));
            }
        }
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

    /// Whether these are numbers, all written with a decimal comma or without a fraction.
    pub(in super::super) fn are_decimal_commas(&self) -> bool {
        let is_number =
            |text: &String| has_decimal_comma(text) || text.trim().parse::<f64>().is_ok();
        self.first.as_ref().is_some_and(|(_, first)| is_number(first))
            && self.exact.keys().all(is_number)
            && self.exact.keys().any(|text| has_decimal_comma(text))
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
