//! `sosrep density`: normalised log-densities in the units of the table.

use std::sync::Arc;

use arrow_array::{Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde::Serialize;
use sosrep::Detector;
use sosrep_report::{count, number};

use super::{print_json, set_threads, terminal};
use crate::args::DensityArgs;
use crate::failure::Result;
use crate::outputs::{self, create_table};
use crate::progress::Phases;
use crate::rows::{Rows, name_fields};
use crate::scan::scan;
use crate::terminal::facts;
use crate::{interrupt, model};

pub(super) fn density(args: &DensityArgs) -> Result<()> {
    let terminal = terminal(&args.run, outputs::is_dash(&args.out))?;
    set_threads(&args.run)?;
    outputs::check(&[&args.input.model, &args.input.data], &[Some(&args.out)])?;
    let (detector, recipe) = model::load(&args.input.model)?;
    // Kernels without a normaliser are found out before the table is read.
    detector.density().log_normalizer()?;
    let with_id = args.input.id.is_some() || !recipe.ids.is_empty();
    let mut sink = create_table(&args.out, &schema(with_id))?;

    let mut phases = Phases::new(terminal.quiet);
    let mut total = Totals::default();
    let scanned = scan(&args.input, &recipe, None, &mut phases, |rows| {
        let points = rows.points(recipe.encoding.width())?;
        let log_density = detector.log_density(points)?;
        total.add(&log_density);
        sink.write(&batch(&rows, log_density, with_id)?)?;
        Ok(())
    })?;
    phases.clear();
    interrupt::check()?;
    sink.finish()?;

    let mut notes = scanned.notes();
    notes.extend(caveat(&detector));
    let summary =
        Summary { rows: total.rows, mean_log_density: total.sum / total.rows.max(1) as f64, notes };
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

fn schema(with_id: bool) -> SchemaRef {
    let mut fields = name_fields(with_id);
    fields.push(Field::new("log_density", DataType::Float64, false));
    Arc::new(Schema::new(fields))
}

fn batch(rows: &Rows, log_density: Vec<f64>, with_id: bool) -> Result<RecordBatch> {
    let mut columns = rows.name_columns(with_id);
    columns.push(Arc::new(Float64Array::from(log_density)));
    Ok(RecordBatch::try_new(schema(with_id), columns)?)
}

/// What `--json` prints.
#[derive(Serialize)]
struct Summary {
    rows: usize,
    mean_log_density: f64,
    notes: Vec<String>,
}
