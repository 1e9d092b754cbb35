//! The metric of the rows: distances that know which columns go together.
//!
//! ```text
//! u   = e (y − ȳ)
//! Σ   = Σ_i w_i u_i u_iᵀ,    within a category and for gaps a multiple of the identity in its place
//! Σ_γ = (1 − γ) Σ + γ λ̄ I,   λ̄ = mean of the diagonal of Σ over the columns,   γ = 0.1
//! z   = e⁻¹ Σ_γ^(−p) u
//!     = e⁻¹ r (u − V (1 − g) Vᵀ u),   r = (γ λ̄)^(−p),   g_k = (1 + (1 − γ) λ_k / (γ λ̄))^(−p)
//! ```
//!
//! Two columns that always move together are one piece of evidence, and a row that breaks with that
//! is far from all others although every value is usual by itself: at p = ½ the Euclidean length of z
//! is the Mahalanobis distance. The root is the symmetric one, so that each coordinate of z still
//! belongs to a column, as nearly as a rotation allows, and the order of the columns does not matter.
//! A tenth of the mean eigenvalue keeps directions without spread from being blown up to noise.
//!
//! e: 1, and √2 for the values of a category in the Manhattan metric, whose distance is then that of
//! the number they stand for. The values of one category stay as far from each other as they are: only
//! what they have in common with other columns counts. What is taken away on the diagonal is no
//! larger than the multiple of the identity that replaces it, so that Σ stays positive semidefinite.
//! A number whose variance is below `least` hardly varies in these rows, has no covariances and a
//! variance of 1: what little it varies is not to be blown up. In more than [`WIDEST_MIXED`]
//! coordinates categories and gaps are left out of V: each has its own r.
//!
//! Cost: n·d² + d³ to fit, or n²·d + n³ for fewer rows than columns, which span all eigenvectors
//! of λ > 0; d² operations a row, or 2 d for each eigenvector if these are few. Differs from the paper: not in it.

use std::ops::Range;

use nalgebra::{DMatrix, Dyn, SymmetricEigen};

use super::column::power_of_two;
use crate::error::{Error, Result};
use crate::lanes::{self, LANES};
use crate::panels::{Panels, QUERIES, Queries};
use crate::points::{LARGEST, Points};

/// γ, the share of the mean eigenvalue.
const SHRINKAGE: f64 = 0.1;

/// Eigenvalues below this share of the largest are rounding.
const ROUNDING: f64 = 1e-12;

/// The most coordinates among which those of categories and gaps have covariances with others.
const WIDEST_MIXED: usize = 512;

/// Rounds of moving missing numbers to their place.
const ROUNDS: usize = 8;

/// The map from y to z.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Whitening {
    /// ȳ.
    pub(crate) mean: Vec<f64>,
    /// The eigenvectors v_1, v_2, … of Σ, one after another; those of eigenvalue 0 may be left out.
    pub(crate) vectors: Vec<f64>,
    /// g, of each eigenvector: positive, at most 1.
    pub(crate) gains: Vec<f64>,
    /// r, of each coordinate.
    pub(crate) rest: Vec<f64>,
    /// e, of each coordinate.
    pub(crate) units: Vec<f64>,
    /// V (1 − g) Vᵀ, which takes u to what is taken away from it.
    removed: Removed,
}

/// V (1 − g) Vᵀ in the form that takes fewer operations.
#[derive(Debug, Clone, PartialEq)]
enum Removed {
    /// The matrix itself, its rows as points.
    Whole(Panels),
    /// For fewer eigenvectors than half of the coordinates: V and Vᵀ, their columns as points.
    Factors { vectors: Panels, coordinates: Panels },
}

/// What the coordinates of a block are to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Block {
    /// A number.
    Number,
    /// One of the values of a category: those of one source column follow each other.
    Category {
        /// The source column.
        column: usize,
        /// e.
        unit: f64,
    },
    /// Whether a number is missing.
    Gap,
}

impl Block {
    fn unit(self) -> f64 {
        match self {
            Self::Category { unit, .. } => unit,
            Self::Number | Self::Gap => 1.0,
        }
    }
}

impl Whitening {
    /// The map of the weighted rows y.
    pub(super) fn fit(
        scaled: &[f64],
        weights: &[f64],
        blocks: &[Block],
        power: f64,
        least: f64,
    ) -> Result<Self> {
        let mean = mean_row(scaled, weights);
        let units: Vec<f64> = blocks.iter().map(|block| block.unit()).collect();
        let rows = Rows { scaled, weights, mean: &mean, units: &units, unit: 1.0 };
        let rows = Rows { unit: power_of_two(rows.largest()), ..rows };
        let spectrum = rows.spectrum(blocks, least).ok_or_else(|| {
            Error::parameter("whitening", power, "0 for these rows: no eigenvectors were found")
        })?;
        // λ̄ is 0 if clipping made all rows equal: there is nothing to divide by then.
        let (ridge, unit) = match SHRINKAGE * spectrum.mean {
            ridge if ridge > 0.0 => (ridge, rows.unit.powf(-2.0 * power)),
            _ => (1.0, 1.0),
        };
        let shrunk = |eigenvalue: &f64| (1.0 - SHRINKAGE) * eigenvalue + ridge;
        let gain = |eigenvalue: &f64| (ridge / shrunk(eigenvalue)).powf(power);
        let gains = spectrum.eigenvalues.iter().map(gain).collect();
        let alone = |eigenvalue: &f64| shrunk(eigenvalue).powf(-power) * unit;
        let mut rest: Vec<f64> = spectrum.diagonal.iter().map(alone).collect();
        spectrum.together.iter().for_each(|&j| rest[j] = ridge.powf(-power) * unit);
        Ok(Self::new(mean, spectrum.vectors, gains, rest, units))
    }

    /// The map with these parts, whose lengths match.
    pub(crate) fn new(
        mean: Vec<f64>,
        vectors: Vec<f64>,
        gains: Vec<f64>,
        rest: Vec<f64>,
        units: Vec<f64>,
    ) -> Self {
        let removed = Removed::new(&vectors, &gains, mean.len());
        Self { mean, vectors, gains, rest, units, removed }
    }

    /// z of rows y, which are overwritten. `missing` are the coordinates of the missing numbers of
    /// every row. They move to where the length of z is least: where the other columns of the
    /// row, by the covariance, have them on average.
    pub(super) fn map(&self, scaled: &mut [f64], missing: &[Vec<usize>], z: &mut [f64]) {
        let d = self.mean.len();
        for row in scaled.chunks_exact_mut(d) {
            for ((y, mean), unit) in row.iter_mut().zip(&self.mean).zip(&self.units) {
                *y = unit * (*y - mean);
            }
        }
        for (u, missing) in scaled.chunks_exact_mut(d).zip(missing) {
            if !missing.is_empty() {
                self.place_missing(u, missing);
            }
        }
        self.removed.multiply(&self.gains, scaled, z);
        for (z, u) in z.chunks_exact_mut(d).zip(scaled.chunks_exact(d)) {
            for (j, (z, u)) in z.iter_mut().zip(u).enumerate() {
                let value = self.rest[j] * (u - *z) / self.units[j];
                // A map read from a file may overflow to NaN.
                *z = if value.is_nan() { LARGEST } else { value.clamp(-LARGEST, LARGEST) };
            }
        }
    }

    /// Minimises ‖e z‖² = r² uᵀ(I − V (1 − g²) Vᵀ) u by the missing coordinates of u, one at a time.
    fn place_missing(&self, u: &mut [f64], missing: &[usize]) {
        // Vᵀu.
        let mut along: Vec<f64> =
            self.vectors.chunks_exact(u.len()).map(|v| lanes::dot(v, u)).collect();
        for _ in 0..ROUNDS {
            for &j in missing {
                let components = || self.vectors[j..].iter().step_by(u.len());
                let (mut slope, mut curvature) = (u[j], 1.0);
                for ((v, g), p) in components().zip(&self.gains).zip(along.iter()) {
                    slope -= v * (1.0 - g * g) * p;
                    curvature -= v * (1.0 - g * g) * v;
                }
                let step = slope / curvature;
                for (v, p) in components().zip(along.iter_mut()) {
                    *p -= step * v;
                }
                u[j] -= step;
            }
        }
    }

    /// y of z.
    pub(super) fn map_back(&self, z: &[f64]) -> Vec<f64> {
        let d = z.len();
        let mut u: Vec<f64> = (0..d).map(|j| self.units[j] * z[j] / self.rest[j]).collect();
        let along: Vec<f64> = self
            .vectors
            .chunks_exact(d)
            .map(|v| v.iter().zip(&u).map(|(v, u)| v * u).sum())
            .collect();
        for ((v, g), p) in self.vectors.chunks_exact(d).zip(&self.gains).zip(along) {
            u.iter_mut().zip(v).for_each(|(u, v)| *u += (1.0 / g - 1.0) * p * v);
        }
        (0..d).map(|j| self.mean[j] + u[j] / self.units[j]).collect()
    }

    /// log|det ∂z/∂y|: the eigenvectors are orthonormal, and the units cancel.
    pub(super) fn log_determinant(&self) -> f64 {
        self.rest.iter().chain(&self.gains).map(|factor| factor.ln()).sum()
    }
}

impl Removed {
    fn new(vectors: &[f64], gains: &[f64], d: usize) -> Self {
        let rank = gains.len();
        let panels =
            |values: &[f64], columns: usize| Panels::new(Points::new_unchecked(values, columns));
        if 2 * rank < d {
            let coordinates: Vec<f64> =
                (0..d * rank).map(|at| vectors[at % rank * d + at / rank]).collect();
            return Self::Factors {
                vectors: panels(vectors, d),
                coordinates: panels(&coordinates, rank),
            };
        }
        let vectors = DMatrix::from_column_slice(d, rank, vectors);
        let mut scaled = vectors.clone();
        scaled.column_iter_mut().zip(gains).for_each(|(mut v, g)| v *= 1.0 - g);
        Self::Whole(panels((scaled * vectors.transpose()).as_slice(), d))
    }

    /// Its product with every row u.
    fn multiply(&self, gains: &[f64], rows: &[f64], out: &mut [f64]) {
        match self {
            Self::Whole(matrix) => projections(matrix, rows, out),
            Self::Factors { vectors, coordinates } => {
                let mut along = vec![0.0; rows.len() / vectors.columns() * gains.len()];
                projections(vectors, rows, &mut along);
                for along in along.chunks_exact_mut(gains.len()) {
                    along.iter_mut().zip(gains).for_each(|(p, g)| *p *= 1.0 - g);
                }
                projections(coordinates, &along, out);
            }
        }
    }
}

/// The inner products of every row with every point.
fn projections(points: &Panels, rows: &[f64], out: &mut [f64]) {
    fn of<const Q: usize>(points: &Panels, rows: Points, out: &mut [f64]) {
        lanes::dispatch(
            #[inline(always)]
            || {
                for first in (0..rows.rows()).step_by(Q) {
                    let queries: Queries<f64, Q> = Queries::new(rows, first);
                    let out = &mut out[first * points.rows()..];
                    for p in 0..points.count() {
                        let tile = queries.projections(points.panel(p));
                        for (out, products) in out.chunks_mut(points.rows()).zip(tile) {
                            let out = &mut out[p * LANES..];
                            out.iter_mut().zip(products).for_each(|(out, product)| *out = product);
                        }
                    }
                }
            },
        );
    }
    let rows = Points::new_unchecked(rows, points.columns());
    match rows.rows() {
        1 => of::<1>(points, rows, out),
        _ => of::<QUERIES>(points, rows, out),
    }
}

/// Weighted rows as the covariance sees them: e (y − ȳ), in a unit.
struct Rows<'a> {
    scaled: &'a [f64],
    weights: &'a [f64],
    mean: &'a [f64],
    units: &'a [f64],
    unit: f64,
}

/// Eigenvalues and eigenvectors of the covariance.
struct Spectrum {
    eigenvalues: Vec<f64>,
    vectors: Vec<f64>,
    /// The diagonal of Σ.
    diagonal: Vec<f64>,
    /// λ̄.
    mean: f64,
    /// The coordinates that the eigenvectors are of, ascending; 0 in the others.
    together: Vec<usize>,
}

/// What is known of Σ before its covariances.
struct Diagonal {
    /// Variances; for every value of a category the variance of all, or 1 if that is more; 1 for a
    /// gap and for a steady number.
    values: Vec<f64>,
    /// λ̄, in which a category counts as one column.
    mean: f64,
    /// Whether it is a number that hardly varies.
    steady: Vec<bool>,
}

impl Rows<'_> {
    fn largest(&self) -> f64 {
        let counted = self.scaled.chunks_exact(self.mean.len()).zip(self.weights);
        let values =
            counted.filter(|(_, w)| **w > 0.0).flat_map(|(row, _)| row.iter().zip(self.mean));
        values.map(|(y, m)| (y - m).abs()).fold(0.0, f64::max)
    }

    /// `None` if the eigenvectors are not found.
    fn spectrum(&self, blocks: &[Block], least: f64) -> Option<Spectrum> {
        let d = blocks.len();
        let is_number = |j: &usize| blocks[*j] == Block::Number;
        let Diagonal { values: diagonal, mean, steady } = self.diagonal(blocks, least);
        let together: Vec<usize> =
            (0..d).filter(|j| !steady[*j] && (d <= WIDEST_MIXED || is_number(j))).collect();
        let (eigenvalues, found) = if together.is_empty() {
            Default::default()
        } else if self.weights.len() < together.len() && together.iter().all(is_number) {
            self.by_rows(&together)?
        } else {
            let mut sigma = self.covariance(&together);
            separate_blocks(&mut sigma, &together, blocks, &diagonal);
            let eigen = decompose(sigma)?;
            (eigen.eigenvalues.as_slice().to_vec(), eigen.eigenvectors.as_slice().to_vec())
        };
        // At least one, so that there is something to project on.
        if eigenvalues.is_empty() {
            let mut first = vec![0.0; d];
            first[0] = 1.0;
            return Some(Spectrum {
                eigenvalues: vec![0.0],
                vectors: first,
                diagonal,
                mean,
                together,
            });
        }
        let mut vectors = vec![0.0; eigenvalues.len() * d];
        let of_all = vectors.chunks_exact_mut(d).zip(found.chunks_exact(together.len()));
        for (vector, found) in of_all {
            together.iter().zip(found).for_each(|(&j, value)| vector[j] = *value);
        }
        Some(Spectrum { eigenvalues, vectors, diagonal, mean, together })
    }

    /// The eigenvalues and eigenvectors of XᵀX by those of X Xᵀ, X the rows: those that are not 0.
    fn by_rows(&self, together: &[usize]) -> Option<(Vec<f64>, Vec<f64>)> {
        let rows = self.matrix(together, 0..self.weights.len());
        let eigen = decompose(rows.tr_mul(&rows))?;
        let negligible = ROUNDING * eigen.eigenvalues.max();
        let (mut eigenvalues, mut vectors) = (Vec::new(), Vec::new());
        let directions = &rows * &eigen.eigenvectors;
        for (eigenvalue, direction) in eigen.eigenvalues.iter().zip(directions.column_iter()) {
            if *eigenvalue > negligible {
                eigenvalues.push(*eigenvalue);
                vectors.extend(direction.iter().map(|x| x / eigenvalue.sqrt()));
            }
        }
        Some((eigenvalues, vectors))
    }

    /// Σ of some coordinates, before blocks are separated.
    fn covariance(&self, coordinates: &[usize]) -> DMatrix<f64> {
        const AT_ONCE: usize = 1024;
        let mut covariance = DMatrix::zeros(coordinates.len(), coordinates.len());
        for first in (0..self.weights.len()).step_by(AT_ONCE) {
            let last = self.weights.len().min(first + AT_ONCE);
            let rows = self.matrix(coordinates, first..last);
            covariance += &rows * rows.transpose();
        }
        covariance
    }

    /// √w times the row, a column for each of some rows.
    fn matrix(&self, coordinates: &[usize], rows: Range<usize>) -> DMatrix<f64> {
        let d = self.mean.len();
        DMatrix::from_fn(coordinates.len(), rows.len(), |k, i| {
            let (i, j) = (rows.start + i, coordinates[k]);
            self.weights[i].sqrt() * self.value(i * d, j)
        })
    }

    fn value(&self, first: usize, j: usize) -> f64 {
        self.units[j] * ((self.scaled[first + j] - self.mean[j]) / self.unit)
    }

    fn diagonal(&self, blocks: &[Block], least: f64) -> Diagonal {
        let d = blocks.len();
        let mut values = vec![0.0; d];
        for (i, w) in self.weights.iter().enumerate() {
            for (j, sum) in values.iter_mut().enumerate() {
                let value = self.value(i * d, j);
                *sum += w * value * value;
            }
        }
        let one = 1.0 / (self.unit * self.unit);
        let steady = |j: usize| blocks[j] == Block::Number && values[j] < least * one;
        let steady: Vec<bool> = (0..d).map(steady).collect();
        let (mut sum, mut columns, mut first) = (0.0, 0.0, 0);
        for run in blocks.chunk_by(|a, b| a == b && *a != Block::Number) {
            let variances = &mut values[first..first + run.len()];
            match run[0] {
                Block::Number if steady[first] => variances.fill(one),
                Block::Number => {}
                Block::Category { .. } => {
                    let total: f64 = variances.iter().sum();
                    variances.fill(total.max(one));
                }
                Block::Gap => variances.fill(one),
            }
            sum += variances[0];
            columns += 1.0;
            first += run.len();
        }
        Diagonal { values, mean: sum / columns, steady }
    }
}

/// Takes away the covariances within a category, and all those of a gap.
fn separate_blocks(
    sigma: &mut DMatrix<f64>,
    coordinates: &[usize],
    blocks: &[Block],
    diagonal: &[f64],
) {
    for (k, &i) in coordinates.iter().enumerate() {
        for (l, &j) in coordinates.iter().enumerate() {
            let apart = match (blocks[i], blocks[j]) {
                (Block::Gap, _) | (_, Block::Gap) => true,
                (Block::Category { .. }, other) => other == blocks[i],
                (Block::Number, _) => false,
            };
            if apart {
                sigma[(k, l)] = if k == l { diagonal[i] } else { 0.0 };
            }
        }
    }
}

/// `None` if the eigenvectors are not found. Rounding may make an eigenvalue negative: it is 0.
fn decompose(matrix: DMatrix<f64>) -> Option<SymmetricEigen<f64, Dyn>> {
    let rounds = 1000 * matrix.nrows().max(100);
    let mut eigen = SymmetricEigen::try_new(matrix, f64::EPSILON, rounds)?;
    eigen.eigenvalues.apply(|eigenvalue| *eigenvalue = eigenvalue.max(0.0));
    Some(eigen)
}

/// Weighted mean of the rows, in two passes the second for the rounding of the first.
fn mean_row(rows: &[f64], weights: &[f64]) -> Vec<f64> {
    let columns = rows.len() / weights.len();
    let total: f64 = weights.iter().sum();
    let mut mean = vec![0.0; columns];
    for _ in 0..2 {
        let mut shift = vec![0.0; columns];
        for (row, weight) in rows.chunks_exact(columns).zip(weights) {
            for ((s, y), m) in shift.iter_mut().zip(row).zip(&mean) {
                *s += weight * (y - m);
            }
        }
        mean.iter_mut().zip(&shift).for_each(|(m, s)| *m += s / total);
    }
    mean
}

#[cfg(test)]
mod tests;
