//! Seeded data and comparisons shared by the law tests.

use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use sosrep::kernel::{KernelKind, RadialSampler};

/// Fails with both values and the tolerance, relative to the larger of 1 and the expected value.
macro_rules! assert_close {
    ($found:expr, $expected:expr, $tolerance:expr) => {
        $crate::common::assert_close!($found, $expected, $tolerance, "")
    };
    ($found:expr, $expected:expr, $tolerance:expr, $($context:tt)+) => {{
        let (found, expected, tolerance): (f64, f64, f64) = ($found, $expected, $tolerance);
        let allowed = tolerance * expected.abs().max(1.0);
        assert!(
            (found - expected).abs() <= allowed,
            "found {found}, expected {expected}, off by {:e} where {allowed:e} is allowed; {}",
            (found - expected).abs(),
            format!($($context)+)
        );
    }};
}

pub(crate) fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// n×d standard normal values.
pub(crate) fn normal(n: usize, d: usize, seed: u64) -> Vec<f64> {
    let mut rng = rng(seed);
    (0..n * d).map(|_| StandardNormal.sample(&mut rng)).collect()
}

/// n×d uniform values on [0, 1).
pub(crate) fn uniform(n: usize, d: usize, seed: u64) -> Vec<f64> {
    let mut rng = rng(seed);
    (0..n * d).map(|_| rng.random()).collect()
}

/// The kernels with a closed form or a table.
pub(crate) fn kinds() -> [KernelKind; 4] {
    [KernelKind::Product, KernelKind::Sdo, KernelKind::Laplacian, KernelKind::Gaussian]
}

/// [`kinds`] and the sampled SDO kernel, with enough features for a unique solution.
pub(crate) fn all_kinds() -> Vec<KernelKind> {
    let sampled = KernelKind::SdoSampled { features: 4000, sampler: RadialSampler::Exact };
    kinds().into_iter().chain([sampled]).collect()
}

/// The result of `work` on so many threads.
#[cfg(feature = "rayon")]
pub(crate) fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// The result of `work`: without the feature `rayon` there is one thread.
#[cfg(not(feature = "rayon"))]
pub(crate) fn on_threads<R>(_: usize, work: impl FnOnce() -> R) -> R {
    work()
}

pub(crate) use assert_close;
