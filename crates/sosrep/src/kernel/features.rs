//! Random Fourier features: a kernel as an inner product of cosines.
//!
//! Paper: Section 4.2 and Algorithm "Sampling the Multidimensional SDO Kernel".
//!
//! ```text
//! φ_t(x) = cos(⟨z_t, x⟩ + β_t),      t = 1 … T,  β_t uniform on [0, 2π)
//! k̂(x, y) = (2/T) Σ_t φ_t(x) φ_t(y)  →  k(x, y)      error ~ T^(−1/2)
//! ```
//!
//! The frequencies z_t follow the kernel's spectral density. For SDO z = (s/b) θ with θ uniform on
//! the sphere and s from s^(d−1) / (1 + s^2m). Put X = s^2m: its density is x^(p−1) / (1 + x) with
//! p = d/2m, so X is the ratio of a Gamma(p) and a Gamma(1−p) variable, and s is drawn exactly.
//! Gaussian: z normal. Laplacian: multivariate Cauchy. Product: independent Cauchy.
//!
//! Cost: T·d a point. Numerics: k̂(x, x) is 1 only on average, and the values of a sum of cosines
//! never fall below a noise floor of about T^(−1/2): tails are not resolved.
//!
//! Differs from the paper: nothing for [`RadialSampler::Grid`], which keeps the released program's
//! upper limit of 500 for the radius; [`RadialSampler::Exact`] has no grid and no limit.

use rand::{Rng, RngExt};
use rand_distr::{Cauchy, Distribution, Gamma, StandardNormal};
use serde::{Deserialize, Serialize};

use super::sdo::smoothness;
use super::{Kernel, KernelKind};
use crate::error::{Error, Result, bandwidth as check_bandwidth, positive};
use crate::lanes::{self, LANES, Lanes};
use crate::memory::zeros;
use crate::panels::{Panels, QUERIES, Queries, group, padded};
use crate::parallel;
use crate::points::{Points, expect_length};
use crate::random::{Generator, generator};

/// The most features, and the most radii of a grid: a limit on memory, above any practical use.
const LARGEST_COUNT: usize = 10_000_000;

/// Rows evaluated with a panel of frequencies together, a multiple of [`QUERIES`].
const ROWS: usize = 8 * QUERIES;

/// How the radius of an SDO frequency is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RadialSampler {
    /// From the exact distribution.
    Exact,
    /// From equally spaced radii up to a limit, each with the density's weight: the paper's way.
    Grid {
        /// Number of radii. The paper has 10 000.
        points: usize,
        /// Largest radius. The released program has 500.
        limit: f64,
    },
}

impl RadialSampler {
    /// The paper's grid: 10 000 radii up to 500.
    pub fn paper() -> Self {
        Self::Grid { points: 10_000, limit: 500.0 }
    }
}

/// T frequencies and phases: the map φ.
#[derive(Debug, Clone)]
pub struct FourierFeatures {
    frequencies: Vec<f64>,
    phases: Vec<f64>,
    dimension: usize,
    panels: Panels,
}

impl FourierFeatures {
    /// Features of a kernel, drawn from its exact spectral density.
    ///
    /// # Errors
    /// `features` = 0.
    pub fn draw(kernel: &Kernel, features: usize, seed: u64) -> Result<Self> {
        let (d, b) = (kernel.dimension(), kernel.bandwidth());
        let root = (d as f64).sqrt();
        match kernel.kind() {
            KernelKind::Sdo => Self::sdo(d, b, features, RadialSampler::Exact, seed),
            KernelKind::Gaussian => Self::collect(d, features, seed, |rng, z| {
                z.fill_with(|| normal(rng) / (b * root));
            }),
            KernelKind::Laplacian => Self::collect(d, features, seed, |rng, z| {
                let scale = b * root * normal(rng).abs();
                z.fill_with(|| normal(rng) / scale);
            }),
            KernelKind::Product => Self::collect(d, features, seed, |rng, z| {
                let unit = Cauchy::new(0.0, 1.0).expect("scale 1 is positive");
                z.fill_with(|| unit.sample(rng) / (b * d as f64));
            }),
            KernelKind::SdoSampled { .. } => unreachable!("a kernel is never of this kind"),
        }
    }

    /// Features of the SDO kernel with the chosen radial sampler.
    ///
    /// # Errors
    /// `features` = 0, a bandwidth that is not positive, an empty grid.
    pub fn sdo(
        dimension: usize,
        bandwidth: f64,
        features: usize,
        sampler: RadialSampler,
        seed: u64,
    ) -> Result<Self> {
        if dimension == 0 {
            return Err(Error::NoColumns);
        }
        check_bandwidth(bandwidth)?;
        let radius = Radius::sdo(dimension, bandwidth, sampler)?;
        Self::radial(dimension, features, seed, &radius)
    }

    /// z = r θ with θ uniform on the sphere.
    fn radial(dimension: usize, features: usize, seed: u64, radius: &Radius) -> Result<Self> {
        Self::collect(dimension, features, seed, |rng, z| {
            let r = radius.sample(rng);
            z.fill_with(|| normal(rng));
            let norm = z.iter().map(|g| g * g).sum::<f64>().sqrt();
            z.iter_mut().for_each(|g| *g *= r / norm);
        })
    }

    fn collect(
        dimension: usize,
        features: usize,
        seed: u64,
        draw: impl Fn(&mut Generator, &mut [f64]),
    ) -> Result<Self> {
        if dimension == 0 {
            return Err(Error::NoColumns);
        }
        if !(1..=LARGEST_COUNT).contains(&features) {
            return Err(Error::parameter("features", features, "between 1 and 10 million"));
        }
        let mut rng = generator(seed);
        let mut frequencies = zeros("the frequencies", features.saturating_mul(dimension))?;
        frequencies.chunks_exact_mut(dimension).for_each(|z| draw(&mut rng, z));
        let phases = (0..features).map(|_| rng.random_range(0.0..std::f64::consts::TAU)).collect();
        Self::from_parts(frequencies, phases, dimension)
    }

    /// Features with given frequencies (T×d, row-major) and phases (T).
    ///
    /// # Errors
    /// Shapes that do not fit, values that are not finite.
    pub fn from_parts(frequencies: Vec<f64>, phases: Vec<f64>, dimension: usize) -> Result<Self> {
        let panels = {
            let points = Points::new(&frequencies, dimension)?;
            Points::new(&phases, 1)?;
            expect_length("phases", &phases, points.rows())?;
            Panels::new(points)
        };
        Ok(Self { frequencies, phases, dimension, panels })
    }

    /// Number of features T.
    pub fn count(&self) -> usize {
        self.phases.len()
    }

    /// Number of columns d.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The frequencies z_t, T×d, row-major.
    pub fn frequencies(&self) -> &[f64] {
        &self.frequencies
    }

    /// The phases β_t.
    pub fn phases(&self) -> &[f64] {
        &self.phases
    }

    /// φ(x) for every row: n×T, row-major.
    ///
    /// # Errors
    /// [`Error::WrongColumns`].
    pub fn map(&self, points: Points) -> Result<Vec<f64>> {
        points.expect_columns(self.dimension)?;
        let values = points.rows().saturating_mul(self.count());
        let mut out = zeros("the features of all rows", values)?;
        self.map_into(points, &mut out, |cosine| cosine);
        Ok(out)
    }

    /// k̂(x, y) = (2/T) Σ_t φ_t(x) φ_t(y).
    pub fn value(&self, x: &[f64], y: &[f64]) -> f64 {
        let sum: f64 = self
            .frequencies
            .chunks_exact(self.dimension)
            .zip(&self.phases)
            .map(|(z, beta)| (dot(z, x) + beta).cos() * (dot(z, y) + beta).cos())
            .sum();
        2.0 * sum / self.count() as f64
    }

    /// k̂(x, x) of every row.
    pub(crate) fn diagonal(&self, points: Points) -> Vec<f64> {
        let share = padded(&vec![2.0 / self.count() as f64; self.count()]);
        let square = |angle: &Lanes| lanes::cos(angle).map(|cosine| cosine * cosine);
        self.sums(points, [&share], square).into_iter().map(|[k]| k).collect()
    }

    /// Σ_t c_t w(⟨z_t, x⟩ + β_t) of every row, for a wave w and a few vectors c padded to whole
    /// panels.
    pub(crate) fn sums<const K: usize>(
        &self,
        points: Points,
        coefficients: [&[f64]; K],
        wave: impl Fn(&Lanes) -> Lanes + Copy + Sync,
    ) -> Vec<[f64; K]> {
        let mut sums = vec![[0.0; K]; points.rows()];
        parallel::for_each_chunk(&mut sums, ROWS, |block, out| {
            let rows = points.part(block * ROWS, block * ROWS + out.len());
            let found = lanes::dispatch(
                #[inline(always)]
                || self.block_sums(rows, coefficients, wave),
            );
            out.copy_from_slice(&found[..out.len()]);
        });
        sums
    }

    /// [`sums`](Self::sums) of at most [`ROWS`] rows. A panel of frequencies is used for all of them
    /// before the next one is read: with many columns it is the frequencies that do not fit the
    /// cache.
    #[inline(always)]
    fn block_sums<const K: usize>(
        &self,
        rows: Points,
        coefficients: [&[f64]; K],
        wave: impl Fn(&Lanes) -> Lanes,
    ) -> [[f64; K]; ROWS] {
        let queries: Vec<Queries> = Queries::groups(rows);
        let mut sums = [[[0.0; LANES]; K]; ROWS];
        for p in 0..self.panels.count() {
            let coefficients = coefficients.map(|c| group(c, p));
            for (sums, queries) in sums.chunks_exact_mut(QUERIES).zip(&queries) {
                for (sums, angle) in sums.iter_mut().zip(&self.angles(queries, p)) {
                    let height = wave(angle);
                    for (sum, c) in sums.iter_mut().zip(coefficients) {
                        for lane in 0..LANES {
                            sum[lane] += c[lane] * height[lane];
                        }
                    }
                }
            }
        }
        sums.map(|sums| sums.map(|sum| lanes::sum(&sum)))
    }

    /// φ of every row of `points` into `out` (n×T), panel by panel as the sums.
    pub(crate) fn map_into<T: Copy>(
        &self,
        points: Points,
        out: &mut [T],
        store: impl Fn(f64) -> T + Copy,
    ) {
        let (count, queries): (usize, Vec<Queries>) = (self.count(), Queries::groups(points));
        lanes::dispatch(
            #[inline(always)]
            || {
                for p in 0..self.panels.count() {
                    let lanes_present = LANES.min(count - p * LANES);
                    for (group, queries) in queries.iter().enumerate() {
                        let angles = self.angles(queries, p);
                        let first = group * QUERIES;
                        let present = QUERIES.min(points.rows() - first);
                        for (i, angle) in angles.iter().enumerate().take(present) {
                            let at = (first + i) * count + p * LANES;
                            let cosines = lanes::cos(angle).map(store);
                            out[at..at + lanes_present].copy_from_slice(&cosines[..lanes_present]);
                        }
                    }
                }
            },
        );
    }

    /// ⟨z_t, x⟩ + β_t of a few points, for the eight features of panel `p`.
    #[inline(always)]
    pub(crate) fn angles<const Q: usize>(&self, queries: &Queries<f64, Q>, p: usize) -> [Lanes; Q] {
        let phases: Lanes =
            std::array::from_fn(|lane| self.phases[(p * LANES + lane).min(self.count() - 1)]);
        queries
            .projections(self.panels.panel(p))
            .map(|dots| std::array::from_fn(|lane| dots[lane] + phases[lane]))
    }
}

/// The law of r = s / b.
enum Radius {
    /// s = (Gamma(p) / Gamma(1−p))^(1/2m).
    Exact { numerator: Gamma<f64>, above: Gamma<f64>, shape: f64, m: f64, bandwidth: f64 },
    /// One of the radii, with the weights that `cumulative` adds up.
    Listed { radii: Vec<f64>, cumulative: Vec<f64> },
}

impl Radius {
    fn sdo(dimension: usize, bandwidth: f64, sampler: RadialSampler) -> Result<Self> {
        let (d, m) = (dimension as f64, smoothness(dimension) as f64);
        let p = d / (2.0 * m);
        match sampler {
            RadialSampler::Exact => Ok(Self::Exact {
                numerator: Gamma::new(p, 1.0).expect("0 < p"),
                above: Gamma::new(2.0 - p, 1.0).expect("p < 2"),
                shape: 1.0 - p,
                m,
                bandwidth,
            }),
            RadialSampler::Grid { points, limit } => {
                positive("limit", limit)?;
                if !(1..=LARGEST_COUNT).contains(&points) {
                    return Err(Error::parameter("points", points, "between 1 and 10 million"));
                }
                let step = limit / points as f64;
                let radii: Vec<f64> = (1..=points).map(|i| step * i as f64).collect();
                let ln_density =
                    |r: &f64| (d - 1.0) * r.ln() - ln_sum(&[0.0, 2.0 * m * (bandwidth * r).ln()]);
                let cumulative = cumulative(radii.iter().map(ln_density).collect());
                Ok(Self::Listed { radii, cumulative })
            }
        }
    }

    fn sample(&self, rng: &mut impl Rng) -> f64 {
        match self {
            Self::Exact { numerator, above, shape, m, bandwidth } => {
                // Gamma(shape) = Gamma(shape + 1) · U^(1/shape), in logs: it underflows for large d.
                let uniform = 1.0 - rng.random::<f64>();
                let ln_denominator = above.sample(rng).ln() + uniform.ln() / shape;
                ((numerator.sample(rng).ln() - ln_denominator) / (2.0 * m)).exp() / bandwidth
            }
            Self::Listed { radii, cumulative } => radii[pick(cumulative, rng)],
        }
    }
}

/// ln Σ e^x without overflow.
fn ln_sum(terms: &[f64]) -> f64 {
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + terms.iter().map(|x| (x - largest).exp()).sum::<f64>().ln()
}

/// Running sums of e^x, in units of the largest.
fn cumulative(ln_weights: Vec<f64>) -> Vec<f64> {
    let largest = ln_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    let add = |x: f64| {
        sum += (x - largest).exp();
        sum
    };
    ln_weights.into_iter().map(add).collect()
}

/// An index drawn with the weights that `cumulative` adds up.
fn pick(cumulative: &[f64], rng: &mut impl Rng) -> usize {
    let target = rng.random::<f64>() * cumulative[cumulative.len() - 1];
    cumulative.partition_point(|&sum| sum <= target).min(cumulative.len() - 1)
}

fn normal(rng: &mut impl Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}
