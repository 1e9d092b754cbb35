//! The figures and the findings of families, from its file.

use std::path::Path;

use sosrep_report::article::Table;
use sosrep_report::chart::{Axis, DotChart, DotSeries, LineChart, Series, Style, dots, lines};

use super::case::{Kind, Lever};
use super::means::{Means, Values};
use super::{METHOD, Row, file};
use crate::error::Result;
use crate::experiment::{Drawn, Experiment, Finding, table};
use crate::run::Status;

/// Kinds beside each other, then a figure a lever.
pub(in crate::experiment) fn draw(folder: &Path) -> Result<Vec<Drawn>> {
    let rows: Vec<Row> = table::read(&file(folder))?;
    let Some(means) = Means::new(&rows) else { return Ok(Vec::new()) };
    let levers = Lever::MOVED.into_iter().map(|lever| of_lever(&means, lever));
    Ok([of_kinds(&means)].into_iter().chain(levers).collect())
}

fn of_kinds(means: &Means) -> Drawn {
    let (common, _) = means.common();
    let kinds: Vec<Values> = Kind::ALL.into_iter().map(|kind| common.of_kind(kind)).collect();
    let series = |(method, name): (usize, &String)| DotSeries {
        name: name.clone(),
        values: kinds.iter().map(|values| values[method]).collect(),
    };
    let title = "AUC-ROC by kind of anomaly, generated rows".to_string();
    let chart = DotChart {
        title: title.clone(),
        x_name: "AUC-ROC".to_string(),
        axis: Axis::Linear,
        categories: Kind::ALL.map(|kind| kind.name().to_string()).to_vec(),
        series: means.methods.iter().enumerate().map(series).collect(),
    };
    let caption = "The mean over all settings of which every method has a result.".to_string();
    Drawn { name: "families".to_string(), title, caption, svg: dots(&chart) }
}

fn of_lever(means: &Means, lever: Lever) -> Drawn {
    let points = means.of_lever(lever);
    let percent = matches!(lever, Lever::Irrelevant | Lever::Contamination);
    let scale = if percent { 100.0 } else { 1.0 };
    let series = |(method, name): (usize, &String)| {
        let place = |(x, values): &(f64, Values)| (scale * x, values[method].unwrap_or(f64::NAN));
        let points = points.iter().map(place).collect();
        Series { name: name.clone(), points, style: Style::LineAndDots }
    };
    let (x, axis, short) = match lever {
        Lever::Irrelevant => ("irrelevant columns, % of the others", Axis::Linear, "irrelevant"),
        Lever::Contamination => ("anomalies, %", Axis::Logarithmic, "contamination"),
        Lever::Rows | Lever::Base => ("rows", Axis::Logarithmic, "rows"),
        Lever::Columns => ("columns", Axis::Logarithmic, "columns"),
    };
    let title = format!("AUC-ROC against {}, generated rows", lever.name());
    let chart = LineChart {
        title: title.clone(),
        x: (x.to_string(), axis),
        y: ("AUC-ROC".to_string(), Axis::Linear),
        series: means.methods.iter().enumerate().map(series).collect(),
        marks: Vec::new(),
    };
    let caption =
        "The mean over the four kinds of anomalies and the seeds; all else is that of the \
                   base setting: 2000 rows, 10 columns, 5 % anomalies, no irrelevant columns."
            .to_string();
    Drawn { name: format!("families-{short}"), title, caption, svg: lines(&chart) }
}

/// A table of the kinds, one of the levers, and where ours is first.
pub(in crate::experiment) fn finding(folder: &Path) -> Result<Option<Finding>> {
    let rows: Vec<Row> = table::read(&file(folder))?;
    let Some(means) = Means::new(&rows) else { return Ok(None) };
    let (common, others) = means.common();
    let mut sentences = vec![set_up(&means)];
    if means.methods.len() == 1 {
        sentences.push(format!(
            "This was measured without a Python that has PyOD: {METHOD} stands alone, and nothing \
             is said about how others do."
        ));
    } else {
        sentences.extend(standings(&means, &common));
    }
    sentences.extend(without_result(&rows));
    if others > 0 {
        sentences.push(format!(
            "The table of kinds is over the {} of {} runs of which every method has a result.",
            common.len(),
            means.len()
        ));
    }
    Ok(Some(Finding {
        experiment: Experiment::Families,
        heading: "Kinds of anomalies, on generated rows".to_string(),
        sentences,
        tables: vec![kinds(&common), levers(&means)],
    }))
}

/// What was measured.
fn set_up(means: &Means) -> String {
    format!(
        "Beside the data sets of ADBench: rows of a random mixture of three Gaussians, with its four \
         kinds of anomalies (local: five times the covariance; global: uniform over the range; \
         clustered: centres five times as far out; dependency: the same columns, independent of \
         each other). From 2000 rows, 10 columns and 5 % anomalies one lever is moved at a time: \
         {} settings, AUC-ROC, mean of up to three seeds.",
        means.settings().len()
    )
}

/// Where ours is first, and where it is not.
fn standings(means: &Means, common: &Means) -> Vec<String> {
    let by_kind = Kind::ALL.map(|kind| (kind.name().to_string(), common.of_kind(kind)));
    let at = |lever: Lever| {
        let named = move |(x, values)| (format!("{} {}", lever.name(), lever.shown(x)), values);
        means.of_lever(lever).into_iter().map(named)
    };
    let by_value: Vec<_> = Lever::MOVED.into_iter().flat_map(at).collect();
    let settings = means.settings().into_iter().map(|setting| {
        let lever = setting.lever;
        let value = setting.value(lever).map(|value| lever.shown(value)).unwrap_or_default();
        let name = format!("{} anomalies, {} {value}", setting.kind.name(), lever.name());
        (name.trim_end().to_string(), means.of_setting(&setting))
    });
    let mut sentences = vec![
        places(means, "By kind, over all settings,", &by_kind),
        places(means, "By value of a lever, over all kinds,", &by_value),
    ];
    let standings: Vec<_> =
        settings.filter_map(|(name, values)| Some((name, means.standing(&values)?))).collect();
    let firsts = standings.iter().filter(|(_, standing)| standing.is_first()).count();
    sentences.push(format!("In single settings it is first in {firsts} of {}.", standings.len()));
    let behind = |standing: &super::means::Standing| standing.best - standing.ours;
    let worst = standings.iter().max_by(|a, b| behind(&a.1).total_cmp(&behind(&b.1)));
    if let Some((name, standing)) = worst.filter(|(_, standing)| !standing.is_first()) {
        sentences.push(format!(
            "It is farthest behind for {name}: {:.3}, where {} has {:.3}.",
            standing.ours, standing.other, standing.best
        ));
    }
    sentences
}

/// One sentence about named means: first where, and not first where.
fn places(means: &Means, begin: &str, named: &[(String, Values)]) -> String {
    let (mut first, mut behind) = (Vec::new(), Vec::new());
    for (name, values) in named {
        let Some(standing) = means.standing(values) else { continue };
        let list = if standing.is_first() { &mut first } else { &mut behind };
        list.push(format!(
            "{name} ({:.3}; {} {:.3})",
            standing.ours, standing.other, standing.best
        ));
    }
    let or_nowhere = |list: &[String]| match list {
        [] => "nowhere".to_string(),
        some => format!("for {}", some.join(", ")),
    };
    format!(
        "{begin} {METHOD} is first or level with the first {}; it is not {}.",
        or_nowhere(&first),
        or_nowhere(&behind)
    )
}

/// Which methods have runs without a result.
fn without_result(rows: &[Row]) -> Option<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for row in rows.iter().filter(|row| row.status != Status::Done) {
        let name = format!("{} {}", row.method, row.status);
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    let named: Vec<String> =
        counts.iter().map(|(name, count)| format!("{name} ({count})")).collect();
    (!named.is_empty()).then(|| format!("Runs without a result: {}.", named.join(", ")))
}

fn cells(values: &Values) -> impl Iterator<Item = String> {
    values.iter().map(|value| value.map_or("–".to_string(), |value| format!("{value:.3}")))
}

fn header<'a>(words: &[&'a str], means: &'a Means) -> Vec<&'a str> {
    words.iter().copied().chain(means.methods.iter().map(String::as_str)).collect()
}

fn kinds(common: &Means) -> Table {
    let row =
        |name: &str, values: Values| [name.to_string()].into_iter().chain(cells(&values)).collect();
    let mut rows: Vec<Vec<String>> =
        Kind::ALL.into_iter().map(|kind| row(kind.name(), common.of_kind(kind))).collect();
    rows.push(row("all", common.of(|_| true)));
    table::summary(&header(&["kind"], common), 1, rows)
}

fn levers(means: &Means) -> Table {
    let mut rows = Vec::new();
    for lever in Lever::MOVED {
        for (value, values) in means.of_lever(lever) {
            let words = [lever.name().to_string(), lever.shown(value)];
            rows.push(words.into_iter().chain(cells(&values)).collect());
        }
    }
    table::summary(&header(&["lever", "value"], means), 2, rows)
}
