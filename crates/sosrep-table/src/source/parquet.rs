//! Parquet: only the columns asked for are decoded, and only after what the file claims of all was held
//! against its bytes.

mod pages;
mod thrift;

use std::fs::File;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use super::ReadOptions;
use super::arrow_source::{Rows, damaged};
use super::format::Format;
use crate::arrow_cells::has_big_integers;
use crate::error::FileProblem;
use pages::{check_footer, check_pages};

/// A Parquet file, before and after the first rows were asked for.
struct ParquetRows {
    schema: SchemaRef,
    builder: Option<ParquetRecordBatchReaderBuilder<File>>,
    reader: Option<ParquetRecordBatchReader>,
    rows: u64,
    rows_read: u64,
}

/// Reads the footer of a file.
///
/// # Errors
/// [`FileProblem::Damaged`].
pub(crate) fn open(mut file: File, options: &ReadOptions) -> Result<Box<dyn Rows>, FileProblem> {
    check_footer(&mut file).map_err(failed)?;
    let mut same = file.try_clone().map_err(failed)?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(failed)?;
    check_pages(&mut same, builder.metadata(), options.memory).map_err(failed)?;
    let builder = builder.with_batch_size(options.batch_rows.max(1));
    let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).map_err(failed)?;
    let schema = builder.schema().clone();
    Ok(Box::new(ParquetRows { schema, builder: Some(builder), reader: None, rows, rows_read: 0 }))
}

impl Rows for ParquetRows {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn next(&mut self, columns: &[usize]) -> Result<Option<RecordBatch>, FileProblem> {
        if let Some(builder) = self.builder.take() {
            let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
            self.reader = Some(builder.with_projection(mask).build().map_err(failed)?);
        }
        let Some(reader) = &mut self.reader else { return Ok(None) };
        let batch = reader.next().transpose().map_err(failed)?;
        self.rows_read += batch.as_ref().map_or(0, |batch| batch.num_rows() as u64);
        if batch.is_none() && self.rows_read != self.rows {
            return Err(failed(format!("{} rows of {}", self.rows_read, self.rows)));
        }
        Ok(batch)
    }

    /// By the least and largest value of every row group.
    fn big_integers(&mut self) -> Result<Vec<usize>, FileProblem> {
        let Some(builder) = &self.builder else { return Ok(Vec::new()) };
        let (schema, groups) = (builder.parquet_schema(), builder.metadata().row_groups());
        let is_big = |name: &str| -> Option<bool> {
            let statistics = StatisticsConverter::try_new(name, &self.schema, schema).ok()?;
            let least = statistics.row_group_mins(groups).ok()?;
            let largest = statistics.row_group_maxes(groups).ok()?;
            Some(has_big_integers(&least) || has_big_integers(&largest))
        };
        let fields = self.schema.fields().iter().enumerate();
        let numbers = fields.filter(|(_, field)| field.data_type().is_numeric());
        let big = numbers.filter(|(_, field)| is_big(field.name()) == Some(true));
        Ok(big.map(|(column, _)| column).collect())
    }

    fn progress(&self) -> Option<f64> {
        Some(self.rows_read as f64 / self.rows.max(1) as f64)
    }
}

fn failed(error: impl ToString) -> FileProblem {
    damaged(Format::Parquet, error)
}
