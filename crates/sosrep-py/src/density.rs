//! `Density`: f, its density and what follows from it.

use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use sosrep::select::{fisher_divergence, select};
use sosrep::{Error, Points, SampleParams};

use crate::failure::value_error;
use crate::matrix::{Matrix, ROWS_AT_ONCE, array, vector, weights};
use crate::parameters::{self, BandwidthWish};
use crate::report::{Curve, CurveColumns, fit_report};
use crate::work::Caller;

/// Rows differentiated between two looks for Ctrl-C.
const SCORES_AT_ONCE: usize = 1024;

/// A fitted density, with what its file does not hold.
#[pyclass(frozen, module = "sosrep._core")]
pub(crate) struct Density {
    density: sosrep::Density,
    bandwidth: f64,
    curve: Option<Curve>,
}

/// The arguments of `restore`.
type State<'py> = (Bound<'py, PyBytes>, f64, Option<CurveColumns>);

#[pymethods]
impl Density {
    /// Fits a density with the parameters of the dictionary, choosing the bandwidth if asked to.
    #[staticmethod]
    #[pyo3(signature = (rows, sample_weight, parameters, *, n_jobs=None, progress=None))]
    fn fit<'py>(
        py: Python<'py>,
        rows: Matrix<'py>,
        sample_weight: Option<PyReadonlyArray1<'py, f64>>,
        parameters: &Bound<'py, PyDict>,
        n_jobs: Option<i64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let wish = parameters::density(parameters)?;
        let weights = weights(sample_weight)?;
        let numbers = rows.numbers();
        let values = numbers.row_major(py)?;
        Caller::new(py, n_jobs, progress)?.run(|waiting| {
            let points = Points::new(&values, numbers.columns())?;
            let monitor = &mut |progress: &_| waiting.hear(progress);
            let (bandwidth, curve) = match &wish.bandwidth {
                BandwidthWish::Fixed(bandwidth) => (*bandwidth, None),
                BandwidthWish::Chosen(options) => {
                    let chosen = select(&wish.params, points, weights.as_ref(), options, monitor)?;
                    (chosen.bandwidth, Some(Curve::from(&chosen)))
                }
            };
            let params = wish.params.bandwidth(bandwidth);
            let density = params.fit_monitored(points, weights.as_ref(), monitor)?;
            Ok(Self { density, bandwidth, curve })
        })
    }

    /// A density from its pickle.
    #[staticmethod]
    fn restore(bytes: &[u8], bandwidth: f64, curve: Option<CurveColumns>) -> PyResult<Self> {
        let density = sosrep::Density::from_bytes(bytes).map_err(value_error)?;
        Ok(Self { density, bandwidth, curve: curve.map(Curve::from) })
    }

    /// Pickles hold the model file and plain numbers.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, State<'py>)> {
        let Self { density, bandwidth, curve } = slf.get();
        let bytes = PyBytes::new(slf.py(), &density.to_bytes().map_err(value_error)?);
        let restore = slf.get_type().getattr("restore")?;
        Ok((restore, (bytes, *bandwidth, curve.as_ref().map(Curve::columns))))
    }

    /// log p, or log f² if not to be normalised.
    #[pyo3(signature = (rows, *, normalized, n_jobs=None))]
    fn log_density<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        normalized: bool,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let numbers = rows.numbers();
        let values = Caller::new(py, n_jobs, None)?.run(|waiting| {
            if normalized {
                // The first time this takes longer than the rows do.
                self.density.log_normalizer_monitored(&mut |progress| waiting.hear(progress))?;
            }
            numbers.by_parts(ROWS_AT_ONCE, waiting, |part| match normalized {
                true => self.density.log_density(part),
                false => self.density.log_pre_density(part),
            })
        })?;
        Ok(vector(py, values))
    }

    /// ∇log p.
    #[pyo3(signature = (rows, *, n_jobs=None))]
    fn score_function<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let numbers = rows.numbers();
        let values = Caller::new(py, n_jobs, None)?.run(|waiting| {
            numbers.by_parts(SCORES_AT_ONCE, waiting, |part| self.density.score(part))
        })?;
        array(py, values, numbers.rows(), numbers.columns())
    }

    /// The Fisher divergence from the distribution of the rows, up to a constant.
    #[pyo3(signature = (rows, *, n_jobs=None))]
    fn fisher_divergence<'py>(
        &self,
        py: Python<'py>,
        rows: Matrix<'py>,
        n_jobs: Option<i64>,
    ) -> PyResult<f64> {
        let numbers = rows.numbers();
        Caller::new(py, n_jobs, None)?.run(|waiting| {
            let ratios = numbers.by_parts(SCORES_AT_ONCE, waiting, |part| {
                // One row tells whether the kernel has a divergence at all.
                fisher_divergence(&self.density, Points::new(part.row(0), part.columns())?, None)?;
                self.density.laplacian_ratio(part)
            })?;
            Ok(ratios.iter().sum::<f64>() / ratios.len() as f64)
        })
    }

    /// Draws rows.
    #[pyo3(signature = (count, seed, *, n_jobs=None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        seed: u64,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let samples = Caller::new(py, n_jobs, None)?.run(|waiting| {
            let form = self.density.kernel_form().ok_or(Error::Undefined {
                quantity: "a draw",
                kernel: "sdo-sampled",
                reason: "a sum of cosines has no integral; use the exact sdo kernel",
            })?;
            let monitor = &mut |progress: &_| waiting.hear(progress);
            // Steps of a size that suits the kernel, whatever the units.
            let params = SampleParams::new().seed(seed).step(self.bandwidth);
            params.draw(&self.density, form.support(), count, monitor)
        })?;
        array(py, samples.values, count, self.columns())
    }

    /// Columns of a row.
    #[getter]
    fn columns(&self) -> usize {
        self.density.dimension()
    }

    /// Whether the density can be normalised: not if it is made of sampled frequencies.
    #[getter]
    fn has_normalizer(&self) -> bool {
        self.density.kernel_form().is_some()
    }

    /// The bandwidth.
    #[getter]
    fn bandwidth(&self) -> f64 {
        self.bandwidth
    }

    /// Coefficients of the rows, or of the frequencies of a sampled kernel.
    #[getter]
    fn coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let kernel = self.density.kernel_form().map(|form| form.alpha().to_vec());
        let features = self.density.feature_form().map(|form| form.coefficients().to_vec());
        vector(py, kernel.or(features).unwrap_or_default())
    }

    /// How the fit went.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        match self.density.report() {
            Some(report) => fit_report(py, report),
            None => Ok(PyDict::new(py)),
        }
    }

    /// The curve the bandwidth was read from, if it was.
    #[getter]
    fn curve<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.curve.as_ref().map(|curve| curve.to_dict(py)).transpose()
    }
}
