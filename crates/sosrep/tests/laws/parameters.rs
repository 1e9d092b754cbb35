//! Laws of the parameters as interfaces show them: real defaults, and the domains of the errors.

use serde_json::{Value, json};
use sosrep::detector::{PrepareOptions, Repeats, Scaling, Threshold};
use sosrep::kernel::{Kernel, KernelKind, RadialSampler};
use sosrep::select::{Criterion, Rule, SelectOptions};
use sosrep::solve::SolveOptions;
use sosrep::{Bandwidth, DensityParams, DetectorParams, Error, Parameter, Points, kde};

use crate::common::normal;

fn listed(parameters: &[Parameter]) -> Vec<(&'static str, Value)> {
    parameters.iter().map(|parameter| (parameter.name, parameter.value.clone())).collect()
}

fn domain(parameters: &[Parameter], name: &str) -> &'static str {
    parameters.iter().find(|parameter| parameter.name == name).unwrap().domain
}

#[test]
fn the_defaults_are_these_in_this_order() {
    let solving = [
        ("tolerance", json!(1e-6)),
        ("max_iterations", json!(1000)),
        ("memory", json!(1_073_741_824_u64)),
        ("seed", json!(0)),
    ];
    let density = [
        ("kernel", json!("product")),
        ("bandwidth", json!(0.2)),
        ("grid", json!(null)),
        ("holdout", json!(0.3)),
    ];
    assert_eq!(listed(&kde::parameters()), density[..2]);
    let density = [&density[..], &solving].concat();
    assert_eq!(listed(&DensityParams::new().parameters()), density);
    let detector = [
        ("kernel", json!("product")),
        ("bandwidth", json!("auto")),
        ("contamination", json!("auto")),
        ("trim", json!(0.5)),
        ("repeats", json!("auto")),
        ("scaling", json!("standard")),
        ("clip", json!(5.0)),
        ("whitening", json!(0.5)),
        ("max_rows", json!(10_000)),
        ("max_support", json!(1000)),
        ("grid", json!(null)),
        ("holdout", json!(0.3)),
    ];
    let detector = [&detector[..], &solving].concat();
    assert_eq!(listed(&DetectorParams::new().parameters()), detector);
}

#[test]
fn the_values_are_those_of_the_parameters_they_are_read_from() {
    let select = SelectOptions::paper().grid([0.5, 2.0]).holdout(0.4);
    let params = DetectorParams::paper()
        .bandwidth(Bandwidth::Select(select))
        .threshold(Threshold::Contamination(0.25))
        .max_rows(7)
        .max_support(3)
        .solve(SolveOptions::new().tolerance(0.0).max_iterations(3))
        .memory(1)
        .seed(u64::MAX);
    let values: Vec<Value> = params.parameters().into_iter().map(|p| p.value).collect();
    let expected = json!([
        "sdo-sampled",
        "paper",
        0.25,
        0.0,
        "keep",
        "standard",
        null,
        0.0,
        7,
        3,
        [0.5, 2.0],
        0.4,
        0.0,
        3,
        1,
        u64::MAX
    ]);
    assert_eq!(Value::from(values), expected);
    let robust = PrepareOptions::new().scaling(Scaling::Robust).clip(3.0).whitening(0.25);
    let params = DetectorParams::new().prepare(robust).bandwidth(Bandwidth::Fixed(0.7));
    let values = listed(&params.parameters());
    assert_eq!(values[1], ("bandwidth", json!(0.7)));
    assert_eq!(values[5], ("scaling", json!("robust")));
    assert_eq!(values[6], ("clip", json!(3.0)));
    assert_eq!(values[7], ("whitening", json!(0.25)));
}

/// What has no name is written out, and never under a name that means something else.
#[test]
fn what_has_no_name_is_written_out() {
    let few = KernelKind::SdoSampled { features: 12, sampler: RadialSampler::Exact };
    let written = json!({"sdo-sampled": {"features": 12, "sampler": "exact"}});
    assert_eq!(listed(&DensityParams::new().kernel(few).parameters())[0].1, written);
    let options = SelectOptions::new(Criterion::Likelihood).rule(Rule::Released);
    let params = DetectorParams::new().bandwidth(Bandwidth::Select(options.clone()));
    let bandwidth = &params.parameters()[1].value;
    assert_eq!(serde_json::from_value::<SelectOptions>(bandwidth.clone()).unwrap(), options);
}

/// The words that a domain lists, "one of a, b, c" or "a, b, or a number".
fn words(domain: &'static str) -> Vec<&'static str> {
    let list = domain.trim_start_matches("one of ");
    list.split(", ").filter(|word| !word.starts_with("or ")).collect()
}

#[test]
fn every_name_in_a_domain_is_read_and_written() {
    let (density, detector) = (DensityParams::new(), DetectorParams::new());
    let first = |parameters: Vec<Parameter>| parameters[0].value.clone();
    for name in words(domain(&density.parameters(), "kernel")) {
        let kernel: KernelKind = name.parse().unwrap();
        assert_eq!(first(density.clone().kernel(kernel).parameters()), name);
    }
    for name in words(domain(&kde::parameters(), "kernel")) {
        Kernel::new(&name.parse().unwrap(), 2, 0.2).unwrap();
    }
    for name in words(domain(&detector.parameters(), "bandwidth")) {
        let bandwidth: Bandwidth = name.parse().unwrap();
        assert_eq!(detector.clone().bandwidth(bandwidth).parameters()[1].value, name);
    }
    for name in words(domain(&density.parameters(), "bandwidth")) {
        let options: SelectOptions = name.parse().unwrap();
        assert_eq!(Bandwidth::Select(options), name.parse().unwrap());
    }
    for name in words(domain(&detector.parameters(), "scaling")) {
        let scaling: Scaling = name.parse().unwrap();
        let prepare = PrepareOptions::new().scaling(scaling);
        assert_eq!(detector.clone().prepare(prepare).parameters()[5].value, name);
    }
    for name in words(domain(&detector.parameters(), "repeats")) {
        let repeats: Repeats = name.parse().unwrap();
        assert_eq!(detector.clone().repeats(repeats).parameters()[4].value, name);
    }
    assert_eq!("0.25".parse(), Ok(Bandwidth::Fixed(0.25)));
    assert_eq!("sdo-sampled".parse(), Ok(KernelKind::paper()));
}

#[test]
fn a_default_of_null_is_in_a_domain_with_none() {
    let lists = [DetectorParams::new().parameters(), DensityParams::new().parameters()];
    for parameter in lists.iter().flatten().filter(|parameter| parameter.value.is_null()) {
        assert!(parameter.domain.starts_with("none, or "), "{parameter:?}");
    }
}

fn refused<T: std::fmt::Debug>(result: sosrep::Result<T>) -> (&'static str, String, &'static str) {
    match result {
        Err(Error::Parameter { name, value, requirement }) => (name, value, requirement),
        other => panic!("{other:?}"),
    }
}

#[test]
fn words_that_are_no_names_are_quoted_and_refused_with_the_domain() {
    let detector = DetectorParams::new().parameters();
    let density = DensityParams::new().parameters();
    for word in ["", "Product", "multi-order", "none ", "1e-51", "-1", "nan", "inf", "0,2"] {
        let quoted = format!("{word:?}");
        for (found, name, parameters) in [
            (refused(word.parse::<KernelKind>()), "kernel", &density),
            (refused(word.parse::<Bandwidth>()), "bandwidth", &detector),
            (refused(word.parse::<SelectOptions>()), "bandwidth", &density),
            (refused(word.parse::<Scaling>()), "scaling", &detector),
        ] {
            assert_eq!(found, (name, quoted.clone(), domain(parameters, name)));
        }
    }
    let error = "".parse::<KernelKind>().unwrap_err().to_string();
    assert_eq!(
        error,
        "kernel is \"\"; it must be one of product, sdo, sdo-sampled, laplacian, gaussian"
    );
    // Only a detector has a rule of its own.
    assert!("auto".parse::<SelectOptions>().is_err());
}

#[test]
fn numbers_outside_their_domain_are_refused_with_that_domain() {
    let rows = normal(20, 2, 1);
    let points = Points::new(&rows, 2).unwrap();
    let new = DetectorParams::new;
    let parameters = new().parameters();
    let with = |change: fn(&mut PrepareOptions)| {
        let mut options = PrepareOptions::default();
        change(&mut options);
        new().prepare(options)
    };
    let selecting = |change: fn(&mut SelectOptions)| {
        let mut options = SelectOptions::new(Criterion::Likelihood);
        change(&mut options);
        new().bandwidth(Bandwidth::Select(options))
    };
    let tolerance = |tolerance| SolveOptions::new().tolerance(tolerance);
    for (name, params) in [
        ("bandwidth", new().bandwidth(Bandwidth::Fixed(1e-51))),
        ("bandwidth", new().bandwidth(Bandwidth::Fixed(f64::NAN))),
        ("contamination", new().threshold(Threshold::Contamination(0.0))),
        ("contamination", new().threshold(Threshold::Contamination(0.51))),
        ("trim", new().trim(-0.1)),
        ("trim", new().trim(1.0)),
        ("clip", with(|options| options.clip = Some(0.0))),
        ("whitening", with(|options| options.whitening = 0.51)),
        ("max_rows", new().max_rows(0)),
        ("max_support", new().max_support(0)),
        ("grid", selecting(|options| options.grid = vec![])),
        ("grid", selecting(|options| options.grid = vec![0.1, f64::INFINITY])),
        ("grid", selecting(|options| options.grid = vec![0.1, 0.1])),
        ("holdout", selecting(|options| options.holdout = 0.0)),
        ("holdout", selecting(|options| options.holdout = 1.0)),
        ("tolerance", new().solve(tolerance(-1e-9))),
        ("tolerance", new().solve(tolerance(f64::NAN))),
    ] {
        let (found, _, requirement) = refused(params.fit(points, None));
        assert_eq!((found, requirement), (name, domain(&parameters, name)));
    }
}

#[test]
fn densities_and_estimates_refuse_with_their_own_domains() {
    let rows = normal(20, 2, 2);
    let points = Points::new(&rows, 2).unwrap();
    let params = DensityParams::new();
    let parameters = params.parameters();
    let (name, _, requirement) = refused(params.clone().bandwidth(1e51).fit(points, None));
    assert_eq!((name, requirement), ("bandwidth", domain(&parameters, "bandwidth")));
    let options = SelectOptions::self_influence().holdout(-1.0);
    let selection = params.clone().bandwidth(options.clone()).tune(points, None);
    let (name, _, requirement) = refused(selection);
    assert_eq!((name, requirement), ("holdout", domain(&parameters, "holdout")));

    let parameters = kde::parameters();
    let (name, _, requirement) = refused(Kernel::new(&KernelKind::default(), 2, 0.0));
    assert_eq!((name, requirement), ("bandwidth", domain(&parameters, "bandwidth")));
    let (name, value, requirement) = refused(Kernel::new(&KernelKind::paper(), 2, 0.2));
    assert_eq!((name, value.as_str()), ("kernel", "sdo-sampled"));
    assert_eq!(requirement, domain(&parameters, "kernel"));
}

/// The types leave nothing to refuse, and zero is a number like any other.
#[test]
fn whole_numbers_may_be_zero() {
    let rows = normal(20, 2, 3);
    let solve = SolveOptions::new().max_iterations(0);
    let params = DetectorParams::new().solve(solve).memory(0).seed(0);
    assert!(params.fit(Points::new(&rows, 2).unwrap(), None).is_ok());
}
