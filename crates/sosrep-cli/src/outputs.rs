//! Where results go: checked before any work, complete or not there at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use sosrep_table::atomic::followed;
use sosrep_table::{AtomicFile, Format, Output, Sink, sink};

use crate::args::RunArgs;
use crate::failure::{Failure, Result, user};

/// A file for bytes, or standard output for `-`.
pub(crate) enum Target {
    File(AtomicFile),
    /// What is to be printed: kept until the files are in place, for its reader may have gone.
    Stdout(Vec<u8>),
}

impl Target {
    /// Opens the file under a temporary name, so that what cannot be written is known at once.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        if is_dash(path) {
            Ok(Self::Stdout(Vec::new()))
        } else {
            Ok(Self::File(AtomicFile::create(path)?))
        }
    }

    /// Writes everything, still under the temporary name.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Stdout(kept) => {
                kept.extend_from_slice(bytes);
                Ok(())
            }
            Self::File(file) => {
                file.write_all(bytes).and_then(|()| file.flush()).map_err(|source| {
                    sosrep_table::Error::Write { file: file.path().display().to_string(), source }
                        .into()
                })
            }
        }
    }
}

/// A table of results and where it goes.
pub(crate) type Written = (Box<dyn Sink>, RecordBatch);

/// Writes the table, then gives the files their names, and prints last.
pub(crate) fn commit(table: Option<Written>, targets: Vec<Target>) -> Result<()> {
    let written = table.map_or(Ok(()), |(mut sink, batch)| {
        sink.write(&batch)?;
        Ok(sink.finish()?)
    });
    match written {
        // A table that nobody reads any more is no reason to keep the files back.
        Ok(()) | Err(Failure::ClosedPipe) => {}
        Err(failure) => return Err(failure),
    }
    let mut printed = Vec::new();
    for target in targets {
        match target {
            Target::File(file) => file.commit()?,
            Target::Stdout(bytes) => printed.extend(bytes),
        }
    }
    write_stdout(&printed)?;
    written
}

/// Bytes on standard output.
pub(crate) fn write_stdout(bytes: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|source| {
        sosrep_table::Error::Write { file: "standard output".to_string(), source }.into()
    })
}

/// A table of results.
pub(crate) fn create_table(
    path: &Path,
    schema: &SchemaRef,
    run: &RunArgs,
) -> Result<Box<dyn Sink>> {
    Ok(open_table(path, None, run)?.start(schema.clone())?)
}

/// A table of results whose columns are not known yet, in the format given or that of its name.
pub(crate) fn open_table(
    path: &Path,
    format: Option<Format>,
    run: &RunArgs,
) -> Result<sink::Opened> {
    Ok(sink::open(&output(path), format)?.spreadsheet_safe(run.spreadsheet_safe))
}

fn output(path: &Path) -> Output {
    if is_dash(path) { Output::Stdout } else { Output::Path(path.to_path_buf()) }
}

pub(crate) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// An error if two outputs are the same file, or one is an input.
pub(crate) fn check(inputs: &[&Path], outputs: &[Option<&Path>]) -> Result<()> {
    let outputs: Vec<&Path> = outputs.iter().flatten().copied().collect();
    for (i, path) in outputs.iter().enumerate() {
        if outputs[..i].iter().any(|other| same_file(other, path)) {
            return Err(user(format!(
                "{} is asked to hold two outputs; name two files",
                path.display()
            )));
        }
        if !is_dash(path) && inputs.iter().any(|input| same_file(input, path)) {
            return Err(user(format!(
                "{} is an input and would be overwritten; name another file",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Whether two paths lead to the same place, whether or not it exists yet.
fn same_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| -> PathBuf {
        // A link may lead to a file that is not there yet.
        let path = &followed(path).unwrap_or_else(|_| path.to_path_buf());
        path.canonicalize().unwrap_or_else(|_| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).canonicalize().unwrap_or_default();
            folder.join(path.file_name().unwrap_or_default())
        })
    };
    let special = |path: &Path| path.exists() && !path.is_file();
    place(a) == place(b) && !special(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_may_not_collide_with_each_other_or_with_an_input() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        std::fs::write(file("data.csv"), "x").unwrap();
        let (data, out, same) = (file("data.csv"), file("out.csv"), file("./out.csv"));
        assert!(check(&[&data], &[Some(&out), None]).is_ok());
        assert!(check(&[&data], &[Some(&out), Some(&same)]).is_err());
        assert!(check(&[&data], &[Some(&data)]).is_err());
        assert!(check(&[], &[Some(Path::new("-")), Some(Path::new("-"))]).is_err());
        assert!(check(&[], &[Some(Path::new("/dev/null")), Some(Path::new("/dev/null"))]).is_ok());
    }
}
