//! Fits the default detector to a CSV file of numbers and prints every row's anomaly score.
//!
//! Usage: `score_rows FILE SEED [KERNEL BANDWIDTH]`. The first line of the file holds names.
//! Scores are printed one a line, with all their digits, so that they can be compared with what
//! the command line and the Python package give for the same file.

use std::error::Error;

use sosrep::{Bandwidth, DetectorParams, Points};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = "usage: score_rows FILE SEED [KERNEL BANDWIDTH]";
    let [file, seed, model @ ..] = arguments.as_slice() else { return Err(usage.into()) };
    let mut params = DetectorParams::new().seed(seed.parse()?);
    match model {
        [] => {}
        [kernel, bandwidth] => {
            let bandwidth = Bandwidth::Fixed(bandwidth.parse()?);
            params = params.kernel(kernel.parse()?).bandwidth(bandwidth);
        }
        _ => return Err(usage.into()),
    }

    let text = std::fs::read_to_string(file)?;
    let columns = text.lines().next().ok_or("the file is empty")?.split(',').count();
    let cells = text.lines().skip(1).flat_map(|line| line.split(','));
    let values = cells.map(|cell| cell.trim().parse()).collect::<Result<Vec<f64>, _>>()?;
    let points = Points::new(&values, columns)?;
    for score in params.fit(points, None)?.anomaly_score(points)? {
        println!("{score:?}");
    }
    Ok(())
}
