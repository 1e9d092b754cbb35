//! ∫ w(u) Λ_d(e^u ρ) du for any weight with several derivative orders, at every ρ of a grid.
//!
//! Paper: Section 4 and the supplement, the kernel in integral form with a general norm.
//!
//! The integral over y = sρ is split by an analytic cut-off χ(y) = exp(−(y/T)²ᵐ), T = ν + 2:
//!
//! ```text
//! ∫ w Λ_d du = ∫ w Λ_d χ du + Re ∫ w Λ⁺ (1−χ) du,   Λ⁺(y) = Γ(d/2) (2/y)^ν H⁽¹⁾_ν(y)
//! ```
//!
//! The first part ends before Λ_d oscillates. The second is turned by φ = π/8m into the upper half
//! plane, where H⁽¹⁾ decays exponentially and neither w nor χ has a singularity; 1 − χ ~ y²ᵐ
//! removes the singularity of H⁽¹⁾ at 0. Both are trapezoidal sums in u, which are exact to
//! e^(−2π·strip/h). For d ≥ 40, Λ_d falls so fast behind ν that the first part with χ = 1 is all.
//!
//! Symbols: w see [`Weight`], Λ_d see [`SphereWave`], ν = d/2 − 1, n the nodes yₙ = e^(nh).
//!
//! Cost: Bessel functions once per node; a sum over nodes for each ρ. The step h divides ½ ln 2, so
//! that doubling v = ρ²/d moves the weight by a whole number of nodes: it is computed once per
//! place within a power of two.
//!
//! Numerics: for small ρ the sum is over w (1 − Λ_d χ): 1 − g keeps its digits. For large ρ the
//! error is about 1e-15 absolute.
//!
//! Differs from the paper: the paper samples; the classical alternative (Ogata's rule at the zeros
//! of J_ν) needs a finer step for every smaller ρ, this one does not.

use std::f64::consts::{LN_2, PI};

use complex_bessel::hankel1;
use nalgebra::Complex;
use rayon::prelude::*;

use super::weight::Weight;
use crate::kernel::sdo::sphere_wave::{Enveloped, SphereWave};
use crate::lanes::dot;

/// From this dimension on Λ_d itself ends the integral.
const FAST_DECAY: usize = 40;
/// Integrand below e^−45 of its peak is left out.
const LN_NEGLIGIBLE: f64 = 45.0;

/// What the weight is summed against at one node.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// Λ_d χ, and 1 minus it.
    wave: f64,
    deficit: f64,
    /// Λ⁺ (1−χ) on the turned path.
    turned: Complex<f64>,
}

/// Sums against Λ_d for one weight.
pub(super) struct Hankel<'a> {
    weight: &'a Weight,
    step: f64,
    steps_per_octave: usize,
    angle: f64,
    ln_first: f64,
    /// The parts of the [`Node`]s; `turned` is empty where it is not needed.
    waves: Vec<f64>,
    deficits: Vec<f64>,
    turned: [Vec<f64>; 2],
}

/// One place within a power of two of v: the weight at all nodes.
pub(super) struct Place {
    /// Up to where what is left is negligible.
    straight: Vec<f64>,
    turned: [Vec<f64>; 2],
    /// Σ_{i≥j} w_i.
    tails: Vec<f64>,
}

impl<'a> Hankel<'a> {
    /// Prepares for v = ρ²/d from 2^`lowest_octave` on.
    pub(super) fn new(dimension: usize, weight: &'a Weight, lowest_octave: i32) -> Self {
        let (d, m) = (dimension as f64, weight.order() as f64);
        let nu = d / 2.0 - 1.0;
        let has_turned = dimension < FAST_DECAY;
        let largest_step = if has_turned { (0.065 / m).min(0.04) } else { 0.25 / m };
        let steps_per_octave = (0.5 * LN_2 / largest_step).ceil();
        let step = 0.5 * LN_2 / steps_per_octave;
        let angle = PI / (8.0 * m);
        let ln_lowest = 0.5 * (d.ln() + f64::from(lowest_octave) * LN_2);
        let ln_first = ln_lowest - left_reach(weight);
        let ln_last = if has_turned { cut_end(nu, m, angle) } else { nu.ln() + LN_NEGLIGIBLE / nu };
        let count = ((ln_last - ln_first) / step).ceil() as usize;
        let wave = SphereWave::new(dimension);
        let node = |n: usize| {
            let ln_y = ln_first + n as f64 * step;
            if has_turned { cut_node(&wave, nu, m, angle, ln_y) } else { whole_node(&wave, ln_y) }
        };
        let nodes: Vec<Node> = (0..count).into_par_iter().map(node).collect();
        let turned = nodes.iter().filter(|_| has_turned).map(|node| node.turned);
        Self {
            weight,
            step,
            steps_per_octave: steps_per_octave as usize,
            angle,
            ln_first,
            waves: nodes.iter().map(|node| node.wave).collect(),
            deficits: nodes.iter().map(|node| node.deficit).collect(),
            turned: [turned.clone().map(|z| z.re).collect(), turned.map(|z| z.im).collect()],
        }
    }

    /// The weight for v = `v`·2^octave, 1 ≤ v < 2, and octaves from `lowest_octave` on.
    pub(super) fn place(&self, dimension: usize, v: f64, lowest_octave: i32) -> Place {
        let ln_rho = 0.5 * (v * dimension as f64).ln();
        let lowest = f64::from(lowest_octave) * 0.5 * LN_2;
        // Entry j belongs to node j in the lowest octave.
        let u = |j: usize| self.ln_first + j as f64 * self.step - ln_rho - lowest;
        let count = self.waves.len();
        let straight = self.weight.along(u(0), self.step, count);
        let turned = (0..self.turned[0].len()).map(|j| self.weight.at_angle(u(j), self.angle));
        let (real, imaginary) = turned.map(|w| (w.re, w.im)).unzip();
        let last = straight.last().copied().unwrap_or(0.0);
        let ratio = (-self.weight.decay() * self.step).exp();
        let mut sum = last * ratio / (1.0 - ratio);
        let mut tails = vec![sum; straight.len() + 1];
        for (tail, w) in tails.iter_mut().zip(&straight).rev() {
            sum += w;
            *tail = sum;
        }
        Place { straight, turned: [real, imaginary], tails }
    }

    /// ∫ w du.
    pub(super) fn integral(&self, place: &Place) -> f64 {
        self.step * place.tails[0]
    }

    /// ∫ w Λ du, `octaves` above the lowest.
    pub(super) fn value(&self, place: &Place, octaves: usize) -> f64 {
        let skipped = octaves * self.steps_per_octave;
        let sum = shifted_dot(&self.waves, &place.straight, skipped);
        self.step * (sum + self.turned_sum(place, skipped))
    }

    /// ∫ w (1 − Λ) du, `octaves` above the lowest.
    pub(super) fn deficit(&self, place: &Place, octaves: usize) -> f64 {
        let skipped = octaves * self.steps_per_octave;
        let sum = shifted_dot(&self.deficits, &place.straight, skipped);
        let past = self.deficits.len().saturating_sub(skipped);
        let rest = place.tails[past.min(place.straight.len())];
        self.step * (sum + rest - self.turned_sum(place, skipped))
    }

    fn turned_sum(&self, place: &Place, skipped: usize) -> f64 {
        shifted_dot(&self.turned[0], &place.turned[0], skipped)
            - shifted_dot(&self.turned[1], &place.turned[1], skipped)
    }
}

/// Σ_j `nodes[j + skipped] · weights[j]`: a larger ρ meets the weight's entries with later nodes.
fn shifted_dot(nodes: &[f64], weights: &[f64], skipped: usize) -> f64 {
    let nodes = &nodes[skipped.min(nodes.len())..];
    let count = nodes.len().min(weights.len());
    dot(&nodes[..count], &weights[..count])
}

/// How far below its peak the weight starts to matter.
fn left_reach(weight: &Weight) -> f64 {
    let mut u = -0.01;
    while weight.at(u).ln() > -LN_NEGLIGIBLE {
        u *= 1.2;
    }
    -u
}

/// ln y at which both e^(−y sin φ) and χ(y) are negligible.
fn cut_end(nu: f64, m: f64, angle: f64) -> f64 {
    let turned = (LN_NEGLIGIBLE / angle.sin()).ln();
    turned.max((nu + 2.0).ln() + LN_NEGLIGIBLE.ln() / (2.0 * m))
}

fn whole_node(wave: &SphereWave, ln_y: f64) -> Node {
    let y = ln_y.exp();
    let Enveloped { ln_envelope, factor } = wave.at(y);
    let turned = Complex::new(0.0, 0.0);
    Node { wave: ln_envelope.exp() * factor, deficit: wave.deficit(y), turned }
}

fn cut_node(wave: &SphereWave, nu: f64, m: f64, angle: f64, ln_y: f64) -> Node {
    let y = ln_y.exp();
    let ln_ratio = ln_y - (nu + 2.0).ln();
    let ln_cut = -(2.0 * m * ln_ratio).exp();
    if ln_cut < -LN_NEGLIGIBLE {
        return Node { wave: 0.0, deficit: 1.0, turned: turned_wave(nu, m, angle, ln_y) };
    }
    let Enveloped { ln_envelope, factor } = wave.at(y);
    let whole = ln_envelope.exp() * factor;
    Node {
        wave: whole * ln_cut.exp(),
        deficit: wave.deficit(y) - whole * ln_cut.exp_m1(),
        turned: turned_wave(nu, m, angle, ln_y),
    }
}

/// Λ⁺(z) (1 − χ(z)) at z = e^(ln_y + i·angle); below y = 1e-13 T it is as good as 0.
fn turned_wave(nu: f64, m: f64, angle: f64, ln_y: f64) -> Complex<f64> {
    let ln_z = Complex::new(ln_y, angle);
    let ln_ratio = ln_z - (nu + 2.0).ln();
    if ln_ratio.re < -30.0 {
        return Complex::new(0.0, 0.0);
    }
    let ratio = (ln_ratio * 2.0 * m).exp();
    let rest = one_minus_exp(ratio);
    let Ok(wave) = hankel1(nu, ln_z.exp()) else { return Complex::new(0.0, 0.0) };
    let power = ((Complex::from(2.0_f64.ln()) - ln_z) * nu + libm::lgamma(nu + 1.0)).exp();
    // Small first: (2/z)^ν and H⁽¹⁾ are both large where 1 − χ is small.
    wave * rest * power
}

/// 1 − e^(−x) without cancellation, Re x ≥ 0.
fn one_minus_exp(x: Complex<f64>) -> Complex<f64> {
    if x.norm() > 0.1 {
        return Complex::from(1.0) - (-x).exp();
    }
    let mut term = x;
    let mut sum = x;
    for n in 2..14 {
        term *= -x / f64::from(n);
        sum += term;
    }
    sum
}
