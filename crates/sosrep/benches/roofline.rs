//! How near the exact path is to what the machine can do, and what the authors' steps cost on it.
//!
//! ```text
//! build share     time at the peak / time taken; at the peak n²/2 pairs of d columns take
//!                 n²/2 d / (columns a second) + n²/2 / (pairs a second) + 2n² / (fresh bytes a second)
//! product share   bytes of the matrix / seconds of a product / bandwidth of a copy
//! ```
//!
//! All of it is measured in this run with all threads. Columns a second, on registers: for squared
//! distances the multiply-adds of a perfect matrix product; for the product kernel, whose distance no
//! matrix product gives, a maximum and a multiply-add, the least it can be made of. Pairs a second: a
//! matrix of one column that the caches hold, for all that is done once a pair. Fresh bytes: writes to
//! newly allocated memory, as a matrix is written. A copy is between buffers that
//! no cache holds; its reads and writes both count. Figures are the best of a few repetitions.
//!
//! Run with `cargo bench --bench roofline -- FOLDER`, an absolute path: writes roofline.csv, and
//! authors.csv with the seconds of one natural step and of one Hutchinson probe for one row. Without a
//! folder it does nothing.

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use pulp::{Arch, Simd, WithSimd};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use sosrep::gram::{DEFAULT_MEMORY, Gram, KernelProduct};
use sosrep::kernel::{Kernel, KernelKind};
use sosrep::select::{Hutchinson, hutchinson_divergence};
use sosrep::solve::{SolveOptions, Solver, Start, solve};
use sosrep::{DensityParams, Points, Weights};

const REPEATS: usize = 7;
/// Rows as in ADBench's largest data sets.
const ROWS: usize = 7000;
const COLUMNS: [usize; 4] = [6, 27, 62, 100];
/// Rows whose kernel matrix the caches hold.
const CACHED_ROWS: usize = 1400;
const TABLE_COLUMNS: [usize; 7] = [2, 10, 100, 500, 1000, 1555, 2000];
/// Bytes of each buffer of the copy, well beyond any cache.
const COPIED: usize = 256 << 20;
const AUTHORS_ROWS: [usize; 4] = [500, 1500, 3000, 5000];
const AUTHORS_COLUMNS: [usize; 3] = [5, 30, 100];
const AUTHORS_STEPS: usize = 20;
const AUTHORS_PROBES: usize = 4;
const PROBED_ROWS: usize = 16;

fn kernels() -> [(KernelKind, f64); 2] {
    [(KernelKind::Product, 0.15), (KernelKind::Sdo, 0.5)]
}

fn normal(n: usize, d: usize) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    (0..n * d).map(|_| StandardNormal.sample(&mut rng)).collect()
}

/// The shortest of a few repetitions.
fn seconds<R>(mut work: impl FnMut() -> R) -> f64 {
    let timed = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed().as_secs_f64()
    };
    (0..REPEATS).map(timed).fold(f64::INFINITY, f64::min)
}

/// Columns of distances on one thread's registers: as many chains as there are registers.
struct Columns {
    metric: Metric,
}

/// What a column adds to a distance.
#[derive(Clone, Copy)]
enum Metric {
    /// A multiply-add.
    Squared,
    /// A maximum and a multiply-add.
    Maxima,
}

impl Columns {
    const STEPS: usize = 4_000_000;
    const CHAINS: usize = 13;
}

impl WithSimd for Columns {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> usize {
        let [x, y, one] = [0.5, 1.5, 1.0].map(|value| simd.splat_f64s(black_box(value)));
        let mut sums = [simd.splat_f64s(0.0); Self::CHAINS];
        for _ in 0..Self::STEPS {
            for sum in &mut sums {
                *sum = match self.metric {
                    Metric::Squared => simd.mul_add_f64s(x, y, *sum),
                    Metric::Maxima => simd.mul_add_f64s(simd.max_f64s(*sum, x), one, y),
                };
            }
        }
        black_box(sums.map(|sum| simd.reduce_sum_f64s(sum)));
        Self::STEPS * Self::CHAINS * S::F64_LANES
    }
}

/// Columns a second, all threads.
fn columns_a_second(metric: Metric) -> f64 {
    let work = || Arch::new().dispatch(Columns { metric });
    let count = work() * rayon::current_num_threads();
    count as f64 / seconds(|| rayon::broadcast(|_| work()))
}

/// Bytes read and written a second by a copy, all threads.
fn copy_bandwidth() -> f64 {
    let from = vec![1.0_f64; COPIED / size_of::<f64>()];
    let mut to = vec![0.0_f64; from.len()];
    let part = from.len().div_ceil(rayon::current_num_threads());
    let copy = || {
        let parts = to.par_chunks_mut(part).zip(from.par_chunks(part));
        parts.for_each(|(to, from)| to.copy_from_slice(from));
    };
    2.0 * COPIED as f64 / seconds(copy)
}

/// Bytes a second that are written to freshly allocated memory, all threads.
fn fresh_bandwidth() -> f64 {
    let part = COPIED.div_ceil(size_of::<f32>() * rayon::current_num_threads());
    let write = || {
        // Zeroed pages are mapped by the first write to them.
        let mut fresh = vec![0.0_f32; COPIED / size_of::<f32>()];
        fresh.par_chunks_mut(part).for_each(|part| part.fill(black_box(1.0)));
        fresh
    };
    COPIED as f64 / seconds(write)
}

fn pairs(n: usize) -> f64 {
    (n * n) as f64 / 2.0
}

fn build_seconds(kernel: &Kernel, n: usize) -> f64 {
    let rows = normal(n, kernel.dimension());
    let points = Points::new(&rows, kernel.dimension()).expect("finite");
    seconds(|| Gram::new(kernel, points, DEFAULT_MEMORY).expect("fits"))
}

fn product_seconds(kernel: &Kernel, n: usize) -> f64 {
    let rows = normal(n, kernel.dimension());
    let points = Points::new(&rows, kernel.dimension()).expect("finite");
    let gram = Gram::new(kernel, points, DEFAULT_MEMORY).expect("fits");
    let (vector, mut product) = (vec![1.0 / n as f64; n], vec![0.0; n]);
    seconds(|| gram.multiply(&vector, &mut product))
}

fn roofline() -> String {
    let mut csv = "what,kernel,n,d,value,unit\n".to_string();
    let bandwidth = copy_bandwidth();
    let mut line = |what: &str, kernel: &str, n: usize, d: usize, value: f64, unit: &str| {
        println!("{what:16} {kernel:12} {n:6} {d:5} {value:12.5e} {unit}");
        writeln!(csv, "{what},{kernel},{n},{d},{value},{unit}").expect("a string takes all");
    };
    line("copy-bandwidth", "", 0, 0, bandwidth, "bytes per second");
    let fresh = fresh_bandwidth();
    line("fresh-bandwidth", "", 0, 0, fresh, "bytes per second");
    for (kind, b) in kernels() {
        let name = kind.name();
        let metric = if kind == KernelKind::Product { Metric::Maxima } else { Metric::Squared };
        let columns = columns_a_second(metric);
        line("columns", name, 0, 0, columns, "per second");
        let one_column = Kernel::new(&kind, 1, b).expect("valid");
        let pairs_a_second = pairs(CACHED_ROWS) / build_seconds(&one_column, CACHED_ROWS);
        line("pairs", name, CACHED_ROWS, 1, pairs_a_second, "per second");
        for d in COLUMNS {
            let kernel = Kernel::new(&kind, d, b).expect("valid");
            let build = build_seconds(&kernel, ROWS);
            let a_pair =
                d as f64 / columns + 1.0 / pairs_a_second + size_of::<f32>() as f64 / fresh;
            let peak = pairs(ROWS) * a_pair;
            line("build", name, ROWS, d, build, "seconds");
            line("build-share", name, ROWS, d, peak / build, "of the peak");
        }
    }
    // A product depends neither on the columns nor on the kernel.
    let kernel = Kernel::new(&KernelKind::Product, COLUMNS[0], 0.15).expect("valid");
    for n in [ROWS, 2 * ROWS] {
        let product = product_seconds(&kernel, n);
        let read = pairs(n) * size_of::<f32>() as f64;
        line("product", "product", n, COLUMNS[0], product, "seconds");
        line("product-share", "product", n, COLUMNS[0], read / product / bandwidth, "of a copy");
    }
    for d in TABLE_COLUMNS {
        let build = seconds(|| Kernel::new(&KernelKind::Sdo, d, 0.5).expect("valid"));
        line("table-build", "sdo", 0, d, build, "seconds");
    }
    csv
}

fn authors() -> String {
    let mut csv = "n,d,step_seconds,probe_seconds_per_row\n".to_string();
    for d in AUTHORS_COLUMNS {
        for n in AUTHORS_ROWS {
            let rows = normal(n, d);
            let points = Points::new(&rows, d).expect("finite");
            let kernel = Kernel::new(&KernelKind::Sdo, d, 0.5).expect("valid");
            let gram = Gram::new(&kernel, points, DEFAULT_MEMORY).expect("fits");
            let options = SolveOptions::new()
                .solver(Solver::NaturalStep(0.01))
                .start(Start::Random { seed: 1 })
                .max_iterations(AUTHORS_STEPS)
                .tolerance(0.0);
            let weights = Weights::equal(n);
            let steps = seconds(|| solve(&gram, &weights, &options).expect("valid"));
            let density = DensityParams::new()
                .kernel(KernelKind::Sdo)
                .bandwidth(0.5)
                .fit(points, None)
                .expect("valid");
            let held_out = Points::new(&rows[..PROBED_ROWS * d], d).expect("finite");
            let probes = Hutchinson::new().probes(AUTHORS_PROBES);
            let probed = seconds(|| hutchinson_divergence(&density, held_out, None, &probes));
            let step = steps / AUTHORS_STEPS as f64;
            // The score at the row itself is one more evaluation.
            let probe = probed / (PROBED_ROWS * (AUTHORS_PROBES + 1)) as f64;
            println!("{n:6} rows {d:4} columns: step {step:.3e} s, probe of a row {probe:.3e} s");
            writeln!(csv, "{n},{d},{step},{probe}").expect("a string takes all");
        }
    }
    csv
}

fn main() {
    let Some(folder) = std::env::args().skip(1).find(|argument| !argument.starts_with('-')) else {
        return;
    };
    let folder = Path::new(&folder);
    for (name, csv) in [("roofline.csv", roofline()), ("authors.csv", authors())] {
        std::fs::write(folder.join(name), csv).expect("the folder can be written to");
    }
}
