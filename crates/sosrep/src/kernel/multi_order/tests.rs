//! Tests of the multi-order profile: against the exact SDO profile and against Matérn kernels.

use super::*;
use crate::kernel::sdo::SdoProfile;
use complex_bessel::besselk;
use nalgebra::Complex;

/// (1 + s²)ᵐ: Matérn kernels of smoothness m − d/2.
fn binomial(m: usize) -> Vec<f64> {
    let mut row = vec![1.0];
    for l in 0..m {
        row.push(row[l] * (m - l) as f64 / (l + 1) as f64);
    }
    row.split_off(1)
}

fn single_order(dimension: usize) -> MultiOrderProfile {
    let mut coefficients = vec![0.0; dimension / 2 + 1];
    coefficients[dimension / 2] = 1.0;
    MultiOrderProfile::new(dimension, &coefficients).unwrap()
}

fn arguments() -> impl Iterator<Item = f64> {
    (0..700).map(|step| 1e-24 * 1.1_f64.powi(step)).take_while(|v| *v < 30.0)
}

#[test]
fn one_order_reproduces_the_sdo_profile() {
    for dimension in [1, 2, 3, 8, 27, 60] {
        let (multi, sdo) = (single_order(dimension), SdoProfile::new(dimension));
        for v in arguments() {
            let error = (multi.value(v) - sdo.value(v)).abs();
            assert!(error < 2e-10, "d = {dimension}, v = {v}: {error:e}");
            if sdo.value(v).abs() > 1e-6 {
                assert!(error < 1e-13, "d = {dimension}, v = {v}: {error:e}");
            }
            let error = (multi.autoconvolution(v) - sdo.autoconvolution(v)).abs();
            assert!(error < 2e-10, "d = {dimension}, v = {v}: {error:e}");
        }
        assert!((multi.ln_integral() - sdo.ln_integral()).abs() < 1e-12);
        assert!((multi.ln_square_integral() - sdo.ln_square_integral()).abs() < 1e-12);
    }
}

#[test]
fn binomial_coefficients_give_matern_kernels() {
    let smoothness_half: fn(f64) -> f64 = |rho| (-rho).exp();
    let three_halves: fn(f64) -> f64 = |rho| (1.0 + rho) * (-rho).exp();
    for (dimension, m, exact) in [
        (1, 1, smoothness_half),
        (1, 2, three_halves),
        (3, 2, smoothness_half),
        (3, 3, three_halves),
        (9, 5, smoothness_half),
        (21, 11, smoothness_half),
        (39, 20, smoothness_half),
        (41, 21, smoothness_half),
        (101, 51, smoothness_half),
    ] {
        let profile = MultiOrderProfile::new(dimension, &binomial(m)).unwrap();
        for v in arguments() {
            let expected = exact((v * dimension as f64).sqrt());
            if expected > 1e-9 && v * profile.kernel.scale < profile.kernel.table.end() {
                let error = (profile.value(v) - expected).abs();
                assert!(error < 1e-13, "d = {dimension}, m = {m}, v = {v}: {error:e}");
            }
        }
    }
}

#[test]
fn the_autoconvolution_of_a_matern_kernel_is_the_smoother_matern_kernel() {
    let profile = MultiOrderProfile::new(3, &binomial(2)).unwrap();
    for v in arguments() {
        let rho = (3.0 * v).sqrt();
        let exact = (1.0 + rho + rho * rho / 3.0) * (-rho).exp();
        assert!((profile.autoconvolution(v) - exact).abs() < 1e-13, "v = {v}");
    }
    assert!((profile.ln_integral() - (8.0 * PI).ln()).abs() < 1e-13);
    assert!((profile.ln_square_integral() - PI.ln()).abs() < 1e-13);
}

#[test]
fn coefficients_times_powers_of_a_bandwidth_only_rescale() {
    let (plain, b) = ([0.5, 0.25, 2.0], 1e-3_f64);
    let scaled: Vec<f64> = (1..).zip(plain).map(|(l, a)| a * b.powi(2 * l)).collect();
    let one = MultiOrderProfile::new(4, &plain).unwrap();
    let other = MultiOrderProfile::new(4, &scaled).unwrap();
    for v in [1e-9, 0.1, 1.0, 20.0, 1e5] {
        assert!((one.value(v) - other.value(v * b * b)).abs() < 1e-13, "v = {v}");
        let (slope, rescaled) = (one.jet(v).slope, other.jet(v * b * b).slope * b * b);
        assert!((slope - rescaled).abs() < 1e-9 * slope.abs(), "v = {v}: {slope} {rescaled}");
    }
}

#[test]
fn derivatives_of_the_matern_kernel_are_those_of_the_exponential() {
    let profile = MultiOrderProfile::new(3, &binomial(2)).unwrap();
    for v in [1e-15, 1e-5, 0.3, 4.0, 20.0_f64] {
        let (rho, jet) = ((3.0 * v).sqrt(), profile.jet(v));
        let slope = -(-rho).exp() * rho / (2.0 * v);
        let curvature = (-rho).exp() * (rho * rho + rho) / (4.0 * v * v);
        assert!((jet.slope / slope - 1.0).abs() < 1e-8, "v = {v}");
        assert!((jet.curvature / curvature - 1.0).abs() < 1e-5, "v = {v}");
        let relative = profile.relative_jet(v);
        assert!((relative.slope * jet.value / slope - 1.0).abs() < 1e-8, "v = {v}");
    }
}

#[test]
fn far_values_are_finite_positive_and_ordered() {
    for coefficients in [vec![1.0, 1.0], vec![0.0, 1.0], vec![10.0, 0.1], vec![2.0, 1.0, 3.0]] {
        let profile = MultiOrderProfile::new(3, &coefficients).unwrap();
        let mut last = 0.0;
        for power in 12..=280 {
            let SignedLog { ln, sign } = profile.ln_value(10.0_f64.powi(power));
            assert!(ln.is_finite() && ln < last && sign == 1.0, "{coefficients:?} 1e{power}");
            assert!(profile.relative_jet(10.0_f64.powi(power)).slope < 0.0);
            last = ln;
        }
    }
}

/// d = 2, P = (1 + s²/κ₁²)(1 + s²/κ₂²): g = (K₀(κ₁ρ) − K₀(κ₂ρ)) / ln(κ₂/κ₁).
#[test]
fn two_separated_scales_have_their_closed_form() {
    let bessel = |x: f64| besselk(0.0, Complex::new(x, 0.0)).map_or(0.0, |k| k.re);
    for (a_1, a_2) in [(10.0, 0.1), (100.0, 0.01), (1e3, 1e-3), (1e4, 1.0)] {
        let profile = MultiOrderProfile::new(2, &[a_1, a_2]).unwrap();
        let root = f64::sqrt(a_1 * a_1 - 4.0 * a_2);
        let fast = ((a_1 + root) / (2.0 * a_2)).sqrt();
        let slow = 1.0 / (fast * a_2.sqrt());
        for step in 0..60 {
            let rho = 10.0_f64.powf(-4.0 + 0.12 * f64::from(step)) / slow;
            let exact = (bessel(slow * rho) - bessel(fast * rho)) / (fast / slow).ln();
            let error = (profile.value(rho * rho / 2.0) - exact).abs();
            assert!(error < 1e-9, "a = {a_1}, {a_2}, ρ = {rho}: {error:e} of {exact}");
        }
    }
}

#[test]
fn eight_lanes_are_eight_values() {
    let profile = MultiOrderProfile::new(2, &[0.3, 1.0]).unwrap();
    let v = [0.0, 1e-30, 1e-9, 0.03, 0.999, 1e9, 7.3, 1e4];
    assert_eq!(profile.values(&v), v.map(|v| profile.value(v)));
}

#[test]
fn coefficients_outside_their_domain_are_refused() {
    assert!(MultiOrderProfile::new(3, &[1.0]).is_err());
    assert!(MultiOrderProfile::new(3, &[1.0, 0.0]).is_err());
    assert!(MultiOrderProfile::new(3, &[-1.0, 1.0]).is_err());
    assert!(MultiOrderProfile::new(3, &[f64::NAN, 1.0]).is_err());
    assert!(MultiOrderProfile::new(1, &[]).is_err());
    assert!(MultiOrderProfile::new(3, &[1.0, 1e-40]).is_err());
    assert!(MultiOrderProfile::new(3, &[1e40, 1.0, 3.0]).is_err());
}
