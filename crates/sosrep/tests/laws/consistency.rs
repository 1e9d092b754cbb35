//! The paper's consistency theorem: with a = 1/N, ‖u_N − v‖ falls and ‖u_N‖ tends to 1 in L₂.

use sosrep::kernel::{Kernel, KernelKind};
use sosrep::{Density, DensityParams, Points};

use crate::common::rng;
use rand::RngExt;

/// v² ∝ (1 − x²)⁴ on [−1, 1]: compact support, v twice differentiable. Normaliser by hand:
/// ∫ (1 − x²)⁴ dx = 256/315.
fn v(x: f64) -> f64 {
    if x.abs() < 1.0 { (1.0 - x * x).powi(2) * (315.0_f64 / 256.0).sqrt() } else { 0.0 }
}

fn draw(n: usize, seed: u64) -> Vec<f64> {
    let mut rng = rng(seed);
    let mut drawn = Vec::with_capacity(n);
    while drawn.len() < n {
        let x: f64 = rng.random_range(-1.0..1.0);
        if rng.random::<f64>() < (1.0 - x * x).powi(4) {
            drawn.push(x);
        }
    }
    drawn
}

/// The minimiser for the paper's kernel, which is not scaled to 1: k^a = k · k^a(0), so u = √k^a(0) f.
/// k^a(0) = (2π)^(−d) ∫ dω / (1 + ‖bω‖^2m) = 1 / ∫k.
fn root_of_kernel_at_zero(kernel: &Kernel) -> f64 {
    (-0.5 * kernel.ln_integral()).exp()
}

fn fit(rows: &[f64], d: usize) -> (Density, f64) {
    let n = (rows.len() / d) as f64;
    let m = d / 2 + 1;
    // b = a^(1/2m) with a = 1/N.
    let bandwidth = (1.0 / n).powf(1.0 / (2 * m) as f64);
    let params = DensityParams::new().kernel(KernelKind::Sdo).bandwidth(bandwidth);
    let density = params.fit(Points::new(rows, d).unwrap(), None).unwrap();
    let scale = root_of_kernel_at_zero(density.kernel_form().unwrap().kernel());
    (density, scale)
}

/// ‖u − v‖ and ‖u‖ by a grid.
fn distances(density: &Density, scale: f64, grid: &[f64], d: usize, cell: f64) -> (f64, f64) {
    let u = density.values(Points::new(grid, d).unwrap()).unwrap();
    let (mut gap, mut norm) = (0.0, 0.0);
    for (x, u) in grid.chunks_exact(d).zip(u) {
        let (u, v) = (scale * u, x.iter().map(|x| v(*x)).product::<f64>());
        gap += (u - v).powi(2) * cell;
        norm += u * u * cell;
    }
    (gap.sqrt(), norm.sqrt())
}

/// Samples averaged at each size.
const SAMPLES: u64 = 4;

fn check(d: usize, sizes: &[usize], grid: &[f64], cell: f64) {
    let mut last = f64::INFINITY;
    let mut last_norm = 0.0;
    for &n in sizes {
        // Convergence is in probability: a mean over a few samples stands for it.
        let found: Vec<(f64, f64)> = (0..SAMPLES)
            .map(|seed| {
                let (density, scale) = fit(&draw(n * d, seed), d);
                let (gap, norm) = distances(&density, scale, grid, d, cell);
                if n <= 1000 {
                    let by_kernel = (0.5 * density.log_normalizer().unwrap()).exp() * scale;
                    assert!((norm - by_kernel).abs() < 2e-3, "grid {norm}, sum {by_kernel}");
                }
                (gap, norm)
            })
            .collect();
        let gap = found.iter().map(|(gap, _)| gap).sum::<f64>() / SAMPLES as f64;
        assert!(gap < last, "d = {d}, N = {n}: ‖u − v‖ = {gap} after {last}");
        last = gap;
        last_norm = found.iter().map(|(_, norm)| norm).sum::<f64>() / SAMPLES as f64;
    }
    assert!(last < 0.15, "d = {d}: ‖u − v‖ = {last} at the end");
    assert!((last_norm - 1.0).abs() < 0.06, "d = {d}: ‖u‖ = {last_norm} at the end");
}

#[test]
fn the_estimate_converges_in_one_dimension() {
    let grid: Vec<f64> = (-3000..3000).map(|i| (f64::from(i) + 0.5) * 1e-3).collect();
    check(1, &[100, 300, 1000, 3000, 10_000], &grid, 1e-3);
}

#[test]
fn the_estimate_converges_in_two_dimensions() {
    let h = 0.04;
    let axis: Vec<f64> = (-70..70).map(|i| (f64::from(i) + 0.5) * h).collect();
    let grid: Vec<f64> = axis.iter().flat_map(|x| axis.iter().flat_map(|y| [*x, *y])).collect();
    check(2, &[100, 300, 1000, 3000, 10_000], &grid, h * h);
}
