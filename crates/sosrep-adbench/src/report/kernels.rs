//! The kernels of SOSREP set against each other, each fitted the paper's way.

use sosrep_report::chart::Axis;

use super::chapter::Chapter;
use super::main_board::basis;
use super::scores::{box_part, rank_part};
use super::times::{DotPart, dot_part};
use crate::published::KERNELS;
use crate::run::Run;
use crate::statistics::{Condition, Measure, Scoreboard};

pub(super) fn chapter(runs: &[Run]) -> Option<Chapter> {
    let board = Scoreboard::new(runs, &Condition::default(), Measure::AucRoc, &KERNELS);
    let rows = board.by_mean();
    rows.first()?;
    let basis = basis(&board);
    let dots = dot_part(
        &board,
        &KERNELS,
        DotPart {
            name: "kernels",
            title: "AUC-ROC by kernel",
            x_name: "AUC-ROC",
            axis: Axis::Linear,
            caption: format!("Data sets sorted by the first kernel. {basis}."),
        },
    );
    let values = rows.iter().map(|row| (row.method.as_str(), row.values())).collect();
    let caption = format!("AUC-ROC over data sets, sorted by mean. {basis}.");
    let mut parts = vec![dots, box_part("kernels-auc-roc", "AUC-ROC by kernel", values, caption)];
    parts.extend(rank_part("kernels-ranks", "Rank by AUC-ROC among kernels", &board));
    Some(Chapter::new("Kernels", parts))
}
