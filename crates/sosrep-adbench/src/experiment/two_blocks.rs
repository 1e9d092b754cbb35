//! Two clusters as two blocks of the kernel matrix: where SOSREP and KDE differ by any factor.
//!
//! Paper: supplement, "Difference between SOSREP and KDE Models", Proposition "kde_iner_diff_cor".
//!
//! ```text
//! k = 1 on the diagonal,  γ² within the first block (N rows),  γ′² within the second (M rows),
//!     β γ γ′ between them
//! N = M:   f²(x) / f²(x′) = (1 + (N−1) γ²) / (1 + (N−1) γ′²)  →  γ² / γ′²      for every β
//! KDE:     p(x) / p(x′)   = (1 + (N−1) γ² + M βγγ′) / (1 + (M−1) γ′² + N βγγ′)
//! ```
//!
//! By symmetry α is a on the first block and b on the second, with a·f(x) = b·f(x′) = w; the two
//! equations subtracted give a² (1 + (N−1) γ²) = b² (1 + (N−1) γ′²) when N = M, and f = w / a.
//!
//! Differs from the paper: it writes f for the density in the proposition; the ratio above is that of
//! f², the density. Blocks of unequal size are solved too: there the ratio does depend on β.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sosrep::Weights;
use sosrep::gram::KernelProduct;
use sosrep::solve::{SolveOptions, solve};

use super::{Watch, table, tell};
use crate::error::Result;

/// The pairs γ, γ′.
const PAIRS: [(f64, f64); 3] = [(0.9, 0.6), (0.8, 0.4), (0.9, 0.3)];
/// The sizes N, M.
const SIZES: [(usize, usize); 4] = [(5, 5), (50, 50), (500, 500), (50, 150)];
/// The values β = 0, 0.05, … 0.95.
const STEPS: u32 = 20;

/// Two blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blocks {
    /// Rows of the first block, N.
    pub first: usize,
    /// Rows of the second block, M.
    pub second: usize,
    /// γ; the kernel is γ² within the first block.
    pub gamma: f64,
    /// γ′; the kernel is γ′² within the second block.
    pub gamma_prime: f64,
    /// β; the kernel is βγγ′ between the blocks.
    pub beta: f64,
}

impl Blocks {
    fn between(&self) -> f64 {
        self.beta * self.gamma * self.gamma_prime
    }

    /// 1 + (N−1) γ² and 1 + (M−1) γ′²: what a row sees of its own block.
    fn within(&self) -> (f64, f64) {
        let sum = |rows: usize, value: f64| 1.0 + (rows as f64 - 1.0) * value * value;
        (sum(self.first, self.gamma), sum(self.second, self.gamma_prime))
    }

    /// f²(x) / f²(x′) in closed form, for blocks of equal size.
    pub fn closed_form(&self) -> Option<f64> {
        let (first, second) = self.within();
        (self.first == self.second).then_some(first / second)
    }

    /// The ratio of the densities by KDE.
    pub fn kde(&self) -> f64 {
        let (first, second) = self.within();
        let from_second = self.second as f64 * self.between();
        let from_first = self.first as f64 * self.between();
        (first + from_second) / (second + from_first)
    }

    /// f²(x) / f²(x′) by the solver, and its residual.
    ///
    /// # Errors
    /// None for blocks of at least one row.
    pub fn solved(&self) -> Result<(f64, f64)> {
        let weights = Weights::equal(self.rows());
        let options = SolveOptions::new().tolerance(1e-14);
        let solution = solve(self, &weights, &options)?;
        let ratio = solution.values[0] / solution.values[self.first];
        Ok((ratio * ratio, solution.report.residual))
    }
}

impl KernelProduct for Blocks {
    fn rows(&self) -> usize {
        self.first + self.second
    }

    fn multiply(&self, vector: &[f64], product: &mut [f64]) {
        let sum = |part: &[f64]| part.iter().sum::<f64>();
        let (first, second) = (sum(&vector[..self.first]), sum(&vector[self.first..]));
        for (i, (out, x)) in product.iter_mut().zip(vector).enumerate() {
            let (gamma, own, other) = match i < self.first {
                true => (self.gamma, first, second),
                false => (self.gamma_prime, second, first),
            };
            *out = x + gamma * gamma * (own - x) + self.between() * other;
        }
    }

    fn diagonal(&self, _: usize) -> f64 {
        1.0
    }
}

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Row {
    gamma: f64,
    gamma_prime: f64,
    first_rows: usize,
    second_rows: usize,
    beta: f64,
    solved: f64,
    closed_form: Option<f64>,
    kde: f64,
    residual: f64,
}

impl Row {
    fn of(blocks: &Blocks) -> Result<Self> {
        let (solved, residual) = blocks.solved()?;
        Ok(Self {
            gamma: blocks.gamma,
            gamma_prime: blocks.gamma_prime,
            first_rows: blocks.first,
            second_rows: blocks.second,
            beta: blocks.beta,
            solved,
            closed_form: blocks.closed_form(),
            kde: blocks.kde(),
            residual,
        })
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join("two-blocks.csv")
}

/// Solves every pair, size and β.
pub(super) fn run(folder: &Path, watch: Watch) -> Result<()> {
    let mut rows = Vec::new();
    for (done, (gamma, gamma_prime)) in PAIRS.into_iter().enumerate() {
        tell(watch, "blocks", done, PAIRS.len())?;
        for (first, second) in SIZES {
            for step in 0..STEPS {
                let beta = f64::from(step) / f64::from(STEPS);
                rows.push(Row::of(&Blocks { first, second, gamma, gamma_prime, beta })?);
            }
        }
    }
    table::write(&file(folder), &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solver_finds_the_closed_form_whatever_the_blocks() {
        for (gamma, gamma_prime) in PAIRS {
            for rows in [2, 7, 60] {
                for beta in [0.0, 0.3, 0.95] {
                    let blocks = Blocks { first: rows, second: rows, gamma, gamma_prime, beta };
                    let (solved, _) = blocks.solved().unwrap();
                    let closed = blocks.closed_form().unwrap();
                    assert!((solved / closed - 1.0).abs() < 1e-10, "{blocks:?}: {solved} {closed}");
                }
            }
        }
    }

    #[test]
    fn products_and_kde_are_those_of_the_matrix_written_out() {
        let blocks = Blocks { first: 3, second: 5, gamma: 0.8, gamma_prime: 0.4, beta: 0.5 };
        let entry = |i: usize, j: usize| match (i == j, i < 3, j < 3) {
            (true, _, _) => 1.0,
            (_, true, true) => 0.64,
            (_, false, false) => 0.16,
            _ => 0.16_f64,
        };
        let vector: Vec<f64> = (0..8).map(|i| f64::from(i * i) - 7.0).collect();
        let mut product = vec![0.0; 8];
        blocks.multiply(&vector, &mut product);
        for (i, found) in product.iter().enumerate() {
            let expected: f64 = (0..8).map(|j| entry(i, j) * vector[j]).sum();
            assert!((found - expected).abs() < 1e-12);
        }
        let sum = |i: usize| (0..8).map(|j| entry(i, j)).sum::<f64>();
        assert!((blocks.kde() - sum(0) / sum(7)).abs() < 1e-14);
    }

    #[test]
    fn only_blocks_of_equal_size_have_a_ratio_without_beta() {
        let ratio = |second, beta| {
            let blocks = Blocks { first: 50, second, gamma: 0.8, gamma_prime: 0.4, beta };
            blocks.solved().unwrap().0
        };
        assert!((ratio(50, 0.0) - ratio(50, 0.9)).abs() < 1e-10);
        assert!((ratio(150, 0.0) - ratio(150, 0.9)).abs() > 0.1);
    }
}
