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
use sosrep_report::chart::{Axis, LineChart, Series, Style, lines};

use super::{Drawn, Experiment, Finding, Request, Watch, random, slope, table, tell};
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

/// The points of one curve.
fn curve(
    rows: &[Row],
    dimension: usize,
    sampler: Sampler,
    value: fn(&Row) -> f64,
) -> Vec<(f64, f64)> {
    let of_curve = rows.iter().filter(|row| row.dimension == dimension && row.sampler == sampler);
    of_curve.map(|row| (row.samples as f64, value(row))).collect()
}

/// Errors against T, of the paper's sampler.
pub(super) fn draw(folder: &Path) -> Result<Vec<Drawn>> {
    let rows: Vec<Row> = table::read(&file(folder))?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let shown = |name: String, dimension, value, style| {
        let points = curve(&rows, dimension, Sampler::Grid, value);
        Series { name, points, style }
    };
    let mut series = Vec::new();
    for d in DIMENSIONS {
        let name = format!("largest, {d} columns");
        series.push(shown(name, d, |row| row.largest_error, Style::LineAndDots));
    }
    for d in DIMENSIONS {
        let name = format!("mean, {d} columns");
        series.push(shown(name, d, |row| row.mean_error, Style::LineAndDots));
    }
    let d = DIMENSIONS[1];
    let bound = |row: &Row| row.bound_of_largest;
    series.push(shown("bound of the largest".to_string(), d, bound, Style::Dashed));
    let expected = |row: &Row| row.expected_mean;
    series.push(shown("expected mean".to_string(), d, expected, Style::Dashed));
    let title = "Error of the sampled kernel".to_string();
    let chart = LineChart {
        title: title.clone(),
        x: ("samples T".to_string(), Axis::Logarithmic),
        y: ("|k̂ − k|".to_string(), Axis::Logarithmic),
        series,
        marks: Vec::new(),
    };
    let caption = format!(
        "The paper's sampler against the exact SDO kernel, over all pairs of {POINTS} standard \
         normal points, b = {BANDWIDTH}, mean of {DRAWS} draws. Dashed: the mean that the variance \
         of a sample gives, and Hoeffding's bound of the largest."
    );
    Ok(vec![Drawn { name: "sampling".to_string(), title, caption, svg: lines(&chart) }])
}

/// Errors at T = 10 000 and the exponents.
pub(super) fn finding(folder: &Path) -> Result<Option<Finding>> {
    let rows: Vec<Row> = table::read(&file(folder))?;
    let at = |row: &&Row| row.samples == 10_000;
    let (Some(least), Some(most)) = (
        rows.iter().filter(at).map(|row| row.mean_error).min_by(f64::total_cmp),
        rows.iter().filter(at).map(|row| row.largest_error).max_by(f64::total_cmp),
    ) else {
        return Ok(None);
    };
    let mut cells = Vec::new();
    for row in rows.iter().filter(at) {
        let mean = curve(&rows, row.dimension, row.sampler, |row| row.mean_error);
        let exponent = slope::exponent(&mean).map_or(String::new(), |slope| format!("{slope:.3}"));
        let errors = [row.mean_error, row.expected_mean, row.largest_error, row.bound_of_largest];
        let sampler = if row.sampler == Sampler::Grid { "grid" } else { "exact" };
        let mut line = vec![sampler.to_string(), row.dimension.to_string()];
        line.extend(errors.map(|error| format!("{error:.4}")));
        line.push(exponent);
        cells.push(line);
    }
    let header = ["sampler", "d", "mean", "expected", "largest", "bound", "exponent"];
    Ok(Some(Finding {
        experiment: Experiment::Sampling,
        heading: "The sampled kernel".to_string(),
        sentences: vec![format!(
            "The paper approximates the SDO kernel by sampling and cites that the error falls like \
             T^(−1/2). Measured, it does; with the T = 10 000 of the released program the mean \
             error is {least:.4} or more and the largest over the pairs up to {most:.3}, whatever \
             the number of columns: kernel values below that are noise."
        )],
        tables: vec![table::summary(&header, 1, cells)],
    }))
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
            let law: Vec<(f64, f64)> =
                rows.iter().map(|row| (row.samples as f64, row.mean_error)).collect();
            assert!((slope::exponent(&law).unwrap() + 0.5).abs() < 0.06, "{law:?}");
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
