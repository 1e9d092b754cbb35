//! A table put to a saved model: read in portions, in constant memory.

use sosrep_report::count;
use sosrep_scoring::{Parts, Rows, Unscored, read_options};
use sosrep_table::{ColumnInfo, Source, TableRecipe, UnseenValues};

use crate::args::ModelAndTable;
use crate::columns::{check_parts, find, find_all, find_kept};
use crate::failure::{Failure, Result};
use crate::progress::Phases;
use crate::reader::{self, Reader};
use crate::{plan, remedy};

/// What was met on the way.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// What was decided about the names of columns.
    header_notes: Vec<String>,
    /// Rows in the file.
    pub(crate) rows_read: u64,
    /// Rows that cannot be scored.
    pub(crate) unscored: u64,
    /// Texts that were not in the training table.
    pub(crate) unseen: UnseenValues,
}

impl Scanned {
    /// What the user must know, in sentences.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = self.header_notes.clone();
        notes.extend(unscored_note(self.unscored));
        notes.extend(self.unseen.remarks());
        notes
    }
}

/// What is said of rows without a score.
pub(crate) fn unscored_note(rows: u64) -> Option<String> {
    let words = "their lines have no score, and say why in the column \"unscored\"";
    (rows > 0).then(|| format!("rows that cannot be scored: {}; {words}", count(rows as usize)))
}

/// A table that was opened.
pub(crate) struct Scan<'a> {
    file: String,
    source: Box<dyn Source>,
    parts: Parts,
    recipe: &'a TableRecipe,
    /// Names of the id columns: those of the fit if the table has none of them.
    pub(crate) ids: Vec<String>,
    /// The columns that are kept.
    pub(crate) kept: Vec<ColumnInfo>,
}

impl<'a> Scan<'a> {
    /// Opens the table and finds its columns.
    pub(crate) fn open(
        args: &ModelAndTable,
        recipe: &'a TableRecipe,
        label: Option<&str>,
        keep: &[String],
    ) -> Result<Self> {
        let encoding = &recipe.encoding;
        let texts = args.id.iter().chain(&recipe.ids).map(String::as_str).chain(label);
        let options = read_options(!args.no_header, texts, &encoding.input_columns());
        let mut source = reader::open(plan::input(&args.data), options)?;
        let file = source.name().to_string();
        let found = source.columns().to_vec();
        let dropped = find_all(&file, &found, "--ignore", &args.ignore)?;
        let ids = if args.id.is_empty() {
            let place = |name: &String| found.iter().position(|column| column.name == *name);
            recipe.ids.iter().filter_map(place).collect()
        } else {
            find_all(&file, &found, "--id", &args.id)?
        };
        let kept = find_kept(&file, &found, keep)?;
        let label = label.map(|name| find(&file, &found, "--label", name)).transpose()?;
        let parts = Parts { ids, label, kept, ..Parts::default() };
        let parts = parts.of_model(recipe, &file, &found, &dropped)?;
        check_parts(&parts)?;
        source.project(&parts.projection());
        let ids = match parts.ids[..] {
            [] => recipe.ids.clone(),
            _ => parts.ids.iter().map(|&j| found[j].name.clone()).collect(),
        };
        let kept = source.carry(&parts.kept);
        Ok(Self { file, source, parts, recipe, ids, kept })
    }

    /// Calls `each` with the rows of the table, portion by portion, in the order of the file: those
    /// that can be scored, and those that cannot.
    pub(crate) fn run(
        self,
        phases: &mut Phases,
        mut each: impl FnMut(Rows, Unscored) -> Result<()>,
    ) -> Result<Scanned> {
        let header_notes = remedy::header_notes(&*self.source);
        let mut scanned = Scanned { header_notes, ..Scanned::default() };
        let mut reader = Reader::start(self.source);
        while let Some(portion) = reader.next()? {
            let split = self.parts.split(&portion.batch)?;
            let (rows, unscored, unseen) = split.encode(&self.file, &self.recipe.encoding)?;
            scanned.rows_read += portion.batch.rows() as u64;
            scanned.unscored += unscored.len() as u64;
            scanned.unseen.add(unseen);
            if !phases.share("scoring", portion.share) {
                return Err(Failure::Interrupted);
            }
            each(rows, unscored)?;
        }
        Ok(scanned)
    }
}
