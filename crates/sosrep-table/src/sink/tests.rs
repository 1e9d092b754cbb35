//! What is written is what others read, and what cannot be written says why.

mod failures;
mod round_trips;

use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::{Output, create};
use crate::error::Result;

/// Every ending a table can be written to.
const ENDINGS: [&str; 11] = [
    "csv", "csv.gz", "csv.zst", "tsv", "parquet", "arrow", "feather", "ipc", "json", "jsonl",
    "ndjson",
];

fn schema() -> SchemaRef {
    let field = |name: &str, kind| Field::new(name, kind, true);
    Arc::new(Schema::new(vec![
        field("score", DataType::Float64),
        field("rank", DataType::Int64),
        field("row", DataType::UInt64),
        field("flagged, \"really\"", DataType::Boolean),
        field("note", DataType::Utf8),
    ]))
}

/// A row of a table with a column of every type.
type Row = (Option<f64>, Option<i64>, Option<u64>, Option<bool>, Option<String>);

fn batch(rows: &[Row]) -> RecordBatch {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Float64Array::from_iter(rows.iter().map(|row| row.0))),
        Arc::new(Int64Array::from_iter(rows.iter().map(|row| row.1))),
        Arc::new(UInt64Array::from_iter(rows.iter().map(|row| row.2))),
        Arc::new(BooleanArray::from_iter(rows.iter().map(|row| row.3))),
        Arc::new(StringArray::from_iter(rows.iter().map(|row| row.4.as_deref()))),
    ];
    RecordBatch::try_new(schema(), columns).unwrap()
}

/// Writes batches of at most `size` rows.
fn write(path: &Path, rows: &[Row], size: usize) -> Result<()> {
    let mut sink = create(&Output::Path(path.to_path_buf()), schema())?;
    for part in rows.chunks(size) {
        sink.write(&batch(part))?;
    }
    sink.finish()
}
