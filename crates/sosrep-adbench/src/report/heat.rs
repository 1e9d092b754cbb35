//! Heat maps: every method on every data set, and how far it is from one of ours.

use sosrep_report::chart::{HeatCell, HeatMap, HeatRow, heat_map};

use super::chapter::{Chapter, Part};
use super::main_board::MainBoard;
use super::sheet::{Sheet, Value};
use crate::published::{DEFAULT, PAPER};
use crate::statistics::Row;

pub(super) fn chapter(board: &MainBoard<'_>) -> Option<Chapter> {
    let maps = [(PAPER, "heat-map-paper"), (DEFAULT, "heat-map-default")];
    let parts: Vec<Part> =
        maps.iter().filter_map(|(method, name)| map(board, method, name)).collect();
    let heading = "AUC-ROC of every method on every data set";
    (!parts.is_empty()).then(|| Chapter::new(heading, parts))
}

fn map(board: &MainBoard<'_>, reference: &str, name: &str) -> Option<Part> {
    let own = board.auc.row(reference)?;
    let methods = board.auc.by_mean();
    let (mut rows, mut without) = (Vec::new(), Vec::new());
    for (i, data_set) in board.auc.data_sets.iter().enumerate() {
        match own.cells[i].value() {
            Some(own) => rows.push(row(data_set, i, own, &methods)),
            None => without.push(data_set.as_str()),
        }
    }
    let svg = heat_map(&HeatMap {
        title: format!("AUC-ROC, and the shift from {reference}"),
        columns: methods.iter().map(|row| row.method.clone()).collect(),
        rows,
        legend: format!("area: AUC-ROC; colour: shift from {reference}"),
    });
    let absent = match without.len() {
        0 => String::new(),
        _ => format!(" Left out, because {reference} has no result: {}.", without.join(", ")),
    };
    let caption = format!(
        "The area of a circle is the AUC-ROC, its colour the shift from {reference}; a cross is a \
         missing result. {}.{absent}",
        board.basis()
    );
    Some(Part::figure(name, svg, caption, numbers(board, reference)))
}

fn row(data_set: &str, i: usize, own: f64, methods: &[&Row]) -> HeatRow {
    let cell = |row: &&Row| {
        let value = row.cells[i].value()?;
        Some(HeatCell { value, shift: value - own })
    };
    HeatRow { name: data_set.to_string(), cells: methods.iter().map(cell).collect() }
}

fn numbers(board: &MainBoard<'_>, reference: &str) -> Sheet {
    let shift = format!("shift from {reference}");
    let mut sheet = Sheet::new(["data set", "method", "AUC-ROC", shift.as_str(), "seeds"]);
    let own = board.auc.row(reference);
    for (i, data_set) in board.auc.data_sets.iter().enumerate() {
        let own = own.and_then(|row| row.cells[i].value());
        for row in board.auc.ran() {
            let value = row.cells[i].value();
            let shift = value.zip(own).map(|(value, own)| value - own);
            sheet.push(vec![
                Value::text(data_set),
                Value::text(&row.method),
                Value::score(value),
                Value::score(shift),
                Value::Count(row.cells[i].seeds()),
            ]);
        }
    }
    sheet
}
