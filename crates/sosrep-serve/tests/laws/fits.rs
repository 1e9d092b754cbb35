//! Tables that are sent to be fitted.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::started::{Started, TABLE, options};

fn fitting() -> Started {
    let mut options = options();
    options.allow_fit = true;
    Started::new(options)
}

fn ended(service: &Started, id: &str) -> Value {
    let started = Instant::now();
    loop {
        let job = service.get(&format!("/v1/fits/{id}")).json();
        if job["status"] != "running" {
            return job;
        }
        assert!(started.elapsed() < Duration::from_secs(120), "{job}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Rows enough for a fit that takes a while.
fn large() -> Vec<u8> {
    let mut text = "a,b,c\n".to_string();
    let wave = |i: u32, step: f64| (f64::from(i) * step).sin() + (f64::from(i) * step * 0.37).cos();
    (0..200_000).for_each(|i| {
        text.push_str(&format!("{},{},{}\n", wave(i, 0.754), wave(i, 1.618), wave(i, 0.123)));
    });
    text.into_bytes()
}

#[test]
fn a_fit_gives_a_model_that_scores_and_is_that_of_the_library() {
    let service = fitting();
    let begun = service.post("/v1/fits?name=again", "text/csv", TABLE);
    assert_eq!(begun.status, 202);
    assert!(begun.head.contains("location: /v1/fits/1"), "{}", begun.head);
    assert_eq!(ended(&service, "1")["status"], "done");
    // `m` was fitted to the same table before the service began.
    let file = |name: &str| service.get(&format!("/v1/models/{name}/file")).body;
    assert_eq!(file("again"), file("m"));
    assert_eq!(service.post("/v1/models/again/score", "text/csv", TABLE).status, 200);
}

#[test]
fn one_fit_runs_at_a_time_and_can_be_cancelled() {
    let service = fitting();
    let body = large();
    assert_eq!(service.post("/v1/fits?name=long", "text/csv", &body).status, 202);
    let second = service.post("/v1/fits", "text/csv", TABLE);
    assert_eq!(second.status, 409, "{}", second.text());
    second.problem();
    assert_eq!(service.ask("DELETE", "/v1/fits/1", &[], b"").status, 200);
    assert_eq!(ended(&service, "1")["status"], "cancelled");
    assert_eq!(service.get("/v1/models/long").status, 404);
    let started = Instant::now();
    let third = loop {
        let answer = service.post("/v1/fits", "text/csv", TABLE);
        if answer.status != 409 || started.elapsed() > Duration::from_secs(20) {
            break answer;
        }
        thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(third.status, 202);
    let job = ended(&service, third.json()["id"].as_str().unwrap());
    assert_eq!((job["status"].as_str(), job["model"].as_str()), (Some("done"), Some("fit-2")));
}

#[test]
fn what_cannot_be_fitted_is_told() {
    let service = fitting();
    for query in
        ["?name=a/b", "?name=.hidden", "?name=", "?contamination=2", "?label=nothing", "?size=3"]
    {
        let refused = service.post(&format!("/v1/fits{query}"), "text/csv", TABLE);
        assert_eq!(refused.status, 400, "{query}: {}", refused.text());
        refused.problem();
    }
    assert_eq!(service.post("/v1/fits", "text/csv", b"").status, 400);
    let begun = service.post("/v1/fits", "text/csv", b"x,y\n,\n,\n");
    let job = ended(&service, begun.json()["id"].as_str().unwrap());
    assert_eq!(job["status"], "failed", "{job}");
    assert!(!job["detail"].as_str().unwrap().is_empty());
    let closed = Started::new(options());
    let refused = closed.post("/v1/fits", "text/csv", TABLE);
    assert_eq!(refused.status, 403);
    assert!(refused.problem().contains("--allow-fit"));
}
