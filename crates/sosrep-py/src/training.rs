//! A data frame to fit to: its encoding learnt, its rows encoded.
//!
//! What becomes of the columns is decided by all rows, and medians are learnt from those that the fit is
//! based on ([`TableSample`]), as by the command line: the same table gives the same model. Columns that are
//! to be ignored are not looked at, and rows that are left out for missing values take no place in
//! the sample.

use std::collections::HashMap;

use arrow_array::RecordBatch;
use sosrep::DetectorParams;
use sosrep_table::{
    Batch, ColumnInfo, ColumnKind, ColumnUse, EncodeOptions, EncodedSample, Error, FileProblem,
    Missing, Survey, TableRecipe, TableSample, big_integers, from_arrow,
};

use crate::encode::{EncodedRows, FRAME, columns_of, encode_batches};
use crate::failure::remedy;
use crate::table::GivenTable;

/// The rows, and how they were made.
pub(crate) struct TrainingRows {
    pub(crate) rows: EncodedRows,
    /// Those that a fit is based on.
    pub(crate) sample: EncodedSample,
    pub(crate) recipe: TableRecipe,
    /// What the caller may want to know.
    pub(crate) notes: Vec<String>,
}

impl TrainingRows {
    pub(crate) fn read(
        table: &GivenTable,
        weights: Option<&[f64]>,
        params: &DetectorParams,
        options: &EncodeOptions,
    ) -> sosrep_table::Result<Self> {
        let (columns, batches) = cells(table, options)?;
        let mut survey = Survey::new(&columns, options);
        batches.iter().try_for_each(|batch| survey.add(FRAME, batch))?;
        let choice = survey.choose(FRAME)?;
        let mut sample = TableSample::new(&survey, params.row_sample(columns.len()));
        offer(&mut sample, &batches, weights);
        while let Some(next) = sample.next_pass(sample.rows().size()) {
            sample = next;
            offer(&mut sample, &batches, weights);
        }
        let size = |width| params.row_sample(width).size();
        let sample = sample.encoded(FRAME, &survey, &choice, size)?;
        let usable = Usable::new(batches, options.missing);
        let recipe = TableRecipe::new(sample.encoding.clone());
        let recipe = recipe.of_table(&columns_of(table), &survey, &choice);
        let mut rows = encode_batches(&recipe, &columns, &usable.batches)?;
        rows.kept.iter_mut().for_each(|row| *row = usable.rows[*row]);
        rows.total = survey.rows as usize;
        let notes = choice.notes.iter().map(|note| note.sentence(remedy)).collect();
        Ok(Self { rows, sample, recipe, notes })
    }
}

/// Offers all rows, of which each weighs 1 if there are no weights.
fn offer(sample: &mut TableSample, batches: &[Batch], weights: Option<&[f64]>) {
    let mut before = 0;
    for batch in batches {
        let rows = before..before + batch.rows();
        before = rows.end;
        sample.add(batch, weights.map(|weights| &weights[rows]));
    }
}

/// The columns that may become features, in the form that encodings take.
pub(crate) fn cells(
    table: &GivenTable,
    options: &EncodeOptions,
) -> sosrep_table::Result<(Vec<ColumnInfo>, Vec<Batch>)> {
    let candidates = candidates(table, options)?;
    let wanted = |batch: &RecordBatch| {
        batch.project(&candidates).expect("the candidates are columns of the batch")
    };
    let given: Vec<RecordBatch> = table.batches.iter().map(wanted).collect();
    let kinds = kinds(table, &given, options);
    let (mut columns, mut batches, mut rows) = (Vec::new(), Vec::new(), 0);
    for batch in &given {
        let (found, batch) = from_arrow(FRAME, batch, &kinds, rows)?;
        rows += batch.rows() as u64;
        columns = found;
        batches.push(batch);
    }
    Ok((columns, batches))
}

/// The columns that are not to be ignored.
fn candidates(table: &GivenTable, options: &EncodeOptions) -> sosrep_table::Result<Vec<usize>> {
    let ignored = |name: &String| options.columns.get(name) == Some(&ColumnUse::Ignore);
    let places = 0..table.names.len();
    let candidates: Vec<usize> = places.filter(|&place| !ignored(&table.names[place])).collect();
    if candidates.is_empty() {
        let problem = FileProblem::NoFeature { left_out: table.names.clone(), way_back: None };
        return Err(Error::File { file: FRAME.to_string(), problem });
    }
    Ok(candidates)
}

/// The kinds that columns are read as, where these are not the kinds of their types. What the caller says
/// of a column comes first.
fn kinds(
    table: &GivenTable,
    batches: &[RecordBatch],
    options: &EncodeOptions,
) -> HashMap<String, ColumnKind> {
    let mut kinds: HashMap<_, _> = batches.iter().flat_map(big_integers).collect();
    let categories = table.numbered_categories.iter();
    kinds.extend(categories.map(|name| (name.clone(), ColumnKind::Text)));
    kinds.extend(options.kinds());
    kinds
}

/// The rows that a fit can be based on.
struct Usable {
    batches: Vec<Batch>,
    /// Their places in the table.
    rows: Vec<usize>,
}

impl Usable {
    /// All rows, or those without a missing value.
    fn new(batches: Vec<Batch>, missing: Missing) -> Self {
        let mut usable = Self { batches: Vec::new(), rows: Vec::new() };
        let mut before = 0;
        for batch in batches {
            let count = batch.rows();
            let complete = batch.complete_rows().filter(|_| missing == Missing::Drop);
            let (batch, rows) = match complete {
                Some(rows) => (take(&batch, &rows), rows),
                None => (batch, (0..count).collect()),
            };
            usable.rows.extend(rows.into_iter().map(|row| before + row));
            usable.batches.push(batch);
            before += count;
        }
        usable
    }
}

fn take(batch: &Batch, rows: &[usize]) -> Batch {
    batch.take(rows).expect("the rows are those of the batch")
}
