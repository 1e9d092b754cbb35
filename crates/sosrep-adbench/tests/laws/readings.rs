//! Laws of the curves: a point is a fit that a user can repeat, and none is measured twice.

use std::ops::ControlFlow;

use sosrep::metrics::auc_roc;
use sosrep::select::{SelectOptions, fisher_divergence};
use sosrep::{DetectorParams, KernelKind, Points};
use sosrep_adbench::readings::{CurveLine, measure_curves, readings};
use sosrep_adbench::{Error, Log, Splits};

use super::campaign::{campaign, found};

#[test]
fn a_point_of_a_curve_is_the_fit_of_the_preset_and_none_is_measured_twice() {
    let (folder, found) = found(80, 8);
    let path = folder.path().join("curves.csv");
    let kernels = [KernelKind::Sdo, KernelKind::Laplacian];
    let go_on = |breaks: bool| {
        let mut log = Log::open(&path).unwrap();
        measure_curves(&found, &campaign(1), &kernels, &mut log, &mut |_, done, _| {
            if breaks && done == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    };
    assert!(matches!(go_on(true), Err(Error::Core(sosrep::Error::Cancelled))));
    let lines = || sosrep_adbench::log::read::<CurveLine>(&path).unwrap();
    assert_eq!(lines().len(), 30, "two kernels before copies");
    go_on(false).unwrap();
    let whole = lines();
    assert_eq!(whole.len(), 60);
    go_on(false).unwrap();
    assert_eq!(lines(), whole);

    let setting = &campaign(1).settings()[0];
    let split = Splits::new(&found).make(setting).unwrap().unwrap();
    let train = Points::new(&split.train.values, split.columns).unwrap();
    let test = Points::new(&split.test.values, split.columns).unwrap();
    let params = DetectorParams::paper_exact().seed(1);
    let preset = params.bandwidth(SelectOptions::paper().seed(1)).fit(train, None).unwrap();
    let all = readings(&whole);
    let read = all.iter().find(|reading| {
        (&*reading.kernel, &*reading.rule, reading.duplicates) == ("sdo", "on-the-fly", 1)
    });
    let read = read.unwrap();
    assert_eq!(read.bandwidth, preset.report().bandwidth);
    let auc = auc_roc(&preset.anomaly_score(test).unwrap(), &split.test.labels).unwrap();
    assert_eq!(read.auc_roc, auc);

    let prepared = preset.preparation().apply(test).unwrap();
    let prepared = Points::new(&prepared, preset.preparation().dimension()).unwrap();
    let point = whole.iter().find(|line| line.kernel == "sdo" && line.bandwidth == read.bandwidth);
    let divergence = fisher_divergence(preset.density(), prepared, None).unwrap();
    assert_eq!(point.unwrap().test, Some(divergence));
}
