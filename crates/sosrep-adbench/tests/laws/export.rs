//! What is exported is what was split, read back by this project's reader and by another library.

use std::fs::{self, File};
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use ndarray::{Array1, Array2};
use ndarray_npy::NpzReader;
use sosrep_adbench::{Noise, Protocol, Split, export, split};
use sosrep_table::{Input, ReadOptions, open, read_all};
use zip::ZipArchive;

use super::made::dataset;

fn noisy() -> Split {
    let noise = Noise { duplicates: 2, jitter: Some(0.25), irrelevant_features: 0.5 };
    split(&dataset(120, 30), Protocol::Authors, &noise, u64::MAX).unwrap()
}

/// The values of an array of an archive, row after row, by the reader of tables.
fn our_array(archive: &Path, name: &str) -> Vec<f64> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("array.npy");
    let mut archive = ZipArchive::new(File::open(archive).unwrap()).unwrap();
    std::io::copy(&mut archive.by_name(name).unwrap(), &mut File::create(&path).unwrap()).unwrap();
    let mut source = open(&Input::Path(path), &ReadOptions::default()).unwrap();
    let mut values = Vec::new();
    for batch in read_all(&mut *source, &mut |_| true).unwrap() {
        for row in 0..batch.rows() {
            let columns = batch.cells.columns().iter();
            values.extend(columns.map(|cells| cells.as_primitive::<Float64Type>().value(row)));
        }
    }
    values
}

#[test]
fn our_reader_gives_back_every_bit() {
    let (folder, split) = (tempfile::tempdir().unwrap(), noisy());
    let path = folder.path().join("split.npz");
    export(&split, &path).unwrap();
    for (name, part) in [("train", &split.train), ("test", &split.test)] {
        assert_eq!(our_array(&path, &format!("X_{name}.npy")), part.values);
        let labels = our_array(&path, &format!("y_{name}.npy"));
        assert!(labels.iter().map(|&label| label == 1.0).eq(part.labels.iter().copied()));
        assert!(labels.iter().all(|&label| label == 0.0 || label == 1.0));
    }
}

#[test]
fn another_library_reads_the_same_shapes_and_values() {
    let (folder, split) = (tempfile::tempdir().unwrap(), noisy());
    let path = folder.path().join("split.npz");
    export(&split, &path).unwrap();
    let mut archive = NpzReader::new(File::open(&path).unwrap()).unwrap();
    let mut names = archive.names().unwrap();
    names.sort_unstable();
    assert_eq!(names, ["X_test", "X_train", "y_test", "y_train"]);
    for (name, part) in [("train", &split.train), ("test", &split.test)] {
        let x: Array2<f64> = archive.by_name(&format!("X_{name}")).unwrap();
        assert_eq!(x.shape(), [part.rows.len(), 4]);
        assert_eq!(x.as_slice().unwrap(), part.values);
        let y: Array1<f64> = archive.by_name(&format!("y_{name}")).unwrap();
        assert_eq!(y.sum(), part.anomalies() as f64);
    }
}

#[test]
fn the_line_of_json_says_what_the_split_is() {
    let (folder, split) = (tempfile::tempdir().unwrap(), noisy());
    let path = folder.path().join("split.npz");
    let description = export(&split, &path).unwrap();
    let text = fs::read_to_string(folder.path().join("split.json")).unwrap();
    assert_eq!(text.find('\n'), Some(text.len() - 1));
    let line: serde_json::Value = serde_json::from_str(&text).unwrap();
    let expected = serde_json::json!({
        "data_set": "3_backdoor",
        "input_sha256": split.origin.input_sha256,
        "protocol": "authors",
        "noise": { "duplicates": 2, "jitter": 0.25, "irrelevant_features": 0.5 },
        "seed": u64::MAX,
        "columns": 4,
        "irrelevant_columns": 1,
        "train_rows": 105,
        "train_anomalies": 42,
        "test_rows": 45,
        "test_anomalies": 18,
        "split_sha256": description.split_sha256,
        "library": concat!("sosrep-adbench ", env!("CARGO_PKG_VERSION")),
    });
    assert_eq!(line, expected);
}

#[test]
fn equal_splits_give_equal_bytes_and_another_seed_others() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |seed: u64, name: &str| {
        let split = split(&dataset(120, 30), Protocol::AdBench, &Noise::default(), seed).unwrap();
        export(&split, folder.path().join(name)).unwrap();
        fs::read(folder.path().join(name)).unwrap()
    };
    let one = bytes(1, "one.npz");
    assert_eq!(one, bytes(1, "again.npz"));
    assert_ne!(one, bytes(2, "other.npz"));
}

#[test]
fn what_cannot_be_written_is_named_and_leaves_what_was_there() {
    let (folder, split) = (tempfile::tempdir().unwrap(), noisy());
    let error = export(&split, folder.path().join("none/split.npz")).unwrap_err();
    assert!(error.to_string().contains("split.npz: the folder"), "{error}");
    let path = folder.path().join("split.json");
    fs::write(&path, "mine").unwrap();
    let error = export(&split, &path).unwrap_err();
    assert!(error.to_string().ends_with("its name must end in one of .npz"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
