//! `--judge`: rows of another table, made into features as those of the fit, that bandwidths are judged by.
//!
//! Rows that cannot be made into features are left out, and said so.

use std::path::Path;

use sosrep::{DetectorParams, Points};

use crate::args::{ModelAndTable, TableArgs};
use crate::failure::{Result, user};
use crate::progress::Phases;
use crate::scan::Scan;
use crate::training::TrainingTable;

/// The parameters of a fit to a table, judged by the rows of another one if there is one; and what
/// the reader must know of that.
pub(crate) fn params(
    params: DetectorParams,
    table: &TrainingTable,
    judge: Option<&Path>,
    args: &TableArgs,
    phases: &mut Phases,
) -> Result<(DetectorParams, Option<String>)> {
    let params = table.params(params);
    let Some(judge) = judge else { return Ok((params, None)) };
    let input = ModelAndTable {
        model: judge.to_path_buf(),
        data: judge.to_path_buf(),
        id: Vec::new(),
        ignore: Vec::new(),
        no_header: args.no_header,
    };
    let mut values = Vec::new();
    let scanned = Scan::open(&input, &table.recipe, None, &[])?.run(phases, |mut rows, _| {
        values.append(&mut rows.values);
        Ok(())
    })?;
    if values.is_empty() {
        let file = judge.display();
        return Err(user(format!("{file} (--judge) has no rows to judge by; give another table")));
    }
    let left_out = scanned.unscored;
    let note = (left_out > 0).then(|| format!("rows of --judge left out: {left_out}"));
    Ok((params.judged_by(Points::new(&values, table.width())?), note))
}
