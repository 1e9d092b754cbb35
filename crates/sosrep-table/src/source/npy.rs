//! NumPy arrays: a header of text that says type, order and shape, then the elements.
//!
//! The whole array is held in memory, as the elements it stores. A header is not believed: the
//! shape is compared with the size of the file before room is made for it, and a header longer
//! than 10 000 bytes is refused, as NumPy itself does. Arrays of objects, which are pickles,
//! are refused by their type.

mod header;

use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, BooleanArray, PrimitiveArray, RecordBatch, RecordBatchOptions,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::arrow_source::{Rows, damaged};
use super::format::Format;
use super::{ReadOptions, numbered};
use crate::arrow_cells::has_big_integers;
use crate::error::FileProblem;
use header::Header;
pub(super) use header::Role;

/// A matrix of elements of one type, in memory.
pub(super) struct Matrix {
    header: Header,
    bytes: Vec<u8>,
}

impl Matrix {
    /// Reads an array of which `size` bytes are stored, the header included.
    ///
    /// # Errors
    /// [`FileProblem::Damaged`], [`FileProblem::ArrayType`], [`FileProblem::ArrayDimensions`].
    pub(super) fn read(role: Role, reader: &mut dyn Read, size: u64) -> Result<Self, FileProblem> {
        let (header, header_size) = Header::read(role, reader)?;
        let expected = header.data_size().filter(|&data| data == size.saturating_sub(header_size));
        let Some(expected) = expected else {
            let shape = format!("{} rows of {} columns", header.rows, header.columns);
            let found = size.saturating_sub(header_size);
            return Err(failed(format!("{found} bytes of data are not {shape}")));
        };
        let mut bytes = Vec::new();
        (&mut *reader).take(expected).read_to_end(&mut bytes).map_err(failed)?;
        // An archive compares its checksum when asked for what follows the last byte.
        let more = reader.read(&mut [0]).map_err(failed)?;
        if bytes.len() as u64 == expected && more == 0 {
            Ok(Self { header, bytes })
        } else {
            Err(failed(format!("there are not {expected} bytes of data")))
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.header.rows
    }

    pub(super) fn columns(&self) -> usize {
        self.header.columns
    }

    /// The fields of the columns, under these names.
    pub(super) fn fields(&self, names: Vec<String>) -> Vec<Field> {
        let data_type = &self.header.data_type;
        names.into_iter().map(|name| Field::new(name, data_type.clone(), true)).collect()
    }

    /// The elements of a column in some rows.
    pub(super) fn cells(&self, column: usize, rows: Range<usize>) -> ArrayRef {
        match self.header.data_type {
            DataType::Boolean => {
                let cells = self.elements(column, rows).map(|[byte]| Some(byte != 0));
                Arc::new(cells.collect::<BooleanArray>())
            }
            DataType::Int8 => self.primitive::<Int8Type, 1>(column, rows, i8::from_le_bytes),
            DataType::Int16 => self.primitive::<Int16Type, 2>(column, rows, i16::from_le_bytes),
            DataType::Int32 => self.primitive::<Int32Type, 4>(column, rows, i32::from_le_bytes),
            DataType::Int64 => self.primitive::<Int64Type, 8>(column, rows, i64::from_le_bytes),
            DataType::UInt8 => self.primitive::<UInt8Type, 1>(column, rows, u8::from_le_bytes),
            DataType::UInt16 => self.primitive::<UInt16Type, 2>(column, rows, u16::from_le_bytes),
            DataType::UInt32 => self.primitive::<UInt32Type, 4>(column, rows, u32::from_le_bytes),
            DataType::UInt64 => self.primitive::<UInt64Type, 8>(column, rows, u64::from_le_bytes),
            DataType::Float32 => self.primitive::<Float32Type, 4>(column, rows, f32::from_le_bytes),
            _ => self.primitive::<Float64Type, 8>(column, rows, f64::from_le_bytes),
        }
    }

    fn primitive<T: ArrowPrimitiveType, const SIZE: usize>(
        &self,
        column: usize,
        rows: Range<usize>,
        from_bytes: impl Fn([u8; SIZE]) -> T::Native,
    ) -> ArrayRef {
        let cells = self.elements(column, rows).map(from_bytes);
        Arc::new(PrimitiveArray::<T>::from_iter_values(cells))
    }

    /// The bytes of the elements of a column in some rows, in C or Fortran order.
    fn elements<const SIZE: usize>(
        &self,
        column: usize,
        rows: Range<usize>,
    ) -> impl Iterator<Item = [u8; SIZE]> {
        let (elements, _) = self.bytes.as_chunks::<SIZE>();
        let Header { fortran_order, rows: height, columns: width, .. } = self.header;
        rows.map(move |row| {
            elements[if fortran_order { column * height + row } else { row * width + column }]
        })
    }
}

/// Rows of a matrix and perhaps a vector beside it.
pub(super) struct MatrixRows {
    schema: SchemaRef,
    matrix: Matrix,
    labels: Option<Matrix>,
    batch_rows: usize,
    rows_read: usize,
}

impl MatrixRows {
    pub(super) fn new(matrix: Matrix, labels: Option<Matrix>, options: &ReadOptions) -> Self {
        let mut fields = matrix.fields(numbered(matrix.columns()));
        if let Some(labels) = &labels {
            fields.extend(labels.fields(vec!["y".to_string()]));
        }
        let schema = Arc::new(Schema::new(fields));
        Self { schema, matrix, labels, batch_rows: options.batch_rows.max(1), rows_read: 0 }
    }
}

impl Rows for MatrixRows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn next(&mut self, columns: &[usize]) -> Result<Option<RecordBatch>, FileProblem> {
        let end = self.matrix.rows().min(self.rows_read.saturating_add(self.batch_rows));
        let rows = self.rows_read..end;
        if rows.is_empty() {
            return Ok(None);
        }
        self.rows_read = end;
        let column = |&column: &usize| match &self.labels {
            Some(labels) if column == self.matrix.columns() => labels.cells(0, rows.clone()),
            _ => self.matrix.cells(column, rows.clone()),
        };
        let arrays = columns.iter().map(column).collect();
        let schema = self.schema.project(columns).map_err(failed)?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        let batch = RecordBatch::try_new_with_options(Arc::new(schema), arrays, &options);
        batch.map(Some).map_err(failed)
    }

    fn big_integers(&mut self) -> Result<Vec<usize>, FileProblem> {
        let all = 0..self.matrix.rows();
        let is_big = |column: &usize| has_big_integers(&self.matrix.cells(*column, all.clone()));
        let wide = matches!(self.matrix.header.data_type, DataType::Int64 | DataType::UInt64);
        Ok((0..self.matrix.columns()).filter(|_| wide).filter(is_big).collect())
    }

    fn progress(&self) -> Option<f64> {
        Some(self.rows_read as f64 / self.matrix.rows().max(1) as f64)
    }
}

/// Reads an array; a vector is a matrix of one column.
///
/// # Errors
/// See [`Matrix::read`].
pub(crate) fn open(file: File, options: &ReadOptions) -> Result<Box<dyn Rows>, FileProblem> {
    let size = file.metadata().map_err(failed)?.len();
    let matrix = Matrix::read(Role::Rows, &mut BufReader::new(file), size)?;
    Ok(Box::new(MatrixRows::new(matrix, None, options)))
}

fn failed(error: impl ToString) -> FileProblem {
    damaged(Format::Npy, error)
}
