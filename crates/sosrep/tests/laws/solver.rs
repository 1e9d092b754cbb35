//! Laws of the solver: stationarity, uniqueness, scaling, positivity, the two-block model.

use std::ops::ControlFlow;

use crate::common::{assert_close, kinds, normal, on_threads};
use proptest::prelude::*;
use sosrep::gram::{DEFAULT_MEMORY, FeatureGram, Gram, KernelProduct};
use sosrep::kernel::{FourierFeatures, Kernel, KernelKind, RadialSampler};
use sosrep::solve::{Solution, SolveOptions, Solver, Start, StopReason, solve, solve_monitored};
use sosrep::{Points, Weights};

/// A matrix written out: the slow twin of every other product.
struct Dense {
    values: Vec<f64>,
    n: usize,
}

impl Dense {
    fn new(n: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        Self { values: (0..n * n).map(|at| entry(at / n, at % n)).collect(), n }
    }
}

impl KernelProduct for Dense {
    fn rows(&self) -> usize {
        self.n
    }

    fn multiply(&self, vector: &[f64], product: &mut [f64]) {
        for (out, row) in product.iter_mut().zip(self.values.chunks_exact(self.n)) {
            *out = row.iter().zip(vector).map(|(k, v)| k * v).sum();
        }
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.values[i * self.n + i]
    }
}

fn exact() -> SolveOptions {
    SolveOptions::new().tolerance(1e-13)
}

fn run(gram: &dyn KernelProduct, weights: &Weights, options: &SolveOptions) -> Solution {
    solve(gram, weights, options).unwrap()
}

fn kernel_solution(kind: &KernelKind, rows: &[f64], d: usize, options: &SolveOptions) -> Solution {
    let kernel = Kernel::new(kind, d, 0.4).unwrap();
    let points = Points::new(rows, d).unwrap();
    let gram = Gram::new(&kernel, points, DEFAULT_MEMORY).unwrap();
    run(&gram, &Weights::equal(points.rows()), options)
}

#[test]
fn the_solution_is_stationary_and_has_norm_one() {
    for d in [1, 3, 10] {
        let rows = normal(150, d, 2);
        for kind in kinds() {
            let found = kernel_solution(&kind, &rows, d, &exact());
            assert_eq!(found.report.stop, StopReason::Converged, "{kind:?} d = {d}");
            assert!(found.report.residual < 1e-12);
            assert_close!(found.report.norm_squared, 1.0, 1e-12, "{kind:?}");
            for (a, f) in found.alpha.iter().zip(&found.values) {
                assert_close!(a * f * 150.0, 1.0, 1e-12, "{kind:?}");
            }
        }
    }
}

#[test]
fn about_ten_products_suffice_at_every_bandwidth() {
    let rows = normal(400, 6, 3);
    for kind in kinds() {
        for step in 0..15 {
            let b = 10.0_f64.powf(-2.0 + 4.0 * f64::from(step) / 14.0);
            let kernel = Kernel::new(&kind, 6, b).unwrap();
            let gram = Gram::new(&kernel, Points::new(&rows, 6).unwrap(), DEFAULT_MEMORY).unwrap();
            let found = run(&gram, &Weights::equal(400), &SolveOptions::default());
            assert_eq!(found.report.stop, StopReason::Converged, "{kind:?} b = {b}");
            assert!(found.report.products <= 16, "{kind:?} b = {b}: {}", found.report.products);
        }
    }
}

#[test]
fn the_solution_does_not_depend_on_the_start_or_the_step() {
    let rows = normal(80, 2, 4);
    for kind in [KernelKind::Gaussian, KernelKind::Product, KernelKind::Laplacian] {
        let reference = kernel_solution(&kind, &rows, 2, &exact());
        let mut others = vec![];
        for seed in 0..3 {
            others.push(exact().start(Start::Random { seed }));
        }
        for rate in [0.05, 0.25, 0.4] {
            others.push(
                exact()
                    .solver(Solver::NaturalStep(rate))
                    .start(Start::Random { seed: 9 })
                    .max_iterations(5000),
            );
        }
        for options in others {
            let found = kernel_solution(&kind, &rows, 2, &options);
            assert_eq!(found.report.stop, StopReason::Converged, "{kind:?} {options:?}");
            for (a, b) in found.values.iter().zip(&reference.values) {
                assert_close!(*a, *b, 1e-10, "{kind:?} {options:?}");
            }
        }
    }
}

#[test]
fn natural_and_standard_gradients_reach_the_same_loss() {
    let rows = normal(40, 2, 5);
    let natural = kernel_solution(&KernelKind::Laplacian, &rows, 2, &exact());
    let options =
        exact().solver(Solver::StandardStep(0.01)).max_iterations(200_000).tolerance(1e-7);
    let standard = kernel_solution(&KernelKind::Laplacian, &rows, 2, &options);
    assert_eq!(standard.report.stop, StopReason::Converged);
    // A gradient of size ε costs ε² in the loss.
    assert_close!(standard.report.objective, natural.report.objective, 1e-12);
}

/// The gradients as the paper prints them, against differences of the objective.
#[test]
fn gradient_steps_follow_the_gradient_of_the_objective() {
    let (n, h, rate) = (12, 1e-6, 1e-3);
    let rows = normal(n, 2, 6);
    let kernel = Kernel::new(&KernelKind::Sdo, 2, 0.5).unwrap();
    let points = Points::new(&rows, 2).unwrap();
    let gram = Gram::new(&kernel, points, DEFAULT_MEMORY).unwrap();
    let weights = Weights::new(&(1..=n).map(|i| i as f64).collect::<Vec<_>>()).unwrap();
    let alpha: Vec<f64> = (0..n).map(|i| 0.2 + 0.05 * (i % 5) as f64).collect();
    let objective = |alpha: &[f64]| {
        let options = exact().start(Start::Given(alpha.to_vec())).max_iterations(0);
        run(&gram, &weights, &options).report.objective
    };
    let one_step = |solver: Solver| {
        let options = exact().solver(solver).start(Start::Given(alpha.clone())).max_iterations(1);
        run(&gram, &weights, &options).alpha
    };
    let gradient: Vec<f64> = (0..n)
        .map(|i| {
            let moved = |by: f64| {
                let mut alpha = alpha.clone();
                alpha[i] += by;
                objective(&alpha)
            };
            (moved(h) - moved(-h)) / (2.0 * h)
        })
        .collect();
    let standard = one_step(Solver::StandardStep(rate));
    for i in 0..n {
        assert_close!((alpha[i] - standard[i]) / rate, gradient[i], 1e-6);
    }
    // The natural gradient g is the one for which ⟨g, h⟩_H is the change along h: K g = ∇_α L.
    let natural = one_step(Solver::NaturalStep(rate));
    let g: Vec<f64> = alpha.iter().zip(&natural).map(|(a, b)| (a - b) / rate).collect();
    let mut product = vec![0.0; n];
    gram.multiply(&g, &mut product);
    for i in 0..n {
        assert_close!(product[i], gradient[i], 1e-6);
    }
}

/// argmin of −Σ w log h² + λ² ‖h‖² is f / λ: its gradient vanishes and every move costs.
#[test]
fn a_regularisation_factor_only_rescales_the_solution() {
    let rows = normal(30, 2, 7);
    let kernel = Kernel::new(&KernelKind::Gaussian, 2, 0.3).unwrap();
    let points = Points::new(&rows, 2).unwrap();
    let gram = Gram::new(&kernel, points, DEFAULT_MEMORY).unwrap();
    let base = run(&gram, &Weights::equal(30), &exact());
    let lambda = 2.5;
    let objective = |alpha: &[f64]| {
        let mut f = vec![0.0; 30];
        gram.multiply(alpha, &mut f);
        let norm: f64 = alpha.iter().zip(&f).map(|(a, f)| a * f).sum();
        lambda * lambda * norm - f.iter().map(|f| (f * f).ln() / 30.0).sum::<f64>()
    };
    let scaled: Vec<f64> = base.alpha.iter().map(|a| a / lambda).collect();
    let lowest = objective(&scaled);
    for i in 0..30 {
        for by in [-1e-3, 1e-3] {
            let mut moved = scaled.clone();
            moved[i] += by * moved[i];
            assert!(objective(&moved) > lowest);
        }
    }
    assert!(objective(&base.alpha) > lowest + 1.0);
}

#[test]
fn a_kernel_times_c_gives_f_times_the_root_of_c() {
    let rows = normal(25, 3, 8);
    let kernel = Kernel::new(&KernelKind::Sdo, 3, 0.5).unwrap();
    let row = |i: usize| &rows[3 * i..3 * i + 3];
    let plain = Dense::new(25, |i, j| kernel.value(row(i), row(j)));
    let c = 7.0;
    let scaled = Dense::new(25, |i, j| c * kernel.value(row(i), row(j)));
    let weights = Weights::equal(25);
    let (a, b) = (run(&plain, &weights, &exact()), run(&scaled, &weights, &exact()));
    for (f, g) in a.values.iter().zip(&b.values) {
        assert_close!(*g, c.sqrt() * f, 1e-12);
    }
}

/// Proposition on the two-block model: f²(x_t) / f²(x'_s) does not depend on β.
#[test]
fn two_blocks_have_the_density_ratio_of_the_proposition() {
    let n = 50;
    let (g, h) = (0.9_f64, 0.3_f64);
    for beta in [0.0, 0.3, 0.5, 0.95] {
        let matrix = Dense::new(2 * n, |i, j| match (i < n, j < n) {
            _ if i == j => 1.0,
            (true, true) => g * g,
            (false, false) => h * h,
            _ => beta * g * h,
        });
        let found = run(&matrix, &Weights::equal(2 * n), &exact());
        let ratio = (found.values[0] / found.values[n]).powi(2);
        let m = n as f64 - 1.0;
        assert_close!(ratio, (1.0 + m * g * g) / (1.0 + m * h * h), 1e-12, "β = {beta}");
    }
}

#[test]
fn gram_products_match_the_matrix_written_out() {
    for n in [1, 3, 127, 128, 129, 300] {
        let rows = normal(n, 4, 9);
        let row = |i: usize| &rows[4 * i..4 * i + 4];
        for kind in kinds() {
            let kernel = Kernel::new(&kind, 4, 0.4).unwrap();
            let points = Points::new(&rows, 4).unwrap();
            let exact = Dense::new(n, |i, j| kernel.value(row(i), row(j)));
            // The matrix is kept in single precision.
            let rounded = Dense::new(n, |i, j| f64::from(kernel.value(row(i), row(j)) as f32));
            let vector = normal(n, 1, 10);
            let (mut expected, mut ideal) = (vec![0.0; n], vec![0.0; n]);
            rounded.multiply(&vector, &mut expected);
            exact.multiply(&vector, &mut ideal);
            let size: f64 = vector.iter().map(|a| a.abs()).sum();
            let mut results = vec![];
            // Held, half held, not held.
            for memory in [DEFAULT_MEMORY, n * n * 4 / 2, 0] {
                let gram = Gram::new(&kernel, points, memory).unwrap();
                let mut found = vec![0.0; n];
                gram.multiply(&vector, &mut found);
                for i in 0..n {
                    assert_close!(found[i], expected[i], 1e-12, "{kind:?} n = {n}");
                    assert_close!(found[i], ideal[i], 6e-8 * size, "{kind:?} n = {n}");
                }
                results.push(found);
            }
            assert_eq!(results[0], results[1], "memory changes nothing");
            assert_eq!(results[0], results[2], "memory changes nothing");
        }
    }
}

#[cfg(feature = "rayon")]
#[test]
fn products_do_not_depend_on_the_number_of_threads() {
    let rows = normal(700, 3, 11);
    let kernel = Kernel::new(&KernelKind::Product, 3, 0.3).unwrap();
    let vector = normal(700, 1, 12);
    let product = |threads: usize| {
        on_threads(threads, || {
            let points = Points::new(&rows, 3).unwrap();
            let gram = Gram::new(&kernel, points, DEFAULT_MEMORY).unwrap();
            let mut out = vec![0.0; 700];
            gram.multiply(&vector, &mut out);
            out
        })
    };
    assert_eq!(product(1), product(4));
}

/// Too few features make a matrix with many negative entries, on which the fast steps may not settle.
#[test]
fn matrices_with_many_negative_entries_still_end_in_a_stationary_point() {
    let rows = normal(60, 3, 15);
    let points = Points::new(&rows, 3).unwrap();
    for seed in 0..5 {
        let features = FourierFeatures::sdo(3, 0.2, 100, RadialSampler::Exact, seed).unwrap();
        let gram = FeatureGram::new(&features, points, DEFAULT_MEMORY).unwrap();
        let options = exact().tolerance(1e-8).max_iterations(20_000);
        let found = run(&gram, &Weights::equal(60), &options);
        assert_eq!(found.report.stop, StopReason::Converged, "seed {seed}: {:?}", found.report);
        assert_close!(found.report.norm_squared, 1.0, 1e-7);
    }
}

#[test]
fn the_report_describes_the_run() {
    let rows = normal(60, 2, 13);
    let options = exact().history(true);
    let report = kernel_solution(&KernelKind::Product, &rows, 2, &options).report;
    assert_eq!(report.history.len(), report.iterations + 1);
    assert_eq!(report.history.last().unwrap().residual, report.residual);
    assert!(report.history.first().unwrap().residual > 1e-3);
    assert_eq!(report.negative_fraction, 0.0);
    let few = exact().max_iterations(2);
    let report = kernel_solution(&KernelKind::Product, &rows, 2, &few).report;
    assert_eq!((report.iterations, report.stop), (2, StopReason::MaxIterations));
    let wild = exact().solver(Solver::StandardStep(1e3));
    let report = kernel_solution(&KernelKind::Product, &rows, 2, &wild).report;
    assert!(matches!(report.stop, StopReason::Diverged | StopReason::MaxIterations), "{report:?}");
    assert!(report.residual.is_nan() || report.residual > 1.0, "a wild rate cannot converge");
}

#[test]
fn a_callback_sees_progress_and_can_cancel() {
    let rows = normal(60, 2, 14);
    let kernel = Kernel::new(&KernelKind::Product, 2, 0.3).unwrap();
    let gram = Gram::new(&kernel, Points::new(&rows, 2).unwrap(), DEFAULT_MEMORY).unwrap();
    let mut seen = vec![];
    let mut stop_at_three = |progress: &sosrep::Progress| {
        seen.push(progress.residual.unwrap());
        if progress.step == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let found = solve_monitored(&gram, &Weights::equal(60), &exact(), &mut stop_at_three).unwrap();
    assert_eq!(found.report.stop, StopReason::Cancelled);
    assert_eq!(seen.len(), 4);
    assert!(seen[3] < seen[0]);
}

/// One thread multiplies a thousand rows or so of a matrix beyond its memory, or of features, at a time.
#[test]
fn a_long_product_can_be_cancelled_and_leaves_the_step_before_it() {
    let (n, d) = (3000, 2);
    let rows = normal(n, d, 15);
    let points = Points::new(&rows, d).unwrap();
    let (kernel, weights) = (Kernel::new(&KernelKind::Sdo, d, 0.3).unwrap(), Weights::equal(n));
    let features = FourierFeatures::draw(&kernel, 500, 1).unwrap();
    let exact = Gram::new(&kernel, points, 0).unwrap();
    let sampled = FeatureGram::new(&features, points, 0).unwrap();
    let solvers = [Solver::Natural, Solver::StandardStep(1e-5)];
    for (gram, solver) in [&exact as &dyn KernelProduct, &sampled].into_iter().zip(solvers) {
        let options = SolveOptions::new().solver(solver).max_iterations(4);
        // Cancelled at the call with this number, if there is one; and the calls there were.
        let solved = |stop: usize| {
            let mut calls = 0;
            let mut monitor = |_: &sosrep::Progress| {
                calls += 1;
                if calls == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            (solve_monitored(gram, &weights, &options, &mut monitor), calls)
        };
        let (whole, calls) = on_threads(1, || solved(usize::MAX));
        let products = whole.unwrap().report.products;
        assert!(calls > 2 * products, "{calls} calls in {products} products");
        for stop in 1..=calls {
            let Ok(solution) = on_threads(1, || solved(stop)).0 else {
                assert!(stop < calls / 2, "there was a step to return");
                continue;
            };
            assert_eq!(solution.report.stop, StopReason::Cancelled);
            let mut values = vec![0.0; n];
            gram.multiply(&solution.alpha, &mut values);
            assert_eq!(values, solution.values, "call {stop}");
        }
    }
}

proptest! {
    /// Proposition "NgPosCone": a natural step with λ < ½ keeps f ≥ 0 for a non-negative kernel.
    #[test]
    fn natural_steps_stay_in_the_cone_of_non_negative_functions(
        rows in prop::collection::vec(-2.0..2.0_f64, 24),
        seed in 0_u64..1000,
        rate in 0.001..0.499_f64,
        bandwidth in 0.05..5.0_f64,
    ) {
        for kind in [KernelKind::Gaussian, KernelKind::Laplacian, KernelKind::Product] {
            let kernel = Kernel::new(&kind, 2, bandwidth).unwrap();
            let points = Points::new(&rows, 2).unwrap();
            let gram = Gram::new(&kernel, points, DEFAULT_MEMORY).unwrap();
            let options = SolveOptions::new()
                .solver(Solver::NaturalStep(rate))
                .start(Start::Random { seed })
                .max_iterations(30);
            let found = run(&gram, &Weights::equal(12), &options);
            prop_assert!(found.alpha.iter().all(|a| *a >= 0.0));
            prop_assert!(found.values.iter().all(|f| *f >= 0.0));
        }
    }
}
