//! The curve of an exact kernel: at every bandwidth the Fisher divergence, by both kinds of rows
//! that may judge it, and the area under the ROC curve that the detector has there.
//!
//! The detector is [`DetectorParams::paper_exact`] with the kernel. Held out: what its `tune` gives,
//! the whole grid. Test rows: the divergence of the detector fitted at the bandwidth to all training
//! rows, on the test rows without labels. So a point of the curve is a fit that a user can repeat.
//!
//! A log of a line a point, in which whole curves are not repeated. Cost: 15 fits of the training
//! rows, and 15 of 70 % of them.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use sosrep::metrics::{auc_roc, average_precision};
use sosrep::select::{Criterion, Rule, SelectOptions, Selection, default_grid, fisher_divergence};
use sosrep::{Bandwidth, DetectorParams, KernelKind, Points};

use super::CurveKey;
use super::{Judge, Reading};
use crate::campaign::{Campaign, Splits, Watch};
use crate::catalogue::Found;
use crate::error::Result;
use crate::log::Log;
use crate::protocol::{Protocol, Split};
use crate::run::Setting;

/// A line of `curves.csv`: a point of a curve, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveLine {
    /// The data set, as in `14_glass`.
    pub data_set: String,
    /// The protocol.
    pub protocol: Protocol,
    /// How many times as many anomalies.
    pub duplicates: usize,
    /// The seed.
    pub seed: u64,
    /// The kernel.
    pub kernel: String,
    /// The bandwidth; 0 where there is no curve.
    pub bandwidth: f64,
    /// Fisher divergence of the rows held out, fitted to the others.
    pub held_out: Option<f64>,
    /// Fisher divergence of the test rows, fitted to all training rows.
    pub test: Option<f64>,
    /// Area under the ROC curve, of the test rows.
    pub auc_roc: Option<f64>,
    /// Average precision, of the test rows.
    pub average_precision: Option<f64>,
    /// Distinct rows fitted.
    pub fitted_rows: usize,
    /// Wall time of the whole curve.
    pub seconds: f64,
    /// What went wrong.
    pub message: String,
}

/// The bandwidths of every curve.
pub(super) fn grid() -> Vec<f64> {
    default_grid()
}

impl CurveLine {
    fn of(setting: &Setting, kernel: &KernelKind) -> Self {
        Self {
            data_set: setting.data_set.clone(),
            protocol: setting.protocol,
            duplicates: setting.noise.duplicates,
            seed: setting.seed,
            kernel: kernel.name().to_string(),
            bandwidth: 0.0,
            held_out: None,
            test: None,
            auc_roc: None,
            average_precision: None,
            fitted_rows: 0,
            seconds: 0.0,
            message: String::new(),
        }
    }

    pub(super) fn key(&self) -> CurveKey {
        let Self { protocol, duplicates, seed, .. } = *self;
        (self.data_set.clone(), protocol, duplicates, seed, self.kernel.clone())
    }

    /// What a rule that chooses this point is worth.
    pub(super) fn reading(&self, judge: Judge, rule: &str) -> Reading {
        Reading {
            data_set: self.data_set.clone(),
            protocol: self.protocol,
            duplicates: self.duplicates,
            seed: self.seed,
            kernel: self.kernel.clone(),
            judge,
            rule: rule.to_string(),
            bandwidth: self.bandwidth,
            auc_roc: self.auc_roc.unwrap_or(f64::NAN),
            average_precision: self.average_precision.unwrap_or(f64::NAN),
        }
    }
}

/// Measures the curves that a log has not.
///
/// # Errors
/// [`sosrep::Error::Cancelled`] if the watch says so, and whatever is wrong with files; what goes
/// wrong with a split or a fit is in the log.
pub fn measure_curves(
    found: &Found,
    campaign: &Campaign,
    kernels: &[KernelKind],
    log: &mut Log<CurveLine>,
    watch: Watch,
) -> Result<()> {
    let settings = campaign.settings();
    let mut splits = Splits::new(found);
    for (done, setting) in settings.iter().enumerate() {
        for kernel in kernels {
            let empty = CurveLine::of(setting, kernel);
            if is_done(log.entries(), &empty) {
                continue;
            }
            let what = format!("{} on {setting}", kernel.name());
            let mut monitor = |_: &sosrep::Progress| watch(&what, done, settings.len());
            let lines = match splits.make(setting)? {
                Ok(split) => match curve(&split, kernel, &empty, &mut monitor) {
                    Ok(lines) => lines,
                    Err(sosrep::Error::Cancelled) => return Err(sosrep::Error::Cancelled.into()),
                    Err(problem) => vec![CurveLine { message: problem.to_string(), ..empty }],
                },
                Err(message) => vec![CurveLine { message, ..empty }],
            };
            lines.into_iter().try_for_each(|line| log.append(line))?;
        }
    }
    Ok(())
}

/// Whether a log has every point of a curve, or the reason why there is none.
fn is_done(entries: &[CurveLine], of: &CurveLine) -> bool {
    let key = of.key();
    let own = || entries.iter().filter(|line| line.key() == key);
    own().any(|line| !line.message.is_empty())
        || grid().iter().all(|b| own().any(|line| line.bandwidth == *b))
}

fn curve(
    split: &Split,
    kernel: &KernelKind,
    empty: &CurveLine,
    monitor: sosrep::Monitor,
) -> sosrep::Result<Vec<CurveLine>> {
    let started = Instant::now();
    let train = Points::new(&split.train.values, split.columns)?;
    let params = DetectorParams::paper_exact().kernel(kernel.clone()).seed(split.origin.seed);
    let every = SelectOptions::new(Criterion::Fisher).grid(grid()).seed(split.origin.seed);
    let Selection { curve, .. } =
        params.clone().bandwidth(every.rule(Rule::Minimum)).tune_monitored(train, None, monitor)?;
    let mut lines = Vec::with_capacity(curve.len());
    for point in curve {
        let params = params.clone().bandwidth(Bandwidth::Fixed(point.bandwidth));
        let detector = params.fit_monitored(train, None, monitor)?;
        let test = Points::new(&split.test.values, split.columns)?;
        let scores = detector.anomaly_score(test)?;
        let prepared = detector.preparation().apply(test)?;
        let prepared = Points::new(&prepared, detector.preparation().dimension())?;
        lines.push(CurveLine {
            bandwidth: point.bandwidth,
            held_out: Some(point.value),
            test: Some(fisher_divergence(detector.density(), prepared, None)?),
            auc_roc: Some(auc_roc(&scores, &split.test.labels)?),
            average_precision: Some(average_precision(&scores, &split.test.labels)?),
            fitted_rows: detector.report().fitted_rows,
            ..empty.clone()
        });
    }
    let seconds = started.elapsed().as_secs_f64();
    lines.iter_mut().for_each(|line| line.seconds = seconds);
    Ok(lines)
}
