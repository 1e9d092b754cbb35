//! Laws of tables that are not all numbers: a column counts once, however many features it takes.

use sosrep::{Detector, DetectorParams, KernelKind, Points, SourceColumn};

use crate::common::{assert_close, normal, uniform};

/// Kernels of both metrics.
const KERNELS: [KernelKind; 3] = [KernelKind::Product, KernelKind::Sdo, KernelKind::Gaussian];

fn params(kernel: &KernelKind, columns: &[SourceColumn]) -> DetectorParams {
    DetectorParams::new().kernel(kernel.clone()).columns(columns.to_vec())
}

fn fitted(kernel: &KernelKind, columns: &[SourceColumn], rows: &[f64]) -> Detector {
    let width = columns.iter().map(|column| column.features()).sum();
    params(kernel, columns).fit(Points::new(rows, width).unwrap(), None).unwrap()
}

fn scores(detector: &Detector) -> Vec<f64> {
    detector.training().unwrap().scores.clone()
}

/// n rows of two normal numbers, with the features that `more` appends to each.
fn with_features(n: usize, seed: u64, more: impl Fn(usize) -> Vec<f64>) -> Vec<f64> {
    let numbers = normal(n, 2, seed);
    numbers.chunks(2).enumerate().flat_map(|(i, row)| [row, &more(i)].concat()).collect()
}

fn one_hot(value: usize, values: usize) -> Vec<f64> {
    (0..values).map(|v| f64::from(u8::from(v == value))).collect()
}

#[test]
fn a_category_of_two_values_is_a_number_that_is_zero_or_one() {
    use SourceColumn::{Category, Number};
    let value = |i: usize| usize::from(i.is_multiple_of(5));
    let as_number = with_features(300, 1, |i| vec![value(i) as f64]);
    let as_category = with_features(300, 1, |i| one_hot(value(i), 2));
    for kernel in [KernelKind::Product, KernelKind::Gaussian] {
        // Without a core, whose scale applies to numbers alone.
        let of = |columns: &[SourceColumn], rows: &[f64]| {
            let width = columns.iter().map(|column| column.features()).sum();
            let points = Points::new(rows, width).unwrap();
            scores(&params(&kernel, columns).trim(0.0).fit(points, None).unwrap())
        };
        let number = of(&[Number, Number, Number], &as_number);
        let category = of(&[Number, Number, Category(2)], &as_category);
        for (a, b) in number.iter().zip(&category) {
            assert_close!(*a, *b, 1e-6);
        }
    }
}

/// A category is its features times a = δ / 2, or δ / √2 in a Euclidean metric, in a kernel whose
/// bandwidth is that of as many columns as there are.
#[test]
fn a_category_by_hand_has_the_same_scores() {
    use SourceColumn::{Category, Number};
    let n = 240;
    let numbers = normal(n, 2, 12);
    let value = |i: usize| [0, 0, 0, 1, 1, 2][i % 6];
    let squares = [3.0, 2.0, 1.0].iter().map(|count: &f64| (count / 6.0).powi(2)).sum::<f64>();
    let distance = (2.0 / (1.0 - squares)).sqrt();
    for kernel in [KernelKind::Product, KernelKind::Gaussian] {
        let manhattan = kernel == KernelKind::Product;
        let a = distance / if manhattan { 2.0 } else { 2.0_f64.sqrt() };
        let unit: f64 = if manhattan { 3.0 / 5.0 } else { (3.0_f64 / 5.0).sqrt() };
        let rows = |a: f64| -> Vec<f64> {
            let row = |(i, row): (usize, &[f64])| {
                [row.to_vec(), one_hot(value(i), 3).iter().map(|x| x * a).collect()].concat()
            };
            numbers.chunks(2).enumerate().flat_map(row).collect()
        };
        let as_they_are = sosrep::detector::PrepareOptions::new()
            .scaling(sosrep::detector::Scaling::None)
            .clip(None)
            .whitening(0.0);
        let params = DetectorParams::new().kernel(kernel).prepare(as_they_are).trim(0.0);
        let of = |params: DetectorParams, rows: &[f64]| {
            scores(&params.fit(Points::new(rows, 5).unwrap(), None).unwrap())
        };
        let category = params.clone().bandwidth(0.4).columns(vec![Number, Number, Category(3)]);
        let by_hand = params.bandwidth(0.4 * unit);
        for (x, y) in of(category, &rows(1.0)).iter().zip(of(by_hand, &rows(a))) {
            assert_close!(*x, y, 1e-9);
        }
    }
}

#[test]
fn values_that_never_occur_and_the_order_of_values_make_no_difference() {
    use SourceColumn::{Category, Number};
    let value = |i: usize| i % 3;
    let plain = with_features(200, 2, |i| one_hot(value(i), 3));
    let permuted = with_features(200, 2, |i| one_hot(2 - value(i), 3));
    for kernel in &KERNELS {
        let expected = scores(&fitted(kernel, &[Number, Number, Category(3)], &plain));
        let found = scores(&fitted(kernel, &[Number, Number, Category(3)], &permuted));
        for (a, b) in expected.iter().zip(&found) {
            // Sums in another order, of the product kernel in single precision.
            assert_close!(*a, *b, 1e-6);
        }
    }
    // The product kernel does not know how many coordinates there are.
    let wider = with_features(200, 2, |i| one_hot(value(i), 7));
    let kernel = &KernelKind::Product;
    let expected = scores(&fitted(kernel, &[Number, Number, Category(3)], &plain));
    let found = scores(&fitted(kernel, &[Number, Number, Category(7)], &wider));
    for (a, b) in expected.iter().zip(&found) {
        assert_close!(*a, *b, 1e-6);
    }
}

#[test]
fn what_stands_in_place_of_a_missing_number_makes_no_difference() {
    use SourceColumn::{Number, NumberOrMissing};
    let columns = [Number, Number, NumberOrMissing];
    let value = uniform(300, 1, 7);
    let rows = |stand_in: f64| {
        with_features(300, 3, |i| match i % 6 == 0 {
            true => vec![stand_in, 1.0],
            false => vec![value[i], 0.0],
        })
    };
    for kernel in &KERNELS {
        let (zero, large) =
            (fitted(kernel, &columns, &rows(0.0)), fitted(kernel, &columns, &rows(1e9)));
        assert_eq!(scores(&zero), scores(&large));
        let new = [0.3, 0.1, 5.0, 1.0, 0.3, 0.1, -7.0, 1.0];
        let new = zero.assess(Points::new(&new, 4).unwrap()).unwrap();
        assert_eq!(new.scores[0], new.scores[1]);
    }
}

/// Rows of one kind, a sixth of which lack the third number.
#[test]
fn a_missing_number_makes_a_row_neither_typical_nor_strange() {
    use SourceColumn::{Number, NumberOrMissing};
    let value = normal(1200, 1, 9);
    let rows = with_features(1200, 4, |i| match i % 6 == 0 {
        true => vec![0.0, 1.0],
        false => vec![value[i], 0.0],
    });
    for kernel in &KERNELS {
        let detector = fitted(kernel, &[Number, Number, NumberOrMissing], &rows);
        let p_values = &detector.training().unwrap().p_values;
        let mean = |of: &dyn Fn(usize) -> bool| {
            let kept: Vec<f64> = (0..1200).filter(|&i| of(i)).map(|i| p_values[i]).collect();
            kept.iter().sum::<f64>() / kept.len() as f64
        };
        let missing = mean(&|i| i % 6 == 0);
        let typical = mean(&|i| i % 6 != 0 && value[i].abs() < 0.5);
        let strange = mean(&|i| i % 6 != 0 && value[i].abs() > 1.5);
        assert!(strange < missing, "{kernel:?}: {strange} {missing}");
        // The product kernel is narrow: to it the many at the same place are a dense place.
        if *kernel != KernelKind::Product {
            assert!(missing < typical, "{kernel:?}: {missing} {typical}");
        }
    }
}

#[test]
fn reasons_are_of_columns_and_add_up() {
    use SourceColumn::{Category, Number, NumberOrMissing};
    let columns = [Number, Number, Category(4), NumberOrMissing];
    let mut rows = with_features(400, 5, |i| {
        let missing = f64::from(u8::from(i % 9 == 0));
        [
            one_hot(if i == 7 { 3 } else { i % 3 }, 4),
            vec![(i * 143 % 400) as f64 * (1.0 - missing), missing],
        ]
        .concat()
    });
    // Nothing but the category of this row is rare.
    rows[7 * 8..7 * 8 + 2].fill(0.0);
    for whitening in [0.0, 0.25] {
        let prepare = sosrep::detector::PrepareOptions::new().whitening(whitening);
        let params = params(&KernelKind::Product, &columns).prepare(prepare);
        let points = Points::new(&rows, 8).unwrap();
        let detector = params.fit(points, None).unwrap();
        let first = Points::new(&rows[..8 * 20], 8).unwrap();
        let found = detector.explain(first).unwrap();
        for reasons in &found {
            assert_eq!(reasons.contributions.len(), 4);
            assert_eq!(reasons.reference.len(), 8);
            let sum: f64 = reasons.contributions.iter().sum();
            assert_close!(sum, reasons.score - reasons.reference_score, 1e-9);
        }
        if whitening == 0.0 {
            assert_eq!(found[7].ranking()[0], 2, "{:?}", found[7].contributions);
        }
    }
}

#[test]
fn a_model_of_mixed_columns_reads_back_to_the_bit() {
    use SourceColumn::{Category, Number, NumberOrMissing};
    let columns = [Number, Number, Category(3), NumberOrMissing, Category(2)];
    let rows = with_features(150, 6, |i| {
        let missing = f64::from(u8::from(i % 4 == 0));
        [one_hot(i % 3, 3), vec![(i % 11) as f64 * (1.0 - missing), missing], one_hot(0, 2)]
            .concat()
    });
    for kernel in &KERNELS {
        let detector = fitted(kernel, &columns, &rows);
        assert_eq!(detector.report().columns, 5);
        assert_eq!(detector.report().constant_columns[0].index, 4);
        let bytes = detector.to_bytes().unwrap();
        let read = Detector::from_bytes(&bytes).unwrap();
        assert_eq!(read.to_bytes().unwrap(), bytes);
        let points = Points::new(&rows, 9).unwrap();
        assert_eq!(read.assess(points).unwrap(), detector.assess(points).unwrap());
        // Another value where there was one only departs in one column, though in two features.
        let mut row = rows[..9].to_vec();
        let usual = read.anomaly_score(Points::new(&row, 9).unwrap()).unwrap()[0];
        (row[7], row[8]) = (0.0, 1.0);
        let unusual = read.anomaly_score(Points::new(&row, 9).unwrap()).unwrap()[0];
        assert_close!(unusual - usual, 10.0 / (4.0 * detector.report().bandwidth), 1e-9);
    }
}

#[test]
fn columns_that_do_not_take_all_features_are_refused() {
    let rows = normal(20, 3, 1);
    let points = Points::new(&rows, 3).unwrap();
    for columns in [
        vec![SourceColumn::Number; 2],
        vec![SourceColumn::Category(0), SourceColumn::Category(3)],
        vec![SourceColumn::Category(usize::MAX), SourceColumn::NumberOrMissing],
    ] {
        let error = DetectorParams::new().columns(columns).fit(points, None).unwrap_err();
        assert!(error.to_string().starts_with("columns is "), "{error}");
    }
}

/// 344 rows, a sixth of them in a category of their own, elsewhere like the others.
#[test]
fn a_group_of_a_sixth_is_not_flagged_for_its_category() {
    use SourceColumn::{Category, Number};
    let group = |i: usize| usize::from(i.is_multiple_of(2)) + usize::from(i % 6 == 1) * 2;
    let rows = with_features(344, 8, |i| one_hot(group(i).min(2), 3));
    let detector = fitted(&KernelKind::Product, &[Number, Number, Category(3)], &rows);
    let found = detector.training().unwrap();
    let flagged = (0..344).filter(|&i| group(i) == 2 && found.is_anomaly[i]).count();
    let rows = (0..344).filter(|&i| group(i) == 2).count();
    assert!(flagged as f64 <= 0.3 * rows as f64, "{flagged} of {rows}");
}
