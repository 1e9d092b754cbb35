//! `sosrep tune`: the curve over bandwidths, as a table, a file and a picture.

use std::sync::Arc;

use arrow_array::{BooleanArray, Float64Array, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde::Serialize;
use sosrep::select::{CurvePoint, Selection};
use sosrep_report::{figure, number, standalone};

use super::{print_json, set_threads, terminal};
use crate::args::TuneArgs;
use crate::failure::Result;
use crate::outputs::{self, Target, create_table};
use crate::progress::Phases;
use crate::terminal::table;
use crate::training::{Keep, TrainingTable};
use crate::{interrupt, plan, report};

pub(super) fn tune(args: &TuneArgs) -> Result<()> {
    let files = [args.out.as_deref(), args.plot.as_deref()];
    let terminal = terminal(&args.run, files.iter().flatten().any(|path| outputs::is_dash(path)))?;
    set_threads(&args.run)?;
    outputs::check(&[&args.data], &files)?;
    let sink = args.out.as_deref().map(|path| create_table(path, &schema())).transpose()?;
    let mut plot = args.plot.as_deref().map(Target::create).transpose()?;

    let mut phases = Phases::new(terminal.quiet);
    let input = plan::input(&args.data);
    let params = plan::tune_params(args);
    let label = args.label.as_deref();
    let data = TrainingTable::read(&input, &args.table, label, &params, Keep::Sample, &mut phases)?;
    let params = data.params(params);
    let selection =
        params.tune_monitored(data.rows.points(data.width())?, None, &mut phases.monitor())?;
    phases.clear();
    interrupt::check()?;

    if let Some(plot) = &mut plot {
        plot.write(standalone(&figure::bandwidth_curve(&report::curve(&selection))).as_bytes())?;
    }
    let curve = batch(&selection)?;
    outputs::commit(sink.map(|sink| (sink, curve)), plot.into_iter().collect())?;
    if args.run.json {
        return print_json(&Summary::new(&selection));
    }
    terminal.show(&curve_table(&selection))?;
    terminal.show(&format!("  bandwidth  {}", number(selection.bandwidth)))
}

/// The curve with a mark at the choice.
fn curve_table(selection: &Selection) -> String {
    let line = |point: &CurvePoint| {
        let chosen = point.bandwidth == selection.bandwidth;
        vec![
            number(point.bandwidth),
            number(point.value),
            point.iterations.to_string(),
            format!("{:.1e}", point.residual),
            if chosen { "← chosen" } else { "" }.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = selection.curve.iter().map(line).collect();
    let header = ["bandwidth", report::criterion(selection), "iterations", "residual", ""];
    table(&header, &rows, &[0, 1, 2, 3])
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("bandwidth", DataType::Float64, false),
        Field::new("value", DataType::Float64, true),
        Field::new("iterations", DataType::UInt64, false),
        Field::new("residual", DataType::Float64, true),
        Field::new("chosen", DataType::Boolean, false),
    ]))
}

fn batch(selection: &Selection) -> Result<RecordBatch> {
    let curve = &selection.curve;
    let numbers = |value: fn(&CurvePoint) -> f64| {
        Arc::new(curve.iter().map(|point| Some(value(point))).collect::<Float64Array>())
    };
    let chosen = curve.iter().map(|point| Some(point.bandwidth == selection.bandwidth));
    let columns: Vec<arrow_array::ArrayRef> = vec![
        numbers(|point| point.bandwidth),
        numbers(|point| point.value),
        Arc::new(curve.iter().map(|point| Some(point.iterations as u64)).collect::<UInt64Array>()),
        numbers(|point| point.residual),
        Arc::new(chosen.collect::<BooleanArray>()),
    ];
    Ok(RecordBatch::try_new(schema(), columns)?)
}

/// What `--json` prints; numbers that are not finite become null.
#[derive(Serialize)]
struct Summary<'a> {
    bandwidth: f64,
    criterion: &'static str,
    curve: &'a [CurvePoint],
}

impl<'a> Summary<'a> {
    fn new(selection: &'a Selection) -> Self {
        Self {
            bandwidth: selection.bandwidth,
            criterion: report::criterion(selection),
            curve: &selection.curve,
        }
    }
}
