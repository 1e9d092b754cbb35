//! Density estimation and anomaly detection in any dimension, by a Sobolev norm.
//!
//! SOSREP ("Sobolev Space Regularised Pre Density Models") estimates a density p ∝ f² by
//!
//! ```text
//! f* = argmin_f  ‖f‖²_H − Σ_i w_i log f(x_i)²,        f = Σ_i α_i k(x_i, ·)
//! ```
//!
//! | to … | use |
//! |---|---|
//! | fit and evaluate a density | [`DensityParams`], [`Density`] |
//! | compare with the classical estimator | [`Kde`] |
//! | keep a model | [`model_file`] |
//! | work with the parts | [`kernel`], [`gram`], [`solve`], [`density`] |
//!
//! Signs: `log_density` and `log_pre_density` are high where rows are normal; an anomaly score is
//! high where they are not. Results depend neither on the number of threads nor on how rows are
//! batched, and every random choice takes a seed.

pub mod density;
pub mod detector;
pub mod error;
pub mod gram;
pub mod kde;
pub mod kernel;
mod lanes;
pub mod large;
pub mod metrics;
pub mod model_file;
mod monitor;
mod panels;
pub mod points;
pub mod sample;
pub mod select;
pub mod solve;

pub use density::{Density, DensityParams};
pub use detector::{Detector, DetectorParams};
pub use error::{Error, Result};
pub use kde::Kde;
pub use monitor::{Monitor, Progress, silent};
pub use points::{Points, Weights};
pub use sample::SampleParams;
