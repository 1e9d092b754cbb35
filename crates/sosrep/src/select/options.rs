//! What makes a bandwidth good, which ones are tried, and the names of the usual ways to choose.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Hutchinson, Rule};
use crate::error::{Error, Result, is_bandwidth};
use crate::parameter::Parameter;

/// The bandwidth of a density: a number, or a way to choose it.
pub(crate) const BANDWIDTH: &str = "fisher, likelihood, paper, paper-text, paper-released, \
     influence, or a number between 1e-50 and 1e50";
const GRID: &str = "none, or bandwidths between 1e-50 and 1e50, strictly increasing";
const HOLDOUT: &str = "above 0 and below 1";

/// What makes a bandwidth good.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Criterion {
    /// Fisher divergence on held-out rows, exact.
    Fisher,
    /// Fisher divergence on held-out rows by Hutchinson's estimator, as in the paper.
    Hutchinson(Hutchinson),
    /// Normalised likelihood of held-out rows.
    Likelihood,
    /// Weighted median of the rows' self-influence closest to a target, on a logarithmic scale.
    SelfInfluence {
        /// In (0, 1). 0.02 was as good as the best fixed bandwidth on ADBench.
        target: f64,
    },
}

/// What to try and how to choose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SelectOptions {
    /// What makes a bandwidth good.
    pub criterion: Criterion,
    /// How the curve is read. Default: its minimum.
    pub rule: Rule,
    /// Bandwidths to try, increasing. Default: 15 from 10⁻² to 10², evenly on a log scale.
    pub grid: Vec<f64>,
    /// Share of rows held out, in (0, 1). Default 0.3. Not used by self-influence.
    pub holdout: f64,
    /// Seed of the split. Default 0.
    pub seed: u64,
}

impl SelectOptions {
    /// The names that are read by [`FromStr`], each with its way to choose in a few words.
    pub const NAMES: [(&'static str, &'static str); 6] = [
        ("fisher", "minimum of the Fisher divergence of held-out rows"),
        ("likelihood", "maximum of the likelihood of held-out rows"),
        ("paper", "the same divergence, read on the fly as the paper's program does"),
        ("paper-text", "the same, read as the paper's text says"),
        ("paper-released", "the same, read as the paper's program does in fit_predict"),
        ("influence", "median influence of a row on its own density closest to 0.02"),
    ];

    /// The criterion with the default grid, read at its minimum.
    pub fn new(criterion: Criterion) -> Self {
        Self { criterion, rule: Rule::Minimum, grid: default_grid(), holdout: 0.3, seed: 0 }
    }

    /// The paper's procedure: Fisher divergence, read by [`Rule::OnTheFly`]. The divergence is
    /// exact. The paper's estimate of it, [`Criterion::Hutchinson`], costs 300 times more and is
    /// far off where the bandwidth is small.
    pub fn paper() -> Self {
        Self::new(Criterion::Fisher).rule(Rule::OnTheFly)
    }

    /// A median self-influence of 0.02.
    pub fn self_influence() -> Self {
        Self::new(Criterion::SelfInfluence { target: 0.02 })
    }

    /// How the curve is read. Default [`Rule::Minimum`].
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// Bandwidths to try, between 1e-50 and 1e50, increasing. Default [`default_grid`].
    pub fn grid(mut self, bandwidths: impl Into<Vec<f64>>) -> Self {
        self.grid = bandwidths.into();
        self
    }

    /// Share of rows held out, above 0 and below 1. Default 0.3.
    pub fn holdout(mut self, share: f64) -> Self {
        self.holdout = share;
        self
    }

    /// Seed of the split. Default 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The name that reads back to this criterion and rule, if there is one.
    pub(crate) fn name(&self) -> Option<&'static str> {
        Self::NAMES.into_iter().map(|(name, _)| name).find(|name| {
            name.parse::<Self>()
                .is_ok_and(|named| (named.criterion, named.rule) == (self.criterion, self.rule))
        })
    }

    /// What every interface shows beside the way of choosing.
    pub(crate) fn parameters(&self) -> [Parameter; 2] {
        let own_grid = Some(&self.grid).filter(|grid| **grid != default_grid());
        [Parameter::new("grid", &own_grid, GRID), Parameter::new("holdout", &self.holdout, HOLDOUT)]
    }

    /// An error unless everything is in its domain; every fit checks it too.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        if self.grid.is_empty() {
            return Err(Error::parameter("grid", "empty", GRID));
        }
        if let Some(b) = self.grid.iter().find(|b| !is_bandwidth(**b)) {
            return Err(Error::parameter("grid", format_args!("a list with {b}"), GRID));
        }
        if self.grid.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(Error::parameter("grid", "not sorted", GRID));
        }
        if !(self.holdout > 0.0 && self.holdout < 1.0) {
            return Err(Error::parameter("holdout", self.holdout, HOLDOUT));
        }
        match self.criterion {
            Criterion::SelfInfluence { target } if !(target > 0.0 && target < 1.0) => {
                Err(Error::parameter("target", target, "between 0 and 1"))
            }
            Criterion::Hutchinson(hutchinson) => hutchinson.check(),
            _ => Ok(()),
        }
    }
}

/// 15 bandwidths from 10⁻² to 10².
pub fn default_grid() -> Vec<f64> {
    (0..15).map(|i| 10.0_f64.powf(-2.0 + 4.0 * f64::from(i) / 14.0)).collect()
}

/// One of [`NAMES`](Self::NAMES), with the default grid. The name stands where a
/// number could: it is the bandwidth of a density that an error speaks of.
impl FromStr for SelectOptions {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "fisher" => Ok(Self::new(Criterion::Fisher)),
            "likelihood" => Ok(Self::new(Criterion::Likelihood)),
            "paper" => Ok(Self::paper()),
            "paper-text" => Ok(Self::paper().rule(Rule::Text)),
            "paper-released" => Ok(Self::paper().rule(Rule::Released)),
            "influence" => Ok(Self::self_influence()),
            _ => Err(Error::word("bandwidth", name, BANDWIDTH)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_and_is_in_the_domain() {
        for (name, _) in SelectOptions::NAMES {
            assert_eq!(name.parse::<SelectOptions>().unwrap().name(), Some(name));
        }
        let names = SelectOptions::NAMES.map(|(name, _)| name).join(", ");
        assert!(BANDWIDTH.starts_with(&names), "{names}");
    }
}
