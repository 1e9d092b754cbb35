//! Checked input: a row-major view of n×d finite numbers, and weights that are copies of rows.
//!
//! Shapes, NaN and infinity are checked here and nowhere else; every function that takes a
//! [`Points`] may rely on them.
//!
//! ```
//! use sosrep::{Error, Points, Weights};
//!
//! let points = Points::new(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 2)?;
//! assert_eq!((points.rows(), points.columns()), (3, 2));
//! assert_eq!(points.row(1), [2.0, 3.0]);
//!
//! let weights = Weights::new(&[1.0, 1.0, 2.0])?;
//! assert_eq!(weights.as_slice(), [0.25, 0.25, 0.5]);
//! assert_eq!(weights.copies(), 4.0);
//!
//! let broken = Points::new(&[0.0, f64::NAN], 1);
//! assert!(matches!(broken, Err(Error::NotFinite { row: 1, column: 0, .. })));
//! # Ok::<(), Error>(())
//! ```

#[cfg(feature = "ndarray")]
mod arrays;

use crate::error::{Error, Result};

/// The largest magnitude of rows that are fitted: the square of a distance stays finite.
pub(crate) const LARGEST: f64 = 1e145;

/// A borrowed n×d table of finite numbers, row after row; n ≥ 1, d ≥ 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Points<'a> {
    values: &'a [f64],
    columns: usize,
}

impl<'a> Points<'a> {
    /// Checks the shape and every value.
    ///
    /// # Errors
    /// [`Error::NoColumns`], [`Error::NoRows`], [`Error::RaggedBuffer`], or [`Error::NotFinite`]
    /// naming the first offending row and column.
    pub fn new(values: &'a [f64], columns: usize) -> Result<Self> {
        if columns == 0 {
            return Err(Error::NoColumns);
        }
        if values.is_empty() {
            return Err(Error::NoRows);
        }
        if !values.len().is_multiple_of(columns) {
            return Err(Error::RaggedBuffer { values: values.len(), columns });
        }
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(Self { values, columns }),
            Some(at) => {
                Err(Error::NotFinite { row: at / columns, column: at % columns, value: values[at] })
            }
        }
    }

    /// A view of values that were checked before.
    pub(crate) fn new_unchecked(values: &'a [f64], columns: usize) -> Self {
        debug_assert!(Self::new(values, columns).is_ok());
        Self { values, columns }
    }

    /// Rows `first` to `last`, the latter excluded.
    pub(crate) fn part(&self, first: usize, last: usize) -> Self {
        Self { values: &self.values[first * self.columns..last * self.columns], ..*self }
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.values.len() / self.columns
    }

    /// Number of columns, d.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Row `i`.
    ///
    /// # Panics
    /// If `i` is not below [`rows`](Self::rows).
    pub fn row(&self, i: usize) -> &'a [f64] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }

    /// All rows in order.
    pub fn iter(&self) -> std::slice::ChunksExact<'a, f64> {
        self.values.chunks_exact(self.columns)
    }

    /// The underlying row-major buffer.
    pub fn as_slice(&self) -> &'a [f64] {
        self.values
    }

    /// An error unless the number of columns is `expected`.
    pub(crate) fn expect_columns(&self, expected: usize) -> Result<()> {
        if self.columns == expected {
            Ok(())
        } else {
            Err(Error::WrongColumns { expected, found: self.columns })
        }
    }

    /// An error unless the square of every distance is finite, in any number of columns.
    pub(crate) fn expect_distances(&self) -> Result<()> {
        match self.values.iter().position(|value| value.abs() > LARGEST) {
            None => Ok(()),
            Some(at) => Err(Error::TooLarge {
                row: at / self.columns,
                column: at % self.columns,
                value: self.values[at],
                limit: LARGEST,
            }),
        }
    }

    /// The rows with the given indices, copied into one buffer.
    pub(crate) fn select(&self, indices: &[usize]) -> Vec<f64> {
        let mut values = Vec::with_capacity(indices.len() * self.columns());
        indices.iter().for_each(|&i| values.extend_from_slice(self.row(i)));
        values
    }
}

/// An error unless `vector` has `expected` entries.
pub(crate) fn expect_length(what: &'static str, vector: &[f64], expected: usize) -> Result<()> {
    if vector.len() == expected {
        Ok(())
    } else {
        Err(Error::WrongLength { what, expected, found: vector.len() })
    }
}

/// An error unless `vector` has `expected` entries, all finite.
pub(crate) fn expect_finite(what: &'static str, vector: &[f64], expected: usize) -> Result<()> {
    expect_length(what, vector, expected)?;
    match vector.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Error::NotFiniteEntry { what, index, value: vector[index] }),
    }
}

/// Weights of one copy up to this factor are one copy: shares round.
const ONE_COPY: f64 = 1.0 + 1e-9;

/// One non-negative weight per row, scaled to shares that sum to one.
///
/// A weight of k is k copies of the row in all that is computed from it, thresholds and p-values
/// included. Most of that depends on the shares alone; what counts rows counts N copies instead:
///
/// ```text
/// N = max(W, m)        W the sum of the weights given, m the number of positive ones
/// ```
///
/// One copy is the share 1/N. Weights below one on average say how much rows matter rather than
/// how often they occur; every row still counts as a row then, and only the shares differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// w, summing to one.
    shares: Vec<f64>,
    /// N ≥ 1, finite.
    copies: f64,
    /// As they were given; none of them for one each.
    given: Vec<f64>,
}

impl Weights {
    /// Weight 1/n for each of `rows` rows, one copy each.
    ///
    /// # Panics
    /// If `rows` is 0: no weights sum to one.
    pub fn equal(rows: usize) -> Self {
        assert!(rows > 0, "weights need at least one row");
        Self { shares: vec![1.0 / rows as f64; rows], copies: rows as f64, given: Vec::new() }
    }

    /// Checks and scales the given weights.
    ///
    /// # Errors
    /// [`Error::NoRows`], [`Error::BadWeight`] with the row of a negative or non-finite weight,
    /// [`Error::ZeroWeights`].
    pub fn new(weights: &[f64]) -> Result<Self> {
        if weights.is_empty() {
            return Err(Error::NoRows);
        }
        if let Some(row) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return Err(Error::BadWeight { row, value: weights[row] });
        }
        // Dividing by the largest first keeps the sum finite for weights near f64::MAX.
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return Err(Error::ZeroWeights);
        }
        let total: f64 = weights.iter().map(|w| w / largest).sum();
        let shares: Vec<f64> = weights.iter().map(|w| w / largest / total).collect();
        let positive = shares.iter().filter(|share| **share > 0.0).count() as f64;
        let copies = weights.iter().sum::<f64>().clamp(positive, f64::MAX);
        Ok(Self { shares, copies, given: weights.to_vec() })
    }

    /// The same shares, standing for another number of copies.
    pub(crate) fn with_copies(self, copies: f64) -> Self {
        Self { copies, ..self }
    }

    /// The same shares of rows that are merged from so many.
    pub(crate) fn of_rows(self, rows: u64) -> Self {
        let copies = self.copies.max(rows as f64);
        Self { copies, ..self }
    }

    /// The weight of row `i`, as it was given.
    pub(crate) fn given(&self, i: usize) -> f64 {
        self.given.get(i).copied().unwrap_or(1.0)
    }

    /// The weights, summing to one.
    pub fn as_slice(&self) -> &[f64] {
        &self.shares
    }

    /// N: the number of copies the rows stand for, at least 1; of equal weights the number of rows.
    pub fn copies(&self) -> f64 {
        self.copies
    }

    /// Whether every row stands for a whole number of copies, up to rounding.
    pub(crate) fn are_counts(&self) -> bool {
        let counts = self.shares.iter().map(|share| share * self.copies);
        counts.into_iter().all(|count| (count - count.round()).abs() <= 1e-9 * count)
    }

    /// The share of one copy of row `i`: 1/N, or all of a row that is less than a copy.
    pub(crate) fn one_copy_of(&self, i: usize) -> f64 {
        let one_copy = 1.0 / self.copies;
        if self.shares[i] <= ONE_COPY * one_copy { self.shares[i] } else { one_copy }
    }

    /// An error unless there is one weight per row of `points`.
    pub(crate) fn expect_rows(&self, points: Points) -> Result<()> {
        expect_length("weights", &self.shares, points.rows())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_shapes_are_named() {
        assert_eq!(Points::new(&[], 3), Err(Error::NoRows));
        assert_eq!(Points::new(&[1.0], 0), Err(Error::NoColumns));
        assert_eq!(Points::new(&[1.0; 5], 2), Err(Error::RaggedBuffer { values: 5, columns: 2 }));
        assert_eq!(
            Points::new(&[0.0, 0.0, 0.0, f64::INFINITY], 2),
            Err(Error::NotFinite { row: 1, column: 1, value: f64::INFINITY })
        );
    }

    #[test]
    fn values_without_distances_are_named() {
        let rows = [1.0, -2e145, 3.0, 1e145];
        let points = Points::new(&rows, 2).unwrap();
        let (row, column, limit) = (0, 1, 1e145);
        let error = Error::TooLarge { row, column, value: -2e145, limit };
        assert_eq!(points.expect_distances(), Err(error));
        assert_eq!(points.part(1, 2).expect_distances(), Ok(()));
    }

    #[test]
    fn bad_weights_are_named() {
        assert_eq!(Weights::new(&[]), Err(Error::NoRows));
        assert_eq!(Weights::new(&[0.0, 0.0]), Err(Error::ZeroWeights));
        assert_eq!(Weights::new(&[1.0, -2.0]), Err(Error::BadWeight { row: 1, value: -2.0 }));
        assert!(matches!(Weights::new(&[f64::NAN]), Err(Error::BadWeight { row: 0, .. })));
    }

    #[test]
    fn weights_sum_to_one_whatever_their_scale() {
        for scale in [1e-300, 1.0, 1e307] {
            let weights = Weights::new(&[scale, 2.0 * scale, 5.0 * scale]).unwrap();
            assert!((weights.as_slice().iter().sum::<f64>() - 1.0).abs() < 1e-15);
            assert!((weights.as_slice()[2] - 0.625).abs() < 1e-15);
        }
    }

    #[test]
    fn copies_are_counted_unless_weights_are_below_one_on_average() {
        let copies = |weights: &[f64]| Weights::new(weights).unwrap().copies();
        assert_eq!(Weights::equal(7).copies(), 7.0);
        assert_eq!(copies(&[1.0, 0.0, 3.0, 2.0]), 6.0);
        assert_eq!(copies(&[0.5, 2.0]), 2.5);
        // Importance weights: three rows are three rows.
        assert_eq!(copies(&[0.2, 0.0, 0.3, 0.1]), 3.0);
        assert_eq!(copies(&[1e-300, 1e-300]), 2.0);
        assert_eq!(copies(&[f64::MAX, f64::MAX]), f64::MAX);
    }

    #[test]
    fn one_copy_of_a_row_is_no_more_than_the_row() {
        // 1, 2 and 3 of 49 copies, and of 3 rows one below the average.
        let weights: Vec<f64> = (0..24).map(|i| f64::from(i % 3 + 1)).chain([1.0]).collect();
        let weights = Weights::new(&weights).unwrap();
        for (i, share) in weights.as_slice().iter().enumerate() {
            let parts = share / weights.one_copy_of(i);
            if i % 3 == 0 {
                assert_eq!(parts, 1.0);
            } else {
                assert!((parts - f64::from(i as u32 % 3 + 1)).abs() < 1e-14);
            }
        }
        let weights = Weights::new(&[0.1, 0.3, 0.2]).unwrap();
        assert_eq!(weights.one_copy_of(0), weights.as_slice()[0]);
        assert_eq!(weights.one_copy_of(1), 1.0 / 3.0);
    }
}
