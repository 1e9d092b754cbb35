//! How far the sampled SDO kernel is from the exact one, against the number of samples T.
//!
//! Paper: Section "Kernel Evaluation via Sampling".
//!
//! ```text
//! k̂(x, y) = (2/T) Σ_t cos(⟨z_t, x⟩ + β_t) cos(⟨z_t, y⟩ + β_t)
//! T Var k̂ = 1 + k(2δ)/2 − k(δ)²,    δ = x − y       mean |k̂ − k| ≈ √(2/π) √Var
//! mean max |k̂ − k| ≤ √(8 ln(2P) / T)                over P pairs (Hoeffding, terms within ±2)
//! ```
//!
//! The variance is that of cos⟨z, δ⟩ + cos(⟨z, x + y⟩ + 2β), whose parts are not correlated. Points
//! are standard normal, in d columns, with bandwidth 0.5; errors are means over several draws of the
//! samples. Both ways to draw radii are measured: the paper's grid and the exact one.

use std::path::{Path, PathBuf};

use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use sosrep::Points;
use sosrep::kernel::{FourierFeatures, Kernel, KernelKind, RadialSampler};

use super::{Request, Watch, random, table, tell};
use crate::error::Result;

const BANDWIDTH: f64 = 0.5;
/// The numbers of columns d.
const DIMENSIONS: [usize; 3] = [2, 10, 50];
/// The numbers of samples T: half decades.
const SAMPLES: [usize; 7] = [100, 316, 1_000, 3_162, 10_000, 31_623, 100_000];
/// Points; all pairs of them are compared.
const POINTS: usize = 40;
/// Draws of the samples.
const DRAWS: u64 = 10;

/// How radii are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Sampler {
    Grid,
    Exact,
}

impl Sampler {
    fn radial(self) -> RadialSampler {
        match self {
            Self::Grid => RadialSampler::paper(),
            Self::Exact => RadialSampler::Exact,
        }
    }
}

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Row {
    dimension: usize,
    sampler: Sampler,
    samples: usize,
    seed: u64,
    mean_error: f64,
    largest_error: f64,
    expected_mean: f64,
    bound_of_largest: f64,
}

/// All pairs of some points with their exact kernel.
struct Pairs {
    dimension: usize,
    values: Vec<f64>,
    /// k(x_i, x_j) for i < j.
    kernel: Vec<f64>,
    /// √(1 + k(2δ)/2 − k(δ)²), the mean over the pairs.
    deviation: f64,
}

impl Pairs {
    fn draw(dimension: usize, count: usize, seed: u64) -> Result<Self> {
        let mut generator = random::generator(seed, dimension as u64);
        let values: Vec<f64> =
            (0..count * dimension).map(|_| StandardNormal.sample(&mut generator)).collect();
        let exact = Kernel::new(&KernelKind::Sdo, dimension, BANDWIDTH)?;
        let points = Points::new(&values, dimension)?;
        let (mut kernel, mut deviation) = (Vec::new(), 0.0);
        for (x, y) in index_pairs(count).map(|(i, j)| (points.row(i), points.row(j))) {
            let k = exact.value(x, y);
            let further: Vec<f64> = x.iter().zip(y).map(|(x, y)| 2.0 * x - y).collect();
            deviation += (1.0 + 0.5 * exact.value(&further, y) - k * k).max(0.0).sqrt();
            kernel.push(k);
        }
        deviation /= kernel.len() as f64;
        Ok(Self { dimension, values, kernel, deviation })
    }

    /// Mean and largest |k̂ − k| for one draw of the samples.
    fn errors(&self, sampler: Sampler, samples: usize, seed: u64) -> Result<(f64, f64)> {
        let radial = sampler.radial();
        let features = FourierFeatures::sdo(self.dimension, BANDWIDTH, samples, radial, seed)?;
        let mapped = features.map(Points::new(&self.values, self.dimension)?)?;
        let rows: Vec<&[f64]> = mapped.chunks_exact(samples).collect();
        let (mut sum, mut largest) = (0.0, 0.0_f64);
        for ((i, j), k) in index_pairs(rows.len()).zip(&self.kernel) {
            let product: f64 = rows[i].iter().zip(rows[j]).map(|(x, y)| x * y).sum();
            let error = (2.0 * product / samples as f64 - k).abs();
            sum += error;
            largest = largest.max(error);
        }
        Ok((sum / self.kernel.len() as f64, largest))
    }

    /// The mean over several draws.
    fn row(&self, sampler: Sampler, samples: usize, draws: u64, seed: u64) -> Result<Row> {
        let (mut mean_error, mut largest_error) = (0.0, 0.0);
        for draw in 0..draws {
            let stream = (draw << 40) ^ ((samples as u64) << 8) ^ self.dimension as u64;
            let (mean, largest) = self.errors(sampler, samples, random::seed(seed, stream))?;
            mean_error += mean / draws as f64;
            largest_error += largest / draws as f64;
        }
        let count = samples as f64;
        let normal = std::f64::consts::FRAC_2_PI.sqrt();
        Ok(Row {
            dimension: self.dimension,
            sampler,
            samples,
            seed,
            mean_error,
            largest_error,
            expected_mean: normal * self.deviation / count.sqrt(),
            bound_of_largest: (8.0 * (2.0 * self.kernel.len() as f64).ln() / count).sqrt(),
        })
    }
}

fn index_pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |i| (i + 1..count).map(move |j| (i, j)))
}

fn file(folder: &Path) -> PathBuf {
    folder.join("sampling.csv")
}

/// Measures every dimension, sampler and number of samples.
pub(super) fn run(request: &Request, folder: &Path, watch: Watch) -> Result<()> {
    let mut rows = Vec::new();
    let of = DIMENSIONS.len() * 2 * SAMPLES.len();
    for dimension in DIMENSIONS {
        let pairs = Pairs::draw(dimension, POINTS, request.seed)?;
        for sampler in [Sampler::Grid, Sampler::Exact] {
            for samples in SAMPLES {
                tell(watch, "numbers of samples", rows.len(), of)?;
                rows.push(pairs.row(sampler, samples, DRAWS, request.seed)?);
            }
        }
    }
    table::write(&file(folder), &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_falls_with_the_number_of_samples_as_its_variance_says() {
        let pairs = Pairs::draw(3, 20, 1).unwrap();
        for sampler in [Sampler::Grid, Sampler::Exact] {
            let rows =
                [100, 1_000, 10_000].map(|samples| pairs.row(sampler, samples, 5, 1).unwrap());
            for row in &rows {
                let ratio = row.mean_error / row.expected_mean;
                assert!((0.8..1.25).contains(&ratio), "{row:?}");
                assert!(row.largest_error < row.bound_of_largest, "{row:?}");
            }
            // T^(−1/2): a hundred times the samples, a tenth of the error.
            let exponent = (rows[2].mean_error / rows[0].mean_error).ln() / 100.0_f64.ln();
            assert!((exponent + 0.5).abs() < 0.06, "{exponent}");
        }
    }

    #[test]
    fn every_pair_is_compared_once() {
        assert_eq!(
            index_pairs(4).collect::<Vec<_>>(),
            [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        );
    }
}
