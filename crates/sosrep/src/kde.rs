//! The classical kernel density estimate, with the same kernels: the baseline.
//!
//! Paper: supplement, "Difference between SOSREP and KDE Models".
//!
//! ```text
//! p(x) = Σ_i w_i k(x_i, x) / ∫k
//! ```
//!
//! Cost: n·d a row. Numerics: summed in logarithms where it underflows. An SDO kernel has negative
//! values, and so may its estimate far from the data; |p| is reported there. Random features have
//! no integral and are not offered.
//!
//! ```
//! use sosrep::{Kde, Points, kernel::{Kernel, KernelKind}};
//!
//! let kernel = Kernel::new(&KernelKind::Gaussian, 1, 0.5)?;
//! let kde = Kde::new(kernel, Points::new(&[0.0], 1)?, None)?;
//! // One row: a normal density with standard deviation 0.5.
//! let log_density = kde.log_density(Points::new(&[0.5], 1)?)?;
//! let normal = -0.5 - (0.5 * (2.0 * std::f64::consts::PI).sqrt()).ln();
//! assert!((log_density[0] - normal).abs() < 1e-12);
//! # Ok::<(), sosrep::Error>(())
//! ```

use crate::bandwidth::DEFAULT_BANDWIDTH;
use crate::density::KernelForm;
use crate::error::{BANDWIDTH, Result};
use crate::kernel::{Kernel, KernelKind, WITH_INTEGRAL};
use crate::parameter::Parameter;
use crate::points::{Points, Weights};

/// What an estimate is made with, as every interface shows it.
pub fn parameters() -> Vec<Parameter> {
    let kernel = KernelKind::default().written();
    vec![
        Parameter { name: "kernel", value: kernel, domain: WITH_INTEGRAL },
        Parameter::new("bandwidth", &DEFAULT_BANDWIDTH, BANDWIDTH),
    ]
}

/// A kernel density estimate.
#[derive(Debug, Clone)]
pub struct Kde {
    sum: KernelForm,
    ln_integral: f64,
}

impl Kde {
    /// The estimate on the given rows, equally weighted if `weights` is `None`.
    ///
    /// # Errors
    /// Rows of another dimension than the kernel, weights of another length than the rows.
    pub fn new(kernel: Kernel, points: Points, weights: Option<&Weights>) -> Result<Self> {
        let equal = Weights::equal(points.rows());
        let weights = weights.unwrap_or(&equal);
        weights.expect_rows(points)?;
        points.expect_distances()?;
        Self::with_shares(kernel, points, weights.as_slice())
    }

    /// The estimate with weights that were scaled to sum to one before.
    pub(crate) fn with_shares(kernel: Kernel, points: Points, shares: &[f64]) -> Result<Self> {
        let ln_integral = kernel.ln_integral();
        // A plain sum has no use for its values on the rows themselves.
        let unused = vec![0.0; points.rows()];
        let sum = KernelForm::with_values(kernel, points, shares, &unused)?;
        Ok(Self { sum, ln_integral })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        self.sum.kernel()
    }

    /// The rows x_i.
    pub fn support(&self) -> Points<'_> {
        self.sum.support()
    }

    /// The weights w_i, summing to one.
    pub fn weights(&self) -> &[f64] {
        self.sum.alpha()
    }

    /// log p(x) for every row.
    ///
    /// # Errors
    /// [`Error::WrongColumns`](crate::Error::WrongColumns).
    pub fn log_density(&self, points: Points) -> Result<Vec<f64>> {
        points.expect_columns(self.kernel().dimension())?;
        Ok(self.sum.ln_abs_values(points).into_iter().map(|ln| ln - self.ln_integral).collect())
    }
}
