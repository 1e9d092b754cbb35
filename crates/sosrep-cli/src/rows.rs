//! Rows of a table as a detector takes them, with what names them and what is known of them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_select::take::take_record_batch;
use sosrep::Points;
use sosrep_table::{Batch, Choice, ColumnInfo, Encoding, ReadOptions, Unseen};

use crate::failure::{Result, user};

/// What a table says of some rows beside their features.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    /// Number of each row in the file, from 1.
    pub(crate) numbers: Vec<u64>,
    /// The text of each id column.
    pub(crate) ids: Vec<Vec<Option<String>>>,
    /// The text of the label column, if there is one.
    pub(crate) labels: Option<Vec<Option<String>>>,
    /// The columns that are kept for the table of results, in pieces.
    pub(crate) kept: Vec<RecordBatch>,
}

impl Names {
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// What a person calls the `i`-th row.
    pub(crate) fn name(&self, i: usize) -> String {
        self.id(i).unwrap_or_else(|| self.numbers[i].to_string())
    }

    /// The ids of the `i`-th row, with commas between; `None` if it has none.
    pub(crate) fn id(&self, i: usize) -> Option<String> {
        let present: Vec<&str> = self.ids.iter().filter_map(|ids| ids[i].as_deref()).collect();
        (!present.is_empty()).then(|| present.join(", "))
    }

    /// The `i`-th row alone, without the columns that are kept.
    fn single(&self, i: usize) -> Self {
        Self {
            numbers: vec![self.numbers[i]],
            ids: self.ids.iter().map(|ids| vec![ids[i].clone()]).collect(),
            labels: self.labels.as_ref().map(|labels| vec![labels[i].clone()]),
            kept: Vec::new(),
        }
    }

    /// Adds the next rows.
    pub(crate) fn append(&mut self, mut next: Self) {
        if self.numbers.is_empty() {
            *self = next;
            return;
        }
        self.numbers.append(&mut next.numbers);
        for (ids, more) in self.ids.iter_mut().zip(&mut next.ids) {
            ids.append(more);
        }
        if let (Some(labels), Some(mut more)) = (&mut self.labels, next.labels) {
            labels.append(&mut more);
        }
        self.kept.append(&mut next.kept);
    }
}

/// Encoded rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    pub(crate) names: Names,
    /// The features, row by row.
    pub(crate) values: Vec<f64>,
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The features as the library takes them.
    pub(crate) fn points(&self, width: usize) -> Result<Points<'_>> {
        Ok(Points::new(&self.values, width)?)
    }

    /// The `i`-th row alone.
    pub(crate) fn single(&self, i: usize, width: usize) -> Self {
        let values = self.values[i * width..(i + 1) * width].to_vec();
        Self { names: self.names.single(i), values }
    }

    /// Adds the rows of the next batch.
    pub(crate) fn append(&mut self, mut next: Self) {
        self.names.append(next.names);
        self.values.append(&mut next.values);
    }
}

/// Rows that cannot be scored, and why.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unscored {
    pub(crate) names: Names,
    /// One for each row.
    pub(crate) reasons: Vec<String>,
}

impl Unscored {
    pub(crate) fn len(&self) -> usize {
        self.reasons.len()
    }

    /// Adds the rows of the next batch.
    pub(crate) fn append(&mut self, mut next: Self) {
        self.names.append(next.names);
        self.reasons.append(&mut next.reasons);
    }
}

/// Which columns of a file play which part.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    /// The features, in the order of the encoding.
    pub(crate) features: Vec<usize>,
    pub(crate) ids: Vec<usize>,
    pub(crate) label: Option<usize>,
    /// Columns carried into the table of results, whatever else they are.
    pub(crate) kept: Vec<usize>,
}

impl Parts {
    /// An error if a column has two parts to play.
    pub(crate) fn check(&self) -> Result<()> {
        if self.label.is_some_and(|label| self.ids.contains(&label)) {
            return Err(user("--id and --label name the same column; choose one of them"));
        }
        let ids = self.ids.iter().map(|&column| ("--id", column));
        for (flag, column) in ids.chain(self.label.map(|column| ("--label", column))) {
            if self.features.contains(&column) {
                return Err(user(format!(
                    "{flag} names a column that the model takes for a feature; name another, or fit \
                     the model with {flag}"
                )));
            }
        }
        Ok(())
    }

    /// The columns to read: features, then ids, then label. Those that are kept are carried along.
    pub(crate) fn projection(&self) -> Vec<usize> {
        let mut columns = self.features.clone();
        columns.extend(self.ids.iter().chain(&self.label));
        columns
    }

    /// A batch of that projection, taken apart.
    pub(crate) fn split(&self, batch: &Batch) -> Result<Split> {
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
pub(crate) struct Split {
    pub(crate) features: Batch,
    ids: Vec<ArrayRef>,
    labels: Option<ArrayRef>,
    kept: Option<RecordBatch>,
}

impl Split {
    /// Only the columns chosen as features. Where no id was asked for, rows have the name that the
    /// most telling identifier gives them.
    pub(crate) fn chosen(self, choice: &Choice) -> Result<Self> {
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
    pub(crate) fn encode(
        &self,
        file: &str,
        encoding: &Encoding,
    ) -> Result<(Rows, Unscored, Vec<Unseen>)> {
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
    pub(crate) fn unscored(&self, rows: &[usize]) -> Result<Unscored> {
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
pub(crate) fn others(these: &[usize], rows: usize) -> Vec<usize> {
    let mut these = these.iter().copied().peekable();
    (0..rows).filter(|row| these.next_if_eq(row).is_none()).collect()
}

/// Reading with ids and labels as text, whatever they look like.
pub(crate) fn read_options<'a>(
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

/// The index of a column the user named with `flag`.
pub(crate) fn find(file: &str, columns: &[ColumnInfo], flag: &str, name: &str) -> Result<usize> {
    columns.iter().position(|column| column.name == name).ok_or_else(|| {
        let names: Vec<String> =
            columns.iter().take(20).map(|column| format!("\"{}\"", column.name)).collect();
        let more = if columns.len() > 20 { ", …" } else { "" };
        user(format!(
            "{file} has no column \"{name}\" ({flag}); its columns are {}{more}",
            names.join(", ")
        ))
    })
}

/// The indices of columns the user listed with `flag`. A name may hold commas: what is no column as a
/// whole is taken apart at them.
pub(crate) fn find_all(
    file: &str,
    columns: &[ColumnInfo],
    flag: &str,
    lists: &[String],
) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    for list in lists {
        if columns.iter().any(|column| column.name == *list) {
            found.push(find(file, columns, flag, list)?);
            continue;
        }
        for name in list.split(',').map(str::trim) {
            found.push(find(file, columns, flag, name)?);
        }
    }
    Ok(found)
}

/// The indices of the columns that are kept beside the results.
pub(crate) fn find_kept(
    file: &str,
    columns: &[ColumnInfo],
    lists: &[String],
) -> Result<Vec<usize>> {
    let is_column = |name: &str| columns.iter().any(|column| column.name == name);
    if lists.iter().any(|list| list == "all" && !is_column("all")) {
        return Ok((0..columns.len()).collect());
    }
    find_all(file, columns, "--keep", lists)
}
