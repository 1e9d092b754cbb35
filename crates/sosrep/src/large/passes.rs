//! Fitting random features by passes over batches: rows are never in memory at once.
//!
//! ```text
//! f = Σ_t θ_t ψ_t            natural gradient in θ:   θ ← θ − 2λ [θ − Σ_i w_i ψ(x_i) / f(x_i)]
//! ```
//!
//! The bracket's sum is all a step needs of the data, and it adds over batches and machines:
//! `partial` on every batch, `merge`, one `step`. The first two passes make the start
//! α = w / √(Kw); the following ones use the step and momentum of the exact solver.
//!
//! Cost: a few times T·d a row and pass. Memory: a few vectors of T numbers.
//!
//! Numerics: f(x_i) is floored at √(0.05 w_i): for non-negative kernels f(x_i)² ≥ w_i k(x_i, x_i) at
//! the optimum, so the floor binds only on the way, or where the noise of the features makes f
//! negative.
//!
//! Differs from the paper: it forms the matrix of all pairs.

use serde::{Deserialize, Serialize};

use crate::density::{Density, FeatureForm};
use crate::error::{Error, Result};
use crate::gram::FeatureGram;
use crate::kernel::FourierFeatures;
use crate::lanes::dot;
use crate::points::{Points, expect_length};
use crate::solve::{FLOOR, MOMENTUM, STEP};

/// A density of random features on its way to convergence.
#[derive(Debug, Clone)]
pub struct FeatureFit {
    features: FourierFeatures,
    theta: Vec<f64>,
    previous: Vec<f64>,
    total_weight: f64,
    pass: usize,
}

/// What one pass over some rows found. Plain sums: merge them in any grouping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassStatistics {
    /// The pass these belong to.
    pub pass: usize,
    /// Σ w_i ψ(x_i) h(f(x_i)), with h as the pass needs it.
    pub sum: Vec<f64>,
    /// Σ w_i.
    pub weight: f64,
    /// Σ w_i log f(x_i)².
    pub log_likelihood: f64,
    /// Number of rows.
    pub rows: u64,
    /// Number of rows with f(x_i) < 0.
    pub negative: u64,
}

impl PassStatistics {
    /// Adds the statistics of other rows of the same pass.
    ///
    /// # Errors
    /// [`Error::Parameter`] if they are of another pass, [`Error::WrongLength`] if of other
    /// features.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if other.pass != self.pass {
            return Err(Error::parameter("pass", other.pass, "that of the statistics merged into"));
        }
        expect_length("statistics", &other.sum, self.sum.len())?;
        self.sum.iter_mut().zip(&other.sum).for_each(|(a, b)| *a += b);
        self.weight += other.weight;
        self.log_likelihood += other.log_likelihood;
        self.rows += other.rows;
        self.negative += other.negative;
        Ok(())
    }
}

/// Where the fit is after a step.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PassReport {
    /// Passes made.
    pub pass: usize,
    /// ‖θ − Σ w_i ψ(x_i)/f(x_i)‖ / ‖θ‖ before the step; infinite in the two passes of the start.
    pub residual: f64,
    /// ‖θ‖² − Σ w_i log f(x_i)² before the step; means nothing in the first pass, where f = 0.
    pub objective: f64,
    /// Share of rows with f(x_i) < 0 before the step.
    pub negative_fraction: f64,
}

impl FeatureFit {
    /// A fit that has seen no rows.
    pub fn new(features: FourierFeatures) -> Self {
        let zeros = vec![0.0; features.count()];
        Self { features, theta: zeros.clone(), previous: zeros, total_weight: 0.0, pass: 0 }
    }

    /// The sums of one batch. Weights are relative, on the same scale for all batches; 1 if `None`.
    ///
    /// # Errors
    /// Rows of another dimension, weights of another length or negative.
    pub fn partial(&self, points: Points, weights: Option<&[f64]>) -> Result<PassStatistics> {
        points.expect_columns(self.features.dimension())?;
        let ones = vec![1.0; if weights.is_none() { points.rows() } else { 0 }];
        let weights = weights.unwrap_or(&ones);
        expect_length("weights", weights, points.rows())?;
        if let Some(row) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
            return Err(Error::BadWeight { row, value: weights[row] });
        }
        let form = FeatureForm::new(self.features.clone(), self.theta.clone())?;
        let values = Density::from(form).values(points)?;
        let factors: Vec<f64> =
            values.iter().zip(weights).map(|(f, w)| self.factor(*f, *w)).collect();
        let gram = FeatureGram::new(&self.features, points, 0)?;
        let counted = values.iter().zip(weights).filter(|(_, w)| **w > 0.0);
        let log_squares = counted.map(|(f, w)| w * (f * f).ln());
        Ok(PassStatistics {
            pass: self.pass,
            sum: gram.coefficients(&factors),
            weight: weights.iter().sum(),
            log_likelihood: if self.pass == 0 { 0.0 } else { log_squares.sum() },
            rows: points.rows() as u64,
            negative: values.iter().filter(|f| **f < 0.0).count() as u64,
        })
    }

    /// w h(f): h is 1 in the first pass, 1/√f in the second, 1/f after.
    fn factor(&self, f: f64, w: f64) -> f64 {
        let share = w / self.total_weight;
        match self.pass {
            _ if w == 0.0 => 0.0,
            0 => w,
            // f here is (Kw)(x_i), to which the row itself gives w_i.
            1 => w / f.max(FLOOR * share).sqrt(),
            _ => w / f.max((FLOOR * share).sqrt()),
        }
    }

    /// Moves θ by what a whole pass found.
    ///
    /// # Errors
    /// Statistics of another pass or other features; [`Error::NoRows`], [`Error::ZeroWeights`].
    pub fn step(&mut self, found: &PassStatistics) -> Result<PassReport> {
        if found.pass != self.pass {
            return Err(Error::parameter("pass", found.pass, "that of the fit"));
        }
        expect_length("statistics", &found.sum, self.theta.len())?;
        if found.rows == 0 {
            return Err(Error::NoRows);
        }
        if found.weight == 0.0 {
            return Err(Error::ZeroWeights);
        }
        if !found.weight.is_finite() {
            return Err(Error::parameter("the sum of the weights", found.weight, "finite"));
        }
        self.total_weight = found.weight;
        let target: Vec<f64> = found.sum.iter().map(|sum| sum / found.weight).collect();
        let report = self.report(found, &target);
        let next = if self.pass < 2 {
            target.clone()
        } else {
            let moves = self.theta.iter().zip(&target).zip(&self.previous);
            moves.map(|((t, g), before)| t + STEP * (g - t) + MOMENTUM * (t - before)).collect()
        };
        self.previous = std::mem::replace(&mut self.theta, next);
        if self.pass < 2 {
            self.previous.clone_from(&self.theta);
        }
        self.pass += 1;
        Ok(report)
    }

    fn report(&self, found: &PassStatistics, target: &[f64]) -> PassReport {
        let norm = dot(&self.theta, &self.theta);
        let gap: f64 = self.theta.iter().zip(target).map(|(t, g)| (t - g) * (t - g)).sum();
        PassReport {
            pass: self.pass + 1,
            residual: if self.pass < 2 { f64::INFINITY } else { (gap / norm).sqrt() },
            objective: norm - found.log_likelihood / found.weight,
            negative_fraction: found.negative as f64 / found.rows as f64,
        }
    }

    /// The density as it is now.
    ///
    /// # Errors
    /// [`Error::NotFiniteEntry`] if the coefficients diverged.
    pub fn finish(self) -> Result<Density> {
        Ok(FeatureForm::new(self.features, self.theta)?.into())
    }
}
