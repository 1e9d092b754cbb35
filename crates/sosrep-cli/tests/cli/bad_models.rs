//! Files that are not models, or not any more.

use sosrep::kernel::{Kernel, KernelKind};
use sosrep::{DensityParams, Kde, Points};

use super::sosrep::Folder;
use super::tables;

/// What is said of these bytes as a model, by every command that takes one.
fn refused(bytes: impl AsRef<[u8]>) -> String {
    let folder = Folder::with(&tables::plain());
    folder.write("m.sosrep", bytes);
    let message = folder.refuse("score m.sosrep data.csv --out o.csv");
    assert!(message.starts_with("m.sosrep: "), "{message} does not begin with the file");
    assert_eq!(message.lines().count(), 1, "{message}");
    for words in [
        "explain m.sosrep data.csv --out o.csv",
        "density m.sosrep data.csv --out o.csv",
        "sample m.sosrep -n 3 --out o.csv",
        "inspect m.sosrep",
    ] {
        assert_eq!(folder.refuse(words), message, "{words} says something else");
    }
    message
}

fn model() -> Vec<u8> {
    let folder = Folder::with(&tables::plain());
    folder.succeed("fit data.csv --quiet --model m.sosrep");
    folder.read("m.sosrep")
}

/// The model with one text replaced by another of the same length.
fn with(old: &str, new: &str) -> Vec<u8> {
    let mut bytes = model();
    assert_eq!(old.len(), new.len());
    let place = bytes.windows(old.len()).position(|part| part == old.as_bytes());
    let place = place.unwrap_or_else(|| panic!("no {old} in the model"));
    bytes[place..place + new.len()].copy_from_slice(new.as_bytes());
    bytes
}

#[test]
fn a_model_of_a_later_version() {
    insta::assert_snapshot!(refused(with(r#"\"format\":4"#, r#"\"format\":9"#)), @"m.sosrep: the model has format version 9, this version of sosrep reads up to 4; upgrade sosrep");
}

#[test]
fn a_model_cut_short() {
    let bytes = model();
    insta::assert_snapshot!(refused(&bytes[..bytes.len() - 100]), @"m.sosrep: this is not a readable model: its arrays should have 7080 bytes and have 6980; give a file that sosrep fit or sosrep detect has saved");
    insta::assert_snapshot!(refused(&bytes[..bytes.len() / 4]), @"m.sosrep: this is not a readable model: its table of contents is cut off, or it is no safetensors file; give a file that sosrep fit or sosrep detect has saved");
    insta::assert_snapshot!(refused(&bytes[..5]), @"m.sosrep: this is not a readable model: it has fewer than 8 bytes; give a file that sosrep fit or sosrep detect has saved");
    insta::assert_snapshot!(refused(b""), @"m.sosrep: this is not a readable model: it has fewer than 8 bytes; give a file that sosrep fit or sosrep detect has saved");
}

#[test]
fn bytes_that_are_no_model() {
    let mut uniform = tables::Uniform(1);
    let random: Vec<u8> = (0..5000).map(|_| (uniform.next() * 256.0) as u8).collect();
    insta::assert_snapshot!(refused(random), @"m.sosrep: this is not a readable model: its table of contents is cut off, or it is no safetensors file; give a file that sosrep fit or sosrep detect has saved");
    insta::assert_snapshot!(refused(tables::plain()), @"m.sosrep: this is not a readable model: its table of contents is cut off, or it is no safetensors file; give a file that sosrep fit or sosrep detect has saved");
}

#[test]
fn a_model_whose_table_was_tampered_with() {
    insta::assert_snapshot!(refused(with(r#"\"ignored\":"#, r#"\"ignorEd\":"#)), @"m.sosrep: this is not a readable model: unknown field `ignorEd`, expected one of `encoding`, `ids`, `label`, `ignored`; give a file that sosrep fit or sosrep detect has saved");
}

#[test]
fn a_model_and_a_table_that_changed_places() {
    let folder = Folder::with(&tables::plain());
    folder.succeed("fit data.csv --quiet --model m.sosrep");
    insta::assert_snapshot!(folder.refuse("score data.csv m.sosrep --out o.csv"), @"data.csv: this is not a readable model: its table of contents is cut off, or it is no safetensors file; give a file that sosrep fit or sosrep detect has saved");
}

#[test]
fn a_model_given_as_a_table() {
    let folder = Folder::with(&tables::plain());
    folder.succeed("fit data.csv --quiet --model m.sosrep");
    // Which byte is the first zero depends on the length of the model's header.
    insta::with_settings!({filters => [(r"byte \d+", "byte [n]")]}, {
        insta::assert_snapshot!(folder.refuse("detect m.sosrep --out o.csv"), @"m.sosrep: byte [n] is zero, so this is not a text file; give CSV or JSON saved as UTF-8, Parquet, Arrow or NumPy");
    });
}

/// What a command that needs a detector says, and what `inspect` shows.
fn refused_and_inspected(bytes: &[u8]) -> (String, String) {
    let folder = Folder::with(&tables::plain());
    folder.write("m.sosrep", bytes);
    let message = folder.refuse("score m.sosrep data.csv --out o.csv");
    assert_eq!(folder.refuse("explain m.sosrep data.csv --out o.csv"), message);
    (message, folder.succeed("inspect m.sosrep"))
}

#[test]
fn models_of_other_kinds_are_shown_and_no_detectors() {
    let rows = Points::new(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.7], 2).unwrap();
    let density = DensityParams::new().fit(rows, None).unwrap();
    let (message, shown) = refused_and_inspected(&density.to_bytes().unwrap());
    insta::assert_snapshot!(message, @"m.sosrep: this is not a readable model: it holds a density, not a detector; read it as a density; give a file that sosrep fit or sosrep detect has saved");
    assert!(shown.contains("density"), "{shown}");
    let kernel = Kernel::new(&KernelKind::Gaussian, 2, 0.25).unwrap();
    let kde = Kde::new(kernel, rows, None).unwrap();
    let (message, shown) = refused_and_inspected(&kde.to_bytes().unwrap());
    insta::assert_snapshot!(message, @"m.sosrep: this is not a readable model: it holds a kernel density estimate, not a detector; read it as a kernel density estimate; give a file that sosrep fit or sosrep detect has saved");
    for fact in ["kernel density estimate", "gaussian", "0.25"] {
        assert!(shown.contains(fact), "{shown}");
    }
}
