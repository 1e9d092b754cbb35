//! Tests of the metric: closed forms, slow twins, invariances.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

/// Weighted rows of numbers that depend on each other.
fn dependent(rows: usize, columns: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut values = Vec::new();
    for _ in 0..rows {
        let mut walk = 0.0;
        for _ in 0..columns {
            walk += rng.random::<f64>() - 0.5;
            values.push(walk);
        }
    }
    let weights: Vec<f64> = (0..rows).map(|_| 0.1 + rng.random::<f64>()).collect();
    let total: f64 = weights.iter().sum();
    (values, weights.iter().map(|w| w / total).collect())
}

/// The map as a matrix, column by column.
fn matrix(whitening: &Whitening) -> DMatrix<f64> {
    let d = whitening.mean.len();
    let mut rows: Vec<f64> = (0..d).flat_map(|_| whitening.mean.clone()).collect();
    (0..d).for_each(|j| rows[j * d + j] += 1.0);
    DMatrix::from_column_slice(d, d, &mapped(whitening, &rows, &vec![Vec::new(); d]))
}

fn mapped(whitening: &Whitening, rows: &[f64], missing: &[Vec<usize>]) -> Vec<f64> {
    let mut z = vec![0.0; rows.len()];
    whitening.map(&mut rows.to_vec(), missing, &mut z);
    z
}

/// Σ_γ of numbers, straight from its definition.
fn slow_shrunk(values: &[f64], weights: &[f64], d: usize) -> DMatrix<f64> {
    let mean = |j: usize| values.chunks(d).zip(weights).map(|(y, w)| w * y[j]).sum::<f64>();
    let of_pair = |i, j| {
        let (a, b) = (mean(i), mean(j));
        values.chunks(d).zip(weights).map(|(y, w)| w * (y[i] - a) * (y[j] - b)).sum::<f64>()
    };
    let sigma = DMatrix::from_fn(d, d, of_pair);
    let ridge = 0.1 * sigma.trace() / d as f64;
    0.9 * sigma + ridge * DMatrix::identity(d, d)
}

fn numbers(d: usize) -> Vec<Block> {
    vec![Block::Number; d]
}

#[test]
fn it_is_the_symmetric_root_of_the_inverse_of_the_shrunk_covariance() {
    // More rows than columns, and fewer.
    for (rows, d) in [(60, 5), (4, 7)] {
        let (values, weights) = dependent(rows, d, 1);
        let map =
            |power| matrix(&Whitening::fit(&values, &weights, &numbers(d), power, 0.0).unwrap());
        let (half, quarter) = (map(0.5), map(0.25));
        assert!((&half - half.transpose()).amax() < 1e-11);
        let unit = &half * slow_shrunk(&values, &weights, d) * &half;
        assert!((unit - DMatrix::identity(d, d)).amax() < 1e-10);
        assert!((&quarter * &quarter - half).amax() < 1e-10);
    }
}

#[test]
fn the_order_of_the_columns_does_not_matter() {
    let (rows, d) = (40, 5);
    let (values, weights) = dependent(rows, d, 2);
    let order = [3, 0, 4, 1, 2];
    let moved: Vec<f64> = values.chunks(d).flat_map(|row| order.map(|j| row[j])).collect();
    let fit = |values: &[f64]| Whitening::fit(values, &weights, &numbers(d), 0.5, 0.0).unwrap();
    let (plain, moved) = (matrix(&fit(&values)), matrix(&fit(&moved)));
    for k in 0..d {
        for l in 0..d {
            assert!((moved[(k, l)] - plain[(order[k], order[l])]).abs() < 1e-10);
        }
    }
}

/// Numbers, a category of three values and a gap.
fn mixed() -> (Vec<f64>, Vec<f64>, Vec<Block>) {
    let (numbers, weights) = dependent(80, 2, 3);
    let row = |(i, y): (usize, &[f64])| {
        let value = usize::from(y[0] > 0.0) + usize::from(i % 3 == 0);
        let gap = f64::from(u8::from(i % 7 == 0));
        let coordinate = |k: usize| if k == value { 0.9 } else { 0.0 };
        [y[0], y[1], coordinate(0), coordinate(1), coordinate(2), gap]
    };
    let values = numbers.chunks(2).enumerate().flat_map(row).collect();
    let category = Block::Category { column: 2, unit: std::f64::consts::SQRT_2 };
    let blocks = vec![Block::Number, Block::Number, category, category, category, Block::Gap];
    (values, weights, blocks)
}

#[test]
fn mapping_back_undoes_mapping_and_the_determinant_is_that_of_the_map() {
    let (values, weights, blocks) = mixed();
    for power in [0.1, 0.5] {
        let whitening = Whitening::fit(&values, &weights, &blocks, power, 0.0).unwrap();
        let z = mapped(&whitening, &values, &vec![Vec::new(); 80]);
        for (y, z) in values.chunks(6).zip(z.chunks(6)) {
            let back = whitening.map_back(z);
            assert!(y.iter().zip(&back).all(|(y, back)| (y - back).abs() < 1e-12));
        }
        let determinant = matrix(&whitening).determinant().abs().ln();
        assert!((whitening.log_determinant() - determinant).abs() < 1e-11);
    }
}

#[test]
fn gaps_stand_alone_and_so_do_categories_among_very_many_coordinates() {
    let (values, weights, blocks) = mixed();
    let is_alone = |map: &DMatrix<f64>, j: usize| {
        (0..map.nrows()).all(|k| k == j || map[(j, k)].abs() < 1e-12 && map[(k, j)].abs() < 1e-12)
    };
    let map = matrix(&Whitening::fit(&values, &weights, &blocks, 0.5, 0.0).unwrap());
    assert_eq!(
        [0, 1, 2, 3, 4, 5].map(|j| is_alone(&map, j)),
        [false, false, false, false, false, true]
    );

    let extra = WIDEST_MIXED;
    let (numbers, _) = dependent(80, extra, 4);
    let wide: Vec<f64> = numbers
        .chunks(extra)
        .zip(values.chunks(6))
        .flat_map(|(numbers, mixed)| [numbers, mixed].concat())
        .collect();
    let blocks = [vec![Block::Number; extra], blocks].concat();
    let map = matrix(&Whitening::fit(&wide, &weights, &blocks, 0.5, 0.0).unwrap());
    let alone: Vec<usize> = (0..extra + 6).filter(|&j| is_alone(&map, j)).collect();
    assert_eq!(alone, (extra + 2..extra + 6).collect::<Vec<usize>>());
}

#[test]
fn missing_numbers_stand_where_the_others_have_them_on_average() {
    let d = 4;
    let (values, weights) = dependent(60, d, 5);
    let whitening = Whitening::fit(&values, &weights, &numbers(d), 0.5, 0.0).unwrap();
    let precision = matrix(&whitening).pow(2);
    let row = [0.3, -0.2, 5.0, 0.7];
    let z = mapped(&whitening, &row, &[vec![2]]);
    let found = whitening.map_back(&z);
    // The conditional mean: −Σ_{k ≠ 2} P_2k (y_k − ȳ_k) / P_22 above its mean.
    let others = [0, 1, 3].map(|k| precision[(2, k)] * (row[k] - whitening.mean[k]));
    let expected = whitening.mean[2] - others.iter().sum::<f64>() / precision[(2, 2)];
    assert!((found[2] - expected).abs() < 1e-10, "{} {expected}", found[2]);
    assert!([0, 1, 3].iter().all(|&k| (found[k] - row[k]).abs() < 1e-12));

    // Two at once, one at a time: no other place for them is much nearer.
    let z = mapped(&whitening, &row, &[vec![1, 2]]);
    let length = |z: &[f64]| z.iter().map(|z| z * z).sum::<f64>();
    let (found, least) = (whitening.map_back(&z), length(&z));
    for step in [-0.01, 0.01] {
        for j in [1, 2] {
            let mut other = found.clone();
            other[j] += step;
            assert!(length(&mapped(&whitening, &other, &[vec![]])) > least);
        }
    }
}

#[test]
fn rows_alone_and_together_give_the_same_bits() {
    let (values, weights, blocks) = mixed();
    let whitening = Whitening::fit(&values, &weights, &blocks, 0.5, 0.0).unwrap();
    let missing: Vec<Vec<usize>> = (0..80).map(|i| vec![1; usize::from(i % 7 == 0)]).collect();
    let together = mapped(&whitening, &values, &missing);
    for (i, row) in values.chunks(6).enumerate() {
        let alone = mapped(&whitening, row, std::slice::from_ref(&missing[i]));
        assert_eq!(alone, together[i * 6..][..6]);
    }
}

#[test]
fn a_number_that_hardly_varies_is_not_blown_up() {
    let d = 3;
    let (mut values, weights) = dependent(60, d, 6);
    values.chunks_mut(d).for_each(|row| row[1] *= 1e-3);
    let map = |least| matrix(&Whitening::fit(&values, &weights, &numbers(d), 0.5, least).unwrap());
    let variance = slow_shrunk(&values, &weights, d).diagonal().sum() / 3.0;
    assert!(map(0.0)[(1, 1)] > 1.5, "{} {variance}", map(0.0));
    let steady = map(1e-4);
    assert!(steady[(1, 1)] <= 1.1 && steady[(0, 1)] == 0.0 && steady[(1, 2)] == 0.0, "{steady}");
}
