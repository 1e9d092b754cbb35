//! Laws of the bandwidth choice: exact Fisher divergence, Hutchinson's estimator, the criteria.

use sosrep::kernel::{KernelKind, RadialSampler};
use sosrep::select::{
    Criterion, Hutchinson, Rule, SelectOptions, default_grid, fisher_divergence,
    hutchinson_divergence,
};
use sosrep::{Density, DensityParams, Error, Points, Weights};

use crate::common::{assert_close, normal};

fn fit(kind: KernelKind, rows: &[f64], d: usize, bandwidth: f64) -> Density {
    let params = DensityParams::new().kernel(kind).bandwidth(bandwidth);
    params.fit(Points::new(rows, d).unwrap(), None).unwrap()
}

#[test]
fn hutchinsons_mean_is_the_exact_divergence() {
    let d = 3;
    let rows = normal(80, d, 1);
    let test = normal(20, d, 2);
    let points = Points::new(&test, d).unwrap();
    let sampled = KernelKind::SdoSampled { features: 400, sampler: RadialSampler::Exact };
    for kind in [KernelKind::Gaussian, KernelKind::Laplacian, KernelKind::Sdo, sampled] {
        let density = fit(kind.clone(), &rows, d, 0.8);
        let exact = fisher_divergence(&density, points, None).unwrap();
        let options = Hutchinson::new().probes(4000).step(1e-5).seed(3);
        let estimate = hutchinson_divergence(&density, points, None, &options).unwrap();
        // Off-diagonal Hessian entries of a few units over √(4000·20) probes.
        assert_close!(estimate, exact, 0.02, "{kind:?}");
    }
}

/// For a Gaussian truth and one Gaussian kernel everything is known: f² is normal with variance
/// σ²/2 around the single row, and tr ∇²log p + ½ ‖∇log p‖² = −2d/σ² + 2 ‖x‖² / σ⁴.
#[test]
fn the_exact_divergence_has_its_closed_form_for_one_row() {
    let d = 2;
    let sigma_squared = 0.5_f64 * 0.5 * d as f64;
    let density = fit(KernelKind::Gaussian, &[0.0, 0.0], d, 0.5);
    for x in [[0.3, -0.4], [1.0, 2.0]] {
        let found = fisher_divergence(&density, Points::new(&x, d).unwrap(), None).unwrap();
        let square: f64 = x.iter().map(|x| x * x).sum();
        let expected = -2.0 * d as f64 / sigma_squared + 2.0 * square / sigma_squared.powi(2);
        assert_close!(found, expected, 1e-10);
    }
}

#[test]
fn kernels_with_kinks_along_hyperplanes_are_refused() {
    let rows = normal(20, 2, 4);
    let density = fit(KernelKind::Product, &rows, 2, 0.5);
    let points = Points::new(&rows, 2).unwrap();
    assert!(matches!(
        fisher_divergence(&density, points, None),
        Err(Error::Undefined { kernel: "product", .. })
    ));
    let rows = normal(20, 1, 4);
    let density = fit(KernelKind::Sdo, &rows, 1, 0.5);
    assert!(fisher_divergence(&density, Points::new(&rows, 1).unwrap(), None).is_err());
}

#[test]
fn every_criterion_finds_a_sensible_bandwidth_for_a_normal_sample() {
    let d = 2;
    let rows = normal(300, d, 5);
    let points = Points::new(&rows, d).unwrap();
    let params = DensityParams::new().kernel(KernelKind::Gaussian);
    for criterion in [
        Criterion::Fisher,
        Criterion::Hutchinson(Hutchinson::new().probes(20)),
        Criterion::Likelihood,
        Criterion::SelfInfluence { target: 0.02 },
    ] {
        let options = SelectOptions::new(criterion);
        let selection = params.clone().bandwidth(options.clone()).tune(points, None).unwrap();
        assert_eq!(selection.curve.len(), 15, "{criterion:?}");
        let grid: Vec<f64> = selection.curve.iter().map(|point| point.bandwidth).collect();
        assert_eq!(grid, default_grid());
        let lowest = selection.curve.iter().map(|point| point.value).fold(f64::INFINITY, f64::min);
        let chosen = selection.curve.iter().find(|p| p.bandwidth == selection.bandwidth).unwrap();
        assert_eq!(chosen.value, lowest, "{criterion:?}");
        assert!(
            (0.1..=1.5).contains(&selection.bandwidth),
            "{criterion:?} {}",
            selection.bandwidth
        );
        assert!(selection.curve.iter().all(|point| point.residual <= 1e-6));
    }
}

/// The likelihood choice is close to the bandwidth of highest likelihood on fresh rows.
#[test]
fn the_likelihood_choice_is_near_the_best_on_fresh_rows() {
    let rows = normal(400, 1, 6);
    let fresh = normal(4000, 1, 7);
    let points = Points::new(&rows, 1).unwrap();
    let params = DensityParams::new().kernel(KernelKind::Sdo);
    let options = SelectOptions::new(Criterion::Likelihood);
    let selection = params.clone().bandwidth(options.clone()).tune(points, None).unwrap();
    let likelihood = |b: f64| {
        let density = fit(KernelKind::Sdo, &rows, 1, b);
        let log = density.log_density(Points::new(&fresh, 1).unwrap()).unwrap();
        log.iter().sum::<f64>() / log.len() as f64
    };
    let best = default_grid().into_iter().map(likelihood).fold(f64::NEG_INFINITY, f64::max);
    // The entropy of a normal variable bounds the likelihood of any density.
    let entropy = 0.5 * (2.0 * std::f64::consts::PI * std::f64::consts::E).ln();
    assert!(best < -entropy + 0.05, "a likelihood above the truth: the normaliser is wrong");
    assert!(likelihood(selection.bandwidth) > best - 0.03);
}

#[test]
fn the_papers_rule_computes_each_point_once_and_only_as_needed() {
    let d = 2;
    let rows = normal(120, d, 8);
    let params = DensityParams::new().kernel(KernelKind::Gaussian);
    let options = SelectOptions::new(Criterion::Fisher).rule(Rule::Text);
    // Each evaluation is a step, within which kernel and solver report several times.
    let mut steps = std::collections::BTreeSet::new();
    let mut count = |progress: &sosrep::Progress| {
        steps.insert(progress.step);
        std::ops::ControlFlow::Continue(())
    };
    let points = Points::new(&rows, d).unwrap();
    let lazy =
        params.clone().bandwidth(options.clone()).tune_monitored(points, None, &mut count).unwrap();
    assert_eq!(steps.len(), lazy.curve.len());
    assert!(lazy.curve.len() < 15, "{} points", lazy.curve.len());
    let full = SelectOptions::new(Criterion::Fisher);
    let full = params.clone().bandwidth(full.clone()).tune(points, None).unwrap();
    assert_eq!(lazy.bandwidth, full.bandwidth, "one clear minimum: both rules find it");
}

#[test]
fn memory_changes_no_bit_of_a_curve() {
    let rows = normal(150, 20, 4);
    let points = Points::new(&rows, 20).unwrap();
    // One row of weight zero is not fitted to: distances must be those of the others.
    let mut weights = vec![1.0; 150];
    weights[7] = 0.0;
    let weights = Weights::new(&weights).unwrap();
    for criterion in [Criterion::Fisher, Criterion::Likelihood] {
        // Nothing, the matrix alone (105 rows), distances among rows beside it, everything.
        let curves = [0, 40_000, 150_000, 1 << 30].map(|memory| {
            let params = DensityParams::new().kernel(KernelKind::Sdo).memory(memory);
            let options = SelectOptions::new(criterion);
            params.clone().bandwidth(options.clone()).tune(points, Some(&weights)).unwrap().curve
        });
        for curve in &curves[1..] {
            assert_eq!(curve, &curves[0]);
        }
        // The curve is that of fits one by one.
        let b = curves[0][9].bandwidth;
        let alone = SelectOptions::new(criterion).grid([b]);
        let params = DensityParams::new().kernel(KernelKind::Sdo);
        let one =
            params.clone().bandwidth(alone.clone()).tune(points, Some(&weights)).unwrap().curve;
        assert_eq!(one[0], curves[0][9]);
    }
}

#[test]
fn rows_of_weight_zero_and_short_grids_do_no_harm() {
    let rows = normal(40, 2, 10);
    let points = Points::new(&rows, 2).unwrap();
    let weights: Vec<f64> = (0..40).map(|i| if i == 0 { 0.0 } else { 1.0 }).collect();
    let weights = sosrep::Weights::new(&weights).unwrap();
    let params = DensityParams::new().kernel(KernelKind::Gaussian);
    for options in [
        SelectOptions::new(Criterion::SelfInfluence { target: 0.1 }),
        SelectOptions::new(Criterion::Fisher).rule(Rule::OnTheFly).grid([0.5]),
    ] {
        let selection =
            params.clone().bandwidth(options.clone()).tune(points, Some(&weights)).unwrap();
        assert!(!selection.curve.is_empty());
    }
}

/// The curve by given rows is the divergence of each density of all rows, on those rows.
#[test]
fn a_curve_is_judged_by_the_rows_given() {
    let d = 3;
    let (rows, judge) = (normal(150, d, 4), normal(60, d, 5));
    let (points, judge) = (Points::new(&rows, d).unwrap(), Points::new(&judge, d).unwrap());
    let weights: Vec<f64> = (0..150).map(|i| f64::from(i % 3 + 1)).collect();
    let weights = Weights::new(&weights).unwrap();
    let params = DensityParams::new().kernel(KernelKind::Sdo);
    let options = SelectOptions::new(Criterion::Fisher).grid([0.3, 0.7, 2.0]);
    let judged = params.clone().bandwidth(options.clone()).judged_by(judge);
    let selection = judged.tune(points, Some(&weights)).unwrap();
    for point in selection.curve {
        let density = params.clone().bandwidth(point.bandwidth).fit(points, Some(&weights));
        let alone = fisher_divergence(&density.unwrap(), judge, None).unwrap();
        assert_close!(point.value, alone, 1e-9 * alone.abs());
    }
    let refused = |params: &DensityParams| params.tune(points, None).unwrap_err().to_string();
    assert!(refused(&params.clone().bandwidth(0.5).judged_by(judge)).contains("rows were given"));
    let influence = SelectOptions::self_influence();
    assert!(refused(&judged.clone().bandwidth(influence)).contains("rows were given"));
    let narrow = Points::new(&[1.0, 2.0], 2).unwrap();
    let wrong = params.bandwidth(options).judged_by(narrow).tune(points, None).unwrap_err();
    assert!(matches!(wrong, Error::WrongColumns { .. }), "{wrong}");
}

#[test]
fn bad_options_are_named() {
    let rows = normal(10, 2, 9);
    let points = Points::new(&rows, 2).unwrap();
    let params = DensityParams::new().kernel(KernelKind::Gaussian);
    let base = SelectOptions::new(Criterion::Fisher);
    let no_probes = Hutchinson::new().probes(0);
    for (options, name) in [
        (base.clone().grid(vec![]), "grid"),
        (base.clone().grid([1.0, 0.5]), "grid"),
        (base.clone().grid([-1.0]), "grid"),
        (base.clone().holdout(1.0), "holdout"),
        (SelectOptions::new(Criterion::SelfInfluence { target: 1.0 }), "target"),
        (SelectOptions::new(Criterion::Hutchinson(no_probes)), "probes"),
    ] {
        let error = params.clone().bandwidth(options.clone()).tune(points, None).unwrap_err();
        assert!(matches!(&error, Error::Parameter { name: n, .. } if *n == name), "{error}");
    }
    let density = fit(KernelKind::Gaussian, &rows, 2, 0.5);
    let three = sosrep::Weights::equal(3);
    assert!(fisher_divergence(&density, points, Some(&three)).is_err());
    let one = Points::new(&[1.0, 2.0], 2).unwrap();
    assert!(params.clone().bandwidth(base.clone()).tune(one, None).is_err());
}
