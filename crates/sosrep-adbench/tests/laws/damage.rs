//! Files that are cut short, altered, or hold something else: an error that names the file.

use std::fs;
use std::io::Write;
use std::path::Path;

use ndarray::{Array1, Array2, array};
use ndarray_npy::{NpzWriter, WritableElement};
use sosrep_adbench::{Dataset, Error};

use super::made::{folder_with, stranger, table};

fn message(path: &Path) -> String {
    let message = Dataset::read(&stranger(), path).unwrap_err().to_string();
    let rest = message.strip_prefix(&path.display().to_string());
    rest.unwrap_or_else(|| panic!("no file in {message:?}")).to_string()
}

#[test]
fn no_beginning_of_a_file_is_a_data_set() {
    let (x, y) = table(20, 4);
    let (_folder, path) = folder_with(&stranger(), &x, &y);
    let bytes = fs::read(&path).unwrap();
    for length in 0..bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        message(&path);
    }
}

#[test]
fn a_flipped_bit_is_an_error_that_names_the_file_or_changes_no_value() {
    let (x, y) = table(20, 4);
    let (_folder, path) = folder_with(&stranger(), &x, &y);
    let whole = Dataset::read(&stranger(), &path).unwrap();
    let bytes = fs::read(&path).unwrap();
    let mut errors = 0;
    for position in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[position] ^= 1 << (position % 8);
        fs::write(&path, &flipped).unwrap();
        match Dataset::read(&stranger(), &path) {
            // Dates and the like may be anything; the checksum tells the files apart all the same.
            Ok(read) => {
                assert_eq!((read.values(), read.labels()), (whole.values(), whole.labels()));
                assert_ne!(read.checksum(), whole.checksum());
            }
            Err(error) => {
                assert!(error.to_string().contains("3_backdoor.npz"), "{error}");
                errors += 1;
            }
        }
    }
    assert!(errors > bytes.len() / 2, "{errors} errors in {} bytes", bytes.len());
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let path = Path::new("nowhere/3_backdoor.npz");
    let error = Dataset::read(&stranger(), path).unwrap_err().to_string();
    assert_eq!(error, "cannot read nowhere/3_backdoor.npz: there is no such file or folder");
}

#[test]
fn an_array_that_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("3_backdoor.npz");
    for (present, expected) in [
        ("X", ": there is no array \"y\" beside \"X\"; give one label, 0 or 1, a row"),
        ("y", ": there is no array \"X\", only [\"y\"]"),
    ] {
        let mut archive = NpzWriter::new(fs::File::create(&path).unwrap());
        archive.add_array(present, &array![1.0, 0.0]).unwrap();
        archive.finish().unwrap();
        let message = message(&path);
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn labels_that_are_too_few_or_neither_0_nor_1_are_errors() {
    let x = Array2::<f64>::zeros((3, 2));
    let (_folder, path) = folder_with(&stranger(), &x, &array![0, 1]);
    let expected = ": \"X\" has 3 rows and \"y\" has 2 values; give one per row";
    assert_eq!(message(&path), expected);
    for (value, word) in [(2.0, "2"), (-1.0, "-1"), (0.5, "0.5"), (f64::NAN, "NaN")] {
        let (_folder, path) = folder_with(&stranger(), &x, &array![0.0, 1.0, value]);
        let expected = format!(", row 3: the label is {word}; it must be 0, or 1 for an anomaly");
        assert_eq!(message(&path), expected);
    }
}

#[test]
fn values_that_are_no_finite_numbers_are_errors_with_their_place() {
    for (value, word) in [(f64::NAN, "NaN"), (f64::NEG_INFINITY, "-inf"), (1e200, "1000000")] {
        let (_folder, path) =
            folder_with(&stranger(), &array![[0.0, 1.0], [2.0, value]], &array![0, 1]);
        let message = message(&path);
        let expected = format!(", row 2, column 2 of X: the value is {word}");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[test]
fn the_row_of_an_error_counts_through_the_whole_file() {
    let (mut x, y) = table(20_000, 4);
    x[[17_345, 1]] = f64::INFINITY;
    let (_folder, path) = folder_with(&stranger(), &x, &y);
    assert!(message(&path).starts_with(", row 17346, column 2 of X: the value is inf"));
}

/// Writes and reads two rows.
fn check_two_rows<X: WritableElement, Y: WritableElement>(x: &Array2<X>, y: &Array1<Y>) {
    let (_folder, path) = folder_with(&stranger(), x, y);
    let dataset = Dataset::read(&stranger(), path).unwrap();
    assert_eq!(dataset.values(), [1.0, 2.0, 3.0, 250.0, 5.0, 6.0]);
    assert_eq!(dataset.row(1), [250.0, 5.0, 6.0]);
    assert_eq!(dataset.labels(), [true, false]);
}

#[test]
fn numbers_of_every_width_are_read_in_both_orders() {
    let x: Array2<u8> = array![[1, 2, 3], [250, 5, 6]];
    let y: Array1<u8> = array![1, 0];
    check_two_rows(&x, &y);
    check_two_rows(&x.mapv(f32::from), &y.mapv(i64::from));
    check_two_rows(&x.mapv(i16::from), &y.mapv(|label| label == 1));
    check_two_rows(&x.mapv(i64::from), &y.mapv(f64::from));
    let columns_first = x.t().as_standard_layout().into_owned().reversed_axes();
    assert!(!columns_first.is_standard_layout());
    check_two_rows(&columns_first, &y);
}

#[test]
fn a_file_of_another_format_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("3_backdoor.npz");
    fs::File::create(&path).unwrap().write_all(b"a,b,y\n1,2,0\n").unwrap();
    assert!(matches!(Dataset::read(&stranger(), &path), Err(Error::Table(_))));
    let (x, y) = (Array2::<f64>::zeros((0, 2)), Array1::<i32>::zeros(0));
    let (_folder, path) = folder_with(&stranger(), &x, &y);
    assert!(message(&path).contains("no rows"));
}
