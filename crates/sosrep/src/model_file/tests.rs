//! Round trips to the bit, and files that are broken by chance or on purpose.

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors, serialize};
use serde_json::{Value, json};

use super::*;
use crate::Kde;
use crate::bandwidth::Bandwidth;
use crate::density_params::DensityParams;
use crate::detector::{DetectorParams, PrepareOptions, Scaling};
use crate::kernel::RadialSampler;
use crate::points::Weights;
use crate::select::CurvePoint;
use crate::solve::{SolveOptions, StepRecord};

fn normals(count: usize, seed: u64) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..count).map(|_| StandardNormal.sample(&mut rng)).collect()
}

fn kernels() -> [KernelKind; 5] {
    [
        KernelKind::Product,
        KernelKind::Sdo,
        KernelKind::Laplacian,
        KernelKind::Gaussian,
        KernelKind::SdoSampled { features: 37, sampler: RadialSampler::Exact },
    ]
}

/// 60 rows of three columns, some of them equal.
fn training_rows() -> Vec<f64> {
    let mut rows = normals(150, 1);
    rows.extend_from_within(..30);
    rows
}

/// Rows near, between and far from those of training.
fn questions(columns: usize) -> Vec<f64> {
    let mut rows = normals(7 * columns, 2);
    rows.extend(vec![1e6; columns]);
    rows.extend(vec![-1e300; columns]);
    rows.extend(vec![0.0; columns]);
    rows
}

fn fit(params: &DetectorParams) -> Detector {
    params.fit(Points::new(&training_rows(), 3).unwrap(), None).unwrap()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn assert_same_density(read: &Density, written: &Density) {
    let rows = questions(written.dimension());
    let points = Points::new(&rows, written.dimension()).unwrap();
    let answers = |density: &Density| {
        let log_density = density.log_density(points).map(|values| bits(&values));
        (
            bits(&density.log_pre_density(points).unwrap()),
            log_density.map_err(|error| error.to_string()),
            bits(&density.score_function(points).unwrap()),
            format!("{:?}", density.report()),
        )
    };
    assert_eq!(answers(read), answers(written));
}

fn assert_reads_back(detector: &Detector) {
    let bytes = detector.to_bytes().unwrap();
    let read = Detector::from_bytes(&bytes).unwrap();
    let rows = questions(detector.scorer.preparation.input_columns());
    let points = Points::new(&rows, detector.scorer.preparation.input_columns()).unwrap();
    let answers = |detector: &Detector| {
        (
            bits(&detector.anomaly_score(points).unwrap()),
            bits(&detector.p_value(points).unwrap()),
            detector.is_anomaly(points).unwrap(),
            // Debug writes every finite number in a form that no other has.
            format!("{:?}", detector.explain(points).unwrap()),
            format!("{:?}", detector.report()),
            detector.threshold().to_bits(),
            detector.feature_names().map(<[String]>::to_vec),
        )
    };
    assert_eq!(answers(&read), answers(detector));
    assert_eq!(read.scorer.preparation, detector.scorer.preparation);
    assert_eq!(read.calibration, detector.calibration);
    assert_eq!(read.attachment, detector.attachment);
    assert_same_density(&read.scorer.density, &detector.scorer.density);
    assert_eq!(read.to_bytes().unwrap(), bytes);
}

#[test]
fn detectors_of_every_kernel_read_back_to_the_bit() {
    for kernel in kernels() {
        assert_reads_back(&fit(&DetectorParams::new().kernel(kernel).seed(u64::MAX)));
    }
}

#[test]
fn detectors_of_weighted_rows_read_back_to_the_bit() {
    let weights: Vec<f64> = (1..=60).map(|i| f64::from(i) / 7.0).collect();
    let weights = Weights::new(&weights).unwrap();
    assert_ne!(weights.copies().fract(), 0.0);
    let rows = training_rows();
    let points = Points::new(&rows, 3).unwrap();
    assert_reads_back(&DetectorParams::new().fit(points, Some(&weights)).unwrap());
}

#[test]
fn densities_of_every_kernel_read_back_to_the_bit() {
    let rows = training_rows();
    for kernel in kernels() {
        let solve = SolveOptions::new().history(true);
        let params = DensityParams::new().kernel(kernel).bandwidth(0.1 + 0.2).solve(solve);
        let density = params.fit(Points::new(&rows, 3).unwrap(), None).unwrap();
        let bytes = density.to_bytes().unwrap();
        let read = Density::from_bytes(&bytes).unwrap();
        assert_same_density(&read, &density);
        assert_eq!(read.to_bytes().unwrap(), bytes);
    }
}

#[test]
fn kernel_density_estimates_of_every_kernel_read_back_to_the_bit() {
    let rows = training_rows();
    let points = Points::new(&rows, 3).unwrap();
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i % 5) / 7.0).collect();
    let weights = Weights::new(&weights).unwrap();
    let asked = questions(3);
    let asked = Points::new(&asked, 3).unwrap();
    for kernel in kernels().into_iter().filter(|kernel| kernel.name() != "sdo-sampled") {
        for weights in [None, Some(&weights)] {
            let kernel = Kernel::new(&kernel, 3, 0.1 + 0.2).unwrap();
            let kde = Kde::new(kernel, points, weights).unwrap();
            let bytes = kde.to_bytes().unwrap();
            let read = Kde::from_bytes(&bytes).unwrap();
            let scores = |kde: &Kde| bits(&kde.log_density(asked).unwrap());
            assert_eq!(scores(&read), scores(&kde));
            assert_eq!(bits(read.weights()), bits(kde.weights()));
            assert_eq!(read.to_bytes().unwrap(), bytes);
        }
    }
}

#[test]
fn whitening_scaling_and_clipping_read_back_to_the_bit() {
    for scaling in [Scaling::None, Scaling::Standard, Scaling::Robust] {
        for (clip, whitening) in [(None, 0.25), (Some(1.0 / 3.0), 0.5), (None, 0.0)] {
            let options = PrepareOptions::new().scaling(scaling).clip(clip).whitening(whitening);
            assert_reads_back(&fit(&DetectorParams::new().prepare(options)));
        }
    }
}

#[test]
fn constant_columns_and_names_read_back_to_the_bit() {
    let varying: Vec<f64> =
        normals(80, 3).chunks(2).flat_map(|x| [x[0], 0.1, x[1], -0.0]).collect();
    let constant = [0.1, 1e300].repeat(20);
    for (rows, columns) in [(varying, 4), (constant, 2)] {
        let detector =
            DetectorParams::new().fit(Points::new(&rows, columns).unwrap(), None).unwrap();
        let names = (0..columns).map(|j| format!("\"name\"\n\\ {j} \u{1F980}")).collect();
        let detector = detector.with_feature_names(names).unwrap();
        assert_reads_back(&detector.with_attachment(json!({ "anything": [1, "é", null] })));
    }
}

#[test]
fn a_bandwidth_selection_reads_back() {
    let params = DetectorParams::new().kernel(KernelKind::Gaussian);
    for bandwidth in [Bandwidth::fisher(), Bandwidth::likelihood(), Bandwidth::self_influence()] {
        let detector = fit(&params.clone().bandwidth(bandwidth));
        assert!(detector.report.selection.is_some());
        assert_reads_back(&detector);
    }
}

#[test]
fn reports_may_hold_nan() {
    let mut detector = fit(&DetectorParams::new().bandwidth(Bandwidth::self_influence()));
    let mut fitted = detector.scorer.density.report().unwrap().clone();
    (fitted.residual, fitted.objective) = (f64::NAN, f64::NAN);
    (fitted.norm_squared, fitted.negative_fraction) = (f64::NAN, -0.0);
    fitted.history = vec![StepRecord { residual: f64::NAN, objective: f64::NAN }];
    detector.report.fit = Some(fitted.clone());
    detector.scorer.density = detector.scorer.density.with_report(Some(fitted));
    detector.report.selection.as_mut().unwrap().curve =
        vec![CurvePoint { bandwidth: 0.1, value: f64::NAN, iterations: 0, residual: f64::NAN }];
    assert_reads_back(&detector);
}

#[test]
fn densities_put_together_by_hand_have_no_report() {
    let kernel = Kernel::new(&KernelKind::Gaussian, 1, 0.7).unwrap();
    let features = FourierFeatures::draw(&kernel, 5, 0).unwrap();
    let density = Density::from(FeatureForm::new(features, normals(5, 4)).unwrap());
    let bytes = density.to_bytes().unwrap();
    assert_same_density(&Density::from_bytes(&bytes).unwrap(), &density);
    let summary = peek(&bytes).unwrap();
    assert_eq!((summary.kernel, summary.bandwidth, summary.terms), (None, None, 5));
}

proptest! {
    #[test]
    fn numbers_in_the_header_keep_their_bits(bits: u64) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        let read: f64 = serde_json::from_str(&serde_json::to_string(&value).unwrap()).unwrap();
        prop_assert_eq!(read.to_bits(), bits);
    }

    #[test]
    fn random_bytes_are_rejected(bytes: Vec<u8>) {
        prop_assert!(Detector::from_bytes(&bytes).is_err());
        prop_assert!(Density::from_bytes(&bytes).is_err());
        prop_assert!(Kde::from_bytes(&bytes).is_err());
        prop_assert!(peek(&bytes).is_err());
        // The same behind a length that fits.
        let framed = [&(bytes.len() as u64).to_le_bytes(), bytes.as_slice()].concat();
        prop_assert!(Detector::from_bytes(&framed).is_err());
    }
}

/// A detector of a few rows with one of everything.
fn small() -> Detector {
    let rows = [0.1, 5.0, 0.3, 0.2, 5.0, 0.1, 0.4, 5.0, -0.2, 0.9, 5.0, 0.5];
    let options = PrepareOptions::new().whitening(0.25);
    let params = DetectorParams::new().prepare(options);
    let detector = params.fit(Points::new(&rows, 3).unwrap(), None).unwrap();
    detector.with_feature_names(["a", "b", "c"].map(String::from).to_vec()).unwrap()
}

fn small_density() -> Density {
    let kernel = KernelKind::SdoSampled { features: 3, sampler: RadialSampler::Exact };
    let rows = [0.1, 0.2, 0.3, 0.4];
    DensityParams::new().kernel(kernel).fit(Points::new(&rows, 2).unwrap(), None).unwrap()
}

fn small_kde() -> Kde {
    let kernel = Kernel::new(&KernelKind::Laplacian, 2, 0.3).unwrap();
    let weights = Weights::new(&[1.0, 3.0, 2.0]).unwrap();
    let rows = [0.1, 0.2, 0.3, 0.4, -0.5, 0.6];
    Kde::new(kernel, Points::new(&rows, 2).unwrap(), Some(&weights)).unwrap()
}

/// One small file of every kind.
fn small_files() -> [Vec<u8>; 3] {
    [small().to_bytes(), small_density().to_bytes(), small_kde().to_bytes()].map(Result::unwrap)
}

fn assert_finite(values: &[f64]) {
    assert!(values.iter().all(|value| value.is_finite()), "{values:?}");
}

/// Reads the bytes as anything and, where that works, uses the result, which gives finite numbers.
/// Whether it did.
fn try_everything(bytes: &[u8]) -> bool {
    let _ = peek(bytes);
    if let Ok(kde) = Kde::from_bytes(bytes) {
        let row = vec![0.3; kde.kernel().dimension()];
        assert_finite(&kde.log_density(Points::new(&row, row.len()).unwrap()).unwrap());
        kde.to_bytes().unwrap();
        return true;
    }
    if let Ok(density) = Density::from_bytes(bytes) {
        let row = vec![0.3; density.dimension()];
        let points = Points::new(&row, density.dimension()).unwrap();
        assert_finite(&density.log_pre_density(points).unwrap());
        density.score_function(points).unwrap();
        if let Ok(log_density) = density.log_density(points) {
            assert_finite(&log_density);
        }
        density.to_bytes().unwrap();
        return true;
    }
    let Ok(detector) = Detector::from_bytes(bytes) else { return false };
    let columns = detector.scorer.preparation.input_columns();
    let rows = [vec![0.3; columns], vec![-1e300; columns]].concat();
    let points = Points::new(&rows, columns).unwrap();
    let found = detector.assess(points).unwrap();
    assert_finite(&found.scores);
    assert_finite(&found.p_values);
    if let Ok(log_density) = detector.log_density(points) {
        // A row that differs from a constant has none.
        assert!(log_density.iter().all(|value| *value < f64::INFINITY), "{log_density:?}");
    }
    detector.explain(points).unwrap();
    assert_finite(&crate::SampleParams::new().draw_rows(&detector, 2).unwrap());
    detector.to_bytes().unwrap();
    true
}

#[test]
fn a_file_cut_off_anywhere_is_rejected() {
    let [detector, density, kde] = small_files();
    for length in 0..detector.len() {
        assert!(Detector::from_bytes(&detector[..length]).is_err(), "{length}");
        assert!(peek(&detector[..length]).is_err(), "{length}");
    }
    for length in 0..density.len() {
        assert!(Density::from_bytes(&density[..length]).is_err(), "{length}");
    }
    for length in 0..kde.len() {
        assert!(Kde::from_bytes(&kde[..length]).is_err(), "{length}");
    }
    let longer = [detector.as_slice(), &[0]].concat();
    assert!(Detector::from_bytes(&longer).is_err());
}

#[test]
fn no_flipped_bit_makes_a_panic() {
    for original in small_files() {
        let (mut bytes, mut readable) = (original.clone(), 0);
        for place in 0..bytes.len() {
            for bit in 0..8 {
                bytes[place] ^= 1 << bit;
                readable += usize::from(try_everything(&bytes));
                bytes[place] = original[place];
            }
        }
        // Low bits of a number are as good as others.
        assert!(readable > original.len() / 4, "{readable} of {}", original.len());
    }
}

#[test]
fn no_splice_makes_a_panic() {
    let originals = small_files();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for round in 0..6000 {
        let bytes = originals[round % 3].clone();
        let from = &originals[rng.random_range(0..3)];
        let (mut at, mut to) = (rng.random_range(0..bytes.len()), rng.random_range(0..bytes.len()));
        if at > to {
            std::mem::swap(&mut at, &mut to);
        }
        to = to.min(at + rng.random_range(1..40));
        let start = rng.random_range(0..from.len());
        let piece = &from[start..(start + (to - at)).min(from.len())];
        let mut spliced = [&bytes[..at], piece, &bytes[to..]].concat();
        if rng.random::<bool>() {
            let place = rng.random_range(0..spliced.len());
            spliced[place] = rng.next_u32() as u8;
        }
        try_everything(&spliced);
    }
}

/// Shape and values.
type Parts = (Vec<usize>, Vec<f64>);
type Arrays = BTreeMap<String, Parts>;
/// A word of the complaint, and what gives rise to it.
type Spoil = (&'static str, fn(&mut Value));

/// The file with its header and arrays changed, well formed as a container.
fn edited(bytes: &[u8], edit: impl Fn(&mut Value, &mut Arrays)) -> Vec<u8> {
    let file = Tensors::parse(bytes).unwrap();
    let mut header: Value = serde_json::from_str(file.entry().unwrap()).unwrap();
    let mut arrays = Arrays::new();
    for (name, view) in SafeTensors::deserialize(bytes).unwrap().tensors() {
        let values = file.read(&name, view.shape()).unwrap();
        arrays.insert(name, (view.shape().to_vec(), values));
    }
    edit(&mut header, &mut arrays);
    let data: BTreeMap<_, (_, Vec<u8>)> = arrays
        .into_iter()
        .map(|(name, (shape, values))| {
            (name, (shape, values.into_iter().flat_map(f64::to_le_bytes).collect()))
        })
        .collect();
    let views = data.iter().map(|(name, (shape, bytes))| {
        (name, TensorView::new(Dtype::F64, shape.clone(), bytes).unwrap())
    });
    let entry = HashMap::from([("sosrep".to_string(), header.to_string())]);
    serialize(views, Some(entry)).unwrap()
}

fn complaint<T>(result: Result<T>) -> String {
    match result {
        Err(Error::BadModel(complaint)) => complaint,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("a broken file was read"),
    }
}

#[test]
fn broken_headers_are_named() {
    let bytes = small().to_bytes().unwrap();
    let spoils: [Spoil; 32] = [
        ("format", |h| drop(h.as_object_mut().unwrap().remove("format"))),
        ("version 0", |h| h["format"] = json!(0)),
        ("fit it again", |h| h["format"] = json!(1)),
        ("fit it again", |h| h["format"] = json!(2)),
        ("another model", |h| h["detector"]["report"]["bandwidth"] = json!(0.7)),
        ("another model", |h| h["detector"]["report"]["columns"] = json!(1)),
        ("expected u64", |h| h["format"] = json!(-1)),
        ("unknown field", |h| h["extra"] = json!(1)),
        ("kind", |h| drop(h.as_object_mut().unwrap().remove("kind"))),
        ("unknown variant", |h| h["kind"] = json!("forest")),
        ("detector is missing", |h| h["detector"] = json!(null)),
        ("kernel is missing", |h| h["kernel"] = json!(null)),
        ("unknown variant", |h| h["kernel"] = json!("cubic")),
        ("kernel", |h| h["kernel"] = json!({"sdo-sampled": {"features": 2, "sampler": "exact"}})),
        ("bandwidth is missing", |h| h["bandwidth"] = json!(null)),
        ("bandwidth is -1", |h| h["bandwidth"] = json!(-1.0)),
        ("bandwidth is 0", |h| h["bandwidth"] = json!(0.0)),
        ("frequencies", |h| h["form"] = json!("features")),
        ("null", |h| h["detector"]["threshold"] = json!(null)),
        ("expected u64", |h| h["detector"]["seed"] = json!(-3)),
        ("feature name", |h| h["detector"]["feature_names"] = json!(["a"])),
        ("less than one row", |h| h["detector"]["calibration_rows"] = json!(0)),
        ("less than one row", |h| h["detector"]["calibration_rows"] = json!(0.999)),
        ("less than one row", |h| h["detector"]["calibration_rows"] = json!(-3)),
        ("expected f64", |h| h["detector"]["calibration_rows"] = json!("inf")),
        ("null", |h| h["detector"]["calibration_rows"] = json!(null)),
        ("add up", |h| h["detector"]["columns"] = json!([{"category": 1_u64 << 60}])),
        ("add up", |h| h["detector"]["columns"] = json!(vec![json!({"category": u64::MAX}); 2])),
        ("add up", |h| h["detector"]["constant_features"][0]["index"] = json!(7)),
        ("clip", |h| h["detector"]["clip"] = json!(-5.0)),
        ("report", |h| drop(h["detector"].as_object_mut().unwrap().remove("report"))),
        ("bored", |h| h["fit"]["stop"] = json!("bored")),
    ];
    for (expected, spoil) in spoils {
        let found = complaint(Detector::from_bytes(&edited(&bytes, |header, _| spoil(header))));
        assert!(found.contains(expected), "{expected}: {found}");
    }
}

#[test]
fn broken_arrays_are_named() {
    let bytes = small().to_bytes().unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let mut names = file.names();
    names.sort_unstable();
    assert_eq!(names.len(), 15);
    let spoils: [fn(&mut Parts); 4] = [
        |(_, values)| values[0] = f64::NAN,
        |(_, values)| *values.last_mut().unwrap() = f64::INFINITY,
        |(shape, _)| shape.push(1),
        |(shape, values)| {
            values.clear();
            shape[0] = 0;
        },
    ];
    for name in names {
        for (i, spoil) in spoils.iter().enumerate() {
            let spoilt = edited(&bytes, |_, arrays| spoil(arrays.get_mut(name).unwrap()));
            let found = complaint(Detector::from_bytes(&spoilt));
            // Of an array that lost its values it may be another that no longer fits.
            assert!(i == 3 || found.contains(name), "{name} {i}: {found}");
        }
        // One more row than there should be; of some rows there may be any number.
        let longer = edited(&bytes, |_, arrays| {
            let (shape, values) = arrays.get_mut(name).unwrap();
            values.extend_from_within(..values.len() / shape[0]);
            shape[0] += 1;
        });
        let any_number = ["typical", "usual"].contains(&name);
        assert_eq!(Detector::from_bytes(&longer).is_ok(), any_number, "{name}");
        let without = edited(&bytes, |_, arrays| drop(arrays.remove(name)));
        if name == "usual" {
            // Files of old lack it.
            assert!(Detector::from_bytes(&without).is_ok());
            continue;
        }
        let found = complaint(Detector::from_bytes(&without));
        assert_eq!(found, format!("array {name} is missing"));
    }
}

/// Files of format 2 that were read, and then gave NaN or −∞; that format is refused by now.
#[test]
fn files_that_gave_scores_that_are_no_numbers_are_refused() {
    for bytes in [
        &include_bytes!("../../tests/hostile/nan_density_1.sosrep")[..],
        include_bytes!("../../tests/hostile/nan_density_2.sosrep"),
        include_bytes!("../../tests/hostile/neg_inf_score.sosrep"),
    ] {
        complaint(Detector::from_bytes(bytes));
    }
}

/// What those files held, in a file of today.
#[test]
fn numbers_that_overflow_later_are_refused_and_others_give_finite_scores() {
    let bytes = small().to_bytes().unwrap();
    let refused: [(&str, f64); 5] = [
        ("alpha", f64::MIN),
        ("alpha", 0.0),
        ("alpha", 1e-200),
        ("support", -1e146),
        ("typical", f64::MAX),
    ];
    for (name, value) in refused {
        let spoilt = edited(&bytes, |_, arrays| arrays.get_mut(name).unwrap().1.fill(value));
        let found = complaint(Detector::from_bytes(&spoilt));
        assert!(found.contains(name), "{name} of {value}: {found}");
    }
    let odd: [(&str, f64); 8] = [
        ("alpha", 1e90),
        ("alpha", -1e-90),
        ("values", -f64::MAX),
        ("support", -1e145),
        ("support", 1e-308),
        ("scale", f64::MIN_POSITIVE),
        ("centre", 1e154),
        ("usual", f64::MAX),
    ];
    let bandwidths = [1e-50, 1.0, 1e50];
    for ((name, value), bandwidth) in
        odd.into_iter().flat_map(|odd| bandwidths.map(|bandwidth| (odd, bandwidth)))
    {
        for kernel in ["product", "sdo", "laplacian", "gaussian"] {
            let spoilt = edited(&bytes, |header, arrays| {
                arrays.get_mut(name).unwrap().1[0] = value;
                header["kernel"] = json!(kernel);
                header["bandwidth"] = json!(bandwidth);
                header["detector"]["report"]["kernel"] = json!(kernel);
                header["detector"]["report"]["bandwidth"] = json!(bandwidth);
            });
            assert!(try_everything(&spoilt), "{name} of {value}, {kernel} of {bandwidth}");
        }
    }
}

#[test]
fn shapes_must_agree() {
    let bytes = small().to_bytes().unwrap();
    // Two columns as one of twice the rows, and as four of half as many.
    for (name, columns) in
        [("support", 1), ("typical", 1), ("whitening_vectors", 1), ("support", 4)]
    {
        let reshaped = edited(&bytes, |_, arrays| {
            let (shape, values) = arrays.get_mut(name).unwrap();
            values.resize(values.len().next_multiple_of(columns), 0.0);
            *shape = vec![values.len() / columns, columns];
        });
        assert!(!complaint(Detector::from_bytes(&reshaped)).is_empty());
    }
    // A density of another dimension that is sound in itself.
    let flat = edited(&bytes, |_, arrays| {
        let (shape, values) = arrays.get_mut("support").unwrap();
        shape[1] = 1;
        values.truncate(shape[0]);
    });
    assert!(complaint(Detector::from_bytes(&flat)).contains("number of columns"));
    let density = small_density().to_bytes().unwrap();
    let fewer = edited(&density, |header, _| {
        header["kernel"] = json!({"sdo-sampled": {"features": 1_u64 << 60, "sampler": "exact"}});
        header["bandwidth"] = json!(0.2);
    });
    assert!(complaint(Density::from_bytes(&fewer)).contains("do not match"));
}

#[test]
fn other_number_types_are_rejected() {
    let bytes = small().to_bytes().unwrap();
    let place = bytes.windows(3).position(|part| part == b"F64").unwrap();
    for kind in [b"I64", b"U64"] {
        let mut bytes = bytes.clone();
        bytes[place..place + 3].copy_from_slice(kind);
        assert!(complaint(Detector::from_bytes(&bytes)).contains("expected F64"));
    }
}

/// A file with this table of contents and `data` bytes of zeros.
fn crafted(contents: &Value, data: usize) -> Vec<u8> {
    let contents = contents.to_string().into_bytes();
    [&(contents.len() as u64).to_le_bytes(), contents.as_slice(), &vec![0; data]].concat()
}

#[test]
fn huge_claims_are_rejected_before_anything_is_allocated() {
    let bytes = small().to_bytes().unwrap();
    let entry = Tensors::parse(&bytes).unwrap().entry().unwrap().to_string();
    let with = |name: &str, shape: Value, end: u64| {
        json!({
            "__metadata__": {"sosrep": entry},
            name: {"dtype": "F64", "shape": shape, "data_offsets": [0, end]},
        })
    };
    for name in ["support", "centre", "typical", "calibration_scores"] {
        let large = 1_u64 << 43;
        for (shape, end) in [
            (json!([large, 2]), 16 * large),
            (json!([large]), 8 * large),
            (json!([0, large]), 0),
            (json!([large, 0]), 0),
            (json!([u64::MAX, u64::MAX]), 8),
            (json!([u64::MAX]), u64::MAX),
        ] {
            complaint(Detector::from_bytes(&crafted(&with(name, shape, end), 0)));
        }
    }
    // Offsets that add up to the end of the address space.
    let (size, mut contents) = (u64::MAX / 8, with("a0", json!([0]), 0));
    for i in 0..8 {
        contents[format!("b{i}")] = json!({
            "dtype": "U8", "shape": [size], "data_offsets": [i * size, (i + 1) * size],
        });
    }
    complaint(Detector::from_bytes(&crafted(&contents, 0)));
    complaint(peek(&crafted(&contents, 0)));
    for length in [u64::MAX, 1 << 62, 100_000_001] {
        complaint(Detector::from_bytes(&[&length.to_le_bytes()[..], b"{}"].concat()));
    }
}

#[test]
fn a_file_without_an_entry_is_rejected() {
    for contents in [json!({}), json!({"__metadata__": {"format": "pt"}})] {
        let found = complaint(Density::from_bytes(&crafted(&contents, 0)));
        assert_eq!(found, "its metadata has no entry \"sosrep\"");
    }
}

#[test]
fn a_newer_format_asks_for_a_newer_library() {
    // Whatever else has changed.
    let newer =
        edited(&small().to_bytes().unwrap(), |header, _| *header = json!({"format": FORMAT + 1}));
    let expected = Error::NewerModel { found: FORMAT + 1, supported: FORMAT };
    assert_eq!(Detector::from_bytes(&newer).unwrap_err(), expected);
    assert_eq!(Density::from_bytes(&newer).unwrap_err(), expected);
    assert_eq!(Kde::from_bytes(&newer).unwrap_err(), expected);
    assert_eq!(peek(&newer).unwrap_err(), expected);
}

#[test]
fn a_model_is_not_read_as_one_of_another_kind() {
    let kinds = [ModelKind::Detector, ModelKind::Density, ModelKind::Kde];
    for (bytes, kind) in small_files().iter().zip(kinds) {
        let results = [
            Detector::from_bytes(bytes).map(drop),
            Density::from_bytes(bytes).map(drop),
            Kde::from_bytes(bytes).map(drop),
        ];
        for (result, other) in results.into_iter().zip(kinds) {
            if kind == other {
                result.unwrap();
                continue;
            }
            let (holds, not) = (kind.name(), other.name());
            let expected = format!("it holds a {holds}, not a {not}; read it as a {holds}");
            assert_eq!(complaint(result), expected);
        }
    }
}

#[test]
fn broken_kernel_density_estimates_are_named() {
    let bytes = small_kde().to_bytes().unwrap();
    let weights = |edit: fn(&mut Vec<f64>)| {
        edited(&bytes, |_, arrays| edit(&mut arrays.get_mut("alpha").unwrap().1))
    };
    let header = |edit: fn(&mut Value)| edited(&bytes, |header, _| edit(header));
    for (expected, bytes) in [
        ("value 1 of array alpha is -0.5, a weight", weights(|w| w[1] = -0.5)),
        ("value 0 of array alpha is NaN", weights(|w| w[0] = f64::NAN)),
        ("value 2 of array alpha is inf", weights(|w| w[2] = f64::INFINITY)),
        ("sum to 0, not to 1", weights(|w| w.fill(0.0))),
        ("not to 1", weights(|w| w[0] += 2e-9)),
        ("sum to inf, not to 1", weights(|w| w.fill(f64::MAX))),
        ("kernel is missing", header(|h| h["kernel"] = json!(null))),
        ("bandwidth is missing", header(|h| h["bandwidth"] = json!(null))),
        ("bandwidth is 0", header(|h| h["bandwidth"] = json!(0.0))),
        ("random features", header(|h| h["form"] = json!("features"))),
        (
            "kernel is sdo-sampled",
            header(|h| {
                h["kernel"] = json!({"sdo-sampled": {"features": 3, "sampler": "exact"}});
            }),
        ),
        ("array alpha is missing", edited(&bytes, |_, arrays| drop(arrays.remove("alpha")))),
        ("array support is missing", edited(&bytes, |_, arrays| drop(arrays.remove("support")))),
    ] {
        let found = complaint(Kde::from_bytes(&bytes));
        assert!(found.contains(expected), "{expected}: {found}");
    }
    // What rounding may do is read.
    assert!(Kde::from_bytes(&weights(|w| w[0] += 5e-10)).is_ok());
}

#[test]
fn the_summary_says_what_the_file_holds() {
    let detector = small();
    let summary = peek(&detector.to_bytes().unwrap()).unwrap();
    let expected = ModelSummary {
        format: FORMAT,
        library_version: env!("CARGO_PKG_VERSION").to_string(),
        kind: ModelKind::Detector,
        kernel: Some("product"),
        bandwidth: Some(detector.scorer.bandwidth),
        dimension: 2,
        terms: detector.report.support_rows,
        feature_names: Some(["a", "b", "c"].map(String::from).to_vec()),
        threshold: Some(detector.cut),
        seed: Some(0),
    };
    assert_eq!(summary, expected);
    let summary = peek(&small_kde().to_bytes().unwrap()).unwrap();
    let expected = ModelSummary {
        format: FORMAT,
        library_version: env!("CARGO_PKG_VERSION").to_string(),
        kind: ModelKind::Kde,
        kernel: Some("laplacian"),
        bandwidth: Some(0.3),
        dimension: 2,
        terms: 3,
        feature_names: None,
        threshold: None,
        seed: None,
    };
    assert_eq!(summary, expected);
}
