//! `sosrep fit`: a detector, saved.

use std::path::Path;
use std::time::Instant;

use sosrep::Detector;
use sosrep::solve::StopReason;
use sosrep_report::{count, number};
use sosrep_scoring::Model;

use super::method::Method;
use super::summary::FitSummary;
use super::{print_json, seconds, set_threads, terminal};
use crate::args::FitCommand;
use crate::failure::Result;
use crate::outputs::{self, Target};
use crate::progress::Phases;
use crate::terminal::facts;
use crate::training::{Keep, TrainingTable};
use crate::{interrupt, judge, plan};

pub(super) fn fit(args: &FitCommand) -> Result<()> {
    let started = Instant::now();
    let terminal = terminal(&args.run, outputs::is_dash(&args.model))?;
    set_threads(args.run.threads)?;
    let inputs: Vec<&Path> =
        [args.data.as_path()].into_iter().chain(args.fit.judge.as_deref()).collect();
    outputs::check(&inputs, &[Some(&args.model)])?;
    let mut target = Target::create(&args.model)?;

    let mut phases = Phases::new(terminal.quiet);
    let input = plan::input(&args.data);
    let params = plan::detector_params(&args.fit);
    let label = args.label.as_deref();
    let table =
        TrainingTable::read(&input, &args.table, label, &[], &params, Keep::Sample, &mut phases)?;
    let judge = args.fit.judge.as_deref();
    let (params, judged) = judge::params(params, &table, judge, &args.table, &mut phases)?;
    let detector = params.fit_sample_monitored(&table.sample()?, &mut phases.monitor())?;
    let detector = Model::new(detector, table.recipe.clone())?.detector;
    phases.clear();
    interrupt::check()?;
    target.write(&detector.to_bytes()?)?;
    outputs::commit(None, vec![target])?;

    let mut notes = notes(&table, &detector);
    notes.extend(judged);
    let elapsed = started.elapsed().as_secs_f64();
    if args.run.json {
        return print_json(&FitSummary::new(&table, &detector, &notes, elapsed));
    }
    let mut rows = facts_of(&table, &detector);
    rows.push(("time", seconds(elapsed)));
    rows.push(("model", args.model.display().to_string()));
    terminal.show(&facts(&rows))?;
    notes.iter().for_each(|note| terminal.remark(&format!("note: {note}")));
    Ok(())
}

/// The table and the fit in a few lines.
pub(super) fn facts_of(table: &TrainingTable, detector: &Detector) -> Vec<(&'static str, String)> {
    let report = detector.report();
    let mut rows = vec![("rows", count(table.usable))];
    let mut columns = table.kinds();
    if table.width() != table.columns.len() {
        columns = format!("{columns}: {} features", count(table.width()));
    }
    rows.push(("columns", columns));
    rows.push(("method", Method::of(detector).to_string()));
    rows.push(("kernel", report.kernel.name().to_string()));
    let chosen = if report.selection.is_some() { " (chosen from a curve)" } else { "" };
    rows.push(("bandwidth", format!("{}{chosen}", number(report.bandwidth))));
    if let Some(fit) = &report.fit {
        rows.push(("iterations", format!("{}, residual {:.1e}", fit.iterations, fit.residual)));
    }
    rows.push(("threshold", number(detector.threshold())));
    rows
}

/// What the reader must know of a fit.
pub(super) fn notes(table: &TrainingTable, detector: &Detector) -> Vec<String> {
    let report = detector.report();
    let mut notes = Vec::new();
    if table.dropped > 0 {
        notes.push(format!("rows left out for missing values: {}", count(table.dropped)));
    }
    if !table.not_read.is_empty() {
        notes.push(format!("columns not used: {}", table.not_read.join(", ")));
    }
    notes.extend(table.notes.iter().cloned());
    let columns = table.recipe.encoding.column_features();
    let constant: Vec<&str> =
        report.constant_columns.iter().map(|found| columns[found.index].name.as_str()).collect();
    if !constant.is_empty() {
        notes.push(format!("columns with a single value: {}", constant.join(", ")));
    }
    notes.extend(report.repeats.sentence());
    notes.extend(report.caution().map(String::from));
    if report.fit.as_ref().is_some_and(|fit| fit.stop != StopReason::Converged) {
        notes.push("the solver stopped before it converged; scores are approximate".to_string());
    }
    notes
}
