//! Draws: from a density, and of rows like those a detector was fitted to.
//!
//! The two are not the same. A draw from the density p = f²/∫f² is what a chain converges to, see
//! `sample/langevin.rs`. In few columns it looks like the data. In many it does not: the kernel, which
//! compares whole rows, is as wide as rows are apart, and so is f², in every direction; in 50 columns
//! nearly all of its volume, and with it nearly all of p, lies many deviations away from all rows,
//! while ratios of p among the rows are what scores are made of. So rows like the data are not drawn
//! from p, but are mixtures of close rows of the table that p calls usual, see `sample/new_rows.rs`.
//!
//! Draws do not depend on the number of threads.
//!
//! Paper: Section 7 (generative use of unnormalised densities). Differs from the paper: it names the
//! possibility and does not carry it out.

mod langevin;
mod new_rows;

use crate::density::Density;
use crate::detector::Detector;
use crate::error::{Error, Result, positive};
use crate::memory::expect_room;
use crate::monitor::{Monitor, Stage, no_progress, report_progress};
use crate::parallel;
use crate::points::Points;
use langevin::{Chain, effective_sample_size};
use new_rows::NewRows;

/// Draws of every chain per progress callback.
const DRAWS_AT_ONCE: usize = 4;

/// How to draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleParams {
    chains: usize,
    burn_in: usize,
    thin: usize,
    step: f64,
    seed: u64,
}

impl Default for SampleParams {
    fn default() -> Self {
        Self { chains: 64, burn_in: 200, thin: 5, step: 0.3, seed: 0 }
    }
}

impl SampleParams {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Independent chains, at least 1; no more than draws are run. Default 64.
    pub fn chains(mut self, chains: usize) -> Self {
        self.chains = chains;
        self
    }

    /// Steps of each chain before the first draw, in whose first half the step size is learned.
    /// Default 200.
    pub fn burn_in(mut self, steps: usize) -> Self {
        self.burn_in = steps;
        self
    }

    /// Steps between two draws of a chain, at least 1. Default 5.
    pub fn thin(mut self, steps: usize) -> Self {
        self.thin = steps;
        self
    }

    /// First step size ε > 0. Default 0.3, for standardised columns.
    pub fn step(mut self, step: f64) -> Self {
        self.step = step;
        self
    }

    /// Seed. Default 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    fn check(&self) -> Result<()> {
        positive("step", self.step)?;
        if self.chains == 0 {
            return Err(Error::parameter("chains", 0, "at least 1"));
        }
        if self.thin == 0 {
            return Err(Error::parameter("thin", 0, "at least 1"));
        }
        Ok(())
    }

    /// Draws `count` rows from `density`, chains starting at rows of `starts`.
    ///
    /// # Errors
    /// Parameters outside their domain, starts of another dimension.
    pub fn draw(&self, density: &Density, starts: Points, count: usize) -> Result<Samples> {
        self.draw_monitored(density, starts, count, &mut no_progress)
    }

    /// As [`draw`](Self::draw), with progress.
    ///
    /// # Errors
    /// As [`draw`](Self::draw), and [`Error::Cancelled`].
    pub fn draw_monitored(
        &self,
        density: &Density,
        starts: Points,
        count: usize,
        monitor: Monitor,
    ) -> Result<Samples> {
        self.check()?;
        starts.expect_columns(density.dimension())?;
        check_count(count)?;
        let chains = self.chains.min(count);
        // The first count mod chains chains give one draw more.
        let draws = |chain: usize| count / chains + usize::from(chain < count % chains);
        expect_room::<f64>("the draws", count.saturating_mul(density.dimension()))?;
        report_progress(monitor, Stage::Sample, 0, count)?;
        let start = |chain: usize| self.start_chain(density, starts, chain as u64);
        let mut found = parallel::map(chains, start);
        let mut done = 0;
        while done < draws(0) {
            report_progress(monitor, Stage::Sample, (done * chains).min(count), count)?;
            let until = done + DRAWS_AT_ONCE;
            parallel::for_each_mut(&mut found, |i, chain| {
                self.continue_chain(density, chain, until.min(draws(i)));
            });
            done = until;
        }
        Ok(Samples::from_chains(found, density.dimension()))
    }

    /// Draws `count` rows like the usual ones that a detector was fitted to, in the units of its
    /// input, one after another; of the parameters only the seed matters.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a count of 0.
    pub fn draw_rows(&self, detector: &Detector, count: usize) -> Result<Vec<f64>> {
        self.draw_rows_monitored(detector, count, &mut no_progress)
    }

    /// As [`draw_rows`](Self::draw_rows), with progress.
    ///
    /// # Errors
    /// As [`draw_rows`](Self::draw_rows), and [`Error::Cancelled`].
    pub fn draw_rows_monitored(
        &self,
        detector: &Detector,
        count: usize,
        monitor: Monitor,
    ) -> Result<Vec<f64>> {
        check_count(count)?;
        NewRows::new(detector, self.seed)?.draw(count, monitor)
    }
}

fn check_count(count: usize) -> Result<()> {
    if count == 0 { Err(Error::parameter("count", 0, "at least 1")) } else { Ok(()) }
}

/// Rows drawn and how well the chains moved.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Samples {
    /// count×d, row-major, chain after chain.
    pub values: Vec<f64>,
    /// Share of proposals accepted after the burn-in.
    pub acceptance_rate: f64,
    /// Effective sample size: the smallest over the columns.
    pub effective_sample_size: f64,
}

impl Samples {
    fn from_chains(chains: Vec<Chain>, columns: usize) -> Self {
        let steps: usize = chains.iter().map(|chain| chain.steps).sum();
        let accepted: usize = chains.iter().map(|chain| chain.accepted).sum();
        let effective = |column: usize| {
            let series = |chain: &Chain| {
                chain.values.iter().skip(column).step_by(columns).copied().collect()
            };
            effective_sample_size(&chains.iter().map(series).collect::<Vec<_>>())
        };
        Self {
            acceptance_rate: accepted as f64 / steps as f64,
            effective_sample_size: (0..columns).map(effective).fold(f64::INFINITY, f64::min),
            values: chains.into_iter().flat_map(|chain| chain.values).collect(),
        }
    }
}
