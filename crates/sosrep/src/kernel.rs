//! Kernels k(x, y), each with its derivatives, its integrals and its autoconvolution.
//!
//! Paper: Section 4 (SDO), supplement "Comparison of SOSREP for Different Kernels".
//!
//! Every kernel is a profile of one number, the distance q of two points:
//!
//! ```text
//! k(x, y) = g(q),   k(x, x) = 1,   q = ‖x − y‖²  or, for the product kernel,  q = ‖x − y‖₁
//! ∇ₓk = 2 g′(q) (x − y)        Δₓk = 2d g′(q) + 4q g″(q)         (Euclidean)
//! ∇ₓk = g′(q) sign(x − y)      Δₓk = d g″(q)                     (Manhattan)
//! ```
//!
//! One bandwidth convention: `bandwidth` b is a distance *per column*, so that on standardised
//! columns b between 0.1 and 1 is a natural scale in any dimension d.
//!
//! | kernel | k(x, y) |
//! |---|---|
//! | [`Sdo`](KernelKind::Sdo) | g(‖x−y‖ / b), b = a^(1/2m) |
//! | [`Product`](KernelKind::Product) | exp(−‖x−y‖₁ / (b d)) |
//! | [`Laplacian`](KernelKind::Laplacian) | exp(−‖x−y‖ / (b √d)) |
//! | [`Gaussian`](KernelKind::Gaussian) | exp(−‖x−y‖² / (2 d b²)) |
//! | [`SdoSampled`](KernelKind::SdoSampled) | SDO from random features, see [`FourierFeatures`] |
//!
//! SDO needs no √d: its frequencies grow with d, and g itself widens like √d.
//!
//! Differs from the paper: kernels are scaled to k(x, x) = 1 (the constant does not matter, a
//! kernel c·k gives √c·f), and SDO is exact.
//!
//! ```
//! use sosrep::kernel::{Kernel, KernelKind};
//!
//! // In one dimension the SDO kernel is exp(−|x−y| / b).
//! let kernel = Kernel::new(&KernelKind::Sdo, 1, 0.5)?;
//! assert!((kernel.value(&[0.3], &[0.8]) - (-1.0_f64).exp()).abs() < 1e-12);
//! # Ok::<(), sosrep::Error>(())
//! ```

mod features;
mod gaussian;
mod jets;
mod kind;
mod laplacian;
mod product;
mod profile;
mod radial_table;
mod sdo;

use std::ops::RangeInclusive;

pub use features::{FourierFeatures, RadialSampler};
pub use kind::KernelKind;
pub(crate) use kind::WITH_INTEGRAL;

use crate::error::{Error, Result, bandwidth as check_bandwidth};
use crate::lanes::{self, LANES, Lanes, Number};
use crate::panels::{Metric, Panels, Queries, Route, Tile};
use crate::points::Points;
use gaussian::Gaussian;
use laplacian::Laplacian;
use product::Product;
use profile::Profile;
pub(crate) use profile::{ProfileJet, SignedLog};
use sdo::Sdo;

/// Largest dimension of the SDO kernels, up to which their evaluators are tested to agree.
const LARGEST_SDO_DIMENSION: usize = 10_000;

/// The distance, in bandwidths times √d, beyond which an autoconvolution is 0 in double precision.
const FARTHEST: f64 = 1e6;

/// Largest magnitude of values in bandwidths for single precision: there they are rounded by 6e-4
/// bandwidths.
const RESOLVED: f64 = 1e4;

/// Bandwidths whose squares are normal numbers in single precision.
const BANDWIDTHS: RangeInclusive<f64> = 1e-12..=1e12;

/// A kernel of fixed dimension and bandwidth.
#[derive(Debug, Clone)]
pub struct Kernel {
    kind: KernelKind,
    dimension: usize,
    bandwidth: f64,
    form: Form,
}

#[derive(Debug, Clone)]
enum Form {
    Product(Product),
    Laplacian(Laplacian),
    Gaussian(Gaussian),
    Sdo(Sdo),
}

/// The same expression for whichever profile a kernel has.
macro_rules! with_profile {
    ($form:expr, $profile:ident => $result:expr) => {
        match $form {
            Form::Product($profile) => $result,
            Form::Laplacian($profile) => $result,
            Form::Gaussian($profile) => $result,
            Form::Sdo($profile) => $result,
        }
    };
}
use with_profile;

impl Kernel {
    /// Builds a kernel with a closed form or a table.
    ///
    /// # Errors
    /// A bandwidth outside its domain, no columns, more than 10 000 of them for
    /// an SDO kernel, or [`KernelKind::SdoSampled`], see [`FourierFeatures`].
    pub fn new(kind: &KernelKind, dimension: usize, bandwidth: f64) -> Result<Self> {
        if dimension == 0 {
            return Err(Error::NoColumns);
        }
        check_bandwidth(bandwidth)?;
        let form = match kind {
            KernelKind::Product => Form::Product(Product::new(dimension, bandwidth)),
            KernelKind::Laplacian => Form::Laplacian(Laplacian::new(dimension, bandwidth)),
            KernelKind::Gaussian => Form::Gaussian(Gaussian::new(dimension, bandwidth)),
            KernelKind::Sdo => Form::Sdo(Sdo::new(check_sdo_dimension(dimension)?, bandwidth)),
            KernelKind::SdoSampled { .. } => {
                return Err(Error::parameter("kernel", kind.name(), WITH_INTEGRAL));
            }
        };
        Ok(Self { kind: kind.clone(), dimension, bandwidth, form })
    }

    /// The same kernel with another bandwidth; tables are shared, not rebuilt.
    ///
    /// # Errors
    /// A bandwidth outside 1e-50 … 1e50.
    pub fn with_bandwidth(&self, bandwidth: f64) -> Result<Self> {
        check_bandwidth(bandwidth)?;
        let form = match &self.form {
            Form::Product(profile) => Form::Product(profile.with_bandwidth(bandwidth)),
            Form::Laplacian(profile) => Form::Laplacian(profile.with_bandwidth(bandwidth)),
            Form::Gaussian(profile) => Form::Gaussian(profile.with_bandwidth(bandwidth)),
            Form::Sdo(profile) => Form::Sdo(profile.with_bandwidth(bandwidth)),
        };
        Ok(Self { kind: self.kind.clone(), dimension: self.dimension, bandwidth, form })
    }

    /// Which kernel this is.
    pub fn kind(&self) -> &KernelKind {
        &self.kind
    }

    /// Number of columns d.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The bandwidth b.
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth
    }

    /// Whether k ≥ 0 everywhere. SDO kernels have negative values far from the diagonal.
    pub fn is_positive(&self) -> bool {
        !matches!(self.form, Form::Sdo(_)) || self.dimension == 1
    }

    /// k(x, y).
    ///
    /// # Panics
    /// If `x` or `y` has another number of entries than the kernel has columns; here and in the
    /// other methods of two points.
    pub fn value(&self, x: &[f64], y: &[f64]) -> f64 {
        self.profile_value(self.distance(x, y))
    }

    /// ∇ₓ k(x, y), written to `gradient`. Zero where x = y.
    pub fn gradient(&self, x: &[f64], y: &[f64], gradient: &mut [f64]) {
        let slope = self.jet(self.distance(x, y)).slope;
        for ((out, a), b) in gradient.iter_mut().zip(x).zip(y) {
            *out = slope * self.direction(a - b);
        }
    }

    /// Δₓ k(x, y) = Σ_j ∂²k/∂x_j². Where x = y it is −∞ for a kernel with a point kink (SDO,
    /// Laplacian); 0 is returned there, so that a coincident row is left out of a sum.
    pub fn laplacian(&self, x: &[f64], y: &[f64]) -> f64 {
        let q = self.distance(x, y);
        self.laplacian_of(q, &self.jet(q))
    }

    /// (k⋆k)(x − y) / (k⋆k)(0), with k⋆k the autoconvolution ∫ k(x, z) k(z, y) dz.
    pub fn autoconvolution(&self, x: &[f64], y: &[f64]) -> f64 {
        let q = self.distance(x, y);
        match &self.form {
            Form::Product(product) => product.autoconvolution(x, y),
            _ => self.radial_autoconvolution(q),
        }
    }

    /// ln ∫ k(x, y) dy.
    pub fn ln_integral(&self) -> f64 {
        with_profile!(&self.form, profile => profile.ln_integral())
    }

    /// ln ∫ k(x, y)² dy = ln (k⋆k)(0).
    pub fn ln_square_integral(&self) -> f64 {
        with_profile!(&self.form, profile => profile.ln_square_integral())
    }

    /// The distance q of two points.
    fn distance(&self, x: &[f64], y: &[f64]) -> f64 {
        assert_eq!((x.len(), y.len()), (self.dimension, self.dimension), "one entry per column");
        self.metric().distance(x, y)
    }

    /// The metric of the distance this kernel is a profile of.
    #[inline(always)]
    pub(crate) fn metric(&self) -> Metric {
        match &self.form {
            Form::Product(_) => Metric::Manhattan,
            _ => Metric::SquaredEuclidean,
        }
    }

    /// The fastest route to distances from these points that changes ln k of close ones by no more
    /// than `negligible`.
    pub(crate) fn fastest_route<T: Number>(&self, panels: &Panels<T>, negligible: f64) -> Route {
        // The product kernel, the one with a choice, falls by e over a distance of b d.
        let length = self.bandwidth * self.dimension as f64;
        panels.fastest(self.metric(), negligible * length)
    }

    /// g(q).
    pub(crate) fn profile_value(&self, q: f64) -> f64 {
        with_profile!(&self.form, profile => profile.value(q))
    }

    /// g(q) for eight distances. Tables and roots are evaluated in double precision, whatever the
    /// distances are in.
    #[inline(always)]
    pub(crate) fn profile_values<T: Number>(&self, q: &[T; LANES]) -> [T; LANES] {
        match &self.form {
            Form::Product(product) => lanes::map(q, |q| product.value_in(q)),
            _ => lanes::map(&self.double_profile_values(&lanes::map(q, T::into)), T::rounded),
        }
    }

    /// g(q) in place of distances, many at a time.
    #[inline(always)]
    pub(crate) fn profile_in_place<T: Number, const Q: usize>(&self, tiles: &mut [Tile<T, Q>]) {
        match &self.form {
            Form::Product(product) => {
                let distances = tiles.as_flattened_mut().as_flattened_mut();
                distances.iter_mut().for_each(|q| *q = product.value_in(*q));
            }
            // A closure this long would not be inlined, and so not compiled for the machine.
            _ => {
                for q in tiles.as_flattened_mut() {
                    *q = self.profile_values(q);
                }
            }
        }
    }

    #[inline(always)]
    fn double_profile_values(&self, q: &Lanes) -> Lanes {
        with_profile!(&self.form, profile => profile.values(q))
    }

    /// Whether single precision resolves the differences of these rows that matter, and saves time: only
    /// the product kernel is evaluated in it.
    pub(crate) fn resolved_in_single(&self, points: Points) -> bool {
        let (bandwidth, largest) = (self.bandwidth(), RESOLVED * self.bandwidth());
        matches!(self.form, Form::Product(_))
            && BANDWIDTHS.contains(&bandwidth)
            && points.as_slice().iter().all(|x| x.abs() <= largest)
    }

    /// ln|g(q)| and its sign, without underflow.
    pub(crate) fn ln_value(&self, q: f64) -> SignedLog {
        with_profile!(&self.form, profile => profile.ln_value(q))
    }

    /// g, g′, g″ at q. Derivatives are 0 at q = 0, where a kink has none.
    pub(crate) fn jet(&self, q: f64) -> ProfileJet {
        if q == 0.0 && self.is_kinked() {
            return ProfileJet { value: 1.0, slope: 0.0, curvature: 0.0 };
        }
        with_profile!(&self.form, profile => profile.jet(q))
    }

    /// g, g′, g″ at q, all times e^(−`ln_scale`): for points so far that g itself underflows.
    pub(crate) fn scaled_jet(&self, q: f64, ln_scale: f64) -> ProfileJet {
        let SignedLog { ln, sign } = self.ln_value(q);
        let value = sign * (ln - ln_scale).exp();
        with_profile!(&self.form, profile => profile.relative_jet(q)).times(value)
    }

    /// The derivative of q in one column, where the column differs by `difference`.
    #[inline(always)]
    pub(crate) fn direction(&self, difference: f64) -> f64 {
        match self.metric() {
            Metric::SquaredEuclidean => 2.0 * difference,
            Metric::Manhattan if difference == 0.0 => 0.0,
            Metric::Manhattan => difference.signum(),
        }
    }

    /// Δₓk from the derivatives of the profile.
    #[inline(always)]
    pub(crate) fn laplacian_of(&self, q: f64, jet: &ProfileJet) -> f64 {
        let d = self.dimension as f64;
        match self.metric() {
            Metric::SquaredEuclidean => 2.0 * d * jet.slope + 4.0 * q * jet.curvature,
            Metric::Manhattan => d * jet.curvature,
        }
    }

    /// (k⋆k)(x − y) / (k⋆k)(0) of four queries against the points of a panel.
    pub(crate) fn autoconvolutions(&self, queries: &Queries, panels: &Panels, p: usize) -> Tile {
        match &self.form {
            Form::Product(product) => product.autoconvolutions(queries, panels.panel(p)),
            _ => queries
                .distances(self.metric(), panels, p)
                .map(|lanes| lanes.map(|q| self.radial_autoconvolution(q))),
        }
    }

    fn radial_autoconvolution(&self, q: f64) -> f64 {
        // Where it has long vanished, before a product of ∞ and 0 appears.
        let length = self.bandwidth * (self.dimension as f64).sqrt();
        let q = q.min(FARTHEST * FARTHEST * length * length);
        match &self.form {
            Form::Product(_) => unreachable!("the product kernel is not radial"),
            Form::Laplacian(laplacian) => laplacian.autoconvolution(q),
            Form::Gaussian(gaussian) => gaussian.autoconvolution(q),
            Form::Sdo(sdo) => sdo.autoconvolution(q),
        }
    }
}

fn check_sdo_dimension(dimension: usize) -> Result<usize> {
    if dimension <= LARGEST_SDO_DIMENSION {
        Ok(dimension)
    } else {
        Err(Error::parameter("the number of columns", dimension, "at most 10000 for SDO kernels"))
    }
}

/// ln of the surface of the unit sphere in d dimensions, 2 π^(d/2) / Γ(d/2).
fn ln_sphere(dimension: usize) -> f64 {
    let half = dimension as f64 / 2.0;
    std::f64::consts::LN_2 + half * std::f64::consts::PI.ln() - libm::lgamma(half)
}
