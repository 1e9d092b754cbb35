//! The cost of an exact fit, and of the same fit by 30 000 steps of λ = 0.01.
//!
//! Prints a table first: seconds of the kernel matrix and of the solve, the products used, and the
//! ratio to the paper's 30 000 steps, extrapolated from 300 in the same run. Then criterion times
//! the parts: the kernel matrix, one product with it, the solve, a thousand scores. Run with
//! `cargo bench --bench fit`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use sosrep::gram::{DEFAULT_MEMORY, Gram, KernelProduct};
use sosrep::kernel::{Kernel, KernelKind};
use sosrep::solve::{SolveOptions, Solver, Start, solve};
use sosrep::{DensityParams, Points, Weights};

const SIZES: [usize; 3] = [1000, 4000, 7000];
const COLUMNS: [usize; 3] = [6, 27, 100];
const PAPER_STEPS: usize = 30_000;
const TIMED_STEPS: usize = 300;

fn normal(n: usize, d: usize) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    (0..n * d).map(|_| StandardNormal.sample(&mut rng)).collect()
}

/// The kernels with a typical bandwidth each.
fn kernels() -> [(KernelKind, f64); 2] {
    [(KernelKind::Product, 0.15), (KernelKind::Sdo, 0.5)]
}

fn timed<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

fn ratio_to_the_papers_steps() {
    println!("exact fits; ratio = time with 30 000 steps of λ = 0.01 (from 300) over time here");
    println!(
        "{:8} {:>5} {:>4} {:>9} {:>9} {:>8} {:>9} {:>11} {:>11}",
        "kernel",
        "n",
        "d",
        "matrix s",
        "solve s",
        "products",
        "residual",
        "solve ratio",
        "fit ratio"
    );
    for (kind, bandwidth) in kernels() {
        for d in COLUMNS {
            for n in SIZES {
                let rows = normal(n, d);
                let points = Points::new(&rows, d).expect("finite");
                let weights = Weights::equal(n);
                let kernel = Kernel::new(&kind, d, bandwidth).expect("valid");
                let (gram, matrix) =
                    timed(|| Gram::new(&kernel, points, DEFAULT_MEMORY).expect("fits"));
                let (solution, ours) =
                    timed(|| solve(&gram, &weights, &SolveOptions::default()).expect("valid"));
                let paper = SolveOptions::new()
                    .solver(Solver::NaturalStep(0.01))
                    .start(Start::Random { seed: 1 })
                    .max_iterations(TIMED_STEPS)
                    .tolerance(0.0);
                let (_, theirs) = timed(|| solve(&gram, &weights, &paper).expect("valid"));
                let theirs = theirs.as_secs_f64() * (PAPER_STEPS / TIMED_STEPS) as f64;
                let (matrix, ours) = (matrix.as_secs_f64(), ours.as_secs_f64());
                println!(
                    "{:8} {n:5} {d:4} {matrix:9.4} {ours:9.4} {:8} {:9.1e} {:11.0} {:11.0}",
                    kind.name(),
                    solution.report.products,
                    solution.report.residual,
                    theirs / ours,
                    (matrix + theirs) / (matrix + ours)
                );
            }
        }
    }
}

fn parts(criterion: &mut Criterion) {
    for (kind, bandwidth) in kernels() {
        let mut group = criterion.benchmark_group(kind.name());
        group.sample_size(10);
        group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
        for (n, d) in [(1000, 27), (4000, 6), (4000, 100)] {
            let rows = normal(n, d);
            let points = Points::new(&rows, d).expect("finite");
            let weights = Weights::equal(n);
            let kernel = Kernel::new(&kind, d, bandwidth).expect("valid");
            let id = |part: &str| BenchmarkId::new(part, format!("{n}x{d}"));
            group.bench_function(id("matrix"), |bencher| {
                bencher.iter(|| Gram::new(&kernel, black_box(points), DEFAULT_MEMORY));
            });
            let gram = Gram::new(&kernel, points, DEFAULT_MEMORY).expect("fits");
            let mut product = vec![0.0; n];
            group.bench_function(id("product"), |bencher| {
                bencher.iter(|| gram.multiply(black_box(weights.as_slice()), &mut product));
            });
            group.bench_function(id("solve"), |bencher| {
                bencher.iter(|| solve(&gram, &weights, &SolveOptions::default()));
            });
            let params = DensityParams::new().kernel(kind.clone()).bandwidth(bandwidth);
            let density = params.fit(points, None).expect("valid");
            let thousand = Points::new(&rows[..1000 * d], d).expect("finite");
            group.bench_function(id("score-1000"), |bencher| {
                bencher.iter(|| density.log_pre_density(black_box(thousand)).expect("valid"));
            });
        }
        group.finish();
    }
}

fn main() {
    // Under `cargo test --benches` criterion only checks that everything runs.
    if std::env::args().any(|argument| argument == "--bench") {
        ratio_to_the_papers_steps();
    }
    let mut criterion = Criterion::default().configure_from_args();
    parts(&mut criterion);
    criterion.final_summary();
}
