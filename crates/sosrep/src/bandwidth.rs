//! The parameter `bandwidth`: a rule, a number, or a choice from the curve of a criterion.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::density::DensityFit;
use crate::error::{Error, Result, is_bandwidth};
use crate::kernel::KernelKind;
use crate::monitor::Monitor;
use crate::parameter::{Parameter, written};
use crate::select::{Criterion, JUDGED, SelectOptions, Selection, TuningRows, select};

/// The bandwidth of estimates that choose none, for standardised columns.
pub(crate) const DEFAULT_BANDWIDTH: f64 = 0.2;

/// The bandwidth of a detector.
pub(crate) const BANDWIDTH: &str = "auto, fisher, likelihood, paper, paper-text, paper-released, \
     influence, or a number between 1e-50 and 1e50";

/// How the bandwidth is found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Bandwidth {
    /// A rule for standardised columns. The default. Product kernel 0.08, times (n / 1000)^(−1/4) for
    /// n < 1000 distinct rows, counted before a sample is taken of them; Laplacian 0.27 and SDO
    /// 0.52: what measured well on ADBench. The other kernels take SDO's value, which was not
    /// measured for them.
    #[default]
    Auto,
    /// A given value.
    Fixed(f64),
    /// From a curve over a grid.
    Select(SelectOptions),
}

impl Bandwidth {
    /// The minimum of the exact Fisher divergence.
    pub fn fisher() -> Self {
        Self::Select(SelectOptions::new(Criterion::Fisher))
    }

    /// The maximum of the held-out likelihood.
    pub fn likelihood() -> Self {
        Self::Select(SelectOptions::new(Criterion::Likelihood))
    }

    /// The paper's procedure.
    pub fn paper() -> Self {
        Self::Select(SelectOptions::paper())
    }

    /// A median self-influence of 0.02.
    pub fn self_influence() -> Self {
        Self::Select(SelectOptions::self_influence())
    }

    /// The kernel to fit with unless one is asked for: the default one, or
    /// [`KernelKind::Sdo`] where the Fisher divergence chooses the bandwidth, since the default
    /// kernel has none.
    pub fn default_kernel(&self) -> KernelKind {
        match self {
            Self::Select(SelectOptions {
                criterion: Criterion::Fisher | Criterion::Hutchinson(_),
                ..
            }) => KernelKind::Sdo,
            _ => KernelKind::default(),
        }
    }

    /// What [`Bandwidth::Auto`] stands for.
    pub(crate) fn automatic(kernel: &KernelKind, distinct_rows: usize) -> f64 {
        match kernel {
            KernelKind::Product => 0.08 * (distinct_rows as f64 / 1000.0).powf(-0.25).max(1.0),
            KernelKind::Laplacian => 0.27,
            _ => 0.52,
        }
    }

    /// The bandwidth for these rows, and the curve it was read from, if it was; `fit` says what the
    /// densities of the curve are fitted with.
    pub(crate) fn choose(
        &self,
        fit: &DensityFit,
        rows: &TuningRows,
        monitor: Monitor,
    ) -> Result<ChosenBandwidth> {
        let given = |value| Ok(ChosenBandwidth { value, selection: None });
        match self {
            Self::Select(options) => {
                let selection = select(fit, rows, options, monitor)?;
                Ok(ChosenBandwidth { value: selection.bandwidth, selection: Some(selection) })
            }
            _ if rows.judge.is_some() => Err(Error::parameter("bandwidth", self.written(), JUDGED)),
            Self::Fixed(value) => given(*value),
            Self::Auto => given(Self::automatic(&fit.kernel, rows.distinct)),
        }
    }

    /// An error unless it is in its domain, which `domain` puts into words.
    pub(crate) fn check(&self, domain: &'static str) -> Result<()> {
        match self {
            Self::Fixed(value) if !is_bandwidth(*value) => {
                Err(Error::parameter("bandwidth", value, domain))
            }
            _ => Ok(()),
        }
    }

    /// The bandwidth as every interface shows it, and with it grid and share held out, those of
    /// the defaults where nothing is chosen.
    pub(crate) fn parameters(&self, domain: &'static str) -> [Parameter; 3] {
        let usual = SelectOptions::new(Criterion::Fisher);
        let options = if let Self::Select(options) = self { options } else { &usual };
        let [grid, holdout] = options.parameters();
        let bandwidth = Parameter { name: "bandwidth", value: self.written(), domain };
        [bandwidth, grid, holdout]
    }

    fn written(&self) -> Value {
        match self {
            Self::Auto => "auto".into(),
            Self::Fixed(value) => written(value),
            Self::Select(options) => options.name().map_or_else(|| written(options), Value::from),
        }
    }
}

/// A bandwidth, and how it was chosen.
pub(crate) struct ChosenBandwidth {
    pub(crate) value: f64,
    pub(crate) selection: Option<Selection>,
}

impl ChosenBandwidth {
    /// The curve alone.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the bandwidth was not read from one.
    pub(crate) fn into_selection(self) -> Result<Selection> {
        let requirement = "chosen from a curve, such as fisher, likelihood, paper or influence";
        self.selection.ok_or_else(|| Error::parameter("bandwidth", self.value, requirement))
    }
}

impl From<f64> for Bandwidth {
    fn from(value: f64) -> Self {
        Self::Fixed(value)
    }
}

impl From<SelectOptions> for Bandwidth {
    fn from(options: SelectOptions) -> Self {
        Self::Select(options)
    }
}

/// `auto`, a number, or one of the names of [`SelectOptions`].
impl FromStr for Bandwidth {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let chosen = || text.parse().ok().map(Self::Select);
        let given = || text.parse().ok().filter(|b| is_bandwidth(*b)).map(Self::Fixed);
        match text {
            "auto" => Ok(Self::Auto),
            _ => chosen().or_else(given).ok_or_else(|| Error::word("bandwidth", text, BANDWIDTH)),
        }
    }
}
