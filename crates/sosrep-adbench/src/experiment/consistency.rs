//! The error of the density against the number of rows: consistency, measured.
//!
//! Paper: Section "Consistency", Theorem "consistency".
//!
//! ```text
//! rows from p = v², compact support;  a = 1/N, so b = N^(−1/2m), m = ⌊d/2⌋ + 1
//! u_N = f in the norm of the paper, whose kernel integrates to one        ‖u_N − v‖ → 0,  ‖u_N‖ → 1
//! KL  = mean of log p − log p̂ over fresh rows of p,  p̂ = u² / ‖u‖²
//! ```
//!
//! Beside SOSREP stands KDE with the same kernel and bandwidth, in the same norm. From two dimensions
//! on the SDO kernel has negative values and so may have p̂: it is taken as |p̂| / ∫|p̂|. Beside the
//! rate of the theorem stands b = ½ N^(−1/(d+4)), the usual one for densities. In one and two
//! dimensions the norm is a sum over a grid; in three it is a mean over points of ½ p + ½ uniform,
//! with a standard error.
//!
//! The library's kernels are scaled to k(x, x) = 1, which scales f: u = f / √∫k.
//!
//! Every size, rate and draw is a line appended to the file; a second run goes on from there. Cost: N²
//! kernel values a fit, and N a point of the grid.

mod mixture;
mod nodes;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sosrep::kernel::Kernel;
use sosrep::{Density, DensityParams, Kde, KernelKind, Points};

use super::{Request, Watch, random, tell};
use crate::error::Result;
use crate::log::Log;
use mixture::Mixture;
use nodes::Nodes;

const DIMENSIONS: [usize; 3] = [1, 2, 3];
/// The numbers of rows N.
const SIZES: [usize; 8] = [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800];
/// Draws of the rows; of more than `MANY` there is one, which costs more and varies less.
const DRAWS: u64 = 3;
const MANY: usize = 3_200;
/// Fresh rows for the divergence.
const FRESH: usize = 4_000;

/// How the bandwidth shrinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Rate {
    /// a = 1/N.
    Theorem,
    /// b = ½ N^(−1/(d+4)).
    Usual,
}

impl Rate {
    fn bandwidth(self, dimension: usize, rows: usize) -> f64 {
        let n = rows as f64;
        match self {
            Self::Theorem => n.powf(-0.5 / (dimension / 2 + 1) as f64),
            Self::Usual => 0.5 * n.powf(-1.0 / (dimension as f64 + 4.0)),
        }
    }
}

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Row {
    dimension: usize,
    rate: Rate,
    rows: usize,
    draw: u64,
    seed: u64,
    bandwidth: f64,
    /// ‖u_N − v‖.
    sosrep_error: f64,
    /// Standard error of its square by the points of the integral; empty for a grid.
    sosrep_square_error: Option<f64>,
    /// ‖u_N‖².
    sosrep_mass: f64,
    /// KL divergence, and its standard error by the fresh rows.
    sosrep_divergence: f64,
    sosrep_divergence_error: f64,
    kde_error: f64,
    kde_square_error: Option<f64>,
    kde_divergence: f64,
    kde_divergence_error: f64,
}

/// One fit to be measured.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Case {
    dimension: usize,
    rate: Rate,
    rows: usize,
    draw: u64,
    seed: u64,
}

impl Case {
    fn of(row: &Row) -> Self {
        let Row { dimension, rate, rows, draw, seed, .. } = *row;
        Self { dimension, rate, rows, draw, seed }
    }

    fn all(seed: u64) -> Vec<Self> {
        let mut cases = Vec::new();
        for dimension in DIMENSIONS {
            for rate in [Rate::Theorem, Rate::Usual] {
                for rows in SIZES {
                    let draws = if rows > MANY { 1 } else { DRAWS };
                    cases.extend((0..draws).map(|draw| Self { dimension, rate, rows, draw, seed }));
                }
            }
        }
        cases
    }

    /// Fits and measures; integrals are over `grid`, or over random points without one.
    fn measure(&self, grid: Option<&Nodes>) -> Result<Row> {
        let Self { dimension, rate, rows, draw, seed } = *self;
        let mixture = Mixture { dimension };
        // The same rows for both rates, and those of a smaller size among those of a larger.
        let mut generator = random::generator(seed, (draw << 8) ^ dimension as u64);
        let fresh = mixture.draw(FRESH, &mut generator);
        let values = mixture.draw(rows, &mut generator);
        let drawn = Nodes::random(&mixture, &mut generator);
        let bandwidth = rate.bandwidth(dimension, rows);
        let models = Models::fit(Points::new(&values, dimension)?, bandwidth)?;
        let truth = Truth { mixture, fresh: &fresh, nodes: grid.unwrap_or(&drawn) };
        let sosrep = truth.compare(|points| models.log_sosrep(points), Some(models.log_mass))?;
        let kde = truth.compare(|points| Ok(models.kde.log_density(points)?), None)?;
        Ok(Row {
            dimension,
            rate,
            rows,
            draw,
            seed,
            bandwidth,
            sosrep_error: sosrep.error.0,
            sosrep_square_error: sosrep.error.1,
            sosrep_mass: models.log_mass.exp(),
            sosrep_divergence: sosrep.divergence.0,
            sosrep_divergence_error: sosrep.divergence.1,
            kde_error: kde.error.0,
            kde_square_error: kde.error.1,
            kde_divergence: kde.divergence.0,
            kde_divergence_error: kde.divergence.1,
        })
    }
}

/// Both estimates, with the same kernel on the same rows.
struct Models {
    density: Density,
    kde: Kde,
    /// ln ∫k of the kernel with k(x, x) = 1.
    ln_integral: f64,
    /// ln ‖u‖².
    log_mass: f64,
}

impl Models {
    fn fit(points: Points, bandwidth: f64) -> Result<Self> {
        let params = DensityParams::new().kernel(KernelKind::Sdo).bandwidth(bandwidth);
        let density = params.fit(points, None)?;
        let kernel = Kernel::new(&KernelKind::Sdo, points.columns(), bandwidth)?;
        let ln_integral = kernel.ln_integral();
        let log_mass = density.log_normalizer()? - ln_integral;
        let kde = Kde::new(kernel, points, None)?;
        Ok(Self { density, kde, ln_integral, log_mass })
    }

    /// log u², of the paper's norm.
    fn log_sosrep(&self, points: Points) -> Result<Vec<f64>> {
        let logs = self.density.log_pre_density(points)?;
        Ok(logs.into_iter().map(|log| log - self.ln_integral).collect())
    }
}

/// What an estimate is compared with.
struct Truth<'a> {
    mixture: Mixture,
    fresh: &'a [f64],
    nodes: &'a Nodes,
}

/// How far an estimate is off: values with standard errors.
struct Comparison {
    error: (f64, Option<f64>),
    divergence: (f64, f64),
}

impl Truth<'_> {
    /// Compares an estimate with the truth, given by its logarithm. With the logarithm of its
    /// integral it is compared as it is and only normalised for the divergence; without, it is
    /// normalised for both.
    fn compare(
        &self,
        log_estimate: impl Fn(Points) -> Result<Vec<f64>>,
        log_mass: Option<f64>,
    ) -> Result<Comparison> {
        let Self { mixture, fresh, nodes } = self;
        let mut at_nodes = log_estimate(Points::new(&nodes.points, mixture.dimension)?)?;
        let log_mass = log_mass.unwrap_or_else(|| {
            let log_mass = nodes.integral(&at_nodes).ln();
            at_nodes.iter_mut().for_each(|log| *log -= log_mass);
            log_mass
        });
        let logs = log_estimate(Points::new(fresh, mixture.dimension)?)?;
        let differences: Vec<f64> = fresh
            .chunks_exact(mixture.dimension)
            .zip(logs)
            .map(|(row, log)| mixture.density(row).ln() - (log - log_mass))
            .collect();
        let error = nodes.distance(mixture, &at_nodes);
        Ok(Comparison { error, divergence: nodes::mean_with_error(&differences) })
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join("consistency.csv")
}

/// Measures what the file has not.
pub(super) fn run(request: &Request, folder: &Path, watch: Watch) -> Result<()> {
    run_cases(&Case::all(request.seed), folder, watch)
}

fn run_cases(cases: &[Case], folder: &Path, watch: Watch) -> Result<()> {
    let mut log: Log<Row> = Log::open(file(folder))?;
    let grids: Vec<Option<Nodes>> =
        DIMENSIONS.iter().map(|&dimension| Nodes::grid(dimension)).collect();
    for (done, case) in cases.iter().enumerate() {
        tell(watch, "fits", done, cases.len())?;
        if log.entries().iter().all(|row| Case::of(row) != *case) {
            let grid = grids.get(case.dimension - 1).and_then(Option::as_ref);
            log.append(case.measure(grid)?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::log;

    #[test]
    fn the_error_falls_with_the_number_of_rows() {
        for dimension in [1, 2] {
            let nodes = Nodes::grid(dimension);
            let at = |rows| {
                let case = Case { dimension, rate: Rate::Theorem, rows, draw: 0, seed: 1 };
                case.measure(nodes.as_ref()).unwrap()
            };
            let (few, many) = (at(50), at(800));
            assert!(many.sosrep_error < 0.8 * few.sosrep_error, "{few:?} {many:?}");
            assert!(many.sosrep_divergence < few.sosrep_divergence, "{few:?} {many:?}");
            assert!((many.sosrep_mass - 1.0).abs() < (few.sosrep_mass - 1.0).abs());
        }
    }

    #[test]
    fn a_second_run_measures_only_what_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let case = |rows| Case { dimension: 1, rate: Rate::Usual, rows, draw: 0, seed: 3 };
        let mut go_on = |_: &str, _: usize, _: usize| ControlFlow::Continue(());
        run_cases(&[case(100)], folder.path(), &mut go_on).unwrap();
        run_cases(&[case(100), case(200), case(200)], folder.path(), &mut go_on).unwrap();
        let rows: Vec<Row> = log::read(file(folder.path())).unwrap();
        assert_eq!(rows.iter().map(|row| row.rows).collect::<Vec<_>>(), [100, 200]);
    }

    #[test]
    fn the_bandwidth_is_the_root_of_one_over_n() {
        // a = b^2m = 1/N.
        for dimension in DIMENSIONS {
            let b = Rate::Theorem.bandwidth(dimension, 400);
            assert!((b.powi(2 * (dimension as i32 / 2 + 1)) * 400.0 - 1.0).abs() < 1e-12);
        }
    }
}
