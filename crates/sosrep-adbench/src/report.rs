//! The report about some runs: one page, the same as Markdown, its figures and its tables as files.
//!
//! Everything is computed from the runs, and equal runs give equal bytes. A caption says how many
//! seeds stand behind its figure, and a result that is missing is told with its reason. The numbers
//! of every figure are a table of the same name, at full precision.

mod absent;
mod chapter;
mod claims;
mod duplicates;
mod groups;
mod heat;
mod kernels;
mod main_board;
mod readme;
mod scores;
mod sheet;
mod times;

use std::fs;
use std::io;
use std::path::Path;

use sosrep_report::article::{Article, Section, Table, article};
use sosrep_report::standalone;
use sosrep_table::write_atomically;

use crate::error::Result;
use crate::experiment::Account;
use crate::published::{Evidence, NegativeShares};
use crate::run::Run;
use chapter::Chapter;
use main_board::MainBoard;

pub use readme::{readme_table, with_block};

/// What a report says beside the runs.
#[derive(Debug, Clone, Default)]
pub struct ReportExtras {
    /// What was run: the command, versions, the machine; a line each.
    pub set_up: Vec<String>,
    /// The data sets of ADBench that are not at hand.
    pub missing: Vec<String>,
    /// Experiments that are not about runs, to stand after those that are.
    pub experiments: Vec<Account>,
    /// The experiment on gradients, empty if it was not run.
    pub gradients: Vec<NegativeShares>,
}

/// A figure of the report.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The name of its file, without the ending.
    pub name: String,
    /// The figure, as it stands on the page.
    pub svg: String,
}

/// A table of the report, or the numbers of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedTable {
    /// The name of its file, without the ending.
    pub name: String,
    /// The numbers, at full precision.
    pub table: Table,
}

/// A report.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// As Markdown, with links to the figures.
    pub markdown: String,
    /// As one page.
    pub html: String,
    /// The figures.
    pub figures: Vec<Figure>,
    /// The tables.
    pub tables: Vec<NamedTable>,
}

/// Reports about runs.
pub fn report(runs: &[Run], extras: ReportExtras) -> Report {
    let board = MainBoard::new(runs);
    let chapters = chapters(&board, &extras);
    let title = "SOSREP on ADBench".to_string();
    let lead = scores::lead(&board);
    let markdown = chapter::markdown(&title, &lead, &chapters);
    let figures = chapters.iter().flat_map(Chapter::figures).collect();
    let tables = chapters.iter().flat_map(Chapter::tables).collect();
    let sections = chapters.into_iter().map(Section::from).collect();
    let html = article(&Article { title, lead, sections });
    Report { markdown, html, figures, tables }
}

/// All chapters that have something to tell.
fn chapters(board: &MainBoard<'_>, extras: &ReportExtras) -> Vec<Chapter> {
    let evidence = Evidence { runs: board.runs, gradients: &extras.gradients };
    let measured = [
        Some(scores::set_up(board, extras)),
        Some(claims::chapter(&evidence)),
        scores::chapter(board),
        scores::ranks(board),
        heat::chapter(board),
        duplicates::chapter(board.runs),
        kernels::chapter(board.runs),
        times::chapter(board),
        groups::data_sets(board),
        groups::seeds(board),
        groups::authors(board.runs),
    ];
    let experiments = extras.experiments.iter().map(chapter::of_account);
    let end = [absent::chapter(board)];
    measured.into_iter().flatten().chain(experiments).chain(end.into_iter().flatten()).collect()
}

impl Report {
    /// Writes `report.md`, `report.html`, `figures/*.svg` and `tables/*.csv` into a folder, which
    /// is made if needed; each file whole or not at all.
    ///
    /// # Errors
    /// [`sosrep_table::Error`] for a file or folder that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let (figures, tables) = (folder.join("figures"), folder.join("tables"));
        for folder in [&figures, &tables] {
            fs::create_dir_all(folder).map_err(|source| unwritten(folder, source))?;
        }
        for Figure { name, svg } in &self.figures {
            let path = figures.join(format!("{name}.svg"));
            write_atomically(path, standalone(svg).as_bytes())?;
        }
        for NamedTable { name, table } in &self.tables {
            let path = tables.join(format!("{name}.csv"));
            let bytes = comma_separated(table).map_err(|source| unwritten(&path, source))?;
            write_atomically(path, &bytes)?;
        }
        write_atomically(folder.join("report.md"), self.markdown.as_bytes())?;
        Ok(write_atomically(folder.join("report.html"), self.html.as_bytes())?)
    }
}

fn unwritten(path: &Path, source: io::Error) -> sosrep_table::Error {
    sosrep_table::Error::Write { file: path.display().to_string(), source }
}

/// A table as the bytes of a CSV file.
fn comma_separated(table: &Table) -> io::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    writer.write_record(&table.header)?;
    for row in &table.rows {
        writer.write_record(row)?;
    }
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}

#[cfg(test)]
mod tests;
