//! Times one exact fit and the scoring of new rows, for comparison with other programs.
//!
//! Usage: `fit_and_score TRAIN TEST COLUMNS KERNEL BANDWIDTH`, both files raw little-endian f64,
//! row after row; KERNEL is `product` or `sdo`. Prints seconds and the sum of the scores.

use std::error::Error;
use std::time::Instant;

use sosrep::kernel::KernelKind;
use sosrep::{Bandwidth, DensityParams, Points};

fn read(path: &str) -> Result<Vec<f64>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [train, test, columns, kernel, bandwidth] = arguments.as_slice() else {
        return Err("usage: fit_and_score TRAIN TEST COLUMNS KERNEL BANDWIDTH".into());
    };
    let kernel = match kernel.as_str() {
        "product" => KernelKind::Product,
        "sdo" => KernelKind::Sdo,
        other => return Err(format!("kernel {other}: expected product or sdo").into()),
    };
    let columns: usize = columns.parse()?;
    let (train, test) = (read(train)?, read(test)?);
    let (train, test) = (Points::new(&train, columns)?, Points::new(&test, columns)?);

    let start = Instant::now();
    let density = DensityParams::new()
        .kernel(kernel)
        .bandwidth(bandwidth.parse::<Bandwidth>()?)
        .fit(train, None)?;
    let fitted = start.elapsed();
    let scores = density.log_pre_density(test)?;
    let scored = start.elapsed() - fitted;

    let products = density.report().map_or(0, |report| report.products);
    println!(
        "{{\"fit_seconds\": {}, \"score_seconds\": {}, \"products\": {products}, \"checksum\": {}}}",
        fitted.as_secs_f64(),
        scored.as_secs_f64(),
        scores.iter().sum::<f64>()
    );
    Ok(())
}
