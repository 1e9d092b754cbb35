//! A density at a given bandwidth: kernel matrix, solve, f.
//!
//! See [`density`](crate::density) for the equations. Differs from the paper: none.

use super::{Density, FeatureForm, Form, KernelForm};
use crate::error::{Error, Result, bandwidth as check_bandwidth};
use crate::gram::{Bands, FeatureGram, Gram, ReusedBuffers, Tiles};
use crate::kernel::{FourierFeatures, Kernel, KernelKind};
use crate::monitor::Monitor;
use crate::points::{Points, Weights};
use crate::solve::{Solution, SolveOptions, StopReason, solve_monitored};

/// What a density is fitted with once its bandwidth is known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DensityFit {
    pub(crate) kernel: KernelKind,
    /// A distance per column.
    pub(crate) bandwidth: f64,
    /// The kernel's bandwidth, a distance per coordinate, in units of this one; 1 unless a column
    /// has several coordinates.
    pub(crate) unit: f64,
    pub(crate) solve: SolveOptions,
    pub(crate) memory: usize,
    pub(crate) seed: u64,
}

impl DensityFit {
    /// Fits the density to the rows, all equally weighted if `weights` is `None`.
    ///
    /// # Errors
    /// Parameters outside their domain; weights of another length than the rows; values beyond
    /// 1e145 in size, whose distances have no squares; [`Error::Cancelled`].
    pub(crate) fn fit(
        &self,
        points: Points,
        weights: Option<&Weights>,
        monitor: Monitor,
    ) -> Result<Density> {
        check_bandwidth(self.bandwidth)?;
        match &self.kernel {
            KernelKind::SdoSampled { features, sampler } => {
                let features = FourierFeatures::sdo(
                    points.columns(),
                    self.kernel_bandwidth(),
                    *features,
                    *sampler,
                    self.seed,
                )?;
                self.fit_features(features, points, weights, monitor)
            }
            kind => {
                let kernel = Kernel::new(kind, points.columns(), self.kernel_bandwidth())?;
                self.fit_kernel(kernel, points, weights, monitor)
            }
        }
    }

    /// The bandwidth as the kernel counts it, per coordinate.
    pub(crate) fn kernel_bandwidth(&self) -> f64 {
        self.bandwidth * self.unit
    }

    /// Fits with a kernel already built: tables are shared between bandwidths.
    pub(crate) fn fit_kernel(
        &self,
        kernel: Kernel,
        points: Points,
        weights: Option<&Weights>,
        monitor: Monitor,
    ) -> Result<Density> {
        let rows = WeightedRows::new(points, weights)?;
        self.fit_rows(kernel, &rows, None, &mut Bands::default(), monitor)
    }

    /// The same for rows that count, whose distances may be known.
    pub(super) fn fit_rows(
        &self,
        kernel: Kernel,
        rows: &WeightedRows,
        distances: Option<&Tiles>,
        spare: &mut Bands,
        monitor: Monitor,
    ) -> Result<Density> {
        let reused = ReusedBuffers { bands: std::mem::take(spare), distances };
        let gram = Gram::build(&kernel, rows.points(), self.memory, reused, monitor)?;
        let solution = uncancelled(solve_monitored(&gram, &rows.weights, &self.solve, monitor)?)?;
        *spare = gram.into_bands();
        let form =
            KernelForm::with_values(kernel, rows.points(), &solution.alpha, &solution.values)?;
        Ok(Density { form: Form::Kernel(form), report: Some(solution.report) })
    }

    fn fit_features(
        &self,
        features: FourierFeatures,
        points: Points,
        weights: Option<&Weights>,
        monitor: Monitor,
    ) -> Result<Density> {
        let rows = WeightedRows::new(points, weights)?;
        let gram = FeatureGram::new_monitored(&features, rows.points(), self.memory, monitor)?;
        let solution = uncancelled(solve_monitored(&gram, &rows.weights, &self.solve, monitor)?)?;
        let coefficients = gram.coefficients(&solution.alpha);
        drop(gram);
        let form = FeatureForm::new(features, coefficients)?;
        Ok(Density { form: Form::Features(form), report: Some(solution.report) })
    }
}

fn uncancelled(solution: Solution) -> Result<Solution> {
    if solution.report.stop == StopReason::Cancelled { Err(Error::Cancelled) } else { Ok(solution) }
}

/// The rows that count: those of positive weight.
pub(crate) struct WeightedRows {
    values: Vec<f64>,
    columns: usize,
    pub(crate) weights: Weights,
}

impl WeightedRows {
    pub(crate) fn new(points: Points, weights: Option<&Weights>) -> Result<Self> {
        points.expect_distances()?;
        let columns = points.columns();
        let Some(weights) = weights else {
            let weights = Weights::equal(points.rows());
            return Ok(Self { values: points.as_slice().to_vec(), columns, weights });
        };
        weights.expect_rows(points)?;
        let w = weights.as_slice();
        let kept: Vec<usize> = (0..w.len()).filter(|&i| w[i] > 0.0).collect();
        let positive: Vec<f64> = kept.iter().map(|&i| w[i]).collect();
        Ok(Self { values: points.select(&kept), columns, weights: Weights::new(&positive)? })
    }

    pub(crate) fn points(&self) -> Points<'_> {
        Points::new_unchecked(&self.values, self.columns)
    }
}
