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
//! Beside SOSREP stands KDE with the same kernel and bandwidth: |√p̂ − v| in the same norm, where p̂
//! may be slightly negative and |p̂| counts. Beside the rate of the theorem stands b = ½ N^(−1/(d+4)),
//! the usual one for densities. In one and two dimensions the norm is a sum over a grid; in three it is
//! a mean over points of ½ p + ½ uniform, with a standard error.
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
use sosrep_report::chart::{Axis, LineChart, Series, Style, lines};

use super::{Drawn, Experiment, Finding, Monitor, Request, random, slope, table, tell};
use crate::error::Result;
use crate::log::Log;
use mixture::Mixture;
use nodes::Nodes;

const DIMENSIONS: [usize; 3] = [1, 2, 3];
/// The numbers of rows N.
const SIZES: [usize; 8] = [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800];
/// Draws of the rows.
const DRAWS: u64 = 3;
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
                    cases.extend((0..DRAWS).map(|draw| Self { dimension, rate, rows, draw, seed }));
                }
            }
        }
        cases
    }

    fn measure(&self, nodes: Option<&Nodes>) -> Result<Row> {
        let Self { dimension, rate, rows, draw, seed } = *self;
        let mixture = Mixture { dimension };
        // The same rows for both rates, and those of a smaller size among those of a larger.
        let mut generator = random::generator(seed, (draw << 8) ^ dimension as u64);
        let fresh = mixture.draw(FRESH, &mut generator);
        let values = mixture.draw(rows, &mut generator);
        let bandwidth = rate.bandwidth(dimension, rows);
        let points = Points::new(&values, dimension)?;
        let params = DensityParams::new().kernel(KernelKind::Sdo).bandwidth(bandwidth);
        let density = params.fit(points, None)?;
        let kernel = Kernel::new(&KernelKind::Sdo, dimension, bandwidth)?;
        let ln_integral = kernel.ln_integral();
        let kde = Kde::new(kernel, points, None)?;
        let log_mass = density.log_normalizer()? - ln_integral;
        let drawn;
        let nodes = match nodes {
            Some(nodes) => nodes,
            None => {
                drawn = Nodes::random(&mixture, &mut generator);
                &drawn
            }
        };
        let at = Points::new(&nodes.points, dimension)?;
        let sosrep = nodes.distance(&mixture, &log_pre(&density, at, ln_integral)?);
        let kde_distance = nodes.distance(&mixture, &kde.log_density(at)?);
        let fresh_points = Points::new(&fresh, dimension)?;
        let normalised: Vec<f64> = log_pre(&density, fresh_points, ln_integral)?
            .into_iter()
            .map(|log| log - log_mass)
            .collect();
        let sosrep_kl = divergence(&mixture, &fresh, &normalised);
        let kde_kl = divergence(&mixture, &fresh, &kde.log_density(fresh_points)?);
        Ok(Row {
            dimension,
            rate,
            rows,
            draw,
            seed,
            bandwidth,
            sosrep_error: sosrep.0,
            sosrep_square_error: sosrep.1,
            sosrep_mass: log_mass.exp(),
            sosrep_divergence: sosrep_kl.0,
            sosrep_divergence_error: sosrep_kl.1,
            kde_error: kde_distance.0,
            kde_square_error: kde_distance.1,
            kde_divergence: kde_kl.0,
            kde_divergence_error: kde_kl.1,
        })
    }
}

/// log u², of the paper's norm.
fn log_pre(density: &Density, points: Points, ln_integral: f64) -> Result<Vec<f64>> {
    let logs = density.log_pre_density(points)?;
    Ok(logs.into_iter().map(|log| log - ln_integral).collect())
}

/// The mean of log p − log p̂ over rows of p, with its standard error.
fn divergence(mixture: &Mixture, rows: &[f64], log_estimate: &[f64]) -> (f64, f64) {
    let differences: Vec<f64> = rows
        .chunks_exact(mixture.dimension)
        .zip(log_estimate)
        .map(|(row, log)| mixture.density(row).ln() - log)
        .collect();
    nodes::mean_with_error(&differences)
}

fn file(folder: &Path) -> PathBuf {
    folder.join("consistency.csv")
}

/// Measures what the file has not.
pub(super) fn run(request: &Request, folder: &Path, monitor: Monitor) -> Result<()> {
    run_cases(&Case::all(request.seed), folder, monitor)
}

fn run_cases(cases: &[Case], folder: &Path, monitor: Monitor) -> Result<()> {
    let mut log: Log<Row> = Log::open(file(folder))?;
    let grids: Vec<Option<Nodes>> =
        DIMENSIONS.iter().map(|&dimension| Nodes::grid(dimension)).collect();
    for (done, case) in cases.iter().enumerate() {
        tell(monitor, "fits", done, cases.len())?;
        if log.entries().iter().all(|row| Case::of(row) != *case) {
            let grid = grids.get(case.dimension - 1).and_then(Option::as_ref);
            log.append(case.measure(grid)?)?;
        }
    }
    Ok(())
}

/// The mean over the draws, by the number of rows.
fn curve(rows: &[Row], dimension: usize, rate: Rate, value: fn(&Row) -> f64) -> Vec<(f64, f64)> {
    let of_size = |size: usize| {
        let kept = |row: &&Row| (row.dimension, row.rate, row.rows) == (dimension, rate, size);
        let values: Vec<f64> = rows.iter().filter(kept).map(value).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (!values.is_empty()).then_some((size as f64, mean))
    };
    SIZES.into_iter().filter_map(of_size).collect()
}

/// Errors and divergences against N, at the rate of the theorem.
pub(super) fn draw(folder: &Path) -> Result<Vec<Drawn>> {
    let rows: Vec<Row> = table::read(&file(folder))?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let both = |sosrep: fn(&Row) -> f64, kde: fn(&Row) -> f64| {
        let mut series = Vec::new();
        for d in DIMENSIONS {
            for (name, value, style) in
                [("SOSREP", sosrep, Style::LineAndDots), ("KDE", kde, Style::Dashed)]
            {
                let points = curve(&rows, d, Rate::Theorem, value);
                series.push(Series { name: format!("{name}, d = {d}"), points, style });
            }
        }
        series
    };
    let drawn = |name: &str, title: &str, y: &str, series, caption: &str| {
        let chart = LineChart {
            title: title.to_string(),
            x: ("rows N".to_string(), Axis::Logarithmic),
            y: (y.to_string(), Axis::Logarithmic),
            series,
            marks: Vec::new(),
        };
        let (name, title, caption) = (name.to_string(), title.to_string(), caption.to_string());
        Drawn { name, title, caption, svg: lines(&chart) }
    };
    Ok(vec![
        drawn(
            "consistency",
            "Distance of the root of the density from the truth",
            "‖u − √p‖ in L₂",
            both(|row| row.sosrep_error, |row| row.kde_error),
            "Two bumps with compact support, exact SDO kernel with a = 1/N as in the theorem, mean \
             of three draws. SOSREP is u itself, not normalised; KDE has the same kernel.",
        ),
        drawn(
            "consistency-divergence",
            "Divergence of the density from the truth",
            "KL(p, p̂)",
            both(|row| row.sosrep_divergence, |row| row.kde_divergence),
            "The mean of log p − log p̂ over 4000 fresh rows, with the density normalised; the same \
             fits as in the figure before.",
        ),
    ])
}

/// Errors at both ends and their exponents.
pub(super) fn finding(folder: &Path) -> Result<Option<Finding>> {
    let rows: Vec<Row> = table::read(&file(folder))?;
    let mut cells = Vec::new();
    for d in DIMENSIONS {
        for rate in [Rate::Theorem, Rate::Usual] {
            let of = |value| curve(&rows, d, rate, value);
            let errors = of(|row| row.sosrep_error);
            let kde = of(|row| row.kde_error);
            let (Some(first), Some(last)) = (errors.first(), errors.last()) else { continue };
            let end = |curve: &[(f64, f64)]| curve.last().map_or(f64::NAN, |(_, value)| *value);
            let exponent = |curve: &[(f64, f64)]| {
                slope::exponent(curve).map_or(String::new(), |slope| format!("{slope:.2}"))
            };
            let name = if rate == Rate::Theorem { "a = 1/N" } else { "b = ½ N^(−1/(d+4))" };
            cells.push(vec![
                name.to_string(),
                d.to_string(),
                format!("{:.3}", first.1),
                format!("{:.3}", last.1),
                exponent(&errors),
                format!("{:.3}", end(&of(|row| row.sosrep_mass))),
                format!("{:.4}", end(&of(|row| row.sosrep_divergence))),
                format!("{:.3}", end(&kde)),
                exponent(&kde),
                format!("{:.4}", end(&of(|row| row.kde_divergence))),
            ]);
        }
    }
    let (Some(fewest), Some(most)) =
        (rows.iter().map(|row| row.rows).min(), rows.iter().map(|row| row.rows).max())
    else {
        return Ok(None);
    };
    let fewest_name = format!("error, N = {fewest}");
    let most_name = format!("N = {most}");
    let header = [
        "rate",
        "d",
        &fewest_name,
        &most_name,
        "exponent",
        "‖u‖²",
        "KL",
        "KDE error",
        "exponent",
        "KDE KL",
    ];
    Ok(Some(Finding {
        experiment: Experiment::Consistency,
        heading: "Consistency".to_string(),
        sentences: vec![format!(
            "The paper proves that u_N converges to √p in L₂ in any dimension when a = 1/N, \
                 and that its norm becomes one, without a rate. Measured on a known density with \
                 {fewest} to {most} rows, in one, two and three dimensions; columns without another \
                 word are SOSREP at N = {most}."
        )],
        table: Some(table::summary(&header, 1, cells)),
    }))
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;

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
        let rows: Vec<Row> = table::read(&file(folder.path())).unwrap();
        assert_eq!(rows.iter().map(|row| row.rows).collect::<Vec<_>>(), [100, 200]);
        assert_eq!(
            (draw(folder.path()).unwrap().len(), finding(folder.path()).unwrap().is_some()),
            (2, true)
        );
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
