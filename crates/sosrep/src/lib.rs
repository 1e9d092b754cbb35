//! Density estimation and anomaly detection in any dimension, by a Sobolev norm.
//!
//! SOSREP ("Sobolev Space Regularised Pre Density Models") estimates a density p ∝ f² by
//!
//! ```text
//! f* = argmin_f  ‖f‖²_H − Σ_i w_i log f(x_i)²,        f = Σ_i α_i k(x_i, ·)
//! ```
//!
//! with the norm of a Sobolev space: non-parametric, in any number of columns, and with everything
//! that follows from f in closed form: the score ∇log p, the normaliser, Fisher divergence, reasons
//! for an anomaly.
//!
//! | to … | use |
//! |---|---|
//! | find anomalies, with p-values and reasons | [`DetectorParams`], [`Detector`] |
//! | fit and evaluate a density | [`DensityParams`], [`Density`] |
//! | choose its bandwidth from the data | [`select`] |
//! | draw rows from it | [`SampleParams`] |
//! | compare with the classical estimator | [`Kde`] |
//! | say which features are categories or gaps | [`SourceColumn`], [`DetectorParams::columns`] |
//! | handle more rows than fit in memory | [`reduce`] |
//! | keep a model | [`model_file`] |
//! | judge scores by labels | [`metrics`] |
//! | work with the parts | [`kernel`], [`gram`], [`solve`], [`density`] |
//!
//! Signs: `log_density` and `log_pre_density` are high where rows are normal; an anomaly score is
//! high where they are not. Results depend neither on the number of threads nor on how rows are
//! batched, and every random choice takes a seed.
//!
//! ```
//! use sosrep::{DetectorParams, Points};
//!
//! // 300 rows on a circle, and one in its middle: nothing unusual in either column alone.
//! let mut rows: Vec<f64> = (0..300).map(f64::from).flat_map(|i| [i.cos(), i.sin()]).collect();
//! rows.extend([0.0, 0.0]);
//! let points = Points::new(&rows, 2)?;
//!
//! let detector = DetectorParams::new().fit(points, None)?;
//! // The training rows, each scored without its own contribution; `assess` takes new rows.
//! let training = detector.training().expect("just fitted");
//! assert_eq!(training.ranking()[0], 300);
//! let assessment = detector.assess(Points::new(&[0.6, 0.8, 0.1, 0.0], 2)?)?;
//! assert!(assessment.p_values[0] > 0.05 && assessment.p_values[1] < 0.01);
//! # Ok::<(), sosrep::Error>(())
//! ```
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `rayon` | yes | work on all cores; without it the same results, to the bit, on one |
//! | `model-file` | yes | [`model_file`]: models to bytes and back |
//! | `ndarray` | no | [`Points`] and [`Weights`] from arrays of the crate `ndarray`, and views of them |
//!
//! # Modules
//!
//! Layers, the lowest first; a module uses only those before it, which a test reads from the source.
//!
//! | layer | modules; those without a link are private |
//! |---|---|
//! | basis | [`error`], `parallel` (loops on all cores), `random` (the generator), `memory` (room for what is large), `source_columns`, `quantile`, [`parameter`], `monitor` (progress) |
//! | numbers | `lanes` (eight numbers at a time), [`points`] (checked input), `panels` (distances of eight points at a time) |
//! | kernels | [`kernel`] (k(x, y)), [`gram`] (products with its matrix) |
//! | densities | [`solve`] (the coefficients α), [`density`] (f and what follows from it), [`select`] (criteria for bandwidths), `bandwidth`, `density_params`, [`kde`] |
//! | anomalies | [`reduce`] (fewer rows), [`detector`] |
//! | uses | [`sample`] (draws), [`model_file`] |
//!
//! [`metrics`] uses none of them but [`error`].

mod bandwidth;
pub mod density;
mod density_params;
pub mod detector;
pub mod error;
pub mod gram;
pub mod kde;
pub mod kernel;
mod lanes;
mod memory;
pub mod metrics;
#[cfg(feature = "model-file")]
pub mod model_file;
mod monitor;
mod panels;
mod parallel;
pub mod parameter;
pub mod points;
mod quantile;
mod random;
pub mod reduce;
pub mod sample;
pub mod select;
pub mod solve;
mod source_columns;

pub use bandwidth::Bandwidth;
pub use density::Density;
pub use density_params::{DensityParams, TunedDensity};
pub use detector::{Assessment, Detector, DetectorParams, Repeats, Threshold};
pub use error::{Error, Result};
pub use kde::Kde;
pub use kernel::KernelKind;
pub use monitor::{Monitor, Progress, Stage, no_progress};
pub use parameter::Parameter;
pub use points::{Points, Weights};
pub use sample::SampleParams;
pub use source_columns::SourceColumn;

/// Runs the examples of this crate's README with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
