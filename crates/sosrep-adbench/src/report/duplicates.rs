//! Anomalies that are copied: how the means and medians fall, and what noise on the copies changes.

use sosrep_report::chart::{Axis, LineChart, Series, Style, lines};

use super::chapter::{Chapter, Part};
use super::main_board::{basis, board_methods, is_ours, statistic_value};
use super::sheet::{Sheet, Value};
use crate::published::{DEFAULT, PAPER};
use crate::run::Run;
use crate::statistics::{Condition, Measure, Row, Scoreboard, mean, median};

/// Baselines in the figure: the best of them where anomalies are copied.
const DRAWN: usize = 6;

/// The board under one noise, with its name.
struct Level {
    name: String,
    condition: Condition,
    board: Scoreboard,
}

impl Level {
    /// The board under a condition, unless nothing was run.
    fn new(runs: &[Run], condition: Condition) -> Option<Self> {
        let board = Scoreboard::new(runs, &condition, Measure::AucRoc, &board_methods());
        let noise = condition.noise;
        let name = match noise.jitter {
            None => format!("×{}", noise.duplicates),
            Some(jitter) => format!("×{} ± {jitter}", noise.duplicates),
        };
        let has_results = board.ran().next().is_some();
        has_results.then_some(Self { name, condition, board })
    }

    fn statistic(&self, method: &str, statistic: Statistic) -> Option<f64> {
        statistic(&self.board.row(method)?.values())
    }
}

/// Of the values of a method over data sets.
type Statistic = fn(&[f64]) -> Option<f64>;

pub(super) fn chapter(runs: &[Run]) -> Option<Chapter> {
    let exact = (1..=6).filter_map(|t| Level::new(runs, Condition::duplicated(t)));
    let exact: Vec<Level> = exact.collect();
    let jittered: Vec<Level> = jittered(runs);
    if exact.len() + jittered.len() < 2 {
        return None;
    }
    let about = "The anomalies of both parts are drawn again with replacement, so many times as \
                 many. Methods that look for rare rows, or for rows far from their neighbours, \
                 lose by it.";
    let mut parts = vec![
        Part::text(about),
        figure(&exact, "duplicates", "Mean AUC-ROC, anomalies copied", mean),
        figure(&exact, "duplicates-median", "Median AUC-ROC, anomalies copied", median),
        Part::text("Means over data sets; in brackets how many, where not all."),
        Part::table("duplicates-means", table(&exact, &jittered, mean)),
        Part::folded(
            "Medians over data sets",
            vec![Part::table("duplicates-medians", table(&exact, &jittered, median))],
        ),
    ];
    if !jittered.is_empty() {
        let text = "A column with ± has noise on every copy, as a share of each column's standard \
                    deviation, so that copies are no longer exact.";
        parts.insert(4, Part::text(text));
    }
    Some(Chapter::new("Duplicated anomalies", parts))
}

/// The boards with noise on the copies.
fn jittered(runs: &[Run]) -> Vec<Level> {
    let noisy = |run: &Run| Some((run.duplicates, run.jitter?));
    let mut found: Vec<(usize, f64)> = runs.iter().filter_map(noisy).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    found.dedup();
    let condition = |(duplicates, jitter)| {
        let mut condition = Condition::duplicated(duplicates);
        condition.noise.jitter = Some(jitter);
        condition
    };
    found.into_iter().map(condition).filter_map(|condition| Level::new(runs, condition)).collect()
}

/// The board by which methods are ordered: one with copies, with the most methods, with the most
/// copies.
fn reference(levels: &[Level]) -> Option<&Level> {
    levels.iter().max_by_key(|level| {
        let copies = level.condition.noise.duplicates;
        (copies > 1, level.board.ran().count(), copies)
    })
}

/// The methods of some boards, the best on the reference first; those without a result there last.
fn order(levels: &[Level], statistic: Statistic) -> Vec<&str> {
    let Some(reference) = reference(levels) else { return Vec::new() };
    let ran = |row: &&Row| levels.iter().any(|level| level.board.row(&row.method).is_some());
    let rows = reference.board.rows.iter().filter(ran);
    let mut methods: Vec<&str> = rows.map(|row| row.method.as_str()).collect();
    let key = |method: &str| reference.statistic(method, statistic).unwrap_or(f64::NEG_INFINITY);
    methods.sort_by(|a, b| key(b).total_cmp(&key(a)));
    methods
}

fn figure(levels: &[Level], name: &str, title: &str, statistic: Statistic) -> Part {
    let order = order(levels, statistic);
    let ours = [PAPER, DEFAULT].into_iter().filter(|method| order.contains(method));
    let others = order.iter().copied().filter(|method| !is_ours(method)).take(DRAWN);
    let point = |method: &str, level: &Level| {
        let value = level.statistic(method, statistic)?;
        Some((level.condition.noise.duplicates as f64, value))
    };
    let series = |method: &str, style| Series {
        name: method.to_string(),
        points: levels.iter().filter_map(|level| point(method, level)).collect(),
        style,
    };
    let ours = ours.map(|method| series(method, Style::LineAndDots));
    let series = ours.chain(others.map(|method| series(method, Style::Line))).collect();
    let svg = lines(&LineChart {
        title: title.to_string(),
        x: ("times as many anomalies".to_string(), Axis::Linear),
        y: ("AUC-ROC".to_string(), Axis::Linear),
        series,
        marks: Vec::new(),
    });
    let basis: Vec<String> =
        levels.iter().map(|level| format!("{}: {}", level.name, basis(&level.board))).collect();
    let reference = reference(levels).map_or_else(String::new, |level| level.name.clone());
    let caption =
        format!("Ours and the {DRAWN} best of the others at {reference}. {}.", basis.join("; "));
    Part::figure(name, svg, caption, numbers(levels))
}

fn table(exact: &[Level], jittered: &[Level], statistic: Statistic) -> Sheet {
    let mut levels: Vec<&Level> = exact.iter().chain(jittered).collect();
    // Stable: exact copies stand before noisy ones.
    levels.sort_by_key(|level| level.condition.noise.duplicates);
    let names = levels.iter().map(|level| level.name.as_str());
    let mut sheet = Sheet::new(["method"].into_iter().chain(names));
    let order = if exact.is_empty() { order(jittered, statistic) } else { order(exact, statistic) };
    for method in order {
        let mut row = vec![Value::text(method)];
        let values = levels.iter().map(|level| statistic_value(&level.board, method, statistic));
        row.extend(values);
        sheet.push(row);
    }
    sheet
}

fn numbers(levels: &[Level]) -> Sheet {
    let header = ["method", "duplicates", "mean AUC-ROC", "median AUC-ROC", "data sets", "of"];
    let mut sheet = Sheet::new(header);
    for level in levels {
        for row in level.board.ran() {
            sheet.push(vec![
                Value::text(&row.method),
                Value::Count(level.condition.noise.duplicates),
                Value::score(row.mean()),
                Value::score(median(&row.values())),
                Value::Count(row.covered()),
                Value::Count(level.board.data_sets.len()),
            ]);
        }
    }
    sheet
}
