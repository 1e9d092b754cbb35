//! Laws of the kernels: derivatives against finite differences, closed forms, integrals.

use crate::common::{assert_close, kinds, normal, uniform};
use std::sync::LazyLock;

use proptest::prelude::*;
use sosrep::Points;
use sosrep::kernel::{FourierFeatures, Kernel, KernelKind, RadialSampler};

#[test]
fn every_kernel_is_symmetric_and_one_on_the_diagonal() {
    for d in [1, 2, 5, 27] {
        let x = normal(2, d, 1);
        let (x, y) = x.split_at(d);
        for kind in kinds() {
            let kernel = Kernel::new(&kind, d, 0.4).unwrap();
            assert_close!(kernel.value(x, x), 1.0, 1e-12, "{kind:?}");
            assert_eq!(kernel.value(x, y), kernel.value(y, x), "{kind:?}");
            assert!(kernel.value(x, y).abs() < 1.0, "{kind:?}");
        }
    }
}

#[test]
fn gradient_and_laplacian_match_finite_differences() {
    for d in [1, 2, 3, 8, 27] {
        let rows = normal(6, d, 7);
        for kind in kinds() {
            let kernel = Kernel::new(&kind, d, 0.5).unwrap();
            let points = Points::new(&rows, d).unwrap();
            for pair in 0..3 {
                check_derivatives(&kernel, points.row(2 * pair), points.row(2 * pair + 1));
            }
        }
    }
}

/// Central differences: error h² for the gradient, and rounding 1e-16/h² for the second.
fn check_derivatives(kernel: &Kernel, x: &[f64], y: &[f64]) {
    let h = 1e-4;
    let mut gradient = vec![0.0; x.len()];
    kernel.gradient(x, y, &mut gradient);
    let centre = kernel.value(x, y);
    let mut laplacian = 0.0;
    for j in 0..x.len() {
        let moved = |by: f64| {
            let mut x = x.to_vec();
            x[j] += by;
            kernel.value(&x, y)
        };
        let (up, down) = (moved(h), moved(-h));
        assert_close!(gradient[j], (up - down) / (2.0 * h), 1e-6, "{:?} column {j}", kernel.kind());
        laplacian += (up - 2.0 * centre + down) / (h * h);
    }
    let scale = kernel.laplacian(x, y).abs().max(1.0);
    assert_close!(
        kernel.laplacian(x, y) / scale,
        laplacian / scale,
        2e-5,
        "Laplacian of {:?} in {} columns",
        kernel.kind(),
        x.len()
    );
}

#[test]
fn sdo_has_its_closed_forms_in_one_and_three_dimensions() {
    let one = Kernel::new(&KernelKind::Sdo, 1, 0.7).unwrap();
    let three = Kernel::new(&KernelKind::Sdo, 3, 0.7).unwrap();
    for step in 1..400 {
        let r = step as f64 * 0.05;
        let rho = r / 0.7;
        assert_close!(one.value(&[r], &[0.0]) / (-rho).exp(), 1.0, 1e-11, "d = 1, ρ = {rho}");
        let c = rho / 2.0_f64.sqrt();
        let expected = (-c).exp() * c.sin() / c;
        assert_close!(three.value(&[0.0, r, 0.0], &[0.0; 3]), expected, 1e-11, "d = 3, ρ = {rho}");
    }
}

/// K^a(x, y) = a^(−d/2m) K¹(a^(−1/2m) x, a^(−1/2m) y); scaled to 1 the prefactor is gone, and
/// ∫k carries it.
#[test]
fn sdo_obeys_the_rescaling_proposition() {
    for d in [1, 2, 5, 27] {
        let unit = Kernel::new(&KernelKind::Sdo, d, 1.0).unwrap();
        let b = 0.3;
        let scaled = unit.with_bandwidth(b).unwrap();
        let rows = normal(2, d, 3);
        let (x, y) = rows.split_at(d);
        let shrink = |v: &[f64]| v.iter().map(|v| v / b).collect::<Vec<f64>>();
        assert_close!(scaled.value(x, y), unit.value(&shrink(x), &shrink(y)), 1e-12);
        assert_close!(scaled.ln_integral(), unit.ln_integral() + d as f64 * f64::ln(b), 1e-12);
    }
}

#[test]
fn integrals_and_autoconvolutions_match_a_grid_in_one_dimension() {
    let (h, reach) = (2e-3, 20.0);
    for kind in kinds() {
        let kernel = Kernel::new(&kind, 1, 0.6).unwrap();
        let steps = (2.0 * reach / h) as usize;
        let (mut integral, mut square, mut shifted) = (0.0, 0.0, 0.0);
        for i in 0..steps {
            let z = -reach + h * (i as f64 + 0.5);
            let k = kernel.value(&[z], &[0.0]);
            integral += h * k;
            square += h * k * k;
            shifted += h * k * kernel.value(&[z], &[0.9]);
        }
        assert_close!(kernel.ln_integral(), integral.ln(), 1e-5, "∫k of {kind:?}");
        assert_close!(kernel.ln_square_integral(), square.ln(), 1e-5, "∫k² of {kind:?}");
        let found = kernel.autoconvolution(&[0.9], &[0.0]);
        assert_close!(found, shifted / square, 1e-5, "k⋆k of {kind:?}");
    }
}

#[test]
fn integrals_and_autoconvolutions_match_a_grid_in_two_dimensions() {
    let (h, reach) = (0.05, 12.0);
    for kind in kinds() {
        let kernel = Kernel::new(&kind, 2, 0.5).unwrap();
        let steps = (2.0 * reach / h) as usize;
        let (mut integral, mut square, mut shifted) = (0.0, 0.0, 0.0);
        for i in 0..steps {
            for j in 0..steps {
                let at = |k: usize| -reach + h * (k as f64 + 0.5);
                let k = kernel.value(&[at(i), at(j)], &[0.0, 0.0]);
                integral += h * h * k;
                square += h * h * k * k;
                shifted += h * h * k * kernel.value(&[at(i), at(j)], &[0.5, -0.7]);
            }
        }
        // The kink at the origin limits a midpoint grid to h² ln h.
        assert_close!(kernel.ln_integral(), integral.ln(), 1e-2, "∫k of {kind:?}");
        assert_close!(kernel.ln_square_integral(), square.ln(), 5e-3, "∫k² of {kind:?}");
        let found = kernel.autoconvolution(&[0.5, -0.7], &[0.0, 0.0]);
        assert_close!(found, shifted / square, 5e-3, "k⋆k of {kind:?}");
    }
}

#[test]
fn sampled_kernels_converge_to_the_exact_ones_at_the_root_of_t() {
    for d in [1, 2, 5, 27] {
        let rows = normal(20, d, 11);
        for kind in
            [KernelKind::Sdo, KernelKind::Gaussian, KernelKind::Laplacian, KernelKind::Product]
        {
            let kernel = Kernel::new(&kind, d, 0.7).unwrap();
            let error = |features: usize| {
                let mut sum = 0.0;
                for seed in 0..8 {
                    let sampled = FourierFeatures::draw(&kernel, features, seed).unwrap();
                    for pair in rows.chunks_exact(2 * d) {
                        let (x, y) = pair.split_at(d);
                        sum += (sampled.value(x, y) - kernel.value(x, y)).powi(2);
                    }
                }
                (sum / 80.0).sqrt()
            };
            let (coarse, fine) = (error(100), error(6400));
            // The standard deviation of a value is at most √(3/2) / √T; 64 times more features
            // shrink the error 8 times, up to the noise of 80 values.
            assert!(fine < 1.5 / 80.0, "{kind:?} d = {d}: {fine}");
            let rate = coarse / fine;
            assert!(
                (4.5..14.0).contains(&rate),
                "{kind:?} d = {d}: {coarse} → {fine}, rate {rate}"
            );
        }
    }
}

#[test]
fn the_papers_grid_agrees_with_the_exact_sampler_where_its_limits_do() {
    // b = 0.5 in five columns: the grid of radii up to 500 covers all but 1/250 of the mass.
    let (d, b) = (5, 0.5);
    let kernel = Kernel::new(&KernelKind::Sdo, d, b).unwrap();
    let rows = normal(20, d, 4);
    let grid = FourierFeatures::sdo(d, b, 40_000, RadialSampler::paper(), 3).unwrap();
    for pair in rows.chunks_exact(2 * d) {
        let (x, y) = pair.split_at(d);
        assert_close!(grid.value(x, y), kernel.value(x, y), 0.03);
    }
}

#[test]
fn feature_maps_are_seeded_and_the_same_alone_and_in_a_batch() {
    let d = 3;
    let rows = uniform(13, d, 5);
    let draw = |seed| FourierFeatures::sdo(d, 0.4, 37, RadialSampler::Exact, seed).unwrap();
    assert_eq!(draw(1).frequencies(), draw(1).frequencies());
    assert_ne!(draw(1).frequencies(), draw(2).frequencies());
    let features = draw(1);
    let points = Points::new(&rows, d).unwrap();
    let batch = features.map(points).unwrap();
    for (i, row) in points.iter().enumerate() {
        let alone = features.map(Points::new(row, d).unwrap()).unwrap();
        assert_eq!(alone, batch[i * 37..(i + 1) * 37]);
    }
    let sum: f64 = batch[..37].iter().zip(&batch[37..74]).map(|(a, b)| a * b).sum();
    assert_close!(2.0 * sum / 37.0, features.value(points.row(0), points.row(1)), 1e-12);
}

#[test]
fn bad_parameters_are_named() {
    for bandwidth in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Kernel::new(&KernelKind::Gaussian, 2, bandwidth).unwrap_err();
        assert!(error.to_string().starts_with("bandwidth is"), "{error}");
    }
    for (dimension, features, points) in [(0, 5, 5), (2, 0, 5), (2, 1 << 60, 5), (2, 5, 1 << 60)] {
        let sampler = RadialSampler::Grid { points, limit: 1.0 };
        assert!(FourierFeatures::sdo(dimension, 1.0, features, sampler, 0).is_err());
    }
    assert!(Kernel::new(&KernelKind::paper(), 2, 1.0).is_err());
    assert!(Kernel::new(&KernelKind::Gaussian, 0, 1.0).is_err());
}

/// Kernels in three columns; tables are built once.
static UNIT_KERNELS: LazyLock<Vec<Kernel>> =
    LazyLock::new(|| kinds().iter().map(|kind| Kernel::new(kind, 3, 1.0).unwrap()).collect());

proptest! {
    /// Positive semidefinite: aᵀKa ≥ 0 for any points and coefficients.
    #[test]
    fn kernel_matrices_are_positive_semidefinite(
        rows in prop::collection::vec(-3.0..3.0_f64, 18),
        a in prop::collection::vec(-1.0..1.0_f64, 6),
        bandwidth in 0.05..3.0_f64,
    ) {
        for kernel in UNIT_KERNELS.iter() {
            let kernel = kernel.with_bandwidth(bandwidth).unwrap();
            let mut sum = 0.0;
            for (i, x) in rows.chunks_exact(3).enumerate() {
                for (j, y) in rows.chunks_exact(3).enumerate() {
                    sum += a[i] * a[j] * kernel.value(x, y);
                }
            }
            prop_assert!(sum > -1e-9, "{:?}: {}", kernel.kind(), sum);
        }
    }
}
