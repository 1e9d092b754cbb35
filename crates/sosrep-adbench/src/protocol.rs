//! The protocol of ADBench: from a data set to rows for training and rows for testing.
//!
//! ```text
//! sample rows → add irrelevant columns → stratified 70/30 split → copy anomalies → scale
//! ```
//!
//! Scaling is fitted on the training rows alone. Every random step has a generator of its own,
//! told by seed, data set and step, so that a step that is added or switched off leaves the others
//! as they were. Nothing runs in parallel: the same arguments give the same bits.
//!
//! Known weakness of ADBench: rows of a small data set are drawn with replacement before the split,
//! so that most of its test rows are copies of training rows. [`Protocol::Authors`] does without.
//!
//! Differs from ADBench: the generator is not NumPy's, so its splits come out with other rows;
//! irrelevant columns come last instead of anywhere; (x − min) / range is computed in this form, which
//! keeps the training rows within \[0, 1\] exactly. `jitter` is an addition.

mod noise;
mod scaling;
mod stratify;
mod streams;

use rand::RngExt;
use rand::seq::index;
use serde::{Deserialize, Serialize};

pub use noise::Noise;

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use scaling::Scaling;
use streams::{Step, Streams};

/// Data sets of fewer rows are filled up to this many.
const FEWEST: usize = 1_000;
/// Data sets of more rows are cut down to this many.
const MOST: usize = 10_000;

/// The number of generated rows among the random streams; those of ADBench begin at 1.
const MADE: u8 = 0;

/// Whose protocol is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Protocol {
    /// ADBench's: fewer than 1000 rows are drawn with replacement up to 1000, more than 10 000 are
    /// cut down to 10 000 without, columns are scaled to \[0, 1\].
    #[serde(rename = "adbench")]
    AdBench,
    /// That of the authors of SOSREP: small data sets stay as they are, and columns are
    /// standardised after they were scaled to \[0, 1\].
    #[serde(rename = "authors")]
    Authors,
}

/// What a split was made from: two of the same origin are the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Origin {
    /// The data set, as in `14_glass`.
    pub data_set: String,
    /// SHA-256 of its file; empty for rows that come from none.
    pub input_sha256: String,
    /// The protocol.
    pub protocol: Protocol,
    /// The noise.
    pub noise: Noise,
    /// The seed.
    pub seed: u64,
}

/// Rows for training or for testing.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The scaled values, row after row.
    pub values: Vec<f64>,
    /// Whether each row is an anomaly.
    pub labels: Vec<bool>,
    /// The row of the data set, from 0, that each row is or is a copy of.
    pub rows: Vec<usize>,
}

impl Part {
    /// The number of anomalies.
    pub fn anomalies(&self) -> usize {
        self.labels.iter().filter(|anomaly| **anomaly).count()
    }
}

/// A data set split by a protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// What it was made from.
    pub origin: Origin,
    /// Columns of a row, the irrelevant ones included.
    pub columns: usize,
    /// Irrelevant columns, the last of a row.
    pub irrelevant_columns: usize,
    /// Rows to fit, without looking at their labels.
    pub train: Part,
    /// Rows to score.
    pub test: Part,
}

/// Splits a data set.
///
/// # Errors
/// [`Error::Parameter`] for noise outside its domain, [`Error::TooFewRows`] when fewer than two
/// anomalies, or normal rows, are left after sampling.
pub fn split(dataset: &Dataset, protocol: Protocol, noise: &Noise, seed: u64) -> Result<Split> {
    let streams = Streams::new(seed, dataset.entry().number);
    let origin = Origin {
        data_set: dataset.entry().to_string(),
        input_sha256: dataset.checksum().to_string(),
        protocol,
        noise: *noise,
        seed,
    };
    Sample::draw(dataset, protocol, &streams).split(origin, &streams)
}

/// Rows that were generated and are no data set of ADBench.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Made {
    /// A name for messages.
    pub(crate) name: String,
    pub(crate) columns: usize,
    /// The values, row after row.
    pub(crate) values: Vec<f64>,
    /// Whether each row is an anomaly.
    pub(crate) labels: Vec<bool>,
}

/// Splits generated rows as ADBench does, but uses all of them, however few or many they are.
pub(crate) fn split_made(made: Made, noise: &Noise, seed: u64) -> Result<Split> {
    let Made { name, columns, values, labels } = made;
    let origin = Origin {
        data_set: name,
        input_sha256: String::new(),
        protocol: Protocol::AdBench,
        noise: *noise,
        seed,
    };
    let rows = (0..labels.len()).collect();
    Sample { columns, values, labels, rows }.split(origin, &Streams::new(seed, MADE))
}

/// Scales both parts by what the training rows say.
fn scale(train: &mut Part, test: &mut Part, columns: usize, protocol: Protocol) {
    let unit = Scaling::to_unit_interval(&train.values, columns);
    unit.apply(&mut train.values);
    unit.apply(&mut test.values);
    if protocol == Protocol::Authors {
        let standard = Scaling::standard(&train.values, columns);
        standard.apply(&mut train.values);
        standard.apply(&mut test.values);
    }
}

/// The rows of a data set that are split.
struct Sample {
    columns: usize,
    values: Vec<f64>,
    labels: Vec<bool>,
    /// The row of the data set behind each row.
    rows: Vec<usize>,
}

impl Sample {
    fn draw(dataset: &Dataset, protocol: Protocol, streams: &Streams) -> Self {
        let shape = dataset.shape();
        let mut generator = streams.of(Step::Sample);
        let rows: Vec<usize> = match shape.rows {
            n if n > MOST => index::sample(&mut generator, n, MOST).into_vec(),
            n if n < FEWEST && protocol == Protocol::AdBench => {
                (0..FEWEST).map(|_| generator.random_range(0..n)).collect()
            }
            n => (0..n).collect(),
        };
        Self {
            columns: shape.columns,
            values: rows.iter().flat_map(|&row| dataset.row(row)).copied().collect(),
            labels: rows.iter().map(|&row| dataset.labels()[row]).collect(),
            rows,
        }
    }

    fn row(&self, position: usize) -> &[f64] {
        &self.values[position * self.columns..(position + 1) * self.columns]
    }

    /// The rows at some positions.
    fn part(&self, positions: &[usize]) -> Part {
        Part {
            values: positions.iter().flat_map(|&position| self.row(position)).copied().collect(),
            labels: positions.iter().map(|&position| self.labels[position]).collect(),
            rows: positions.iter().map(|&position| self.rows[position]).collect(),
        }
    }

    /// Everything that follows once the rows are there.
    fn split(mut self, origin: Origin, streams: &Streams) -> Result<Split> {
        let noise = origin.noise;
        noise.check()?;
        self.expect_both_classes(&origin)?;
        let irrelevant_columns = noise.irrelevant_columns(self.columns);
        noise::add_columns(&mut self, irrelevant_columns, &mut streams.of(Step::Irrelevant));
        let (train, test) = stratify::split(&self.labels, &mut streams.of(Step::Split));
        let jitter = noise.jitter_sizes(&self, &train);
        let copies = |positions: &[usize], copy: Step, shake: Step| {
            let positions = noise.copied(positions, &self.labels, &mut streams.of(copy));
            let mut part = self.part(&positions);
            noise::shake(&mut part, jitter.as_deref(), &mut streams.of(shake));
            part
        };
        let mut train = copies(&train, Step::CopyTrain, Step::ShakeTrain);
        let mut test = copies(&test, Step::CopyTest, Step::ShakeTest);
        scale(&mut train, &mut test, self.columns, origin.protocol);
        Ok(Split { origin, columns: self.columns, irrelevant_columns, train, test })
    }

    /// As scikit-learn: a class of one row cannot be in both parts.
    fn expect_both_classes(&self, origin: &Origin) -> Result<()> {
        let rows = self.labels.len();
        let anomalies = self.labels.iter().filter(|anomaly| **anomaly).count();
        for (class, count) in [("anomalies", anomalies), ("normal", rows - anomalies)] {
            if count < 2 {
                let (data_set, seed) = (origin.data_set.clone(), origin.seed);
                return Err(Error::TooFewRows { data_set, seed, class, count, rows });
            }
        }
        Ok(())
    }
}
