//! `sosrep score`: a table of any length, in constant memory; with `--fdr` a p-value a row.

use std::time::Instant;

use serde::Serialize;
use sosrep::detector::largest_discovery;
use sosrep_report::{count, percent};
use sosrep_scoring::{ResultColumns, ScoreColumns};

use super::{print_json, seconds, set_threads, terminal};
use crate::args::ScoreArgs;
use crate::failure::{Result, user};
use crate::labels::{Labels, Quality};
use crate::outputs::{self, open_table};
use crate::progress::Phases;
use crate::scan::{Scan, Scanned};
use crate::terminal::facts;
use crate::{interrupt, model};

pub(super) fn score(args: &ScoreArgs) -> Result<()> {
    let started = Instant::now();
    let terminal = terminal(&args.run, outputs::is_dash(&args.out))?;
    set_threads(args.run.threads)?;
    outputs::check(&[&args.input.model, &args.input.data], &[Some(&args.out)])?;
    if let Some(rate) = args.fdr {
        check_rate(args, rate)?;
    }
    let model = model::load(&args.input.model)?;
    let label = args.label.label.as_deref();
    let opened = open_table(&args.out, args.results.format, &args.run)?;
    let scan = Scan::open(&args.input, &model.recipe, label, &args.results.keep)?;
    let scores = ScoreColumns { rank: false, reasons: args.reasons };
    let columns = ResultColumns::new(&scan.ids, label.is_some(), scores.fields(), &scan.kept);
    let mut sink = opened.start(columns.schema())?;

    let mut phases = Phases::new(terminal.quiet);
    let largest = args.fdr.map(|rate| largest_p_value(args, rate, &mut phases)).transpose()?;
    let (mut scored, mut flagged) = (0, 0);
    // Kept only where they are needed: known labels and the scores beside them.
    let mut labelled: (Vec<Option<String>>, Vec<f64>) = Default::default();
    let scanned = scan.run(&mut phases, |rows, unscored| {
        let mut found = model.assess(&rows)?;
        if let Some(largest) = largest {
            found.is_anomaly = found.p_values.iter().map(|p| *p <= largest).collect();
        }
        scored += rows.len();
        flagged += found.anomalies();
        let words = match args.reasons {
            true => model.words(&rows, &found, &mut |_| !interrupt::asked())?,
            false => vec![None; rows.len()],
        };
        let arrays = scores.arrays(&found, &[], words);
        sink.write(&columns.batch(&rows.names, arrays, &unscored)?)?;
        if let Some(labels) = rows.names.labels {
            labelled.0.extend(labels);
            labelled.1.extend(&found.scores);
        }
        Ok(())
    })?;
    phases.clear();
    interrupt::check()?;
    let value = args.label.label_value.as_deref();
    sink.finish()?;
    // The scores are there: what is wrong with the labels does not take them away.
    let labels = label.map(|column| Labels::read(column, &labelled.0, value));
    let mut notes = scanned.notes();
    let quality = match labels {
        None => None,
        Some(Err(failure)) => {
            notes.push(format!("no AUC-ROC and AP: {failure}"));
            None
        }
        Some(Ok(labels)) => {
            let quality = labels.quality(&labelled.1);
            if quality.is_none() {
                notes.push("no AUC-ROC and AP: all labelled rows are of one class".to_string());
            }
            quality
        }
    };

    let summary = Summary {
        rows: scored,
        rows_unscored: scanned.unscored,
        unseen_cells: scanned.unseen.cells(),
        flagged,
        quality,
        threshold: model.detector.threshold(),
        seconds: started.elapsed().as_secs_f64(),
        notes,
    };
    if args.run.json { print_json(&summary) } else { summary.show(args, terminal, &scanned) }
}

/// An error for a rate outside its domain, and for a table that cannot be read twice.
fn check_rate(args: &ScoreArgs, rate: f64) -> Result<()> {
    largest_discovery(&[], rate)?;
    if outputs::is_dash(&args.input.data) {
        let problem = "--fdr reads the table twice, which standard input does not allow";
        return Err(user(format!("{problem}; give a file")));
    }
    Ok(())
}

/// The largest p-value that is flagged at a false-discovery rate, from all rows of the table.
fn largest_p_value(args: &ScoreArgs, rate: f64, phases: &mut Phases) -> Result<f64> {
    let model = model::load(&args.input.model)?;
    let scan = Scan::open(&args.input, &model.recipe, args.label.label.as_deref(), &[])?;
    let mut p_values = Vec::new();
    scan.run(phases, |rows, _| {
        p_values.extend(model.assess(&rows)?.p_values);
        Ok(())
    })?;
    Ok(largest_discovery(&p_values, rate)?)
}

/// What was done.
#[derive(Serialize)]
struct Summary {
    rows: usize,
    rows_unscored: u64,
    unseen_cells: u64,
    flagged: usize,
    #[serde(flatten)]
    quality: Option<Quality>,
    threshold: f64,
    seconds: f64,
    notes: Vec<String>,
}

impl Summary {
    fn show(
        &self,
        args: &ScoreArgs,
        terminal: crate::terminal::Terminal,
        scanned: &Scanned,
    ) -> Result<()> {
        let share = self.flagged as f64 / self.rows.max(1) as f64;
        let mut rows = vec![
            ("rows", count(self.rows)),
            ("unscored", count(self.rows_unscored as usize)),
            ("flagged", format!("{} ({})", count(self.flagged), percent(share))),
        ];
        rows.retain(|(name, _)| *name != "unscored" || self.rows_unscored > 0);
        if let Some(quality) = self.quality {
            rows.push(("AUC-ROC", format!("{:.4}", quality.auc_roc)));
            rows.push(("AP", format!("{:.4}", quality.average_precision)));
        }
        let speed = count((scanned.rows_read as f64 / self.seconds.max(1e-9)) as usize);
        rows.push(("time", format!("{}, {speed} rows/s", seconds(self.seconds))));
        if !outputs::is_dash(&args.out) {
            rows.push(("scores", args.out.display().to_string()));
        }
        terminal.show(&facts(&rows))?;
        self.notes.iter().for_each(|note| terminal.remark(&format!("note: {note}")));
        Ok(())
    }
}
