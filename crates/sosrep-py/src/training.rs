//! A data frame to fit to: its encoding learnt, its rows encoded.
//!
//! What becomes of the columns is decided by all rows, and medians are learnt from those that the fit is
//! based on, all of a short table and a uniform sample of a long one, as by the command line: the
//! same table gives the same model.

use std::collections::HashMap;

use sosrep::DetectorParams;
use sosrep_table::{
    Batch, Choice, ColumnInfo, ColumnKind, EncodeOptions, Encoding, Missing, Survey, TableRecipe,
    from_arrow,
};

use crate::encode::{EncodedRows, FRAME, encode_batches};
use crate::failure::remedy;
use crate::table::GivenTable;

/// The rows, and how they were made.
pub(crate) struct TrainingRows {
    pub(crate) rows: EncodedRows,
    pub(crate) recipe: TableRecipe,
    /// What the caller may want to know.
    pub(crate) notes: Vec<String>,
}

impl TrainingRows {
    pub(crate) fn read(
        table: &GivenTable,
        params: &DetectorParams,
        options: &EncodeOptions,
    ) -> sosrep_table::Result<Self> {
        let (columns, batches) = cells(table, options)?;
        let mut survey = Survey::new(&columns, options);
        batches.iter().try_for_each(|batch| survey.add(FRAME, batch))?;
        let choice = survey.choose(FRAME)?;
        let sample = sampled(&batches, params, options.missing, columns.len());
        let encoding = Encoding::fit_sample(FRAME, &survey, &choice, &sample)?;
        let recipe = recipe(encoding, &columns, &choice);
        let rows = encode_batches(&recipe, &columns, &batches)?;
        let notes = choice.notes.iter().map(|note| note.sentence(remedy)).collect();
        Ok(Self { rows, recipe, notes })
    }
}

/// The recipe that the command line would store: the most telling identifier names the rows.
fn recipe(encoding: Encoding, columns: &[ColumnInfo], choice: &Choice) -> TableRecipe {
    let name = |&column: &usize| columns[column].name.clone();
    let ids: Vec<String> = choice.identifiers().first().map(name).into_iter().collect();
    let features = choice.features();
    let others = (0..columns.len()).filter(|column| !features.contains(column));
    let ignored = others.map(|column| name(&column)).filter(|name| !ids.contains(name)).collect();
    TableRecipe { ids, ignored, ..TableRecipe::new(encoding) }
}

/// The rows in the form that encodings take.
fn cells(
    table: &GivenTable,
    options: &EncodeOptions,
) -> sosrep_table::Result<(Vec<ColumnInfo>, Vec<Batch>)> {
    let categories = table.numbered_categories.iter();
    let mut kinds: HashMap<_, _> =
        categories.map(|name| (name.clone(), ColumnKind::Text)).collect();
    kinds.extend(options.kinds());
    let (mut columns, mut batches, mut rows) = (Vec::new(), Vec::new(), 0);
    for batch in &table.batches {
        let (found, batch) = from_arrow(FRAME, batch, &kinds, rows)?;
        rows += batch.rows() as u64;
        columns = found;
        batches.push(batch);
    }
    Ok((columns, batches))
}

/// The rows that the encoding is learnt from.
fn sampled(
    batches: &[Batch],
    params: &DetectorParams,
    missing: Missing,
    columns: usize,
) -> Vec<Batch> {
    let usable = |batch: &Batch| match missing {
        Missing::Drop => batch.complete_rows(),
        _ => None,
    };
    let usable: Vec<Vec<usize>> = batches
        .iter()
        .map(|batch| usable(batch).unwrap_or_else(|| (0..batch.rows()).collect()))
        .collect();
    let mut sample = params.row_sample(columns);
    let total = usable.iter().map(Vec::len).sum::<usize>() as u64;
    (0..total).for_each(|place| {
        sample.offer(place);
    });
    let mut place = 0..total;
    let mut kept = Vec::new();
    for (batch, usable) in batches.iter().zip(usable) {
        let rows: Vec<usize> = usable
            .into_iter()
            .zip(&mut place)
            .filter(|(_, place)| sample.keeps(*place))
            .map(|(row, _)| row)
            .collect();
        kept.push(if rows.len() == batch.rows() { batch.clone() } else { take(batch, &rows) });
    }
    kept
}

fn take(batch: &Batch, rows: &[usize]) -> Batch {
    batch.take(rows).expect("the rows are those of the batch")
}
