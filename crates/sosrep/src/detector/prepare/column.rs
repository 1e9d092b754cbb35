//! Centre and scale of one column, unless it is constant.
//!
//! ```text
//! standard   c = Σ w x,       s² = Σ w (x − c)²
//! robust     c = median,      s = (Q₃ − Q₁) / 1.349
//! ```
//!
//! Numerics: values are read in units of a power of two near the largest magnitude, so that 1e±300
//! neither overflows nor vanishes; mean and variance take two passes. Differs from the paper: it
//! standardises only.

use super::Scaling;
use crate::parallel;
use crate::points::{Points, Weights};
use crate::quantile::Ordered;

/// How far a column may spread, relative to its largest magnitude, and still count as constant.
const CONSTANT: f64 = 1e-12;
/// Up to here every whole number is a double.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;
/// Interquartile range of the standard normal distribution.
const NORMAL_IQR: f64 = 1.349;

/// Columns read together: the values of a row that share a cache line.
const TOGETHER: usize = 8;

/// What fitting finds in a column.
pub(super) enum Column {
    Constant(f64),
    Varying { centre: f64, scale: f64 },
}

impl Column {
    /// Reads some of the columns; rows of weight 0 count for nothing.
    pub(super) fn read(
        points: Points,
        weights: &Weights,
        columns: &[usize],
        scaling: Scaling,
    ) -> Vec<Self> {
        let rows = || points.iter().zip(weights.as_slice()).filter(|(_, weight)| **weight > 0.0);
        let read = |together: &[usize]| {
            let mut values = vec![Vec::with_capacity(points.rows()); together.len()];
            for (row, &weight) in rows() {
                for (values, &j) in values.iter_mut().zip(together) {
                    values.push((row[j], weight));
                }
            }
            values.into_iter().map(|values| Self::of(values, scaling)).collect::<Vec<Self>>()
        };
        let groups: Vec<&[usize]> = columns.chunks(TOGETHER).collect();
        parallel::map(groups.len(), |i| read(groups[i])).into_iter().flatten().collect()
    }

    /// Reads the value of a number that may be missing, from the rows that have one; the feature
    /// after it tells. A constant if no row has one.
    pub(super) fn read_present(
        points: Points,
        weights: &Weights,
        feature: usize,
        scaling: Scaling,
    ) -> Self {
        let rows = points.iter().zip(weights.as_slice());
        let present = rows.filter(|(row, weight)| **weight > 0.0 && row[feature + 1] == 0.0);
        let values: Vec<(f64, f64)> =
            present.map(|(row, weight)| (row[feature], *weight)).collect();
        if values.is_empty() { Self::Constant(0.0) } else { Self::of(values, scaling) }
    }

    /// From values with their weights.
    fn of(column: Vec<(f64, f64)>, scaling: Scaling) -> Self {
        let low = column.iter().fold(f64::INFINITY, |low, (x, _)| low.min(*x));
        let high = column.iter().fold(f64::NEG_INFINITY, |high, (x, _)| high.max(*x));
        let largest = low.abs().max(high.abs());
        let whole = column.iter().all(|(x, _)| is_whole(*x));
        if low == high || (!whole && high - low <= negligible(largest)) {
            let value = if low == high { low } else { low / 2.0 + high / 2.0 };
            return Self::Constant(value);
        }
        if scaling == Scaling::None {
            return Self::Varying { centre: 0.0, scale: 1.0 };
        }
        let unit = power_of_two(largest);
        let scaled: Vec<(f64, f64)> = column.iter().map(|(x, w)| (x / unit, *w)).collect();
        let (mean, deviation) = mean_and_deviation(&scaled);
        // Only weights below 1e-300 can make the deviation of a varying column vanish.
        let deviation = unit * if deviation > 0.0 { deviation } else { 1.0 };
        let (centre, scale) = match scaling {
            Scaling::Robust => robust(column, deviation),
            _ => ((mean * unit).clamp(low, high), deviation),
        };
        Self::Varying { centre, scale: scale.clamp(f64::MIN_POSITIVE, f64::MAX) }
    }
}

/// Median and IQR / 1.349, or the deviation where the quartiles agree.
fn robust(column: Vec<(f64, f64)>, deviation: f64) -> (f64, f64) {
    let ordered = Ordered::new(column);
    let [low, centre, high] = [0.25, 0.5, 0.75].map(|level| ordered.quantile(level));
    // Halved, since the difference of two finite numbers may not be finite.
    let half_range = high / 2.0 - low / 2.0;
    if 2.0 * half_range > negligible(low.abs().max(high.abs())) {
        (centre, half_range / (NORMAL_IQR / 2.0))
    } else {
        (centre, deviation)
    }
}

/// Whether two values differ by more than rounding; whole numbers are not rounded.
pub(super) fn differ(a: f64, b: f64) -> bool {
    if is_whole(a) && is_whole(b) {
        return a != b;
    }
    (a - b).abs() > negligible(a.abs().max(b.abs()))
}

/// Whether the value is a whole number, of those that a double holds exactly.
fn is_whole(value: f64) -> bool {
    value.abs() <= LARGEST_WHOLE && value.fract() == 0.0
}

/// A difference that does not count between values of at most this magnitude.
fn negligible(magnitude: f64) -> f64 {
    (CONSTANT * magnitude).max(f64::MIN_POSITIVE)
}

/// Weighted mean and standard deviation: x̄ = x₀ + δ, σ² = Σ w (x − x₀)² − δ² with the rounded x₀.
fn mean_and_deviation(column: &[(f64, f64)]) -> (f64, f64) {
    let total: f64 = column.iter().map(|(_, w)| w).sum();
    let rough = column.iter().map(|(x, w)| w * x).sum::<f64>() / total;
    let shift = column.iter().map(|(x, w)| w * (x - rough)).sum::<f64>() / total;
    let square = column.iter().map(|(x, w)| w * (x - rough) * (x - rough)).sum::<f64>() / total;
    (rough + shift, (square - shift * shift).max(0.0).sqrt())
}

/// The power of two at or below a positive number; dividing by it rounds nothing.
pub(super) fn power_of_two(value: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    f64::from_bits(value.to_bits() & EXPONENT).max(f64::MIN_POSITIVE)
}
