//! Points and weights for integrals over space: a grid in one and two dimensions, random beyond.

use rand::{Rng, RngExt};

use super::mixture::{Mixture, REACH};

/// Points a side of the grid.
const SIDES: [usize; 2] = [4_001, 121];
/// Random points.
const RANDOM: usize = 16_000;

/// ∫g ≈ mean of g(x_i) · scale_i.
pub(super) struct Nodes {
    /// The points, row after row.
    pub(super) points: Vec<f64>,
    scales: Vec<f64>,
    /// Whether the mean has a standard error.
    random: bool,
}

impl Nodes {
    /// Midpoints of equal cells of the cube, for up to two dimensions.
    pub(super) fn grid(dimension: usize) -> Option<Self> {
        let side = *SIDES.get(dimension.checked_sub(1)?)?;
        let count = side.pow(dimension as u32);
        let at = |cell: usize| -REACH + 2.0 * REACH * (cell as f64 + 0.5) / side as f64;
        let points = (0..count)
            .flat_map(|cell| (0..dimension).map(move |j| at((cell / side.pow(j as u32)) % side)))
            .collect();
        let scales = vec![(2.0 * REACH).powi(dimension as i32); count];
        Some(Self { points, scales, random: false })
    }

    /// Points of ½ p + ½ uniform on the cube.
    pub(super) fn random(mixture: &Mixture, generator: &mut impl Rng) -> Self {
        let d = mixture.dimension;
        let mut points = mixture.draw(RANDOM / 2, generator);
        let uniform = (0..RANDOM / 2 * d).map(|_| generator.random_range(-REACH..REACH));
        points.extend(uniform);
        let flat = (2.0 * REACH).powi(-(d as i32));
        let scale = |x: &[f64]| 1.0 / (0.5 * mixture.density(x) + 0.5 * flat);
        let scales = points.chunks_exact(d).map(scale).collect();
        Self { points, scales, random: true }
    }

    /// ∫q for log q at the points.
    pub(super) fn integral(&self, log_values: &[f64]) -> f64 {
        let terms = log_values.iter().zip(&self.scales).map(|(log, scale)| log.exp() * scale);
        terms.sum::<f64>() / log_values.len() as f64
    }

    /// ‖√q − √p‖ for log q at the points, and the standard error of its square where there is one.
    pub(super) fn distance(&self, mixture: &Mixture, log_estimate: &[f64]) -> (f64, Option<f64>) {
        let terms: Vec<f64> = self
            .points
            .chunks_exact(mixture.dimension)
            .zip(log_estimate)
            .zip(&self.scales)
            .map(|((x, log), scale)| {
                ((0.5 * log).exp() - mixture.density(x).sqrt()).powi(2) * scale
            })
            .collect();
        let (mean, error) = mean_with_error(&terms);
        (mean.sqrt(), self.random.then_some(error))
    }
}

/// A mean and its standard error.
pub(super) fn mean_with_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::random;

    #[test]
    fn both_kinds_of_points_agree_on_a_distance() {
        let mixture = Mixture { dimension: 2 };
        // √q = 1.1 √p has distance 0.1, because p integrates to one.
        let log = |nodes: &Nodes| -> Vec<f64> {
            let density = |x| 1.21_f64 * mixture.density(x);
            nodes.points.chunks_exact(2).map(|x| density(x).ln()).collect()
        };
        let grid = Nodes::grid(2).unwrap();
        let (exact, none) = grid.distance(&mixture, &log(&grid));
        assert!((exact - 0.1).abs() < 1e-4 && none.is_none());
        assert!((grid.integral(&log(&grid)) - 1.21).abs() < 1e-3);
        let random = Nodes::random(&mixture, &mut random::generator(2, 0));
        let (found, error) = random.distance(&mixture, &log(&random));
        assert!((found * found - 0.01).abs() < 5.0 * error.unwrap(), "{found} {error:?}");
        assert!(Nodes::grid(3).is_none());
    }
}
