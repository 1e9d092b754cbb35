//! Finds planted anomalies among two clusters: fit, scores, p-values, labels, reasons.
//!
//! Run with `cargo run --release --example quickstart`.

use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use sosrep::metrics::{auc_roc, average_precision};
use sosrep::{DetectorParams, Points};

const COLUMNS: usize = 6;

/// Two normal clusters, then rows spread uniformly over the box around them.
fn rows(normal: usize, anomalies: usize) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut rows = Vec::with_capacity((normal + anomalies) * COLUMNS);
    for i in 0..normal {
        let centre = if i % 2 == 0 { 3.0 } else { -3.0 };
        for _ in 0..COLUMNS {
            let noise: f64 = StandardNormal.sample(&mut rng);
            rows.push(centre + noise);
        }
    }
    rows.extend((0..anomalies * COLUMNS).map(|_| rng.random_range(-6.0..6.0)));
    rows
}

fn main() -> sosrep::Result<()> {
    let (normal, anomalies) = (950, 50);
    let rows = rows(normal, anomalies);
    let points = Points::new(&rows, COLUMNS)?;

    let detector = DetectorParams::new().fit(points, None)?;
    let scores = detector.anomaly_score(points)?;
    let p_values = detector.p_value(points)?;
    let flagged = detector.is_anomaly(points)?;

    let report = detector.report();
    println!(
        "rows        {} ({} distinct, {} in the core)",
        report.rows, report.distinct_rows, report.core_rows
    );
    println!("columns     {}", report.columns);
    println!("kernel      {}", report.kernel.name());
    println!("bandwidth   {:.4}", report.bandwidth);
    if let Some(fit) = &report.fit {
        println!(
            "solver      {:?} after {} products, residual {:.1e}",
            fit.stop, fit.products, fit.residual
        );
        println!("objective   {:.4}, ‖f‖² = {:.6}", fit.objective, fit.norm_squared);
    }
    let labels: Vec<bool> = (0..normal + anomalies).map(|i| i >= normal).collect();
    let hits = flagged.iter().zip(&labels).filter(|(f, l)| **f && **l).count();
    println!(
        "threshold   {:.3}: {} rows flagged, {hits} of {anomalies} planted",
        detector.threshold(),
        flagged.iter().filter(|f| **f).count()
    );
    println!("AUC-ROC     {:.4}", auc_roc(&scores, &labels)?);
    println!("AP          {:.4}", average_precision(&scores, &labels)?);

    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&i, &j| scores[j].total_cmp(&scores[i]));
    println!("\n  row   score  p-value  main reason");
    for &row in &order[..5] {
        let reasons = detector.explain(Points::new(points.row(row), COLUMNS)?)?.remove(0);
        let column = reasons.ranking()[0];
        println!(
            "{row:5} {:7.2}  {:.5}  column {column} = {:.2} where {:.2} is typical: {:+.2} of {:+.2}",
            scores[row],
            p_values[row],
            points.row(row)[column],
            reasons.reference[column],
            reasons.contributions[column],
            reasons.score - reasons.reference_score,
        );
    }
    Ok(())
}
