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
    let most = size.saturating_mul(ROWS_PER_BYTE);
    let rows = metadata.row_groups().iter().map(|group| u64::try_from(group.num_rows()));
    let rows = rows.fold(0u64, |sum, rows| sum.saturating_add(rows.unwrap_or(u64::MAX)));
    if rows > most {
        return Err(format!("it claims {rows} rows in {size} bytes"));
    }
    let groups = metadata.row_groups().iter();
    let mut chunks: Vec<&ColumnChunkMetaData> = groups.flat_map(|group| group.columns()).collect();
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
        let header = self.header(file, at)?;
        let size = |number| header.integer(number).and_then(|size| u64::try_from(size).ok());
        let (decompressed, compressed) =
            (size(2).ok_or_else(unreadable)?, size(3).ok_or_else(unreadable)?);
        let end = (at + header.length).checked_add(compressed).filter(|end| *end <= self.end);
        let end = end.ok_or("a page lies outside its column")?;
        let most = compressed.saturating_mul(LARGEST_RATIO).saturating_add(64);
        if decompressed > most.min(self.memory) {
            let mib = decompressed >> 20;
            return Err(format!("a page of {compressed} bytes claims {mib} MiB"));
        }
        // 5: data, 7: dictionary, 8: data of version 2.
        let dictionary = header.values(7)?.unwrap_or(0);
        if dictionary as u64 > decompressed.saturating_mul(8) {
            return Err(format!("{dictionary} values of a dictionary in {decompressed} bytes"));
        }
        let data = header.values(5)?;
        let data_values = data.map_or_else(|| header.values(8), |values| Ok(Some(values)))?;
        Ok(Page { end, data_values: data_values.unwrap_or(0) })
    }

    /// The header there: most are short, statistics may make one long.
    fn header(&self, file: &mut File, at: u64) -> Result<Header, String> {
        for longest in [HEADER, LONGEST_HEADER] {
            let bytes = bytes_at(file, at, (self.end - at).min(longest))?;
            let mut thrift = Thrift::new(&bytes, 0);
            if let Some(fields) = thrift.structure() {
                let length = thrift.position() as u64;
                return Ok(Header { bytes, fields, length });
            }
        }
        Err(unreadable())
    }
}

/// The header of a page.
struct Header {
    bytes: Vec<u8>,
    fields: Vec<(i64, Value)>,
    length: u64,
}

impl Header {
    fn integer(&self, number: i64) -> Option<i64> {
        integer(&self.fields, number)
    }

    /// The number of values, the first field of the structure in this field.
    fn values(&self, number: i64) -> Result<Option<i64>, String> {
        let place = self.fields.iter().rev().find_map(|(n, value)| match value {
            Value::Structure(place) if *n == number => Some(*place),
            _ => None,
        });
        let Some(place) = place else { return Ok(None) };
        let fields = Thrift::new(&self.bytes, place).structure();
        let values = fields.and_then(|fields| integer(&fields, 1)).filter(|values| *values >= 0);
        values.map(Some).ok_or_else(unreadable)
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

fn unreadable() -> String {
    "the header of a page cannot be read".to_string()
}

fn too_short() -> String {
    "it ends within its footer".to_string()
}
