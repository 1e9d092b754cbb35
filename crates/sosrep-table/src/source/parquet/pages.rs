//! What a Parquet file claims, held against its bytes, before the decoder believes it.
//!
//! The footer names the columns' chunks; a chunk is a row of pages, each with a header, which is
//! looked at here. Refused is what the format could not keep:
//!
//! ```text
//! length of a page decompressed  ≤ 131 072 times its length + 64, and ≤ the memory for a piece
//! values of a data page          those of all pages of a chunk are the chunk's, as are its rows
//! values of a dictionary         ≤ 8 values a byte
//! rows of a file                 ≤ 4096 a byte: a constant column takes next to nothing, yet each row work
//! chunks                         lie in the file, one beside the other
//! ```
//!
//! Cost: a read for each page. Nothing is decompressed.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::thrift::{Thrift, Value};

/// The largest length of data compressed to a byte, by Zstandard.
const LARGEST_RATIO: u64 = 1 << 17;
/// Most rows for each byte of a file.
const ROWS_PER_BYTE: u64 = 4096;
/// Bytes of a page header without long statistics.
const HEADER: u64 = 1 << 10;
/// Most bytes of a page header.
const LONGEST_HEADER: u64 = 16 << 20;

/// An error unless the footer can be read without believing a length.
pub(super) fn check_footer(file: &mut File) -> Result<(), String> {
    const TRAILER: u64 = 8;
    let size = length(file)?;
    let trailer = bytes_at(file, size.checked_sub(TRAILER).ok_or_else(too_short)?, TRAILER)?;
    let words: [u8; 8] = trailer.as_slice().try_into().map_err(|_| too_short())?;
    let [a, b, c, d, rest @ ..] = words;
    if &rest != b"PAR1" {
        // Not Parquet, or encrypted: the decoder says so.
        return Ok(());
    }
    let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
    let start = size.checked_sub(TRAILER + footer).ok_or_else(too_short)?;
    let bytes = bytes_at(file, start, footer)?;
    let read = Thrift::new(&bytes, 0).structure();
    read.map(drop).ok_or_else(|| "its footer cannot be read".to_string())
}

/// An error unless rows and pages can be what they claim.
pub(super) fn check_pages(
    file: &mut File,
    metadata: &ParquetMetaData,
    memory: u64,
) -> Result<(), String> {
    let size = length(file)?;
    let rows: i64 =
        metadata.row_groups().iter().fold(0, |sum, group| sum.saturating_add(group.num_rows()));
    if metadata.row_groups().iter().any(|group| group.num_rows() < 0) {
        return Err("a group of rows has fewer than none".to_string());
    }
    let most = size.saturating_mul(ROWS_PER_BYTE);
    if rows as u64 > most {
        return Err(format!("it claims {rows} rows in {size} bytes"));
    }
    let mut chunks: Vec<&ColumnChunkMetaData> =
        metadata.row_groups().iter().flat_map(|group| group.columns()).collect();
    chunks.sort_by_key(|chunk| chunk.byte_range());
    let mut free = 0;
    for chunk in chunks {
        let (start, bytes) = chunk.byte_range();
        let end = start.checked_add(bytes).filter(|end| *end <= size);
        let end = end.ok_or("a column lies outside the file")?;
        if start < free {
            return Err("two columns overlap".to_string());
        }
        free = end;
        let values = chunk.num_values();
        if !u64::try_from(values).is_ok_and(|values| values <= most) {
            return Err(format!("a column claims {values} values in a file of {size} bytes"));
        }
        Chunk { values, start, end, memory }.check(file)?;
    }
    Ok(())
}

/// A chunk of a column, from its first page to its last.
struct Chunk {
    values: i64,
    start: u64,
    end: u64,
    memory: u64,
}

impl Chunk {
    fn check(&self, file: &mut File) -> Result<(), String> {
        let (mut at, mut values) = (self.start, 0i64);
        while at < self.end {
            let page = self.page(file, at)?;
            values = values.saturating_add(page.data_values);
            at = page.end;
        }
        if values == self.values {
            Ok(())
        } else {
            Err(format!("the pages of a column have {values} values, not {}", self.values))
        }
    }

    /// The page whose header is there.
    fn page(&self, file: &mut File, at: u64) -> Result<Page, String> {
        let refused = || "the header of a page cannot be read".to_string();
        let left = self.end - at;
        let mut bytes = bytes_at(file, at, left.min(HEADER))?;
        let mut header = Thrift::new(&bytes, 0);
        let mut fields = header.structure();
        if fields.is_none() && left > HEADER {
            bytes = bytes_at(file, at, left.min(LONGEST_HEADER))?;
            header = Thrift::new(&bytes, 0);
            fields = header.structure();
        }
        let (fields, start) = (fields.ok_or_else(refused)?, at + header.position() as u64);
        let size = |number| integer(&fields, number).and_then(|size| u64::try_from(size).ok());
        let (decompressed, compressed) =
            (size(2).ok_or_else(refused)?, size(3).ok_or_else(refused)?);
        let end = start.checked_add(compressed).filter(|end| *end <= self.end);
        let end = end.ok_or("a page lies outside its column")?;
        let most = compressed.saturating_mul(LARGEST_RATIO).saturating_add(64);
        if decompressed > most.min(self.memory) {
            let mib = decompressed >> 20;
            return Err(format!("a page of {compressed} bytes claims {mib} MiB"));
        }
        // 5: data, 7: dictionary, 8: data of version 2; their first field is the number of values.
        let values = |number| {
            let place = fields.iter().rev().find_map(|(n, value)| match value {
                Value::Structure(place) if *n == number => Some(*place),
                _ => None,
            });
            place.map(|place| {
                let fields = Thrift::new(&bytes, place).structure();
                fields.and_then(|f| integer(&f, 1)).filter(|v| *v >= 0).ok_or_else(refused)
            })
        };
        if let Some(dictionary) = values(7).transpose()?
            && dictionary as u64 > decompressed.saturating_mul(8)
        {
            return Err(format!("{dictionary} values of a dictionary in {decompressed} bytes"));
        }
        let data_values = values(5).or_else(|| values(8)).transpose()?.unwrap_or(0);
        Ok(Page { end, data_values })
    }
}

/// What a header says.
struct Page {
    /// Where the next one begins.
    end: u64,
    /// Values, missing ones too; 0 of a dictionary.
    data_values: i64,
}

fn integer(fields: &[(i64, Value)], number: i64) -> Option<i64> {
    // Of a field that is there twice the decoder believes the last.
    fields.iter().rev().find_map(|(n, value)| match value {
        Value::Integer(integer) if *n == number => Some(*integer),
        _ => None,
    })
}

fn length(file: &File) -> Result<u64, String> {
    Ok(file.metadata().map_err(|error| error.to_string())?.len())
}

/// So many bytes from there on, or as many as there are.
fn bytes_at(file: &mut File, start: u64, length: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read =
        file.seek(SeekFrom::Start(start)).and_then(|_| file.take(length).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| error.to_string())
}

fn too_short() -> String {
    "it ends within its footer".to_string()
}
