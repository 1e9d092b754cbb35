//! The chains recover the moments of a density that is known.

use sosrep::kernel::KernelKind;
use sosrep::{DensityParams, Error, Points, SampleParams};

use crate::common::{assert_close, normal, on_threads};

/// One row and a Gaussian kernel: f² is normal with mean x₁ and variance σ²/2, σ = b√d.
#[test]
fn draws_have_the_moments_of_a_known_density() {
    let d = 2;
    let centre = [1.0, -2.0];
    let points = Points::new(&centre, d).unwrap();
    let density =
        DensityParams::new().kernel(KernelKind::Gaussian).bandwidth(0.8).fit(points, None).unwrap();
    let samples =
        SampleParams::new().chains(16).thin(4).seed(1).draw(&density, points, 16_000).unwrap();
    let variance = 0.8_f64 * 0.8 * d as f64 / 2.0;
    assert!(samples.effective_sample_size > 4000.0, "{}", samples.effective_sample_size);
    assert!((0.4..0.8).contains(&samples.acceptance_rate), "{}", samples.acceptance_rate);
    // Four standard errors of an effective sample of 4000.
    let error = 4.0 / 4000.0_f64.sqrt();
    for (j, c) in centre.iter().enumerate() {
        let column: Vec<f64> = samples.values.iter().skip(j).step_by(d).copied().collect();
        let mean = column.iter().sum::<f64>() / column.len() as f64;
        let spread = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / column.len() as f64;
        assert_close!(mean, *c, error * variance.sqrt());
        assert!((spread / variance - 1.0).abs() < 1.5 * error, "{spread} against {variance}");
    }
}

/// A second, kinked and lopsided density, its moments by a grid.
#[test]
fn draws_match_a_grid_for_a_kinked_density() {
    let rows = [0.0, 0.2, 0.3, 2.0, 2.1];
    let points = Points::new(&rows, 1).unwrap();
    let density =
        DensityParams::new().kernel(KernelKind::Product).bandwidth(0.4).fit(points, None).unwrap();
    let h = 1e-3;
    let grid: Vec<f64> = (-6000..9000).map(|i| f64::from(i) * h).collect();
    let p: Vec<f64> = density
        .log_density(Points::new(&grid, 1).unwrap())
        .unwrap()
        .iter()
        .map(|l| l.exp() * h)
        .collect();
    let moment = |k: i32| grid.iter().zip(&p).map(|(x, p)| x.powi(k) * p).sum::<f64>();
    let samples =
        SampleParams::new().chains(20).thin(10).seed(2).draw(&density, points, 20_000).unwrap();
    let n = samples.values.len() as f64;
    let deviation = (moment(2) - moment(1).powi(2)).sqrt();
    let error = 5.0 * deviation / samples.effective_sample_size.sqrt();
    let mean = samples.values.iter().sum::<f64>() / n;
    assert!(samples.effective_sample_size > 1000.0, "{}", samples.effective_sample_size);
    assert!((mean - moment(1)).abs() < error, "{mean} against {} ± {error}", moment(1));
    let below = samples.values.iter().filter(|x| **x < 1.0).count() as f64 / n;
    let expected: f64 = grid.iter().zip(&p).filter(|(x, _)| **x < 1.0).map(|(_, p)| p).sum();
    assert!((below - expected).abs() < 0.05, "{below} against {expected}");
}

#[test]
fn draws_are_seeded_and_do_not_depend_on_threads() {
    let rows = normal(30, 2, 3);
    let points = Points::new(&rows, 2).unwrap();
    let density = DensityParams::new().kernel(KernelKind::Sdo).bandwidth(0.6).fit(points, None);
    let density = density.unwrap();
    let draw = |seed: u64, threads: usize| {
        let params = SampleParams::new().chains(5).burn_in(20).seed(seed);
        on_threads(threads, || params.draw(&density, points, 17).unwrap())
    };
    assert_eq!(draw(1, 1), draw(1, 3));
    assert_ne!(draw(1, 1).values, draw(2, 1).values);
    assert_eq!(draw(1, 1).values.len(), 34);
}

#[test]
fn bad_parameters_are_named_and_drawing_can_be_cancelled() {
    let points = Points::new(&[0.0], 1).unwrap();
    let density = DensityParams::new().fit(points, None).unwrap();
    let base = SampleParams::new();
    for params in [base.chains(0), base.thin(0), base.step(0.0)] {
        assert!(params.draw(&density, points, 5).is_err(), "{params:?}");
    }
    assert!(base.draw(&density, points, 0).is_err());
    let mut stop = |_: &sosrep::Progress| std::ops::ControlFlow::Break(());
    assert_eq!(base.draw_monitored(&density, points, 5, &mut stop), Err(Error::Cancelled));
}
