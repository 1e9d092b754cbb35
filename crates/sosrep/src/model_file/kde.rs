//! A kernel density estimate in the model file: its rows, and its weights as coefficients.
//!
//! The weights are checked like everything else: not negative, and summing to one within
//! [`SLACK`], which allows for the rounding of a hundred million of them.

use super::check::check_distances;
use super::header::{FormKind, Header};
use super::tensors::{Tensors, Writer};
use super::{ModelKind, bad, plain_header, read_kernel, read_rows};
use crate::error::Result;
use crate::kde::Kde;
use crate::points::Points;

/// How far from one the sum of the weights may be.
const SLACK: f64 = 1e-9;

/// Weights summed at once: the rounding of a long sum grows with its length.
const PART: usize = 4096;

impl Kde {
    /// The estimate as a model file.
    ///
    /// # Errors
    /// None that a kernel density estimate can cause.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let support = self.support();
        let (n, d) = (support.rows(), support.columns());
        let mut file = Writer::default();
        file.push("support", support.as_slice(), &[n, d]);
        file.push("alpha", self.weights(), &[n]);
        file.finish(plain_header(ModelKind::Kde, Some(self.kernel())).write()?)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// [`Error::BadModel`](crate::Error::BadModel), also if the file holds another kind of model;
    /// [`Error::NewerModel`](crate::Error::NewerModel).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let file = Tensors::parse(bytes)?;
        let header = Header::read(file.entry()?)?;
        header.expect(ModelKind::Kde)?;
        if header.form != FormKind::Kernel {
            return Err(bad("a kernel density estimate is not made of random features"));
        }
        let [n, d] = file.shape("support")?;
        let support = read_rows(&file, "support", d)?;
        check_distances("support", &support)?;
        let weights = file.read("alpha", &[n])?;
        check_weights(&weights)?;
        let kernel = read_kernel(&header, d)?;
        Self::with_shares(kernel, Points::new_unchecked(&support, d), &weights).map_err(bad)
    }
}

fn check_weights(weights: &[f64]) -> Result<()> {
    if let Some(at) = weights.iter().position(|weight| *weight < 0.0) {
        return Err(bad(format!("value {at} of array alpha is {}, a weight", weights[at])));
    }
    let total: f64 = weights.chunks(PART).map(|part| part.iter().sum::<f64>()).sum();
    if (total - 1.0).abs() <= SLACK {
        Ok(())
    } else {
        Err(bad(format!("the weights in array alpha sum to {total}, not to 1")))
    }
}
