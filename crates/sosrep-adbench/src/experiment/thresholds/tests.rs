//! Laws of the thresholds: one fit gives what three would, and a run goes on where it was.

use std::fs::{self, File};
use std::ops::ControlFlow;

use super::*;
use crate::catalogue::{Found, find};

fn go_on(_: &str, _: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A folder with one data set, of which the catalogue knows nothing: every eighth row is far out.
fn folder() -> (tempfile::TempDir, Found) {
    let folder = tempfile::tempdir().unwrap();
    let mut archive =
        ndarray_npy::NpzWriter::new(File::create(folder.path().join("3_backdoor.npz")).unwrap());
    let x = ndarray::Array2::from_shape_fn((240, 2), |(i, j)| {
        let usual = (i as f64 * (0.618 + j as f64)).sin();
        if i % 8 == 0 { 3.0 + usual } else { usual }
    });
    let y = ndarray::Array1::from_shape_fn(240, |i| i32::from(i % 8 == 0));
    archive.add_array("X", &x).unwrap();
    archive.add_array("y", &y).unwrap();
    archive.finish().unwrap();
    let found = find(folder.path()).unwrap();
    (folder, found)
}

fn split() -> Split {
    let (_folder, found) = folder();
    let setting = Setting {
        data_set: "3_backdoor".to_string(),
        protocol: Protocol::AdBench,
        noise: Noise::default(),
        seed: 1,
    };
    Splits::new(&found).make(&setting).unwrap().unwrap()
}

#[test]
fn one_fit_gives_the_thresholds_of_three() {
    let split = split();
    let train = Points::new(&split.train.values, split.columns).unwrap();
    let test = Points::new(&split.test.values, split.columns).unwrap();
    let fitted = Fitted::new(&split, &mut sosrep::no_progress).unwrap();
    let true_share = split.train.anomalies() as f64 / split.train.labels.len() as f64;
    for (rule, threshold) in [
        (Rule::Automatic, Threshold::default()),
        (Rule::Tenth, Threshold::Contamination(0.1)),
        (Rule::TrueShare, Threshold::Contamination(true_share)),
    ] {
        let slow = Method::Default.params(1).threshold(threshold).fit(train, None).unwrap();
        let row = fitted.row(rule).unwrap();
        assert_eq!(row.threshold, Some(slow.threshold()), "{rule:?}");
        let flags = slow.is_anomaly(test).unwrap();
        let share = flags.iter().filter(|flag| **flag).count() as f64 / flags.len() as f64;
        assert_eq!(row.flagged_test, Some(share));
        let agreement = Agreement::of(&flags, &split.test.labels);
        assert_eq!((row.f1, row.recall), (Some(agreement.f1), Some(agreement.recall)));
    }
}

#[test]
fn agreement_is_that_computed_by_hand() {
    let flags = [true, true, true, false, false, false];
    let labels = [true, true, false, true, false, false];
    let agreement = Agreement::of(&flags, &labels);
    // Two right, one wrong, one missed.
    let expected = Agreement { precision: 2.0 / 3.0, recall: 2.0 / 3.0, f1: 4.0 / 6.0 };
    assert_eq!(agreement, expected);
    let nothing = Agreement::of(&[false; 6], &labels);
    assert_eq!((nothing.precision, nothing.recall, nothing.f1), (0.0, 0.0, 0.0));
    assert_eq!(Agreement::of(&labels, &labels).f1, 1.0);
}

#[test]
fn a_run_that_was_stopped_ends_as_one_that_was_not() {
    let (folder, found) = folder();
    let request = Request { found: Some(&found), seed: 1, ..Request::default() };
    run(&request, folder.path(), &mut go_on).unwrap();
    let whole = fs::read_to_string(file(folder.path())).unwrap();
    assert_eq!(whole.lines().count(), 1 + 4 * 3, "a header, four seeds, three rules");

    // Cut in the middle of the second seed, and of a line.
    let cut = whole.match_indices('\n').nth(5).unwrap().0 + 9;
    fs::write(file(folder.path()), &whole[..cut]).unwrap();
    let mut stop = |_: &str, done: usize, _: usize| match done {
        0..=2 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let stopped = run(&request, folder.path(), &mut stop);
    assert!(matches!(stopped, Err(crate::Error::Core(sosrep::Error::Cancelled))));
    let so_far = fs::read_to_string(file(folder.path())).unwrap();
    assert_eq!(so_far.lines().count(), 1 + 3 * 3);
    assert!(whole.starts_with(&so_far));
    run(&request, folder.path(), &mut go_on).unwrap();
    assert_eq!(fs::read_to_string(file(folder.path())).unwrap(), whole);
}
