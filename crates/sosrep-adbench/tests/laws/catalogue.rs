//! The catalogue and what it says about a folder.

use sosrep_adbench::{Error, all, find, named};

use super::made::{folder_with, stranger, table};

#[test]
fn numbers_count_from_1_to_47_and_names_are_different() {
    assert!(all().iter().map(|entry| entry.number).eq(1..=47));
    let mut names: Vec<&str> = all().iter().map(|entry| entry.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 47);
}

#[test]
fn nothing_is_known_of_four_data_sets() {
    let unknown = all().iter().filter(|entry| entry.facts.is_none());
    let names: Vec<String> = unknown.map(ToString::to_string).collect();
    assert_eq!(names, ["3_backdoor", "9_census", "13_fraud", "36_speech"]);
}

#[test]
fn facts_are_of_tables_with_both_classes_and_checksums_are_of_different_files() {
    let facts: Vec<_> = all().iter().filter_map(|entry| entry.facts).collect();
    for facts in &facts {
        assert!(facts.shape.anomalies >= 2 && facts.shape.anomalies < facts.shape.rows);
        assert_eq!(facts.checksum.len(), 64);
        assert!(facts.checksum.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f')));
    }
    let mut checksums: Vec<&str> = facts.iter().map(|facts| facts.checksum).collect();
    checksums.sort_unstable();
    checksums.dedup();
    assert_eq!(checksums.len(), 43);
}

#[test]
fn every_data_set_is_found_by_its_three_names() {
    for entry in all() {
        for name in [entry.to_string(), entry.name.to_string(), entry.number.to_string()] {
            assert_eq!(named(&name).unwrap(), *entry);
        }
    }
    let message = "ADBench has no data set \"14_Glass\"; its names go from 1_ALOI to 47_yeast";
    assert_eq!(named("14_Glass").unwrap_err().to_string(), message);
}

#[test]
fn a_folder_tells_what_is_there_and_what_is_missing() {
    let (x, y) = table(50, 5);
    let (folder, path) = folder_with(&stranger(), &x, &y);
    std::fs::write(folder.path().join("48_other.npz"), "left aside").unwrap();
    let found = find(folder.path()).unwrap();
    assert_eq!(found.present, [(stranger(), path)]);
    assert_eq!(found.missing.len(), 46);
    assert!(!found.missing.contains(&stranger()));
    assert_eq!(found.read(&stranger()).unwrap().shape().rows, 50);
}

#[test]
fn a_missing_data_set_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = find(folder.path()).unwrap().read(&named("glass").unwrap()).unwrap_err();
    let expected = format!(
        "the data set 14_glass is not in {}; put its file 14_glass.npz there or leave it out",
        folder.path().display()
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let message = find("nowhere").unwrap_err().to_string();
    let expected = "nowhere is not a folder; give the one that holds the files of ADBench";
    assert_eq!(message, expected);
}

#[test]
fn a_file_of_another_shape_is_an_error_with_both() {
    let (x, y) = table(214, 9);
    let (folder, path) = folder_with(&named("glass").unwrap(), &x, &y);
    let expected = format!(
        "{} has 214 rows of 3 columns with 9 anomalies, ADBench's has 214 rows of 7 columns with 9 \
         anomalies; fetch the file again",
        path.display()
    );
    assert_eq!(find(folder.path()).unwrap_err().to_string(), expected);
}

#[test]
fn a_file_of_the_right_shape_and_other_bytes_is_an_error_with_both_checksums() {
    let glass = named("glass").unwrap();
    let (_, y) = table(214, 9);
    let (folder, path) = folder_with(&glass, &ndarray::Array2::<f64>::zeros((214, 7)), &y);
    match find(folder.path()).unwrap_err() {
        Error::WrongChecksum { file, expected, found } => {
            assert_eq!(file, path.display().to_string());
            assert_eq!(expected, glass.facts.unwrap().checksum);
            assert!(found != expected && found.len() == 64);
        }
        other => panic!("{other}"),
    }
}
