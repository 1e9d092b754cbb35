//! Data sets made for a test: archives written by another library than the one that reads them.

use std::fs::File;
use std::path::{Path, PathBuf};

use ndarray::{Array1, Array2};
use ndarray_npy::{NpzWriter, WritableElement};
use sosrep_adbench::{Dataset, Entry, named};
use tempfile::TempDir;

/// A data set of which the catalogue knows nothing, so that any table may bear its name.
pub(crate) fn stranger() -> Entry {
    named("3_backdoor").unwrap()
}

/// Writes `X` and `y`.
pub(crate) fn write<X: WritableElement, Y: WritableElement>(
    path: &Path,
    x: &Array2<X>,
    y: &Array1<Y>,
) {
    let mut archive = NpzWriter::new_compressed(File::create(path).unwrap());
    archive.add_array("X", x).unwrap();
    archive.add_array("y", y).unwrap();
    archive.finish().unwrap();
}

/// A folder with one file of the entry's name.
pub(crate) fn folder_with<X: WritableElement, Y: WritableElement>(
    entry: &Entry,
    x: &Array2<X>,
    y: &Array1<Y>,
) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(entry.file_name());
    write(&path, x, y);
    (folder, path)
}

/// Rows that are all different, of which the first are anomalies: a column that never varies, one
/// of fractions, one of large numbers.
pub(crate) fn table(rows: usize, anomalies: usize) -> (Array2<f64>, Array1<i32>) {
    let x = Array2::from_shape_fn((rows, 3), |(i, j)| match j {
        0 => 7.0,
        1 => (i as f64 * 0.618).fract() - 0.3,
        _ => 1e6 + i as f64,
    });
    (x, Array1::from_shape_fn(rows, |i| i32::from(i < anomalies)))
}

/// The data set of [`table`], written and read.
pub(crate) fn dataset(rows: usize, anomalies: usize) -> Dataset {
    let (x, y) = table(rows, anomalies);
    let (_folder, path) = folder_with(&stranger(), &x, &y);
    Dataset::read(&stranger(), path).unwrap()
}
