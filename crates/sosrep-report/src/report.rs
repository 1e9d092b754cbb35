//! The data of a report, filled in by the caller and read by the figures and the page.
//!
//! Numbers may be anything, also NaN: what cannot be drawn or written is left out. Texts are escaped
//! where they are used.

use crate::histogram::Histogram;

/// All that a page shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Title of the page, such as "Anomalies in data.csv".
    pub title: String,
    /// Where the data comes from, for data that asks to be attributed.
    pub source_note: Option<String>,
    /// Numbers of the run.
    pub headline: Headline,
    /// The score of every row.
    pub scores: Scores,
    /// The rows that stand out most, the strangest first.
    pub top: Vec<Anomaly>,
    /// The columns, in the order that [`Reason::feature`] counts them.
    pub features: Vec<Feature>,
    /// The rows in two dimensions.
    pub map: Option<Map>,
    /// The curve the bandwidth was read from, if it was.
    pub curve: Option<Curve>,
    /// How well the scores find known anomalies, if there are labels.
    pub detection: Option<Detection>,
    /// What the reader must know: rows dropped, categories not seen before, constant columns. The
    /// page gives each a capital letter and a full stop.
    pub notes: Vec<String>,
    /// How to get the same page again.
    pub reproduce: Reproduce,
}

/// Numbers of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Headline {
    /// Rows scored.
    pub rows: usize,
    /// Columns used.
    pub columns: usize,
    /// Rows with a score above [`Scores::threshold`].
    pub flagged: usize,
    /// How the threshold was set, in words such as "box plot whisker".
    pub threshold_rule: String,
    /// Name of the kernel.
    pub kernel: String,
    /// The bandwidth.
    pub bandwidth: f64,
    /// Steps of the solver, if it ran.
    pub iterations: Option<usize>,
    /// Time of the run.
    pub seconds: f64,
}

/// The anomaly score of every row.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// −log f², higher is more anomalous.
    pub values: Vec<f64>,
    /// A row is flagged when its score is above.
    pub threshold: f64,
    /// For every row, whether it is known to be an anomaly.
    pub labels: Option<Vec<bool>>,
}

/// A row that stands out.
#[derive(Debug, Clone, PartialEq)]
pub struct Anomaly {
    /// Number or identifier of the row; it completes the words "row …".
    pub row: String,
    /// Its anomaly score.
    pub score: f64,
    /// Its p-value.
    pub p_value: Option<f64>,
    /// Whether its score is above the threshold.
    pub flagged: bool,
    /// Whether it is known to be an anomaly, if there are labels.
    pub known: Option<bool>,
    /// The columns to blame, the largest contribution first.
    pub reasons: Vec<Reason>,
}

/// What one column adds to the score of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// Index into [`Report::features`].
    pub feature: usize,
    /// The row's value, on the scale of [`Feature::histogram`].
    pub value: f64,
    /// The row's value as the reader knows it.
    pub value_text: String,
    /// The value of the most similar typical row.
    pub typical: f64,
    /// That value as the reader knows it.
    pub typical_text: String,
    /// Score added by the column; below zero if it counts against an anomaly.
    pub contribution: f64,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// What it holds, in a word: "number", "category", "date".
    pub kind: String,
    /// Rows without a value.
    pub missing: usize,
    /// Its training values in six numbers, if they are numbers.
    pub summary: Option<Summary>,
    /// Its training values; [`Histogram::default`] if they cannot be counted.
    pub histogram: Histogram,
    /// Mean of |contribution| over [`Report::top`].
    pub contribution: f64,
}

/// The values of a column in six numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The smallest.
    pub minimum: f64,
    /// A quarter of the values are at or below.
    pub lower_quartile: f64,
    /// Half of the values are at or below.
    pub median: f64,
    /// Three quarters of the values are at or below.
    pub upper_quartile: f64,
    /// The largest.
    pub maximum: f64,
    /// The mean.
    pub mean: f64,
}

/// The rows along the two directions in which they vary most.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// The rows.
    pub points: Vec<MapPoint>,
    /// Rows that the directions are read from, evenly selected.
    pub measured: usize,
    /// The horizontal and the vertical direction.
    pub axes: [Axis; 2],
}

/// A row on the map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapPoint {
    /// Coordinate along the first direction.
    pub x: f64,
    /// Coordinate along the second direction.
    pub y: f64,
    /// Anomaly score.
    pub score: f64,
    /// Whether the score is above the threshold.
    pub flagged: bool,
    /// Place in [`Report::top`] from 1, if the row is there; it is written beside the point.
    pub rank: Option<usize>,
}

/// A direction of the map.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Share of the variance along it, from 0 to 1.
    pub share: f64,
    /// Names of the columns that weigh most in it.
    pub loadings: Vec<String>,
}

/// How a criterion depends on the bandwidth.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Bandwidths and the criterion there.
    pub points: Vec<(f64, f64)>,
    /// The bandwidth chosen.
    pub chosen: f64,
    /// Name of the criterion, such as "Fisher divergence of held-out rows".
    pub criterion: String,
    /// Whether a lower value is better.
    pub lower_is_better: bool,
}

/// How well the scores find known anomalies.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// False and true positive rate, from the highest threshold to the lowest.
    pub roc: Vec<(f64, f64)>,
    /// Recall and precision, from the highest threshold to the lowest.
    pub precision_recall: Vec<(f64, f64)>,
    /// Area under the ROC curve.
    pub auc_roc: f64,
    /// Average precision.
    pub average_precision: f64,
    /// Share of known anomalies among the rows.
    pub prevalence: f64,
    /// Flags against labels at the threshold.
    pub confusion: Confusion,
}

/// Flags against labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confusion {
    /// Known anomalies that are flagged.
    pub true_positives: usize,
    /// Normal rows that are flagged.
    pub false_positives: usize,
    /// Known anomalies that are not flagged.
    pub false_negatives: usize,
    /// Normal rows that are not flagged.
    pub true_negatives: usize,
}

impl Confusion {
    /// Share of the flagged rows that are known anomalies; NaN if no row is flagged.
    pub fn precision(&self) -> f64 {
        self.true_positives as f64 / (self.true_positives + self.false_positives) as f64
    }

    /// Share of the known anomalies that are flagged; NaN if there are none.
    pub fn recall(&self) -> f64 {
        self.true_positives as f64 / (self.true_positives + self.false_negatives) as f64
    }

    /// Share of the normal rows that are flagged; NaN if there are none.
    pub fn false_positive_rate(&self) -> f64 {
        self.false_positives as f64 / (self.false_positives + self.true_negatives) as f64
    }
}

/// How to get the same page again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reproduce {
    /// The command line.
    pub command: String,
    /// Version of the program.
    pub version: String,
    /// The seed.
    pub seed: u64,
    /// Threads used; they change the time only.
    pub threads: usize,
}
