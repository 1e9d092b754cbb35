//! Laws of the detector: planted anomalies, p-values, thresholds, reasons, edge cases.

use sosrep::detector::{PrepareOptions, Repeats, Scaling, Threshold};
use sosrep::kernel::{KernelKind, RadialSampler};
use sosrep::metrics::auc_roc;
use sosrep::select::{Rule, SelectOptions, fisher_divergence};
use sosrep::{Bandwidth, DensityParams, Detector, DetectorParams, Error, Points, Weights};

use crate::common::{all_kinds, assert_close, normal, uniform};

/// Two clusters and, last, rows far from both.
fn two_clusters(n: usize, anomalies: usize, d: usize) -> (Vec<f64>, Vec<bool>) {
    let mut rows = normal(n, d, 21);
    for (i, row) in rows.chunks_exact_mut(d).enumerate() {
        row[0] += if i % 2 == 0 { 4.0 } else { -4.0 };
    }
    rows.extend(uniform(anomalies, d, 22).iter().map(|u| 16.0 * u - 8.0));
    let labels = (0..n + anomalies).map(|i| i >= n).collect();
    (rows, labels)
}

#[test]
fn planted_anomalies_score_highest_with_every_kernel() {
    let d = 6;
    let (rows, labels) = two_clusters(400, 20, d);
    let points = Points::new(&rows, d).unwrap();
    for kind in all_kinds() {
        let params = DetectorParams::new().kernel(kind.clone());
        // The noise of sampled features hides which of two far rows is farther: they are to be
        // no farther than needed.
        let params = match kind {
            KernelKind::SdoSampled { .. } => params.prepare(PrepareOptions::new().whitening(0.0)),
            _ => params,
        };
        let detector = params.fit(points, None).unwrap();
        let auc = auc_roc(&detector.anomaly_score(points).unwrap(), &labels).unwrap();
        assert!(auc > 0.97, "{kind:?}: AUC {auc}");
    }
}

#[test]
fn p_values_of_new_normal_rows_are_uniform() {
    let d = 3;
    let rows = normal(800, d, 1);
    let fresh = normal(4000, d, 2);
    for kind in all_kinds() {
        for trim in [0.0, 0.5] {
            let params = DetectorParams::new().kernel(kind.clone()).trim(trim);
            let detector = params.fit(Points::new(&rows, d).unwrap(), None).unwrap();
            let p = detector.p_value(Points::new(&fresh, d).unwrap()).unwrap();
            for level in [0.05, 0.2, 0.5, 0.8] {
                let share = p.iter().filter(|p| **p <= level).count() as f64 / 4000.0;
                // The training quantile is known to about √(level / 800) ≤ 0.02, three times that.
                assert_close!(share, level, 0.06, "{kind:?}, trim {trim}, level {level}");
            }
        }
    }
}

/// At tiny bandwidths a row is all of its own density, and f minus its own share is nothing.
#[test]
fn outliers_are_flagged_at_tiny_bandwidths_too() {
    let d = 4;
    let rows = normal(200, d, 13);
    let far: Vec<f64> = normal(50, d, 14).iter().map(|x| 20.0 * x).collect();
    for kind in [KernelKind::Product, KernelKind::Sdo, KernelKind::Laplacian, KernelKind::Gaussian]
    {
        let detector = DetectorParams::new()
            .kernel(kind.clone())
            .prepare(PrepareOptions::new().clip(None))
            .bandwidth(Bandwidth::Fixed(0.003))
            .fit(Points::new(&rows, d).unwrap(), None)
            .unwrap();
        let flags = detector.is_anomaly(Points::new(&far, d).unwrap()).unwrap();
        let flagged = flags.iter().filter(|flag| **flag).count();
        assert!(flagged >= 45, "{kind:?}: {flagged} of 50, cut {}", detector.threshold());
    }
}

#[test]
fn automatic_thresholds_flag_what_is_far_and_little_else() {
    let d = 4;
    let (mut rows, _) = two_clusters(400, 0, d);
    rows.extend([60.0; 4]);
    let points = Points::new(&rows, d).unwrap();
    for threshold in [Threshold::TailOrGroup, Threshold::Iqr, Threshold::Mad] {
        let detector = DetectorParams::new().threshold(threshold).fit(points, None).unwrap();
        let flagged = detector.is_anomaly(points).unwrap();
        assert!(flagged[400], "{threshold:?}");
        let share = flagged[..400].iter().filter(|f| **f).count() as f64 / 400.0;
        assert!(share < 0.1, "{threshold:?} flags {share}");
    }
}

fn explain(detector: &Detector, row: &[f64]) -> sosrep::detector::Explanation {
    detector.explain(Points::new(row, row.len()).unwrap()).unwrap().remove(0)
}

#[test]
fn reasons_add_up_and_name_the_guilty_column_for_every_kernel() {
    let d = 5;
    let rows = normal(300, d, 5);
    for kind in all_kinds() {
        for whitening in [0.0, 0.25] {
            let detector = DetectorParams::new()
                .kernel(kind.clone())
                .bandwidth(Bandwidth::Fixed(0.6))
                .prepare(PrepareOptions::new().whitening(whitening))
                .fit(Points::new(&rows, d).unwrap(), None)
                .unwrap();
            let mut row = vec![0.1; d];
            row[3] = 4.0;
            let reasons = explain(&detector, &row);
            let sum: f64 = reasons.contributions.iter().sum();
            let expected = reasons.score - reasons.reference_score;
            assert_close!(sum, expected, 1e-9, "{kind:?} whitening {whitening}");
            // Both ends are scores of real rows.
            let points = Points::new(&row, d).unwrap();
            assert_eq!(reasons.score, detector.anomaly_score(points).unwrap()[0]);
            let reference = Points::new(&reasons.reference, d).unwrap();
            let score = detector.anomaly_score(reference).unwrap()[0];
            assert_close!(reasons.reference_score, score, 1e-9, "{kind:?}");
            assert_eq!(reasons.ranking()[0], 3, "{kind:?} whitening {whitening}: {reasons:?}");
        }
    }
}

/// In two columns both orders of the columns are used, so contributions are exact Shapley values.
#[test]
fn reasons_in_two_columns_are_shapley_values() {
    let rows = normal(200, 2, 11);
    let detector = DetectorParams::new().fit(Points::new(&rows, 2).unwrap(), None).unwrap();
    let x = [2.5, -1.0];
    let reasons = explain(&detector, &x);
    let r = &reasons.reference;
    let score =
        |a: f64, b: f64| detector.anomaly_score(Points::new(&[a, b], 2).unwrap()).unwrap()[0];
    let first = (score(x[0], r[1]) - score(r[0], r[1])) + (score(x[0], x[1]) - score(r[0], x[1]));
    let second = (score(r[0], x[1]) - score(r[0], r[1])) + (score(x[0], x[1]) - score(x[0], r[1]));
    assert_close!(reasons.contributions[0], first / 2.0, 1e-9);
    assert_close!(reasons.contributions[1], second / 2.0, 1e-9);
}

/// First order against the truth: the row really left out and the density fitted again.
#[test]
fn leave_one_out_scores_are_those_of_a_refit() {
    let d = 2;
    let rows = normal(120, d, 12);
    let params = DensityParams::new().bandwidth(0.2);
    let whole = params.fit(Points::new(&rows, d).unwrap(), None).unwrap();
    let form = whole.kernel_form().unwrap();
    let (mut error, mut correction) = (0.0_f64, 0.0_f64);
    for i in (0..120).step_by(10) {
        let mut others = rows.clone();
        others.drain(i * d..(i + 1) * d);
        let refit = params.fit(Points::new(&others, d).unwrap(), None).unwrap();
        let row = Points::new(&rows[i * d..(i + 1) * d], d).unwrap();
        let truth = refit.log_density(row).unwrap()[0];
        let left_out = (form.support_values()[i] - form.alpha()[i]) / (1.0 - 1.0 / 120.0);
        let first_order = (left_out * left_out).ln() - whole.log_normalizer().unwrap();
        error += (first_order - truth).abs();
        correction += (whole.log_density(row).unwrap()[0] - truth).abs();
    }
    assert!(error < 0.3 * correction, "error {error} of a correction of {correction}");
}

#[test]
fn a_typical_row_needs_no_reasons() {
    let d = 3;
    let rows = normal(300, d, 6);
    let detector = DetectorParams::new().fit(Points::new(&rows, d).unwrap(), None).unwrap();
    let strange = explain(&detector, &[0.0, 5.0, 0.0]);
    let reasons = explain(&detector, &strange.reference);
    assert!(reasons.contributions.iter().all(|c| c.abs() < 1e-9), "{reasons:?}");
}

#[test]
fn constant_columns_change_no_score_until_they_are_left() {
    let d = 3;
    let rows = normal(200, d, 7);
    let with_constant: Vec<f64> =
        rows.chunks_exact(d).flat_map(|row| [row[0], 7.5, row[1], row[2]]).collect();
    let params = DetectorParams::new();
    let plain = params.fit(Points::new(&rows, d).unwrap(), None).unwrap();
    let detector = params.fit(Points::new(&with_constant, 4).unwrap(), None).unwrap();
    assert_eq!(detector.report().constant_columns[0].index, 1);
    let score =
        |row: &[f64]| detector.anomaly_score(Points::new(row, row.len()).unwrap()).unwrap()[0];
    let expected = plain.anomaly_score(Points::new(&[0.1, 0.2, 0.3], d).unwrap()).unwrap()[0];
    assert_eq!(score(&[0.1, 7.5, 0.2, 0.3]), expected);
    assert!(score(&[0.1, 7.6, 0.2, 0.3]) > expected + 1.0);
    let reasons = explain(&detector, &[0.1, 7.6, 0.2, 0.3]);
    assert_eq!(reasons.ranking()[0], 1);
    let sum: f64 = reasons.contributions.iter().sum();
    assert_close!(sum, reasons.score - reasons.reference_score, 1e-9);
}

#[test]
fn one_row_identical_rows_constant_columns_and_wide_tables_fit() {
    for rows in [vec![1.0, 2.0, 3.0], [1.0, 2.0, 3.0].repeat(50)] {
        let points = Points::new(&rows, 3).unwrap();
        let detector = DetectorParams::new().fit(points, None).unwrap();
        let scores = detector.anomaly_score(points).unwrap();
        assert!(scores.iter().all(|s| s.is_finite()));
        assert!(detector.is_anomaly(points).unwrap().iter().all(|flag| !flag));
        let other = detector.anomaly_score(Points::new(&[1.0, 2.0, 4.0], 3).unwrap()).unwrap();
        assert!(other[0] > scores[0]);
        assert!(explain(&detector, &[1.0, 2.0, 4.0]).contributions[2] > 0.0);
    }
    let wide = normal(10, 200, 8);
    let points = Points::new(&wide, 200).unwrap();
    for kind in [KernelKind::Product, KernelKind::Sdo] {
        let detector = DetectorParams::new().kernel(kind).fit(points, None).unwrap();
        assert!(detector.anomaly_score(points).unwrap().iter().all(|s| s.is_finite()));
    }
}

#[test]
fn affine_changes_of_units_change_nothing() {
    let d = 3;
    let (rows, _) = two_clusters(200, 10, d);
    let changed: Vec<f64> = rows
        .chunks_exact(d)
        .flat_map(|r| [1e6 + 1e3 * r[0], -1e-4 * r[1], 8.0 * r[2] - 3.0])
        .collect();
    let score = |rows: &[f64]| {
        let points = Points::new(rows, d).unwrap();
        DetectorParams::new().fit(points, None).unwrap().anomaly_score(points).unwrap()
    };
    for (a, b) in score(&rows).iter().zip(score(&changed)) {
        // 1e6 + 1e3·x keeps ten digits of x.
        assert_close!(*a, b, 1e-6);
    }
}

#[test]
fn a_sample_of_the_rows_gives_nearly_the_same_detector() {
    let d = 4;
    let (rows, labels) = two_clusters(2000, 60, d);
    let points = Points::new(&rows, d).unwrap();
    let all = DetectorParams::new().fit(points, None).unwrap();
    let some = DetectorParams::new().max_rows(500).fit(points, None).unwrap();
    assert_eq!((some.report().rows, some.report().fitted_rows), (2060, 500));
    let auc =
        |detector: &Detector| auc_roc(&detector.anomaly_score(points).unwrap(), &labels).unwrap();
    assert!(auc(&all) > 0.95, "{}", auc(&all));
    assert!(auc(&some) > auc(&all) - 0.03, "{} {}", auc(&some), auc(&all));
}

#[test]
fn the_papers_preset_runs() {
    let d = 3;
    let (rows, labels) = two_clusters(80, 8, d);
    let points = Points::new(&rows, d).unwrap();
    let detector = DetectorParams::paper()
        .kernel(KernelKind::SdoSampled { features: 1000, sampler: RadialSampler::paper() })
        .fit(points, None)
        .unwrap();
    let selection = detector.report().selection.as_ref().unwrap();
    assert!(!selection.curve.is_empty());
    let auc = auc_roc(&detector.anomaly_score(points).unwrap(), &labels).unwrap();
    assert!(auc > 0.6, "AUC {auc} at bandwidth {}", selection.bandwidth);
}

/// The rows that judge are prepared as the rows of the table are.
#[test]
fn the_exact_preset_is_judged_by_the_rows_given() {
    let d = 3;
    let (rows, _) = two_clusters(80, 8, d);
    let (judge, _) = two_clusters(30, 3, d);
    let (points, judge) = (Points::new(&rows, d).unwrap(), Points::new(&judge, d).unwrap());
    let params = DetectorParams::paper_exact().bandwidth(SelectOptions::paper().rule(Rule::Text));
    let selection = params.clone().judged_by(judge).tune(points, None).unwrap();
    for point in &selection.curve {
        let fixed = params.clone().bandwidth(point.bandwidth).fit(points, None).unwrap();
        let prepared = fixed.preparation().apply(judge).unwrap();
        let prepared = Points::new(&prepared, d).unwrap();
        let alone = fisher_divergence(fixed.density(), prepared, None).unwrap();
        assert_close!(point.value, alone, 1e-9 * alone.abs());
    }
    let held_out = params.tune(points, None).unwrap();
    assert_ne!(held_out.curve, selection.curve);
}

#[test]
fn bad_parameters_and_rows_are_named() {
    let rows = normal(20, 2, 9);
    let points = Points::new(&rows, 2).unwrap();
    let params = DetectorParams::new();
    for (params, name) in [
        (params.clone().trim(1.0), "trim"),
        (params.clone().trim(f64::NAN), "trim"),
        (params.clone().bandwidth(Bandwidth::Fixed(0.0)), "bandwidth"),
        (params.clone().threshold(Threshold::Contamination(0.7)), "contamination"),
        (params.clone().max_rows(0), "max_rows"),
        (params.clone().prepare(PrepareOptions::new().clip(-1.0)), "clip"),
        (
            params.clone().prepare(PrepareOptions::new().scaling(Scaling::Robust).whitening(0.6)),
            "whitening",
        ),
    ] {
        let error = params.fit(points, None).unwrap_err();
        assert!(matches!(&error, Error::Parameter { name: n, .. } if *n == name), "{error}");
    }
    let wrong = Weights::equal(3);
    assert!(matches!(params.fit(points, Some(&wrong)), Err(Error::WrongLength { .. })));
    let detector = params.fit(points, None).unwrap();
    let three = Points::new(&[0.0; 3], 3).unwrap();
    assert!(matches!(detector.anomaly_score(three), Err(Error::WrongColumns { .. })));
    assert!(detector.clone().with_feature_names(vec!["a".into()]).is_err());
}

#[test]
fn a_fit_can_be_cancelled() {
    let rows = normal(50, 2, 10);
    let mut stop = |_: &sosrep::Progress| std::ops::ControlFlow::Break(());
    let points = Points::new(&rows, 2).unwrap();
    let result = DetectorParams::new().fit_monitored(points, None, &mut stop);
    assert!(matches!(result, Err(Error::Cancelled)));
}

/// Columns in different units, one of them constant; the midpoint rule over both that vary.
#[test]
fn the_log_density_integrates_to_one_in_the_units_of_the_input() {
    let rows: Vec<f64> = normal(60, 2, 31)
        .chunks_exact(2)
        .flat_map(|x| [100.0 + 30.0 * x[0], 7.0, 0.02 * x[1] + 0.01 * x[0]])
        .collect();
    for (clip, whitening) in [(None, 0.0), (None, 0.5), (Some(2.0), 0.0), (Some(1.0), 0.5)] {
        let prepare = PrepareOptions::new().clip(clip).whitening(whitening);
        let detector = DetectorParams::new()
            .kernel(KernelKind::Gaussian)
            .prepare(prepare)
            .fit(Points::new(&rows, 3).unwrap(), None)
            .unwrap();
        let steps = 300;
        let (dx, dy) = (600.0 / f64::from(steps), 0.4 / f64::from(steps));
        let grid: Vec<f64> = (0..steps * steps)
            .flat_map(|k| {
                let (i, j) = (f64::from(k % steps) + 0.5, f64::from(k / steps) + 0.5);
                [100.0 - 300.0 + i * dx, 7.0, -0.2 + j * dy]
            })
            .collect();
        let log_density = detector.log_density(Points::new(&grid, 3).unwrap()).unwrap();
        let mass: f64 = log_density.iter().map(|value| value.exp() * dx * dy).sum();
        // Beyond the soft clip the tails reach further than the grid.
        let tolerance = if clip.is_some() { 2e-2 } else { 1e-3 };
        assert_close!(mass, 1.0, tolerance, "clip {clip:?}, whitening {whitening}");
    }
}

#[test]
fn a_row_off_a_constant_has_no_density() {
    let rows: Vec<f64> = normal(80, 1, 32).iter().flat_map(|&x| [x, 1.0]).collect();
    let detector = DetectorParams::new().fit(Points::new(&rows, 2).unwrap(), None).unwrap();
    let asked = [50.0, 1.0, 90.0, 1.0, 0.0, 2.0];
    let log_density = detector.log_density(Points::new(&asked, 2).unwrap()).unwrap();
    assert!(log_density[0] > log_density[1] && log_density[1] > f64::NEG_INFINITY);
    assert_eq!(log_density[2], f64::NEG_INFINITY);
}

/// A clump far away is denser than any part of the bulk, yet there is little of it.
#[test]
fn a_tight_clump_of_anomalies_far_away_scores_highest() {
    let d = 10;
    for spread in [1.0, 0.3, 0.01] {
        let mut rows = normal(2000, d, 41);
        rows[..100 * d].iter_mut().for_each(|x| *x = 6.0 + spread * *x);
        let labels: Vec<bool> = (0..2000).map(|i| i < 100).collect();
        let points = Points::new(&rows, d).unwrap();
        let detector = DetectorParams::new().fit(points, None).unwrap();
        let auc = auc_roc(&detector.anomaly_score(points).unwrap(), &labels).unwrap();
        assert!(auc > 0.999, "spread {spread}: AUC {auc}");
    }
}

/// Anomalies that were copied are still anomalies, unless every copy is taken for evidence.
#[test]
fn copies_of_measurements_count_once_and_repeated_codes_as_often_as_they_occur() {
    let d = 5;
    let (mut rows, mut labels) = two_clusters(400, 30, d);
    // As many copies as make the anomalies the larger part of the rows.
    let anomalies = rows[400 * d..].to_vec();
    for _ in 0..15 {
        rows.extend(&anomalies);
        labels.extend([true; 30]);
    }
    let points = Points::new(&rows, d).unwrap();
    let auc = |repeats| {
        let detector = DetectorParams::new().repeats(repeats).fit(points, None).unwrap();
        (auc_roc(&detector.anomaly_score(points).unwrap(), &labels).unwrap(), detector)
    };
    let [(auto, detector), (once, _), (keep, _)] =
        [Repeats::Auto, Repeats::Once, Repeats::Keep].map(auc);
    assert_eq!(auto, once);
    assert!(auto > 0.97 && keep < auto - 0.05, "auto {auto}, keep {keep}");
    let found = detector.report().repeats;
    assert_eq!((found.repeated, found.counted_once), (30, 30));

    // Whole numbers that follow a bell: the density is in how often they occur.
    let codes: Vec<f64> = normal(600, 2, 42).iter().map(|x| (1.5 * x).round()).collect();
    let points = Points::new(&codes, 2).unwrap();
    let [auto, keep] = [Repeats::Auto, Repeats::Keep]
        .map(|repeats| DetectorParams::new().repeats(repeats).fit(points, None).unwrap());
    assert!(auto.report().repeats.repeated > 20);
    assert_eq!(auto.report().repeats.counted_once, 0);
    assert_eq!(auto.anomaly_score(points).unwrap(), keep.anomaly_score(points).unwrap());
}

#[test]
fn weights_that_are_no_whole_numbers_are_kept() {
    let rows = normal(60, 3, 43);
    let points = Points::new(&rows, 3).unwrap();
    let fit = |weights: &[f64], repeats| {
        let weights = Weights::new(weights).unwrap();
        DetectorParams::new().repeats(repeats).fit(points, Some(&weights)).unwrap()
    };
    let decay: Vec<f64> = (0..60).map(|i| 4.0 * 0.97_f64.powi(i)).collect();
    let counts: Vec<f64> = (0..60).map(|i| f64::from(1 + i % 3)).collect();
    for (weights, counted_once) in [(decay, 0), (counts, 40)] {
        let detector = fit(&weights, Repeats::Auto);
        assert_eq!(detector.report().repeats.counted_once, counted_once);
        let same = fit(&weights, if counted_once == 0 { Repeats::Keep } else { Repeats::Once });
        assert_eq!(detector.anomaly_score(points).unwrap(), same.anomaly_score(points).unwrap());
    }
}

#[test]
fn tuning_alone_makes_the_choice_of_a_fit() {
    let rows = normal(120, 2, 33);
    let points = Points::new(&rows, 2).unwrap();
    let params = DetectorParams::new().bandwidth(Bandwidth::likelihood());
    let selection = params.tune(points, None).unwrap();
    let detector = params.fit(points, None).unwrap();
    assert_eq!(Some(&selection), detector.report().selection.as_ref());
    let fixed = DetectorParams::new().tune(points, None);
    assert!(matches!(fixed, Err(Error::Parameter { name: "bandwidth", .. })));
}

#[test]
fn the_false_discovery_rate_is_kept_in_batches_of_new_rows() {
    const REPETITIONS: u64 = 1000;
    const RATE: f64 = 0.2;
    let (d, normal_rows, anomalies) = (3, 40, 10);
    for planted in [0, anomalies] {
        let (mut rates, mut found) = (Vec::new(), 0);
        for seed in 0..REPETITIONS {
            let training = normal(200, d, 10_000 + seed);
            let detector =
                DetectorParams::new().fit(Points::new(&training, d).unwrap(), None).unwrap();
            let mut batch = normal(normal_rows + planted, d, 20_000 + seed);
            batch[normal_rows * d..].iter_mut().for_each(|x| *x += 4.0);
            let assessment = detector.assess(Points::new(&batch, d).unwrap()).unwrap();
            let flagged = assessment.with_false_discovery_rate(RATE).unwrap().is_anomaly;
            let count = |part: &[bool]| part.iter().filter(|flagged| **flagged).count();
            let (wrong, right) = (count(&flagged[..normal_rows]), count(&flagged[normal_rows..]));
            rates.push(wrong as f64 / (wrong + right).max(1) as f64);
            found += right;
        }
        let n = REPETITIONS as f64;
        let rate = rates.iter().sum::<f64>() / n;
        let variance = rates.iter().map(|r| (r - rate).powi(2)).sum::<f64>() / n;
        // Three standard errors of the mean.
        let limit = RATE + 3.0 * (variance / n).sqrt();
        assert!(rate <= limit, "{planted} planted: a rate of {rate}");
        // The bound is no use if nothing is flagged.
        assert!(found as f64 >= 0.8 * n * planted as f64, "{found} of {planted} planted a batch");
    }
}

#[test]
fn copies_with_noise_do_not_make_a_row_usual() {
    let d = 10;
    let mut rows = normal(1000, d, 5);
    // Forty rows 5.0 deviations away in every column, each fifteen times with noise of 1 %: three
    // eighths of the table.
    let noise = normal(600, d, 6);
    let far = normal(40, d, 7);
    for (copy, noise) in noise.chunks_exact(d).enumerate() {
        let from = &far[copy % 40 * d..][..d];
        rows.extend(from.iter().zip(noise).map(|(x, e)| 5.0 + x + 0.01 * e));
    }
    let points = Points::new(&rows, d).unwrap();
    let labels: Vec<bool> = (0..1600).map(|row| row >= 1000).collect();
    let fit = |repeats| DetectorParams::new().repeats(repeats).fit(points, None).unwrap();
    let auto = fit(Repeats::Auto);
    assert!(auto.report().repeats.near_copies >= 600);
    let auc = auc_roc(&auto.training().unwrap().scores, &labels).unwrap();
    let kept = auc_roc(&fit(Repeats::Keep).training().unwrap().scores, &labels).unwrap();
    assert!(auc > 0.99, "{auc}");
    assert!(kept < auc, "{kept}");
}

/// Rows without anomalies: normal, uniform, log-normal, or three clusters six deviations apart.
fn clean(kind: &str, n: usize, d: usize, seed: u64) -> Vec<f64> {
    let rows = normal(n, d, seed);
    let centres = normal(3, d, seed + 1000);
    let of_cluster = |(i, x): (usize, &f64)| x + 6.0 * centres[i / d % 3 * d + i % d];
    match kind {
        "normal" => rows,
        "uniform" => uniform(n, d, seed),
        "log-normal" => rows.iter().map(|x| x.exp()).collect(),
        _ => rows.iter().enumerate().map(of_cluster).collect(),
    }
}

fn flagged_share(detector: &Detector) -> f64 {
    let training = detector.training().unwrap();
    training.anomalies() as f64 / training.len() as f64
}

#[test]
fn of_clean_tables_the_automatic_threshold_flags_few_rows_and_estimates_no_anomalies() {
    const FITS: u64 = 8;
    for kind in ["normal", "uniform", "log-normal", "clusters"] {
        for d in [2, 5, 20] {
            let fits: Vec<Detector> = (1..=FITS)
                .map(|seed| {
                    let rows = clean(kind, 1000, d, seed);
                    DetectorParams::new().fit(Points::new(&rows, d).unwrap(), None).unwrap()
                })
                .collect();
            // In two columns the outskirts of clusters and of a long tail may be many enough to stand apart.
            if d > 2 || !["clusters", "log-normal"].contains(&kind) {
                let estimates = fits.iter().map(|detector| detector.report().estimated_share);
                assert!(estimates.flatten().all(|share| share == 0.0), "{kind}, {d} columns");
            }
            let share = fits.iter().map(flagged_share).sum::<f64>() / FITS as f64;
            assert!((0.005..=0.06).contains(&share), "{kind}, {d} columns: {share}");
        }
    }
}

#[test]
fn the_automatic_threshold_estimates_the_share_of_anomalies_that_stand_apart() {
    let d = 4;
    for share in [0.01, 0.05, 0.1, 0.3] {
        let many = (1000.0 * share) as usize;
        let mut rows = normal(1000 - many, d, 21);
        rows.extend(uniform(many, d, 22).iter().map(|x| 40.0 * x - 20.0));
        let points = Points::new(&rows, d).unwrap();
        let detector = DetectorParams::new().fit(points, None).unwrap();
        let estimate = detector.report().estimated_share.unwrap();
        assert!((estimate - share).abs() <= 0.2 * share, "{share}: {estimate}");
        // A thousand weights of 1/1000 are summed.
        assert_close!(estimate, flagged_share(&detector), 1e-12);
    }
}

#[test]
fn a_group_that_holds_much_of_the_table_is_not_flagged_as_a_whole() {
    for d in [2, 5, 20] {
        // A third of the rows, twice as wide as the others.
        let mut rows = normal(900, d, 33);
        rows[..300 * d].iter_mut().for_each(|x| *x = 6.0 + 2.0 * *x);
        let detector = DetectorParams::new().fit(Points::new(&rows, d).unwrap(), None).unwrap();
        let flags = &detector.training().unwrap().is_anomaly;
        let flagged = flags[..300].iter().filter(|flag| **flag).count();
        assert!(flagged <= 90, "{d} columns: {flagged} of 300");
    }
}

#[test]
fn a_group_of_fifteen_percent_three_deviations_away_in_one_column_is_not_flagged_as_a_whole() {
    for d in [2, 5, 20] {
        for seed in 0..3 {
            let mut rows = normal(1000, d, 50 + seed);
            rows[..150 * d].chunks_exact_mut(d).for_each(|row| row[0] += 3.0);
            let detector = DetectorParams::new().fit(Points::new(&rows, d).unwrap(), None).unwrap();
            let flags = &detector.training().unwrap().is_anomaly;
            let flagged = flags[..150].iter().filter(|flag| **flag).count();
            assert!(flagged < 75, "{d} columns, seed {seed}: {flagged} of 150");
        }
    }
}

#[test]
fn the_middle_of_a_circle_is_found() {
    for noise in [0.0, 0.05] {
        let around = normal(300, 2, 60);
        let angle = |i: usize| i as f64 * std::f64::consts::TAU / 300.0;
        let rows: Vec<f64> = (0..300)
            .flat_map(|i| {
                let radius = 1.0 + noise * around[2 * i];
                [radius * angle(i).cos(), radius * angle(i).sin()]
            })
            .collect();
        let detector = DetectorParams::new().fit(Points::new(&rows, 2).unwrap(), None).unwrap();
        let middle = detector.assess(Points::new(&[0.0, 0.0], 2).unwrap()).unwrap();
        let scores = &detector.training().unwrap().scores;
        assert!(middle.is_anomaly[0] && scores.iter().all(|score| *score < middle.scores[0]));
    }
}

#[test]
fn a_table_of_codes_is_ordered_by_how_often_its_rows_occur() {
    // Two codes of three and two values: counts of 6 combinations.
    let counts = [400, 150, 60, 30, 12, 1];
    let rows: Vec<f64> = counts
        .iter()
        .enumerate()
        .flat_map(|(kind, count)| [(kind % 3) as f64, (kind / 3) as f64].repeat(*count))
        .collect();
    let detector = DetectorParams::new().fit(Points::new(&rows, 2).unwrap(), None).unwrap();
    let scores = &detector.training().unwrap().scores;
    let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(scores[0], least);
    assert_eq!(scores[scores.len() - 1], most);
    assert_eq!(detector.report().core_rows, counts.len());
}
