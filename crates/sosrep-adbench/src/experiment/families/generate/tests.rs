//! Laws of the generated rows: what each kind of anomaly keeps of the normal rows, and what it changes.

use super::*;

fn wanted(kind: Kind) -> Wanted {
    Wanted { kind, rows: 20_000, columns: 3, anomalies: 8_000, seed: 5 }
}

/// Normal rows and anomalies.
fn made(wanted: Wanted) -> (Vec<f64>, Vec<f64>) {
    let mut normal = wanted.make().values;
    let anomalies = normal.split_off((wanted.rows - wanted.anomalies) * wanted.columns);
    (normal, anomalies)
}

fn column(values: &[f64], j: usize) -> Vec<f64> {
    values.iter().skip(j).step_by(3).copied().collect()
}

fn covariance(values: &[f64], i: usize, j: usize) -> f64 {
    let (x, y) = (column(values, i), column(values, j));
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (at, to) = (mean(&x), mean(&y));
    mean(&x.iter().zip(&y).map(|(x, y)| (x - at) * (y - to)).collect::<Vec<_>>())
}

/// The largest difference of two empirical distribution functions.
fn distance(mut x: Vec<f64>, mut y: Vec<f64>) -> f64 {
    x.sort_by(f64::total_cmp);
    y.sort_by(f64::total_cmp);
    let share = |values: &[f64], at: f64| {
        values.partition_point(|value| *value <= at) as f64 / values.len() as f64
    };
    let apart = |at: &f64| (share(&x, *at) - share(&y, *at)).abs();
    x.iter().chain(&y).map(apart).fold(0.0, f64::max)
}

#[test]
fn counts_labels_and_shapes_are_those_asked_for() {
    for kind in Kind::ALL {
        let made = Wanted { rows: 200, columns: 7, anomalies: 11, ..wanted(kind) }.make();
        assert_eq!((made.values.len(), made.columns, made.labels.len()), (1400, 7, 200));
        assert_eq!(made.labels.iter().position(|anomaly| *anomaly), Some(189));
        assert_eq!(made.labels.iter().filter(|anomaly| **anomaly).count(), 11);
    }
}

#[test]
fn the_same_seed_gives_the_same_rows_and_another_one_others() {
    for kind in Kind::ALL {
        let one = wanted(kind);
        assert_eq!(one.make(), one.make());
        assert_ne!(one.make(), Wanted { seed: 6, ..one }.make());
    }
}

#[test]
fn neither_kind_nor_number_of_anomalies_moves_the_normal_rows() {
    let (normal, _) = made(wanted(Kind::Local));
    for kind in Kind::ALL {
        assert_eq!(made(wanted(kind)).0, normal);
        let (fewer, _) = made(Wanted { anomalies: 12_000, ..wanted(kind) });
        assert_eq!(fewer, normal[..fewer.len()]);
    }
}

#[test]
fn dependency_anomalies_have_the_marginals_and_not_the_dependence() {
    let (normal, anomalies) = made(wanted(Kind::Dependency));
    for j in 0..3 {
        // 99.9 % of equal distributions are nearer than 1.95 √(1/n + 1/m).
        let apart = distance(column(&normal, j), column(&anomalies, j));
        assert!(apart < 1.95 * (1.0 / 12e3 + 1.0 / 8e3_f64).sqrt(), "{j}: {apart}");
    }
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let correlation = |values: &[f64]| {
            let deviations = covariance(values, i, i) * covariance(values, j, j);
            covariance(values, i, j) / deviations.sqrt()
        };
        // Four standard errors of no correlation.
        assert!(correlation(&anomalies).abs() < 4.0 / 8e3_f64.sqrt());
        assert!(correlation(&normal).abs() > 0.1, "{i} {j} {}", correlation(&normal));
    }
}

#[test]
fn clustered_anomalies_lie_far_away_and_are_no_wider() {
    let mixture = Mixture::draw(3, &mut generator(5, 3, Step::Mixture));
    let (_, anomalies) = made(wanted(Kind::Clustered));
    for row in anomalies.chunks_exact(3) {
        // Six deviations; a row in three columns is farther once in 1e8.
        let near = |component: &Component| {
            let parts = component.centre.iter().zip(&component.deviation).zip(row);
            parts.clone().all(|((mu, s), x)| (x - FACTOR * mu).abs() < 6.0 * s)
        };
        assert!(mixture.components.iter().any(near));
    }
    let spread = |values: &[f64]| (0..3).map(|j| covariance(values, j, j)).sum::<f64>();
    let (normal, _) = made(wanted(Kind::Clustered));
    assert!(spread(&anomalies) > 5.0 * spread(&normal));
}

#[test]
fn local_anomalies_have_five_times_the_covariance_around_the_same_centres() {
    let component = &Mixture::draw(3, &mut generator(5, 3, Step::Mixture)).components[0];
    let mut from = generator(1, 1, Step::Normal);
    let mut rows = |change| {
        let mut values = Vec::new();
        (0..40_000).for_each(|_| component.row(change, &mut from, &mut values));
        values
    };
    let (normal, local) = (rows(Change::NONE), rows(Change::LOCAL));
    for (i, j) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)] {
        let scale = component.deviation[i] * component.deviation[j];
        let apart = covariance(&local, i, j) - FACTOR * covariance(&normal, i, j);
        // Both are known to about √(2/40 000) of the larger.
        assert!(apart.abs() < 0.2 * scale, "{i} {j}: {apart}");
    }
    for j in 0..3 {
        assert!((covariance(&normal, j, j).sqrt() / component.deviation[j] - 1.0).abs() < 0.02);
        let mean = column(&local, j).iter().sum::<f64>() / 4e4;
        assert!((mean - component.centre[j]).abs() < 0.06, "{j}: {mean}");
    }
}

#[test]
fn global_anomalies_fill_the_widened_ranges() {
    let (normal, anomalies) = made(wanted(Kind::Global));
    for j in 0..3 {
        let ends = |values: Vec<f64>| {
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (values.into_iter().fold(f64::INFINITY, f64::min), most)
        };
        let ((low, high), (from, to)) = (ends(column(&normal, j)), ends(column(&anomalies, j)));
        let width = 1.1 * (high - low);
        assert!(low < 0.0 && high > 0.0, "1.1 widens");
        assert!((0.0..0.01 * width).contains(&(from - 1.1 * low)));
        assert!((0.0..0.01 * width).contains(&(1.1 * high - to)));
        // The variance of a uniform variable; four standard errors.
        let ratio = 12.0 * covariance(&anomalies, j, j) / (width * width);
        assert!((ratio - 1.0).abs() < 0.04, "{ratio}");
    }
}
