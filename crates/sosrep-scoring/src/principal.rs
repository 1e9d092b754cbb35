//! The two directions in which rows vary most, for a map.
//!
//! ```text
//! C = Σ_i (x_i − x̄)(x_i − x̄)ᵀ,    C v_k = λ_k v_k,    share_k = λ_k / tr C
//! ```
//!
//! By orthogonal iteration on the rows: n·d a step, no d×d matrix. The start is fixed, so the same
//! rows give the same map. Directions whose eigenvalues nearly agree may be mixed: any of them
//! shows the rows equally well.

/// Steps of the iteration: errors shrink by λ₃/λ₂ a step.
const STEPS: usize = 60;

/// A direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Direction {
    /// Unit vector; its largest component is positive.
    pub vector: Vec<f64>,
    /// Share of the variance along it.
    pub share: f64,
}

/// The centre and the first two directions of the rows, which have at least two columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Principal {
    centre: Vec<f64>,
    /// The directions, that of the larger share first.
    pub directions: [Direction; 2],
}

impl Principal {
    /// `None` for fewer than two columns or rows that do not vary.
    pub fn of(rows: &[f64], columns: usize) -> Option<Self> {
        let n = rows.len() / columns;
        let mut centre = vec![0.0; columns];
        for row in rows.chunks_exact(columns) {
            centre.iter_mut().zip(row).for_each(|(c, x)| *c += x / n as f64);
        }
        let centred: Vec<f64> =
            rows.iter().enumerate().map(|(k, x)| x - centre[k % columns]).collect();
        let total: f64 = centred.iter().map(|x| x * x).sum();
        if columns < 2 || !total.is_finite() || total <= 0.0 {
            return None;
        }
        // Any start that is not orthogonal to the answer will do.
        let mut v = [0.3, 0.7].map(|phase| {
            let wave = |j: usize| (phase + j as f64 * (1.0 + phase)).cos();
            (0..columns).map(wave).collect::<Vec<f64>>()
        });
        let mut lengths = [0.0; 2];
        for _ in 0..STEPS {
            let [first, second] = v.each_ref().map(|v| covariance_times(&centred, v));
            lengths[0] = norm(&first);
            v[0] = scaled(first, &v[0], lengths[0]);
            let along: f64 = dot(&second, &v[0]);
            let second: Vec<f64> = second.iter().zip(&v[0]).map(|(s, f)| s - along * f).collect();
            lengths[1] = norm(&second);
            v[1] = scaled(second, &v[1], lengths[1]);
        }
        let shares = lengths.map(|length| (length / total).clamp(0.0, 1.0));
        let [first, second] = v;
        let direction = |vector, share| Direction { vector: upright(vector), share };
        let directions = [direction(first, shares[0]), direction(second, shares[1])];
        Some(Self { centre, directions })
    }

    /// Coordinates of a row.
    pub fn place(&self, row: &[f64]) -> [f64; 2] {
        self.directions.each_ref().map(|direction| {
            let centred = row.iter().zip(&self.centre).map(|(x, c)| x - c);
            centred.zip(&direction.vector).map(|(x, v)| x * v).sum()
        })
    }
}

/// C v without C.
fn covariance_times(centred: &[f64], v: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; v.len()];
    for row in centred.chunks_exact(v.len()) {
        let along = dot(row, v);
        product.iter_mut().zip(row).for_each(|(p, x)| *p += along * x);
    }
    product
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

/// `v` at length 1, or what was there before if it has none.
fn scaled(v: Vec<f64>, before: &[f64], length: f64) -> Vec<f64> {
    if length > 0.0 { v.iter().map(|x| x / length).collect() } else { before.to_vec() }
}

/// The sign of a direction is free: its largest component is made positive.
fn upright(vector: Vec<f64>) -> Vec<f64> {
    let largest = vector.iter().fold(0.0_f64, |l, &x| if x.abs() > l.abs() { x } else { l });
    vector.iter().map(|x| x * largest.signum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows ±a e_1', ±b e_2', ±c e_3' along a rotated basis: the covariance is known.
    #[test]
    fn the_axes_of_an_ellipsoid_are_found_with_their_shares() {
        let (s, c) = (0.6, 0.8);
        let basis = [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]];
        let mut rows = Vec::new();
        for (axis, length) in basis.iter().zip([3.0, 2.0, 1.0]) {
            for sign in [-1.0, 1.0] {
                rows.extend(axis.iter().map(|x| 5.0 + sign * length * x));
            }
        }
        let principal = Principal::of(&rows, 3).unwrap();
        let shares = principal.directions.each_ref().map(|direction| direction.share);
        assert!((shares[0] - 9.0 / 14.0).abs() < 1e-9 && (shares[1] - 4.0 / 14.0).abs() < 1e-9);
        let place = principal.place(&[5.0 + 3.0 * c, 5.0 + 3.0 * s, 5.0]);
        assert!((place[0] - 3.0).abs() < 1e-6 && place[1].abs() < 1e-6, "{place:?}");
    }

    #[test]
    fn one_column_or_equal_rows_have_no_map() {
        assert_eq!(Principal::of(&[1.0, 2.0, 3.0], 1), None);
        assert_eq!(Principal::of(&[1.0, 2.0, 1.0, 2.0], 2), None);
    }
}
