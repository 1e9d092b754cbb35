//! What must not change a result: copies against weights, batches, threads, the order of rows.

use sosrep::kernel::KernelKind;
use sosrep::solve::SolveOptions;
use sosrep::{Density, DensityParams, Detector, DetectorParams, Points, Weights};

use crate::common::{all_kinds, assert_close, normal};

fn fit(kind: &KernelKind, rows: &[f64], d: usize, weights: Option<&Weights>) -> Density {
    let exact = SolveOptions { tolerance: 1e-13, ..SolveOptions::default() };
    let params = DensityParams::new().kernel(kind.clone()).bandwidth(0.4).solve(exact);
    params.fit(Points::new(rows, d).unwrap(), weights).unwrap()
}

fn scores(density: &Density, queries: &[f64], d: usize) -> Vec<f64> {
    density.log_pre_density(Points::new(queries, d).unwrap()).unwrap()
}

#[test]
fn a_weight_of_k_is_k_copies() {
    let d = 3;
    let rows = normal(40, d, 1);
    let counts: Vec<usize> = (0..40).map(|i| i % 4).collect();
    let copies: Vec<f64> =
        rows.chunks_exact(d).zip(&counts).flat_map(|(row, &count)| row.repeat(count)).collect();
    let weights = Weights::new(&counts.iter().map(|&c| c as f64).collect::<Vec<_>>()).unwrap();
    let queries = normal(30, d, 2);
    for kind in all_kinds(d) {
        let weighted = scores(&fit(&kind, &rows, d, Some(&weights)), &queries, d);
        let copied = scores(&fit(&kind, &copies, d, None), &queries, d);
        for (a, b) in weighted.iter().zip(&copied) {
            assert_close!(*a, *b, 1e-9, "{kind:?}");
        }
    }
}

#[test]
fn batches_and_threads_change_no_bit_of_a_score() {
    let d = 5;
    let rows = normal(200, d, 3);
    let queries = normal(61, d, 4);
    for kind in all_kinds(d) {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
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
    for kind in all_kinds(d) {
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
    for kind in all_kinds(d) {
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
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| DetectorParams::new().fit(Points::new(rows, d).unwrap(), None).unwrap())
    };
    let detector = fit(&rows, 1);
    let batch = detector.anomaly_score(points).unwrap();
    assert_eq!(batch, fit(&rows, 4).anomaly_score(points).unwrap());
    for (row, expected) in points.iter().zip(&batch) {
        let alone = detector.anomaly_score(Points::new(row, d).unwrap()).unwrap();
        assert_eq!(alone, [*expected]);
    }
    let reasons = detector.explain(points).unwrap();
    for (row, expected) in points.iter().zip(&reasons) {
        assert_eq!(detector.explain(Points::new(row, d).unwrap()).unwrap()[0], *expected);
    }
    let reversed: Vec<f64> = rows.chunks_exact(d).rev().flatten().copied().collect();
    let other = fit(&reversed, 2).anomaly_score(points).unwrap();
    for (a, b) in batch.iter().zip(&other) {
        // The solver stops at a residual of 1e-6, but along the same path up to rounding.
        assert_close!(*a, *b, 1e-10);
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

#[test]
fn copies_are_weights_for_the_scores_of_a_detector() {
    let d = 3;
    let rows = normal(60, d, 11);
    let counts: Vec<usize> = (0..60).map(|i| i % 4).collect();
    let copies: Vec<f64> =
        rows.chunks_exact(d).zip(&counts).flat_map(|(row, &count)| row.repeat(count)).collect();
    let weights = Weights::new(&counts.iter().map(|&c| c as f64).collect::<Vec<_>>()).unwrap();
    let params = DetectorParams::new();
    let weighted = params.fit(Points::new(&rows, d).unwrap(), Some(&weights)).unwrap();
    let copied = params.fit(Points::new(&copies, d).unwrap(), None).unwrap();
    let queries = normal(20, d, 12);
    let points = Points::new(&queries, d).unwrap();
    let (a, b) = (weighted.anomaly_score(points).unwrap(), copied.anomaly_score(points).unwrap());
    for (a, b) in a.iter().zip(&b) {
        assert_close!(*a, *b, 1e-9);
    }
}
