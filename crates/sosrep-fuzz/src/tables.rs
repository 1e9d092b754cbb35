//! Tables: read to the end, encoded where they can be, within a second or two and little memory.

use std::cell::RefCell;
use std::path::Path;

use sosrep_table::{EncodeOptions, Encoding, Input, ReadOptions, open};
use tempfile::NamedTempFile;

/// Rows after which reading ends: a file may hold many, and each costs time.
const MOST_ROWS: usize = 200_000;

thread_local! {
    static FILE: RefCell<Option<NamedTempFile>> = const { RefCell::new(None) };
}

pub(crate) fn csv(bytes: &[u8]) -> bool {
    table("data.csv", bytes)
}

pub(crate) fn json(bytes: &[u8]) -> bool {
    table("data.json", bytes)
}

pub(crate) fn parquet(bytes: &[u8]) -> bool {
    table("data.parquet", bytes)
}

pub(crate) fn arrow(bytes: &[u8]) -> bool {
    table("data.arrow", bytes)
}

pub(crate) fn numpy(bytes: &[u8]) -> bool {
    table("data.npz", bytes)
}

/// Reads the bytes as a file of that name.
fn table(name: &str, bytes: &[u8]) -> bool {
    FILE.with(|file| {
        let mut file = file.borrow_mut();
        let file = file.get_or_insert_with(|| new_file(name));
        let written = std::fs::write(file.path(), bytes);
        written.expect("a temporary file that can be written");
        read(file.path())
    })
}

/// A file in memory where the system has such a folder, else a temporary one.
fn new_file(name: &str) -> NamedTempFile {
    let mut builder = tempfile::Builder::new();
    let extension = name.find('.').map_or("", |dot| &name[dot..]);
    builder.suffix(extension);
    let memory = Path::new("/dev/shm");
    let file = if memory.is_dir() { builder.tempfile_in(memory) } else { builder.tempfile() };
    file.expect("a temporary file")
}

fn read(path: &Path) -> bool {
    let options = ReadOptions { memory: 64 << 20, ..ReadOptions::default() };
    let Ok(mut source) = open(&Input::Path(path.to_path_buf()), &options) else { return false };
    let (mut batches, mut rows) = (Vec::new(), 0);
    while rows < MOST_ROWS {
        match source.next_batch() {
            Ok(Some(batch)) => {
                rows += batch.rows();
                batches.push(batch);
            }
            Ok(None) => break,
            Err(_) => return false,
        }
    }
    let columns = source.columns().to_vec();
    let fitted = Encoding::fit("table", &columns, &batches, &EncodeOptions::default());
    let Ok((encoding, choice)) = fitted else { return true };
    encoding.check().expect("an encoding that fits its own rules");
    for batch in &batches {
        let Ok(features) = batch.project(&choice.features()) else { continue };
        if let Ok(encoded) = encoding.apply("table", &features) {
            assert!(encoded.values.iter().all(|value| value.is_finite()));
        }
    }
    true
}
