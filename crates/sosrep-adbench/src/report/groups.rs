//! How far the order of methods depends on the data sets, the seeds and the protocol.

use std::collections::BTreeSet;

use super::chapter::{Chapter, Part};
use super::main_board::{MainBoard, basis, places, statistic_value};
use super::sheet::{Sheet, Value};
use crate::catalogue;
use crate::protocol::Protocol;
use crate::published::{DEFAULT, PAPER};
use crate::run::Run;
use crate::statistics::{Condition, Measure, Scoreboard, mean, median, quantile};

/// ADBench fills smaller data sets up with copies.
const FEWEST: usize = 1_000;

/// Means over groups of data sets.
pub(super) fn data_sets(board: &MainBoard<'_>) -> Option<Chapter> {
    board.auc.ran().next()?;
    let large = |name: &str| is_large(name, board.runs);
    let groups: Vec<(&str, Scoreboard)> = vec![
        ("all", board.auc.clone()),
        ("not resampled", board.auc.restricted(large)),
        ("resampled", board.auc.restricted(|name| !large(name))),
        ("odd", board.auc.restricted(|name| !number(name).is_multiple_of(2))),
        ("even", board.auc.restricted(|name| number(name).is_multiple_of(2))),
    ];
    let count = |i: usize| groups[i].1.data_sets.len();
    let text = format!(
        "ADBench fills data sets of fewer than {FEWEST} rows up with copies, so that most of their \
         test rows are training rows too. The {} data sets it does not resample stand here beside \
         the {} it does; the {} with an odd number beside the {} with an even one. Mean AUC-ROC, \
         {}.",
        count(1),
        count(2),
        count(3),
        count(4),
        board.basis()
    );
    let about_places = "The places of our configurations, each on the board without the other.";
    let parts = vec![
        Part::text(text),
        Part::table("groups", group_table(&groups, &board.auc)),
        Part::text(about_places),
        Part::table("group-places", group_places(&groups)),
    ];
    Some(Chapter::new("Groups of data sets", parts))
}

fn group_table(groups: &[(&str, Scoreboard)], all: &Scoreboard) -> Sheet {
    let header = |(name, group): &(&str, Scoreboard)| format!("{name} ({})", group.data_sets.len());
    let header = ["method".to_string()].into_iter().chain(groups.iter().map(header));
    let mut sheet = Sheet::new(header);
    for row in all.by_mean() {
        let mut cells = vec![Value::text(&row.method)];
        let means = groups.iter().map(|(_, group)| statistic_value(group, &row.method, mean));
        cells.extend(means);
        sheet.push(cells);
    }
    sheet
}

/// The places of ours within each group.
fn group_places(groups: &[(&str, Scoreboard)]) -> Sheet {
    let mut sheet = Sheet::new(["data sets", "method", "place by mean", "place by rank"]);
    for (name, group) in groups {
        for method in [PAPER, DEFAULT] {
            let Some((by_mean, by_rank)) = places(group, method) else { continue };
            sheet.push(vec![
                Value::text(*name),
                Value::text(method),
                Value::Of(by_mean.place, by_mean.of),
                Value::Of(by_rank.place, by_rank.of),
            ]);
        }
    }
    sheet
}

/// Whether ADBench takes a data set as it is or cuts it down; one it fills up has 1000 rows.
fn is_large(name: &str, runs: &[Run]) -> bool {
    if let Some(facts) = catalogue::named(name).ok().and_then(|entry| entry.facts) {
        return facts.shape.rows >= FEWEST;
    }
    let plain = Condition::default();
    let run = runs.iter().find(|run| run.data_set == name && plain.holds(run));
    run.is_some_and(|run| run.train_rows + run.test_rows > FEWEST)
}

/// The number in front of a name; 0 if there is none.
fn number(name: &str) -> u64 {
    name.split('_').next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// How much the mean of a method moves from seed to seed.
pub(super) fn seeds(board: &MainBoard<'_>) -> Option<Chapter> {
    let header = ["method", "seeds", "standard deviation", "smallest mean", "largest mean"];
    let mut sheet = Sheet::new(header);
    let mut deviations = Vec::new();
    for row in board.auc.by_mean() {
        let means: Vec<f64> = row.seed_means().into_values().collect();
        let Some(deviation) = row.seed_deviation() else { continue };
        deviations.push(deviation);
        sheet.push(vec![
            Value::text(&row.method),
            Value::Count(means.len()),
            Value::Number(Some(deviation), 4),
            Value::score(quantile(&means, 0.0)),
            Value::score(quantile(&means, 1.0)),
        ]);
    }
    let text = format!(
        "The mean AUC-ROC over data sets of each seed alone, for the seeds that have a result on \
         every data set a method covers. The median standard deviation between seeds is {:.4}: \
         gaps of that size separate nothing.",
        median(&deviations)?
    );
    let parts = vec![Part::text(text), Part::table("seeds", sheet)];
    Some(Chapter::new("Agreement of seeds", parts))
}

/// The second protocol, beside the first on the same data sets.
pub(super) fn authors(runs: &[Run]) -> Option<Chapter> {
    let condition = Condition { protocol: Protocol::Authors, ..Condition::default() };
    let those = runs.iter().filter(|run| condition.holds(run));
    let methods: BTreeSet<&str> = those.map(|run| run.method.as_str()).collect();
    let methods: Vec<&str> = methods.into_iter().collect();
    let board =
        |condition: &Condition, measure| Scoreboard::new(runs, condition, measure, &methods);
    let auc = board(&condition, Measure::AucRoc);
    auc.ran().next()?;
    let precision = board(&condition, Measure::AveragePrecision);
    let adbench = board(&Condition::default(), Measure::AucRoc);
    let adbench = adbench.restricted(|name| auc.data_sets.iter().any(|own| own == name));
    let text = format!(
        "The authors of SOSREP leave small data sets as they are, and standardise columns after \
         scaling them to [0, 1]. {}; under ADBench's protocol {}.",
        basis(&auc),
        basis(&adbench)
    );
    let table = Part::table("authors", authors_table(&auc, &precision, &adbench));
    Some(Chapter::new("The protocol of the authors", vec![Part::text(text), table]))
}

fn authors_table(auc: &Scoreboard, precision: &Scoreboard, adbench: &Scoreboard) -> Sheet {
    let mut sheet = Sheet::new([
        "method",
        "mean AUC-ROC",
        "median AUC-ROC",
        "mean AP",
        "mean AUC-ROC, ADBench's protocol",
    ]);
    for row in auc.by_mean() {
        let method = row.method.as_str();
        sheet.push(vec![
            Value::text(method),
            statistic_value(auc, method, mean),
            statistic_value(auc, method, median),
            statistic_value(precision, method, mean),
            statistic_value(adbench, method, mean),
        ]);
    }
    sheet
}
