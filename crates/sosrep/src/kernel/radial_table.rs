//! A smooth function of one positive number as a table of polynomials, indexed by its bits.
//!
//! Paper: Section 4 needs the SDO kernel at every pair of points; this is how a profile that is
//! costly to compute becomes a few multiplications.
//!
//! ```text
//! g(v) ≈ c₀ + c₁ y + … + c₇ y⁷,   y ∈ [−1, 1) the place of v in its interval
//! ```
//!
//! * intervals: 32 per power of two; the number of an interval is the exponent and the top five
//!   mantissa bits of v, and y is made of the other mantissa bits, so nothing is searched
//! * c: the polynomial through g at the eight Chebyshev nodes of the interval
//!
//! Cost: one row of 64 bytes and seven multiply-adds per value; no root, no logarithm, no branch
//! besides two clamps. A function with phase or exponent a over half an interval is met to about
//! 2 (a/2)⁸/8! of its size: 3e-12 for a = ¼, 2e-7 for a = 1. Half an interval is at most v/64.
//!
//! Numerics: where g is nearly constant its coefficients come from g − constant, so that slope and
//! curvature keep their digits. Arguments below the first interval have a fixed value; arguments
//! above the last one must be handled by the caller. v must not be negative or NaN.
//!
//! Differs from the paper: it has no counterpart there, the paper averages random features.

use super::ProfileJet;
use super::jets::ProfileJets;
use crate::lanes::{LANES, Lanes};

/// Coefficients per interval.
const TERMS: usize = 8;
/// Mantissa bits that are not part of the interval's number.
const PLACE_BITS: u32 = 52 - 5;
const PLACE_MASK: u64 = (1 << PLACE_BITS) - 1;
const EXPONENT_MASK: u64 = 0x7ff << 52;
const ONE_BITS: u64 = 1.0_f64.to_bits();
/// Half the width of an interval, over the power of two it belongs to.
const HALF_WIDTH: f64 = 1.0 / 64.0;

/// A function value as `base + deviation`; the base may change only at powers of two.
pub(crate) struct Split {
    pub(crate) base: f64,
    pub(crate) deviation: f64,
}

/// Piecewise polynomials in v, see the module.
#[derive(Debug, Clone)]
pub(crate) struct RadialTable {
    /// Number of the (virtual) interval before the first: its row holds the constant.
    below: u64,
    rows: Vec<[f64; TERMS]>,
    start: f64,
    end: f64,
    /// Arguments are looked up between these: the first of the row below, the last of the last row.
    lowest: f64,
    highest: f64,
}

impl RadialTable {
    /// Tabulates `profile` from `start` to `end`, both rounded down to an interval's edge.
    /// Arguments below `start` have the value `below_start`.
    pub(crate) fn build(
        start: f64,
        end: f64,
        below_start: f64,
        profile: impl Fn(f64) -> Split,
    ) -> Self {
        let (first, last) = (interval(start), interval(end));
        let to_monomials = interpolation_matrix();
        let mut constant = [0.0; TERMS];
        constant[0] = below_start;
        let mut rows = vec![constant];
        rows.extend((first..last).map(|number| fit(number, &to_monomials, &profile)));
        Self::of_rows(first, rows)
    }

    /// The table whose second row belongs to interval `first`.
    fn of_rows(first: u64, rows: Vec<[f64; TERMS]>) -> Self {
        let end = edge(first - 1 + rows.len() as u64);
        let (lowest, highest) = (edge(first - 1), end.next_down());
        Self { below: first - 1, rows, start: edge(first), end, lowest, highest }
    }

    /// Tabulates two functions that are computed together, see [`build`](Self::build).
    pub(crate) fn build_pair(
        start: f64,
        end: f64,
        profiles: impl Fn(f64) -> [f64; 2],
    ) -> [Self; 2] {
        let (first, last) = (interval(start), interval(end));
        let to_monomials = interpolation_matrix();
        let mut rows = [0, 1].map(|_| vec![[0.0; TERMS]]);
        for number in first..last {
            let values = nodes(number).map(&profiles);
            for (which, rows) in rows.iter_mut().enumerate() {
                rows.push(interpolate(&to_monomials, values.map(|pair| pair[which])));
            }
        }
        rows.map(|rows| Self::of_rows(first, rows))
    }

    /// The first argument past the table.
    pub(crate) fn end(&self) -> f64 {
        self.end
    }

    /// The function at v < [`end`](Self::end).
    #[inline(always)]
    pub(crate) fn value(&self, v: f64) -> f64 {
        let (row, y) = self.locate(v);
        row.iter().rev().fold(0.0, |sum, c| sum * y + c)
    }

    /// The function at eight arguments below [`end`](Self::end).
    #[inline(always)]
    pub(crate) fn values(&self, v: &Lanes) -> Lanes {
        let (mut rows, mut y) = ([&self.rows[0]; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            (rows[lane], y[lane]) = self.locate(v[lane]);
        }
        let mut sum = [0.0; LANES];
        for term in (0..TERMS).rev() {
            for lane in 0..LANES {
                sum[lane] = sum[lane] * y[lane] + rows[lane][term];
            }
        }
        sum
    }

    /// The function and its derivatives at v < [`end`](Self::end); the derivatives below
    /// the first interval are those at its start.
    pub(crate) fn jet(&self, v: f64) -> ProfileJet {
        let value = self.value(v);
        let inside = v.max(self.start);
        let (row, y) = self.locate(inside);
        let [mut polynomial, mut slope, mut half_curvature] = [0.0; 3];
        for c in row.iter().rev() {
            half_curvature = half_curvature * y + slope;
            slope = slope * y + polynomial;
            polynomial = polynomial * y + c;
        }
        let dy_dv = dy_dv(inside);
        let curvature = 2.0 * half_curvature * dy_dv * dy_dv;
        ProfileJet { value, slope: slope * dy_dv, curvature }
    }

    /// The function and its derivatives at eight arguments below [`end`](Self::end), to the bit
    /// those of [`jet`](Self::jet).
    #[inline(always)]
    pub(crate) fn jets(&self, v: &Lanes) -> ProfileJets {
        let (mut rows, mut y) = ([&self.rows[0]; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            let inside = if v[lane] > self.start { v[lane] } else { self.start };
            (rows[lane], y[lane]) = self.locate(inside);
        }
        let [mut value, mut slope, mut curvature] = [[0.0; LANES]; 3];
        for power in (0..TERMS).rev() {
            for lane in 0..LANES {
                curvature[lane] = curvature[lane] * y[lane] + slope[lane];
                slope[lane] = slope[lane] * y[lane] + value[lane];
                value[lane] = value[lane] * y[lane] + rows[lane][power];
            }
        }
        let below_start = self.rows[0][0];
        for lane in 0..LANES {
            let dy_dv = dy_dv(if v[lane] > self.start { v[lane] } else { self.start });
            value[lane] = if v[lane] < self.start { below_start } else { value[lane] };
            slope[lane] *= dy_dv;
            curvature[lane] = 2.0 * curvature[lane] * dy_dv * dy_dv;
        }
        ProfileJets { value, slope, curvature }
    }

    #[inline(always)]
    fn locate(&self, v: f64) -> (&[f64; TERMS], f64) {
        // Comparisons that become single instructions, before anything is an integer.
        let v = if v > self.lowest { v } else { self.lowest };
        let v = if v < self.highest { v } else { self.highest };
        let bits = v.to_bits();
        let row = ((bits >> PLACE_BITS) - self.below) as usize;
        let place = f64::from_bits(((bits & PLACE_MASK) << 5) | ONE_BITS);
        (&self.rows[row], 2.0 * place - 3.0)
    }
}

/// Rounds v up to an interval's edge.
pub(crate) fn edge_above(v: f64) -> f64 {
    let number = interval(v);
    if edge(number) == v { v } else { edge(number + 1) }
}

#[inline(always)]
fn interval(v: f64) -> u64 {
    v.to_bits() >> PLACE_BITS
}

/// How fast the place in an interval moves with v: 64 over the power of two below v, exponent from
/// exponent.
#[inline(always)]
fn dy_dv(v: f64) -> f64 {
    const ONE_OVER_HALF_WIDTH: u64 = (1.0 / HALF_WIDTH).to_bits();
    f64::from_bits(ONE_OVER_HALF_WIDTH + ONE_BITS - (v.to_bits() & EXPONENT_MASK))
}

fn edge(number: u64) -> f64 {
    f64::from_bits(number << PLACE_BITS)
}

/// The coefficients of one interval.
fn fit(
    number: u64,
    to_monomials: &[[f64; TERMS]; TERMS],
    profile: &impl Fn(f64) -> Split,
) -> [f64; TERMS] {
    let splits = nodes(number).map(profile);
    let mut row = interpolate(to_monomials, splits.each_ref().map(|split| split.deviation));
    row[0] += splits[0].base;
    row
}

/// The polynomial through `values` at the nodes. Their common part is taken out first: the matrix
/// has entries near 100, and so multiplies the rounding of the differences only.
fn interpolate(to_monomials: &[[f64; TERMS]; TERMS], values: [f64; TERMS]) -> [f64; TERMS] {
    let common = values[TERMS / 2];
    let differences = values.map(|value| value - common);
    let mut row = to_monomials.map(|weights| dot(&weights, &differences));
    row[0] += common;
    row
}

/// The Chebyshev nodes of an interval.
fn nodes(number: u64) -> [f64; TERMS] {
    let low = edge(number);
    let half = f64::from_bits(low.to_bits() & EXPONENT_MASK) * HALF_WIDTH;
    std::array::from_fn(|node| low + half * (1.0 + node_angle(node).cos()))
}

fn node_angle(node: usize) -> f64 {
    std::f64::consts::PI * (node as f64 + 0.5) / TERMS as f64
}

/// Maps values at the Chebyshev nodes to coefficients of 1, y, …, y⁷.
fn interpolation_matrix() -> [[f64; TERMS]; TERMS] {
    let mut matrix = [[0.0; TERMS]; TERMS];
    let (mut previous, mut current) = ([0.0; TERMS], [0.0; TERMS]);
    current[0] = 1.0;
    for degree in 0..TERMS {
        let norm = if degree == 0 { 1.0 } else { 2.0 } / TERMS as f64;
        for (row, coefficient) in matrix.iter_mut().zip(current) {
            for (node, entry) in row.iter_mut().enumerate() {
                *entry += norm * coefficient * (degree as f64 * node_angle(node)).cos();
            }
        }
        let next = next_chebyshev(degree, &previous, &current);
        (previous, current) = (current, next);
    }
    matrix
}

/// T₁ = y, Tₙ₊₁ = 2y Tₙ − Tₙ₋₁.
fn next_chebyshev(degree: usize, previous: &[f64; TERMS], current: &[f64; TERMS]) -> [f64; TERMS] {
    let factor = if degree == 0 { 1.0 } else { 2.0 };
    std::array::from_fn(|power| {
        let shifted = if power == 0 { 0.0 } else { current[power - 1] };
        factor * shifted - previous[power]
    })
}

fn dot(a: &[f64; TERMS], b: &[f64; TERMS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exponential() -> RadialTable {
        RadialTable::build(2.0_f64.powi(-80), 20.0, 1.0, |v| {
            if v < 1.0 {
                Split { base: 1.0, deviation: (-v.sqrt()).exp_m1() }
            } else {
                Split { base: 0.0, deviation: (-v.sqrt()).exp() }
            }
        })
    }

    #[test]
    fn a_smooth_function_is_met_to_rounding() {
        let table = exponential();
        let mut v = 1e-23;
        while v < table.end() {
            let error = (table.value(v) - (-v.sqrt()).exp()).abs();
            assert!(error < 1e-15, "v = {v}: {error}");
            v *= 1.0137;
        }
    }

    #[test]
    fn derivatives_keep_their_digits_where_the_function_is_nearly_one() {
        let table = exponential();
        for v in [1e-20, 1e-12, 1e-3, 0.7, 5.0] {
            let t = f64::sqrt(v);
            let jet = table.jet(v);
            let slope = -(-t).exp() / (2.0 * t);
            let curvature = (-t).exp() * (1.0 / (4.0 * v) + 1.0 / (4.0 * v * t));
            assert!((jet.slope / slope - 1.0).abs() < 1e-11, "v = {v}: {}", jet.slope / slope);
            assert!((jet.curvature / curvature - 1.0).abs() < 1e-8, "v = {v}");
        }
    }

    #[test]
    fn eight_lanes_are_eight_values() {
        let table = exponential();
        let v = [0.0, 1e-30, 1e-9, 0.03, 0.999, 1.0, 7.3, 19.4];
        assert_eq!(table.values(&v), v.map(|v| table.value(v)));
        let jets = table.jets(&v);
        for (lane, &v) in v.iter().enumerate() {
            assert_eq!(jets.get(lane), table.jet(v));
        }
    }

    #[test]
    fn below_the_table_the_value_is_the_constant() {
        let table = exponential();
        assert_eq!(table.value(0.0), 1.0);
        assert_eq!(table.value(1e-40), 1.0);
        assert_eq!(table.jet(0.0).slope, table.jet(table.start).slope);
    }

    #[test]
    fn edges_are_rounded_outwards_by_edge_above() {
        assert_eq!(edge_above(1.0), 1.0);
        assert_eq!(edge_above(1.01), 1.0 + 1.0 / 32.0);
    }
}
