//! Rows drawn from a detector look like fresh rows of the same kind, in any number of columns.

use sosrep::{Detector, DetectorParams, Error, Points, SampleParams, SourceColumn};

use crate::common::{kinds, normal, on_threads};

const ROWS: usize = 1000;

/// Rows of one kind.
struct Table {
    values: Vec<f64>,
    columns: usize,
}

impl Table {
    fn points(&self) -> Points<'_> {
        Points::new(&self.values, self.columns).unwrap()
    }

    fn column(&self, j: usize) -> Vec<f64> {
        self.values.iter().skip(j).step_by(self.columns).copied().collect()
    }
}

/// Normal rows; neighbouring columns have a correlation of ½.
fn correlated(rows: usize, columns: usize, seed: u64) -> Table {
    let noise = normal(rows, columns + 1, seed);
    let mixed = |row: &[f64]| row.windows(2).map(|w| (w[0] + w[1]) / 2.0_f64.sqrt()).collect();
    let values = noise.chunks_exact(columns + 1).flat_map(|row| -> Vec<f64> { mixed(row) });
    Table { values: values.collect(), columns }
}

/// Two clusters, a third of the rows in the wider one; every column tells them apart.
fn clusters(rows: usize, columns: usize, seed: u64) -> Table {
    let noise = normal(rows, columns, seed);
    let cluster = |(i, row): (usize, &[f64])| -> Vec<f64> {
        let (centre, spread) = if i % 3 == 0 { (6.0, 2.0) } else { (0.0, 1.0) };
        row.iter().map(|x| centre + spread * x).collect()
    };
    Table { values: noise.chunks_exact(columns).enumerate().flat_map(cluster).collect(), columns }
}

/// Positive columns with a heavy tail.
fn heavy(rows: usize, columns: usize, seed: u64) -> Table {
    let Table { values, columns } = correlated(rows, columns, seed);
    Table { values: values.into_iter().map(f64::exp).collect(), columns }
}

fn fitted(table: &Table) -> Detector {
    DetectorParams::new().fit(table.points(), None).unwrap()
}

fn drawn(detector: &Detector, count: usize, columns: usize) -> Table {
    Table { values: SampleParams::new().seed(7).draw_rows(detector, count).unwrap(), columns }
}

/// The largest difference of two distribution functions.
fn kolmogorov_smirnov(a: &[f64], b: &[f64]) -> f64 {
    let below = |values: &[f64], x: f64| {
        values.iter().filter(|v| **v <= x).count() as f64 / values.len() as f64
    };
    a.iter().chain(b).map(|&x| (below(a, x) - below(b, x)).abs()).fold(0.0, f64::max)
}

/// The share of rows whose nearest other row, in columns of one unit, is of their own table.
fn kept_company(a: &Table, b: &Table) -> f64 {
    let d = a.columns;
    let both: Vec<f64> = a.values.iter().chain(&b.values).copied().collect();
    let rows: Vec<&[f64]> = both.chunks_exact(d).collect();
    let own = a.values.len() / d;
    let alike = (0..rows.len()).filter(|&i| {
        let dist =
            |j: usize| -> f64 { rows[i].iter().zip(rows[j]).map(|(x, y)| (x - y) * (x - y)).sum() };
        let others = (0..rows.len()).filter(|&j| j != i);
        let nearest = others.min_by(|&a, &b| dist(a).total_cmp(&dist(b))).unwrap();
        (i < own) == (nearest < own)
    });
    alike.count() as f64 / rows.len() as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn covariance(a: &[f64], b: &[f64]) -> f64 {
    let (ma, mb) = (mean(a), mean(b));
    mean(&a.iter().zip(b).map(|(x, y)| (x - ma) * (y - mb)).collect::<Vec<_>>())
}

fn deviation(values: &[f64]) -> f64 {
    covariance(values, values).sqrt()
}

fn correlation(table: &Table, j: usize) -> f64 {
    let (a, b) = (table.column(j), table.column(j + 1));
    covariance(&a, &b) / (deviation(&a) * deviation(&b))
}

/// A detector's draws beside fresh rows that it calls usual, in d columns.
fn drawn_and_fresh(make: fn(usize, usize, u64) -> Table, d: usize) -> (Detector, Table, Table) {
    let detector = fitted(&make(ROWS, d, 1));
    let draws = drawn(&detector, ROWS, d);
    let fresh = make(ROWS, d, 2);
    let flagged = detector.is_anomaly(fresh.points()).unwrap();
    let usual = fresh.points().iter().zip(flagged).filter(|(_, flagged)| !flagged);
    let values = usual.flat_map(|(row, _)| row.to_vec()).collect();
    (detector, draws, Table { values, columns: d })
}

/// Standard errors of 1000 rows are 0.03 of a deviation. The rows fitted, the draws and the fresh rows each
/// have one, so that differences have √3 of that; the largest of 200 columns is about 3.5 of these.
#[test]
fn moments_and_correlations_are_those_of_fresh_rows_in_2_to_200_columns() {
    for d in [2, 5, 20, 50, 100, 200] {
        for make in [correlated, clusters] {
            let (_, draws, fresh) = drawn_and_fresh(make, d);
            let ratios: Vec<f64> = (0..d)
                .map(|j| {
                    let (drawn, fresh) = (draws.column(j), fresh.column(j));
                    let ratio = deviation(&drawn) / deviation(&fresh);
                    let shift = (mean(&drawn) - mean(&fresh)) / deviation(&fresh);
                    assert!(shift.abs() < 0.19, "d = {d}, column {j}: mean off by {shift}");
                    assert!((ratio - 1.0).abs() < 0.15, "d = {d}, column {j}: {ratio}");
                    ratio
                })
                .collect();
            assert!((mean(&ratios) - 1.0).abs() < 0.05, "d = {d}: {}", mean(&ratios));
            let differences: Vec<f64> =
                (1..d).map(|j| correlation(&draws, j - 1) - correlation(&fresh, j - 1)).collect();
            assert!(differences.iter().all(|r| r.abs() < 0.18), "d = {d}: {differences:?}");
            // A bias of 0.03, and what is left of chance.
            let allowed = 0.03 + 0.15 / (d as f64 - 1.0).sqrt();
            assert!(mean(&differences).abs() < allowed, "d = {d}: {}", mean(&differences));
        }
    }
}

/// 0.12 is what two samples of 1000 reach once in a million times.
#[test]
fn marginals_are_those_of_fresh_rows_and_no_draw_is_flagged() {
    for d in [2, 20, 200] {
        for make in [correlated, clusters, heavy] {
            let (detector, draws, fresh) = drawn_and_fresh(make, d);
            for j in 0..d {
                let apart = kolmogorov_smirnov(&draws.column(j), &fresh.column(j));
                assert!(apart < 0.12, "d = {d}, column {j}: {apart}");
            }
            assert!(!detector.is_anomaly(draws.points()).unwrap().contains(&true), "d = {d}");
        }
    }
}

/// Two tables that nothing tells apart have ½; draws that are nowhere near the rows have 1.
#[test]
fn the_nearest_rows_do_not_tell_draws_from_fresh_rows() {
    for d in [2, 20, 200] {
        for make in [correlated, clusters, heavy] {
            let (_, draws, fresh) = drawn_and_fresh(make, d);
            let draws = Table { values: draws.values[..fresh.values.len()].to_vec(), ..draws };
            let own = kept_company(&draws, &fresh);
            assert!((0.4..0.7).contains(&own), "d = {d}: {own}");
        }
    }
}

/// A category of three values, a whole number that follows it, a share of zeros, a continuous column.
fn mixed_kinds(rows: usize) -> Table {
    let noise = normal(rows, 3, 11);
    let row = |(i, x): (usize, &[f64])| -> Vec<f64> {
        let category = i % 3;
        let mut row = vec![0.0; 3];
        row[category] = 1.0;
        let whole = (1000.0 * category as f64 + 200.0 * x[0]).round();
        row.extend([whole, if x[1] > 0.0 { x[1] } else { 0.0 }, x[2]]);
        row
    };
    Table { values: noise.chunks_exact(3).enumerate().flat_map(row).collect(), columns: 6 }
}

#[test]
fn categories_whole_numbers_zeros_and_ranges_stay_what_they_are() {
    let table = mixed_kinds(ROWS);
    let number = SourceColumn::Number;
    let columns = vec![SourceColumn::Category(3), number, number, number];
    for kernel in kinds() {
        let params = DetectorParams::new().columns(columns.clone()).kernel(kernel);
        let detector = params.fit(table.points(), None).unwrap();
        let draws = drawn(&detector, ROWS, 6);
        for row in draws.points().iter() {
            let mut category = row[..3].to_vec();
            category.sort_by(f64::total_cmp);
            assert_eq!(category, [0.0, 0.0, 1.0]);
            assert_eq!(row[3].fract(), 0.0);
            assert!(row[4] >= 0.0);
        }
        for j in 0..6 {
            let (drawn, given) = (draws.column(j), table.column(j));
            let bounds = |values: &[f64]| {
                values.iter().fold((f64::MAX, f64::MIN), |b, x| (b.0.min(*x), b.1.max(*x)))
            };
            let ((low, high), (least, most)) = (bounds(&drawn), bounds(&given));
            assert!(least <= low && high <= most, "column {j}: {low} to {high}");
        }
        let usual: Vec<bool> = detector.training().unwrap().is_anomaly.iter().map(|a| !a).collect();
        let given = table.column(4).into_iter().zip(usual).filter(|(_, usual)| *usual);
        let given: Vec<f64> = given.map(|(x, _)| x).collect();
        let zeros = |values: &[f64]| {
            values.iter().filter(|x| **x == 0.0).count() as f64 / values.len() as f64
        };
        let (drawn, given) = (zeros(&draws.column(4)), zeros(&given));
        assert!((drawn - given).abs() < 0.08, "zeros: {drawn}, {given} of the usual rows");
    }
}

#[test]
fn draws_are_new_rows_and_a_loaded_model_gives_the_same() {
    let table = correlated(ROWS, 5, 1);
    let detector = fitted(&table);
    let draws = drawn(&detector, ROWS, 5);
    let given: Vec<&[f64]> = table.points().iter().collect();
    let copies = draws.points().iter().filter(|row| given.contains(row)).count();
    assert!(copies < ROWS / 50, "{copies} draws are rows of the table");
    #[cfg(feature = "model-file")]
    {
        let loaded = Detector::from_bytes(&detector.to_bytes().unwrap()).unwrap();
        assert_eq!(drawn(&loaded, ROWS, 5).values, draws.values);
    }
}

#[test]
fn a_constant_column_stays_constant_and_a_single_row_is_drawn_as_it_is() {
    let rows: Vec<f64> =
        normal(400, 2, 4).chunks_exact(2).flat_map(|r| [1000.0 + 50.0 * r[0], 7.0, r[1]]).collect();
    let table = Table { values: rows, columns: 3 };
    let draws = drawn(&fitted(&table), 500, 3);
    assert!((mean(&draws.column(0)) - 1000.0).abs() < 15.0);
    assert!(draws.column(1).iter().all(|x| *x == 7.0));
    let single = Table { values: vec![3.0, 4.0], columns: 2 };
    assert_eq!(drawn(&fitted(&single), 2, 2).values, [3.0, 4.0, 3.0, 4.0]);
}

#[test]
fn rows_drawn_do_not_depend_on_threads_and_can_be_cancelled() {
    let table = correlated(200, 3, 5);
    let detector = fitted(&table);
    let draw = |threads| on_threads(threads, || drawn(&detector, 700, 3).values);
    assert_eq!(draw(1), draw(3));
    let mut stop = |_: &sosrep::Progress| std::ops::ControlFlow::Break(());
    let params = SampleParams::new();
    assert_eq!(params.draw_rows_monitored(&detector, 5, &mut stop), Err(Error::Cancelled));
    assert!(params.draw_rows(&detector, 0).is_err());
}

#[test]
fn more_draws_than_any_memory_holds_are_refused() {
    let table = correlated(200, 2, 1);
    let detector = DetectorParams::new().fit(table.points(), None).unwrap();
    for count in [usize::MAX, usize::MAX / 64] {
        let refused = SampleParams::new().draw_rows(&detector, count);
        assert!(matches!(refused, Err(Error::OutOfMemory { what: "the draws", .. })), "{count}");
    }
}
