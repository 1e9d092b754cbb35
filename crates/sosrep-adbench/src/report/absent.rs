//! What is not in the figures: data sets a method has no result on, and runs that went wrong.

use std::collections::BTreeMap;

use super::chapter::{Chapter, Part};
use super::main_board::{MainBoard, board_methods};
use super::sheet::{Sheet, Value};
use crate::published::KERNELS;
use crate::run::{Run, Status};
use crate::statistics::{Absence, Scoreboard};

/// Characters of a message that are shown.
const SHOWN: usize = 160;

pub(super) fn chapter(board: &MainBoard<'_>) -> Option<Chapter> {
    let (mut parts, coverage, failures) = (Vec::new(), coverage(&board.auc), failures(board.runs));
    if !coverage.is_empty() {
        parts.push(Part::text(
            "Methods that do not cover all data sets of the main board: their means are over fewer \
             data sets than those of the others.",
        ));
        parts.push(Part::table("missing", coverage));
    }
    if !failures.is_empty() {
        parts.push(Part::text("Runs that ended without a result, under any protocol and noise."));
        parts.push(Part::table("failures", failures));
    }
    parts.extend(outside(board.runs).map(Part::text));
    (!parts.is_empty()).then(|| Chapter::new("What is missing", parts))
}

fn coverage(board: &Scoreboard) -> Sheet {
    let mut sheet = Sheet::new(["method", "data sets", "missing"]);
    for row in &board.rows {
        let missing = board.missing(&row.method);
        if !missing.is_empty() {
            sheet.push(vec![
                Value::text(&row.method),
                Value::Of(row.covered(), board.data_sets.len()),
                Value::text(reasons(&missing, board.data_sets.len())),
            ]);
        }
    }
    sheet
}

/// Data sets by reason, as in `timed out: 19_landsat; not run: all`.
fn reasons(missing: &[(&str, Absence)], all: usize) -> String {
    let mut reasons: BTreeMap<Absence, Vec<&str>> = BTreeMap::new();
    for (data_set, absence) in missing {
        reasons.entry(*absence).or_default().push(data_set);
    }
    let words = |(absence, names): (&Absence, &Vec<&str>)| match names.len() {
        count if count == all => format!("{absence}: all"),
        _ => format!("{absence}: {}", names.join(", ")),
    };
    reasons.iter().map(words).collect::<Vec<String>>().join("; ")
}

/// A line for each method, outcome and message: how many runs, and where.
fn failures(runs: &[Run]) -> Sheet {
    let mut groups: BTreeMap<(&str, String, String), Vec<&Run>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.status != Status::Done) {
        let message: String = run.message.chars().take(SHOWN).collect();
        groups.entry((&run.method, run.status.to_string(), message)).or_default().push(run);
    }
    let mut sheet = Sheet::new(["method", "outcome", "runs", "data sets", "message"]);
    for ((method, status, message), runs) in groups {
        let mut names: Vec<&str> = runs.iter().map(|run| run.data_set.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let names = match names.len() {
            count if count > 6 => format!("{count} data sets"),
            _ => names.join(", "),
        };
        sheet.push(vec![
            Value::text(method),
            Value::text(status),
            Value::Count(runs.len()),
            Value::text(names),
            Value::text(message),
        ]);
    }
    sheet
}

/// A sentence about runs that no chapter counts.
fn outside(runs: &[Run]) -> Option<String> {
    let methods = board_methods();
    let is_outside = |run: &&Run| {
        let method = run.method.as_str();
        !(methods.contains(&method) || KERNELS.contains(&method)) || run.irrelevant_features != 0.0
    };
    let outside = runs.iter().filter(is_outside).count();
    (outside > 0).then(|| {
        format!(
            "{outside} runs are in no figure: their method is not on the board, or they have \
             irrelevant columns."
        )
    })
}
