//! How a density was found and which rows it rests on, in words and for programs.

use std::fmt;

use serde::Serialize;
use sosrep::Detector;
use sosrep::kernel::KernelKind;
use sosrep_report::count;

/// The method of a fit.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Method {
    /// `exact`, or `features` for a kernel that is itself sampled.
    method: &'static str,
    /// Rows the fit is based on: all that can be used, or a sample of them.
    sampled_rows: usize,
    /// Distinct rows among them.
    distinct_rows: usize,
    /// Distinct rows that the core was found among.
    fitted_rows: usize,
    /// Those in the core.
    core_rows: usize,
    /// Those of the core that the density was fitted to.
    support_rows: usize,
    /// Whether that is as many as were allowed, and not what memory allows.
    #[serde(skip)]
    as_allowed: bool,
    /// Rows of the table that can be used.
    #[serde(skip)]
    usable: usize,
    #[serde(skip)]
    seed: u64,
}

impl Method {
    pub(crate) fn of(detector: &Detector) -> Self {
        let report = detector.report();
        let sampled_kernel = matches!(report.kernel, KernelKind::SdoSampled { .. });
        Self {
            method: if sampled_kernel { "features" } else { "exact" },
            sampled_rows: report.sampled_rows,
            distinct_rows: report.distinct_rows,
            fitted_rows: report.fitted_rows,
            core_rows: report.core_rows,
            support_rows: report.support_rows,
            as_allowed: report
                .parameters
                .get("max_rows")
                .is_some_and(|most| *most == report.fitted_rows),
            usable: report.rows,
            seed: detector.seed(),
        }
    }

    /// Whether some rows are represented by others.
    pub(crate) fn is_sampled(&self) -> bool {
        self.sampled_rows < self.usable || self.fitted_rows < self.distinct_rows
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { method, sampled_rows, distinct_rows, fitted_rows, usable, seed, .. } = *self;
        if !self.is_sampled() {
            write!(f, "{method}, on all {} rows", count(usable))?;
            return self.write_support(f);
        }
        // Where all rows are used, equal ones were merged before a sample was taken.
        let merged = sampled_rows == usable && distinct_rows < sampled_rows;
        let (of, rows) = if merged { (distinct_rows, "distinct rows") } else { (usable, "rows") };
        let (sample, more) = if fitted_rows < distinct_rows {
            let more = if self.as_allowed { "--max-rows" } else { "--memory" };
            (fitted_rows, format!("; {more} allows more"))
        } else {
            (sampled_rows, String::new())
        };
        let (sample, of) = (count(sample), count(of));
        write!(f, "{method}, on a sample of {sample} of {of} {rows} (seed {seed}){more}")?;
        self.write_support(f)
    }
}

impl Method {
    /// How many rows stand for the core, if not all of it do.
    fn write_support(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.support_rows == self.core_rows {
            return Ok(());
        }
        let (support, core) = (count(self.support_rows), count(self.core_rows));
        write!(f, "; {support} of the {core} in the core are the support")
    }
}
