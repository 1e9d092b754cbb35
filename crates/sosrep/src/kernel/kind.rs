//! The kernels by name, before they have a dimension and a bandwidth.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::RadialSampler;
use crate::error::{Error, Result};
use crate::panels::Metric;
use crate::parameter::{Parameter, written};

/// The kernels that have a name of their own.
const KERNELS: &str = "one of product, sdo, sdo-sampled, laplacian, gaussian";

/// Those of them that are no random features.
pub(crate) const WITH_INTEGRAL: &str = "one of product, sdo, laplacian, gaussian";

/// Which kernel, without its dimension and bandwidth.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum KernelKind {
    /// Tensor product of one-dimensional Sobolev kernels, exp(−‖x−y‖₁ / (b d)): positive, closed
    /// form throughout, the strongest single kernel measured for anomaly detection. The default.
    #[default]
    Product,
    /// The paper's single-derivative-order kernel, exact, for the norm ‖f‖² + a ‖Dᵐf‖².
    Sdo,
    /// The paper's kernel as the paper computes it: from random Fourier features.
    SdoSampled {
        /// Number of features T. The released program has 10 000.
        features: usize,
        /// How the radius of a frequency is drawn.
        sampler: RadialSampler,
    },
    /// exp(−‖x−y‖ / (b √d)).
    Laplacian,
    /// exp(−‖x−y‖² / (2 d b²)).
    Gaussian,
}

impl KernelKind {
    /// The metric of the distance that the kernel is a profile of.
    pub(crate) fn metric(&self) -> Metric {
        match self {
            Self::Product => Metric::Manhattan,
            _ => Metric::SquaredEuclidean,
        }
    }

    /// The names that are read by [`FromStr`], each with its kernel in a few words.
    pub const NAMES: [(&'static str, &'static str); 5] = [
        ("product", "product of exponentials, one for each column"),
        ("sdo", "the paper's Sobolev kernel, exact"),
        ("sdo-sampled", "the paper's Sobolev kernel from 10 000 sampled frequencies"),
        ("laplacian", "exp(−distance)"),
        ("gaussian", "exp(−distance²)"),
    ];

    /// The paper's sampled kernel: radii from its grid, 10 000 features as the released program.
    pub fn paper() -> Self {
        Self::SdoSampled { features: 10_000, sampler: RadialSampler::paper() }
    }

    /// The name used in every interface and in model files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Sdo => "sdo",
            Self::SdoSampled { .. } => "sdo-sampled",
            Self::Laplacian => "laplacian",
            Self::Gaussian => "gaussian",
        }
    }

    /// The kernel as every interface shows it.
    pub(crate) fn parameter(&self) -> Parameter {
        Parameter { name: "kernel", value: self.written(), domain: KERNELS }
    }

    /// The name if it says everything, otherwise the form of model files.
    pub(crate) fn written(&self) -> Value {
        let name = self.name();
        if name.parse().as_ref() == Ok(self) { name.into() } else { written(self) }
    }
}

/// The kernel of that name, `sdo-sampled` being [`KernelKind::paper`].
impl FromStr for KernelKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "product" => Ok(Self::Product),
            "sdo" => Ok(Self::Sdo),
            "sdo-sampled" => Ok(Self::paper()),
            "laplacian" => Ok(Self::Laplacian),
            "gaussian" => Ok(Self::Gaussian),
            _ => Err(Error::word("kernel", name, KERNELS)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_and_is_in_the_domain() {
        for (name, _) in KernelKind::NAMES {
            assert_eq!(name.parse::<KernelKind>().unwrap().name(), name);
        }
        let names = KernelKind::NAMES.map(|(name, _)| name).join(", ");
        assert_eq!(KERNELS, format!("one of {names}"));
    }
}
