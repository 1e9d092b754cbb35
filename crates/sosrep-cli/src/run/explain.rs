//! `sosrep explain`: why rows have their scores.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde::Serialize;
use sosrep_report::number;
use sosrep_scoring::{Model, Reason, Reasons, Rows, Unscored, reasons};

use super::{print_json, set_threads, terminal};
use crate::args::ExplainArgs;
use crate::failure::{Result, user};
use crate::interrupt;
use crate::model;
use crate::outputs::{self, create_table};
use crate::progress::Phases;
use crate::scan::Scan;
use crate::terminal::{printable, table};

/// Rows explained unless told otherwise.
const DEFAULT_TOP: usize = 5;
/// Columns shown for a row; a file gets all of them.
const SHOWN: usize = 10;

pub(super) fn explain(args: &ExplainArgs) -> Result<()> {
    let terminal = terminal(&args.run, args.out.as_deref().is_some_and(outputs::is_dash))?;
    set_threads(args.run.threads)?;
    outputs::check(&[&args.input.model, &args.input.data], &[args.out.as_deref()])?;
    let sink =
        args.out.as_deref().map(|path| create_table(path, &schema(), &args.run)).transpose()?;
    let Model { detector, recipe } = model::load(&args.input.model)?;
    let width = recipe.encoding.width();

    let mut phases = Phases::new(terminal.quiet);
    let mut choice = Choice::new(args, width);
    let scan = Scan::open(&args.input, &recipe, None, &[])?;
    let scanned = scan.run(&mut phases, |rows, unscored| {
        choice.refuse(&unscored)?;
        if !rows.is_empty() {
            let scores = detector.anomaly_score(rows.points(width)?)?;
            choice.consider(&rows, &scores);
        }
        Ok(())
    })?;
    let chosen = choice.rows(scanned.rows_read)?;
    let places: Vec<usize> = (0..chosen.len()).collect();
    let found = reasons::explain(
        &detector,
        &recipe,
        &chosen,
        &places,
        &mut phases.explaining(places.len()),
    )?;
    phases.clear();
    interrupt::check()?;

    if let Some(mut sink) = sink {
        sink.write(&batch(&chosen, &found)?)?;
        sink.finish()?;
    }
    let notes = scanned.notes();
    if args.run.json {
        let rows = found.iter().enumerate().map(|(i, reasons)| Explained::new(&chosen, i, reasons));
        return print_json(&Summary { rows: rows.collect(), notes: &notes });
    }
    for (i, reasons) in found.iter().enumerate() {
        terminal.show(&row_table(&chosen, i, reasons))?;
    }
    notes.iter().for_each(|note| terminal.remark(&format!("note: {note}")));
    Ok(())
}

/// The rows asked for, gathered while the table passes by.
struct Choice<'a> {
    wanted: &'a [u64],
    top: usize,
    width: usize,
    /// Score and row, the highest score first; at most `top` of them.
    best: Vec<(f64, Rows)>,
}

impl<'a> Choice<'a> {
    fn new(args: &'a ExplainArgs, width: usize) -> Self {
        let top = args.top.unwrap_or(DEFAULT_TOP);
        Self { wanted: &args.row, top, width, best: Vec::new() }
    }

    /// An error if a row was asked for that cannot be scored.
    fn refuse(&self, unscored: &Unscored) -> Result<()> {
        let mut rows = unscored.names.numbers.iter().zip(&unscored.reasons);
        match rows.find(|(number, _)| self.wanted.contains(number)) {
            Some((number, reason)) => {
                Err(user(format!("--row is {number}; that row cannot be scored: {reason}")))
            }
            None => Ok(()),
        }
    }

    fn consider(&mut self, rows: &Rows, scores: &[f64]) {
        for (i, &score) in scores.iter().enumerate() {
            let wanted = self.wanted.contains(&rows.names.numbers[i]);
            let last = self.best.last().map(|(lowest, _)| *lowest);
            let high = self.best.len() < self.top || last.is_some_and(|lowest| score > lowest);
            if wanted || (self.wanted.is_empty() && high && self.top > 0) {
                self.add(score, rows.single(i, self.width));
            }
        }
    }

    fn add(&mut self, score: f64, row: Rows) {
        let place = self.best.partition_point(|(other, _)| *other >= score);
        self.best.insert(place, (score, row));
        if self.wanted.is_empty() {
            self.best.truncate(self.top);
        }
    }

    /// The rows found; an error for those that are not in the table.
    fn rows(self, rows_read: u64) -> Result<Rows> {
        let mut rows = Rows::default();
        for (_, row) in self.best {
            rows.append(row);
        }
        match self.wanted.iter().find(|number| !rows.names.numbers.contains(number)) {
            Some(0) => Err(user("--row is 0; rows count from 1")),
            Some(number) => Err(user(format!("--row is {number}; the table has {rows_read} rows"))),
            None => Ok(rows),
        }
    }
}

/// One row's reasons for a person.
fn row_table(rows: &Rows, i: usize, reasons: &Reasons) -> String {
    let line = |reason: &Reason| {
        let sign = if reason.contribution > 0.0 { "+" } else { "" };
        let adds = format!("{sign}{}", number(reason.contribution));
        vec![reason.column.clone(), reason.value.clone(), reason.typical.clone(), adds]
    };
    let shown: Vec<Vec<String>> = reasons.ranked.iter().take(SHOWN).map(line).collect();
    let mut text = format!(
        "row {}: score {}, {} above the most similar typical row\n{}",
        printable(&rows.names.name(i)),
        number(reasons.score),
        number(reasons.score - reasons.reference_score),
        table(&["column", "value", "typical", "adds to the score"], &shown, &[1, 2, 3])
    );
    if reasons.ranked.len() > SHOWN {
        text.push_str(&format!("\n  and {} columns that add less", reasons.ranked.len() - SHOWN));
    }
    text
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("row", DataType::UInt64, false),
        Field::new("id", DataType::Utf8, true),
        Field::new("anomaly_score", DataType::Float64, false),
        Field::new("column", DataType::Utf8, false),
        Field::new("value", DataType::Utf8, false),
        Field::new("typical", DataType::Utf8, false),
        Field::new("contribution", DataType::Float64, false),
    ]))
}

/// One line a row and column.
fn batch(rows: &Rows, found: &[Reasons]) -> Result<RecordBatch> {
    let lines: Vec<(usize, &Reasons, &Reason)> = found
        .iter()
        .enumerate()
        .flat_map(|(i, reasons)| reasons.ranked.iter().map(move |reason| (i, reasons, reason)))
        .collect();
    let numbers = |value: &dyn Fn(&Reasons, &Reason) -> f64| -> ArrayRef {
        let values = lines.iter().map(|(_, reasons, reason)| value(reasons, reason));
        Arc::new(Float64Array::from_iter_values(values))
    };
    let texts = |text: &dyn Fn(&Reason) -> &String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(lines.iter().map(|(.., reason)| text(reason))))
    };
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from_iter_values(lines.iter().map(|(i, ..)| rows.names.numbers[*i]))),
        Arc::new(lines.iter().map(|(i, ..)| rows.names.id(*i)).collect::<StringArray>()),
        numbers(&|reasons, _| reasons.score),
        texts(&|reason| &reason.column),
        texts(&|reason| &reason.value),
        texts(&|reason| &reason.typical),
        numbers(&|_, reason| reason.contribution),
    ];
    Ok(RecordBatch::try_new(schema(), columns)?)
}

/// What `--json` prints.
#[derive(Serialize)]
struct Summary<'a> {
    rows: Vec<Explained<'a>>,
    notes: &'a [String],
}

/// What `--json` prints for a row.
#[derive(Serialize)]
struct Explained<'a> {
    row: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    anomaly_score: f64,
    reference_score: f64,
    reasons: &'a [Reason],
}

impl<'a> Explained<'a> {
    fn new(rows: &Rows, i: usize, reasons: &'a Reasons) -> Self {
        Self {
            row: rows.names.numbers[i],
            id: rows.names.id(i),
            anomaly_score: reasons.score,
            reference_score: reasons.reference_score,
            reasons: &reasons.ranked,
        }
    }
}
