//! Where results go: checked before any work, complete or not there at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{BooleanArray, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use sosrep::detector::Assessment;
use sosrep_table::atomic::followed;
use sosrep_table::{AtomicFile, Output, Sink, sink};

use crate::failure::{Failure, Result, user};
use crate::rows::{Rows, name_fields};

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
pub(crate) fn create_table(path: &Path, schema: &SchemaRef) -> Result<Box<dyn Sink>> {
    Ok(sink::create(&output(path), schema.clone())?)
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

/// Columns of a table of scored rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoreColumns {
    pub(crate) id: bool,
    pub(crate) label: bool,
    pub(crate) rank: bool,
    pub(crate) reasons: bool,
}

impl ScoreColumns {
    pub(crate) fn schema(&self) -> SchemaRef {
        let mut fields = name_fields(self.id);
        let mut add = |wanted: bool, name: &str, kind: DataType, missing: bool| {
            if wanted {
                fields.push(Field::new(name, kind, missing));
            }
        };
        add(true, "anomaly_score", DataType::Float64, false);
        add(true, "p_value", DataType::Float64, false);
        add(true, "is_anomaly", DataType::Boolean, false);
        add(self.rank, "rank", DataType::UInt64, false);
        add(self.label, "label", DataType::Utf8, true);
        add(self.reasons, "reasons", DataType::Utf8, true);
        Arc::new(Schema::new(fields))
    }

    /// The rows as a table. `ranking` and `reasons` are read where their columns were asked for: the
    /// rows by their score, and words for the rows that were explained.
    pub(crate) fn batch(
        &self,
        rows: &Rows,
        found: &Assessment,
        ranking: &[usize],
        reasons: Vec<Option<String>>,
    ) -> Result<RecordBatch> {
        let mut columns = rows.name_columns(self.id);
        columns.push(Arc::new(Float64Array::from(found.scores.clone())));
        columns.push(Arc::new(Float64Array::from(found.p_values.clone())));
        columns.push(Arc::new(BooleanArray::from(found.is_anomaly.clone())));
        if self.rank {
            columns.push(Arc::new(UInt64Array::from(ranks(ranking))));
        }
        if self.label {
            let labels = rows.labels.clone().unwrap_or_else(|| vec![None; rows.len()]);
            columns.push(Arc::new(StringArray::from(labels)));
        }
        if self.reasons {
            columns.push(Arc::new(StringArray::from(reasons)));
        }
        Ok(RecordBatch::try_new(self.schema(), columns)?)
    }
}

/// The place of every row in a ranking, from 1.
pub(crate) fn ranks(ranking: &[usize]) -> Vec<u64> {
    let mut ranks = vec![0; ranking.len()];
    for (place, &row) in ranking.iter().enumerate() {
        ranks[row] = place as u64 + 1;
    }
    ranks
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

    #[test]
    fn the_first_of_a_ranking_has_rank_one() {
        assert_eq!(ranks(&[1, 2, 0]), [3, 1, 2]);
    }
}
