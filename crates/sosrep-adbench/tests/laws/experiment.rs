//! Experiments as a whole: names, what they refuse, files that are whole or not there.

use std::ops::ControlFlow;

use sosrep_adbench::experiment::{Request, run};
use sosrep_adbench::{Error, Experiment, find, named};

fn go_on(_: &str, _: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn every_experiment_is_found_by_its_name() {
    for experiment in Experiment::ALL {
        assert_eq!(experiment.to_string().parse::<Experiment>().unwrap(), experiment);
        assert!(!experiment.purpose().is_empty());
    }
    let error = "fishing".parse::<Experiment>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no experiment \"fishing\"; give one of fisher, gradients, clusters, two-blocks, \
         consistency, sampling, families, thresholds"
    );
}

#[test]
fn an_experiment_on_data_says_what_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    for experiment in Experiment::ALL.into_iter().filter(|experiment| experiment.needs_data()) {
        let error = run(experiment, &Request::default(), folder.path(), &mut go_on).unwrap_err();
        assert!(
            matches!(error, Error::NeedsData { .. })
                && error.to_string().contains(experiment.name())
        );
    }
    let (found, wine) = (find(folder.path()).unwrap(), named("wine").unwrap());
    let request = Request { found: Some(&found), data_set: Some(&wine), ..Request::default() };
    let error = run(Experiment::Fisher, &request, folder.path(), &mut go_on).unwrap_err();
    assert!(matches!(&error, Error::MissingDataSet { data_set, .. } if data_set == "45_wine"));
}

#[test]
fn an_experiment_that_is_stopped_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut stop = |_: &str, done: usize, _: usize| match done {
        0 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let request = Request::default();
    let stopped = run(Experiment::TwoBlocks, &request, folder.path(), &mut stop);
    assert!(matches!(stopped, Err(Error::Core(sosrep::Error::Cancelled))));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(!Experiment::TwoBlocks.is_finished(folder.path()));

    run(Experiment::TwoBlocks, &request, folder.path(), &mut go_on).unwrap();
    assert!(Experiment::TwoBlocks.is_finished(folder.path()));
}
