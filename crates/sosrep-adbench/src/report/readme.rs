//! The main board as a block of a longer text, such as a README.

use super::main_board::{MainBoard, basis, board_methods, statistic_value};
use super::sheet::{Sheet, Value};
use crate::run::Run;
use crate::statistics::{Condition, Measure, Row, Scoreboard, mean, median};

/// The main board as a Markdown table, sorted by mean AUC-ROC, with a line about what it rests on.
pub fn readme_table(runs: &[Run]) -> String {
    let board = MainBoard::new(runs);
    let copied =
        Scoreboard::new(runs, &Condition::duplicated(5), Measure::AucRoc, &board_methods());
    format!(
        "{}\n\n{}; anomalies ×5: {}. Higher is better, also of ranks; a number in brackets counts \
         the data sets behind a mean that are not all.\n",
        sheet(&board, &copied).rounded().markdown().trim_end(),
        board.basis(),
        basis(&copied)
    )
}

fn sheet(board: &MainBoard<'_>, copied: &Scoreboard) -> Sheet {
    let mut sheet = Sheet::new([
        "method",
        "mean AUC-ROC",
        "mean AP",
        "mean rank",
        "AUC-ROC, anomalies ×5",
        "median seconds",
        "data sets",
    ]);
    for row in board.auc.by_mean() {
        let method = row.method.as_str();
        let seconds = board.seconds.row(method).map(Row::values).unwrap_or_default();
        sheet.push(vec![
            Value::text(method),
            Value::score(row.mean()),
            Value::score(board.precision.row(method).and_then(Row::mean)),
            Value::Number(board.auc.mean_rank(method), 1),
            statistic_value(copied, method, mean),
            Value::Number(median(&seconds), 2),
            Value::Of(row.covered(), board.auc.data_sets.len()),
        ]);
    }
    sheet
}

/// The text with another block between `<!-- name: generated -->` and `<!-- end of name -->`;
/// `None` if it lacks one of the two marks.
pub fn with_block(text: &str, name: &str, block: &str) -> Option<String> {
    let opening = format!("<!-- {name}: generated -->");
    let (before, rest) = text.split_once(&opening)?;
    let closing = format!("<!-- end of {name} -->");
    let (_, after) = rest.split_once(&closing)?;
    Some(format!("{before}{opening}\n{}\n{closing}{after}", block.trim_end()))
}
