//! Rows of a table as a detector takes them, with what names them and what is known of them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringArray, UInt64Array};
use arrow_schema::{DataType, Field};
use sosrep::Points;
use sosrep_table::{Batch, Choice, ColumnInfo, Encoding, ReadOptions, Unseen};

use crate::failure::{Result, user};

/// Encoded rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    /// Number of each row in the file, from 1.
    pub(crate) numbers: Vec<u64>,
    /// The text of the id column, if there is one.
    pub(crate) ids: Option<Vec<Option<String>>>,
    /// The text of the label column, if there is one.
    pub(crate) labels: Option<Vec<Option<String>>>,
    /// The features, row by row.
    pub(crate) values: Vec<f64>,
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The features as the library takes them.
    pub(crate) fn points(&self, width: usize) -> Result<Points<'_>> {
        Ok(Points::new(&self.values, width)?)
    }

    /// What a person calls the `i`-th row.
    pub(crate) fn name(&self, i: usize) -> String {
        self.id(i).map_or_else(|| self.numbers[i].to_string(), str::to_string)
    }

    /// The id of the `i`-th row, if it has one.
    pub(crate) fn id(&self, i: usize) -> Option<&str> {
        self.ids.as_ref().and_then(|ids| ids[i].as_deref())
    }

    /// Numbers and, if wanted, ids: the first columns of every table of results.
    pub(crate) fn name_columns(&self, with_id: bool) -> Vec<ArrayRef> {
        let mut columns: Vec<ArrayRef> = vec![Arc::new(UInt64Array::from(self.numbers.clone()))];
        if with_id {
            let ids: StringArray = (0..self.len()).map(|i| self.id(i)).collect();
            columns.push(Arc::new(ids));
        }
        columns
    }

    /// The `i`-th row alone.
    pub(crate) fn single(&self, i: usize, width: usize) -> Self {
        Self {
            numbers: vec![self.numbers[i]],
            ids: self.ids.as_ref().map(|ids| vec![ids[i].clone()]),
            labels: self.labels.as_ref().map(|labels| vec![labels[i].clone()]),
            values: self.values[i * width..(i + 1) * width].to_vec(),
        }
    }

    /// Adds the rows of the next batch.
    pub(crate) fn append(&mut self, mut next: Self) {
        if self.is_empty() {
            *self = next;
            return;
        }
        self.numbers.append(&mut next.numbers);
        self.values.append(&mut next.values);
        if let (Some(ids), Some(mut more)) = (&mut self.ids, next.ids) {
            ids.append(&mut more);
        }
        if let (Some(labels), Some(mut more)) = (&mut self.labels, next.labels) {
            labels.append(&mut more);
        }
    }
}

/// The fields of [`Rows::name_columns`].
pub(crate) fn name_fields(with_id: bool) -> Vec<Field> {
    let mut fields = vec![Field::new("row", DataType::UInt64, false)];
    if with_id {
        fields.push(Field::new("id", DataType::Utf8, true));
    }
    fields
}

/// Which columns of a file play which part.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    /// The features, in the order of the encoding.
    pub(crate) features: Vec<usize>,
    pub(crate) id: Option<usize>,
    pub(crate) label: Option<usize>,
}

impl Parts {
    /// An error if a column has two parts to play.
    pub(crate) fn check(&self) -> Result<()> {
        if self.id.is_some() && self.id == self.label {
            return Err(user("--id and --label name the same column; choose one of them"));
        }
        for (flag, column) in [("--id", self.id), ("--label", self.label)] {
            if column.is_some_and(|column| self.features.contains(&column)) {
                return Err(user(format!(
                    "{flag} names a column that the model takes for a feature; name another, or fit \
                     the model with {flag}"
                )));
            }
        }
        Ok(())
    }

    /// The columns to read: features, then id, then label.
    pub(crate) fn projection(&self) -> Vec<usize> {
        let mut columns = self.features.clone();
        columns.extend(self.id.iter().chain(&self.label));
        columns
    }

    /// A batch of that projection, taken apart.
    pub(crate) fn split(&self, batch: &Batch) -> Result<Split> {
        let width = self.features.len();
        let features: Vec<usize> = (0..width).collect();
        let text = |column: usize| batch.cells.column(column).clone();
        Ok(Split {
            features: batch.project(&features)?,
            ids: self.id.map(|_| text(width)),
            labels: self.label.map(|_| text(width + usize::from(self.id.is_some()))),
        })
    }
}

/// A batch taken apart.
pub(crate) struct Split {
    pub(crate) features: Batch,
    ids: Option<ArrayRef>,
    labels: Option<ArrayRef>,
}

impl Split {
    /// Only the columns chosen as features. Where no id was asked for, rows have the name that the
    /// most telling identifier gives them.
    pub(crate) fn chosen(self, choice: &Choice) -> Result<Self> {
        let found = |column: &usize| -> ArrayRef {
            Arc::new(self.features.texts(*column).into_iter().collect::<StringArray>())
        };
        let ids = self.ids.clone().or_else(|| choice.identifiers().first().map(found));
        let features = self.features.project(&choice.features())?;
        Ok(Self { features, ids, labels: self.labels })
    }

    /// The rows that the encoding keeps, and the values it did not know.
    pub(crate) fn encode(&self, file: &str, encoding: &Encoding) -> Result<(Rows, Vec<Unseen>)> {
        let encoded = encoding.apply(file, &self.features)?;
        let number = |&row: &usize| self.features.number(row);
        let texts = |array: &ArrayRef| -> Vec<Option<String>> {
            let array = array.as_string::<i32>();
            let text = |&row: &usize| array.is_valid(row).then(|| array.value(row).to_string());
            encoded.kept.iter().map(text).collect()
        };
        let rows = Rows {
            numbers: encoded.kept.iter().map(number).collect(),
            ids: self.ids.as_ref().map(texts),
            labels: self.labels.as_ref().map(texts),
            values: encoded.values,
        };
        Ok((rows, encoded.unseen))
    }
}

/// Reading with ids and labels as text, whatever they look like.
pub(crate) fn read_options(
    header: bool,
    texts: &[Option<&str>],
    features: &[ColumnInfo],
) -> ReadOptions {
    let known = features.iter().map(|column| (column.name.clone(), column.kind));
    let verbatim = texts.iter().flatten().map(|name| (*name).to_string());
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
