//! How often a row that occurs several times counts.
//!
//! In a table of codes and whole numbers rows coincide by chance, the more often the denser the
//! place: how often a row occurs is then part of the density. In a table of measurements rows do
//! not coincide by chance: a row that occurs again was copied, and carries no more information than once.
//!
//! ```text
//! twin of a row    another row that differs from it in exactly one column
//! auto             a repeated row with a twin counts as often as it occurs, one without counts once
//! ```
//!
//! Where whole rows coincide by chance, rows that coincide in all columns but one are there too, and
//! most often more of them; where rows were copied, there are none. The rule needs no threshold, and
//! it decides for each row separately: natural repeats and copies may stand in the same table. Copies
//! that are not exact are the subject of `near_copies.rs`.
//!
//! Cost: n·d hashes, and only if there are repeated rows. Numerics: rows are compared by 64-bit
//! hashes. Differs from the paper: it counts every row.

use std::collections::HashMap;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::parallel;
use crate::points::Points;
use crate::source_columns::Layout;

pub(super) const REPEATS: &str = "one of auto, keep, once";

/// How equal rows count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Repeats {
    /// As often as they occur where rows coincide by chance, once where they were copied, exactly or
    /// with a little noise. The default. Weights that are no whole numbers are no counts and stay as they are.
    #[default]
    Auto,
    /// As often as they occur.
    Keep,
    /// Once.
    Once,
}

impl Repeats {
    /// The names that are read by [`FromStr`], each with what it does.
    pub const NAMES: [(&'static str, &'static str); 3] = [
        (
            "auto",
            "as often as they occur where rows coincide by chance, once where they were copied",
        ),
        ("keep", "as often as they occur"),
        ("once", "once"),
    ];
}

impl FromStr for Repeats {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "auto" => Ok(Self::Auto),
            "keep" => Ok(Self::Keep),
            "once" => Ok(Self::Once),
            _ => Err(Error::word("repeats", name, REPEATS)),
        }
    }
}

/// What was done about rows that occur several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RepeatReport {
    /// What was asked for.
    pub policy: Repeats,
    /// Distinct rows that occur more than once.
    pub repeated: usize,
    /// Those of them that count once.
    pub counted_once: usize,
    /// Distinct rows that are copies of another but for a little noise, and count once together.
    pub near_copies: usize,
}

impl RepeatReport {
    /// What was done and why, in a sentence; `None` if no row repeats.
    pub fn sentence(&self) -> Option<String> {
        let near = (self.near_copies > 0).then(|| {
            format!(
                "{} rows are so close to another that they are taken for copies with noise: those of \
                 a row count once together",
                self.near_copies
            )
        });
        let sentences: Vec<String> = self.equal_rows().into_iter().chain(near).collect();
        (!sentences.is_empty()).then(|| sentences.join("; "))
    }

    /// What was done about equal rows.
    fn equal_rows(&self) -> Option<String> {
        let Self { policy, repeated, counted_once, .. } = *self;
        let kept = repeated.saturating_sub(counted_once);
        let rows = if repeated == 1 { "row occurs" } else { "rows occur" };
        let found = format!("{repeated} distinct {rows} more than once: ");
        let done = match policy {
            _ if repeated == 0 => return None,
            Repeats::Keep => "each counts as often as it occurs".to_string(),
            Repeats::Once => "each counts once".to_string(),
            Repeats::Auto if kept == 0 => {
                "taken for copies, which count once, since no other row differs from one of them \
                 in a single column"
                    .to_string()
            }
            Repeats::Auto if counted_once == 0 => {
                "each counts as often as it occurs, since other rows differ from it in a single \
                 column or weights are no counts"
                    .to_string()
            }
            Repeats::Auto => format!(
                "{kept} count as often as they occur, since other rows differ from them in a \
                 single column; {counted_once} without such rows are taken for copies, which count \
                 once"
            ),
        };
        Some(found + &done)
    }
}

/// For each of the rows asked about, whether another of the distinct `rows` differs from it in
/// exactly one source column.
pub(super) fn have_twins(rows: Points, layout: &Layout, asked: &[usize]) -> Vec<bool> {
    let of_features = |row: &[f64], features: Range<usize>| {
        let present = features.filter(|&j| !layout.is_missing(row, j));
        present.fold(0u64, |sum, j| sum.wrapping_add(hash(j, row[j])))
    };
    let totals: Vec<u64> = rows.iter().map(|row| of_features(row, 0..row.len())).collect();
    // Distinct rows that agree without column j differ in it.
    let without = |row: usize, j: usize| {
        totals[row].wrapping_sub(of_features(rows.row(row), layout.range(j)))
    };
    parallel::any_of(layout.columns().len(), asked.len(), |j| {
        let mut agreeing: HashMap<u64, usize> = HashMap::new();
        for row in 0..rows.rows() {
            *agreeing.entry(without(row, j)).or_default() += 1;
        }
        asked.iter().map(|&row| agreeing[&without(row, j)] > 1).collect()
    })
}

/// A hash of a feature's value, −0 as 0: the finaliser of SplitMix64.
fn hash(feature: usize, value: f64) -> u64 {
    let mut bits =
        (value + 0.0).to_bits() ^ (feature as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::random::generator;

    fn numbers(columns: usize) -> Layout {
        Layout::new(columns, None).unwrap()
    }

    /// Whether another row differs in exactly one column, pair by pair.
    fn slow_twins(rows: Points, asked: &[usize]) -> Vec<bool> {
        let differences = |a: usize, b: usize| {
            rows.row(a).iter().zip(rows.row(b)).filter(|(x, y)| x != y).count()
        };
        asked.iter().map(|&a| (0..rows.rows()).any(|b| differences(a, b) == 1)).collect()
    }

    #[test]
    fn twins_are_those_that_comparing_all_pairs_finds() {
        let mut rng = generator(5);
        for (columns, values) in [(1, 3), (2, 30), (3, 8), (6, 2), (40, 2)] {
            let mut rows: Vec<Vec<i32>> = (0..90)
                .map(|_| (0..columns).map(|_| rng.random_range(0..values)).collect())
                .collect();
            rows.sort_unstable();
            rows.dedup();
            let flat: Vec<f64> = rows.iter().flatten().map(|v| f64::from(*v)).collect();
            let points = Points::new(&flat, columns).unwrap();
            let asked: Vec<usize> = (0..points.rows()).step_by(2).collect();
            assert_eq!(
                have_twins(points, &numbers(columns), &asked),
                slow_twins(points, &asked),
                "{columns}"
            );
        }
    }

    #[test]
    fn minus_zero_is_zero() {
        let points = Points::new(&[0.0, 1.0, -0.0, 2.0, 5.0, 5.0], 2).unwrap();
        assert_eq!(have_twins(points, &numbers(2), &[0, 1, 2]), [true, true, false]);
    }

    #[test]
    fn sentences_say_what_was_done() {
        let say = |repeated, counted_once, policy| {
            RepeatReport { policy, repeated, counted_once, near_copies: 0 }.sentence()
        };
        assert_eq!(say(0, 0, Repeats::Auto), None);
        let near = RepeatReport { near_copies: 5, ..RepeatReport::default() };
        assert!(near.sentence().unwrap().starts_with("5 rows are so close"));
        assert!(say(3, 3, Repeats::Auto).unwrap().contains("copies"));
        assert!(say(3, 1, Repeats::Auto).unwrap().contains("2 count as often"));
        assert!(say(1, 0, Repeats::Keep).unwrap().starts_with("1 distinct row occurs"));
        for (name, _) in Repeats::NAMES {
            let repeats: Repeats = name.parse().unwrap();
            assert_eq!(serde_json::to_value(repeats).unwrap(), name);
        }
        assert!(matches!("twice".parse::<Repeats>(), Err(Error::Parameter { .. })));
    }
}
