//! Tests of the preparation: closed forms, slow twins, extremes.

use super::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const COLUMNS: usize = 4;

/// Correlated columns of different scale and offset.
fn rows(rows: usize, seed: u64) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut values = Vec::new();
    for _ in 0..rows {
        let [a, b, c, d] = std::array::from_fn(|_| rng.random::<f64>() - rng.random::<f64>());
        values.extend([a, 1e3 + 10.0 * (a + b), 1e-3 * (b - c), -5.0 + a + b + c + d]);
    }
    values
}

fn random_weights(rows: usize, seed: u64) -> Weights {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    Weights::new(&(0..rows).map(|_| rng.random::<f64>()).collect::<Vec<_>>()).unwrap()
}

/// Weighted covariance, straight from its definition.
fn slow_covariance(prepared: &[f64], weights: &Weights, i: usize, j: usize) -> f64 {
    let d = prepared.len() / weights.as_slice().len();
    let mean = |j: usize| -> f64 {
        prepared.chunks(d).zip(weights.as_slice()).map(|(row, w)| w * row[j]).sum()
    };
    let (mean_i, mean_j) = (mean(i), mean(j));
    let terms = prepared.chunks(d).zip(weights.as_slice());
    terms.map(|(row, w)| w * (row[i] - mean_i) * (row[j] - mean_j)).sum()
}

fn options(scaling: Scaling, clip: Option<f64>, whitening: f64) -> PrepareOptions {
    PrepareOptions::new().scaling(scaling).clip(clip).whitening(whitening)
}

fn fit(values: &[f64], columns: usize, options: &PrepareOptions) -> Preparation {
    let points = Points::new(values, columns).unwrap();
    Preparation::fit(points, &Weights::equal(points.rows()), options).unwrap()
}

#[test]
fn standard_scaling_gives_mean_0_and_deviation_1() {
    let values = rows(500, 1);
    let weights = random_weights(500, 2);
    let points = Points::new(&values, COLUMNS).unwrap();
    let preparation =
        Preparation::fit(points, &weights, &options(Scaling::Standard, None, 0.0)).unwrap();
    let prepared = preparation.apply(points).unwrap();
    for j in 0..COLUMNS {
        let mean: f64 =
            prepared.chunks(COLUMNS).zip(weights.as_slice()).map(|(z, w)| w * z[j]).sum();
        // The centre 1e3 of column 1 is rounded at 1e-13, a 1e-14th of its spread.
        assert!(mean.abs() < 1e-13, "{mean}");
        assert!((slow_covariance(&prepared, &weights, j, j) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn robust_scaling_gives_median_0_and_a_normal_interquartile_range() {
    // 101 values in some order: the quartiles of 0 … 100 are 25, 50 and 75.
    let values: Vec<f64> = (0..101).map(|i| f64::from(i * 37 % 101)).collect();
    let preparation = fit(&values, 1, &options(Scaling::Robust, None, 0.0));
    assert_eq!(preparation.centre, [50.0]);
    assert!((preparation.scale[0] - 50.0 / 1.349).abs() < 1e-13);
    // A single outlier, however far, moves neither.
    let mut wild = values.clone();
    let last = values.iter().position(|x| *x == 100.0).unwrap();
    wild[last] = 1e300;
    let robust = fit(&wild, 1, &options(Scaling::Robust, None, 0.0));
    assert_eq!(robust.centre, [50.0]);
    assert!((robust.scale[0] - preparation.scale[0]).abs() < 1e-13);
}

#[test]
fn robust_scaling_falls_back_to_the_deviation() {
    let mut values = vec![3.0; 99];
    values.push(13.0);
    let preparation = fit(&values, 1, &options(Scaling::Robust, None, 0.0));
    // One of 100 values 10 away: variance 0.01 · 0.99 · 100.
    assert_eq!(preparation.centre, [3.0]);
    assert!((preparation.scale[0] - 0.99_f64.sqrt()).abs() < 1e-13);
}

#[test]
fn values_are_clipped_after_scaling() {
    let values = rows(300, 3);
    let clipped = fit(&values, COLUMNS, &options(Scaling::Standard, Some(1.5), 0.0));
    let free = fit(&values, COLUMNS, &options(Scaling::Standard, None, 0.0));
    let points = Points::new(&values, COLUMNS).unwrap();
    let preparation = clipped.clone();
    let (clipped, free) = (clipped.apply(points).unwrap(), free.apply(points).unwrap());
    let beyond = |f: f64| f.signum() * 1.5 * (1.0 + (f.abs() / 1.5).ln());
    for (&c, &f) in clipped.iter().zip(&free) {
        let expected = if f.abs() <= 1.5 { f } else { beyond(f) };
        assert!((c - expected).abs() < 1e-15 * f.abs().max(1.0), "{c} for {f}");
    }
    assert!(free.iter().any(|f| *f > 1.5) && free.iter().any(|f| *f < -1.5));
    // Order is kept, far away too.
    let far: Vec<f64> = [1e3, 1e9, 1e300].map(|x| preparation.scaled(0, x)).to_vec();
    assert!(far.is_sorted() && far[0] < far[1] && far[1] < far[2], "{far:?}");
}

#[test]
fn constant_columns_stay_outside() {
    // Columns: constant, varying, constant up to rounding, varying.
    let values: Vec<f64> = (0..20)
        .flat_map(|i| {
            let x = f64::from(i);
            [7.5, x, 1e6 + 1e-7 * (x % 2.0), -x * x]
        })
        .collect();
    let preparation = fit(&values, 4, &PrepareOptions::default());
    assert_eq!((preparation.input_columns(), preparation.dimension()), (4, 2));
    assert_eq!(preparation.kept, [1, 3]);
    assert_eq!(preparation.constant_columns()[0], ConstantColumn { index: 0, value: 7.5 });
    assert_eq!(preparation.constant_columns()[1].index, 2);
    for row in values.chunks(4) {
        assert!(preparation.departures(row).is_empty());
    }
    assert_eq!(preparation.departures(&[7.5, 0.0, 1e6 + 1.0, 0.0]), [2]);
    assert_eq!(preparation.departures(&[7.6, 0.0, -1e6, 0.0]), [0, 2]);
    assert_eq!([0, 1, 2, 3].map(|column| preparation.varies(column)), [false, true, false, true]);
}

#[test]
fn all_constant_columns_leave_a_single_zero() {
    for whitening in [0.0, 0.5] {
        let options = PrepareOptions::new().whitening(whitening);
        let preparation = fit(&[1.0, 0.0, 1.0, 0.0], 2, &options);
        assert_eq!(preparation.dimension(), 1);
        let points = Points::new(&[1.0, 0.0, 2.0, 3.0], 2).unwrap();
        assert_eq!(preparation.apply(points).unwrap(), [0.0, 0.0]);
        assert_eq!(preparation.restore(&[0.3]), [1.0, 0.0]);
        assert_eq!(preparation.departures(&[2.0, 3.0]), [0, 1]);
    }
}

#[test]
fn columns_that_move_together_count_once_and_a_break_with_that_counts_more() {
    let values: Vec<f64> = (0..50).flat_map(|i| [f64::from(i), f64::from(2 * i)]).collect();
    let preparation = fit(&values, 2, &options(Scaling::Standard, None, 0.5));
    assert!(preparation.is_whitened());
    let at = |y: [f64; 2]| {
        let row = [0, 1].map(|j| preparation.centre[j] + preparation.scale[j] * y[j]);
        let mut z = [0.0; 2];
        preparation.apply_row(&row, &mut z);
        z
    };
    // Eigenvalues 2 and 0, shrunk by a tenth to 1.9 and 0.1.
    for (y, eigenvalue) in [([3.0, 3.0], 1.9_f64), ([3.0, -3.0], 0.1)] {
        let (z, expected) = (at(y), y.map(|y| y / eigenvalue.sqrt()));
        assert!((0..2).all(|j| (z[j] - expected[j]).abs() < 1e-12), "{z:?} {expected:?}");
    }
}

#[test]
fn restoring_undoes_applying() {
    let values = rows(100, 7);
    for scaling in [Scaling::None, Scaling::Standard, Scaling::Robust] {
        for whitening in [0.0, 0.25, 0.5] {
            let preparation = fit(&values, COLUMNS, &options(scaling, None, whitening));
            let mut prepared = vec![0.0; COLUMNS];
            for row in values.chunks(COLUMNS) {
                preparation.apply_row(row, &mut prepared);
                for (j, (x, y)) in row.iter().zip(preparation.restore(&prepared)).enumerate() {
                    // Without scaling, column 2 is 1e-3 small beside the rotation's 1e3.
                    assert!((x - y).abs() < 1e-11, "{scaling:?} {whitening} {j}: {x} {y}");
                }
            }
        }
    }
}

#[test]
fn weights_are_copies() {
    let values = rows(60, 8);
    let copies: Vec<usize> = (0..60).map(|i| i % 4).collect();
    let raw: Vec<f64> = copies.iter().map(|&c| c as f64).collect();
    let copied: Vec<f64> =
        values.chunks(COLUMNS).zip(&copies).flat_map(|(row, &c)| row.repeat(c)).collect();
    let points = Points::new(&values, COLUMNS).unwrap();
    for scaling in [Scaling::Standard, Scaling::Robust] {
        let options = options(scaling, Some(3.0), 0.25);
        let weighted = Preparation::fit(points, &Weights::new(&raw).unwrap(), &options).unwrap();
        let copied = fit(&copied, COLUMNS, &options);
        let (a, b) = (weighted.apply(points).unwrap(), copied.apply(points).unwrap());
        // A few roundings of 1e-16 each, relative to values of about 1.
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}

#[test]
fn a_large_offset_costs_no_accuracy() {
    // Multiples of 2^−4 around 2^30 are exact, so the deviation must not feel the offset.
    let near: Vec<f64> = (0..1000).map(|i| f64::from(i * 37 % 101) / 16.0).collect();
    let far: Vec<f64> = near.iter().map(|x| x + (1_u64 << 30) as f64).collect();
    let options = options(Scaling::Standard, None, 0.0);
    let (near, far) = (fit(&near, 1, &options), fit(&far, 1, &options));
    assert!((near.scale[0] / far.scale[0] - 1.0).abs() < 1e-13);
}

#[test]
fn extreme_magnitudes_stay_finite_and_keep_their_shape() {
    let base = rows(80, 9);
    for scaling in [Scaling::Standard, Scaling::Robust] {
        for whitening in [0.0, 0.5] {
            let options = options(scaling, None, whitening);
            let expected =
                fit(&base, COLUMNS, &options).apply(Points::new(&base, COLUMNS).unwrap()).unwrap();
            for scale in [2_f64.powi(-900), 2_f64.powi(660), 2_f64.powi(1013)] {
                let values: Vec<f64> = base.iter().map(|x| x * scale).collect();
                let preparation = fit(&values, COLUMNS, &options);
                let found = preparation.apply(Points::new(&values, COLUMNS).unwrap()).unwrap();
                assert_eq!(found, expected, "{scaling:?} {scale}");
            }
        }
    }
    let ends = [f64::MAX, f64::MAX, f64::MAX, -f64::MAX];
    let preparation = fit(&ends, 1, &options(Scaling::Standard, None, 0.0));
    let prepared = preparation.apply(Points::new(&ends, 1).unwrap()).unwrap();
    // Three values and one: (1, 1, 1, −3)/√3.
    assert!((prepared[3] + 3_f64.sqrt()).abs() < 1e-14, "{prepared:?}");
    let unscaled = fit(&[1e-170, 3e-170, 2e-170], 1, &options(Scaling::None, None, 0.5));
    let whitened = unscaled.apply(Points::new(&[3e-170], 1).unwrap()).unwrap();
    assert!((whitened[0] - 1.5_f64.sqrt()).abs() < 1e-14);
    let far = fit(&[0.0, 1e-9], 1, &options(Scaling::Standard, None, 0.0));
    let prepared = far.apply(Points::new(&[f64::MAX, -f64::MAX], 1).unwrap()).unwrap();
    assert_eq!(prepared, [LARGEST, -LARGEST]);
}

#[test]
fn a_row_alone_and_in_a_batch_give_the_same_bits() {
    let values = rows(1000, 10);
    for whitening in [0.0, 0.3] {
        let preparation = fit(&values, COLUMNS, &options(Scaling::Standard, Some(2.0), whitening));
        let batch = preparation.apply(Points::new(&values, COLUMNS).unwrap()).unwrap();
        let mut alone = vec![0.0; COLUMNS];
        for (row, prepared) in values.chunks(COLUMNS).zip(batch.chunks(COLUMNS)) {
            preparation.apply_row(row, &mut alone);
            assert_eq!(alone, prepared);
        }
    }
}

#[test]
fn bad_options_and_shapes_are_named() {
    let points = Points::new(&[1.0, 2.0], 1).unwrap();
    let fit = |weights: &Weights, clip, whitening| {
        Preparation::fit(points, weights, &options(Scaling::Standard, clip, whitening))
    };
    let two = Weights::equal(2);
    let name = |result: Result<Preparation>| match result {
        Err(Error::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(fit(&two, Some(0.0), 0.0)), "clip");
    assert_eq!(name(fit(&two, Some(f64::NAN), 0.0)), "clip");
    assert_eq!(name(fit(&two, None, 0.6)), "whitening");
    assert_eq!(name(fit(&two, None, f64::NAN)), "whitening");
    assert!(matches!(fit(&Weights::equal(3), None, 0.0), Err(Error::WrongLength { .. })));
    let fitted = fit(&two, None, 0.0).unwrap();
    let wide = Points::new(&[1.0, 2.0], 2).unwrap();
    assert_eq!(fitted.apply(wide), Err(Error::WrongColumns { expected: 1, found: 2 }));
}

#[test]
fn options_are_read_by_their_names() {
    let read: PrepareOptions = serde_json::from_str(r#"{"scaling":"robust"}"#).unwrap();
    assert_eq!(read, options(Scaling::Robust, Some(5.0), 0.5));
    assert!(serde_json::from_str::<PrepareOptions>(r#"{"clipp":1}"#).is_err());
}
