//! The weight s^d / P(s)ᵖ of a norm with several derivative orders, scaled to its peak.
//!
//! Paper: supplement, the norm with coefficients ā for all derivative orders.
//!
//! ```text
//! P(s) = 1 + Σ_{l=1}^m a_l s²ˡ,   a_l ≥ 0,  a_m > 0,  m > d/2
//! w(u) = e^(du) / (P(e^(u+u₀)) / P(e^u₀))ᵖ,   w(0) = 1 = max w
//! ```
//!
//! Symbols: p = 1 for the kernel, 2 for its autoconvolution; u = ln s − u₀.
//!
//! ln P(e^u) is convex, so ln w is concave with one peak u₀, where d = p (ln P)′(u₀). In these
//! units no coefficient exceeds 1 and no power overflows, whatever the a_l are. P has no zero with
//! |arg s| < π/2m (a polynomial of degree m with coefficients ≥ 0 has none with |arg s²| < π/m).
//!
//! Cost: at most m multiply-adds per value; P is summed from its larger end, until the rest is
//! negligible.
//!
//! Differs from the paper: the paper draws frequencies from this weight at random.

use nalgebra::Complex;

use crate::lanes::{self, LANES, Lanes};

/// Weights below e^−50 of the peak are left out.
const LN_NEGLIGIBLE: f64 = 50.0;

/// The part of P that is left out.
const NEGLIGIBLE: f64 = 1e-18;

/// w, see the module.
#[derive(Debug, Clone)]
pub(crate) struct Weight {
    d: f64,
    /// p.
    power: i32,
    /// c_l, l = 0 … m, with Σ c_l = 1.
    coefficients: Vec<f64>,
    /// u₀ and ln P(e^u₀).
    ln_peak: f64,
    ln_p_peak: f64,
}

impl Weight {
    /// `orders` are a_1 … a_m, already checked.
    pub(crate) fn new(dimension: usize, orders: &[f64], power: i32) -> Self {
        let ln_a: Vec<f64> = std::iter::once(0.0).chain(orders.iter().map(|a| a.ln())).collect();
        let d = dimension as f64;
        let ln_peak = peak(&ln_a, d / f64::from(power));
        let terms: Vec<f64> = ln_terms(&ln_a, ln_peak).collect();
        let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = terms.iter().map(|t| (t - largest).exp()).sum();
        let ln_p_peak = largest + sum.ln();
        let coefficients: Vec<f64> = terms.iter().map(|t| (t - ln_p_peak).exp()).collect();
        Self { d, power, coefficients, ln_peak, ln_p_peak }
    }

    /// u₀: frequencies are in units of e^u₀.
    pub(crate) fn ln_peak(&self) -> f64 {
        self.ln_peak
    }

    /// m.
    pub(crate) fn order(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// The rate 2mp − d at which w falls in the end.
    pub(crate) fn decay(&self) -> f64 {
        f64::from(self.power) * 2.0 * self.order() as f64 - self.d
    }

    /// ln ∫ s^(d−1) / P(s)ᵖ ds, from ∫ w du.
    pub(crate) fn ln_integral(&self, integral: f64) -> f64 {
        self.d * self.ln_peak - f64::from(self.power) * self.ln_p_peak + integral.ln()
    }

    /// w at u.
    pub(crate) fn at(&self, u: f64) -> f64 {
        if u <= 0.0 {
            let p = real_sum(self.coefficients.iter(), (2.0 * u).exp());
            (self.d * u).exp() / p.powi(self.power)
        } else {
            let p = real_sum(self.coefficients.iter().rev(), (-2.0 * u).exp());
            (-self.decay() * u).exp() / p.powi(self.power)
        }
    }

    /// w at `count` places from `first` on, eight at a time; fewer where w e^2u, and so the weight
    /// of anything that grows like the square of the frequency, is negligible.
    pub(crate) fn along(&self, first: f64, step: f64, count: usize) -> Vec<f64> {
        let mut weights = vec![0.0; count.next_multiple_of(LANES)];
        let mut known = count;
        for (group, out) in weights.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let u = std::array::from_fn(|lane| first + (group * LANES + lane) as f64 * step);
            *out = self.at_eight(&u);
            if u[0] > 0.0 && out[0].ln() + 2.0 * u[0] < -LN_NEGLIGIBLE {
                known = known.min(group * LANES);
                break;
            }
        }
        weights.truncate(known);
        weights
    }

    /// w at eight places, increasing.
    fn at_eight(&self, u: &Lanes) -> Lanes {
        if u[0] <= 0.0 && u[LANES - 1] > 0.0 {
            return lanes::map(u, |u| self.at(u));
        }
        let below = u[0] <= 0.0;
        let (rate, sign) = if below { (self.d, 2.0) } else { (-self.decay(), -2.0) };
        lanes::dispatch(
            #[inline(always)]
            || {
                let x = lanes::map(u, |u| lanes::exp(sign * u));
                let p = if below {
                    lane_sums(self.coefficients.iter(), &x)
                } else {
                    lane_sums(self.coefficients.iter().rev(), &x)
                };
                let mut w = [0.0; LANES];
                for lane in 0..LANES {
                    let p = if self.power == 2 { p[lane] * p[lane] } else { p[lane] };
                    w[lane] = lanes::exp_or_zero(rate * u[lane]) / p;
                }
                w
            },
        )
    }

    /// w at u + i·angle, |angle| < π/2m.
    pub(crate) fn at_angle(&self, u: f64, angle: f64) -> Complex<f64> {
        let u = Complex::new(u, angle);
        let (p, exponent) = if u.re <= 0.0 {
            (complex_sum(self.coefficients.iter(), (u * 2.0).exp()), u * self.d)
        } else {
            (complex_sum(self.coefficients.iter().rev(), (u * -2.0).exp()), u * -self.decay())
        };
        exponent.exp() / p.powi(self.power)
    }
}

/// Σ c_k xᵏ for 0 ≤ c_k ≤ 1, |x| ≤ 1, until the rest is negligible.
fn real_sum<'a>(coefficients: impl Iterator<Item = &'a f64>, x: f64) -> f64 {
    let (mut sum, mut power) = (0.0, 1.0);
    for c in coefficients {
        sum += c * power;
        power *= x;
        if power < NEGLIGIBLE * sum {
            break;
        }
    }
    sum
}

/// The same for eight x.
#[inline(always)]
fn lane_sums<'a>(coefficients: impl Iterator<Item = &'a f64>, x: &Lanes) -> Lanes {
    let (mut sum, mut power) = ([0.0; LANES], [1.0; LANES]);
    for c in coefficients {
        let mut open = false;
        for lane in 0..LANES {
            sum[lane] += c * power[lane];
            power[lane] *= x[lane];
            open |= power[lane] >= NEGLIGIBLE * sum[lane];
        }
        if !open {
            break;
        }
    }
    sum
}

/// The same for complex x.
fn complex_sum<'a>(coefficients: impl Iterator<Item = &'a f64>, x: Complex<f64>) -> Complex<f64> {
    let (mut sum, mut power) = (Complex::from(0.0), Complex::from(1.0));
    for c in coefficients {
        sum += power * *c;
        power *= x;
        if power.l1_norm() < NEGLIGIBLE * sum.l1_norm() {
            break;
        }
    }
    sum
}

/// ln a_l + 2lu.
fn ln_terms(ln_a: &[f64], u: f64) -> impl Iterator<Item = f64> {
    ln_a.iter().enumerate().map(move |(l, ln_a)| ln_a + 2.0 * l as f64 * u)
}

/// The u at which (ln P)′, which grows from 0 to 2m, is `target`.
fn peak(ln_a: &[f64], target: f64) -> f64 {
    let growth = |u: f64| {
        let largest = ln_terms(ln_a, u).fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut moment) = (0.0, 0.0);
        for (l, term) in ln_terms(ln_a, u).enumerate() {
            let share = (term - largest).exp();
            sum += share;
            moment += 2.0 * l as f64 * share;
        }
        moment / sum
    };
    let (mut low, mut high) = (-1.0, 1.0);
    while growth(low) > target {
        low *= 2.0;
    }
    while growth(high) < target {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if growth(middle) < target { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_one_at_zero_whatever_the_scale_of_the_coefficients() {
        for orders in [vec![1.0, 1.0], vec![1e30, 2e-30], vec![0.0, 1e-200], vec![1.0, 1e-20]] {
            let weight = Weight::new(3, &orders, 1);
            assert!((weight.at(0.0) - 1.0).abs() < 1e-14);
            assert!(weight.at(0.1) < 1.0 && weight.at(-0.1) < 1.0);
        }
    }

    #[test]
    fn the_weight_is_the_ratio_of_power_and_polynomial() {
        let orders = [0.5, 0.0, 2.0];
        let weight = Weight::new(4, &orders, 2);
        let direct = |s: f64| {
            let p = 1.0 + 0.5 * s.powi(2) + 2.0 * s.powi(6);
            s.powi(4) / (p * p)
        };
        let s0 = weight.ln_peak().exp();
        for u in [-30.0, -3.0, -0.4, 0.0, 0.7, 5.0, 25.0_f64] {
            let expected = direct(s0 * u.exp()) / direct(s0);
            assert!((weight.at(u) / expected - 1.0).abs() < 1e-12, "u = {u}");
            assert!((weight.at_angle(u, 0.0) / expected - 1.0).norm() < 1e-12, "u = {u}");
        }
        let along = weight.along(-5.03, 0.01, 1000);
        for (j, w) in along.iter().enumerate() {
            assert!((w / weight.at(-5.03 + j as f64 * 0.01) - 1.0).abs() < 1e-13, "{j}");
        }
    }
}
