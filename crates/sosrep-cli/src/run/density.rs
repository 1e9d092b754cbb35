//! `sosrep density`: normalised log-densities in the units of the table.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array};
use arrow_schema::{DataType, Field};
use serde::Serialize;
use sosrep::Detector;
use sosrep_report::{count, number};
use sosrep_scoring::{Model, ResultColumns};

use super::{print_json, set_threads, terminal};
use crate::args::DensityArgs;
use crate::failure::Result;
use crate::outputs::{self, open_table};
use crate::progress::Phases;
use crate::scan::Scan;
use crate::terminal::facts;
use crate::{interrupt, model};

pub(super) fn density(args: &DensityArgs) -> Result<()> {
    let terminal = terminal(&args.run, outputs::is_dash(&args.out))?;
    set_threads(args.run.threads)?;
    outputs::check(&[&args.input.model, &args.input.data], &[Some(&args.out)])?;
    let Model { detector, recipe } = model::load(&args.input.model)?;
    // Kernels without a normaliser are found out before the table is read.
    detector.density().log_normalizer()?;
    let opened = open_table(&args.out, args.results.format, &args.run)?;
    let scan = Scan::open(&args.input, &recipe, None, &args.results.keep)?;
    let found = vec![Field::new("log_density", DataType::Float64, true)];
    let columns = ResultColumns::new(&scan.ids, false, found, &scan.kept);
    let mut sink = opened.start(columns.schema())?;

    let mut phases = Phases::new(terminal.quiet);
    let mut total = Totals::default();
    let scanned = scan.run(&mut phases, |rows, unscored| {
        let log_density = match rows.is_empty() {
            true => Vec::new(),
            false => detector.log_density(rows.points(recipe.encoding.width())?)?,
        };
        total.add(&log_density);
        let found: ArrayRef = Arc::new(Float64Array::from(log_density));
        sink.write(&columns.batch(&rows.names, vec![found], &unscored)?)?;
        Ok(())
    })?;
    phases.clear();
    interrupt::check()?;
    sink.finish()?;

    let mut notes = scanned.notes();
    notes.extend(caveat(&detector));
    let summary = Summary {
        rows: total.rows,
        rows_unscored: scanned.unscored,
        mean_log_density: total.sum / total.rows.max(1) as f64,
        notes,
    };
    if args.run.json {
        return print_json(&summary);
    }
    terminal.show(&facts(&[
        ("rows", count(summary.rows)),
        ("mean log-density", number(summary.mean_log_density)),
    ]))?;
    summary.notes.iter().for_each(|note| terminal.remark(&format!("note: {note}")));
    Ok(())
}

/// What the numbers are not.
fn caveat(detector: &Detector) -> Option<String> {
    let report = detector.report();
    (report.core_rows < report.fitted_rows).then(|| {
        format!(
            "the density is that of the densest {} of {} rows; fit with --trim 0 for one of all",
            count(report.core_rows),
            count(report.fitted_rows)
        )
    })
}

#[derive(Default)]
struct Totals {
    rows: usize,
    sum: f64,
}

impl Totals {
    fn add(&mut self, log_density: &[f64]) {
        self.rows += log_density.len();
        self.sum += log_density.iter().sum::<f64>();
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Summary {
    rows: usize,
    rows_unscored: u64,
    mean_log_density: f64,
    notes: Vec<String>,
}
