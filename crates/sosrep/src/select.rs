//! Choosing the bandwidth: a criterion, a rule to read its curve, and the whole curve with the choice.
//!
//! Paper: supplement, "Fisher Divergence for Hyper-Parameters Selection" and "Hyperparameter
//! Tuning with On-the-fly Fisher-Divergence Minimization".
//!
//! | criterion | value at b (lower is better) |
//! |---|---|
//! | [`Fisher`](Criterion::Fisher) | mean of 2Δf/f over held-out rows, exact |
//! | [`Hutchinson`](Criterion::Hutchinson) | the same by random probes and a finite step, as in the paper; far off at small bandwidths |
//! | [`Likelihood`](Criterion::Likelihood) | −mean log p over held-out rows, p normalised |
//! | [`SelfInfluence`](Criterion::SelfInfluence) | abs(log(median s_i / target)) |
//!
//! Rows may be given to be evaluated on; then none is held out, and all others are fitted
//! ([`DensityParams::judged_by`](crate::DensityParams::judged_by)).
//!
//! Cost: one fit a bandwidth; tables are built and, as far as memory allows, distances computed
//! once. Starting a fit at the coefficients of the nearest bandwidth was tried and saves nothing: it
//! takes as many products with the kernel matrix as starting from its row sums. Rules that stop
//! early leave the rest of the grid out of the curve. A criterion that is not finite counts as the
//! worst value.
//!
//! Differs from the paper: exact Fisher divergence, likelihood and self-influence are not in it.
//!
//! ```
//! use sosrep::select::{Criterion, SelectOptions};
//! use sosrep::{DensityParams, Points, kernel::KernelKind};
//!
//! // Quantiles of the logistic distribution, in a scrambled order.
//! let rows: Vec<f64> = (1..400)
//!     .map(|i| f64::from(i * 77 % 401) / 401.0)
//!     .map(|u| (u / (1.0 - u)).ln())
//!     .collect();
//! let options = SelectOptions::new(Criterion::Likelihood);
//! let params = DensityParams::new().kernel(KernelKind::Gaussian).bandwidth(options);
//! let selection = params.tune(Points::new(&rows, 1)?, None)?;
//! assert_eq!(selection.curve.len(), 15);
//! assert!(selection.bandwidth > 0.05 && selection.bandwidth < 2.0);
//! # Ok::<(), sosrep::Error>(())
//! ```

mod fisher;
mod influence;
mod likelihood;
mod options;
mod rule;

use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

pub use fisher::{Hutchinson, fisher_divergence, hutchinson_divergence};
pub(crate) use options::BANDWIDTH;
pub use options::{Criterion, SelectOptions, default_grid};
pub use rule::Rule;

use crate::density::{DensityFit, Refitter};
use crate::error::{Error, Result};
use crate::monitor::{Monitor, Progress, Stage, report_progress};
use crate::parameter::null_as_nan;
use crate::points::{Points, Weights, expect_length};
use crate::random::generator;

/// The criterion at one bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CurvePoint {
    /// The bandwidth.
    pub bandwidth: f64,
    /// The criterion: lower is better.
    #[serde(deserialize_with = "null_as_nan")]
    pub value: f64,
    /// Steps the solver took.
    pub iterations: usize,
    /// Residual of the solver.
    #[serde(deserialize_with = "null_as_nan")]
    pub residual: f64,
}

/// The choice and the curve it was read from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Selection {
    /// The bandwidth chosen.
    pub bandwidth: f64,
    /// What was tried and how it was read.
    pub options: SelectOptions,
    /// Every bandwidth that was evaluated, increasing.
    pub curve: Vec<CurvePoint>,
}

/// What a bandwidth must be where rows are given to judge it by.
pub(crate) const JUDGED: &str = "chosen by fisher, likelihood, paper, paper-text or \
     paper-released, because rows were given to judge bandwidths by";

/// The rows that a bandwidth is chosen for.
pub(crate) struct TuningRows<'a> {
    pub(crate) points: Points<'a>,
    pub(crate) weights: Option<&'a Weights>,
    /// Rows that the criterion is evaluated on, instead of some that are held out.
    pub(crate) judge: Option<Points<'a>>,
    /// How many of the rows were distinct, before a sample was taken of them.
    pub(crate) distinct: usize,
}

/// Evaluates the criterion along the grid and chooses.
///
/// # Errors
/// Options outside their domain, too few rows to hold some out, rows to judge by of other columns,
/// a criterion that the kernel does not allow, or [`Error::Cancelled`].
pub(crate) fn select(
    params: &DensityFit,
    rows: &TuningRows,
    options: &SelectOptions,
    monitor: Monitor,
) -> Result<Selection> {
    options.check()?;
    let rows = Rows::new(rows, options)?;
    let evaluated = (options.criterion == Criterion::Fisher).then(|| rows.test.points());
    let (train, train_weights) = (rows.train.points(), rows.train.weights());
    let mut refitter = Refitter::new(params, train, train_weights, evaluated, monitor)?;
    let mut memo: Vec<Option<CurvePoint>> = vec![None; options.grid.len()];
    let mut done = 0;
    let mut value = |i: usize| {
        if let Some(point) = memo[i] {
            return Ok(point.value);
        }
        report_progress(monitor, Stage::Tune, done, options.grid.len())?;
        let mut within = |progress: &Progress| {
            let steps = Some(options.grid.len());
            monitor(&Progress { stage: Stage::Tune, step: done, steps, ..*progress })
        };
        let point = evaluate(&mut refitter, &rows, options, options.grid[i], &mut within)?;
        memo[i] = Some(point);
        done += 1;
        Ok(point.value)
    };
    let chosen = options.rule.choose(options.grid.len(), &mut value)?;
    // A rule may end at a point without having looked at it.
    value(chosen)?;
    Ok(Selection {
        bandwidth: options.grid[chosen],
        options: options.clone(),
        curve: memo.into_iter().flatten().collect(),
    })
}

fn evaluate(
    refitter: &mut Refitter,
    rows: &Rows,
    options: &SelectOptions,
    bandwidth: f64,
    monitor: Monitor,
) -> Result<CurvePoint> {
    let density = refitter.fit(bandwidth, monitor)?;
    let (test, weights) = (rows.test.points(), rows.test.weights());
    let value = match options.criterion {
        Criterion::Fisher => {
            fisher::fisher_divergence_from(&density, test, refitter.evaluated(), weights)
        }
        Criterion::Hutchinson(probes) => {
            fisher::hutchinson_divergence_monitored(&density, test, weights, &probes, monitor)
        }
        Criterion::Likelihood => {
            likelihood::negative_log_likelihood(&density, test, weights, monitor)
        }
        Criterion::SelfInfluence { target } => influence::distance_to(&density, weights, target),
    }?;
    let (iterations, residual) =
        density.report().map_or((0, 0.0), |report| (report.iterations, report.residual));
    Ok(CurvePoint {
        bandwidth,
        value: if value.is_finite() { value } else { f64::INFINITY },
        iterations,
        residual,
    })
}

/// The rows to fit and the rows to evaluate the criterion on.
struct Rows {
    train: Part,
    test: Part,
}

struct Part {
    values: Vec<f64>,
    columns: usize,
    weights: Option<Weights>,
}

impl Part {
    fn new(points: Points, weights: Option<&Weights>, indices: &[usize]) -> Result<Self> {
        let weights = match weights {
            None => None,
            Some(weights) => {
                let part: Vec<f64> = indices.iter().map(|&i| weights.as_slice()[i]).collect();
                Some(Weights::new(&part)?)
            }
        };
        Ok(Self { values: points.select(indices), columns: points.columns(), weights })
    }

    /// Rows that count alike.
    fn equal(points: Points) -> Self {
        Self { values: points.as_slice().to_vec(), columns: points.columns(), weights: None }
    }

    fn points(&self) -> Points<'_> {
        Points::new_unchecked(&self.values, self.columns)
    }

    fn weights(&self) -> Option<&Weights> {
        self.weights.as_ref()
    }
}

impl Rows {
    fn new(given: &TuningRows, options: &SelectOptions) -> Result<Self> {
        let TuningRows { points, weights, judge, .. } = *given;
        if let Some(weights) = weights {
            weights.expect_rows(points)?;
        }
        let n = points.rows();
        let mut order: Vec<usize> = (0..n).collect();
        let all = || Part::new(points, weights, &order);
        if let Some(judge) = judge {
            judge.expect_columns(points.columns())?;
            let test = Part::equal(judge);
            return match options.criterion {
                Criterion::SelfInfluence { .. } => {
                    Err(Error::parameter("bandwidth", "influence", JUDGED))
                }
                _ => Ok(Self { train: all()?, test }),
            };
        }
        if let Criterion::SelfInfluence { .. } = options.criterion {
            // Evaluated on the rows it is fitted to.
            return Ok(Self { train: all()?, test: all()? });
        }
        if n < 2 {
            return Err(Error::parameter("the number of rows", n, "at least 2 to hold some out"));
        }
        order.shuffle(&mut generator(options.seed));
        let held_out = ((n as f64 * options.holdout).round() as usize).clamp(1, n - 1);
        let (test, train) = order.split_at(held_out);
        Ok(Self {
            train: Part::new(points, weights, train)?,
            test: Part::new(points, weights, test)?,
        })
    }
}

/// Σ w_i v_i, with equal weights if there are none.
fn weighted_mean(values: &[f64], weights: Option<&Weights>) -> Result<f64> {
    let Some(weights) = weights else {
        return Ok(values.iter().sum::<f64>() / values.len() as f64);
    };
    expect_length("weights", weights.as_slice(), values.len())?;
    Ok(values.iter().zip(weights.as_slice()).map(|(v, w)| v * w).sum())
}
