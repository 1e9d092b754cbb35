//! The fitted pre-density: f, log f², ∇log p, 2Δf/f, and the normaliser that makes it a density.
//!
//! Paper: Section 3 (estimator), supplement "Fisher Divergence" (score).
//!
//! ```text
//! f(x) = Σ_i α_i k(x_i, x)          p(x) = f(x)² / ∫f²
//! ∇log p = 2 ∇f / f                 tr ∇²log p + ½ ‖∇log p‖² = 2 Δf / f
//! ∫f² = Σ_ij α_i α_j (k⋆k)(x_i − x_j)
//! ```
//!
//! The second identity is why Fisher divergence needs no derivative of a logarithm here. With
//! random features f = Σ_t θ_t ψ_t, ψ_t = √(2/T) cos(⟨z_t, x⟩ + β_t), all of it holds except the
//! normaliser: a sum of cosines has no integral.
//!
//! Cost: n·d a row; the normaliser n²·d once, on first use. Numerics: where f underflows, far from
//! all rows, it is summed again in logarithms, so that 10σ and 10⁶σ stay finite and ordered.
//!
//! Differs from the paper: the normaliser, which the paper leaves open.
//!
//! ```
//! use sosrep::{DensityParams, Points, kernel::KernelKind};
//!
//! let rows: Vec<f64> = (0..200).map(|i| (i as f64 * 0.754_877).fract()).collect();
//! let density = DensityParams::new()
//!     .kernel(KernelKind::Sdo)
//!     .bandwidth(0.2)
//!     .fit(Points::new(&rows, 1)?, None)?;
//!
//! // A true density: its integral over the line is one.
//! let grid: Vec<f64> = (-4000..5000).map(|i| i as f64 * 1e-3).collect();
//! let log_density = density.log_density(Points::new(&grid, 1)?)?;
//! let integral: f64 = log_density.iter().map(|l| l.exp() * 1e-3).sum();
//! assert!((integral - 1.0).abs() < 1e-3);
//! # Ok::<(), sosrep::Error>(())
//! ```

mod feature_form;
mod fit;
mod kernel_form;
mod refit;

pub use feature_form::FeatureForm;
pub(crate) use fit::{DensityFit, WeightedRows};
pub use kernel_form::KernelForm;
pub(crate) use refit::Refitter;

use crate::error::{Error, Result};
use crate::gram::Tiles;
use crate::monitor::{Monitor, no_progress};
use crate::parallel;
use crate::points::Points;
use crate::solve::FitReport;

/// f, ∇f and Δf at one point, all divided by e^`ln_scale` so that none underflows.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Jet {
    /// Logarithm of the common factor.
    pub ln_scale: f64,
    /// f.
    pub value: f64,
    /// ∇f, one entry per column.
    pub gradient: Vec<f64>,
    /// Δf = Σ_j ∂²f/∂x_j².
    pub laplacian: f64,
}

impl Jet {
    /// log f², finite: an exact zero counts as the smallest positive number.
    pub fn log_pre_density(&self) -> f64 {
        2.0 * (ln_abs(self.value) + self.ln_scale)
    }

    /// ∇log p = 2 ∇f / f.
    pub fn score_function(&self) -> Vec<f64> {
        self.gradient.iter().map(|g| 2.0 * g / self.value).collect()
    }

    /// 2 Δf / f = tr ∇²log p + ½ ‖∇log p‖².
    pub fn laplacian_ratio(&self) -> f64 {
        2.0 * self.laplacian / self.value
    }
}

/// ln|x| with ln 0 replaced by the logarithm of the smallest positive number.
pub(crate) fn ln_abs(x: f64) -> f64 {
    x.abs().max(f64::MIN_POSITIVE).ln()
}

/// A fitted density.
#[derive(Debug, Clone)]
pub struct Density {
    form: Form,
    report: Option<FitReport>,
}

/// How f is written down.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// f = Σ_i α_i k(x_i, ·).
    Kernel(KernelForm),
    /// f = Σ_t θ_t ψ_t.
    Features(FeatureForm),
}

impl From<KernelForm> for Density {
    fn from(form: KernelForm) -> Self {
        Self { form: Form::Kernel(form), report: None }
    }
}

impl From<FeatureForm> for Density {
    fn from(form: FeatureForm) -> Self {
        Self { form: Form::Features(form), report: None }
    }
}

impl Density {
    /// Number of columns d.
    pub fn dimension(&self) -> usize {
        match &self.form {
            Form::Kernel(form) => form.kernel().dimension(),
            Form::Features(form) => form.features().dimension(),
        }
    }

    /// How the fit went; `None` for a density that was put together by hand.
    pub fn report(&self) -> Option<&FitReport> {
        self.report.as_ref()
    }

    /// The same density with another report.
    #[cfg(feature = "model-file")]
    pub(crate) fn with_report(mut self, report: Option<FitReport>) -> Self {
        self.report = report;
        self
    }

    /// The kernel form Σ α_i k(x_i, ·), unless the density is made of random features.
    pub fn kernel_form(&self) -> Option<&KernelForm> {
        match &self.form {
            Form::Kernel(form) => Some(form),
            Form::Features(_) => None,
        }
    }

    /// The feature form Σ θ_t ψ_t, if the density is made of random features.
    pub fn feature_form(&self) -> Option<&FeatureForm> {
        match &self.form {
            Form::Kernel(_) => None,
            Form::Features(form) => Some(form),
        }
    }

    /// Operations that f takes at a row, about.
    pub(crate) fn operations_a_row(&self) -> usize {
        let terms = match &self.form {
            Form::Kernel(form) => form.support().rows(),
            Form::Features(form) => form.features().count(),
        };
        terms.saturating_mul(self.dimension() + 16)
    }

    /// f(x) for every row; loses its meaning far from the data, below 1e-300, where
    /// [`log_pre_density`](Self::log_pre_density) does not.
    ///
    /// # Errors
    /// [`Error::WrongColumns`], here and in every method that takes rows.
    pub fn values(&self, points: Points) -> Result<Vec<f64>> {
        points.expect_columns(self.dimension())?;
        Ok(match &self.form {
            Form::Kernel(form) => form.values(points),
            Form::Features(form) => form.values(points),
        })
    }

    /// log f(x)² for every row: the log pre-density, higher is more normal. Finite for values up
    /// to 1e145, beyond which squared distances overflow.
    ///
    /// # Errors
    /// [`Error::WrongColumns`].
    pub fn log_pre_density(&self, points: Points) -> Result<Vec<f64>> {
        points.expect_columns(self.dimension())?;
        let ln_abs = match &self.form {
            Form::Kernel(form) => form.ln_abs_values(points),
            Form::Features(form) => form.values(points).into_iter().map(ln_abs).collect(),
        };
        Ok(ln_abs.into_iter().map(|ln| 2.0 * ln).collect())
    }

    /// The same for scores: kernel values in single precision where that resolves the rows.
    pub(crate) fn log_pre_density_for_scores(&self, points: Points) -> Result<Vec<f64>> {
        points.expect_columns(self.dimension())?;
        match &self.form {
            Form::Kernel(form) => {
                Ok(form.ln_abs_for_scores(points).into_iter().map(|ln| 2.0 * ln).collect())
            }
            Form::Features(_) => self.log_pre_density(points),
        }
    }

    /// log p(x) = log f(x)² − log ∫f² for every row: a true density.
    ///
    /// # Errors
    /// [`Error::WrongColumns`]; [`Error::Undefined`] for random features.
    pub fn log_density(&self, points: Points) -> Result<Vec<f64>> {
        let log_normalizer = self.log_normalizer()?;
        let mut log_density = self.log_pre_density(points)?;
        log_density.iter_mut().for_each(|value| *value -= log_normalizer);
        Ok(log_density)
    }

    /// log ∫f², computed on first use.
    ///
    /// # Errors
    /// [`Error::Undefined`] for random features.
    pub fn log_normalizer(&self) -> Result<f64> {
        self.log_normalizer_monitored(&mut no_progress)
    }

    /// As [`log_normalizer`](Self::log_normalizer), with progress. The result is
    /// cached: [`log_density`](Self::log_density) takes no longer than the scores after it.
    ///
    /// # Errors
    /// As [`log_normalizer`](Self::log_normalizer), and [`Error::Cancelled`].
    pub fn log_normalizer_monitored(&self, monitor: Monitor) -> Result<f64> {
        match &self.form {
            Form::Kernel(form) => form.log_normalizer(monitor),
            Form::Features(_) => Err(Error::Undefined {
                quantity: "the normaliser",
                kernel: "sdo-sampled",
                reason: "a sum of cosines has no integral; use the exact sdo kernel",
            }),
        }
    }

    /// f, ∇f and Δf at one point.
    ///
    /// # Errors
    /// [`Error::WrongColumns`], [`Error::NotFinite`].
    pub fn jet(&self, x: &[f64]) -> Result<Jet> {
        Points::new(x, x.len())?.expect_columns(self.dimension())?;
        Ok(self.jet_unchecked(x))
    }

    pub(crate) fn jet_unchecked(&self, x: &[f64]) -> Jet {
        match &self.form {
            Form::Kernel(form) => form.jet(x),
            Form::Features(form) => form.jet(x),
        }
    }

    /// ∇log p for every row: n×d, row-major.
    ///
    /// # Errors
    /// [`Error::WrongColumns`].
    pub fn score_function(&self, points: Points) -> Result<Vec<f64>> {
        points.expect_columns(self.dimension())?;
        let rows =
            parallel::map(points.rows(), |i| self.jet_unchecked(points.row(i)).score_function());
        Ok(rows.concat())
    }

    /// 2Δf/f = tr ∇²log p + ½ ‖∇log p‖² for every row; its mean over rows from the true density
    /// is the Fisher divergence up to a constant.
    ///
    /// # Errors
    /// [`Error::WrongColumns`].
    pub fn laplacian_ratio(&self, points: Points) -> Result<Vec<f64>> {
        self.laplacian_ratio_from(points, None)
    }

    /// The same where the distances of the rows to the support rows may be known.
    pub(crate) fn laplacian_ratio_from(
        &self,
        points: Points,
        distances: Option<&Tiles>,
    ) -> Result<Vec<f64>> {
        points.expect_columns(self.dimension())?;
        Ok(match &self.form {
            Form::Kernel(form) => form.laplacian_ratios(points, distances),
            Form::Features(form) => {
                let each = form.values_and_laplacians(points).into_iter();
                each.map(|[f, laplacian]| 2.0 * laplacian / f).collect()
            }
        })
    }
}
