//! The board most chapters speak of: the baselines and both of our configurations, under ADBench's
//! protocol without noise.

use super::sheet::Value;
use crate::published::{BASELINES, DEFAULT, PAPER};
use crate::run::Run;
use crate::statistics::{Condition, Measure, Place, Scoreboard};

/// The main board, by each measure.
pub(super) struct MainBoard<'a> {
    pub(super) runs: &'a [Run],
    pub(super) auc: Scoreboard,
    pub(super) precision: Scoreboard,
    pub(super) seconds: Scoreboard,
}

impl<'a> MainBoard<'a> {
    pub(super) fn new(runs: &'a [Run]) -> Self {
        let board =
            |measure| Scoreboard::new(runs, &Condition::default(), measure, &board_methods());
        Self {
            runs,
            auc: board(Measure::AucRoc),
            precision: board(Measure::AveragePrecision),
            seconds: board(Measure::Seconds),
        }
    }

    /// How many data sets and seeds stand behind a figure, in words.
    pub(super) fn basis(&self) -> String {
        basis(&self.auc)
    }
}

/// The methods of the board.
pub(super) fn board_methods() -> Vec<&'static str> {
    BASELINES.into_iter().chain([PAPER, DEFAULT]).collect()
}

/// Whether a method is one of our two configurations.
pub(super) fn is_ours(method: &str) -> bool {
    [PAPER, DEFAULT].contains(&method)
}

/// The places of one of our configurations by mean and by rank, on the board without the other: a
/// method does not compete with itself.
pub(super) fn places(board: &Scoreboard, method: &str) -> Option<(Place, Place)> {
    let board = board.without(if method == PAPER { DEFAULT } else { PAPER });
    Some((board.place_by_mean(method)?, board.place_by_rank(method)?))
}

/// How many data sets and seeds stand behind a board, in words.
pub(super) fn basis(board: &Scoreboard) -> String {
    let sets = board.data_sets.len();
    let sets = if sets == 1 { "1 data set".to_string() } else { format!("{sets} data sets") };
    format!("{sets}, {}", seeds(board))
}

/// How many seeds stand behind a result, in words.
pub(super) fn seeds(board: &Scoreboard) -> String {
    match board.seeds() {
        None => "no seed".to_string(),
        Some((1, 1)) => "1 seed".to_string(),
        Some((fewest, most)) if fewest == most => format!("{most} seeds"),
        Some((fewest, most)) => format!("{fewest} to {most} seeds"),
    }
}

/// A statistic over the data sets a method covers, with their number where they are not all.
pub(super) fn statistic_value(
    board: &Scoreboard,
    method: &str,
    statistic: fn(&[f64]) -> Option<f64>,
) -> Value {
    match board.row(method).and_then(|row| Some((statistic(&row.values())?, row.covered()))) {
        Some((value, covered)) if covered < board.data_sets.len() => {
            Value::Partial(value, 3, covered)
        }
        found => Value::score(found.map(|(value, _)| value)),
    }
}
