//! Noise that makes a data set harder: anomalies copied several times, columns that say nothing.
//!
//! ADBench adds one kind at a time; here they may be combined.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::scaling::moments;
use super::streams::Generator;
use super::{Part, Sample};
use crate::error::{Error, Result};

/// What is done to a data set.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// The t in t·a draws, with replacement, that take the place of the a anomalies of a part; from
    /// 1 to 6. Default: 1, which leaves the anomalies as they are.
    pub duplicates: usize,
    /// Normal noise added to the anomalies that were drawn, as a share of each column's standard
    /// deviation among the training rows before drawing; from 0 to 10. Default: `None`, exact
    /// copies. Without duplicates there are no copies and this does nothing.
    pub jitter: Option<f64>,
    /// Columns to add, as a share of those there are, rounded down; from 0 to 10. Each is uniform
    /// between the smallest and the largest value of some column. Default: 0. ADBench's ratio r is
    /// of the columns afterwards: it is the share r / (1 − r) here.
    pub irrelevant_features: f64,
}

impl Default for Noise {
    fn default() -> Self {
        Self { duplicates: 1, jitter: None, irrelevant_features: 0.0 }
    }
}

impl Noise {
    /// An error unless every parameter is in its domain.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        let shares = "between 0 and 10";
        if !(1..=6).contains(&self.duplicates) {
            return Err(wrong("duplicates", self.duplicates, "between 1 and 6"));
        }
        if let Some(jitter) = self.jitter.filter(|jitter| !(0.0..=10.0).contains(jitter)) {
            return Err(wrong("jitter", jitter, shares));
        }
        if !(0.0..=10.0).contains(&self.irrelevant_features) {
            return Err(wrong("irrelevant_features", self.irrelevant_features, shares));
        }
        Ok(())
    }

    /// How many columns are added to so many.
    pub(super) fn irrelevant_columns(&self, columns: usize) -> usize {
        (self.irrelevant_features * columns as f64) as usize
    }

    /// The positions with the anomalies among them drawn anew, in random order.
    pub(super) fn copied(
        &self,
        positions: &[usize],
        labels: &[bool],
        generator: &mut Generator,
    ) -> Vec<usize> {
        if self.duplicates == 1 {
            return positions.to_vec();
        }
        let (anomalies, mut copied): (Vec<usize>, Vec<usize>) =
            positions.iter().partition(|&&position| labels[position]);
        let draws = self.duplicates * anomalies.len();
        copied.extend((0..draws).map(|_| anomalies[generator.random_range(0..anomalies.len())]));
        copied.shuffle(generator);
        copied
    }

    /// The size of the jitter in every column; none where nothing is to be shaken.
    pub(super) fn jitter_sizes(&self, sample: &Sample, train: &[usize]) -> Option<Vec<f64>> {
        let share = self.jitter.filter(|_| self.duplicates > 1)?;
        let (_, deviations) = moments(&sample.part(train).values, sample.columns);
        Some(deviations.into_iter().map(|deviation| share * deviation).collect())
    }
}

fn wrong(name: &'static str, value: impl ToString, domain: &'static str) -> Error {
    Error::Parameter { name, value: value.to_string(), domain }
}

/// Adds normal noise of these sizes to the anomalies.
pub(super) fn shake(part: &mut Part, sizes: Option<&[f64]>, generator: &mut Generator) {
    let Some(sizes) = sizes else { return };
    let rows = part.values.chunks_exact_mut(sizes.len()).zip(&part.labels);
    for (row, _) in rows.filter(|(_, anomaly)| **anomaly) {
        for (x, size) in row.iter_mut().zip(sizes) {
            let normal: f64 = StandardNormal.sample(generator);
            *x += size * normal;
        }
    }
}

/// Puts uniform columns after the others, each in the range of one of them.
pub(super) fn add_columns(sample: &mut Sample, added: usize, generator: &mut Generator) {
    if added == 0 {
        return;
    }
    let ranges: Vec<(f64, f64)> = (0..added)
        .map(|_| {
            let column = generator.random_range(0..sample.columns);
            let values = sample.values.iter().skip(column).step_by(sample.columns);
            let extremes = (f64::INFINITY, f64::NEG_INFINITY);
            values.fold(extremes, |(least, most), x| (least.min(*x), most.max(*x)))
        })
        .collect();
    let mut values = Vec::with_capacity(sample.rows.len() * (sample.columns + added));
    for row in sample.values.chunks_exact(sample.columns) {
        values.extend(row);
        values.extend(ranges.iter().map(|(least, most)| {
            let share: f64 = generator.random();
            // The last rounding may pass the end.
            (least + share * (most - least)).min(*most)
        }));
    }
    sample.values = values;
    sample.columns += added;
}

#[cfg(test)]
mod tests {
    use super::super::streams::{Step, Streams};
    use super::*;

    /// A constant column, one of 0 to 99, one of 0 to 990; every tenth row is an anomaly.
    fn sample() -> Sample {
        Sample {
            columns: 3,
            values: (0..100).flat_map(|i| [5.0, f64::from(i), 10.0 * f64::from(i)]).collect(),
            labels: (0..100).map(|i| i % 10 == 0).collect(),
            rows: (0..100).collect(),
        }
    }

    fn generator() -> Generator {
        Streams::new(1, 1).of(Step::Sample)
    }

    #[test]
    fn copies_are_as_many_as_asked_for_and_normal_rows_stay() {
        let sample = sample();
        let positions: Vec<usize> = (20..90).collect();
        for duplicates in 2..=6 {
            let noise = Noise { duplicates, ..Noise::default() };
            let copied = noise.copied(&positions, &sample.labels, &mut generator());
            let (anomalies, mut normal): (Vec<usize>, Vec<usize>) =
                copied.into_iter().partition(|&position| sample.labels[position]);
            assert_eq!(anomalies.len(), 7 * duplicates);
            assert!(anomalies.iter().all(|position| positions.contains(position)));
            normal.sort_unstable();
            assert!(normal.into_iter().eq((20..90).filter(|i| i % 10 != 0)));
        }
    }

    #[test]
    fn without_duplicates_nothing_moves() {
        let positions = [7, 0, 3, 10];
        let copied = Noise::default().copied(&positions, &sample().labels, &mut generator());
        assert_eq!(copied, positions);
    }

    #[test]
    fn jitter_moves_anomalies_alone_in_columns_that_vary_by_their_deviation() {
        let sample = sample();
        let all: Vec<usize> = (0..100).collect();
        let noise = Noise { duplicates: 2, jitter: Some(0.01), ..Noise::default() };
        let sizes = noise.jitter_sizes(&sample, &all);
        // Of 0, 1, …, n − 1 the variance is (n² − 1) / 12.
        let deviation = (9999.0_f64 / 12.0).sqrt();
        let expected = [0.0, 0.01 * deviation, 0.1 * deviation];
        let close = |(x, y): (&f64, f64)| (x - y).abs() < 1e-12;
        assert!(sizes.as_ref().unwrap().iter().zip(expected).all(close), "{sizes:?}");
        let (mut part, before) = (sample.part(&all), sample.part(&all));
        shake(&mut part, sizes.as_deref(), &mut generator());
        for (i, row) in part.values.chunks_exact(3).enumerate() {
            let moved: Vec<f64> = row.iter().zip(sample.row(i)).map(|(x, y)| x - y).collect();
            assert_eq!(moved[0], 0.0);
            assert_eq!(moved[1] != 0.0 && moved[2] != 0.0, sample.labels[i], "row {i}");
            assert!(moved.iter().zip(expected).all(|(x, size)| x.abs() <= 6.0 * size));
        }
        assert_eq!((part.labels, part.rows), (before.labels, before.rows));
    }

    #[test]
    fn jitter_without_copies_does_nothing() {
        let noise = Noise { jitter: Some(0.5), ..Noise::default() };
        assert_eq!(noise.jitter_sizes(&sample(), &[0, 1, 2]), None);
    }

    #[test]
    fn irrelevant_columns_come_last_and_fill_the_range_of_some_column() {
        let (mut wider, narrow) = (sample(), sample());
        add_columns(&mut wider, 50, &mut generator());
        assert_eq!((wider.columns, wider.values.len()), (53, 5300));
        let ranges = [(5.0, 5.0), (0.0, 99.0), (0.0, 990.0)];
        let mut seen = [0; 3];
        for column in 3..53 {
            let values: Vec<f64> = (0..100).map(|i| wider.row(i)[column]).collect();
            let within =
                |(least, most): (f64, f64)| values.iter().all(|x| (least..=most).contains(x));
            // The first range that holds them all, so that 0 to 99 is not taken for 0 to 990.
            seen[ranges.into_iter().position(within).unwrap()] += 1;
        }
        assert!(seen.iter().all(|&count| count > 5), "{seen:?}");
        assert!((0..100).all(|i| wider.row(i)[..3] == *narrow.row(i)));
    }

    #[test]
    fn shares_of_columns_are_rounded_down_as_adbench_does() {
        let columns = |ratio: f64, columns| {
            let irrelevant_features = ratio / (1.0 - ratio);
            Noise { irrelevant_features, ..Noise::default() }.irrelevant_columns(columns)
        };
        assert_eq!([columns(0.5, 7), columns(0.1, 36), columns(0.1, 8)], [7, 4, 0]);
    }

    #[test]
    fn parameters_outside_their_domain_are_named() {
        let message = |noise: Noise| noise.check().unwrap_err().to_string();
        let noise = Noise::default();
        let expected = "duplicates is 0; it must be between 1 and 6";
        assert_eq!(message(Noise { duplicates: 0, ..noise }), expected);
        let expected = "jitter is NaN; it must be between 0 and 10";
        assert_eq!(message(Noise { jitter: Some(f64::NAN), ..noise }), expected);
        let expected = "irrelevant_features is -0.1; it must be between 0 and 10";
        assert_eq!(message(Noise { irrelevant_features: -0.1, ..noise }), expected);
    }
}
