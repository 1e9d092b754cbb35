//! Laws of the training assessment: rows are scored without their own contribution, like new ones.

use sosrep::detector::{Threshold, TrainingSample};
use sosrep::{Assessment, Detector, DetectorParams, Points, Weights};

use crate::common::{all_kinds, normal};

const TRIMS: [f64; 2] = [0.0, 0.5];

/// A detector of 2000 standard normal rows of 20 columns, in which a row is most of its own density.
fn of_normal_rows(trim: f64) -> Detector {
    let rows = normal(2000, 20, 31);
    DetectorParams::new().trim(trim).fit(Points::new(&rows, 20).unwrap(), None).unwrap()
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Kolmogorov–Smirnov distance of two samples.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (sorted(a), sorted(b));
    let share = |values: &[f64], at: f64| {
        values.partition_point(|value| *value <= at) as f64 / values.len() as f64
    };
    a.iter().chain(&b).map(|&at| (share(&a, at) - share(&b, at)).abs()).fold(0.0, f64::max)
}

#[test]
fn training_rows_and_new_rows_of_their_kind_have_the_same_scores() {
    let fresh = normal(2000, 20, 32);
    for trim in TRIMS {
        let detector = of_normal_rows(trim);
        let training = detector.training().unwrap();
        let found = detector.assess(Points::new(&fresh, 20).unwrap()).unwrap();
        // The 1 % point of the statistic for two samples of 2000.
        let limit = 1.63 * (2.0_f64 / 2000.0).sqrt();
        assert!(distance(&training.scores, &found.scores) < limit, "trim {trim}");
        let uniform: Vec<f64> = (1..=2000).map(|i| f64::from(i) / 2000.0).collect();
        assert!(distance(&training.p_values, &uniform) <= 0.05, "trim {trim}");
        assert!(distance(&found.p_values, &uniform) <= 0.05, "trim {trim}");
    }
}

#[test]
fn the_histogram_of_normal_rows_has_one_mode() {
    for trim in TRIMS {
        let scores = of_normal_rows(trim).training().unwrap().scores.clone();
        let ordered = sorted(&scores);
        let (low, high) = (ordered[0], ordered[ordered.len() - 1]);
        let mut counts = [0_usize; 24];
        for score in scores {
            counts[((24.0 * (score - low) / (high - low)) as usize).min(23)] += 1;
        }
        for (i, &count) in counts.iter().enumerate() {
            let highest = |part: &[usize]| part.iter().copied().max().unwrap_or(0);
            let lower_mode = highest(&counts[..i]).min(highest(&counts[i..]));
            // A valley is a bin far below a mode on either side; √count is the noise of a count.
            let noise = 3.0 * (lower_mode as f64).sqrt();
            assert!(count as f64 >= lower_mode as f64 - noise, "trim {trim}: {counts:?}");
        }
    }
}

#[test]
fn a_training_row_counts_itself_once_in_its_p_value() {
    for trim in TRIMS {
        let training = of_normal_rows(trim).training().unwrap().clone();
        for (place, &row) in training.ranking().iter().take(50).enumerate() {
            let expected = (place + 1) as f64 / 2000.0;
            assert!((training.p_values[row] - expected).abs() < 1e-12, "trim {trim}, {place}");
        }
    }
}

#[test]
fn contamination_flags_its_share_of_the_training_rows() {
    let rows = normal(400, 4, 33);
    let points = Points::new(&rows, 4).unwrap();
    for kind in all_kinds() {
        for (share, trim) in [(0.05, 0.0), (0.1, 0.5), (0.25, 0.5)] {
            let params = DetectorParams::new().kernel(kind.clone()).trim(trim);
            let params = params.threshold(Threshold::Contamination(share));
            let flagged = params.fit(points, None).unwrap().training().unwrap().anomalies();
            assert_eq!(flagged, (400.0 * share) as usize, "{kind:?}, trim {trim}");
        }
    }
}

#[test]
fn an_assessment_is_scores_p_values_and_labels() {
    let detector = of_normal_rows(0.5);
    let rows: Vec<f64> = normal(100, 20, 34).iter().map(|x| 1.5 * x).collect();
    let points = Points::new(&rows, 20).unwrap();
    let Assessment { scores, p_values, is_anomaly, .. } = detector.assess(points).unwrap();
    assert_eq!(scores, detector.anomaly_score(points).unwrap());
    assert_eq!(p_values, detector.p_value(points).unwrap());
    assert_eq!(is_anomaly, detector.is_anomaly(points).unwrap());
    assert!(is_anomaly.contains(&true) && is_anomaly.contains(&false));
}

#[test]
fn weights_are_copies_in_the_training_assessment() {
    let rows = normal(300, 3, 35);
    let counts: Vec<usize> = (0..300).map(|i| 1 + i % 3).collect();
    let copied: Vec<f64> =
        rows.chunks(3).zip(&counts).flat_map(|(row, count)| row.repeat(*count)).collect();
    let weights: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
    let weights = Weights::new(&weights).unwrap();
    let params = DetectorParams::new();
    let weighted = params.fit(Points::new(&rows, 3).unwrap(), Some(&weights)).unwrap();
    let plain = params.fit(Points::new(&copied, 3).unwrap(), None).unwrap();
    let (weighted, plain) = (weighted.training().unwrap(), plain.training().unwrap());
    let mut copy = 0;
    for (i, count) in counts.iter().enumerate() {
        for _ in 0..*count {
            assert!((weighted.scores[i] - plain.scores[copy]).abs() < 1e-9, "row {i}");
            assert!((weighted.p_values[i] - plain.p_values[copy]).abs() < 1e-9, "row {i}");
            copy += 1;
        }
    }
}

#[test]
fn a_long_table_is_fitted_as_its_sample_and_every_row_is_assessed() {
    let (n, memory) = (15_000, 1 << 20);
    let rows = normal(n, 2, 36);
    let points = Points::new(&rows, 2).unwrap();
    let params = DetectorParams::new().memory(memory).seed(5);
    let whole = params.fit(points, None).unwrap();

    let mut sample = params.row_sample(2);
    let most = sample.size();
    assert!(most < n);
    points.iter().for_each(|row| sample.offer_row(row, 1.0));
    let table = sample.table();
    let values = table.values(2).unwrap();
    let kept = Points::new(&values, 2).unwrap();
    let sample = TrainingSample { points: kept, copies: &table.copies, table_rows: n };
    let sampled = params.fit_sample(&sample).unwrap();
    #[cfg(feature = "model-file")]
    assert_eq!(whole.to_bytes().unwrap(), sampled.to_bytes().unwrap());
    assert_eq!((whole.report().rows, whole.report().sampled_rows), (n, most));

    let (all, part) = (whole.training().unwrap(), sampled.training().unwrap());
    let fresh = whole.assess(points).unwrap();
    let mut found = 0;
    for (row, content) in points.iter().enumerate() {
        let place = kept.iter().position(|kept| kept == content);
        found += usize::from(place.is_some());
        let (from, i) = place.map_or((&fresh, row), |place| (part, place));
        assert_eq!(all.scores[row], from.scores[i]);
        assert_eq!(all.p_values[row], from.p_values[i]);
        assert_eq!(all.is_anomaly[row], from.is_anomaly[i]);
    }
    assert_eq!(found, most);
}
