//! Model files that come, change, break and go while they are served.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use sosrep_serve::{Service, StartError};
use sosrep_table::write_atomically;

use super::started::{Started, TABLE, options};

/// The bytes of a model of the table, and of another with other scores.
fn two_models() -> [Vec<u8>; 2] {
    let mut options = options();
    options.allow_fit = true;
    let service = Started::new(options);
    let first = service.get("/v1/models/m/file").body;
    let fewer: Vec<u8> =
        TABLE.split_inclusive(|byte| *byte == b'\n').take(31).flatten().copied().collect();
    assert_eq!(service.post("/v1/fits?name=other", "text/csv", &fewer).status, 202);
    let started = Instant::now();
    while service.get("/v1/models/other").status != 200 {
        assert!(started.elapsed() < Duration::from_secs(60), "no model");
        thread::sleep(Duration::from_millis(50));
    }
    [first, service.get("/v1/models/other/file").body]
}

fn of_folder(folder: &Path) -> Started {
    let mut options = options();
    options.models = vec![folder.to_path_buf()];
    Started::of(Service::new(options).unwrap())
}

/// Waits until it holds: files are looked at every two seconds.
fn until(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(30), "{what}");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_model_that_changes_under_load_is_swapped_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.sosrep");
    let models = two_models();
    write_atomically(&path, &models[0]).unwrap();
    let service = of_folder(folder.path());
    let before = service.score_csv(TABLE).body;
    let sha = |service: &Started| service.get("/v1/models/m").json()["sha256"].clone();
    let first = sha(&service);
    thread::scope(|scope| {
        let load = || {
            let mut changed = None;
            let started = Instant::now();
            while changed.is_none() && started.elapsed() < Duration::from_secs(30) {
                let answer = service.score_csv(TABLE);
                assert_eq!(answer.status, 200, "{}", answer.text());
                changed = Some(answer.body).filter(|body| *body != before);
            }
            changed.expect("the model was swapped")
        };
        let clients: Vec<_> = (0..4).map(|_| scope.spawn(load)).collect();
        write_atomically(&path, &models[1]).unwrap();
        let after: Vec<Vec<u8>> =
            clients.into_iter().map(|client| client.join().unwrap()).collect();
        let expected = service.score_csv(TABLE).body;
        // Either model answers, never a mixture.
        assert!(after.iter().all(|body| *body == expected));
    });
    assert_ne!(sha(&service), first);
    assert!(!service.get("/metrics").text().contains(first.as_str().unwrap()));
}

#[test]
fn a_file_that_breaks_keeps_its_model_and_one_that_goes_takes_it_along() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = two_models();
    write_atomically(folder.path().join("a.sosrep"), &first).unwrap();
    write_atomically(folder.path().join("notes.txt"), b"no model").unwrap();
    let service = of_folder(folder.path());
    assert_eq!(service.get("/v1/models").json()["models"].as_array().unwrap().len(), 1);
    write_atomically(folder.path().join("b.model"), &second).unwrap();
    until("b comes", || service.get("/v1/models/b").status == 200);
    write_atomically(folder.path().join("b.model"), &second[..second.len() / 2]).unwrap();
    until("the error is counted", || {
        service.get("/metrics").text().contains("sosrep_reload_errors_total{model=\"b\"} 1")
    });
    assert_eq!(service.get("/v1/models/b").status, 200);
    fs::remove_file(folder.path().join("b.model")).unwrap();
    until("b goes", || service.get("/v1/models/b").status == 404);
    assert_eq!(service.get("/v1/models/a").status, 200);
}

#[test]
fn files_that_are_no_models_or_share_a_name_are_told_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let [first, _] = two_models();
    let place = |name: &str| folder.path().join(name);
    fs::write(place("a.sosrep"), &first).unwrap();
    fs::write(place("a.model"), &first).unwrap();
    fs::write(place("broken"), b"no model").unwrap();
    for (models, said) in [
        (vec![place("broken")], "broken: "),
        (vec![place("missing")], "missing: "),
        (vec![place("a.sosrep"), place("a.model")], "would both be model a"),
    ] {
        let mut options = options();
        options.models = models;
        match Service::new(options).err() {
            Some(StartError::Model(problem)) => assert!(problem.contains(said), "{problem}"),
            other => panic!("{other:?}"),
        }
    }
}
