//! Tables built by hand, for the laws of the encoder and its errors.

mod auto;
mod broken;
mod identifiers;
mod laws;
mod messages;
mod parts;
mod sampled;
mod unscored;
mod unseen;
mod values;

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};

use super::{Categories, Choice, EncodeOptions, Encoded, Encoding, Missing};
use crate::batch::{Batch, ColumnInfo, ColumnKind, RowNumbers};
use crate::error::Result;

const FILE: &str = "data.csv";

type NamedColumn = (ColumnInfo, ArrayRef);

fn column(name: &str, kind: ColumnKind, cells: ArrayRef) -> NamedColumn {
    (ColumnInfo { name: name.to_string(), kind }, cells)
}

fn numbers(name: &str, cells: &[Option<f64>]) -> NamedColumn {
    column(name, ColumnKind::Number, Arc::new(Float64Array::from(cells.to_vec())))
}

fn booleans(name: &str, cells: &[Option<bool>]) -> NamedColumn {
    column(name, ColumnKind::Boolean, Arc::new(BooleanArray::from(cells.to_vec())))
}

fn text<T: AsRef<str>>(name: &str, cells: &[Option<T>]) -> NamedColumn {
    let cells = StringArray::from_iter(cells.iter().map(|cell| cell.as_ref().map(T::as_ref)));
    column(name, ColumnKind::Text, Arc::new(cells))
}

fn dates(name: &str, cells: &[Option<&str>]) -> NamedColumn {
    column(name, ColumnKind::Date, Arc::new(StringArray::from(cells.to_vec())))
}

fn big_integers(name: &str, cells: &[Option<&str>]) -> NamedColumn {
    column(name, ColumnKind::BigInteger, Arc::new(StringArray::from(cells.to_vec())))
}

/// A table as a CSV reader would give it: the first row is line 2.
#[derive(Debug, Clone)]
struct Table {
    columns: Vec<ColumnInfo>,
    batches: Vec<Batch>,
}

impl Table {
    fn new(columns: &[NamedColumn]) -> Self {
        let (columns, arrays): (Vec<_>, Vec<_>) = columns.iter().cloned().unzip();
        let field = |info: &ColumnInfo| Field::new(&info.name, info.kind.data_type(), true);
        let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
        let cells = RecordBatch::try_new(Arc::new(schema), arrays).unwrap();
        let lines = Some((2..).take(cells.num_rows()).collect());
        let (numbers, unreadable) = (RowNumbers::From(1), Vec::new());
        Self { columns, batches: vec![Batch { cells, numbers, lines, unreadable }] }
    }

    /// The only batch of a table that was not split.
    fn whole(&self) -> &Batch {
        assert_eq!(self.batches.len(), 1);
        &self.batches[0]
    }

    /// The same rows in batches of `size` rows.
    fn split(&self, size: usize) -> Self {
        let whole = self.whole();
        let part = |start: usize| {
            let rows = size.min(whole.rows() - start);
            Batch {
                cells: whole.cells.slice(start, rows),
                numbers: RowNumbers::From(whole.number(start)),
                lines: whole.lines.as_ref().map(|lines| lines[start..start + rows].to_vec()),
                unreadable: Vec::new(),
            }
        };
        let batches = (0..whole.rows()).step_by(size).map(part).collect();
        Self { columns: self.columns.clone(), batches }
    }

    fn fit(&self, missing: Missing, categories: Categories) -> Result<Encoding> {
        let options = EncodeOptions { missing, categories, ..EncodeOptions::default() };
        self.fit_with(&options).map(|(encoding, _)| encoding)
    }

    fn fit_with(&self, options: &EncodeOptions) -> Result<(Encoding, Choice)> {
        Encoding::fit(FILE, &self.columns, &self.batches, options)
    }

    /// The encoding and the choice under `auto`, and the encoded features.
    fn auto(&self) -> (Encoding, Choice, Encoded) {
        let (encoding, choice) = self.fit_with(&EncodeOptions::default()).unwrap();
        let encoded = encoding.apply(FILE, &self.features(&choice)).unwrap();
        (encoding, choice, encoded)
    }

    /// The features of a table of one batch.
    fn features(&self, choice: &Choice) -> Batch {
        self.whole().project(&choice.features()).unwrap()
    }
}
