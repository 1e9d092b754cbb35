//! Wall time: of each data set, and of all of them.

use sosrep_report::chart::{Axis, DotChart, DotSeries, dots};

use super::chapter::{Chapter, Part};
use super::main_board::{MainBoard, basis};
use super::sheet::{Sheet, Value};
use crate::published::{DEFAULT, PAPER};
use crate::statistics::{Row, Scoreboard, median, quantile};

/// The methods of the figure: ours, and some known to be fast or slow.
const DRAWN: [&str; 6] = [PAPER, DEFAULT, "IForest", "KNN", "OCSVM", "MCD"];

pub(super) fn chapter(board: &MainBoard<'_>) -> Option<Chapter> {
    board.seconds.ran().next()?;
    let text = "Wall time of fit and score on the machine of these runs, the mean over seeds. The \
                total is that of one run of each data set a method covers.";
    let figure = dot_part(
        &board.seconds,
        &DRAWN,
        DotPart {
            name: "seconds",
            title: "Wall time of fit and score",
            x_name: "seconds",
            axis: Axis::Logarithmic,
            caption: format!("Data sets sorted by the first method. {}.", basis(&board.seconds)),
        },
    );
    let parts = vec![Part::text(text), figure, Part::table("wall-time", table(&board.seconds))];
    Some(Chapter::new("Wall time", parts))
}

fn table(board: &Scoreboard) -> Sheet {
    let header = ["method", "total minutes", "median seconds", "longest seconds", "data sets"];
    let mut sheet = Sheet::new(header);
    let mut rows: Vec<&Row> = board.ran().collect();
    let total = |row: &Row| row.values().iter().sum::<f64>() / 60.0;
    rows.sort_by(|a, b| total(a).total_cmp(&total(b)));
    for row in rows {
        let values = row.values();
        sheet.push(vec![
            Value::text(&row.method),
            Value::Number(Some(total(row)), 2),
            Value::Number(median(&values), 2),
            Value::Number(quantile(&values, 1.0), 1),
            Value::Of(row.covered(), board.data_sets.len()),
        ]);
    }
    sheet
}

/// What a dot chart is about.
pub(super) struct DotPart<'a> {
    pub(super) name: &'a str,
    pub(super) title: &'a str,
    pub(super) x_name: &'a str,
    pub(super) axis: Axis,
    pub(super) caption: String,
}

/// A dot chart of some methods that have results: a row a data set, the largest value of the first
/// method on top and data sets it does not cover below.
pub(super) fn dot_part(board: &Scoreboard, methods: &[&str], part: DotPart<'_>) -> Part {
    let rows: Vec<&Row> = methods.iter().filter_map(|method| board.row(method)).collect();
    let value = |i: usize| rows.first().and_then(|row| row.cells[i].value());
    let mut order: Vec<usize> = (0..board.data_sets.len()).collect();
    let key = |i: usize| value(i).unwrap_or(f64::NEG_INFINITY);
    order.sort_by(|&a, &b| key(b).total_cmp(&key(a)));
    let categories: Vec<String> = order.iter().map(|&i| board.data_sets[i].clone()).collect();
    let series = |row: &&Row| DotSeries {
        name: row.method.clone(),
        values: order.iter().map(|&i| row.cells[i].value()).collect(),
    };
    let names = rows.iter().map(|row| row.method.as_str());
    let mut numbers = Sheet::new(["data set"].into_iter().chain(names));
    for &i in &order {
        let mut row = vec![Value::text(&board.data_sets[i])];
        row.extend(rows.iter().map(|row| Value::score(row.cells[i].value())));
        numbers.push(row);
    }
    let svg = dots(&DotChart {
        title: part.title.to_string(),
        x_name: part.x_name.to_string(),
        axis: part.axis,
        categories,
        series: rows.iter().map(series).collect(),
    });
    Part::figure(part.name, svg, part.caption, numbers)
}
