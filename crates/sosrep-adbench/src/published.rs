//! What the paper says it measured, each claim beside what some runs say about it.
//!
//! A claim is data: its words, its place in the paper and a function that compares. None of the
//! figures here comes from our own runs; a sentence quotes those from the runs it was given. How
//! near is near enough stands in each sentence.

mod compare;

use crate::run::Run;

/// The methods the paper compares with: those of ADBench and two kernel density estimators.
pub const BASELINES: [&str; 18] = [
    "IForest",
    "OCSVM",
    "COPOD",
    "ECOD",
    "KNN",
    "LOF",
    "HBOS",
    "CBLOF",
    "COF",
    "SOD",
    "LODA",
    "PCA",
    "MCD",
    "FeatureBagging",
    "DeepSVDD",
    "DAGMM",
    "KDE-gaussian",
    "KDE-exponential",
];
/// SOSREP as the paper configures it.
pub const PAPER: &str = "SOSREP-paper";
/// SOSREP as this library configures it.
pub const DEFAULT: &str = "SOSREP-default";
/// SOSREP, fitted the paper's way, with one exact kernel or another.
pub const KERNELS: [&str; 4] =
    ["SOSREP-SDO", "SOSREP-Laplacian", "SOSREP-Gaussian", "SOSREP-product"];

/// How many values are negative before and after two kinds of descent, on one data set.
#[derive(Debug, Clone, PartialEq)]
pub struct NegativeShares {
    /// The data set, as in `32_shuttle`.
    pub data_set: String,
    /// The share at the start.
    pub start: f64,
    /// The share after the natural gradient.
    pub natural: f64,
    /// The share after the standard gradient.
    pub standard: f64,
}

/// What claims are compared with.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The runs.
    pub runs: &'a [Run],
    /// The experiment on gradients, empty if it was not run.
    pub gradients: &'a [NegativeShares],
}

/// What evidence says about a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// It supports the claim.
    Agrees,
    /// It does not.
    DoesNotAgree,
    /// It says nothing.
    NotMeasured,
}

impl std::fmt::Display for Agreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Agrees => "agrees",
            Self::DoesNotAgree => "does not agree",
            Self::NotMeasured => "not measured",
        })
    }
}

/// The outcome of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// What was looked at: a method or an experiment.
    pub subject: String,
    /// Whether it agrees.
    pub agreement: Agreement,
    /// The figures of the runs, as one sentence.
    pub sentence: String,
}

/// A sentence of the paper that runs can support or not.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// What it says.
    pub text: &'static str,
    /// Where it says so.
    pub place: &'static str,
    compare: Compare,
}

#[derive(Debug, Clone, Copy)]
enum Compare {
    /// About SOSREP: told for the paper's and for this library's configuration.
    Method(fn(&Evidence<'_>, &str) -> Option<(bool, String)>),
    /// About something else, which is named.
    Other(&'static str, fn(&Evidence<'_>) -> Option<(bool, String)>),
}

impl Claim {
    /// Compares the claim with evidence.
    pub fn verdicts(&self, evidence: &Evidence<'_>) -> Vec<Verdict> {
        match self.compare {
            Compare::Method(compare) => {
                let verdict = |method: &str| verdict(method, compare(evidence, method));
                [PAPER, DEFAULT].map(verdict).to_vec()
            }
            Compare::Other(subject, compare) => vec![verdict(subject, compare(evidence))],
        }
    }
}

fn verdict(subject: &str, found: Option<(bool, String)>) -> Verdict {
    let (agreement, sentence) = match found {
        Some((true, sentence)) => (Agreement::Agrees, sentence),
        Some((false, sentence)) => (Agreement::DoesNotAgree, sentence),
        None => (Agreement::NotMeasured, "There are no runs that would tell.".to_string()),
    };
    Verdict { subject: subject.to_string(), agreement, sentence }
}

/// The claims, in the order of the paper.
pub fn claims() -> &'static [Claim] {
    &CLAIMS
}

const MAIN: &str = "“Anomaly Detection Results for ADbench”";
const DUPLICATES: &str = "supplement, “Duplicate Anomalies”";
const GRADIENTS: &str = "“Natural-Gradient vs Standard Gradient Comparison”";

const CLAIMS: [Claim; 11] = [
    Claim {
        text: "SOSREP is second of 18 methods by mean AUC-ROC.",
        place: MAIN,
        compare: Compare::Method(compare::second_by_mean),
    },
    Claim {
        text: "SOSREP is second of 18 methods by mean rank.",
        place: "supplement, “AUC-ROC Performance Analysis”",
        compare: Compare::Method(compare::second_by_rank),
    },
    Claim {
        text: "With anomalies ×5, SOSREP has the best mean AUC-ROC.",
        place: MAIN,
        compare: Compare::Method(compare::best_with_duplicates),
    },
    Claim {
        text: "With anomalies ×5, the mean AUC-ROC of SOSREP is 0.716.",
        place: MAIN,
        compare: Compare::Method(compare::mean_with_duplicates),
    },
    Claim {
        text: "With anomalies ×5, SOSREP leads by 4 points of AUC-ROC.",
        place: MAIN,
        compare: Compare::Method(compare::lead_with_duplicates),
    },
    Claim {
        text: "With anomalies ×6, SOSREP loses less than 2 %.",
        place: DUPLICATES,
        compare: Compare::Method(compare::small_drop),
    },
    Claim {
        text: "With anomalies ×6, the median loss of unsupervised methods is 16.43 %.",
        place: DUPLICATES,
        compare: Compare::Other("baselines", compare::drop_of_baselines),
    },
    Claim {
        text: "The 47 data sets take 186 minutes on one RTX 3090 and one CPU.",
        place: MAIN,
        compare: Compare::Method(compare::minutes),
    },
    Claim {
        text: "The natural gradient keeps the share of negative values.",
        place: GRADIENTS,
        compare: Compare::Other("natural gradient", compare::natural_keeps),
    },
    Claim {
        text: "On shuttle, the standard gradient raises the share of negative values to about 70 %.",
        place: GRADIENTS,
        compare: Compare::Other("standard gradient", compare::standard_raises),
    },
    Claim {
        text: "Kernels behave alike, but the Gaussian kernel underperforms on a few data sets.",
        place: "supplement, “Comparison of SOSREP for Different Kernels”",
        compare: Compare::Other("kernels", compare::gaussian_is_behind),
    },
];

#[cfg(test)]
mod tests;
