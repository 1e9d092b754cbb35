//! A table put to a saved model: read in portions, in constant memory.

use sosrep_table::{TableRecipe, UnseenValues};

use crate::args::ModelAndTable;
use crate::failure::{Failure, Result};
use crate::plan;
use crate::progress::Phases;
use crate::reader::{self, Reader};
use crate::rows::{Parts, Rows, find, find_all, read_options};

/// What was met on the way.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// Rows in the file.
    pub(crate) rows_read: u64,
    /// Rows left out for missing values.
    pub(crate) dropped: u64,
    /// Texts that were not in the training table.
    pub(crate) unseen: UnseenValues,
}

impl Scanned {
    /// What the user must know, in sentences.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.dropped > 0 {
            notes.push(format!("rows left out for missing values: {}", self.dropped));
        }
        notes.extend(self.unseen.remarks());
        notes
    }
}

/// Calls `each` with the rows of the table, portion by portion, in the order of the file.
pub(crate) fn scan(
    args: &ModelAndTable,
    recipe: &TableRecipe,
    label: Option<&str>,
    phases: &mut Phases,
    mut each: impl FnMut(Rows) -> Result<()>,
) -> Result<Scanned> {
    let encoding = &recipe.encoding;
    let id = args.id.as_deref();
    let options = read_options(
        !args.no_header,
        &[id.or(recipe.ids.first().map(String::as_str)), label],
        &encoding.input_columns(),
    );
    let mut source = reader::open(plan::input(&args.data), options)?;
    let file = source.name().to_string();
    let found = source.columns().to_vec();
    let named = |flag: &str, name: Option<&str>| {
        name.map(|name| find(&file, &found, flag, name)).transpose()
    };
    let dropped = find_all(&file, &found, "--ignore", &args.ignore)?;
    let remembered = recipe.ids.first().filter(|_| id.is_none());
    let remembered = remembered.and_then(|name| found.iter().position(|c| c.name == *name));
    // Columns that the training table had and the model does not use may be there, or not.
    let mut spare = recipe.spare_columns();
    spare.extend([id, label].into_iter().flatten());
    spare.extend(dropped.iter().map(|&j| found[j].name.as_str()));
    let parts = Parts {
        features: encoding.match_columns(&file, &found, &spare)?,
        id: named("--id", id)?.or(remembered),
        label: named("--label", label)?,
    };
    parts.check()?;
    source.project(&parts.projection());

    let mut scanned = Scanned::default();
    let mut reader = Reader::start(source);
    while let Some(portion) = reader.next()? {
        let (rows, unseen) = parts.split(&portion.batch)?.encode(&file, encoding)?;
        scanned.rows_read += portion.batch.rows() as u64;
        scanned.dropped += (portion.batch.rows() - rows.len()) as u64;
        scanned.unseen.add(unseen);
        if !phases.share("scoring", portion.share) {
            return Err(Failure::Interrupted);
        }
        if !rows.is_empty() {
            each(rows)?;
        }
    }
    Ok(scanned)
}
