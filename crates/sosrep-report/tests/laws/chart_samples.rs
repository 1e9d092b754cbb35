//! Charts to try: ordinary ones, ones without numbers, ones from a hostile stranger.

use sosrep_report::chart::{
    Axis, BoxChart, BoxRow, DotChart, DotSeries, HeatCell, HeatMap, HeatRow, LineChart, Mark,
    Series, Style, Summary,
};

/// Numbers that are none, or hardly.
const HOSTILE: [f64; 8] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 0.0, 5e-324, -1.0];
/// A name that is an attack, short enough to be drawn whole.
pub(crate) const ATTACK: &str = "<b>&\"";
/// All styles of a series.
pub(crate) const STYLES: [Style; 5] =
    [Style::Line, Style::Dots, Style::LineAndDots, Style::Steps, Style::Dashed];

pub(crate) fn names(count: usize) -> Vec<String> {
    (0..count).map(|place| format!("{ATTACK} name {place}")).collect()
}

pub(crate) fn summary(five: [f64; 5], mean: f64) -> Summary {
    let [minimum, lower_quartile, median, upper_quartile, maximum] = five;
    Summary { minimum, lower_quartile, median, upper_quartile, maximum, mean }
}

/// Boxes that move to the right from row to row.
pub(crate) fn box_chart(rows: usize) -> BoxChart {
    let row = |(place, name): (usize, String)| {
        let start = 0.01 * place as f64;
        let five = [0.3, 0.5, 0.62, 0.7, 0.76].map(|value| value + start);
        BoxRow { name, summary: summary(five, 0.6 + start), marked: place == 1 }
    };
    BoxChart {
        title: format!("{ATTACK} boxes"),
        x_name: format!("{ATTACK} values"),
        rows: names(rows).into_iter().enumerate().map(row).collect(),
    }
}

/// Values from 0 to 1 and shifts from −0.3 to 0.3, every seventh cell empty.
pub(crate) fn heat_chart(rows: usize, columns: usize) -> HeatMap {
    let cells = rows * columns;
    let cell = |at: usize| HeatCell {
        value: at as f64 / cells as f64,
        shift: 0.6 * (at as f64 * 0.618).fract() - 0.3,
    };
    let row = |(place, name): (usize, String)| HeatRow {
        name,
        cells: (place * columns..(place + 1) * columns)
            .map(|at| (at % 7 != 6).then(|| cell(at)))
            .collect(),
    };
    HeatMap {
        title: format!("{ATTACK} circles"),
        columns: names(columns),
        rows: names(rows).into_iter().enumerate().map(row).collect(),
        legend: format!("{ATTACK} what area and colour mean"),
    }
}

/// Series of all styles over the given kinds of axes.
pub(crate) fn line_chart(series: usize, x: Axis, y: Axis) -> LineChart {
    let one = |(place, name): (usize, String)| Series {
        name,
        points: (1..20).map(|x| (f64::from(x), f64::from(x * x) + place as f64)).collect(),
        style: STYLES[place % STYLES.len()],
    };
    LineChart {
        title: format!("{ATTACK} lines"),
        x: (format!("{ATTACK} x"), x),
        y: (format!("{ATTACK} y"), y),
        series: names(series).into_iter().enumerate().map(one).collect(),
        marks: [3.0, 4.0, 19.0]
            .map(|x| Mark { x, name: format!("{ATTACK} mark {x}") })
            .into_iter()
            .collect(),
    }
}

/// Values of some series, every fifth missing.
pub(crate) fn dot_chart(categories: usize, series: usize, axis: Axis) -> DotChart {
    let one = |(place, name): (usize, String)| DotSeries {
        name: format!("series {name}"),
        values: (0..categories)
            .map(|row| (row % 5 != 4).then(|| 0.5 + (row * (place + 1)) as f64))
            .collect(),
    };
    DotChart {
        title: format!("{ATTACK} dots"),
        x_name: format!("{ATTACK} values"),
        axis,
        categories: names(categories),
        series: names(series).into_iter().enumerate().map(one).collect(),
    }
}

/// A name that is an attack and does not end.
fn endless() -> String {
    "<script>alert(1)</script>\u{0}\u{8}\u{ffff}\u{202e}\"'&<img src=x> עברית ".repeat(20)
}

pub(crate) fn hostile_boxes() -> BoxChart {
    let row = |place: usize| {
        let at = |offset: usize| HOSTILE[(place + offset) % HOSTILE.len()];
        let five = [at(0), at(1), at(3), at(5), at(7)];
        BoxRow { name: endless(), summary: summary(five, at(2)), marked: true }
    };
    let mut rows: Vec<BoxRow> = (0..HOSTILE.len()).map(row).collect();
    let summary = summary([1e308, 3.0, -1e308, 5e-324, -4.0], f64::NAN);
    rows.push(BoxRow { name: String::new(), summary, marked: false });
    BoxChart { title: endless(), x_name: endless(), rows }
}

pub(crate) fn hostile_heat_map() -> HeatMap {
    let cells =
        |value: f64| HOSTILE.iter().map(move |&shift| Some(HeatCell { value, shift })).collect();
    let mut rows: Vec<HeatRow> =
        HOSTILE.iter().map(|&value| HeatRow { name: endless(), cells: cells(value) }).collect();
    rows.push(HeatRow { name: endless(), cells: Vec::new() });
    HeatMap { title: endless(), columns: vec![endless(); 3], rows, legend: endless() }
}

pub(crate) fn hostile_lines(x: Axis, y: Axis) -> LineChart {
    let points: Vec<(f64, f64)> =
        HOSTILE.iter().flat_map(|x| HOSTILE.iter().map(|y| (*x, *y))).collect();
    let one = |style: &Style| Series { name: endless(), points: points.clone(), style: *style };
    LineChart {
        title: endless(),
        x: (endless(), x),
        y: (endless(), y),
        series: STYLES.iter().map(one).collect(),
        marks: HOSTILE.iter().map(|&x| Mark { x, name: endless() }).collect(),
    }
}

pub(crate) fn hostile_dots(axis: Axis) -> DotChart {
    let values = || HOSTILE.iter().map(|value| Some(*value)).collect();
    let series = vec![DotSeries { name: endless(), values: values() }; 12];
    DotChart { title: endless(), x_name: endless(), axis, categories: vec![endless(); 5], series }
}
