//! What every reading of the paper's procedure chooses on the curves of exact kernels.
//!
//! Paper: Section "Fisher-Divergence Based Hyperparameter Tuning"; supplement, "Fisher Divergence
//! for Hyper-Parameters Selection" and "Hyperparameter Tuning with On-the-fly …".
//!
//! ```text
//! reading = kernel × rows that judge × rule       rows: a held-out share, or the test rows
//! ```
//!
//! The rules are those of [`sosrep::select::Rule`], and two that choose nothing: `fixed`, the point of the grid nearest
//! to the bandwidth that measured well on ADBench, and so was chosen with labels; and `hindsight`,
//! the largest area under the ROC curve, which no rule can beat. All read the same curve, so that
//! they differ in nothing else.
//!
//! A reading takes no time: `readings.csv` is made anew, whole, from `curves.csv`.

mod curve;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sosrep::KernelKind;
use sosrep::select::Rule;

pub use curve::{CurveLine, measure_curves};

use crate::error::Result;
use crate::experiment::table;
use crate::log;
use crate::protocol::Protocol;

/// What a curve is of: data set, protocol, copies, seed, kernel.
type CurveKey = (String, Protocol, usize, u64, String);

/// The rows that bandwidths are judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judge {
    /// A share of the training rows, which are not fitted then.
    HeldOut,
    /// The test rows, without their labels.
    Test,
}

/// A line of `readings.csv`: what a rule chooses on a curve, and what that is worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
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
    /// The rows that judge; those of `fixed` and `hindsight` play no part.
    pub judge: Judge,
    /// A rule of the core, `fixed` or `hindsight`.
    pub rule: String,
    /// What it chooses.
    pub bandwidth: f64,
    /// Area under the ROC curve, of the test rows.
    pub auc_roc: f64,
    /// Average precision, of the test rows.
    pub average_precision: f64,
}

/// Writes what every rule chooses on every whole curve of a log.
///
/// # Errors
/// A log that cannot be read, a file that cannot be written.
pub fn write_readings(curves: &Path, file: &Path) -> Result<usize> {
    let readings = readings(&log::read::<CurveLine>(curves)?);
    table::write(file, &readings)?;
    Ok(readings.len())
}

/// Every reading of every whole curve. Of equal points the later one counts.
pub fn readings(lines: &[CurveLine]) -> Vec<Reading> {
    let mut curves: BTreeMap<CurveKey, BTreeMap<u64, &CurveLine>> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.auc_roc.is_some()) {
        // The bits of positive numbers are in their order.
        curves.entry(line.key()).or_default().insert(line.bandwidth.to_bits(), line);
    }
    let whole = curves.into_values().filter(|points| points.len() == curve::grid().len());
    whole.flat_map(|points| of_curve(&points.into_values().collect::<Vec<_>>())).collect()
}

fn of_curve(curve: &[&CurveLine]) -> Vec<Reading> {
    let mut found = Vec::new();
    for judge in [Judge::HeldOut, Judge::Test] {
        let divergence = |line: &&CurveLine| match judge {
            Judge::HeldOut => line.held_out.unwrap_or(f64::NAN),
            Judge::Test => line.test.unwrap_or(f64::NAN),
        };
        let values: Vec<f64> = curve.iter().map(divergence).collect();
        for (name, _) in Rule::NAMES {
            let chosen = name.parse::<Rule>().ok().and_then(|rule| rule.read(&values));
            found.extend(chosen.map(|at| curve[at].reading(judge, name)));
        }
    }
    found.push(fixed(curve).reading(Judge::Test, "fixed"));
    found.push(best(curve).reading(Judge::Test, "hindsight"));
    found
}

/// The point nearest to the bandwidth that measured well.
fn fixed<'a>(curve: &[&'a CurveLine]) -> &'a CurveLine {
    let good: f64 = if curve[0].kernel == KernelKind::Laplacian.name() { 0.27 } else { 0.52 };
    let far = |line: &&&CurveLine| (line.bandwidth / good).ln().abs();
    curve.iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(&curve[0])
}

/// Of equals the largest bandwidth.
fn best<'a>(curve: &[&'a CurveLine]) -> &'a CurveLine {
    let auc = |line: &&&CurveLine| line.auc_roc.unwrap_or(0.0);
    curve.iter().max_by(|a, b| auc(a).total_cmp(&auc(b))).unwrap_or(&curve[0])
}

#[cfg(test)]
mod tests;
