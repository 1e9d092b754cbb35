//! `sosrep tune`: the curve over bandwidths, as a table, a file and a picture.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{BooleanArray, Float64Array, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde::Serialize;
use sosrep::select::{CurvePoint, Selection};
use sosrep_report::{figure, number, percent, standalone};

use super::{print_json, set_threads, terminal};
use crate::args::TuneArgs;
use crate::failure::Result;
use crate::outputs::{self, Target, create_table};
use crate::progress::Phases;
use crate::terminal::{facts, table};
use crate::training::{Keep, TrainingTable};
use crate::{interrupt, judge, plan, report};

/// Rise of the curve on both sides of a clear minimum, as a share of its value there. The criterion is
/// a mean over held-out rows, and its error is seldom smaller.
const CLEAR: f64 = 0.01;

pub(super) fn tune(args: &TuneArgs) -> Result<()> {
    let files = [args.out.as_deref(), args.plot.as_deref()];
    let terminal = terminal(&args.run, files.iter().flatten().any(|path| outputs::is_dash(path)))?;
    set_threads(args.run.threads)?;
    let inputs: Vec<&Path> =
        [args.data.as_path()].into_iter().chain(args.judge.as_deref()).collect();
    outputs::check(&inputs, &files)?;
    let sink =
        args.out.as_deref().map(|path| create_table(path, &schema(), &args.run)).transpose()?;
    let mut plot = args.plot.as_deref().map(Target::create).transpose()?;

    let mut phases = Phases::new(terminal.quiet);
    let input = plan::input(&args.data);
    let params = plan::tune_params(args);
    let label = args.label.as_deref();
    let data =
        TrainingTable::read(&input, &args.table, label, &[], &params, Keep::Sample, &mut phases)?;
    let judge = args.judge.as_deref();
    let (params, judged) = judge::params(params, &data, judge, &args.table, &mut phases)?;
    let selection = params.tune_sample_monitored(&data.sample()?, &mut phases.monitor())?;
    phases.clear();
    interrupt::check()?;

    if let Some(plot) = &mut plot {
        plot.write(standalone(&figure::bandwidth_curve(&report::curve(&selection))).as_bytes())?;
    }
    let curve = batch(&selection)?;
    outputs::commit(sink.map(|sink| (sink, curve)), plot.into_iter().collect())?;
    let kernel = plan::tune_kernel(args).name();
    let notes: Vec<String> = doubt(&selection).into_iter().chain(judged).collect();
    if args.run.json {
        return print_json(&Summary::new(&selection, kernel, &notes));
    }
    terminal.show(&curve_table(&selection))?;
    let chosen = number(selection.bandwidth);
    terminal.show(&facts(&[("kernel", kernel.to_string()), ("bandwidth", chosen)]))?;
    notes.iter().for_each(|note| terminal.remark(&format!("note: {note}")));
    Ok(())
}

/// Why the choice is to be doubted: the curve has no clear minimum.
fn doubt(selection: &Selection) -> Option<String> {
    let place = |other: Option<&f64>| other.is_some_and(|end| *end == selection.bandwidth);
    let grid = &selection.options.grid;
    let chosen = number(selection.bandwidth);
    let end = match (place(grid.first()), place(grid.last())) {
        (true, _) => Some("smallest"),
        (_, true) => Some("largest"),
        _ => None,
    };
    if let Some(end) = end {
        return Some(format!(
            "the curve has no minimum inside the grid: {chosen} is the {end} bandwidth tried, and \
             says more about the grid than about the table"
        ));
    }
    let rise = least_rise(&selection.curve, selection.bandwidth)?;
    (rise < CLEAR).then(|| {
        format!(
            "the curve has no clear minimum: on one side of {chosen} it rises by {} of its value \
             there; other bandwidths may be as good",
            percent(rise)
        )
    })
}

/// How far the curve rises from its point at `bandwidth` on the side where it rises less, as a share
/// of its value there.
fn least_rise(curve: &[CurvePoint], bandwidth: f64) -> Option<f64> {
    let place = curve.iter().position(|point| point.bandwidth == bandwidth)?;
    let bottom = curve[place].value;
    let highest = |side: &[CurvePoint]| {
        side.iter().map(|point| point.value).filter(|v| !v.is_nan()).fold(bottom, f64::max)
    };
    let (left, right) = (highest(&curve[..place]), highest(&curve[place + 1..]));
    let rise = (left.min(right) - bottom) / bottom.abs();
    rise.is_finite().then_some(rise)
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
    kernel: &'static str,
    bandwidth: f64,
    criterion: &'static str,
    curve: &'a [CurvePoint],
    notes: &'a [String],
}

impl<'a> Summary<'a> {
    fn new(selection: &'a Selection, kernel: &'static str, notes: &'a [String]) -> Self {
        Self {
            kernel,
            notes,
            bandwidth: selection.bandwidth,
            criterion: report::criterion(selection),
            curve: &selection.curve,
        }
    }
}
