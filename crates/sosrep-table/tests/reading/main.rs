//! Reading as a user meets it: files in, batches or messages out.

mod csv_text;
mod damage;
mod formats;
mod json;
mod messages;

use std::fs;
use std::path::PathBuf;

use arrow_array::{Array, RecordBatch};
use arrow_select::concat::concat_batches;
use sosrep_table::{Batch, Error, Input, ReadOptions, Result, open, read_all};
use tempfile::TempDir;

/// A folder with one file in it.
struct Folder {
    folder: TempDir,
    name: String,
}

impl Folder {
    fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), content).unwrap();
        Self { folder, name: name.to_string() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    fn batches(&self, options: &ReadOptions) -> Result<Vec<Batch>> {
        let mut source = open(&Input::Path(self.path()), options)?;
        read_all(source.as_mut(), &mut |_| true)
    }

    /// The error and its remedies, or those of the first cell that could not be read.
    fn error(&self, options: &ReadOptions) -> String {
        self.refusal(self.batches(options))
    }

    fn refusal(&self, read: Result<Vec<Batch>>) -> String {
        let batches = match read {
            Ok(batches) => batches,
            Err(error) => return self.said(&error),
        };
        let found = batches.iter().find_map(|batch| batch.unreadable.first().map(|c| (batch, c)));
        let (batch, cell) = found.expect("the file or a cell of it is to be refused");
        assert!(batch.cells.column(cell.column).is_null(cell.row));
        self.said(&Error::Column {
            file: self.name.clone(),
            place: Some(batch.place(cell.row)),
            column: batch.cells.schema().field(cell.column).name().clone(),
            problem: cell.problem.clone(),
        })
    }

    /// An error and its remedies, the folder taken off the name of the file.
    fn said(&self, error: &Error) -> String {
        let sentence = error.sentence(|remedy| format!("{remedy:?}"));
        sentence.replace(&format!("{}/", self.folder.path().display()), "")
    }
}

/// All rows in one.
fn together(batches: &[Batch]) -> RecordBatch {
    concat_batches(&batches[0].cells.schema(), batches.iter().map(|batch| &batch.cells)).unwrap()
}

/// All rows of a CSV file of this text.
fn rows(text: &str) -> RecordBatch {
    together(&Folder::with("data.csv", text).batches(&ReadOptions::default()).unwrap())
}

fn in_batches_of(batch_rows: usize) -> ReadOptions {
    ReadOptions { batch_rows, ..ReadOptions::default() }
}
