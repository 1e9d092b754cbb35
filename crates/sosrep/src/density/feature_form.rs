//! f = Σ_t θ_t ψ_t with random Fourier features: evaluation and derivatives.
//!
//! ```text
//! ψ_t(x) = √(2/T) cos(⟨z_t, x⟩ + β_t)       ‖f‖²_H = ‖θ‖²
//! ∇ψ_t = −√(2/T) sin(⟨z_t, x⟩ + β_t) z_t      Δψ_t = −‖z_t‖² ψ_t
//! ```
//!
//! Cost: T·d a row, whatever the number of rows fitted. Differs from the paper: none (the paper
//! keeps α and forms the matrix; θ = Σ_i α_i ψ(x_i) is the same function).

use super::Jet;
use crate::error::Result;
use crate::kernel::FourierFeatures;
use crate::lanes::{self, dot};
use crate::panels::padded;
use crate::points::{Points, expect_finite};

/// Coefficients on random features.
#[derive(Debug, Clone)]
pub struct FeatureForm {
    features: FourierFeatures,
    coefficients: Vec<f64>,
    /// √(2/T) θ, padded with zeros to whole panels.
    scaled: Vec<f64>,
    /// ‖z_t‖².
    square_norms: Vec<f64>,
}

impl FeatureForm {
    /// A function Σ θ_t ψ_t.
    ///
    /// # Errors
    /// Lengths that differ, coefficients that are not finite.
    pub fn new(features: FourierFeatures, coefficients: Vec<f64>) -> Result<Self> {
        expect_finite("coefficients", &coefficients, features.count())?;
        let scale = (2.0 / features.count() as f64).sqrt();
        let scaled: Vec<f64> = coefficients.iter().map(|theta| scale * theta).collect();
        let square_norms =
            features.frequencies().chunks_exact(features.dimension()).map(|z| dot(z, z)).collect();
        Ok(Self { features, coefficients, scaled: padded(&scaled), square_norms })
    }

    /// The features φ.
    pub fn features(&self) -> &FourierFeatures {
        &self.features
    }

    /// The coefficients θ_t.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    pub(super) fn values(&self, points: Points) -> Vec<f64> {
        let sums = self.features.sums(points, [&self.scaled], lanes::cos);
        sums.into_iter().map(|[f]| f).collect()
    }

    /// f and Δf of every row.
    pub(super) fn values_and_laplacians(&self, points: Points) -> Vec<[f64; 2]> {
        let bent: Vec<f64> =
            self.scaled.iter().zip(&self.square_norms).map(|(theta, z)| -theta * z).collect();
        self.features.sums(points, [&self.scaled, &padded(&bent)], lanes::cos)
    }

    pub(super) fn jet(&self, x: &[f64]) -> Jet {
        let mut jet =
            Jet { ln_scale: 0.0, value: 0.0, gradient: vec![0.0; x.len()], laplacian: 0.0 };
        let d = self.features.dimension();
        for (t, z) in self.features.frequencies().chunks_exact(d).enumerate() {
            let (sine, cosine) = (dot(z, x) + self.features.phases()[t]).sin_cos();
            let theta = self.scaled[t];
            jet.value += theta * cosine;
            jet.laplacian -= theta * cosine * self.square_norms[t];
            jet.gradient.iter_mut().zip(z).for_each(|(g, z)| *g -= theta * sine * z);
        }
        jet
    }
}
