//! What must not change a result: copies against weights, batches, threads, the order of rows.

use rand::RngExt;
use rand::seq::SliceRandom;
use sosrep::detector::{PrepareOptions, Scaling, Threshold};
use sosrep::kernel::KernelKind;
use sosrep::solve::SolveOptions;
use sosrep::{Bandwidth, Density, DensityParams, Detector, DetectorParams, Points, Weights};

use crate::common::{all_kinds, assert_close, normal, on_threads, rng};

fn fit(kind: &KernelKind, rows: &[f64], d: usize, weights: Option<&Weights>) -> Density {
    let exact = SolveOptions::new().tolerance(1e-13);
    let params = DensityParams::new().kernel(kind.clone()).bandwidth(0.4).solve(exact);
    params.fit(Points::new(rows, d).unwrap(), weights).unwrap()
}

fn scores(density: &Density, queries: &[f64], d: usize) -> Vec<f64> {
    density.log_pre_density(Points::new(queries, d).unwrap()).unwrap()
}

/// Rows with the weights 0 to 3, and the same as copies in another order.
struct Copies {
    rows: Vec<f64>,
    weights: Weights,
    copied: Vec<f64>,
}

fn copies(n: usize, d: usize, seed: u64) -> Copies {
    let rows = normal(n, d, seed);
    let counts: Vec<usize> = (0..n).map(|i| i % 4).collect();
    let weights = Weights::new(&counts.iter().map(|&c| c as f64).collect::<Vec<_>>()).unwrap();
    let mut order: Vec<usize> = (0..n).flat_map(|i| vec![i; counts[i]]).collect();
    order.shuffle(&mut rng(seed));
    let copied = order.iter().flat_map(|&i| rows[i * d..(i + 1) * d].to_vec()).collect();
    Copies { rows, weights, copied }
}

#[test]
fn a_weight_of_k_is_k_copies() {
    let d = 3;
    let Copies { rows, weights, copied } = copies(40, d, 1);
    let queries = normal(30, d, 2);
    for kind in all_kinds() {
        let weighted = scores(&fit(&kind, &rows, d, Some(&weights)), &queries, d);
        let copied = scores(&fit(&kind, &copied, d, None), &queries, d);
        for (a, b) in weighted.iter().zip(&copied) {
            assert_close!(*a, *b, 1e-9, "{kind:?}");
        }
    }
}

#[test]
fn a_weight_of_k_is_k_copies_at_the_default_tolerance_too() {
    let d = 3;
    let Copies { rows, weights, copied } = copies(40, d, 3);
    let queries = normal(30, d, 4);
    for kind in all_kinds() {
        let params = DensityParams::new().kernel(kind.clone());
        let fit = |rows: &[f64], weights: Option<&Weights>| {
            scores(&params.fit(Points::new(rows, d).unwrap(), weights).unwrap(), &queries, d)
        };
        for (a, b) in fit(&rows, Some(&weights)).iter().zip(fit(&copied, None)) {
            // The solver stops at a residual of 1e-6, but along the same path up to rounding.
            assert_close!(*a, b, 1e-9, "{kind:?}");
        }
    }
}

#[test]
fn copies_and_their_order_do_not_matter_where_rough_densities_are_sampled() {
    // About 2000 distinct rows count and 4000 copies: more than the rows that a rough
    // density samples.
    let d = 3;
    let Copies { rows, weights, copied } = copies(2700, d, 5);
    let queries = normal(30, d, 6);
    let queries = Points::new(&queries, d).unwrap();
    let scores = |rows: &[f64], weights: Option<&Weights>| {
        let detector = DetectorParams::new().fit(Points::new(rows, d).unwrap(), weights).unwrap();
        detector.anomaly_score(queries).unwrap()
    };
    for (a, b) in scores(&rows, Some(&weights)).iter().zip(scores(&copied, None)) {
        assert_close!(*a, b, 1e-9);
    }
}

#[test]
fn batches_and_threads_change_no_bit_of_a_score() {
    let d = 5;
    let rows = normal(200, d, 3);
    let queries = normal(61, d, 4);
    for kind in all_kinds() {
        let run = |threads: usize| {
            on_threads(threads, || {
                let density = fit(&kind, &rows, d, None);
                (scores(&density, &queries, d), density)
            })
        };
        let (batch, density) = run(1);
        assert_eq!(batch, run(3).0, "{kind:?}: threads");
        let alone: Vec<f64> =
            queries.chunks_exact(d).flat_map(|row| scores(&density, row, d)).collect();
        assert_eq!(batch, alone, "{kind:?}: one row at a time");
        let split: Vec<f64> =
            queries.chunks(7 * d).flat_map(|rows| scores(&density, rows, d)).collect();
        assert_eq!(batch, split, "{kind:?}: batches of seven");
    }
}

#[test]
fn the_order_of_rows_changes_scores_by_rounding_only() {
    let d = 4;
    let rows = normal(150, d, 5);
    let reversed: Vec<f64> = rows.chunks_exact(d).rev().flatten().copied().collect();
    let queries = normal(40, d, 6);
    for kind in all_kinds() {
        let forward = scores(&fit(&kind, &rows, d, None), &queries, d);
        let backward = scores(&fit(&kind, &reversed, d, None), &queries, d);
        for (a, b) in forward.iter().zip(&backward) {
            assert_close!(*a, *b, 1e-10, "{kind:?}");
        }
    }
}

#[test]
fn memory_changes_no_bit_of_a_fit() {
    let d = 3;
    let rows = normal(300, d, 7);
    let queries = normal(10, d, 8);
    for kind in all_kinds() {
        let run = |memory: usize| {
            let params = DensityParams::new().kernel(kind.clone()).memory(memory);
            scores(&params.fit(Points::new(&rows, d).unwrap(), None).unwrap(), &queries, d)
        };
        assert_eq!(run(1 << 30), run(0), "{kind:?}");
    }
}

#[test]
fn a_detector_is_the_same_alone_in_a_batch_on_any_thread_and_in_any_order() {
    let d = 4;
    let rows = normal(250, d, 9);
    let queries = normal(33, d, 10);
    let points = Points::new(&queries, d).unwrap();
    let fit = |rows: &[f64], threads: usize| {
        on_threads(threads, || {
            DetectorParams::new().fit(Points::new(rows, d).unwrap(), None).unwrap()
        })
    };
    let detector = fit(&rows, 1);
    let batch = detector.anomaly_score(points).unwrap();
    let threaded = fit(&rows, 4);
    assert_eq!(detector.assess(points), threaded.assess(points));
    assert_eq!(detector.training(), threaded.training());
    assert_eq!(detector.threshold(), threaded.threshold());
    for (row, expected) in points.iter().zip(&batch) {
        let alone = detector.anomaly_score(Points::new(row, d).unwrap()).unwrap();
        assert_eq!(alone, [*expected]);
    }
    let reasons = detector.explain(points).unwrap();
    for (row, expected) in points.iter().zip(&reasons) {
        assert_eq!(detector.explain(Points::new(row, d).unwrap()).unwrap()[0], *expected);
    }
    let reversed: Vec<f64> = rows.chunks_exact(d).rev().flatten().copied().collect();
    let reversed = fit(&reversed, 2);
    assert_eq!(reversed.anomaly_score(points).unwrap(), batch);
    let mut scores = reversed.training().unwrap().scores.clone();
    scores.reverse();
    assert_eq!(scores, detector.training().unwrap().scores);
}

/// Rows of which many repeat, so that some are near and some are heavy, and their weights.
#[cfg(feature = "model-file")]
fn repeating(n: usize) -> (Vec<[f64; 3]>, Vec<f64>) {
    let mut random = rng(21);
    let values = normal(3 * n, 1, 22);
    let mut rows: Vec<[f64; 3]> = values.chunks_exact(3).map(|r| [r[0], r[1], r[2]]).collect();
    for i in 0..n {
        match random.random_range(0..10) {
            0 => rows[i] = [1.0, -0.0, 2.0],
            1 => rows[i] = [1.0, 0.0, 2.0],
            2..4 => rows[i] = rows[random.random_range(0..n)],
            _ => {}
        }
    }
    let weights = (0..n).map(|_| random.random::<f64>() * 3.0).collect();
    (rows, weights)
}

#[cfg(feature = "model-file")]
#[test]
fn the_order_of_the_rows_changes_no_bit_of_a_model() {
    let (rows, weights) = repeating(3000);
    let params = DetectorParams::new();
    for params in [
        params.clone(),
        // Too little to hold all rows: they are sampled twice.
        params.clone().memory(60_000),
        params.clone().prepare(PrepareOptions::new().whitening(0.5)).trim(0.0),
        params.clone().prepare(PrepareOptions::new().scaling(Scaling::Robust)).max_rows(500),
        params.clone().bandwidth(Bandwidth::likelihood()).max_rows(300),
        params.clone().kernel(KernelKind::paper()).max_rows(300),
    ] {
        let model = |order: &[usize], weighted: bool| {
            let values: Vec<f64> = order.iter().flat_map(|&i| rows[i]).collect();
            let weights: Vec<f64> = order.iter().map(|&i| weights[i]).collect();
            let weights = weighted.then(|| Weights::new(&weights).unwrap());
            let points = Points::new(&values, 3).unwrap();
            params.fit(points, weights.as_ref()).unwrap().to_bytes().unwrap()
        };
        let mut order: Vec<usize> = (0..rows.len()).collect();
        for weighted in [false, true] {
            let expected = model(&order, weighted);
            order.shuffle(&mut rng(23));
            assert!(model(&order, weighted) == expected, "{params:?}, weighted: {weighted}");
        }
    }
}

#[test]
fn a_row_of_weight_zero_is_no_row_for_a_detector() {
    let d = 2;
    let rows = normal(80, d, 13);
    let weights: Vec<f64> = (0..80).map(|i| if i < 50 { 1.0 } else { 0.0 }).collect();
    let weights = Weights::new(&weights).unwrap();
    let params = DetectorParams::new();
    let with = params.fit(Points::new(&rows, d).unwrap(), Some(&weights)).unwrap();
    let without = params.fit(Points::new(&rows[..50 * d], d).unwrap(), None).unwrap();
    assert_eq!(with.report().distinct_rows, 50);
    assert_close!(with.threshold(), without.threshold(), 1e-10);
    let points = Points::new(&rows, d).unwrap();
    let pairs = |f: &dyn Fn(&Detector) -> Vec<f64>| f(&with).into_iter().zip(f(&without));
    for (a, b) in pairs(&|detector| detector.anomaly_score(points).unwrap()) {
        assert_close!(a, b, 1e-10);
    }
    for (a, b) in pairs(&|detector| detector.p_value(points).unwrap()) {
        assert_close!(a, b, 1e-10);
    }
}

/// Scores and p-values of training rows and new ones, and the threshold, of both detectors.
fn assert_copies_are_weights(params: &DetectorParams, copies: &Copies, d: usize) {
    let Copies { rows, weights, copied } = copies;
    let weighted = params.fit(Points::new(rows, d).unwrap(), Some(weights)).unwrap();
    let copied = params.fit(Points::new(copied, d).unwrap(), None).unwrap();
    assert_eq!(weighted.report().distinct_rows, copied.report().distinct_rows);
    assert_close!(weighted.threshold(), copied.threshold(), 1e-9, "{params:?}");
    let queries = [rows.as_slice(), &normal(30, d, 90)].concat();
    let points = Points::new(&queries, d).unwrap();
    let scores = [&weighted, &copied].map(|detector| detector.anomaly_score(points).unwrap());
    let p_values = [&weighted, &copied].map(|detector| detector.p_value(points).unwrap());
    for [weighted, copied] in [scores, p_values] {
        for (a, b) in weighted.iter().zip(&copied) {
            assert_close!(*a, *b, 1e-9, "{params:?}");
        }
    }
}

#[test]
fn a_weight_of_k_is_k_copies_for_detectors_with_every_kernel_and_threshold() {
    let d = 3;
    let copies = copies(90, d, 11);
    for kind in all_kinds() {
        let rules = [Threshold::TailOrGroup, Threshold::Iqr, Threshold::Mad];
        for threshold in rules.into_iter().chain([Threshold::Contamination(0.1)]) {
            for trim in [0.0, 0.5] {
                let params = DetectorParams::new().kernel(kind.clone()).threshold(threshold);
                assert_copies_are_weights(&params.trim(trim), &copies, d);
            }
        }
    }
}

#[test]
fn a_weight_of_k_is_k_copies_for_detectors_with_other_options() {
    let d = 3;
    let copies = copies(90, d, 14);
    let robust = PrepareOptions::new().scaling(Scaling::Robust);
    let whitened = PrepareOptions::new().whitening(0.5);
    let params = DetectorParams::new();
    for params in [
        params.clone().prepare(robust),
        params.clone().prepare(whitened),
        params.clone().bandwidth(Bandwidth::self_influence()),
        // A row is all of its own density, and what is left without a copy of it is summed anew.
        params.clone().bandwidth(Bandwidth::Fixed(1e-3)),
        params.clone().kernel(KernelKind::Gaussian).bandwidth(Bandwidth::Fixed(1e-2)).trim(0.0),
    ] {
        assert_copies_are_weights(&params, &copies, d);
    }
}

/// Rows that are given several times, each time with another weight.
#[test]
fn a_weight_of_k_is_k_copies_for_rows_given_twice() {
    let d = 2;
    let Copies { rows, weights, copied } = copies(60, d, 15);
    let mut twice = Copies { rows: rows.repeat(2), weights, copied };
    twice.copied.extend(rows.repeat(2));
    let both: Vec<f64> = (0..60).map(|i| f64::from(i % 4)).chain(vec![2.0; 60]).collect();
    twice.weights = Weights::new(&both).unwrap();
    assert_copies_are_weights(&DetectorParams::new(), &twice, d);
    assert_copies_are_weights(&DetectorParams::new().trim(0.0), &twice, d);
}

#[test]
fn weights_below_one_on_average_leave_every_row_a_row() {
    let d = 2;
    let rows = normal(80, d, 16);
    let points = Points::new(&rows, d).unwrap();
    let params = DetectorParams::new();
    let plain = params.fit(points, None).unwrap();
    let small = Weights::new(&[1.0 / 80.0; 80]).unwrap();
    let small = params.fit(points, Some(&small)).unwrap();
    assert_close!(small.threshold(), plain.threshold(), 1e-10);
    assert_eq!(small.p_values_of(&[f64::INFINITY]), [1.0 / 81.0]);
}
