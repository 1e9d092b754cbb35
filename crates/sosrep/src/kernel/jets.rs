//! A kernel's value and Laplacian for eight distances at once.
//!
//! ```text
//! Δₓk = 2d g′(q) + 4q g″(q)   (Euclidean)        Δₓk = d g″(q)   (Manhattan)
//! ```
//!
//! The same numbers as [`Kernel::jet`] gives for one distance, which stays for points where the
//! kernel underflows and has to be taken in logarithms.
//!
//! Cost: about twice that of the value alone. Numerics: where a kernel has a kink, at q = 0, its
//! derivatives count as zero.
//!
//! Differs from the paper: none.

use super::profile::Profile;
use super::{Form, Kernel, ProfileJet, with_profile};
use crate::lanes::{LANES, Lanes};
use crate::panels::Metric;

/// g, g′ and g″ at eight arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProfileJets {
    pub(crate) value: Lanes,
    pub(crate) slope: Lanes,
    pub(crate) curvature: Lanes,
}

impl ProfileJets {
    pub(super) const ZERO: Self =
        Self { value: [0.0; LANES], slope: [0.0; LANES], curvature: [0.0; LANES] };

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> ProfileJet {
        ProfileJet {
            value: self.value[lane],
            slope: self.slope[lane],
            curvature: self.curvature[lane],
        }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, jet: ProfileJet) {
        self.value[lane] = jet.value;
        self.slope[lane] = jet.slope;
        self.curvature[lane] = jet.curvature;
    }

    /// From derivatives in v = `scale`·q to derivatives in q.
    #[inline(always)]
    pub(super) fn rescaled(&self, scale: f64) -> Self {
        let mut jets = *self;
        for lane in 0..LANES {
            jets.set(lane, self.get(lane).rescaled(scale));
        }
        jets
    }
}

impl Kernel {
    /// k and Δₓk for eight distances.
    #[inline(always)]
    pub(crate) fn values_and_laplacians(&self, q: &Lanes) -> [Lanes; 2] {
        let jets = self.jets(q);
        let d = self.dimension as f64;
        let mut laplacian = [0.0; LANES];
        for lane in 0..LANES {
            laplacian[lane] = match self.metric() {
                Metric::Manhattan => d * jets.curvature[lane],
                // A kink has no derivatives.
                Metric::SquaredEuclidean if q[lane] == 0.0 && self.is_kinked() => 0.0,
                Metric::SquaredEuclidean => {
                    2.0 * d * jets.slope[lane] + 4.0 * q[lane] * jets.curvature[lane]
                }
            };
        }
        [jets.value, laplacian]
    }

    /// g, g′, g″ at eight distances; at q = 0 of a kink the derivatives are anything.
    #[inline(always)]
    fn jets(&self, q: &Lanes) -> ProfileJets {
        with_profile!(&self.form, profile => profile.jets(q))
    }

    /// Whether the profile has a kink at q = 0; that of the product kernel is one of single columns.
    #[inline(always)]
    pub(super) fn is_kinked(&self) -> bool {
        !matches!(self.form, Form::Product(_) | Form::Gaussian(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KernelKind;
    use crate::lanes::map;

    fn kernels() -> impl Iterator<Item = Kernel> {
        let kinds = |d: usize| {
            [KernelKind::Product, KernelKind::Gaussian, KernelKind::Laplacian, KernelKind::Sdo]
                .map(|kind| Kernel::new(&kind, d, 0.5).unwrap())
        };
        [2, 3, 30, 600].into_iter().flat_map(kinds)
    }

    #[test]
    fn eight_lanes_are_eight_jets() {
        let sets: [Lanes; 3] = [
            [0.0, 1e-100, 1e-20, 1e-5, 0.1, 1.0, 2.0, 30.0],
            [0.0, 1e3, 1.0, 5e3, 1e4, 60.0, 7e4, 1e5],
            [40.0, 50.0, 70.0, 100.0, 300.0, 500.0, 1e4, 1e7],
        ];
        for kernel in kernels() {
            for q in sets.map(|q| map(&q, |q| q * kernel.dimension() as f64)) {
                let [values, laplacians] = kernel.values_and_laplacians(&q);
                assert_eq!(values, kernel.profile_values(&q));
                for lane in 0..LANES {
                    let jet = kernel.jet(q[lane]);
                    let expected = kernel.laplacian_of(q[lane], &jet);
                    // Sums that cancel, near a zero of the kernel, keep digits of their terms only.
                    let terms = (2.0 * kernel.dimension() as f64 * jet.slope).abs()
                        + (4.0 * q[lane] * jet.curvature).abs();
                    let what =
                        format!("{:?} {} {}", kernel.kind().name(), kernel.dimension(), q[lane]);
                    assert!((values[lane] - jet.value).abs() <= 1e-12 * jet.value.abs(), "{what}");
                    assert!((laplacians[lane] - expected).abs() <= 1e-12 * terms, "{what}");
                }
            }
        }
    }
}
