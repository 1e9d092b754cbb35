//! The transform of a weight at Chebyshev nodes of every power of two of v, and between them.
//!
//! ```text
//! g(v) = Σ_n c_n g(v_n) / (x − x_n)  /  Σ_n c_n / (x − x_n),   c_n = (−1)ⁿ sin θ_n,  x_n = cos θ_n
//! ```
//!
//! Symbols: v = 2^octave (1.5 + x/2), −1 ≤ x < 1; θ_n = π (n + ½) / 48.
//!
//! Cost: the weight is computed once per node, for all octaves, nodes side by side on all threads.
//! Numerics: below v = 1 the samples are of 1 − g, which keeps its digits.
//!
//! Differs from the paper: no counterpart there.

use std::f64::consts::PI;

use rayon::prelude::*;

use super::SMALLEST_VALUE;
use super::hankel::Hankel;
use super::weight::Weight;
use crate::kernel::radial_table::edge_above;

/// Chebyshev nodes per power of two of v: enough for 19 radians either side of the middle.
const NODES: usize = 48;
/// The power of two that the samples begin with.
pub(super) const LOWEST_OCTAVE: i32 = -80;

/// Samples of one transform.
pub(super) struct Samples {
    octaves: Vec<[f64; NODES]>,
    /// x_n and c_n.
    places: [f64; NODES],
    shares: [f64; NODES],
    integral: f64,
}

impl Samples {
    /// The normalised transform up to `limit`: 1 − g below v = 1 and g above.
    pub(super) fn new(dimension: usize, weight: &Weight, limit: f64) -> Self {
        let angles: [f64; NODES] =
            std::array::from_fn(|node| PI * (node as f64 + 0.5) / NODES as f64);
        let places = angles.map(f64::cos);
        let hankel = Hankel::new(dimension, weight, LOWEST_OCTAVE);
        let (near, all) = (LOWEST_OCTAVE.unsigned_abs() as usize, octaves_to(limit));
        let columns: Vec<(f64, Vec<f64>)> = places
            .par_iter()
            .map(|x| {
                let place = hankel.place(dimension, 1.5 + 0.5 * x, LOWEST_OCTAVE);
                let integral = hankel.integral(&place);
                let deficits = (0..near).map(|octave| hankel.deficit(&place, octave));
                let values = (near..all).map(|octave| hankel.value(&place, octave));
                (integral, deficits.chain(values).map(|sum| sum / integral).collect())
            })
            .collect();
        Self {
            octaves: (0..all)
                .map(|octave| std::array::from_fn(|node| columns[node].1[octave]))
                .collect(),
            places,
            shares: std::array::from_fn(|node| {
                if node % 2 == 0 { angles[node].sin() } else { -angles[node].sin() }
            }),
            integral: columns[NODES - 1].0,
        }
    }

    /// ∫ w du.
    pub(super) fn integral(&self) -> f64 {
        self.integral
    }

    /// The end of the last sample before `limit` that is not negligible.
    pub(super) fn end(&self, limit: f64) -> f64 {
        let mut end = 1.0;
        let far = (LOWEST_OCTAVE..).zip(&self.octaves[..octaves_to(limit)]);
        for (octave, row) in far.skip_while(|(octave, _)| *octave < 0) {
            for (x, sample) in self.places.iter().zip(row) {
                let v = 2.0_f64.powi(octave) * (1.5 + 0.5 * x);
                if sample.abs() > SMALLEST_VALUE && v > end {
                    end = v;
                }
            }
        }
        edge_above(end.min(limit))
    }

    /// The samples' polynomial at v, in barycentric form.
    pub(super) fn at(&self, v: f64) -> f64 {
        let octave = v.log2().floor() as i32;
        let row = &self.octaves[(octave - LOWEST_OCTAVE) as usize];
        let x = (v / 2.0_f64.powi(octave) - 1.5) * 2.0;
        let (mut above, mut below) = (0.0, 0.0);
        for ((place, share), sample) in self.places.iter().zip(&self.shares).zip(row) {
            let distance = x - place;
            if distance == 0.0 {
                return *sample;
            }
            let share = share / distance;
            above += share * sample;
            below += share;
        }
        above / below
    }
}

/// Octaves from the lowest up to `limit`.
fn octaves_to(limit: f64) -> usize {
    (limit.log2().ceil() as i32 - LOWEST_OCTAVE) as usize
}
