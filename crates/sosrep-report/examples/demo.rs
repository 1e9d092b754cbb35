//! A page and a figure from made-up results, to look at: `cargo run --example demo -- page.html`.
//!
//! With a second path, the bandwidth curve is written there as a file of its own.

use std::f64::consts::TAU;

use sosrep_report::{
    Anomaly, Axis, Confusion, Curve, Detection, Feature, Headline, Histogram, Map, MapPoint,
    Reason, Report, Reproduce, Scores, Summary, figure, number, page, standalone,
};

const ROWS: usize = 400;
const THRESHOLD: f64 = 11.4;
const NAMES: [&str; 12] = [
    "alcohol",
    "malic_acid",
    "ash",
    "alcalinity_of_ash",
    "magnesium",
    "total_phenols",
    "flavanoids",
    "nonflavanoid_phenols",
    "proanthocyanins",
    "colour_intensity",
    "od280/od315 of diluted wines, measured twice and averaged over both days",
    "proline",
];

/// Evenly spread in (0, 1), with no visible pattern in the order.
fn uniform(row: usize, stream: usize) -> f64 {
    ((row as f64 + 1.0) * 0.754_877_666 + stream as f64 * 0.569_840_29).fract().clamp(1e-6, 1.0)
        * 0.999
}

fn normal(row: usize, stream: usize) -> f64 {
    let angle = TAU * (row as f64 * 0.618_033_988 + stream as f64 * 0.414_213_56).fract();
    (-2.0 * uniform(row, stream).ln()).sqrt() * angle.cos()
}

fn is_known(row: usize) -> bool {
    row.is_multiple_of(21)
}

const CENTRES: [f64; 12] = [13.0, 2.3, 2.4, 19.5, 99.0, 2.3, 2.0, 0.36, 1.6, 5.0, 2.6, 747.0];
const SPREADS: [f64; 12] = [0.8, 1.1, 0.27, 3.3, 14.0, 0.6, 1.0, 0.12, 0.57, 2.3, 0.7, 315.0];

fn value(row: usize, column: usize) -> f64 {
    let shift = if is_known(row) && (row / 21 + column).is_multiple_of(4) { 4.5 } else { 0.0 };
    CENTRES[column] + SPREADS[column] * (normal(row, column) + shift)
}

fn score(row: usize) -> f64 {
    let known = if is_known(row) { 3.2 + 9.0 * uniform(row, 40) } else { 0.0 };
    (6.0 + 1.7 * normal(row, 30) + known).max(2.2) + 0.3 * uniform(row, 33)
}

fn order(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&i, &j| scores[j].total_cmp(&scores[i]));
    order
}

fn reasons(row: usize) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = (0..NAMES.len())
        .map(|column| {
            let value = value(row, column);
            let typical = CENTRES[column] + 0.4 * SPREADS[column] * normal(row % 7, column + 70);
            let distance = (value - typical).abs() / SPREADS[column];
            Reason {
                feature: column,
                value,
                value_text: number(value),
                typical,
                typical_text: number(typical),
                contribution: 0.9 * distance - 1.2 * uniform(row, column + 50),
            }
        })
        .collect();
    reasons.sort_by(|a, b| b.contribution.total_cmp(&a.contribution));
    reasons
}

fn top(scores: &[f64]) -> Vec<Anomaly> {
    let anomaly = |(place, row): (usize, usize)| Anomaly {
        row: row.to_string(),
        score: scores[row],
        p_value: Some((place + 1) as f64 / (ROWS + 1) as f64),
        flagged: scores[row] > THRESHOLD,
        known: Some(is_known(row)),
        reasons: reasons(row),
    };
    order(scores).into_iter().take(30).enumerate().map(anomaly).collect()
}

fn feature(column: usize, name: &str, top: &[Anomaly]) -> Feature {
    let blames = top.iter().flat_map(|anomaly| &anomaly.reasons);
    let blames = blames.filter(|reason| reason.feature == column);
    let mut values: Vec<f64> = (0..ROWS).map(|row| value(row, column)).collect();
    let histogram = Histogram::of(&values, 30);
    let mean = values.iter().sum::<f64>() / ROWS as f64;
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[(share * (ROWS - 1) as f64) as usize];
    Feature {
        name: name.to_owned(),
        kind: "number".to_owned(),
        missing: if column == 4 { 3 } else { 0 },
        summary: Some(Summary {
            minimum: at(0.0),
            lower_quartile: at(0.25),
            median: at(0.5),
            upper_quartile: at(0.75),
            maximum: at(1.0),
            mean,
        }),
        histogram,
        contribution: blames.map(|reason| reason.contribution.abs()).sum::<f64>()
            / top.len() as f64,
    }
}

fn map(scores: &[f64]) -> Map {
    let mut ranks = vec![None; scores.len()];
    order(scores)
        .iter()
        .take(30)
        .enumerate()
        .for_each(|(place, &row)| ranks[row] = Some(place + 1));
    let point = |row: usize| MapPoint {
        x: normal(row, 60) * 2.0 + if is_known(row) { 4.0 * uniform(row, 61) } else { 0.0 },
        y: normal(row, 62) + if is_known(row) { 3.0 * normal(row, 63) } else { 0.0 },
        score: scores[row],
        flagged: scores[row] > THRESHOLD,
        rank: ranks[row],
    };
    let axis = |share, names: [&str; 3]| Axis { share, loadings: names.map(String::from).to_vec() };
    Map {
        points: (0..scores.len()).map(point).collect(),
        measured: scores.len(),
        axes: [
            axis(0.362, ["flavanoids", "total_phenols", NAMES[10]]),
            axis(0.192, ["colour_intensity", "alcohol", "proline"]),
        ],
    }
}

fn curve() -> Curve {
    let bandwidths = (0..15).map(|step| 10_f64.powf(-2.0 + 4.0 * f64::from(step) / 14.0));
    let value = |b: f64| (b.ln() + 1.2).powi(2) * 3.0 - 41.0 + 0.02 / (b * b);
    Curve {
        points: bandwidths.map(|bandwidth| (bandwidth, value(bandwidth))).collect(),
        chosen: 10_f64.powf(-2.0 + 4.0 * 5.0 / 14.0),
        criterion: "Fisher divergence of held-out rows".to_owned(),
        lower_is_better: true,
    }
}

fn detection(scores: &[f64]) -> Detection {
    let known = (0..ROWS).filter(|&row| is_known(row)).count();
    let (mut hits, mut alarms) = (0, 0);
    let (mut roc, mut precision_recall) = (Vec::new(), Vec::new());
    let (mut area, mut average) = (0.0, 0.0);
    for row in order(scores) {
        let recall = |hits: usize| hits as f64 / known as f64;
        if is_known(row) {
            hits += 1;
            average += hits as f64 / (hits + alarms) as f64 / known as f64;
        } else {
            alarms += 1;
            area += recall(hits) / (ROWS - known) as f64;
        }
        roc.push((alarms as f64 / (ROWS - known) as f64, recall(hits)));
        precision_recall.push((recall(hits), hits as f64 / (hits + alarms) as f64));
    }
    let counted = |flagged, label| {
        (0..ROWS)
            .filter(|&row| (scores[row] > THRESHOLD) == flagged && is_known(row) == label)
            .count()
    };
    Detection {
        roc,
        precision_recall,
        auc_roc: area,
        average_precision: average,
        prevalence: known as f64 / ROWS as f64,
        confusion: Confusion {
            true_positives: counted(true, true),
            false_positives: counted(true, false),
            false_negatives: counted(false, true),
            true_negatives: counted(false, false),
        },
    }
}

fn report() -> Report {
    let scores: Vec<f64> = (0..ROWS).map(score).collect();
    let top = top(&scores);
    Report {
        title: "Anomalies in wine.csv".to_owned(),
        source_note: Some("Values made up for this example.".to_owned()),
        headline: Headline {
            rows: ROWS,
            columns: NAMES.len(),
            flagged: scores.iter().filter(|score| **score > THRESHOLD).count(),
            threshold_rule: "box plot whisker of the training scores".to_owned(),
            kernel: "product".to_owned(),
            bandwidth: 0.1886,
            iterations: Some(11),
            seconds: 0.0234,
        },
        features: (0..NAMES.len()).map(|column| feature(column, NAMES[column], &top)).collect(),
        top,
        map: Some(map(&scores)),
        curve: Some(curve()),
        detection: Some(detection(&scores)),
        notes: vec![
            "3 missing values of magnesium were replaced by its median, 98.".to_owned(),
            "The column station has one value only and carries no information.".to_owned(),
        ],
        reproduce: Reproduce {
            command: "sosrep detect wine.csv --label class --seed 0 --report report.html"
                .to_owned(),
            version: "0.1.0".to_owned(),
            seed: 0,
            threads: 2,
        },
        scores: Scores {
            labels: Some((0..ROWS).map(is_known).collect()),
            values: scores,
            threshold: THRESHOLD,
        },
    }
}

fn main() -> std::io::Result<()> {
    let mut paths = std::env::args().skip(1);
    let report = report();
    std::fs::write(paths.next().unwrap_or_else(|| "report.html".to_owned()), page(&report))?;
    match (paths.next(), &report.curve) {
        (Some(path), Some(curve)) => {
            std::fs::write(path, standalone(&figure::bandwidth_curve(curve)))
        }
        _ => Ok(()),
    }
}
