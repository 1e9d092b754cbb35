//! `sosrep detect`: fit, score, explain, report.

use std::time::Instant;

use serde::Serialize;
use sosrep::Detector;
use sosrep::detector::Assessment;
use sosrep_report::{count, number, percent};
use sosrep_scoring::{Model, Reason, Reasons, ResultColumns, ScoreColumns, reasons};
use sosrep_table::Input;
use sosrep_table::sink::Opened;

use super::summary::FitSummary;
use super::{print_json, seconds, set_threads, terminal};
use crate::args::DetectArgs;
use crate::failure::Result;
use crate::labels::{Labels, Quality};
use crate::outputs::{self, Target, Written, open_table};
use crate::progress::Phases;
use crate::remedy::shell_word;
use crate::terminal::{Terminal, facts, table};
use crate::training::{Keep, TrainingTable};
use crate::{example, interrupt, judge, plan, report};

/// Most rows explained for a table of results: each costs as much as scoring thousands.
const EXPLAINED: usize = 1000;

/// Everything that was found.
pub(crate) struct Findings {
    pub(crate) table: TrainingTable,
    pub(crate) attribution: Option<&'static str>,
    pub(crate) detector: Detector,
    pub(crate) threshold_rule: String,
    /// Of the rows of the table, each scored without its own contribution.
    pub(crate) assessment: Assessment,
    /// Rows by their score, the highest first.
    pub(crate) order: Vec<usize>,
    /// Reasons of the first rows in that order.
    pub(crate) reasons: Vec<Reasons>,
    /// Rows shown.
    pub(crate) top: usize,
    pub(crate) labels: Option<Labels>,
    pub(crate) quality: Option<Quality>,
    pub(crate) notes: Vec<String>,
    pub(crate) command: String,
    pub(crate) seconds: f64,
}

pub(super) fn detect(args: &DetectArgs) -> Result<()> {
    let started = Instant::now();
    let terminal =
        terminal(&args.run, outputs(args).iter().flatten().any(|p| outputs::is_dash(p)))?;
    set_threads(args.run.threads)?;
    let destinations = Destinations::open(args)?;
    if args.data.is_none() {
        terminal.remark(example::ATTRIBUTION);
    }
    let mut found = find(args, terminal)?;
    found.seconds = started.elapsed().as_secs_f64();
    interrupt::check()?;
    destinations.write(&found)?;
    if args.run.json {
        return print_json(&Summary::new(&found));
    }
    show(&found, args, terminal)
}

fn outputs(args: &DetectArgs) -> [Option<&std::path::Path>; 3] {
    [args.out.as_deref(), args.model.as_deref(), args.report.as_deref()]
}

/// Files that are ready to be written, opened before the work.
struct Destinations {
    table: Option<Opened>,
    model: Option<Target>,
    report: Option<Target>,
}

impl Destinations {
    fn open(args: &DetectArgs) -> Result<Self> {
        let input: Vec<&std::path::Path> =
            args.data.iter().chain(&args.fit.judge).map(AsRef::as_ref).collect();
        outputs::check(&input, &outputs(args))?;
        let format = args.results.format;
        Ok(Self {
            table: args
                .out
                .as_deref()
                .map(|path| open_table(path, format, &args.run))
                .transpose()?,
            model: args.model.as_deref().map(Target::create).transpose()?,
            report: args.report.as_deref().map(Target::create).transpose()?,
        })
    }

    /// Writes everything before anything gets its name.
    fn write(mut self, found: &Findings) -> Result<()> {
        if let Some(target) = &mut self.model {
            target.write(&found.detector.to_bytes()?)?;
        }
        if let Some(target) = &mut self.report {
            target.write(sosrep_report::page(&report::report(found)?).as_bytes())?;
        }
        let files = self.model.into_iter().chain(self.report).collect();
        outputs::commit(self.table.map(|opened| found.results(opened)).transpose()?, files)
    }
}

fn label(args: &DetectArgs) -> Option<&str> {
    let of_example = args.data.is_none().then_some(example::LABEL);
    args.label.label.as_deref().or(of_example)
}

fn find(args: &DetectArgs, terminal: Terminal) -> Result<Findings> {
    let mut phases = Phases::new(terminal.quiet);
    let input: Input = args.data.as_deref().map_or_else(example::input, plan::input);
    let params = plan::detector_params(&args.fit);
    let (label, keep) = (label(args), &args.results.keep);
    let table =
        TrainingTable::read(&input, &args.table, label, keep, &params, Keep::All, &mut phases)?;
    let points = table.rows.points(table.width())?;
    let judge = args.fit.judge.as_deref();
    let (params, judged) = judge::params(params, &table, judge, &args.table, &mut phases)?;
    let labels = match (label, &table.rows.names.labels) {
        (Some(column), Some(cells)) => {
            Some(Labels::read(column, cells, args.label.label_value.as_deref())?)
        }
        _ => None,
    };
    let sample = table.sample()?;
    let detector = params.fit_assessing(&sample, points, None, &mut phases.monitor())?;
    let detector = Model::new(detector, table.recipe.clone())?.detector;
    let assessment = detector.training().cloned().unwrap_or_default();
    let order = assessment.ranking();
    let written = args.out.is_some() || args.report.is_some();
    let wanted = if written { assessment.anomalies().min(EXPLAINED) } else { 0 };
    let explained = &order[..order.len().min(wanted.max(args.top))];
    let reasons = reasons::explain(
        &detector,
        &table.recipe,
        &table.rows,
        explained,
        &mut phases.explaining(explained.len()),
    )?;
    phases.clear();
    let unexplained = written && wanted < assessment.anomalies();
    Ok(Findings {
        notes: notes(&table, &detector, &assessment, labels.as_ref(), unexplained)
            .into_iter()
            .chain(judged)
            .collect(),
        quality: labels.as_ref().and_then(|labels| labels.quality(&assessment.scores)),
        attribution: args.data.is_none().then_some(example::ATTRIBUTION),
        threshold_rule: args.fit.contamination.in_words(detector.report().estimated_share),
        top: args.top.min(order.len()),
        command: command_line(),
        seconds: 0.0,
        table,
        detector,
        assessment,
        order,
        reasons,
        labels,
    })
}

impl Findings {
    /// Every row of the table, and where it goes.
    fn results(&self, opened: Opened) -> Result<Written> {
        let TrainingTable { rows, unscored, kept, recipe, .. } = &self.table;
        let scores = ScoreColumns { rank: true, reasons: true };
        let labelled = self.labels.is_some();
        let columns = ResultColumns::new(&recipe.ids, labelled, scores.fields(), kept);
        let arrays = scores.arrays(&self.assessment, &self.order, self.words());
        let table = columns.batch(&rows.names, arrays, unscored)?;
        Ok((opened.start(columns.schema())?, table))
    }

    /// The reasons in words, for the rows that were explained.
    fn words(&self) -> Vec<Option<String>> {
        let mut words = vec![None; self.assessment.len()];
        for (&row, reasons) in self.order.iter().zip(&self.reasons) {
            words[row] = Some(reasons.words());
        }
        words
    }
}

/// What was typed, as it can be typed again.
fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| shell_word(&word.to_string_lossy()));
    std::iter::once("sosrep".to_string()).chain(words).collect::<Vec<_>>().join(" ")
}

/// What the reader must know.
fn notes(
    table: &TrainingTable,
    detector: &Detector,
    assessment: &Assessment,
    labels: Option<&Labels>,
    some_unexplained: bool,
) -> Vec<String> {
    let mut notes = super::fit::notes(table, detector);
    // Rows that are equal score alike anyway.
    let mostly_distinct = 2 * detector.report().distinct_rows > detector.report().rows;
    if mostly_distinct && mostly_tied(&assessment.scores) {
        notes.push(format!(
            "most rows have the same score: the bandwidth {} is too small for a row to see its \
             neighbours; try a larger one",
            number(detector.report().bandwidth)
        ));
    }
    if let Some(labels) = labels {
        notes.push(format!("a label of \"{}\" counts as an anomaly", labels.anomaly));
        let unlabelled = labels.known.iter().filter(|known| known.is_none()).count();
        if unlabelled > 0 {
            let rows = count(unlabelled);
            notes.push(format!("rows without a label, not counted in AUC-ROC and AP: {rows}"));
        }
    }
    if some_unexplained {
        notes.push(format!("reasons are given for the {EXPLAINED} most anomalous rows only"));
    }
    notes
}

/// Whether more than half of the rows score alike: the density has no neighbours for them.
fn mostly_tied(scores: &[f64]) -> bool {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    n > 2 && (0..n / 2).any(|i| sorted[i + n / 2] - sorted[i] < 1e-6)
}

/// The terminal's view.
fn show(found: &Findings, args: &DetectArgs, terminal: Terminal) -> Result<()> {
    if found.top > 0 {
        terminal.show(&top_table(found))?;
    }
    let mut rows = super::fit::facts_of(&found.table, &found.detector);
    let flagged = found.assessment.anomalies();
    let share = percent(flagged as f64 / found.table.rows.len() as f64);
    rows.push(("flagged", format!("{} rows ({share}), {}", count(flagged), found.threshold_rule)));
    if let Some(quality) = found.quality {
        rows.push(("AUC-ROC", format!("{:.4}", quality.auc_roc)));
        rows.push(("AP", format!("{:.4}", quality.average_precision)));
    }
    rows.push(("time", seconds(found.seconds)));
    for (name, path) in [("scores", &args.out), ("model", &args.model), ("report", &args.report)] {
        if let Some(path) = path {
            rows.push((name, path.display().to_string()));
        }
    }
    terminal.show(&facts(&rows))?;
    found.notes.iter().for_each(|note| terminal.remark(&format!("note: {note}")));
    Ok(())
}

fn top_table(found: &Findings) -> String {
    let known = |row: usize| match found.labels.as_ref().map(|labels| labels.known[row]) {
        Some(Some(true)) => "anomaly",
        Some(Some(false)) => "normal",
        _ => "",
    };
    let labelled = found.labels.is_some();
    let line = |(place, (&row, reasons)): (usize, (&usize, &Reasons))| {
        let mut cells = vec![
            (place + 1).to_string(),
            found.table.rows.names.name(row),
            number(found.assessment.scores[row]),
            number(found.assessment.p_values[row]),
            if found.assessment.is_anomaly[row] { "yes" } else { "no" }.to_string(),
        ];
        if labelled {
            cells.push(known(row).to_string());
        }
        cells.push(reasons.words());
        cells
    };
    let places = found.order.iter().take(found.top).zip(&found.reasons);
    let rows: Vec<Vec<String>> = places.enumerate().map(line).collect();
    let mut header = vec!["#", "row", "score", "p-value", "flagged"];
    if labelled {
        header.push("label");
    }
    header.push("because of");
    table(&header, &rows, &[0, 2, 3])
}

/// What `--json` prints.
#[derive(Serialize)]
struct Summary<'a> {
    #[serde(flatten)]
    fit: FitSummary<'a>,
    flagged: usize,
    #[serde(flatten)]
    quality: Option<Quality>,
    top: Vec<TopRow<'a>>,
}

#[derive(Serialize)]
struct TopRow<'a> {
    row: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    anomaly_score: f64,
    p_value: f64,
    is_anomaly: bool,
    reasons: Vec<&'a Reason>,
}

impl<'a> Summary<'a> {
    fn new(found: &'a Findings) -> Self {
        let rows = &found.table.rows.names;
        let top = |(&row, reasons): (&usize, &'a Reasons)| TopRow {
            row: rows.numbers[row],
            id: rows.id(row),
            anomaly_score: found.assessment.scores[row],
            p_value: found.assessment.p_values[row],
            is_anomaly: found.assessment.is_anomaly[row],
            reasons: reasons.against(5).collect(),
        };
        Self {
            fit: FitSummary::new(&found.table, &found.detector, &found.notes, found.seconds),
            flagged: found.assessment.anomalies(),
            quality: found.quality,
            top: found.order.iter().take(found.top).zip(&found.reasons).map(top).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_noticed_when_most_rows_share_them() {
        assert!(mostly_tied(&[1.0, 5.0, 1.0, 1.0, 9.0]));
        assert!(!mostly_tied(&[1.0, 5.0, 1.0, 2.0, 9.0, 3.0]));
        assert!(!mostly_tied(&[1.0]));
    }
}
