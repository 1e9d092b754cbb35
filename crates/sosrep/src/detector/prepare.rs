//! The map from rows as given to the space the density is fitted in: scaled, clipped softly and
//! whitened.
//!
//! ```text
//! y_j = clip((x_j − c_j) / s_j),    clip(u) = u                            for |u| ≤ t
//!                                             ± t (1 + ln(|u| / t))       beyond
//! z   = Σ^(−p) (y − ȳ),             or y itself without whitening
//! ```
//!
//! The soft clip keeps one extreme value from outweighing all other columns of its row, and keeps
//! order and distinctness: a hard limit would gather all rows beyond it in one place, a cluster
//! that is not in the data.
//!
//! c, s: centre and scale of a column; Σ: the covariance of y, shrunk, and ȳ its mean, see
//! `prepare/whitening.rs`. A constant column cannot be scaled and carries no distances: it stays
//! outside z, its value is stored, and [`Preparation::departures`] finds the columns where a row
//! differs from it.
//!
//! Columns that are not plain numbers have distances of their own, see `prepare/mixed.rs`.
//!
//! Cost: n·d log n for [`Scaling::Robust`], n·d otherwise, plus n·d² + d³ for whitening; a row costs d,
//! or d². Numerics: columns are read in units of a power of two near their largest magnitude, so
//! values of 1e±300 neither overflow nor vanish; means and variances take two passes with the
//! correction of the first one's rounding. A column is constant when its values spread over less
//! than 1e-12 of the largest magnitude among them.
//! Prepared values stay within ±1e145, so that squared distances are finite. A row gives the same
//! bits alone and in a batch.
//!
//! Differs from the paper: the soft clip, robust scaling and whitening are additions; `clip: None`
//! leaves plain standardisation.

mod column;
mod mixed;
mod whitening;

use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::memory::zeros;
use crate::panels::Metric;
use crate::parallel;
use crate::parameter::Parameter;
use crate::points::{LARGEST, Points, Weights};
use crate::source_columns::{Layout, SourceColumn};
use column::{Column, differ};
use whitening::Block;
pub(crate) use whitening::Whitening;

/// The variance of a scaled number below which it has no part in the metric.
const LEAST_VARIANCE: f64 = 0.5;

/// Values allowed for `clip`, where the soft clip begins.
pub(crate) const CLIPS: RangeInclusive<f64> = 1e-50..=1e50;

/// The smallest scale of a column within a core of the rows, as a share of its scale in all rows.
const CORE_SCALE_FLOOR: f64 = 0.03;

const SCALING: &str = "one of none, standard, robust";
const CLIP: &str = "none, or between 1e-50 and 1e50";
const WHITENING: &str = "between 0 and 0.5";

/// Rows that a thread prepares in one go.
const ROWS_AT_ONCE: usize = 256;

/// How a column is centred and scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scaling {
    /// Columns as they are; `clip` is then in their own units.
    None,
    /// Mean 0 and standard deviation 1.
    #[default]
    Standard,
    /// Median 0 and interquartile range 1.349, that of the normal distribution; the standard
    /// deviation replaces an interquartile range of 0.
    Robust,
}

impl FromStr for Scaling {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "none" => Ok(Self::None),
            "standard" => Ok(Self::Standard),
            "robust" => Ok(Self::Robust),
            _ => Err(Error::word("scaling", name, SCALING)),
        }
    }
}

/// How rows are prepared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PrepareOptions {
    /// Centre and scale of the columns. Default: [`Scaling::Standard`].
    pub scaling: Scaling,
    /// Magnitude after scaling beyond which a value counts by its logarithm: between 1e-50 and
    /// 1e50, or `None` for nowhere. Default: 5.
    pub clip: Option<f64>,
    /// Power p of the covariance that is divided out, from 0, which leaves the columns as they are,
    /// to ½. Default: ½.
    pub whitening: f64,
}

impl Default for PrepareOptions {
    fn default() -> Self {
        Self { scaling: Scaling::Standard, clip: Some(5.0), whitening: 0.5 }
    }
}

impl PrepareOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Centre and scale of the columns. Default [`Scaling::Standard`].
    pub fn scaling(mut self, scaling: Scaling) -> Self {
        self.scaling = scaling;
        self
    }

    /// Magnitude after scaling where the soft clip begins, between 1e-50 and 1e50, or `None`.
    /// Default 5.
    pub fn clip(mut self, magnitude: impl Into<Option<f64>>) -> Self {
        self.clip = magnitude.into();
        self
    }

    /// Power of the covariance that is divided out, from 0, which leaves the columns as they are, to ½.
    /// Default ½.
    pub fn whitening(mut self, power: f64) -> Self {
        self.whitening = power;
        self
    }

    /// An error unless every option is in its domain.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(clip) = self.clip.filter(|clip| !CLIPS.contains(clip)) {
            return Err(Error::parameter("clip", clip, CLIP));
        }
        if (0.0..=0.5).contains(&self.whitening) {
            Ok(())
        } else {
            Err(Error::parameter("whitening", self.whitening, WHITENING))
        }
    }

    /// The options as every interface shows them.
    pub(crate) fn parameters(&self) -> [Parameter; 3] {
        [
            Parameter::new("scaling", &self.scaling, SCALING),
            Parameter::new("clip", &self.clip, CLIP),
            Parameter::new("whitening", &self.whitening, WHITENING),
        ]
    }
}

/// A column that had one value only.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConstantColumn {
    /// The column, from 0.
    pub index: usize,
    /// Its value.
    pub value: f64,
}

/// Where a missing number stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MissingPlace {
    /// The coordinate of the value.
    pub(crate) coordinate: usize,
    /// The feature that tells whether it is missing.
    pub(crate) indicator: usize,
    /// Its coordinate where it is missing.
    pub(crate) place: f64,
}

/// The fitted map from rows to prepared rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Preparation {
    /// The columns that the features of a row come from.
    pub(crate) layout: Layout,
    /// The features that vary, ascending.
    pub(crate) kept: Vec<usize>,
    /// c, one per feature kept.
    pub(crate) centre: Vec<f64>,
    /// s, one per feature kept.
    pub(crate) scale: Vec<f64>,
    /// The numbers that may be missing, ascending.
    pub(crate) missing: Vec<MissingPlace>,
    /// t.
    pub(crate) clip: Option<f64>,
    /// The metric, unless whitening is off.
    pub(crate) whitening: Option<Whitening>,
    /// The features that do not vary, ascending.
    pub(crate) constant_features: Vec<ConstantColumn>,
}

impl Preparation {
    /// Reads centre, scale and metric off the weighted rows.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless there is one weight per row, [`Error::Parameter`] for an option
    /// outside its domain.
    pub fn fit(points: Points, weights: &Weights, options: &PrepareOptions) -> Result<Self> {
        let (layout, metric) = (Layout::new(points.columns(), None)?, Metric::Manhattan);
        let scaled = Self::fit_columns(points, weights, options, layout, metric)?;
        scaled.whitened(points, weights, options, metric)
    }

    /// Centre and scale alone, of features that come from these columns, for distances in this metric.
    pub(crate) fn fit_columns(
        points: Points,
        weights: &Weights,
        options: &PrepareOptions,
        layout: Layout,
        metric: Metric,
    ) -> Result<Self> {
        options.check()?;
        weights.expect_rows(points)?;
        let columns = read_features(points, weights, options, &layout, metric);
        let mut preparation = Self {
            layout,
            kept: Vec::new(),
            centre: Vec::new(),
            scale: Vec::new(),
            missing: Vec::new(),
            clip: options.clip,
            whitening: None,
            constant_features: Vec::new(),
        };
        for (index, column) in columns.into_iter().enumerate() {
            match column {
                Column::Constant(value) => {
                    preparation.constant_features.push(ConstantColumn { index, value });
                }
                Column::Varying { centre, scale } => {
                    preparation.kept.push(index);
                    preparation.centre.push(centre);
                    preparation.scale.push(scale);
                }
            }
        }
        preparation.place_missing(points, weights, metric);
        Ok(preparation)
    }

    /// A preparation of the same columns whose centre and scale are those of a core of the rows,
    /// which anomalies do not reach, not whitened. No scale falls below 3 % of that in all rows, so that
    /// a column that hardly varies in the core does not decide alone. Categories keep theirs: a
    /// value that is not in the core is no further away for it.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless there is one weight per row.
    pub(crate) fn around(
        &self,
        core: Points,
        weights: &Weights,
        options: &PrepareOptions,
        metric: Metric,
    ) -> Result<Self> {
        weights.expect_rows(core)?;
        let mut preparation = Self { whitening: None, ..self.clone() };
        let columns = read_features(core, weights, options, &self.layout, metric);
        for (k, &feature) in self.kept.iter().enumerate() {
            if let SourceColumn::Category(_) = self.layout.kind_of(feature) {
                continue;
            }
            let least = CORE_SCALE_FLOOR * self.scale[k];
            (preparation.centre[k], preparation.scale[k]) = match columns[feature] {
                _ if options.scaling == Scaling::None => (self.centre[k], self.scale[k]),
                Column::Constant(value) => (value, least.max(f64::MIN_POSITIVE)),
                Column::Varying { centre, scale } => (centre, scale.max(least)),
            };
        }
        preparation.place_missing(core, weights, metric);
        Ok(preparation)
    }

    /// Finds where missing values stand, from the rows that have a value; a column without such a
    /// row stays as it is.
    fn place_missing(&mut self, points: Points, weights: &Weights, metric: Metric) {
        let mut found = Vec::new();
        for (coordinate, &feature) in self.kept.iter().enumerate() {
            let Some(indicator) = self.layout.indicator_of(feature) else { continue };
            let rows = points.iter().zip(weights.as_slice());
            let present: Vec<(f64, f64)> = rows
                .filter(|(row, weight)| **weight > 0.0 && row[indicator] == 0.0)
                .map(|(row, weight)| (self.scaled(coordinate, row[feature]), *weight))
                .collect();
            let before = self.missing.iter().find(|missing| missing.coordinate == coordinate);
            let (place, extra) = match (present.is_empty(), before) {
                (false, _) => {
                    let share = 1.0 - present.iter().map(|(_, w)| w).sum::<f64>();
                    mixed::missing_place(present, share, metric)
                }
                (true, before) => (before.map_or(0.0, |before| before.place), 0.0),
            };
            found.push((MissingPlace { coordinate, indicator, place }, extra));
        }
        for (missing, extra) in &found {
            if let Ok(k) = self.kept.binary_search(&missing.indicator)
                && *extra > 0.0
            {
                (self.centre[k], self.scale[k]) = (0.0, 1.0 / extra);
            }
        }
        self.missing = found.into_iter().map(|(missing, _)| missing).collect();
    }

    /// With the metric of these rows, if the options ask for one.
    ///
    /// # Errors
    /// [`Error::WrongColumns`], [`Error::Parameter`] if there are no eigenvectors.
    pub(crate) fn whitened(
        mut self,
        points: Points,
        weights: &Weights,
        options: &PrepareOptions,
        metric: Metric,
    ) -> Result<Self> {
        self.whitening = None;
        let power = options.whitening;
        // Columns that are not scaled have no variance to be expected.
        let least = if options.scaling == Scaling::None { 0.0 } else { LEAST_VARIANCE };
        if power > 0.0 && !self.kept.is_empty() {
            let scaled = self.apply(points)?;
            let blocks: Vec<Block> = self.kept.iter().map(|&j| self.block(j, metric)).collect();
            self.whitening =
                Some(Whitening::fit(&scaled, weights.as_slice(), &blocks, power, least)?);
        }
        Ok(self)
    }

    /// What a varying feature is to the others.
    fn block(&self, feature: usize, metric: Metric) -> Block {
        let column = self.layout.column_of(feature);
        match self.layout.kind_of(feature) {
            SourceColumn::Category(_) => Block::Category {
                column,
                unit: if metric == Metric::Manhattan { std::f64::consts::SQRT_2 } else { 1.0 },
            },
            SourceColumn::NumberOrMissing if self.layout.range(column).start != feature => {
                Block::Gap
            }
            _ => Block::Number,
        }
    }

    /// Features of a row.
    pub fn input_columns(&self) -> usize {
        self.layout.features()
    }

    /// The columns that the features of a row come from.
    pub fn source_columns(&self) -> &[SourceColumn] {
        self.layout.columns()
    }

    /// The features that vary, one for each coordinate of a prepared row, ascending.
    pub fn varying_features(&self) -> &[usize] {
        &self.kept
    }

    /// How many of those columns vary, at least 1: what a distance is a sum over.
    pub(crate) fn varying_columns(&self) -> usize {
        let mut columns: Vec<usize> = self.kept.iter().map(|&j| self.layout.column_of(j)).collect();
        columns.dedup();
        columns.len().max(1)
    }

    /// Columns of a prepared row: those that vary, or a single 0 if none does.
    pub fn dimension(&self) -> usize {
        self.kept.len().max(1)
    }

    /// Where the soft clip of a scaled value begins.
    pub fn clip(&self) -> Option<f64> {
        self.clip
    }

    /// The source columns that had one value only, ascending; for a category, `value` is the
    /// position of its value.
    pub fn constant_columns(&self) -> Vec<ConstantColumn> {
        let constant = |column: usize| {
            let features = self.layout.range(column);
            let values: Vec<f64> = features.map_while(|j| self.constant_value(j)).collect();
            let value = match self.layout.columns()[column] {
                SourceColumn::Category(_) => {
                    values.iter().position(|x| *x > 0.0).unwrap_or(0) as f64
                }
                _ => *values.first()?,
            };
            let all = values.len() == self.layout.range(column).len();
            all.then_some(ConstantColumn { index: column, value })
        };
        (0..self.layout.columns().len()).filter_map(constant).collect()
    }

    fn constant_value(&self, feature: usize) -> Option<f64> {
        let found = self.constant_features.binary_search_by_key(&feature, |column| column.index);
        found.ok().map(|place| self.constant_features[place].value)
    }

    /// The prepared rows, one after another.
    ///
    /// # Errors
    /// [`Error::WrongColumns`].
    pub fn apply(&self, points: Points) -> Result<Vec<f64>> {
        points.expect_columns(self.input_columns())?;
        let d = self.dimension();
        let mut prepared = zeros("the prepared rows", points.rows().saturating_mul(d))?;
        parallel::for_each_chunk(&mut prepared, ROWS_AT_ONCE * d, |part, out| {
            let first = part * ROWS_AT_ONCE;
            let rows: Vec<&[f64]> =
                (first..first + out.len() / d).map(|row| points.row(row)).collect();
            self.map(&rows, out);
        });
        Ok(prepared)
    }

    /// One prepared row.
    ///
    /// # Panics
    /// If `row` or `out` differ in length from [`input_columns`](Self::input_columns) and
    /// [`dimension`](Self::dimension).
    pub fn apply_row(&self, row: &[f64], out: &mut [f64]) {
        assert_eq!((row.len(), out.len()), (self.input_columns(), self.dimension()));
        self.map(&[row], out);
    }

    /// Rows to prepared rows.
    fn map(&self, rows: &[&[f64]], out: &mut [f64]) {
        let d = self.kept.len();
        if d == 0 {
            return out.fill(0.0);
        }
        for (row, y) in rows.iter().zip(out.chunks_exact_mut(d)) {
            self.scale_row(row, y);
        }
        if let Some(whitening) = &self.whitening {
            let absent = |row: &&[f64]| -> Vec<usize> {
                let missing = self.missing.iter().filter(|missing| row[missing.indicator] != 0.0);
                missing.map(|missing| missing.coordinate).collect()
            };
            let missing: Vec<Vec<usize>> = rows.iter().map(absent).collect();
            whitening.map(&mut out.to_vec(), &missing, out);
        }
    }

    /// y of a row.
    fn scale_row(&self, row: &[f64], out: &mut [f64]) {
        for ((k, y), &feature) in out.iter_mut().enumerate().zip(&self.kept) {
            *y = self.scaled(k, row[feature]);
        }
        for missing in &self.missing {
            if row[missing.indicator] != 0.0 {
                out[missing.coordinate] = missing.place;
            }
        }
    }

    /// The bandwidth of a kernel, a distance per coordinate, in units of that per column.
    pub(crate) fn bandwidth_unit(&self, metric: Metric) -> f64 {
        let coordinates_of_a_column = self.dimension() as f64 / self.varying_columns() as f64;
        match metric {
            Metric::Manhattan => 1.0 / coordinates_of_a_column,
            Metric::SquaredEuclidean => 1.0 / coordinates_of_a_column.sqrt(),
        }
    }

    /// Whether distances are those of a metric, not of the columns alone.
    pub(crate) fn is_whitened(&self) -> bool {
        self.whitening.is_some()
    }

    /// Whether a source column varies.
    pub(crate) fn varies(&self, column: usize) -> bool {
        self.layout.range(column).any(|feature| self.kept.binary_search(&feature).is_ok())
    }

    /// y of the `k`-th varying feature at value x; without whitening this is z.
    fn scaled(&self, k: usize, x: f64) -> f64 {
        let u = self.units(k, x);
        match self.clip {
            Some(t) if u.abs() > t => u.signum() * t * (1.0 + (u.abs() / t).ln()),
            _ => u,
        }
    }

    /// u = (x − c) / s of the `k`-th varying feature.
    fn units(&self, k: usize, x: f64) -> f64 {
        let (c, s) = (self.centre[k], self.scale[k]);
        let difference = x - c;
        let u =
            if difference.is_finite() { difference / s } else { (x / 2.0 - c / 2.0) / (s / 2.0) };
        u.clamp(-LARGEST, LARGEST)
    }

    /// log|det ∂z/∂x| over the columns that vary, at a row; 0 if none does.
    ///
    /// # Panics
    /// If `row` has fewer than [`input_columns`](Self::input_columns) values.
    pub fn log_volume(&self, row: &[f64]) -> f64 {
        let scales: f64 = self.scale.iter().map(|s| -s.ln()).sum();
        let metric = self.whitening.as_ref().map_or(0.0, Whitening::log_determinant);
        let limit = self.clip.unwrap_or(f64::INFINITY);
        // d clip(u) / du = t / |u| beyond t.
        let present =
            self.kept.iter().enumerate().filter(|(_, j)| !self.layout.is_missing(row, **j));
        let beyond = present.map(|(k, &j)| self.units(k, row[j]).abs() / limit);
        let compression: f64 = beyond.filter(|u| *u > 1.0).map(f64::ln).sum();
        scales + metric - compression
    }

    /// The source columns that did not vary, or in which one feature did not, and in which the row
    /// differs from the training rows.
    ///
    /// # Panics
    /// If `row` has fewer than [`input_columns`](Self::input_columns) values.
    pub fn departures(&self, row: &[f64]) -> Vec<usize> {
        let departs = |constant: &&ConstantColumn| {
            differ(row[constant.index], constant.value)
                && !self.layout.is_missing(row, constant.index)
        };
        let features = self.constant_features.iter().filter(departs);
        let mut columns: Vec<usize> =
            features.map(|constant| self.layout.column_of(constant.index)).collect();
        columns.dedup();
        columns
    }

    /// A row that is prepared to `prepared`: the inverse map, with constants filled in.
    ///
    /// # Panics
    /// If `prepared` differs in length from [`dimension`](Self::dimension).
    pub fn restore(&self, prepared: &[f64]) -> Vec<f64> {
        assert_eq!(prepared.len(), self.dimension());
        let mut row = vec![0.0; self.input_columns()];
        for column in &self.constant_features {
            row[column.index] = column.value;
        }
        let scaled = match &self.whitening {
            None => prepared.to_vec(),
            Some(whitening) => whitening.map_back(prepared),
        };
        for (k, &j) in self.kept.iter().enumerate() {
            row[j] = self.unscaled(k, scaled[k]);
        }
        row
    }

    /// y of a row: a number for each feature that varies.
    pub(crate) fn scaled_row(&self, row: &[f64]) -> Vec<f64> {
        let mut scaled = vec![0.0; self.kept.len()];
        self.scale_row(row, &mut scaled);
        scaled
    }

    /// The value of the `k`-th varying feature whose y this is.
    pub(crate) fn unscaled(&self, k: usize, y: f64) -> f64 {
        (self.centre[k] + self.unclipped(y) * self.scale[k]).clamp(f64::MIN, f64::MAX)
    }

    /// u with clip(u) = y.
    fn unclipped(&self, y: f64) -> f64 {
        match self.clip {
            Some(t) if y.abs() > t => y.signum() * t * (y.abs() / t - 1.0).exp(),
            _ => y,
        }
    }
}

/// What fitting finds in every feature.
fn read_features(
    points: Points,
    weights: &Weights,
    options: &PrepareOptions,
    layout: &Layout,
    metric: Metric,
) -> Vec<Column> {
    let all: Vec<usize> = (0..layout.features()).collect();
    let mut found = Column::read(points, weights, &all, options.scaling);
    for (column, kind) in layout.columns().iter().enumerate() {
        let features = layout.range(column);
        match kind {
            SourceColumn::Number => {}
            SourceColumn::NumberOrMissing => {
                found[features.start] =
                    Column::read_present(points, weights, features.start, options.scaling);
            }
            SourceColumn::Category(_) => {
                let share = |j: usize| {
                    let rows = points.iter().zip(weights.as_slice());
                    rows.map(|(row, weight)| weight * row[j]).sum::<f64>()
                };
                let shares = features.clone().map(share);
                if let Some(a) = mixed::category_coordinate(shares, options.clip, metric) {
                    features.for_each(|j| {
                        found[j] = Column::Varying { centre: 0.0, scale: 1.0 / a };
                    });
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
