//! Fits to the same rows at several bandwidths: what does not depend on the bandwidth is reused.
//!
//! Reused are the rows of positive weight, the table of the kernel, the memory of the matrix and, as far as the
//! memory allows, the distances among the rows and to the rows a criterion is evaluated on. What does
//! not fit is computed anew, with the same result to the bit.
//!
//! Differs from the paper: none.

use super::{Density, DensityFit, WeightedRows};
use crate::error::Result;
use crate::gram::{Bands, Tiles, bytes_to_hold};
use crate::kernel::{Kernel, KernelKind};
use crate::monitor::Monitor;
use crate::points::{Points, Weights};

/// Fits `params` at one bandwidth after another.
pub(crate) struct Refitter<'a> {
    params: &'a DensityFit,
    rows: WeightedRows,
    /// None for sampled kernels, which change with the bandwidth.
    kernel: Option<Kernel>,
    among: Option<Tiles>,
    evaluated: Option<Tiles>,
    spare: Bands,
}

impl<'a> Refitter<'a> {
    /// For these rows; `evaluated` are those where 2Δf/f is needed. Distances are computed here.
    pub(crate) fn new(
        params: &'a DensityFit,
        points: Points,
        weights: Option<&Weights>,
        evaluated: Option<Points>,
        monitor: Monitor,
    ) -> Result<Self> {
        let rows = WeightedRows::new(points, weights)?;
        let mut refitter = Self {
            params,
            rows,
            kernel: None,
            among: None,
            evaluated: None,
            spare: Bands::default(),
        };
        if !matches!(params.kernel, KernelKind::SdoSampled { .. }) {
            let kernel = Kernel::new(&params.kernel, points.columns(), 1.0)?;
            refitter.hold(kernel, evaluated, monitor)?;
        }
        Ok(refitter)
    }

    /// Distances for all bandwidths of a kernel, within what the matrix leaves of the memory.
    fn hold(&mut self, kernel: Kernel, evaluated: Option<Points>, monitor: Monitor) -> Result<()> {
        let (metric, rows) = (kernel.metric(), self.rows.points());
        let left = (self.params.memory as u128).saturating_sub(bytes_to_hold(rows.rows()));
        let among = Tiles::among(metric, rows, left, monitor)?;
        let left = left - among.as_ref().map_or(0, Tiles::bytes);
        let evaluated = match evaluated {
            Some(evaluated) => Tiles::between(metric, evaluated, rows, left, monitor)?,
            None => None,
        };
        (self.kernel, self.among, self.evaluated) = (Some(kernel), among, evaluated);
        Ok(())
    }

    /// The density at one bandwidth.
    pub(crate) fn fit(&mut self, bandwidth: f64, monitor: Monitor) -> Result<Density> {
        let Self { params, rows, .. } = self;
        match &self.kernel {
            Some(kernel) => {
                let kernel = kernel.with_bandwidth(bandwidth * params.unit)?;
                params.fit_rows(kernel, rows, self.among.as_ref(), &mut self.spare, monitor)
            }
            None => {
                let params = DensityFit { bandwidth, ..(*params).clone() };
                params.fit(rows.points(), Some(&rows.weights), monitor)
            }
        }
    }

    /// The distances of the rows to evaluate to the rows fitted, where they are held.
    pub(crate) fn evaluated(&self) -> Option<&Tiles> {
        self.evaluated.as_ref()
    }
}
