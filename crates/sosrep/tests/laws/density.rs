//! Laws of the fitted density: derivatives, the Hyvärinen identity, the normaliser, far points.

use sosrep::density::KernelForm;
use sosrep::kernel::{Kernel, KernelKind, RadialSampler};
use sosrep::solve::SolveOptions;
use sosrep::{Density, DensityParams, Error, Kde, Points, Weights};

use crate::common::{assert_close, kinds, normal, uniform};

fn fit(kind: &KernelKind, rows: &[f64], d: usize, bandwidth: f64) -> Density {
    let exact = SolveOptions::new().tolerance(1e-12);
    let params = DensityParams::new().kernel(kind.clone()).bandwidth(bandwidth).solve(exact);
    params.fit(Points::new(rows, d).unwrap(), None).unwrap()
}

/// Frequencies up to 20, so that differences of step 1e-3 resolve them.
fn sampled() -> KernelKind {
    let sampler = RadialSampler::Grid { points: 10_000, limit: 20.0 };
    KernelKind::SdoSampled { features: 1000, sampler }
}

fn log_pre_density(density: &Density, x: &[f64]) -> f64 {
    density.log_pre_density(Points::new(x, x.len()).unwrap()).unwrap()[0]
}

#[test]
fn the_score_matches_finite_differences() {
    let (d, h) = (3, 1e-5);
    let rows = normal(60, d, 1);
    let queries = normal(5, d, 2);
    for kind in kinds().into_iter().chain([sampled()]) {
        let density = fit(&kind, &rows, d, 0.5);
        let points = Points::new(&queries, d).unwrap();
        let score = density.score_function(points).unwrap();
        for (x, score) in points.iter().zip(score.chunks_exact(d)) {
            for j in 0..d {
                let moved = |by: f64| {
                    let mut x = x.to_vec();
                    x[j] += by;
                    log_pre_density(&density, &x)
                };
                assert_close!(score[j], (moved(h) - moved(-h)) / (2.0 * h), 1e-5, "{kind:?}");
            }
        }
    }
}

/// tr ∇²log p + ½ ‖∇log p‖² = 2 Δf / f.
#[test]
fn hyvarinens_expression_is_two_laplacians_over_f() {
    let (d, h) = (3, 1e-3);
    let rows = normal(60, d, 3);
    let queries = normal(6, d, 4);
    for kind in kinds().into_iter().chain([sampled()]) {
        let density = fit(&kind, &rows, d, 0.6);
        let points = Points::new(&queries, d).unwrap();
        let found = density.laplacian_ratio(points).unwrap();
        let score = density.score_function(points).unwrap();
        for ((x, found), score) in points.iter().zip(found).zip(score.chunks_exact(d)) {
            let centre = log_pre_density(&density, x);
            let mut trace = 0.0;
            for j in 0..d {
                let moved = |by: f64| {
                    let mut x = x.to_vec();
                    x[j] += by;
                    log_pre_density(&density, &x)
                };
                trace += (moved(h) - 2.0 * centre + moved(-h)) / (h * h);
            }
            let half_norm = 0.5 * score.iter().map(|s| s * s).sum::<f64>();
            // Differences of second order are good to h² times fourth derivatives, away from the
            // kinks of the product kernel, which no query is within h of.
            let scale = half_norm.max(trace.abs()).max(1.0);
            assert_close!(found / scale, (trace + half_norm) / scale, 2e-3, "{kind:?}");
        }
    }
}

#[test]
fn the_normaliser_matches_grid_integration_in_one_and_two_dimensions() {
    let rows = uniform(40, 1, 5);
    for kind in kinds() {
        let density = fit(&kind, &rows, 1, 0.2);
        let h = 1e-3;
        let grid: Vec<f64> = (-8000..9000).map(|i| (f64::from(i) + 0.5) * h).collect();
        let values = density.values(Points::new(&grid, 1).unwrap()).unwrap();
        let integral: f64 = values.iter().map(|f| f * f * h).sum();
        assert_close!(density.log_normalizer().unwrap(), integral.ln(), 1e-5, "{kind:?}");
    }
    let rows = uniform(30, 2, 6);
    for kind in kinds() {
        let density = fit(&kind, &rows, 2, 0.15);
        let h = 0.02;
        let axis: Vec<f64> = (-200..250).map(|i| (f64::from(i) + 0.5) * h).collect();
        let grid: Vec<f64> = axis.iter().flat_map(|x| axis.iter().flat_map(|y| [*x, *y])).collect();
        let values = density.values(Points::new(&grid, 2).unwrap()).unwrap();
        let integral: f64 = values.iter().map(|f| f * f * h * h).sum();
        assert_close!(density.log_normalizer().unwrap(), integral.ln(), 2e-3, "{kind:?}");
    }
}

#[test]
fn the_normaliser_matches_monte_carlo_in_five_dimensions() {
    let d = 5;
    let rows = normal(50, d, 7);
    // Importance sampling from a wide normal, standard deviation 2.
    let draws = normal(200_000, d, 8);
    let wide: Vec<f64> = draws.iter().map(|z| 2.0 * z).collect();
    for kind in kinds() {
        let density = fit(&kind, &rows, d, 0.5);
        let values = density.values(Points::new(&wide, d).unwrap()).unwrap();
        let ln_constant = 0.5 * d as f64 * (2.0 * std::f64::consts::PI * 4.0).ln();
        let ratios: Vec<f64> = values
            .iter()
            .zip(draws.chunks_exact(d))
            .map(|(f, z)| {
                let ln_proposal = -0.5 * z.iter().map(|z| z * z).sum::<f64>() - ln_constant;
                f * f / ln_proposal.exp()
            })
            .collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        let variance = ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / ratios.len() as f64;
        let error = (variance / ratios.len() as f64).sqrt();
        let found = density.log_normalizer().unwrap().exp();
        assert!(error < 0.03 * mean, "{kind:?}: the estimate itself is poor, {mean} ± {error}");
        assert!((found - mean).abs() < 5.0 * error, "{kind:?}: {found} against {mean} ± {error}");
    }
}

#[test]
fn random_features_have_no_normaliser() {
    let density = fit(&sampled(), &normal(20, 2, 9), 2, 0.5);
    let error = density.log_normalizer().unwrap_err();
    assert!(matches!(error, Error::Undefined { .. }), "{error}");
}

#[test]
fn far_points_are_finite_and_ordered() {
    for d in [1, 2, 5, 27, 100] {
        let rows = normal(50, d, 10);
        for kind in kinds() {
            let density = fit(&kind, &rows, d, 0.3);
            let mut last = f64::INFINITY;
            for power in 1..=8 {
                let far = vec![10.0_f64.powi(power); d];
                let found = log_pre_density(&density, &far);
                assert!(found.is_finite(), "{kind:?} d = {d} at 10^{power}");
                assert!(found < last, "{kind:?} d = {d} at 10^{power}: {found} after {last}");
                last = found;
                let score = density.jet(&far).unwrap().score_function();
                assert!(score.iter().all(|s| s.is_finite()), "{kind:?} d = {d} at 10^{power}");
            }
        }
    }
}

/// So far out that f itself underflows, the score still is the derivative of log f².
#[test]
fn far_scores_match_finite_differences() {
    let (d, h) = (3, 1e-3);
    let rows = normal(30, d, 15);
    for kind in kinds() {
        let density = fit(&kind, &rows, d, 0.05);
        let x = [150.0, 180.0, 160.0];
        let score = density.jet(&x).unwrap().score_function();
        for j in 0..d {
            let moved = |by: f64| {
                let mut x = x;
                x[j] += by;
                log_pre_density(&density, &x)
            };
            let expected = (moved(h) - moved(-h)) / (2.0 * h);
            assert_close!(score[j] / expected, 1.0, 1e-3, "{kind:?}: {} {expected}", score[j]);
        }
    }
}

/// For kernels whose bandwidth counts columns it is rescaled, so that the kernel stays the same.
#[test]
fn a_column_that_never_changes_changes_nothing_however_large() {
    let d = 3;
    let (rows, queries) = (normal(80, d, 1), normal(20, d, 2));
    let with = |rows: &[f64], value: f64| -> Vec<f64> {
        rows.chunks_exact(d).flat_map(|row| [row[0], value, row[1], row[2]]).collect()
    };
    let ratio = d as f64 / (d + 1) as f64;
    for (kind, same) in [
        (KernelKind::Product, ratio),
        (KernelKind::Laplacian, ratio.sqrt()),
        (KernelKind::Gaussian, ratio.sqrt()),
    ] {
        let density = fit(&kind, &rows, d, 0.3);
        let expected = density.log_pre_density(Points::new(&queries, d).unwrap()).unwrap();
        for value in [0.0, -3.5, 1e9, 1.7e18] {
            let density = fit(&kind, &with(&rows, value), d + 1, 0.3 * same);
            let queries = with(&queries, value);
            let found = density.log_pre_density(Points::new(&queries, d + 1).unwrap()).unwrap();
            for (found, expected) in found.iter().zip(&expected) {
                assert_close!(*found, *expected, 1e-6, "{} {value}", kind.name());
            }
        }
    }
}

#[test]
fn log_space_and_plain_sums_agree_where_both_hold() {
    // A normal value of f, and the same through the logarithm of its jet.
    let d = 4;
    let rows = normal(40, d, 11);
    for kind in kinds() {
        let density = fit(&kind, &rows, d, 0.4);
        let x = vec![0.7; d];
        let f = density.values(Points::new(&x, d).unwrap()).unwrap()[0];
        assert_close!(log_pre_density(&density, &x), (f * f).ln(), 1e-12, "{kind:?}");
        let jet = density.jet(&x).unwrap();
        assert_close!(jet.log_pre_density(), (f * f).ln(), 1e-11, "{kind:?}");
    }
}

#[test]
fn kde_is_a_density_and_matches_its_definition() {
    let rows = uniform(30, 1, 12);
    let weights = Weights::new(&(1..=30).map(f64::from).collect::<Vec<_>>()).unwrap();
    for kind in kinds() {
        let kernel = Kernel::new(&kind, 1, 0.2).unwrap();
        let points = Points::new(&rows, 1).unwrap();
        let kde = Kde::new(kernel.clone(), points, Some(&weights)).unwrap();
        let h = 2e-3;
        let grid: Vec<f64> = (-3000..3500).map(|i| (f64::from(i) + 0.5) * h).collect();
        let log_density = kde.log_density(Points::new(&grid, 1).unwrap()).unwrap();
        let integral: f64 = log_density.iter().map(|l| l.exp() * h).sum();
        assert_close!(integral, 1.0, 1e-4, "{kind:?}");
        let slow: f64 = points
            .iter()
            .zip(weights.as_slice())
            .map(|(x, w)| w * kernel.value(x, &[0.3]))
            .sum::<f64>()
            / kernel.ln_integral().exp();
        let found = kde.log_density(Points::new(&[0.3], 1).unwrap()).unwrap()[0];
        assert_close!(found, slow.ln(), 1e-12, "{kind:?}");
    }
}

#[test]
fn one_row_identical_rows_and_more_columns_than_rows_can_be_fitted() {
    for kind in kinds() {
        let density = fit(&kind, &[1.0, 2.0, 3.0, 4.0], 4, 0.5);
        // One row: f = k(x₁, ·), since α² = 1.
        assert_close!(log_pre_density(&density, &[1.0, 2.0, 3.0, 4.0]), 0.0, 1e-12, "{kind:?}");
        let copies = [1.0, 2.0, 3.0, 4.0].repeat(20);
        let many = fit(&kind, &copies, 4, 0.5);
        let x = [1.5, 2.0, 3.0, 4.5];
        let expected = log_pre_density(&density, &x);
        assert_close!(log_pre_density(&many, &x), expected, 1e-10, "{kind:?}");
    }
    for kind in kinds() {
        let density = fit(&kind, &normal(7, 50, 13), 50, 0.5);
        assert!(density.report().unwrap().residual < 1e-11, "{kind:?}");
    }
}

#[test]
fn self_influence_lies_between_one_nth_and_one() {
    let rows = normal(100, 2, 14);
    for (bandwidth, low, high) in [(1e-3, 0.99, 1.0), (100.0, 0.0099, 0.0102)] {
        let density = fit(&KernelKind::Gaussian, &rows, 2, bandwidth);
        for s in density.kernel_form().unwrap().self_influence() {
            assert!((low..=high + 1e-12).contains(&s), "b = {bandwidth}: {s}");
        }
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let kernel = Kernel::new(&KernelKind::Gaussian, 2, 1.0).unwrap();
    let points = Points::new(&[0.0, 1.0, 2.0, 3.0], 2).unwrap();
    assert!(matches!(
        KernelForm::new(kernel.clone(), points, &[1.0]),
        Err(Error::WrongLength { what: "alpha", expected: 2, found: 1 })
    ));
    assert!(matches!(
        KernelForm::new(kernel.clone(), points, &[1.0, f64::NAN]),
        Err(Error::NotFiniteEntry { what: "alpha", index: 1, .. })
    ));
    let form = KernelForm::new(kernel.clone(), points, &[0.5, 2.0]).unwrap();
    let expected = 0.5 + 2.0 * kernel.value(points.row(0), points.row(1));
    assert_close!(form.support_values()[0], expected, 1e-14);
    let density = fit(&KernelKind::Gaussian, &[0.0, 1.0, 2.0, 3.0], 2, 1.0);
    let three = Points::new(&[0.0; 3], 3).unwrap();
    assert_eq!(
        density.log_density(three).unwrap_err(),
        Error::WrongColumns { expected: 2, found: 3 }
    );
}
