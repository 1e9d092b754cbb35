//! Tests of the SDO profile: closed forms, agreement of the evaluators, high-precision reference.

use super::*;

/// dimension, v, value, autoconvolution; see `sdo_reference.py` beside it.
const REFERENCE: &str = include_str!("../../../tests/golden/sdo_reference.csv");

struct Row {
    dimension: usize,
    v: f64,
    value: f64,
    autoconvolution: f64,
}

fn reference() -> Vec<Row> {
    let parse = |line: &str| {
        let fields: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        let [dimension, v, value, autoconvolution] = fields[..] else { panic!("{line}") };
        Row { dimension: dimension as usize, v, value, autoconvolution }
    };
    REFERENCE.lines().skip(1).map(parse).collect()
}

/// Calls `check` with each row and the profile of its dimension.
fn for_each_reference(mut check: impl FnMut(&Row, &SdoProfile)) {
    let rows = reference();
    for group in rows.chunk_by(|a, b| a.dimension == b.dimension) {
        let profile = SdoProfile::new(group[0].dimension);
        group.iter().for_each(|row| check(row, &profile));
    }
}

fn closed_value(form: &ClosedForm, rho: f64) -> f64 {
    (form.amplitude_and_phase(rho) - form.kappa() * rho).exp().re
}

#[test]
fn the_reference_covers_small_and_large_dimensions() {
    let rows = reference();
    for dimension in [1, 2, 3, 5, 10, 27, 100, 400, 1555] {
        assert!(rows.iter().filter(|row| row.dimension == dimension).count() >= 12, "{dimension}");
    }
}

#[test]
fn values_match_the_high_precision_reference() {
    for_each_reference(|row, profile| {
        let error = (profile.value(row.v) - row.value).abs();
        assert!(error < 1e-14, "d = {}, v = {}: {error:e}", row.dimension, row.v);
    });
}

#[test]
fn logarithms_match_the_high_precision_reference_however_small_the_value() {
    for_each_reference(|row, profile| {
        if row.value.abs() > 1e-250 {
            let SignedLog { ln, sign } = profile.ln_value(row.v);
            let error = (ln - row.value.abs().ln()).abs();
            assert!(error < 1e-8, "d = {}, v = {}: {error:e}", row.dimension, row.v);
            assert_eq!(sign, row.value.signum(), "d = {}, v = {}", row.dimension, row.v);
        }
    });
}

#[test]
fn autoconvolutions_match_the_high_precision_reference() {
    for_each_reference(|row, profile| {
        let error = (profile.autoconvolution(row.v) - row.autoconvolution).abs();
        assert!(error < 1e-11, "d = {}, v = {}: {error:e}", row.dimension, row.v);
    });
}

#[test]
fn dimension_one_is_exp_minus_rho() {
    let profile = SdoProfile::new(1);
    for v in [0.0, 1e-30, 1e-9, 0.2, 3.0, 700.0, 1.5e4, 1e5_f64] {
        let exact = -v.sqrt();
        assert!((profile.value(v) - exact.exp()).abs() < 1e-14, "v = {v}");
        assert!((profile.ln_value(v).ln - exact).abs() < 1e-7, "v = {v}");
    }
}

#[test]
fn dimension_three_is_damped_sinc() {
    let profile = SdoProfile::new(3);
    for v in [1e-9, 0.2, 3.0, 70.0, 500.0_f64] {
        let x = (3.0 * v / 2.0).sqrt();
        assert!((profile.value(v) - (-x).exp() * x.sin() / x).abs() < 1e-14, "v = {v}");
    }
}

#[test]
fn series_and_closed_form_agree_where_both_hold() {
    for dimension in [1, 2, 3, 4, 5, 10, 17, 22, 23] {
        let d = dimension as f64;
        let (series, form) = (Series::new(dimension), ClosedForm::new(dimension));
        for v in [4.5, 5.0, 6.0, 7.0] {
            let rho = f64::sqrt(v * d);
            if rho >= d / 2.0 - 1.0 {
                let difference = (1.0 - series.deficit(v) - closed_value(&form, rho)).abs();
                assert!(difference < 1e-14, "d = {dimension}, v = {v}: {difference:e}");
            }
        }
    }
}

#[test]
fn series_and_quadrature_agree_where_both_hold() {
    for dimension in [24, 25, 60, 101, 400, 1555, 2000] {
        let d = dimension as f64;
        let series = Series::new(dimension);
        let quadrature = Quadrature::new(dimension, (3.0 * d).sqrt());
        for v in [3.0, 4.0, 5.0, 6.0] {
            let ratio = (1.0 - series.deficit(v)).ln() - quadrature.ln_value(f64::sqrt(v * d));
            assert!(ratio.abs() < 2e-12, "d = {dimension}, v = {v}: {ratio:e}");
        }
    }
}

#[test]
fn quadrature_and_closed_form_agree_at_nu() {
    for dimension in [24, 25, 60, 101, 400, 1555, 2000] {
        let nu = dimension as f64 / 2.0 - 1.0;
        let form = ClosedForm::new(dimension);
        let quadrature = Quadrature::new(dimension, 0.9 * nu);
        for rho in [0.99 * nu, nu, 1.003 * nu] {
            let exponent = form.amplitude_and_phase(rho) - form.kappa() * rho;
            let closed = exponent.re + exponent.im.cos().ln();
            let difference = (closed - quadrature.ln_value(rho)).abs();
            assert!(difference < 1e-10, "d = {dimension}, rho = {rho}: {difference:e}");
        }
    }
}

#[test]
fn value_and_logarithm_are_continuous_where_the_ranges_meet() {
    for dimension in [1, 2, 9, 27, 100, 300, 600, 1555, 2000, 10_000] {
        let profile = SdoProfile::new(dimension);
        let d = dimension as f64;
        let nu = d / 2.0 - 1.0;
        let far = ClosedForm::new(dimension).far_start();
        for v in [1.0, SERIES_END, profile.table.end(), nu * nu / d, far * far / d] {
            // The logarithm turns by |L′|·2e-10 v across the boundary; its jump must be no larger.
            let [below, above] =
                [v * (1.0 - 1e-10), v * (1.0 + 1e-10)].map(|v| profile.ln_value(v));
            let slope = profile.relative_jet(v).slope;
            let change = above.ln - below.ln - slope * 2e-10 * v;
            assert!(change.abs() < 2e-6, "d = {dimension}, v = {v}: {change:e}");
        }
    }
}

#[test]
fn eight_lanes_are_eight_values() {
    for dimension in [1, 27, 600] {
        let profile = SdoProfile::new(dimension);
        let near = [0.0, 1e-30, 1e-9, 0.03, 0.999, 1.0, 7.3, 60.0];
        let mixed = [0.0, 1e5, 1e-9, 1e30, 0.999, profile.table.end(), 7.3, 129.0];
        for v in [near, mixed] {
            assert_eq!(profile.values(&v), v.map(|v| profile.value(v)));
        }
    }
}

#[test]
fn slope_and_curvature_match_finite_differences() {
    for dimension in [1, 2, 5, 27, 100, 1000] {
        let profile = SdoProfile::new(dimension);
        for v in [1e-6, 0.013, 0.37, 2.2, 4.4, 11.3, 29.0] {
            let step = 1e-4 * v;
            let [below, at, above] = [v - step, v, v + step].map(|v| profile.jet(v));
            let slope = (above.value - below.value) / (2.0 * step) * v;
            let curvature = (above.slope - below.slope) / (2.0 * step) * v * v;
            // Differences err by (1e-4)²/6 of v³g‴, v⁴g⁗ (at most 100 times v²g″ here), and by the
            // rounding of values (1e-15) and of slopes (64e-15 / v), divided by 1e-4.
            let truncation = 1e-6 * (at.slope * v).abs().max((at.curvature * v * v).abs());
            let context = format!("d = {dimension}, v = {v}");
            assert!((at.slope * v - slope).abs() < truncation + 1e-11, "{context}");
            assert!((at.curvature * v * v - curvature).abs() < truncation + 1e-9, "{context}");
        }
    }
}

#[test]
fn derivatives_in_dimension_one_are_those_of_the_exponential() {
    let profile = SdoProfile::new(1);
    for v in [1e-20, 1e-5, 0.3, 4.0, 300.0_f64] {
        let (t, jet) = (v.sqrt(), profile.jet(v));
        let slope = -(-t).exp() / (2.0 * t);
        let curvature = (-t).exp() * (1.0 / t + 1.0) / (4.0 * v);
        assert!((jet.slope / slope - 1.0).abs() < 1e-10, "v = {v}");
        assert!((jet.curvature / curvature - 1.0).abs() < 1e-7, "v = {v}");
    }
}

#[test]
fn far_derivatives_match_finite_differences_of_the_logarithm() {
    for (dimension, v) in [(1, 1e5), (2, 9e3), (27, 800.0), (27, 1e6), (1000, 140.0), (1000, 400.0)]
    {
        let profile = SdoProfile::new(dimension);
        let step = 1e-5 * v;
        let at = profile.ln_value(v);
        let relative = |x: f64| {
            let SignedLog { ln, sign } = profile.ln_value(x);
            sign * at.sign * (ln - at.ln).exp()
        };
        let [below, above] = [relative(v - step), relative(v + step)];
        let jet = profile.relative_jet(v);
        let slope = (above - below) / (2.0 * step);
        let curvature = (above - 2.0 + below) / (step * step);
        let rate = jet.slope.abs() + jet.curvature.abs().sqrt();
        assert!((jet.slope - slope).abs() < 1e-4 * rate, "d = {dimension}, v = {v}");
        assert!((jet.curvature - curvature).abs() < 1e-4 * rate * rate, "d = {dimension}, v = {v}");
    }
}

#[test]
fn far_values_are_finite_and_decay() {
    for dimension in [1, 2, 5, 27, 100, 1000, 2000, 10_000] {
        let profile = SdoProfile::new(dimension);
        let mut last = f64::INFINITY;
        for power in 3..=300 {
            let SignedLog { ln, sign } = profile.ln_value(10.0_f64.powi(power));
            assert!(ln.is_finite() && sign.abs() == 1.0, "d = {dimension}, v = 1e{power}");
            assert!(ln < last, "d = {dimension}, v = 1e{power}: {ln} after {last}");
            let jet = profile.relative_jet(10.0_f64.powi(power));
            assert!(jet.slope.is_finite() && jet.curvature.is_finite());
            last = ln;
        }
        assert_eq!(profile.value(1e300), 0.0);
    }
}

#[test]
fn autoconvolution_in_dimension_one_is_one_plus_rho_times_exp_minus_rho() {
    let profile = SdoProfile::new(1);
    for v in [0.0, 1e-12, 0.01, 1.0, 30.0, 2e4_f64] {
        let rho = v.sqrt();
        let exact = (1.0 + rho) * (-rho).exp();
        assert!((profile.autoconvolution(v) - exact).abs() < 1e-11, "v = {v}");
    }
}

#[test]
fn integrals_of_simple_kernels_are_right() {
    // ∫ e^−|x| = 2, ∫ e^−2|x| = 1; in dimension three ∫ k = 4√2 π by parts.
    let one = SdoProfile::new(1);
    assert!((one.ln_integral() - 2.0_f64.ln()).abs() < 1e-14);
    assert!(one.ln_square_integral().abs() < 1e-14);
    let three = SdoProfile::new(3);
    assert!((three.ln_integral() - (4.0 * 2.0_f64.sqrt() * PI).ln()).abs() < 1e-14);
}
