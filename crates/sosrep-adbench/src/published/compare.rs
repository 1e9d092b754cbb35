//! The comparisons: each gives whether the runs agree with a claim and a sentence with their
//! figures, or `None` where they say nothing.

use super::{BASELINES, DEFAULT, Evidence, KERNELS, PAPER};
use crate::statistics::{Condition, Measure, Scoreboard, median};

type Found = Option<(bool, String)>;

/// A mean AUC-ROC this near to the published one agrees: seeds alone move it by up to 0.02.
const NEAR: f64 = 0.02;
/// A median loss this near to the published one agrees.
const NEAR_LOSS: f64 = 0.05;
/// A share of negative values this much larger is no longer kept.
const KEPT: f64 = 0.01;
/// A kernel this far behind the better of two others underperforms.
const BEHIND: f64 = 0.05;

/// The baselines and one of our methods: the other is the same method once more.
fn board(evidence: &Evidence<'_>, duplicates: usize, method: &str) -> Scoreboard {
    let methods: Vec<&str> = BASELINES.into_iter().chain([method]).collect();
    let condition = Condition::duplicated(duplicates);
    Scoreboard::new(evidence.runs, &condition, Measure::AucRoc, &methods)
}

/// How much of the board stands behind a sentence about a method.
fn covered(board: &Scoreboard, method: &str) -> String {
    let covered = board.row(method).map_or(0, |row| row.covered());
    match board.data_sets.len() {
        1 => "on 1 data set".to_string(),
        all if all == covered => format!("on {all} data sets"),
        all => format!("on {covered} of {all} data sets"),
    }
}

/// A board without other methods tells no place.
fn has_others(board: &Scoreboard) -> bool {
    board.ran().count() > 1
}

pub(super) fn second_by_mean(evidence: &Evidence<'_>, method: &str) -> Found {
    let board = board(evidence, 1, method);
    let place = board.place_by_mean(method).filter(|_| has_others(&board))?;
    let mean = board.row(method)?.mean()?;
    let sets = covered(&board, method);
    let sentence = format!(
        "It is number {place} with a mean AUC-ROC of {mean:.3} {sets}; first or second agrees."
    );
    Some((place.place <= 2, sentence))
}

pub(super) fn second_by_rank(evidence: &Evidence<'_>, method: &str) -> Found {
    let board = board(evidence, 1, method);
    let place = board.place_by_rank(method).filter(|_| has_others(&board))?;
    let rank = board.mean_rank(method)?;
    let sets = covered(&board, method);
    let sentence = format!(
        "It is number {place} with a mean rank of {rank:.1} {sets}; first or second agrees."
    );
    Some((place.place <= 2, sentence))
}

pub(super) fn best_with_duplicates(evidence: &Evidence<'_>, method: &str) -> Found {
    let board = board(evidence, 5, method);
    let place = board.place_by_mean(method).filter(|_| has_others(&board))?;
    Some((
        place.place == 1,
        format!("It is number {place} {}; first agrees.", covered(&board, method)),
    ))
}

pub(super) fn mean_with_duplicates(evidence: &Evidence<'_>, method: &str) -> Found {
    let board = board(evidence, 5, method);
    let mean = board.row(method)?.mean()?;
    let sets = covered(&board, method);
    let sentence = format!("The mean is {mean:.3} {sets}; within {NEAR} counts as agreement.");
    Some(((mean - 0.716).abs() <= NEAR, sentence))
}

pub(super) fn lead_with_duplicates(evidence: &Evidence<'_>, method: &str) -> Found {
    let board = board(evidence, 5, method);
    let (lead, other) = board.lead(method)?;
    let direction = if lead < 0.0 { "behind" } else { "ahead of" };
    let points = (100.0 * lead).abs();
    let sentence = format!(
        "It is {points:.1} points {direction} {other}, {}; a lead that rounds to 4 or more agrees.",
        covered(&board, method)
    );
    Some((lead >= 0.035, sentence))
}

pub(super) fn small_drop(evidence: &Evidence<'_>, method: &str) -> Found {
    let (plain, copied) = (board(evidence, 1, method), board(evidence, 6, method));
    let change = plain.change(&copied, method)?;
    let sentence = format!(
        "Its mean AUC-ROC {}, {}; a fall of less than 2 % agrees.",
        moved(change),
        covered(&copied, method)
    );
    Some((change > -0.02, sentence))
}

pub(super) fn drop_of_baselines(evidence: &Evidence<'_>) -> Found {
    let (plain, copied) = (board(evidence, 1, PAPER), board(evidence, 6, PAPER));
    let changes: Vec<f64> =
        BASELINES.iter().filter_map(|method| plain.change(&copied, method)).collect();
    let change = median(&changes)?;
    let sentence = format!(
        "The median over {} baselines of the change of the mean AUC-ROC: it {}; within {:.0} \
         points counts as agreement.",
        changes.len(),
        moved(change),
        100.0 * NEAR_LOSS
    );
    Some(((change + 0.1643).abs() <= NEAR_LOSS, sentence))
}

/// A change as words.
fn moved(change: f64) -> String {
    let verb = if change < 0.0 { "falls" } else { "rises" };
    format!("{verb} by {:.1} %", 100.0 * change.abs())
}

pub(super) fn minutes(evidence: &Evidence<'_>, method: &str) -> Found {
    let condition = Condition::default();
    let board = Scoreboard::new(evidence.runs, &condition, Measure::Seconds, &[PAPER, DEFAULT]);
    let row = board.row(method)?;
    let minutes = row.values().iter().sum::<f64>() / 60.0;
    let sentence = format!(
        "One run of each of {} data sets takes {minutes:.2} minutes on the machine of these runs; \
         not more than 186 counts as agreement.",
        row.covered()
    );
    Some((minutes <= 186.0, sentence))
}

pub(super) fn natural_keeps(evidence: &Evidence<'_>) -> Found {
    let rise = |shares: &&super::NegativeShares| shares.natural - shares.start;
    let worst = evidence.gradients.iter().max_by(|a, b| rise(a).total_cmp(&rise(b)))?;
    let sentence = format!(
        "Of {} data sets it changes most on {}, from {:.1} % to {:.1} %; a rise of at most {:.0} \
         point counts as kept.",
        evidence.gradients.len(),
        worst.data_set,
        100.0 * worst.start,
        100.0 * worst.natural,
        100.0 * KEPT
    );
    Some((rise(&worst) <= KEPT, sentence))
}

pub(super) fn standard_raises(evidence: &Evidence<'_>) -> Found {
    let shares = evidence.gradients.iter().find(|shares| shares.data_set.ends_with("shuttle"))?;
    let sentence = format!(
        "It goes from {:.1} % to {:.1} %; between 60 % and 80 % counts as agreement.",
        100.0 * shares.start,
        100.0 * shares.standard
    );
    Some(((0.6..=0.8).contains(&shares.standard), sentence))
}

pub(super) fn gaussian_is_behind(evidence: &Evidence<'_>) -> Found {
    let condition = Condition::default();
    let board = Scoreboard::new(evidence.runs, &condition, Measure::AucRoc, &KERNELS);
    let row = |name| board.row(name).map(|row| &row.cells);
    let (sdo, laplacian) = (row(KERNELS[0])?, row(KERNELS[1])?);
    let shortfall = |(i, gaussian): (usize, &crate::statistics::Cell)| {
        Some(sdo[i].value()?.max(laplacian[i].value()?) - gaussian.value()?)
    };
    let shortfalls: Vec<f64> = row(KERNELS[2])?.iter().enumerate().filter_map(shortfall).collect();
    let typical = median(&shortfalls)?;
    let behind = shortfalls.iter().filter(|shortfall| **shortfall > BEHIND).count();
    let sentence = format!(
        "The Gaussian kernel is more than {BEHIND} behind the better of SDO and Laplacian on \
         {behind} of {} data sets, the median shortfall is {typical:.3}; at least one and at most \
         a quarter count as a few.",
        shortfalls.len()
    );
    Some((behind >= 1 && 4 * behind <= shortfalls.len(), sentence))
}
