//! What can go wrong with an output, in the words the user sees.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};

use super::super::{Output, create};
use super::{ENDINGS, batch, schema, write};

#[test]
fn an_unknown_ending_is_found_before_any_work() {
    for name in ["out.xlsx", "out", "csv", "out.gz", ".", "out.csv.bz2"] {
        let output = Output::Path(PathBuf::from(name));
        let expected = format!(
            "cannot write {name}: its name must end in one of .csv, .csv.gz, .csv.zst, .tsv, \
             .parquet, .arrow, .feather, .ipc, .json, .jsonl, .ndjson"
        );
        assert_eq!(output.check().unwrap_err().to_string(), expected);
        let error = create(&output, schema()).err().unwrap();
        assert_eq!(error.to_string(), expected);
    }
    for name in ENDINGS.iter().flat_map(|ending| [ending.to_string(), ending.to_uppercase()]) {
        assert!(Output::Path(PathBuf::from(format!("out.{name}"))).check().is_ok(), "{name}");
    }
    assert!(Output::Stdout.check().is_ok());
}

#[test]
fn a_dash_is_standard_output() {
    assert_eq!("-".parse(), Ok(Output::Stdout));
    assert_eq!("./-".parse(), Ok(Output::Path(PathBuf::from("./-"))));
    assert_eq!(Output::Stdout.to_string(), "standard output");
}

#[test]
fn a_table_that_is_not_finished_leaves_the_old_file_and_nothing_else() {
    for ending in ENDINGS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("out.{ending}"));
        fs::write(&path, "old").unwrap();
        let mut sink = create(&Output::Path(path.clone()), schema()).unwrap();
        sink.write(&batch(&[(Some(1.0), None, None, None, None)])).unwrap();
        drop(sink);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{ending}");
    }
}

#[test]
fn a_column_of_another_type_is_named() {
    let schema = Arc::new(Schema::new(vec![Field::new("day", DataType::Date32, true)]));
    let error = create(&Output::Path(PathBuf::from("out.csv")), schema).err().unwrap();
    assert_eq!(error.to_string(), "cannot write out.csv: column \"day\" has the type Date32");
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let Some(device) = crate::atomic::special::full_device(folder.path()) else { return };
    let row = (Some(1.0), Some(2), Some(3), Some(true), Some("words".to_string()));
    for ending in ENDINGS {
        let link = folder.path().join(format!("out.{ending}"));
        std::os::unix::fs::symlink(&device, &link).unwrap();
        for rows in [1, 20_000] {
            let error = write(&link, &vec![row.clone(); rows], 1000).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("cannot write {}: the disk is full; free some space", link.display())
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_told_by_the_kind_of_the_source() {
    use std::io::{ErrorKind, Read};

    use crate::error::Error;

    let folder = tempfile::tempdir().unwrap();
    for ending in ENDINGS {
        let path = crate::atomic::special::pipe(folder.path(), &format!("out.{ending}"));
        let reader = std::thread::spawn({
            let path = path.clone();
            move || fs::File::open(path).unwrap().read(&mut [0]).unwrap()
        });
        // Different words in every row, so that compression leaves more than a pipe holds.
        let row = |index: u64| {
            let noise = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (Some(noise as f64), None, Some(noise), None, Some(format!("{noise:x}")))
        };
        let rows: Vec<_> = (0..40_000).map(row).collect();
        let error = write(&path, &rows, 1000).unwrap_err();
        let Error::Write { source, .. } = &error else { panic!("{error}") };
        assert_eq!(source.kind(), ErrorKind::BrokenPipe, "{ending}: {error}");
        assert_eq!(reader.join().unwrap(), 1);
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_without_an_ending_gets_csv() {
    let folder = tempfile::tempdir().unwrap();
    let path = crate::atomic::special::pipe(folder.path(), "pipe");
    let reader = std::thread::spawn({
        let path = path.clone();
        move || fs::read_to_string(path).unwrap()
    });
    write(&path, &[(Some(0.5), None, None, Some(true), None)], 1).unwrap();
    let expected = "score,rank,row,\"flagged, \"\"really\"\"\",note\n0.5,,,true,\n";
    assert_eq!(reader.join().unwrap(), expected);
}
