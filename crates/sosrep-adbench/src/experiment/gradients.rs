//! How many values of f become negative under the natural and under the standard gradient.
//!
//! Paper: Section "Natural-Gradient vs Standard Gradient Comparison", Figure "Fraction of negative
//! values"; supplement, "List of Datasets".
//!
//! ```text
//! α_i = |N(0, 1)|, 50 starts;  1000 steps;  share of rows with f(x_i) < 0: mean of the worst 5
//! natural     α ← α − 2λ [α − w / (Kα)]
//! standard    α ← α − 2λ [Kα − K (w / (Kα))]
//! ```
//!
//! Kernel: SDO sampled with T = 10 000 as in the paper, k(x, x) = 1 on average, at the bandwidth that
//! the paper's rule chooses on the same rows. Rows: training rows of the authors' protocol,
//! standardised, at most 1000 of them (the paper names no limit). Learning rate: λ = 0.01, that of
//! the released program. The standard gradient is stable only for λ < 1 / (2‖K‖), which 0.01 is
//! above on some data sets; so that the comparison is fair it is run a second time with
//! λ = 1 / (4‖K‖).
//!
//! One line a data set is appended as soon as it is known; a second run goes on from there. A data
//! set whose file is not at hand has a line too. Cost: 5000 products of a 1000×1000
//! matrix with 50 columns a data set, up to 160 seconds on two busy cores.

mod descent;

use std::path::{Path, PathBuf};
use std::time::Instant;

use nalgebra::DMatrix;
use rand::seq::index;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sosrep::detector::{Preparation, PrepareOptions};
use sosrep::kernel::{FourierFeatures, RadialSampler};
use sosrep::{DetectorParams, Points, Weights};

use super::{Experiment, Request, Watch, random, tell};
use crate::catalogue::{Entry, Found, named};
use crate::error::Result;
use crate::log::Log;
use crate::protocol::{Noise, Protocol, split};
use descent::{End, Gradient, descend, largest_eigenvalue, negative_shares, product};

/// The data sets, in the order of the paper's figure.
pub const DATA_SETS: [&str; 15] = [
    "mnist",
    "shuttle",
    "PageBlocks",
    "mammography",
    "magic.gamma",
    "skin",
    "backdoor",
    "glass",
    "Lymphography",
    "Stamps",
    "WDBC",
    "SpamBase",
    "Hepatitis",
    "wine",
    "letter",
];

/// The learning rate of the released program.
const RATE: f64 = 0.01;
/// The stable learning rate is this over ‖K‖.
const STABLE: f64 = 0.25;
/// The worst starts that are averaged.
const WORST: usize = 5;

/// How much is computed.
#[derive(Debug, Clone, Copy)]
struct Size {
    rows: usize,
    features: usize,
    starts: usize,
    steps: usize,
}

const PAPER: Size = Size { rows: 1_000, features: 10_000, starts: 50, steps: 1_000 };

/// A line of the file; a data set whose file is not at hand has no numbers. Shares of negative
/// values are means over the worst starts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Row {
    data_set: String,
    seed: u64,
    rows: Option<usize>,
    columns: Option<usize>,
    bandwidth: Option<f64>,
    /// ‖K‖.
    norm: Option<f64>,
    negative_start: Option<f64>,
    negative_natural: Option<f64>,
    diverged_natural: Option<usize>,
    negative_standard: Option<f64>,
    diverged_standard: Option<usize>,
    stable_rate: Option<f64>,
    negative_stable: Option<f64>,
    diverged_stable: Option<usize>,
    seconds: Option<f64>,
}

/// The rows of a data set and the kernel matrix on them.
struct Problem {
    rows: usize,
    columns: usize,
    bandwidth: f64,
    kernel: DMatrix<f64>,
}

impl Problem {
    fn new(found: &Found, entry: &Entry, size: &Size, seed: u64) -> Result<Self> {
        let split = split(&found.read(entry)?, Protocol::Authors, &Noise::default(), seed)?;
        let all = Points::new(&split.train.values, split.columns)?;
        let mut generator = random::generator(seed, u64::from(entry.number));
        let kept = index::sample(&mut generator, all.rows(), size.rows.min(all.rows()));
        let values: Vec<f64> = kept.iter().flat_map(|row| all.row(row)).copied().collect();
        let points = Points::new(&values, split.columns)?;
        let selection = DetectorParams::paper().seed(seed).tune(points, None)?;
        let bandwidth = selection.bandwidth;
        let options = PrepareOptions::new().clip(None);
        let preparation = Preparation::fit(points, &Weights::equal(points.rows()), &options)?;
        let prepared = preparation.apply(points)?;
        let columns = preparation.dimension();
        let (features, sampler) = (size.features, RadialSampler::paper());
        let features = FourierFeatures::sdo(columns, bandwidth, features, sampler, seed)?;
        let kernel = sampled_kernel(&features, Points::new(&prepared, columns)?)?;
        Ok(Self { rows: points.rows(), columns, bandwidth, kernel })
    }

    /// Non-negative starts, one a column.
    fn starts(&self, count: usize, seed: u64) -> DMatrix<f64> {
        let mut generator = random::generator(seed, 1 << 20);
        let normal = |_, _| -> f64 { StandardNormal.sample(&mut generator) };
        DMatrix::from_fn(self.rows, count, normal).abs()
    }
}

/// K̂ = (2/T) ΦΦᵀ, written out: a thousand steps from many starts are cheaper this way.
fn sampled_kernel(features: &FourierFeatures, points: Points) -> Result<DMatrix<f64>> {
    let (rows, count) = (points.rows(), features.count());
    let transposed = DMatrix::from_vec(count, rows, features.map(points)?);
    let scale = 2.0 / count as f64;
    let bands: Vec<DMatrix<f64>> = (0..rows)
        .into_par_iter()
        .step_by(64)
        .map(|first| {
            let band = transposed.columns(first, 64.min(rows - first)).transpose();
            band * &transposed * scale
        })
        .collect();
    let mut kernel = DMatrix::zeros(rows, rows);
    for (band, part) in bands.iter().enumerate() {
        kernel.rows_mut(64 * band, part.nrows()).copy_from(part);
    }
    Ok(kernel)
}

/// The mean of the worst.
fn worst(mut shares: Vec<f64>) -> f64 {
    shares.sort_by(|a, b| b.total_cmp(a));
    shares.truncate(WORST);
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
}

/// Runs all gradients on one data set.
fn measure(found: &Found, entry: &Entry, size: &Size, seed: u64, watch: Watch) -> Result<Row> {
    let begun = Instant::now();
    let what = entry.to_string();
    tell(watch, &what, 0, 3 * size.steps)?;
    let problem = Problem::new(found, entry, size, seed)?;
    let starts = problem.starts(size.starts, seed);
    let norm = largest_eigenvalue(&problem.kernel);
    let stable_rate = STABLE / norm;
    let gradients =
        [Gradient::Natural(RATE), Gradient::Standard(RATE), Gradient::Standard(stable_rate)];
    let mut ends = Vec::new();
    for (run, gradient) in gradients.into_iter().enumerate() {
        let mut hears = |step: usize| watch(&what, run * size.steps + step, 3 * size.steps);
        let end = descend(&problem.kernel, &starts, gradient, size.steps, &mut hears);
        ends.push(end.ok_or(sosrep::Error::Cancelled)?);
    }
    let negative =
        |run: usize| Some(worst(ends[run].iter().map(|end: &End| end.negative).collect()));
    let diverged = |run: usize| Some(ends[run].iter().filter(|end| end.diverged).count());
    Ok(Row {
        data_set: what,
        seed,
        rows: Some(problem.rows),
        columns: Some(problem.columns),
        bandwidth: Some(problem.bandwidth),
        norm: Some(norm),
        negative_start: Some(worst(negative_shares(&product(&problem.kernel, &starts)))),
        negative_natural: negative(0),
        diverged_natural: diverged(0),
        negative_standard: negative(1),
        diverged_standard: diverged(1),
        stable_rate: Some(stable_rate),
        negative_stable: negative(2),
        diverged_stable: diverged(2),
        seconds: Some(begun.elapsed().as_secs_f64()),
    })
}

fn file(folder: &Path) -> PathBuf {
    folder.join("gradients.csv")
}

/// Runs the data sets that the file has not.
pub(super) fn run(request: &Request, folder: &Path, watch: Watch) -> Result<()> {
    let found = request.data(Experiment::Gradients)?;
    let entries = DATA_SETS.iter().map(|name| named(name)).collect::<Result<Vec<_>>>()?;
    run_sized(found, &entries, &PAPER, request.seed, (folder, watch))
}

fn run_sized(
    found: &Found,
    entries: &[Entry],
    size: &Size,
    seed: u64,
    (folder, watch): (&Path, Watch),
) -> Result<()> {
    let mut log: Log<Row> = Log::open(file(folder))?;
    for entry in entries {
        let data_set = entry.to_string();
        let present = found.present.iter().any(|(present, _)| present == entry);
        let is_this = |row: &&Row| row.data_set == data_set && row.seed == seed;
        match log.entries().iter().find(is_this) {
            // A file that was missing may have come since.
            Some(row) if row.rows.is_some() || !present => continue,
            _ if !present => log.append(Row { data_set, seed, ..Row::default() })?,
            _ => log.append(measure(found, entry, size, seed, watch)?)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::ops::ControlFlow;

    use super::*;
    use crate::catalogue::find;
    use crate::log;

    const SMALL: Size = Size { rows: 40, features: 200, starts: 8, steps: 20 };

    /// A folder with one data set, of which the catalogue knows nothing.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let file = fs::File::create(folder.path().join("3_backdoor.npz")).unwrap();
        let mut archive = ndarray_npy::NpzWriter::new(file);
        let x =
            ndarray::Array2::from_shape_fn((90, 2), |(i, j)| (i as f64 * 0.618 + j as f64).sin());
        let y = ndarray::Array1::from_shape_fn(90, |i| i32::from(i < 9));
        archive.add_array("X", &x).unwrap();
        archive.add_array("y", &y).unwrap();
        archive.finish().unwrap();
        folder
    }

    #[test]
    fn a_run_that_was_stopped_goes_on_where_it_was() {
        let folder = folder();
        let found = find(folder.path()).unwrap();
        let entries = [named("glass").unwrap(), named("backdoor").unwrap()];
        let run = |watch: Watch| run_sized(&found, &entries, &SMALL, 1, (folder.path(), watch));
        let stopped = run(&mut |_, done, _| match done {
            30 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        assert!(matches!(stopped, Err(crate::Error::Core(sosrep::Error::Cancelled))));
        let read = || log::read::<Row>(file(folder.path())).unwrap();
        let rows = read();
        assert_eq!((rows.len(), rows[0].data_set.as_str()), (1, "14_glass"));
        assert_eq!(rows[0].rows, None, "a data set without a file is a line without numbers");

        run(&mut |_, _, _| ControlFlow::Continue(())).unwrap();
        let rows = read();
        let measured = rows.iter().find(|row| row.data_set == "3_backdoor").unwrap();
        assert_eq!((measured.rows, measured.columns), (Some(40), Some(2)));
        assert!(measured.negative_natural.is_some_and(|share| (0.0..=1.0).contains(&share)));

        let bytes = fs::read(file(folder.path())).unwrap();
        run(&mut |_, _, _| ControlFlow::Break(())).unwrap();
        assert_eq!(fs::read(file(folder.path())).unwrap(), bytes, "nothing is left to do");
    }

    #[test]
    fn the_written_out_kernel_is_that_of_the_features() {
        let features = FourierFeatures::sdo(2, 0.5, 300, RadialSampler::paper(), 4).unwrap();
        let values: Vec<f64> = (0..140).map(|i| (f64::from(i) * 0.7).cos()).collect();
        let points = Points::new(&values, 2).unwrap();
        let kernel = sampled_kernel(&features, points).unwrap();
        for (i, j) in [(0, 0), (3, 65), (69, 64), (64, 3)] {
            let expected = features.value(points.row(i), points.row(j));
            assert!((kernel[(i, j)] - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn the_worst_five_are_averaged_or_as_many_as_there_are() {
        assert_eq!(worst(vec![0.0, 1.0, 0.5, 0.5, 0.5, 0.0, 0.5]), 0.6);
        assert_eq!(worst(vec![0.25, 0.75]), 0.5);
    }
}
