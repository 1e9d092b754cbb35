//! `sosrep inspect`: what a model file holds.

use serde::Serialize;
use sosrep::model_file::{ModelKind, ModelSummary, peek};
use sosrep_report::{count, number};
use sosrep_scoring::Model;
use sosrep_table::{ColumnInfo, TableRecipe};

use super::print_json;
use crate::args::InspectArgs;
use crate::failure::Result;
use crate::model;
use crate::terminal::{Terminal, facts, table};

/// Columns listed; JSON has all of them.
const LISTED: usize = 40;

pub(super) fn inspect(args: &InspectArgs) -> Result<()> {
    let bytes = model::read(&args.model)?;
    let summary = peek(&bytes).map_err(|error| model::unreadable(&args.model, error))?;
    let detector = match summary.kind {
        ModelKind::Detector => Some(model::load(&args.model)?),
        _ => None,
    };
    let recipe = detector.as_ref().map(|model| &model.recipe);
    if args.json {
        return print_json(&Contents { model: &summary, table: recipe });
    }
    let terminal = Terminal { quiet: false, to_stderr: false };
    let mut rows = facts_of(&summary);
    if let Some(Model { detector, recipe }) = &detector {
        let report = detector.report();
        rows.push(("fitted on", format!("{} rows", count(report.rows))));
        rows.push(("columns", recipe.encoding.input_columns().len().to_string()));
        rows.push(("missing values", recipe.encoding.missing().name().to_string()));
        match &recipe.ids[..] {
            [] => {}
            [id] => rows.push(("id column", id.clone())),
            ids => rows.push(("id columns", ids.join(", "))),
        }
        rows.extend(recipe.label.clone().map(|column| ("label column", column)));
    }
    terminal.show(&facts(&rows))?;
    match recipe {
        Some(recipe) => terminal.show(&columns(recipe)),
        None => Ok(()),
    }
}

fn facts_of(summary: &ModelSummary) -> Vec<(&'static str, String)> {
    let mut rows = vec![
        ("kind", summary.kind.name().to_string()),
        ("written by", format!("sosrep {}, format {}", summary.library_version, summary.format)),
        ("kernel", summary.kernel.unwrap_or("unknown").to_string()),
    ];
    rows.extend(summary.bandwidth.map(|value| ("bandwidth", number(value))));
    rows.push(("terms", count(summary.terms)));
    rows.push(("dimension", count(summary.dimension)));
    rows.extend(summary.threshold.map(|value| ("threshold", number(value))));
    rows.extend(summary.seed.map(|seed| ("seed", seed.to_string())));
    rows
}

/// The columns a table must have.
fn columns(recipe: &TableRecipe) -> String {
    let features = recipe.encoding.features();
    let columns = recipe.encoding.input_columns();
    let line = |(j, column): (usize, &ColumnInfo)| {
        let mut own = features.iter().filter(|feature| feature.column == j);
        let meaning = own.next().map_or("", |feature| feature.meaning.name());
        let encoded = match own.count() {
            0 => meaning.to_string(),
            more => format!("{} columns of {meaning}", more + 1),
        };
        vec![column.name.clone(), column.kind.name().to_string(), encoded]
    };
    let rows: Vec<Vec<String>> = columns.iter().enumerate().take(LISTED).map(line).collect();
    let mut text = table(&["column", "kind", "encoded as"], &rows, &[]);
    if columns.len() > LISTED {
        text.push_str(&format!("\n  and {} more; --json lists all", columns.len() - LISTED));
    }
    text
}

/// What `--json` prints.
#[derive(Serialize)]
struct Contents<'a> {
    model: &'a ModelSummary,
    table: Option<&'a TableRecipe>,
}
