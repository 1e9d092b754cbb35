//! This library's detector on a split, in the configurations that are compared.
//!
//! | name | what |
//! |---|---|
//! | `SOSREP-default` | the default detector |
//! | `SOSREP-paper` | the paper's: SDO from 10 000 sampled frequencies, the bandwidth read on the fly from the Fisher divergence of a held-out share |
//! | `SOSREP-paper-test` | the same, judged by the test rows without their labels, as the paper does |
//! | `SOSREP-paper-exact`, `-Laplacian`, `-Gaussian` | the first with exact kernels: SDO, Laplacian, Gaussian |
//! | `SOSREP-product` | the same with the product kernel and the fixed bandwidth 0.2, because the Fisher divergence says nothing about that kernel |

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Instant;

use serde_json::{Value, json};
use sosrep::Bandwidth;
use sosrep::kernel::KernelKind;
use sosrep::metrics::{auc_roc, average_precision};
use sosrep::select::SelectOptions;
use sosrep::{DetectorParams, Monitor, Points};

use crate::error::{Error, Result};
use crate::protocol::Split;
use crate::run::{Run, Status};

/// What runs.
pub(crate) const VERSIONS: &str = concat!("sosrep ", env!("CARGO_PKG_VERSION"));

/// The bandwidth of the product kernel where none is chosen.
const PRODUCT_BANDWIDTH: f64 = 0.2;

/// A configuration of the detector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// The default detector.
    Default,
    /// The paper's configuration.
    Paper,
    /// The paper's, judged by the rows it scores.
    PaperTest,
    /// The paper's with the exact SDO kernel.
    PaperExact,
    /// The paper's with the Laplacian kernel.
    Laplacian,
    /// The paper's with the Gaussian kernel.
    Gaussian,
    /// The paper's with the product kernel and a fixed bandwidth.
    Product,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Default,
        Self::Paper,
        Self::PaperTest,
        Self::PaperExact,
        Self::Laplacian,
        Self::Gaussian,
        Self::Product,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "SOSREP-default",
            Self::Paper => "SOSREP-paper",
            Self::PaperTest => "SOSREP-paper-test",
            Self::PaperExact => "SOSREP-paper-exact",
            Self::Laplacian => "SOSREP-Laplacian",
            Self::Gaussian => "SOSREP-Gaussian",
            Self::Product => "SOSREP-product",
        }
    }

    /// What is fitted; the rows held out to choose a bandwidth have the same seed as the rest.
    pub fn params(self, seed: u64) -> DetectorParams {
        let judged = |params: DetectorParams| params.bandwidth(SelectOptions::paper().seed(seed));
        let params = match self {
            Self::Default => DetectorParams::new(),
            Self::Paper | Self::PaperTest => judged(DetectorParams::paper()),
            Self::PaperExact => judged(DetectorParams::paper_exact()),
            Self::Laplacian => judged(DetectorParams::paper_exact()).kernel(KernelKind::Laplacian),
            Self::Gaussian => judged(DetectorParams::paper_exact()).kernel(KernelKind::Gaussian),
            Self::Product => DetectorParams::paper_exact()
                .kernel(KernelKind::Product)
                .bandwidth(Bandwidth::Fixed(PRODUCT_BANDWIDTH)),
        };
        params.seed(seed)
    }

    /// Fits the training rows without their labels, at most so many distinct ones, and scores the
    /// test rows. What goes wrong with the fit is in the run.
    ///
    /// # Errors
    /// [`sosrep::Error::Cancelled`] where the monitor stops it.
    pub fn run(self, split: &Split, most_rows: Option<usize>, monitor: Monitor) -> Result<Run> {
        let mut run = Run::begun_on(split, self.name());
        run.versions = VERSIONS.to_string();
        let params = self.params(split.origin.seed);
        let params = most_rows.map_or(params.clone(), |rows| params.max_rows(rows));
        match self.fill(params, split, &mut run, monitor) {
            Ok(()) => run.status = Status::Done,
            Err(stopped @ sosrep::Error::Cancelled) => return Err(stopped.into()),
            Err(problem) => run.message = problem.to_string(),
        }
        Ok(run)
    }

    fn fill(
        self,
        mut params: DetectorParams,
        split: &Split,
        run: &mut Run,
        monitor: Monitor,
    ) -> sosrep::Result<()> {
        let (train, test) = (&split.train, &split.test);
        if self == Self::PaperTest {
            params = params.judged_by(Points::new(&test.values, split.columns)?);
        }
        let start = Instant::now();
        let detector =
            params.fit_monitored(Points::new(&train.values, split.columns)?, None, monitor)?;
        run.fit_seconds = Some(start.elapsed().as_secs_f64());
        let report = detector.report();
        run.parameters = differences(&report.parameters);
        run.bandwidth = Some(report.bandwidth);
        run.iterations = report.fit.as_ref().map(|fit| fit.iterations);
        run.residual = report.fit.as_ref().map(|fit| fit.residual);
        let start = Instant::now();
        let scores = detector.anomaly_score(Points::new(&test.values, split.columns)?)?;
        run.score_seconds = Some(start.elapsed().as_secs_f64());
        run.auc_roc = Some(auc_roc(&scores, &test.labels)?);
        run.average_precision = Some(average_precision(&scores, &test.labels)?);
        Ok(())
    }
}

/// What differs from the default detector, as JSON.
fn differences(parameters: &BTreeMap<String, Value>) -> String {
    let defaults = DetectorParams::new().parameters();
    let is_default = |name: &str, value: &Value| {
        defaults.iter().any(|default| default.name == name && default.value == *value)
    };
    let differing = parameters.iter().filter(|(name, value)| !is_default(name, value));
    json!(differing.collect::<BTreeMap<_, _>>()).to_string()
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// By name, with or without `SOSREP-`, in any case.
impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let lower = text.to_lowercase();
        let short = lower.strip_prefix("sosrep-").unwrap_or(&lower);
        let is_named = |method: &Self| method.name()["SOSREP-".len()..].to_lowercase() == short;
        Self::ALL.into_iter().find(is_named).ok_or_else(|| Error::Parameter {
            name: "method",
            value: text.to_string(),
            domain: "default, paper, paper-test, paper-exact, laplacian, gaussian or product",
        })
    }
}
