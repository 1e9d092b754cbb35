//! `sosrep adbench report`: tables, figures and a page from a folder.

use std::fs;
use std::path::Path;

use sosrep_adbench::RunFolder;
use sosrep_adbench::report::{readme_table, with_block};
use sosrep_table::write_atomically;

use crate::args::adbench::ReportCommand;
use crate::failure::{Result, user};
use crate::terminal::Terminal;

/// The name of the block in a text that the main table is put into.
const BLOCK: &str = "adbench";

pub(super) fn report(args: &ReportCommand) -> Result<()> {
    let folder = RunFolder::existing(&args.folder);
    let runs = folder.runs()?;
    if runs.is_empty() {
        let place = args.folder.display();
        return Err(user(format!(
            "there are no runs in {place}; make some with sosrep adbench all"
        )));
    }
    write(&folder, &args.folder, args.quiet)?;
    match &args.readme {
        None => Ok(()),
        Some(file) => update(file, &readme_table(&runs), args.quiet),
    }
}

/// Writes the report of a folder and says where it is.
pub(super) fn write(folder: &RunFolder, path: &Path, quiet: bool) -> Result<()> {
    let report = folder.report()?;
    folder.write(&report)?;
    let terminal = Terminal { quiet, to_stderr: false };
    terminal.remark(&format!(
        "{}: {} figures, {} tables",
        path.join("report.html").display(),
        report.figures.len(),
        report.tables.len()
    ));
    Ok(())
}

/// Puts the main table into a text.
fn update(file: &Path, table: &str, quiet: bool) -> Result<()> {
    let shown = file.display();
    let text = fs::read_to_string(file).map_err(|error| user(format!("{shown}: {error}")))?;
    let text = with_block(&text, BLOCK, table).ok_or_else(|| {
        user(format!(
            "{shown} has no place for the table; write the lines <!-- {BLOCK}: generated --> and \
             <!-- end of {BLOCK} --> where it belongs"
        ))
    })?;
    write_atomically(file, text.as_bytes())?;
    Terminal { quiet, to_stderr: false }.remark(&format!("{shown}: the table is up to date"));
    Ok(())
}
