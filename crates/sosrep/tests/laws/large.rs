//! Fitting features by passes: the same function as the solver on all rows, whatever the batches.

use sosrep::gram::{DEFAULT_MEMORY, FeatureGram};
use sosrep::kernel::{FourierFeatures, Kernel, KernelKind};
use sosrep::large::{FeatureFit, PassStatistics};
use sosrep::solve::{SolveOptions, solve};
use sosrep::{Density, Points, Weights, silent};

use crate::common::{assert_close, normal};

const D: usize = 2;

fn features() -> FourierFeatures {
    // Wide enough that the sampled kernel has few negative values.
    let kernel = Kernel::new(&KernelKind::Gaussian, D, 1.0).unwrap();
    FourierFeatures::draw(&kernel, 256, 3).unwrap()
}

fn fit_by_passes(rows: &[f64], weights: &[f64], batch: usize, passes: usize) -> (Density, f64) {
    let mut fit = FeatureFit::new(features());
    let mut residual = f64::INFINITY;
    for _ in 0..passes {
        let parts: Vec<PassStatistics> = rows
            .chunks(batch * D)
            .zip(weights.chunks(batch))
            .map(|(rows, w)| fit.partial(Points::new(rows, D).unwrap(), Some(w)).unwrap())
            .collect();
        let mut whole = parts[0].clone();
        parts[1..].iter().for_each(|part| whole.merge(part).unwrap());
        residual = fit.step(&whole).unwrap().residual;
    }
    (fit.finish().unwrap(), residual)
}

#[test]
fn passes_reach_the_solution_on_all_rows() {
    let rows = normal(200, D, 1);
    let raw: Vec<f64> = (0..200).map(|i| 1.0 + f64::from(i % 3)).collect();
    let weights = Weights::new(&raw).unwrap();
    let features = features();
    let gram = FeatureGram::new(&features, Points::new(&rows, D).unwrap(), DEFAULT_MEMORY).unwrap();
    let exact = SolveOptions { tolerance: 1e-12, ..SolveOptions::default() };
    let solution = solve(&gram, &weights, &exact, &mut silent).unwrap();
    assert!(solution.report.residual < 1e-11 && solution.report.negative_fraction == 0.0);
    let (density, residual) = fit_by_passes(&rows, &raw, 64, 40);
    assert!(residual < 1e-12, "{residual}");
    let found = density.values(Points::new(&rows, D).unwrap()).unwrap();
    // The matrix holds its cosines in single precision, the density does not.
    for (a, b) in found.iter().zip(&solution.values) {
        assert_close!(*a, *b, 1e-7);
    }
}

#[test]
fn twelve_passes_suffice() {
    let rows = normal(500, D, 2);
    let (_, residual) = fit_by_passes(&rows, &vec![1.0; 500], 100, 12);
    assert!(residual < 1e-4, "{residual}");
}

#[test]
fn batches_change_the_fit_by_rounding_only() {
    let rows = normal(300, D, 3);
    let ones = vec![1.0; 300];
    let (whole, _) = fit_by_passes(&rows, &ones, 300, 10);
    let (split, _) = fit_by_passes(&rows, &ones, 37, 10);
    let theta = |density: &Density| density.feature_form().unwrap().coefficients().to_vec();
    for (a, b) in theta(&whole).iter().zip(theta(&split)) {
        assert_close!(*a, b, 1e-11);
    }
}

#[test]
fn rows_of_weight_zero_count_for_nothing() {
    let mut rows = normal(100, D, 5);
    let (density, _) = fit_by_passes(&rows, &[1.0; 100], 50, 8);
    rows.extend([1e6; 2 * D]);
    let weights: Vec<f64> = (0..102).map(|i| if i < 100 { 1.0 } else { 0.0 }).collect();
    let (with_zeros, _) = fit_by_passes(&rows, &weights, 50, 8);
    let theta = |density: &Density| density.feature_form().unwrap().coefficients().to_vec();
    for (a, b) in theta(&density).iter().zip(theta(&with_zeros)) {
        assert_close!(*a, b, 1e-12);
    }
}

#[test]
fn statistics_of_another_pass_are_refused() {
    let rows = normal(20, D, 4);
    let points = Points::new(&rows, D).unwrap();
    let mut fit = FeatureFit::new(features());
    let first = fit.partial(points, None).unwrap();
    fit.step(&first).unwrap();
    let mut second = fit.partial(points, None).unwrap();
    assert!(fit.step(&first).is_err());
    assert!(second.merge(&first).is_err());
    assert!(fit.partial(points, Some(&[-1.0; 20])).is_err());
    assert!(fit.partial(Points::new(&rows, 4).unwrap(), None).is_err());
}
