//! What the default detector flags, by three thresholds: precision, recall and F₁ on test rows.
//!
//! ```text
//! automatic   the tail of the leave-one-out scores or a second group in them: what `contamination=auto` does
//! tenth       flags 10 % of the training rows: PyOD's default
//! true-share  flags as many training rows as are anomalies: what nobody knows beforehand
//! precision = TP / (TP + FP),   recall = TP / (TP + FN),   F₁ = 2 TP / (2 TP + FP + FN)
//! ```
//!
//! Every data set at hand, ADBench's protocol, four seeds. One fit gives all three: a threshold on a
//! share of the training rows is a percentile of their scores, as a fit with that contamination
//! has it. A detector takes shares up to one half; a larger true share counts as one half.
//!
//! Numerics: precision is 0 where nothing is flagged, as in scikit-learn. One line a data set, seed
//! and rule is appended; a second run goes on from there. Cost: one default fit a data set and seed.
//!
//! Differs from the paper: it ranks rows and sets no threshold.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sosrep::{Detector, Points, Threshold, Weights};

use super::{Experiment, Request, Watch};
use crate::campaign::{Campaign, Splits};
use crate::error::Result;
use crate::log::Log;
use crate::method::Method;
use crate::protocol::{Noise, Protocol, Split};
use crate::run::{Setting, Status};

/// Seeds, from that of the request on.
const SEEDS: u64 = 4;
/// PyOD's default.
const TENTH: f64 = 0.1;

/// Where anomalies begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Rule {
    Automatic,
    Tenth,
    TrueShare,
}

impl Rule {
    const ALL: [Self; 3] = [Self::Automatic, Self::Tenth, Self::TrueShare];

    /// The score above which a row is flagged.
    fn cut(self, detector: &Detector, train_scores: &[f64], true_share: f64) -> Result<f64> {
        let share = match self {
            Self::Automatic => return Ok(detector.threshold()),
            Self::Tenth => TENTH,
            Self::TrueShare => true_share.min(0.5),
        };
        let weights = Weights::equal(train_scores.len());
        Ok(Threshold::Contamination(share).cut(train_scores, &weights)?)
    }
}

/// A line of the file; without numbers where there was no fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Row {
    data_set: String,
    seed: u64,
    rule: Rule,
    status: Status,
    /// Anomalies among the training rows, as a share.
    true_share: Option<f64>,
    threshold: Option<f64>,
    /// Rows flagged, as shares.
    flagged_train: Option<f64>,
    flagged_test: Option<f64>,
    precision: Option<f64>,
    recall: Option<f64>,
    f1: Option<f64>,
    message: String,
}

impl Row {
    fn without_numbers(setting: &Setting, rule: Rule, message: &str) -> Self {
        Self {
            data_set: setting.data_set.clone(),
            seed: setting.seed,
            rule,
            status: Status::Failed,
            true_share: None,
            threshold: None,
            flagged_train: None,
            flagged_test: None,
            precision: None,
            recall: None,
            f1: None,
            message: message.to_string(),
        }
    }

    fn is(&self, setting: &Setting, rule: Rule) -> bool {
        (self.data_set.as_str(), self.seed, self.rule) == (&setting.data_set, setting.seed, rule)
    }
}

/// How flags agree with labels.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Agreement {
    precision: f64,
    recall: f64,
    f1: f64,
}

impl Agreement {
    fn of(flags: &[bool], labels: &[bool]) -> Self {
        let count = |flag: bool, label: bool| {
            flags.iter().zip(labels).filter(|pair| *pair == (&flag, &label)).count() as f64
        };
        let (right, wrong, missed) = (count(true, true), count(true, false), count(false, true));
        // Nothing flagged, or nothing to flag: 0, as in scikit-learn.
        let ratio = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        Self {
            precision: ratio(right, right + wrong),
            recall: ratio(right, right + missed),
            f1: ratio(2.0 * right, 2.0 * right + wrong + missed),
        }
    }
}

/// A fit and the scores of both parts.
struct Fitted<'a> {
    split: &'a Split,
    detector: Detector,
    train: Vec<f64>,
    test: Vec<f64>,
}

impl<'a> Fitted<'a> {
    fn new(split: &'a Split, monitor: sosrep::Monitor) -> Result<Self> {
        let points = |values: &'a [f64]| Points::new(values, split.columns);
        let (train, test) = (points(&split.train.values)?, points(&split.test.values)?);
        let params = Method::Default.params(split.origin.seed);
        let detector = params.fit_monitored(train, None, monitor)?;
        let test = detector.anomaly_score(test)?;
        let train = detector.training().map_or_else(Vec::new, |training| training.scores.clone());
        Ok(Self { split, detector, train, test })
    }

    fn row(&self, rule: Rule) -> Result<Row> {
        let labels = &self.split.train.labels;
        let true_share = self.split.train.anomalies() as f64 / labels.len() as f64;
        let cut = rule.cut(&self.detector, &self.train, true_share)?;
        let flags = |scores: &[f64]| scores.iter().map(|score| *score > cut).collect::<Vec<bool>>();
        let share = |flags: &[bool]| {
            flags.iter().filter(|flag| **flag).count() as f64 / flags.len().max(1) as f64
        };
        let (train, test) = (flags(&self.train), flags(&self.test));
        let Agreement { precision, recall, f1 } = Agreement::of(&test, &self.split.test.labels);
        let setting = Setting::from(&self.split.origin);
        Ok(Row {
            status: Status::Done,
            true_share: Some(true_share),
            threshold: Some(cut),
            flagged_train: Some(share(&train)),
            flagged_test: Some(share(&test)),
            precision: Some(precision),
            recall: Some(recall),
            f1: Some(f1),
            ..Row::without_numbers(&setting, rule, "")
        })
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join("thresholds.csv")
}

/// Measures what the file has not.
pub(super) fn run(request: &Request, folder: &Path, watch: Watch) -> Result<()> {
    let found = request.data(Experiment::Thresholds)?;
    let campaign = Campaign {
        entries: found.present.iter().map(|(entry, _)| *entry).collect(),
        protocol: Protocol::AdBench,
        noise: vec![Noise::default()],
        seeds: (request.seed..request.seed + SEEDS).collect(),
    };
    let settings = campaign.settings();
    let mut log: Log<Row> = Log::open(file(folder))?;
    let mut splits = Splits::new(found);
    for (done, setting) in settings.iter().enumerate() {
        let lacks = |rule: &Rule| !log.entries().iter().any(|row| row.is(setting, *rule));
        let rules: Vec<Rule> = Rule::ALL.into_iter().filter(lacks).collect();
        if rules.is_empty() {
            continue;
        }
        let what = setting.to_string();
        let mut monitor = |_: &sosrep::Progress| watch(&what, done, settings.len());
        for row in measure(&mut splits, setting, &rules, &mut monitor)? {
            log.append(row)?;
        }
    }
    Ok(())
}

/// One fit, and a line a rule. What goes wrong with the fit is in the lines.
fn measure(
    splits: &mut Splits,
    setting: &Setting,
    rules: &[Rule],
    monitor: sosrep::Monitor,
) -> Result<Vec<Row>> {
    let nothing = |message: &str| {
        Ok(rules.iter().map(|rule| Row::without_numbers(setting, *rule, message)).collect())
    };
    let split = match splits.make(setting)? {
        Ok(split) => split,
        Err(message) => return nothing(&message),
    };
    match Fitted::new(&split, monitor) {
        Ok(fitted) => rules.iter().map(|rule| fitted.row(*rule)).collect(),
        Err(stopped @ crate::Error::Core(sosrep::Error::Cancelled)) => Err(stopped),
        Err(problem) => nothing(&problem.to_string()),
    }
}

#[cfg(test)]
mod tests;
