//! A density of which everything is known: two bumps with compact support, in any dimension.
//!
//! ```text
//! p(x) = Σ_k c_k h((x − μ_k) / r_k) / r_k^d,    h(u) = (1 − ‖u‖²)⁴ Γ(d/2 + 5) / (24 π^(d/2)),  ‖u‖ < 1
//! ```
//!
//! Its support is compact, and √p has the derivatives that the theorem asks for in up to three
//! dimensions. A row of a bump has ‖u‖² ~ Beta(d/2, 5), in a direction that is uniform.

use rand::{Rng, RngExt};
use rand_distr::{Beta, Distribution, StandardNormal};

/// Share, place on the first axis and radius of each bump.
const BUMPS: [(f64, f64, f64); 2] = [(0.6, -0.6, 1.0), (0.4, 0.9, 0.7)];

/// Half the side of a cube that holds the support and what an estimate puts around it.
pub(super) const REACH: f64 = 2.2;

/// The density in some dimension.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mixture {
    pub(super) dimension: usize,
}

impl Mixture {
    /// p(x).
    pub(super) fn density(&self, x: &[f64]) -> f64 {
        let d = x.len();
        let bump = |(share, place, radius): (f64, f64, f64)| {
            let rest: f64 = x[1..].iter().map(|value| value * value).sum();
            let squared = ((x[0] - place).powi(2) + rest) / (radius * radius);
            share * (1.0 - squared).max(0.0).powi(4) / radius.powi(d as i32)
        };
        BUMPS.into_iter().map(bump).sum::<f64>() * height(d)
    }

    /// Rows drawn from p, row after row.
    pub(super) fn draw(&self, rows: usize, generator: &mut impl Rng) -> Vec<f64> {
        let mut values = Vec::with_capacity(rows * self.dimension);
        let squared = Beta::new(self.dimension as f64 / 2.0, 5.0).ok();
        for _ in 0..rows {
            let [first, second] = BUMPS;
            let (_, place, radius) =
                if generator.random::<f64>() < first.0 { first } else { second };
            let length = squared.map_or(0.0, |squared| squared.sample(generator).sqrt());
            let direction: Vec<f64> =
                (0..self.dimension).map(|_| StandardNormal.sample(generator)).collect();
            let norm = direction.iter().map(|g| g * g).sum::<f64>().sqrt();
            let centre = |j: usize| if j == 0 { place } else { 0.0 };
            let row = direction.iter().enumerate();
            values.extend(row.map(|(j, g)| centre(j) + radius * length * g / norm));
        }
        values
    }
}

/// h(0) = Γ(d/2 + 5) / (24 π^(d/2)).
fn height(dimension: usize) -> f64 {
    let half = dimension as f64 / 2.0;
    // Γ(d/2 + 5) / Γ(d/2), and Γ(d/2) = Γ of 1/2 or 1 times what lies between.
    let rising: f64 = (0..5).map(|k| half + f64::from(k)).product();
    let base = if dimension.is_multiple_of(2) { 1.0 } else { 0.5 };
    let start = if dimension.is_multiple_of(2) { 1.0 } else { std::f64::consts::PI.sqrt() };
    let steps = (half - base).round() as usize;
    let gamma: f64 = start * (0..steps).map(|k| base + k as f64).product::<f64>();
    gamma * rising / (24.0 * std::f64::consts::PI.powf(half))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::random;

    #[test]
    fn the_density_integrates_to_one_and_rows_follow_it() {
        for dimension in 1..=3_usize {
            let mixture = Mixture { dimension };
            let side: usize = [2_000, 300, 90][dimension - 1];
            let step = 2.0 * REACH / side as f64;
            let (mut total, mut mean) = (0.0, 0.0);
            for cell in 0..side.pow(dimension as u32) {
                let at = |j: usize| -REACH + step * ((cell / side.pow(j as u32)) % side) as f64;
                let x: Vec<f64> = (0..dimension).map(|j| at(j) + 0.5 * step).collect();
                let mass = mixture.density(&x) * step.powi(dimension as i32);
                total += mass;
                mean += mass * x[0] * x[0];
            }
            assert!((total - 1.0).abs() < 1e-3, "{dimension}: {total}");
            let rows = mixture.draw(40_000, &mut random::generator(5, dimension as u64));
            assert!(rows.chunks_exact(dimension).all(|row| mixture.density(row) > 0.0));
            let drawn = rows.chunks_exact(dimension).map(|row| row[0] * row[0]).sum::<f64>() / 4e4;
            assert!((drawn - mean).abs() < 0.01, "{dimension}: {drawn} {mean}");
        }
    }
}
