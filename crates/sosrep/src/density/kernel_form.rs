//! f = Σ_i α_i k(x_i, ·): evaluation, derivatives, normaliser, self-influence.
//!
//! ```text
//! scores                 Σ_i α_i k(x_i, y) from k in single precision, where that resolves the rows
//! far from all rows      ln|f| = M + ln|Σ_i α_i sign(k_i) e^(ln|k_i| − M)|,   M = max_i ln|α_i k_i|
//! self-influence         s_i = α_i k(x_i, x_i) / f(x_i) ∈ (0, 1]
//! without row i          f − α_i k(x_i, ·), the other coefficients as they are
//! ```
//!
//! See [`density`](crate::density) for the equations. Differs from the paper: none.

mod laplacian_ratio;

use std::sync::OnceLock;

use super::{Jet, ln_abs};
use crate::error::Result;
use crate::gram::KernelAt;
use crate::kernel::{Kernel, SignedLog};
use crate::lanes::{self, LANES, SMALLEST_SINGLE};
use crate::monitor::{Monitor, Stage, report_progress};
use crate::panels::{Panels, QUERIES, Queries, Route, group, padded};
use crate::parallel;
use crate::points::{Points, expect_finite};

/// Below this |f| is summed again in logarithms: well above the smallest normal number.
const UNDERFLOW: f64 = 1e-250;

/// Rows evaluated with a panel together: their sums fill the vector registers but for the operands.
const ROWS: usize = 5;
const ROWS_IN_SINGLE: usize = 12;

/// What rounding may do to ln k of two close rows.
const NEGLIGIBLE: f64 = 1e-10;
const NEGLIGIBLE_IN_SINGLE: f64 = 0.01;

/// In single precision k is no smaller than [`SMALLEST_SINGLE`]: below this multiple of what f would be if
/// all its terms were so, it is summed in double precision.
const ABOVE_SMALLEST: f64 = 1e6;

/// ln k where the distance itself overflows.
const FARTHEST: f64 = -1e300;

/// Groups of four rows of the normaliser per progress callback.
const GROUPS_AT_ONCE: usize = 64;

/// Coefficients on support rows.
#[derive(Debug, Clone)]
pub struct KernelForm {
    kernel: Kernel,
    support: Vec<f64>,
    panels: Panels,
    /// How distances are computed where many rows are scored at once.
    route: Route,
    /// The support and the route of scores, where single precision resolves it.
    single: Option<(Panels<f32>, Route)>,
    /// α, padded with zeros to whole panels.
    alpha: Vec<f64>,
    /// f(x_i) at the support rows.
    values: Vec<f64>,
    log_normalizer: OnceLock<f64>,
}

impl KernelForm {
    /// The function Σ α_i k(x_i, ·).
    ///
    /// # Errors
    /// Lengths that differ, coefficients that are not finite.
    pub fn new(kernel: Kernel, support: Points, alpha: &[f64]) -> Result<Self> {
        let mut form = Self::with_values(kernel, support, alpha, &vec![0.0; support.rows()])?;
        form.values = form.values(support);
        Ok(form)
    }

    /// The same with its values f(x_i) on the support rows, where they are known.
    pub(crate) fn with_values(
        kernel: Kernel,
        support: Points,
        alpha: &[f64],
        values: &[f64],
    ) -> Result<Self> {
        support.expect_columns(kernel.dimension())?;
        expect_finite("alpha", alpha, support.rows())?;
        expect_finite("values", values, support.rows())?;
        let panels = Panels::new(support);
        let single = kernel.resolved_in_single(support).then(|| {
            let panels = Panels::new(support);
            let route = kernel.fastest_route(&panels, NEGLIGIBLE_IN_SINGLE);
            (panels, route)
        });
        Ok(Self {
            route: kernel.fastest_route(&panels, NEGLIGIBLE),
            single,
            kernel,
            panels,
            support: support.as_slice().to_vec(),
            alpha: padded(alpha),
            values: values.to_vec(),
            log_normalizer: OnceLock::new(),
        })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The rows x_i.
    pub fn support(&self) -> Points<'_> {
        Points::new_unchecked(&self.support, self.kernel.dimension())
    }

    /// The coefficients α_i.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha[..self.values.len()]
    }

    /// f(x_i) at the support rows.
    pub fn support_values(&self) -> &[f64] {
        &self.values
    }

    /// s_i = α_i k(x_i, x_i) / f(x_i): how much of a row's density is the row itself.
    pub fn self_influence(&self) -> Vec<f64> {
        self.alpha().iter().zip(&self.values).map(|(a, f)| a / f).collect()
    }

    pub(super) fn values(&self, points: Points) -> Vec<f64> {
        let Self { kernel, panels, route, alpha, .. } = self;
        KernelAt { kernel, panels, route: *route }.cross_product::<ROWS>(alpha, points)
    }

    pub(crate) fn ln_abs_values(&self, points: Points) -> Vec<f64> {
        let values = self.values(points);
        parallel::map(values.len(), |i| {
            let f = values[i];
            if f.abs() > UNDERFLOW {
                f.abs().ln()
            } else {
                self.ln_abs_from(&self.distances(points.row(i)))
            }
        })
    }

    /// ln|f| good enough for scores: as [`ln_abs_values`](Self::ln_abs_values) up to the rounding of single
    /// precision, where that resolves the rows.
    pub(crate) fn ln_abs_for_scores(&self, points: Points) -> Vec<f64> {
        let Some((panels, route)) = &self.single else { return self.ln_abs_values(points) };
        let at = KernelAt { kernel: &self.kernel, panels, route: *route };
        // A sum is that of its own row, however many are computed together.
        let mut values = match points.rows() {
            1 => at.cross_product::<1>(&self.alpha, points),
            _ => at.cross_product::<ROWS_IN_SINGLE>(&self.alpha, points),
        };
        let sum: f64 = self.alpha.iter().map(|alpha| alpha.abs()).sum();
        let least = ABOVE_SMALLEST * SMALLEST_SINGLE * sum;
        let far: Vec<usize> = (0..values.len()).filter(|&i| values[i].abs() <= least).collect();
        values.iter_mut().for_each(|value| *value = value.abs().ln());
        let rows = points.select(&far);
        let exact = match far.is_empty() {
            true => Vec::new(),
            false => self.ln_abs_values(Points::new_unchecked(&rows, points.columns())),
        };
        far.into_iter().zip(exact).for_each(|(i, exact)| values[i] = exact);
        values
    }

    /// The distance of `x` to every support row, padded to whole panels.
    fn distances(&self, x: &[f64]) -> Vec<f64> {
        let query = Queries::one(x);
        let mut q = vec![0.0; self.alpha.len()];
        lanes::dispatch(
            #[inline(always)]
            || {
                for (p, out) in q.chunks_exact_mut(LANES).enumerate() {
                    let [distances] = query.distances(self.kernel.metric(), &self.panels, p);
                    out.copy_from_slice(&distances);
                }
            },
        );
        q
    }

    /// ln|α_i k_i| and the sign of α_i k_i, for the support rows.
    fn ln_terms<'a>(&'a self, q: &'a [f64]) -> impl Iterator<Item = SignedLog> + 'a {
        self.alpha().iter().zip(q).map(|(a, &q)| {
            let k = self.kernel.ln_value(q);
            // A distance that overflows still leaves something finite, below all others.
            let ln = k.ln.max(FARTHEST) + a.abs().ln();
            SignedLog { ln, sign: k.sign * a.signum() }
        })
    }

    /// The largest ln|α_i k_i|: the scale in which a sum of them does not underflow.
    fn ln_largest(&self, q: &[f64]) -> f64 {
        ln_largest(self.ln_terms(q))
    }

    fn ln_abs_from(&self, q: &[f64]) -> f64 {
        ln_abs_sum(&self.ln_terms(q).collect::<Vec<_>>())
    }

    /// ln|f(x_i) − `share` α_i| for support row i, the terms of the other rows summed in logarithms.
    pub(crate) fn ln_abs_without(&self, i: usize, share: f64) -> f64 {
        let q = self.distances(self.support().row(i));
        let mut terms: Vec<SignedLog> = self.ln_terms(&q).collect();
        terms[i].ln += (1.0 - share).ln();
        ln_abs_sum(&terms)
    }

    /// f from distances to the support rows, in the order of [`KernelAt::cross_product`].
    fn sum(&self, q: &[f64]) -> f64 {
        lanes::dispatch(
            #[inline(always)]
            || {
                let mut sums = [0.0; LANES];
                for p in 0..self.panels.count() {
                    let k = self.kernel.profile_values(group(q, p));
                    let alpha = group(&self.alpha, p);
                    for lane in 0..LANES {
                        sums[lane] += alpha[lane] * k[lane];
                    }
                }
                lanes::sum(&sums)
            },
        )
    }

    pub(super) fn jet(&self, x: &[f64]) -> Jet {
        let q = self.distances(x);
        let (mut jet, slopes) = self.radial_jet(&q);
        jet.gradient = vec![0.0; x.len()];
        for p in 0..self.panels.count() {
            let slopes = group(&slopes, p);
            let columns = self.panels.panel(p).as_chunks::<LANES>().0;
            for ((gradient, x), points) in jet.gradient.iter_mut().zip(x).zip(columns) {
                for lane in 0..LANES {
                    *gradient += slopes[lane] * self.kernel.direction(x - points[lane]);
                }
            }
        }
        jet
    }

    /// f and Δf only: the gradient, which costs as much as the distances again, is left empty.
    fn jet_without_gradient(&self, x: &[f64]) -> Jet {
        self.radial_jet(&self.distances(x)).0
    }

    /// f and Δf from distances, and α_i g′(q_i) for every row, all in the same scale.
    fn radial_jet(&self, q: &[f64]) -> (Jet, Vec<f64>) {
        let near = self.sum(q).abs() > UNDERFLOW;
        let ln_scale = if near { 0.0 } else { self.ln_largest(q) };
        let mut jet = Jet { ln_scale, value: 0.0, gradient: Vec::new(), laplacian: 0.0 };
        let mut slopes = vec![0.0; q.len()];
        for ((&q, &alpha), slope) in q.iter().zip(&self.alpha).zip(&mut slopes) {
            if alpha == 0.0 {
                continue;
            }
            let k = if near { self.kernel.jet(q) } else { self.kernel.scaled_jet(q, ln_scale) };
            jet.value += alpha * k.value;
            jet.laplacian += alpha * self.kernel.laplacian_of(q, &k);
            *slope = alpha * k.slope;
        }
        (jet, slopes)
    }

    /// log ∫f², found once; an error only if the monitor asks to stop. Coefficients are taken in units
    /// of the largest, since their products may underflow; a sum that rounding leaves at 0 or
    /// below is floored.
    pub(super) fn log_normalizer(&self, monitor: Monitor) -> Result<f64> {
        if let Some(known) = self.log_normalizer.get() {
            return Ok(*known);
        }
        let (support, rows) = (self.support(), self.support().rows());
        let query_groups = rows.div_ceil(QUERIES);
        // A power of two, so that it changes no bit.
        let largest = self.alpha.iter().fold(f64::MIN_POSITIVE, |l, a| l.max(a.abs()));
        let unit = largest.log2().floor().exp2();
        let mut sums: Vec<f64> = Vec::with_capacity(query_groups);
        while sums.len() < query_groups {
            let first = sums.len();
            report_progress(monitor, Stage::Normalize, (first * QUERIES).min(rows), rows)?;
            let count = GROUPS_AT_ONCE.min(query_groups - first);
            let share = |i: usize| self.squared_share(support, (first + i) * QUERIES, unit);
            sums.extend(parallel::map(count, share));
        }
        report_progress(monitor, Stage::Normalize, rows, rows)?;
        let sum = sums.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let log_normalizer = self.kernel.ln_square_integral() + sum.ln() + 2.0 * unit.ln();
        Ok(*self.log_normalizer.get_or_init(|| log_normalizer))
    }

    /// Σ_j α_i α_j (k⋆k)(x_i − x_j) / (k⋆k)(0) in units of `unit`², for four rows i from `first`.
    fn squared_share(&self, support: Points, first: usize, unit: f64) -> f64 {
        let queries = Queries::new(support, first);
        let mut sums = [[0.0; LANES]; QUERIES];
        lanes::dispatch(
            #[inline(always)]
            || {
                for p in 0..self.panels.count() {
                    let c = self.kernel.autoconvolutions(&queries, &self.panels, p);
                    let alpha = group(&self.alpha, p);
                    for (sum, c) in sums.iter_mut().zip(&c) {
                        for lane in 0..LANES {
                            sum[lane] += alpha[lane] / unit * c[lane];
                        }
                    }
                }
            },
        );
        let own = &self.alpha[first..];
        sums.iter().zip(own).map(|(sum, a)| a / unit * lanes::sum(sum)).sum()
    }
}

/// The largest logarithm, or 0 if all terms vanish.
fn ln_largest(terms: impl Iterator<Item = SignedLog>) -> f64 {
    let largest = terms.map(|term| term.ln).fold(f64::NEG_INFINITY, f64::max);
    if largest.is_finite() { largest } else { 0.0 }
}

/// ln|Σ sign e^ln|.
fn ln_abs_sum(terms: &[SignedLog]) -> f64 {
    let largest = ln_largest(terms.iter().copied());
    let sum: f64 = terms.iter().map(|term| term.sign * (term.ln - largest).exp()).sum();
    ln_abs(sum) + largest
}
