//! Points and weights from arrays of the crate `ndarray`, and views of points as its arrays.
//!
//! Rows that lie one after another (ndarray's standard layout) are borrowed, never copied. Other
//! layouts are refused, since a copy needs an owner; `as_standard_layout` is one, and copies only
//! where it must:
//!
//! ```
//! use ndarray::{Array1, Array2, ArrayView2, array};
//! use sosrep::{DetectorParams, Error, Points};
//!
//! let rows = Array2::from_shape_fn((300, 2), |(i, j)| (i as f64 + j as f64 * 1.6).cos());
//! let points = Points::try_from(&rows)?;
//! let detector = DetectorParams::new().fit(points, None)?;
//!
//! // Two rows, stored column after column.
//! let by_columns = array![[0.6, 0.0], [0.8, 0.1]];
//! let rows = by_columns.t();
//! assert_eq!(Points::try_from(rows), Err(Error::NotRowMajor));
//! let rows = rows.as_standard_layout();
//! let assessment = detector.assess(Points::try_from(&rows)?)?;
//!
//! // Results are plain vectors, which ndarray takes over without a copy.
//! let scores = Array1::from(assessment.scores);
//! assert_eq!(scores.len(), 2);
//! let gradients = detector.density().score_function(points)?;
//! let gradients = ArrayView2::from(Points::new(&gradients, 2)?);
//! assert_eq!(gradients.dim(), (300, 2));
//! # Ok::<(), Error>(())
//! ```

use ndarray::{ArrayBase, ArrayView1, ArrayView2, Data, Ix1, Ix2};

use super::{Points, Weights};
use crate::error::{Error, Result};

/// Borrows the rows of a view in standard layout.
///
/// # Errors
/// [`Error::NotRowMajor`] for another layout, and those of [`Points::new`].
impl<'a> TryFrom<ArrayView2<'a, f64>> for Points<'a> {
    type Error = Error;

    fn try_from(rows: ArrayView2<'a, f64>) -> Result<Self> {
        let columns = rows.ncols();
        Self::new(rows.to_slice().ok_or(Error::NotRowMajor)?, columns)
    }
}

/// Borrows the rows of an array in standard layout.
///
/// # Errors
/// [`Error::NotRowMajor`] for another layout, and those of [`Points::new`].
impl<'a, S: Data<Elem = f64>> TryFrom<&'a ArrayBase<S, Ix2>> for Points<'a> {
    type Error = Error;

    fn try_from(rows: &'a ArrayBase<S, Ix2>) -> Result<Self> {
        rows.view().try_into()
    }
}

/// The points as a view, without a copy.
impl<'a> From<Points<'a>> for ArrayView2<'a, f64> {
    fn from(points: Points<'a>) -> Self {
        let shape = (points.rows(), points.columns());
        Self::from_shape(shape, points.as_slice()).expect("the buffer has rows × columns values")
    }
}

/// Weights of any layout; they are scaled, hence copied.
///
/// # Errors
/// Those of [`Weights::new`].
impl<S: Data<Elem = f64>> TryFrom<&ArrayBase<S, Ix1>> for Weights {
    type Error = Error;

    fn try_from(weights: &ArrayBase<S, Ix1>) -> Result<Self> {
        Self::new(&weights.to_vec())
    }
}

/// The shares of the rows, without a copy.
impl<'a> From<&'a Weights> for ArrayView1<'a, f64> {
    fn from(weights: &'a Weights) -> Self {
        Self::from(weights.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array, s};

    #[test]
    fn standard_layout_is_borrowed_and_comes_back_as_the_same_view() {
        let rows = Array2::from_shape_fn((5, 3), |(i, j)| (10 * i + j) as f64);
        let points = Points::try_from(&rows).unwrap();
        assert_eq!((points.rows(), points.columns()), (5, 3));
        assert!(std::ptr::eq(points.as_slice().as_ptr(), rows.as_ptr()));
        assert_eq!(ArrayView2::from(points), rows);
        let middle = Points::try_from(rows.slice(s![1..3, ..])).unwrap();
        assert_eq!(middle.as_slice(), [10.0, 11.0, 12.0, 20.0, 21.0, 22.0]);
    }

    #[test]
    fn other_layouts_are_refused_and_their_standard_layout_is_not() {
        let rows = Array2::from_shape_fn((4, 3), |(i, j)| (10 * i + j) as f64);
        for view in [rows.t(), rows.slice(s![..;2, ..]), rows.slice(s![.., ..2])] {
            assert_eq!(Points::try_from(view), Err(Error::NotRowMajor));
            let standard = view.as_standard_layout();
            assert_eq!(ArrayView2::from(Points::try_from(&standard).unwrap()), view);
        }
    }

    #[test]
    fn empty_arrays_and_bad_values_are_named() {
        let empty = |shape| Array2::<f64>::zeros(shape);
        assert_eq!(Points::try_from(&empty((0, 3))), Err(Error::NoRows));
        assert_eq!(Points::try_from(&empty((3, 0))), Err(Error::NoColumns));
        let bad = array![[0.0, 1.0], [2.0, f64::INFINITY]];
        let error = Error::NotFinite { row: 1, column: 1, value: f64::INFINITY };
        assert_eq!(Points::try_from(&bad), Err(error));
    }

    #[test]
    fn weights_come_from_any_layout() {
        let table = array![[1.0, 7.0], [1.0, 7.0], [2.0, 7.0]];
        let weights = Weights::try_from(&table.column(0)).unwrap();
        assert_eq!(weights, Weights::new(&[1.0, 1.0, 2.0]).unwrap());
        assert_eq!(ArrayView1::from(&weights), array![0.25, 0.25, 0.5]);
    }
}
