//! New rows like the usual ones of a table: each is mixed of two close rows.
//!
//! ```text
//! y = m + cos θ (y_i − m) + sin θ (y_j − m)      m: the mean of y_i and its neighbours, j one of them
//! ```
//!
//! The rows are the usual ones that the detector keeps; i runs through them in random order, each
//! once before any is used again; j is one of the k ≈ √r/2 rows nearest to i in the space of the
//! density, r the number of rows; θ is even in ±π/6. cos² + sin² = 1: a mixture varies about m as the
//! rows there do, so that moments and correlations stay, whatever the number of columns, where a
//! mean of two rows would lie too far inside and a row with noise too far outside.
//!
//! A value that occurs in several rows is no point of a continuum: category, whole number, zero,
//! missing. Where y_i or y_j is one, the new row has the value of one of the two, for all such columns
//! that of the same row, so that categories stay categories and go together as they do in the table.
//! A value outside those of the column is not used either, but that of row i; a column of whole
//! numbers stays one.
//!
//! A draw that the detector takes for an anomaly is drawn again, and after eight times is row i.
//!
//! Symbols: y a row in scaled columns, which are soft-clipped: a column of heavy tails is mixed on a
//! logarithmic scale. Cost: r² d for neighbours and n r d for scores. Differs from the paper: not in
//! it.

use std::f64::consts::FRAC_PI_6;

use rand::RngExt;
use rand::seq::SliceRandom;

use crate::detector::Detector;
use crate::error::Result;
use crate::memory::room;
use crate::monitor::{Monitor, Stage, report_progress};
use crate::parallel;
use crate::points::Points;
use crate::random::stream;

/// Times that a row is drawn before one of the table is given.
const ATTEMPTS: u64 = 8;
/// Rows drawn per progress callback.
const ROWS_AT_ONCE: usize = 512;

/// What rows are drawn from.
pub(super) struct NewRows<'a> {
    detector: &'a Detector,
    seed: u64,
    /// Usual rows as they were given, one after another.
    rows: Vec<f64>,
    /// y of each.
    scaled: Vec<Vec<f64>>,
    /// z of each, one after another.
    prepared: Vec<f64>,
    /// The columns that vary.
    columns: Vec<ColumnValues>,
}

/// The values that a varying feature has in the rows.
struct ColumnValues {
    /// Where it is in a row.
    feature: usize,
    /// Those that occur more than once, ascending.
    repeated: Vec<f64>,
    low: f64,
    high: f64,
    /// Whether all are whole numbers.
    whole: bool,
}

impl ColumnValues {
    fn new(feature: usize, rows: Points) -> Self {
        let mut values: Vec<f64> = rows.iter().map(|row| row[feature]).collect();
        values.sort_by(f64::total_cmp);
        let mut repeated: Vec<f64> =
            values.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        repeated.dedup();
        let whole = values.iter().all(|value| value.fract() == 0.0);
        Self { feature, repeated, low: values[0], high: values[values.len() - 1], whole }
    }

    fn is_repeated(&self, value: f64) -> bool {
        self.repeated.binary_search_by(|known| known.total_cmp(&value)).is_ok()
    }
}

impl<'a> NewRows<'a> {
    pub(super) fn new(detector: &'a Detector, seed: u64) -> Result<Self> {
        let preparation = detector.preparation();
        let rows = detector.usual_rows();
        let points = Points::new(&rows, preparation.input_columns())?;
        let features = preparation.varying_features();
        Ok(Self {
            detector,
            seed,
            scaled: parallel::map(points.rows(), |i| preparation.scaled_row(points.row(i))),
            prepared: preparation.apply(points)?,
            columns: parallel::map(features.len(), |k| ColumnValues::new(features[k], points)),
            rows,
        })
    }

    /// So many new rows, one after another.
    pub(super) fn draw(&self, count: usize, monitor: Monitor) -> Result<Vec<f64>> {
        let width = self.detector.preparation().input_columns();
        let bases = self.bases(count)?;
        let mut values = room("the draws", count.saturating_mul(width))?;
        for (part, bases) in bases.chunks(ROWS_AT_ONCE).enumerate() {
            let first = part * ROWS_AT_ONCE;
            report_progress(monitor, Stage::Sample, first, count)?;
            values.extend(self.draw_from(bases, first as u64)?);
        }
        report_progress(monitor, Stage::Sample, count, count)?;
        Ok(values)
    }

    /// The row that each new one starts from: all of them in random order, again and again.
    fn bases(&self, count: usize) -> Result<Vec<usize>> {
        let mut bases = room("the draws", count)?;
        let mut round: Vec<usize> = (0..self.scaled.len()).collect();
        let mut rng = stream(self.seed, u64::MAX);
        while bases.len() < count {
            round.shuffle(&mut rng);
            bases.extend(round.iter().take(count - bases.len()));
        }
        Ok(bases)
    }

    /// A new row from each of these; the first is number `first` of all.
    fn draw_from(&self, bases: &[usize], first: u64) -> Result<Vec<f64>> {
        let width = self.detector.preparation().input_columns();
        let nearest = parallel::map(bases.len(), |at| self.nearest(bases[at]));
        let mut found: Vec<Option<Vec<f64>>> = vec![None; bases.len()];
        for attempt in 0..ATTEMPTS {
            let open: Vec<usize> = (0..bases.len()).filter(|&at| found[at].is_none()).collect();
            if open.is_empty() {
                break;
            }
            let drawn = parallel::map(open.len(), |k| {
                let at = open[k];
                let number = (first + at as u64).wrapping_mul(ATTEMPTS) + attempt;
                self.mixed(bases[at], &nearest[at], number)
            });
            let flat = drawn.concat();
            let flagged = self.detector.is_anomaly(Points::new(&flat, width)?)?;
            let usual = open.into_iter().zip(drawn).zip(flagged).filter(|(_, flagged)| !flagged);
            usual.for_each(|((at, row), _)| found[at] = Some(row));
        }
        let rows = found.into_iter().zip(bases);
        Ok(rows.flat_map(|(row, &base)| row.unwrap_or_else(|| self.row(base).to_vec())).collect())
    }

    fn row(&self, i: usize) -> &[f64] {
        let width = self.detector.preparation().input_columns();
        &self.rows[i * width..(i + 1) * width]
    }

    /// The rows nearest to row `i`, itself left out; ties go to the first.
    fn nearest(&self, i: usize) -> Vec<usize> {
        let width = self.detector.preparation().dimension();
        let here = &self.prepared[i * width..(i + 1) * width];
        let dist = |row: &[f64]| row.iter().zip(here).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let mut others: Vec<(f64, usize)> =
            self.prepared.chunks_exact(width).map(dist).zip(0..).filter(|(_, j)| *j != i).collect();
        let count = (0.5 * (self.scaled.len() as f64).sqrt()).ceil() as usize + 1;
        if count < others.len() {
            others.select_nth_unstable_by(count, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            others.truncate(count);
        }
        others.sort_unstable_by_key(|(_, j)| *j);
        others.into_iter().map(|(_, j)| j).collect()
    }

    /// Row `i` mixed with one of its neighbours; `number` numbers the draws.
    fn mixed(&self, i: usize, nearest: &[usize], number: u64) -> Vec<f64> {
        let mut row = self.row(i).to_vec();
        let mut rng = stream(self.seed, number);
        if nearest.is_empty() {
            return row;
        }
        let j = nearest[rng.random_range(0..nearest.len())];
        let (sin, cos) = rng.random_range(-FRAC_PI_6..FRAC_PI_6).sin_cos();
        let donor = if rng.random::<f64>() < sin * sin { j } else { i };
        for (k, column) in self.columns.iter().enumerate() {
            let feature = column.feature;
            let values = [self.row(i)[feature], self.row(j)[feature]];
            if values.iter().any(|value| column.is_repeated(*value)) {
                row[feature] = self.row(donor)[feature];
                continue;
            }
            let others = nearest.iter().map(|&other| self.scaled[other][k]).sum::<f64>();
            let m = (self.scaled[i][k] + others) / (nearest.len() + 1) as f64;
            let y = m + cos * (self.scaled[i][k] - m) + sin * (self.scaled[j][k] - m);
            let value = self.detector.preparation().unscaled(k, y);
            let value = if column.whole { value.round() } else { value };
            if (column.low..=column.high).contains(&value) {
                row[feature] = value;
            }
        }
        row
    }
}
