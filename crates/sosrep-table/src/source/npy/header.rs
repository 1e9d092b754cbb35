//! The header of a NumPy array: a line of Python that holds a dictionary of three entries.
//!
//! ```text
//! {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
//! ```

use std::io::Read;

use arrow_schema::DataType;

use super::failed;
use crate::error::{FileProblem, shown};

/// The longest header that is read, in bytes.
pub(super) const LONGEST_HEADER: u64 = 10_000;

/// What an array is to the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Role {
    /// A matrix of rows, or a vector for one column.
    Rows,
    /// A vector, one value a row.
    Labels,
}

const MAGIC: &[u8] = b"\x93NUMPY";

/// What a header says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) data_type: DataType,
    pub(super) fortran_order: bool,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Header {
    /// Reads the header of the array and gives its size in bytes.
    pub(super) fn read(role: Role, reader: &mut dyn Read) -> Result<(Self, u64), FileProblem> {
        let mut start = [0; 8];
        reader.read_exact(&mut start).map_err(failed)?;
        let (magic, version) = start.split_at(MAGIC.len());
        let width = if version[0] == 1 { 2 } else { 4 };
        if magic != MAGIC || !(1..=3).contains(&version[0]) {
            return Err(failed("the header does not start like one"));
        }
        let mut length = [0; 4];
        reader.read_exact(&mut length[..width]).map_err(failed)?;
        let length = u64::from(u32::from_le_bytes(length));
        if length > LONGEST_HEADER {
            return Err(failed(format!("the header has {length} bytes")));
        }
        let mut text = String::new();
        reader.take(length).read_to_string(&mut text).map_err(failed)?;
        if text.len() as u64 != length {
            return Err(failed("the header is cut short"));
        }
        Ok((Self::parse(role, &text)?, start.len() as u64 + width as u64 + length))
    }

    fn parse(role: Role, text: &str) -> Result<Self, FileProblem> {
        let missing = |key: &str| failed(format!("the header has no proper \"{key}\""));
        let descriptor = entry(text, "descr").ok_or_else(|| missing("descr"))?;
        let data_type = data_type(descriptor)?;
        let order = entry(text, "fortran_order").ok_or_else(|| missing("fortran_order"))?;
        let fortran_order = order.starts_with("True");
        let shape = entry(text, "shape").and_then(shape).ok_or_else(|| missing("shape"))?;
        let (rows, columns) = match (shape.as_slice(), role) {
            (&[rows], _) => (rows, 1),
            (&[rows, columns], Role::Rows) => (rows, columns),
            _ => return Err(wrong_dimensions(role, shape.len())),
        };
        Ok(Self { data_type, fortran_order, rows, columns })
    }

    /// Bytes of all elements; `None` if they are too many to count.
    pub(super) fn data_size(&self) -> Option<u64> {
        let element = self.data_type.primitive_width().unwrap_or(1);
        let elements = self.rows.checked_mul(self.columns)?;
        u64::try_from(elements.checked_mul(element)?).ok()
    }
}

fn wrong_dimensions(role: Role, dimensions: usize) -> FileProblem {
    let (array, expected) = match role {
        Role::Rows => ("rows", "a matrix, or a vector for one column"),
        Role::Labels => ("labels", "a vector"),
    };
    FileProblem::ArrayDimensions { array, dimensions, expected }
}

/// What follows the key.
fn entry<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("'{key}'"))?;
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

/// The numbers in the parentheses at the start of the text.
fn shape(text: &str) -> Option<Vec<usize>> {
    let (inside, _) = text.strip_prefix('(')?.split_once(')')?;
    let inside = inside.trim().trim_end_matches(',');
    if inside.is_empty() {
        return Some(Vec::new());
    }
    inside.split(',').map(|length| length.trim().trim_end_matches('L').parse().ok()).collect()
}

/// The type in the quotes at the start of the text.
fn data_type(text: &str) -> Result<DataType, FileProblem> {
    let quoted = text.strip_prefix('\'').and_then(|rest| rest.split_once('\''));
    let Some((descriptor, _)) = quoted else {
        let (fields, _) = text.split_once("'fortran_order'").unwrap_or((text, ""));
        return Err(FileProblem::ArrayType {
            descriptor: shown(fields.trim().trim_end_matches(',')),
        });
    };
    Ok(match descriptor {
        "|b1" | "?" => DataType::Boolean,
        "|i1" => DataType::Int8,
        "<i2" => DataType::Int16,
        "<i4" => DataType::Int32,
        "<i8" => DataType::Int64,
        "|u1" => DataType::UInt8,
        "<u2" => DataType::UInt16,
        "<u4" => DataType::UInt32,
        "<u8" => DataType::UInt64,
        "<f4" => DataType::Float32,
        "<f8" => DataType::Float64,
        other => {
            let kind = if other.ends_with('O') { "Python objects" } else { "elements of type" };
            return Err(FileProblem::ArrayType { descriptor: format!("{kind} {}", shown(other)) });
        }
    })
}
