//! Which columns of a file play which part for a model, and its batches taken apart by that.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_select::take::take_record_batch;
use sosrep_table::{Batch, Choice, ColumnInfo, Encoding, ReadOptions, TableRecipe, Unseen};

use crate::error::Result;
use crate::rows::{Names, Rows, Unscored};

/// Which columns of a file play which part.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    /// The features, in the order of the encoding.
    pub features: Vec<usize>,
    /// The columns that name a row.
    pub ids: Vec<usize>,
    /// The column of known labels.
    pub label: Option<usize>,
    /// Columns carried into the table of results, whatever else they are.
    pub kept: Vec<usize>,
}

impl Parts {
    /// These parts with the columns that are the features of a model, wherever they stand. Columns that
    /// the training table had beside them may be there or not, and so may ids, labels and those `dropped`.
    ///
    /// # Errors
    /// All columns that are missing and all that are unknown.
    pub fn of_model(
        mut self,
        recipe: &TableRecipe,
        file: &str,
        found: &[ColumnInfo],
        dropped: &[usize],
    ) -> Result<Self> {
        let mut spare = recipe.spare_columns();
        let others = self.ids.iter().chain(&self.label).chain(dropped);
        spare.extend(others.map(|&j| found[j].name.as_str()));
        self.features = recipe.encoding.match_columns(file, found, &spare)?;
        Ok(self)
    }

    /// The columns to read: features, then ids, then label. Those that are kept are carried along.
    pub fn projection(&self) -> Vec<usize> {
        let mut columns = self.features.clone();
        columns.extend(self.ids.iter().chain(&self.label));
        columns
    }

    /// A batch of that projection, taken apart.
    ///
    /// # Errors
    /// A batch of another projection.
    pub fn split(&self, batch: &Batch) -> Result<Split> {
        let width = self.features.len();
        let label = width + self.ids.len();
        let kept = label + usize::from(self.label.is_some());
        let features: Vec<usize> = (0..width).collect();
        let carried: Vec<usize> = (kept..kept + self.kept.len()).collect();
        let text = |column: usize| batch.cells.column(column).clone();
        Ok(Split {
            features: batch.project(&features)?,
            ids: (width..label).map(text).collect(),
            labels: self.label.map(|_| text(label)),
            kept: if carried.is_empty() { None } else { Some(batch.cells.project(&carried)?) },
        })
    }
}

/// A batch taken apart.
#[derive(Debug, Clone)]
pub struct Split {
    /// The cells of the features.
    pub features: Batch,
    ids: Vec<ArrayRef>,
    labels: Option<ArrayRef>,
    kept: Option<RecordBatch>,
}

impl Split {
    /// Only the columns chosen as features. Where no id was asked for, rows have the name that the
    /// most telling identifier gives them.
    ///
    /// # Errors
    /// A choice of other columns.
    pub fn chosen(self, choice: &Choice) -> Result<Self> {
        let found = |column: &usize| -> ArrayRef {
            Arc::new(self.features.texts(*column).into_iter().collect::<StringArray>())
        };
        let ids = match self.ids.is_empty() {
            true => choice.identifiers().first().map(found).into_iter().collect(),
            false => self.ids.clone(),
        };
        let features = self.features.project(&choice.features())?;
        Ok(Self { features, ids, ..self })
    }

    /// The rows that the encoding keeps, those it does not, and the values it did not know.
    ///
    /// # Errors
    /// What the encoding refuses.
    pub fn encode(&self, file: &str, encoding: &Encoding) -> Result<(Rows, Unscored, Vec<Unseen>)> {
        let encoded = encoding.apply(file, &self.features)?;
        let rows = Rows { names: self.names(&encoded.kept)?, values: encoded.values };
        let left_out = others(&encoded.kept, self.features.rows());
        let mut unscored = self.unscored(&left_out)?;
        for found in &encoded.unscored {
            if let Ok(place) = left_out.binary_search(&found.row) {
                unscored.reasons[place] = format!("{}: {}", found.column, found.problem);
            }
        }
        Ok((rows, unscored, encoded.unseen))
    }

    /// These rows, which have a missing value and are left out for it.
    ///
    /// # Errors
    /// Rows that are not there.
    pub fn unscored(&self, rows: &[usize]) -> Result<Unscored> {
        let cells = &self.features.cells;
        let reason = |&row: &usize| {
            let missing = (0..cells.num_columns()).find(|&j| cells.column(j).is_null(row));
            let name = missing.map_or("", |j| cells.schema_ref().field(j).name());
            format!("missing value in {name}")
        };
        Ok(Unscored { names: self.names(rows)?, reasons: rows.iter().map(reason).collect() })
    }

    fn names(&self, rows: &[usize]) -> Result<Names> {
        let texts = |array: &ArrayRef| -> Vec<Option<String>> {
            let array = array.as_string::<i32>();
            let text = |&row: &usize| array.is_valid(row).then(|| array.value(row).to_string());
            rows.iter().map(text).collect()
        };
        let kept = match &self.kept {
            Some(kept) if !rows.is_empty() => Some(taken(kept, rows)?),
            _ => None,
        };
        Ok(Names {
            numbers: rows.iter().map(|&row| self.features.number(row)).collect(),
            ids: self.ids.iter().map(texts).collect(),
            labels: self.labels.as_ref().map(texts),
            kept: kept.into_iter().collect(),
        })
    }
}

/// Some rows of a table, not copied if they are all.
fn taken(table: &RecordBatch, rows: &[usize]) -> Result<RecordBatch> {
    if rows.len() == table.num_rows() {
        return Ok(table.clone());
    }
    let indices: UInt64Array = rows.iter().map(|&row| row as u64).collect();
    Ok(take_record_batch(table, &indices)?)
}

/// The rows from 0 to `rows` that are not among these, which ascend.
pub fn others(these: &[usize], rows: usize) -> Vec<usize> {
    let mut these = these.iter().copied().peekable();
    (0..rows).filter(|row| these.next_if_eq(row).is_none()).collect()
}

/// Reading with ids and labels as text, whatever they look like.
pub fn read_options<'a>(
    header: bool,
    texts: impl Iterator<Item = &'a str>,
    features: &[ColumnInfo],
) -> ReadOptions {
    let known = features.iter().map(|column| (column.name.clone(), column.kind));
    // A list of names may be one name with commas in it, or several: both are read as text.
    let verbatim = texts.flat_map(|list| list.split(',').map(str::trim).chain([list]));
    let verbatim = verbatim.map(str::to_string);
    ReadOptions {
        kinds: known.collect(),
        verbatim: verbatim.collect(),
        header,
        ..ReadOptions::default()
    }
}
