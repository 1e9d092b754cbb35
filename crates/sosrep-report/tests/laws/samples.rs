//! Reports to try: an ordinary one, one with nothing in it, one from a hostile stranger, a large one.

use sosrep_report::{
    Anomaly, Axis, Confusion, Curve, Detection, Feature, Headline, Histogram, Map, MapPoint,
    Reason, Report, Reproduce, Scores, Summary,
};

fn reason(feature: usize, value: f64, contribution: f64) -> Reason {
    Reason {
        feature,
        value,
        value_text: value.to_string(),
        typical: 20.0,
        typical_text: "20".to_owned(),
        contribution,
    }
}

fn feature(name: &str, values: &[f64], contribution: f64) -> Feature {
    let summary = Summary {
        minimum: values[0],
        lower_quartile: values[0],
        median: values[0],
        upper_quartile: values[0],
        maximum: values[0],
        mean: values[0],
    };
    Feature {
        name: name.to_owned(),
        kind: "number".to_owned(),
        missing: 0,
        summary: Some(summary),
        histogram: Histogram::of(values, 20),
        contribution,
    }
}

fn anomaly(row: usize, score: f64, reasons: Vec<Reason>) -> Anomaly {
    Anomaly {
        row: row.to_string(),
        score,
        p_value: Some(0.01),
        flagged: true,
        known: Some(true),
        reasons,
    }
}

fn headline(rows: usize, columns: usize, flagged: usize) -> Headline {
    Headline {
        rows,
        columns,
        flagged,
        threshold_rule: "box plot whisker".to_owned(),
        kernel: "product".to_owned(),
        bandwidth: 0.15,
        iterations: Some(11),
        seconds: 0.5,
    }
}

fn map(scores: &[f64], threshold: f64) -> Map {
    let point = |(row, &score): (usize, &f64)| MapPoint {
        x: (row as f64 * 0.618).fract(),
        y: (row as f64 * 0.414).fract(),
        score,
        flagged: score > threshold,
        rank: None,
    };
    let axis = || Axis { share: 0.4, loadings: vec!["ash".to_owned()] };
    let points = scores.iter().enumerate().map(point).collect();
    Map { points, measured: scores.len().min(20_000), axes: [axis(), axis()] }
}

/// Forty rows with scores 0 to 39, the last two flagged.
pub(crate) fn full() -> Report {
    let scores: Vec<f64> = (0..40).map(f64::from).collect();
    Report {
        title: "Anomalies in data.csv".to_owned(),
        source_note: Some("Made up.".to_owned()),
        headline: headline(40, 2, 2),
        top: vec![
            anomaly(39, 39.0, vec![reason(0, 39.0, 3.0), reason(1, 18.0, -0.4)]),
            anomaly(38, 38.0, vec![reason(0, 38.0, 2.5)]),
        ],
        features: vec![feature("ash", &scores, 2.75), feature("alcohol", &scores, 0.2)],
        map: Some(map(&scores, 37.5)),
        curve: Some(Curve {
            points: vec![(0.01, 9.0), (0.1, 2.0), (1.0, 3.0), (10.0, 1e9)],
            chosen: 0.1,
            criterion: "Fisher divergence".to_owned(),
            lower_is_better: true,
        }),
        detection: Some(Detection {
            roc: vec![(0.0, 0.5), (0.1, 1.0), (1.0, 1.0)],
            precision_recall: vec![(0.5, 1.0), (1.0, 0.7)],
            auc_roc: 0.97,
            average_precision: 0.85,
            prevalence: 0.05,
            confusion: Confusion {
                true_positives: 2,
                false_positives: 0,
                false_negatives: 0,
                true_negatives: 38,
            },
        }),
        notes: vec!["One row was dropped.".to_owned()],
        reproduce: Reproduce {
            command: "sosrep detect data.csv --report report.html".to_owned(),
            version: "0.1.0".to_owned(),
            seed: 0,
            threads: 2,
        },
        scores: Scores {
            labels: Some(scores.iter().map(|score| *score > 37.0).collect()),
            values: scores,
            threshold: 37.5,
        },
    }
}

/// A report in which every list is empty.
pub(crate) fn empty() -> Report {
    Report {
        source_note: None,
        headline: headline(0, 0, 0),
        scores: Scores { values: Vec::new(), threshold: f64::NAN, labels: None },
        top: Vec::new(),
        features: Vec::new(),
        map: None,
        curve: None,
        detection: None,
        notes: Vec::new(),
        ..full()
    }
}

/// Numbers that are none and names that are attacks.
pub(crate) fn hostile() -> Report {
    let values = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 0.0, 5e-324];
    let name =
        "<script>alert(1)</script>\u{0}\u{8}\u{ffff}\u{202e}\"'&<img src=x> עברית ".repeat(20);
    let mut report = full();
    report.title.clone_from(&name);
    report.notes = vec![name.clone()];
    report.reproduce.command.clone_from(&name);
    report.headline.kernel.clone_from(&name);
    report.headline.bandwidth = f64::NAN;
    report.headline.seconds = f64::INFINITY;
    report.scores.values = values.repeat(6);
    report.scores.threshold = f64::NEG_INFINITY;
    report.features = values.iter().map(|value| feature(&name, &values, *value)).collect();
    report.features[1].histogram.counts.pop();
    report.features[2].histogram =
        Histogram { edges: values.to_vec(), counts: vec![usize::MAX; values.len() - 1] };
    report.top = values.iter().map(|value| hostile_anomaly(&name, *value, &values)).collect();
    report.map = Some(hostile_map(&name, &values));
    report.curve = Some(Curve {
        points: values.iter().flat_map(|x| values.iter().map(|y| (*x, *y))).collect(),
        chosen: f64::INFINITY,
        criterion: name,
        lower_is_better: false,
    });
    report.detection = Some(Detection {
        roc: values.iter().map(|value| (*value, *value)).collect(),
        precision_recall: values.iter().map(|value| (*value, *value)).collect(),
        auc_roc: f64::NAN,
        average_precision: f64::NAN,
        prevalence: f64::NAN,
        confusion: Confusion {
            true_positives: 0,
            false_positives: 0,
            false_negatives: 0,
            true_negatives: 0,
        },
    });
    report
}

fn hostile_anomaly(name: &str, score: f64, values: &[f64]) -> Anomaly {
    let reasons = values.iter().enumerate().map(|(place, value)| Reason {
        feature: if place == 3 { usize::MAX } else { place },
        value: *value,
        value_text: name.to_owned(),
        typical: -value,
        typical_text: name.to_owned(),
        contribution: *value,
    });
    Anomaly {
        row: name.to_owned(),
        score,
        p_value: Some(score),
        flagged: false,
        known: None,
        reasons: reasons.collect(),
    }
}

fn hostile_map(name: &str, values: &[f64]) -> Map {
    let pairs = values.iter().flat_map(|x| values.iter().map(move |y| (*x, *y)));
    let point = |(x, y)| MapPoint { x, y, score: x, flagged: y > 0.0, rank: Some(0) };
    let axis = || Axis { share: f64::NAN, loadings: vec![name.to_owned(); 9] };
    Map { points: pairs.map(point).collect(), measured: 0, axes: [axis(), axis()] }
}

/// One row in twenty flagged, all of them ranked.
pub(crate) fn large(rows: usize, columns: usize) -> Report {
    let scores: Vec<f64> = (0..rows).map(|row| ((row * 7919) % rows) as f64).collect();
    let threshold = (rows - rows / 20) as f64 - 0.5;
    let name = |column: usize| format!("a column with a name that is rather long, {column}");
    let mut report = full();
    report.headline = headline(rows, columns, rows / 20);
    report.features =
        (0..columns).map(|column| feature(&name(column), &scores, column as f64)).collect();
    let reasons = || (0..columns.min(5)).map(|column| reason(column, column as f64, 1.0)).collect();
    report.top = (0..rows / 20).map(|row| anomaly(row, scores[row], reasons())).collect();
    report.map = Some(map(&scores, threshold));
    report.scores = Scores {
        labels: Some(scores.iter().map(|score| *score > threshold).collect()),
        values: scores,
        threshold,
    };
    report
}
