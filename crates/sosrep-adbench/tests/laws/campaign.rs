//! Laws of a campaign: every run once, whatever stops it.

use std::ops::ControlFlow;
use std::path::Path;

use sosrep_adbench::{
    Campaign, Error, Found, Log, Method, Noise, Protocol, Run, Status, Work, find, run_methods,
};
use tempfile::TempDir;

use super::made::{folder_with, stranger, table};

const METHODS: [Method; 2] = [Method::Default, Method::Product];

pub(crate) fn campaign(seeds: u64) -> Campaign {
    Campaign {
        entries: vec![stranger()],
        protocol: Protocol::Authors,
        noise: vec![Noise::default(), Noise { duplicates: 5, ..Noise::default() }],
        seeds: (1..=seeds).collect(),
    }
}

pub(crate) fn found(rows: usize, anomalies: usize) -> (TempDir, Found) {
    let (x, y) = table(rows, anomalies);
    let (folder, _) = folder_with(&stranger(), &x, &y);
    let found = find(folder.path()).unwrap();
    (folder, found)
}

fn go_on(found: &Found, path: &Path, mut breaks: impl FnMut(usize) -> bool) -> Result<(), Error> {
    let mut log = Log::open(path).unwrap();
    run_methods(
        found,
        &campaign(2),
        Work { methods: &METHODS, most_rows: None },
        &mut log,
        &mut |_, done, _| {
            if breaks(done) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    )
}

/// What a run says, but for its time.
fn timeless(runs: Vec<Run>) -> Vec<Run> {
    let bare = |run: Run| Run { fit_seconds: None, score_seconds: None, ..run };
    runs.into_iter().map(bare).collect()
}

fn runs(path: &Path) -> Vec<Run> {
    timeless(sosrep_adbench::log::read(path).unwrap())
}

#[test]
fn a_campaign_stopped_before_every_run_ends_as_one_that_was_not_stopped() {
    let (folder, found) = found(80, 8);
    let (whole, parts) = (folder.path().join("whole.csv"), folder.path().join("parts.csv"));
    go_on(&found, &whole, |_| false).unwrap();
    let expected = runs(&whole);
    assert_eq!(expected.len(), 8, "2 kinds of noise, 2 seeds, 2 methods");
    assert!(expected.iter().all(|run| run.status == Status::Done && run.auc_roc.is_some()));
    let mut stops = 0;
    while let Err(stopped) = go_on(&found, &parts, |done| done == 1) {
        assert!(matches!(stopped, Error::Core(sosrep::Error::Cancelled)), "{stopped}");
        stops += 1;
        assert_eq!(runs(&parts).len(), stops, "one more each time");
    }
    assert_eq!(runs(&parts), expected);
    // Once more: there is nothing left to do, so the watch is not asked.
    go_on(&found, &parts, |_| unreachable!()).unwrap();
    assert_eq!(runs(&parts), expected);
}

#[test]
fn a_split_that_cannot_be_made_is_a_run_that_says_why() {
    let (folder, found) = found(80, 1);
    let path = folder.path().join("runs.csv");
    go_on(&found, &path, |_| false).unwrap();
    let runs = runs(&path);
    assert_eq!(runs.len(), 8);
    for run in runs {
        assert_eq!((run.status, run.auc_roc), (Status::Failed, None));
        assert!(run.message.contains("1 of 80 rows are anomalies"), "{}", run.message);
    }
}

#[test]
fn a_data_set_that_is_missing_is_told_before_any_work() {
    let (_folder, found) = found(80, 8);
    let glass = sosrep_adbench::named("glass").unwrap();
    let campaign = Campaign { entries: vec![stranger(), glass], ..campaign(1) };
    let message = campaign.check(&found).unwrap_err().to_string();
    assert!(message.contains("14_glass is not in"), "{message}");
}

#[test]
fn methods_are_known_by_their_names() {
    for method in Method::ALL {
        assert_eq!(method.name().parse::<Method>().unwrap(), method);
        assert_eq!(method.name()[7..].to_lowercase().parse::<Method>().unwrap(), method);
    }
    let message = "forest".parse::<Method>().unwrap_err().to_string();
    assert!(message.contains("method is forest") && message.contains("laplacian"), "{message}");
}
