//! Draws a fitted two-column density and the anomalies found in it, as SVG on standard output.
//!
//! Run with `cargo run --release --example density_map > docs/density_map.svg`.

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use sosrep::{Bandwidth, Detector, DetectorParams, Points};

const WIDTH: usize = 120;
const HEIGHT: usize = 72;
const CELL: f64 = 6.0;
/// x from, x to, y from, y to.
const BOX: [f64; 4] = [-2.2, 3.2, -1.7, 2.2];
/// From low to high density.
const COLOURS: [&str; 9] = [
    "#ffffff", "#eef4fb", "#dbe9f6", "#c1d9ef", "#9ec5e3", "#75add3", "#4d92c3", "#2c76b0",
    "#155a96",
];

/// Two interleaved half circles with noise, then rows anywhere in the box.
fn moons(normal: usize, anywhere: usize) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut rows = Vec::with_capacity(2 * (normal + anywhere));
    for i in 0..normal {
        let angle = rng.random_range(0.0..std::f64::consts::PI);
        let (x, y) = if i % 2 == 0 {
            (angle.cos(), angle.sin())
        } else {
            (1.0 - angle.cos(), 0.5 - angle.sin())
        };
        for value in [x, y] {
            let noise: f64 = StandardNormal.sample(&mut rng);
            rows.push(value + 0.11 * noise);
        }
    }
    for _ in 0..anywhere {
        rows.push(rng.random_range(BOX[0]..BOX[1]));
        rows.push(rng.random_range(BOX[2]..BOX[3]));
    }
    rows
}

/// The row in the middle of a cell.
fn cell_centre(column: usize, line: usize) -> [f64; 2] {
    let part = |cell: usize, cells: usize| (cell as f64 + 0.5) / cells as f64;
    [
        BOX[0] + (BOX[1] - BOX[0]) * part(column, WIDTH),
        BOX[3] - (BOX[3] - BOX[2]) * part(line, HEIGHT),
    ]
}

/// Cells of equal colour, merged along lines.
fn heat_map(detector: &Detector, svg: &mut String) -> sosrep::Result<()> {
    let grid: Vec<f64> = (0..HEIGHT)
        .flat_map(|line| (0..WIDTH).flat_map(move |column| cell_centre(column, line)))
        .collect();
    let scores = detector.anomaly_score(Points::new(&grid, 2)?)?;
    let lowest = scores.iter().copied().fold(f64::INFINITY, f64::min);
    // One colour for every unit of log density below the highest.
    let level = |score: f64| COLOURS.len().saturating_sub(1 + (score - lowest) as usize);
    for (line, scores) in scores.chunks_exact(WIDTH).enumerate() {
        let mut column = 0;
        for run in scores.chunk_by(|a, b| level(*a) == level(*b)) {
            let (x, y, width) = (column as f64 * CELL, line as f64 * CELL, run.len() as f64 * CELL);
            let colour = COLOURS[level(run[0])];
            writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{CELL}\" fill=\"{colour}\"/>"
            )
            .expect("writing to a string");
            column += run.len();
        }
    }
    Ok(())
}

fn main() -> sosrep::Result<()> {
    let rows = moons(500, 15);
    let points = Points::new(&rows, 2)?;
    // A light trim: the default half suits wide tables and would cut the thin ends off here.
    let params = DetectorParams::new().bandwidth(Bandwidth::Fixed(0.08)).trim(0.05);
    let detector = params.fit(points, None)?;
    let (width, height) = (WIDTH as f64 * CELL, HEIGHT as f64 * CELL);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         shape-rendering=\"crispEdges\">\n<title>Log density of two half circles, darker where \
         rows are expected, with the rows flagged as anomalies in red</title>\n"
    );
    heat_map(&detector, &mut svg)?;
    for (row, flagged) in points.iter().zip(detector.is_anomaly(points)?) {
        let x = (row[0] - BOX[0]) / (BOX[1] - BOX[0]) * width;
        let y = (BOX[3] - row[1]) / (BOX[3] - BOX[2]) * height;
        let (radius, colour) = if flagged { (4.5, "#d62728") } else { (1.6, "#222222") };
        writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\" \
             shape-rendering=\"auto\"/>"
        )
        .expect("writing to a string");
    }
    println!("{svg}</svg>");
    Ok(())
}
