//! The set-up, the scores and the ranks of the main board.

use sosrep_report::chart::{BoxChart, BoxRow, boxes};

use super::ReportExtras;
use super::chapter::{Chapter, Part};
use super::main_board::{MainBoard, basis, is_ours, places};
use super::sheet::{Sheet, Value};
use crate::published::{DEFAULT, PAPER};
use crate::statistics::{Scoreboard, mean, median, summary};

/// The report in a few sentences.
pub(super) fn lead(board: &MainBoard<'_>) -> String {
    let methods = board.auc.ran().count();
    let mut text = format!("{methods} methods on {}.", board.basis());
    for method in [PAPER, DEFAULT] {
        text.push_str(&format!(" {}", standing(board, method)));
    }
    text
}

/// Where one of our configurations stands, as a sentence.
fn standing(board: &MainBoard<'_>, method: &str) -> String {
    let found = board.auc.row(method).and_then(|row| Some((row.mean()?, row.covered())));
    match found.zip(places(&board.auc, method)) {
        None => format!("{method} has no result."),
        Some(((mean, covered), (by_mean, by_rank))) => format!(
            "{method} has a mean AUC-ROC of {mean:.3} on {covered} data sets: number {by_mean} by \
             mean, number {by_rank} by rank."
        ),
    }
}

pub(super) fn set_up(board: &MainBoard<'_>, extras: &ReportExtras) -> Chapter {
    let mut parts = vec![Part::text(format!(
        "{} runs. Unless a caption says otherwise: ADBench's protocol (70 % of the rows to fit \
         without labels, 30 % to score, columns scaled to [0, 1]), {}. A result is the mean over \
         seeds, a mean is over data sets.",
        board.runs.len(),
        board.basis()
    ))];
    parts.extend(extras.set_up.iter().map(Part::text));
    if !extras.missing.is_empty() {
        let names = extras.missing.join(", ");
        parts.push(Part::text(format!("Not at hand, so in no figure of this report: {names}.")));
    }
    Chapter::new("Set-up", parts)
}

pub(super) fn chapter(board: &MainBoard<'_>) -> Option<Chapter> {
    let rows = board.auc.by_mean();
    rows.first()?;
    let values = rows.iter().map(|row| (row.method.as_str(), row.values()));
    let caption = format!(
        "AUC-ROC over data sets, sorted by mean: the box holds the middle half, the line in it is \
         the median, the dot the mean, the whiskers end at the smallest and the largest. {}.",
        board.basis()
    );
    let figure = box_part("auc-roc", "AUC-ROC on ADBench", values.collect(), caption);
    let standing = [PAPER, DEFAULT].map(|method| standing(board, method)).join(" ");
    let note = "A mean is over the data sets a method covers. A place sets two methods against \
                each other on the data sets that both cover.";
    let parts =
        vec![Part::text(standing), figure, Part::table("scores", table(board)), Part::text(note)];
    Some(Chapter::new("AUC-ROC and average precision", parts))
}

/// Every method of the board, also those without a result.
fn table(board: &MainBoard<'_>) -> Sheet {
    let mut sheet = Sheet::new([
        "method",
        "mean AUC-ROC",
        "median AUC-ROC",
        "mean AP",
        "median AP",
        "mean rank",
        "data sets",
    ]);
    let (ran, all) = (board.auc.by_mean(), board.auc.data_sets.len());
    let without = board.auc.rows.iter().filter(|row| row.covered() == 0);
    for row in ran.into_iter().chain(without) {
        let precision = board.precision.row(&row.method).map(|row| row.values());
        let precision = precision.unwrap_or_default();
        sheet.push(vec![
            Value::text(&row.method),
            Value::score(row.mean()),
            Value::score(median(&row.values())),
            Value::score(mean(&precision)),
            Value::score(median(&precision)),
            Value::Number(board.auc.mean_rank(&row.method), 1),
            Value::Of(row.covered(), all),
        ]);
    }
    sheet
}

pub(super) fn ranks(board: &MainBoard<'_>) -> Option<Chapter> {
    let text = "On each data set the methods are ranked by AUC-ROC: the best has as many points as \
                there are methods, the worst has 1, equals share. A missing result shares the last \
                ranks of its data set. Both of our configurations are on this board.";
    let figure = rank_part("ranks", "Rank by AUC-ROC on ADBench", &board.auc)?;
    Some(Chapter::new("Relative ranks", vec![Part::text(text), figure]))
}

/// The box plot of the ranks of a board.
pub(super) fn rank_part(name: &str, title: &str, board: &Scoreboard) -> Option<Part> {
    let mut ranks = board.ranks();
    ranks.sort_by(|a, b| mean(&b.1).partial_cmp(&mean(&a.1)).unwrap_or(std::cmp::Ordering::Equal));
    let methods = ranks.len();
    ranks.first()?;
    let caption =
        format!("Ranks from 1 to {methods}, higher is better, sorted by mean. {}.", basis(board));
    Some(box_part(name, title, ranks, caption))
}

/// A box plot and its numbers.
pub(super) fn box_part(
    name: &str,
    title: &str,
    values: Vec<(&str, Vec<f64>)>,
    caption: String,
) -> Part {
    let header =
        ["method", "minimum", "lower quartile", "median", "upper quartile", "maximum", "mean"];
    let mut numbers = Sheet::new(header.into_iter().chain(["data sets"]));
    let mut rows = Vec::new();
    for (method, values) in values {
        let Some(found) = summary(&values) else { continue };
        let quartiles = [found.minimum, found.lower_quartile, found.median, found.upper_quartile];
        let cells = quartiles.into_iter().chain([found.maximum, found.mean]);
        let mut row = vec![Value::text(method)];
        row.extend(cells.map(|value| Value::Number(Some(value), 3)));
        row.push(Value::Count(values.len()));
        numbers.push(row);
        rows.push(BoxRow { name: method.to_string(), summary: found, marked: is_ours(method) });
    }
    let x_name = if name.contains("rank") { "rank" } else { "AUC-ROC" }.to_string();
    let svg = boxes(&BoxChart { title: title.to_string(), x_name, rows });
    Part::figure(name, svg, caption, numbers)
}
