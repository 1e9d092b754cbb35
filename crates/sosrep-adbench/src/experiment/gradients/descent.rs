//! Both gradients from many starts at once: the starts are the columns of one matrix.
//!
//! ```text
//! natural     α ← α − 2λ [α − w / (Kα)]               one product a step
//! standard    α ← α − 2λ [Kα − K (w / (Kα))]          two products a step
//! ```
//!
//! A start whose values leave the finite numbers has diverged: its last finite values are kept and
//! it costs nothing from there on. Cost: 2 n² operations a product and start.

use std::ops::ControlFlow;

use nalgebra::DMatrix;
use rayon::prelude::*;

/// Rows multiplied by one thread at a time.
const BAND: usize = 128;

/// Which gradient, with its learning rate λ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Gradient {
    Natural(f64),
    Standard(f64),
}

/// Where a start ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct End {
    /// Share of the rows where f is negative.
    pub(super) negative: f64,
    /// Whether values left the finite numbers; the share is that of the step before.
    pub(super) diverged: bool,
}

/// K A, by bands of rows.
pub(super) fn product(kernel: &DMatrix<f64>, columns: &DMatrix<f64>) -> DMatrix<f64> {
    let (rows, count) = (kernel.nrows(), columns.ncols());
    let bands: Vec<DMatrix<f64>> = (0..rows.div_ceil(BAND))
        .into_par_iter()
        .map(|band| kernel.rows(band * BAND, BAND.min(rows - band * BAND)) * columns)
        .collect();
    let mut out = DMatrix::zeros(rows, count);
    for (band, part) in bands.iter().enumerate() {
        out.rows_mut(band * BAND, part.nrows()).copy_from(part);
    }
    out
}

/// The share of negative entries in each column.
pub(super) fn negative_shares(values: &DMatrix<f64>) -> Vec<f64> {
    let share = |column: &[f64]| {
        column.iter().filter(|value| **value < 0.0).count() as f64 / column.len() as f64
    };
    values.as_slice().chunks_exact(values.nrows()).map(share).collect()
}

/// Takes the steps; `watch` hears of each of them and may stop, which gives `None`.
pub(super) fn descend(
    kernel: &DMatrix<f64>,
    starts: &DMatrix<f64>,
    gradient: Gradient,
    steps: usize,
    watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Option<Vec<End>> {
    let mut alpha = starts.clone();
    let mut values = product(kernel, &alpha);
    let mut ends: Vec<End> = negative_shares(&values)
        .into_iter()
        .map(|negative| End { negative, diverged: false })
        .collect();
    // The start behind each column that is still moving.
    let mut moving: Vec<usize> = (0..starts.ncols()).collect();
    for step in 0..steps {
        if moving.is_empty() {
            break;
        }
        if watch(step).is_break() {
            return None;
        }
        move_once(kernel, &mut alpha, &values, gradient);
        values = product(kernel, &alpha);
        let shares = negative_shares(&values);
        let finite = |column: usize| {
            let is_finite =
                |matrix: &DMatrix<f64>| matrix.column(column).iter().all(|x| x.is_finite());
            is_finite(&alpha) && is_finite(&values)
        };
        let kept: Vec<usize> = (0..moving.len()).filter(|&column| finite(column)).collect();
        (0..moving.len()).for_each(|column| ends[moving[column]].diverged = true);
        for &column in &kept {
            ends[moving[column]] = End { negative: shares[column], diverged: false };
        }
        if kept.len() < moving.len() {
            moving = kept.iter().map(|&column| moving[column]).collect();
            alpha = alpha.select_columns(&kept);
            values = values.select_columns(&kept);
        }
    }
    Some(ends)
}

fn move_once(
    kernel: &DMatrix<f64>,
    alpha: &mut DMatrix<f64>,
    values: &DMatrix<f64>,
    gradient: Gradient,
) {
    let weight = 1.0 / kernel.nrows() as f64;
    let inverse = values.map(|f| weight / f);
    match gradient {
        Gradient::Natural(rate) => {
            alpha.zip_apply(&inverse, |a, target| *a -= 2.0 * rate * (*a - target));
        }
        Gradient::Standard(rate) => {
            let smoothed = product(kernel, &inverse);
            let rows = alpha.iter_mut().zip(values.iter()).zip(smoothed.iter());
            rows.for_each(|((a, f), s)| *a -= 2.0 * rate * (f - s));
        }
    }
}

/// The largest eigenvalue of a symmetric matrix, by power iteration from the vector of ones.
pub(super) fn largest_eigenvalue(kernel: &DMatrix<f64>) -> f64 {
    let mut vector = DMatrix::from_element(kernel.nrows(), 1, 1.0 / (kernel.nrows() as f64).sqrt());
    let mut value = 0.0;
    for _ in 0..100 {
        let next = product(kernel, &vector);
        value = next.norm();
        if value == 0.0 {
            break;
        }
        vector = next / value;
    }
    value
}

#[cfg(test)]
mod tests {
    use sosrep::solve::{SolveOptions, Solver, Start, solve};
    use sosrep::{Points, Weights, gram, kernel};

    use super::*;

    /// A Gaussian kernel matrix of rows on a line, and two starts.
    fn example() -> (Vec<f64>, kernel::Kernel, DMatrix<f64>, DMatrix<f64>) {
        let rows: Vec<f64> = (0..40).map(|i| (f64::from(i) * 0.618).fract() * 6.0).collect();
        let gaussian = kernel::Kernel::new(&kernel::KernelKind::Gaussian, 1, 0.3).unwrap();
        let matrix = DMatrix::from_fn(40, 40, |i, j| gaussian.value(&rows[i..=i], &rows[j..=j]));
        let starts = DMatrix::from_fn(40, 2, |i, j| 0.01 + ((i * 7 + j * 3) % 11) as f64 / 5.0);
        (rows, gaussian, matrix, starts)
    }

    fn go_on(_: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    #[test]
    fn natural_gradients_keep_the_cone_of_a_non_negative_kernel() {
        let (_, _, matrix, mut starts) = example();
        for rate in [0.01, 0.3, 0.49] {
            for end in descend(&matrix, &starts, Gradient::Natural(rate), 200, &mut go_on).unwrap()
            {
                assert_eq!(end, End { negative: 0.0, diverged: false }, "λ = {rate}");
            }
            starts.iter_mut().for_each(|a| *a = 1.0 / (0.1 + *a));
        }
    }

    #[test]
    fn both_gradients_are_those_of_the_solver() {
        let (rows, gaussian, matrix, starts) = example();
        // As the library keeps it.
        let matrix = matrix.map(|k| f64::from(k as f32));
        let points = Points::new(&rows, 1).unwrap();
        let gram = gram::Gram::new(&gaussian, points, gram::DEFAULT_MEMORY).unwrap();
        let rate = 0.02;
        for (gradient, solver) in [
            (Gradient::Natural(rate), Solver::NaturalStep(rate)),
            (Gradient::Standard(rate), Solver::StandardStep(rate)),
        ] {
            let mut alpha = starts.clone();
            for _ in 0..5 {
                let values = product(&matrix, &alpha);
                move_once(&matrix, &mut alpha, &values, gradient);
            }
            for column in 0..2 {
                let start = Start::Given(starts.column(column).iter().copied().collect());
                let options = SolveOptions::new()
                    .solver(solver)
                    .start(start)
                    .tolerance(0.0)
                    .max_iterations(5);
                let weights = Weights::equal(rows.len());
                let solution = solve(&gram, &weights, &options).unwrap();
                for (a, b) in alpha.column(column).iter().zip(&solution.alpha) {
                    assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{gradient:?}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn a_start_that_diverges_is_counted_and_the_others_go_on() {
        let (_, _, matrix, starts) = example();
        let ends = descend(&matrix, &starts, Gradient::Standard(5.0), 1000, &mut go_on).unwrap();
        assert!(ends.iter().all(|end| end.diverged && (0.0..=1.0).contains(&end.negative)));
        // A column of zeros has no inverse at all.
        let mut mixed = starts.clone();
        mixed.column_mut(0).fill(0.0);
        let ends = descend(&matrix, &mixed, Gradient::Natural(0.3), 50, &mut go_on).unwrap();
        assert!(ends[0].diverged && !ends[1].diverged);
        assert_eq!(
            descend(&matrix, &mixed, Gradient::Natural(0.3), 9, &mut |_| ControlFlow::Break(())),
            None
        );
    }

    #[test]
    fn the_largest_eigenvalue_is_that_of_the_decomposition() {
        let (_, _, matrix, _) = example();
        let expected = matrix.symmetric_eigenvalues().max();
        assert!((largest_eigenvalue(&matrix) / expected - 1.0).abs() < 1e-3);
    }
}
