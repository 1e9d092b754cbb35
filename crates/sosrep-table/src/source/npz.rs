//! NumPy archives: a zip file of arrays, of which `X` holds the rows and `y`, if there, one more
//! column of that name; other arrays are left aside.
//!
//! Sizes in the archive are not believed either: an array is read until its shape is filled.

use std::fs::File;
use std::io::BufReader;

use zip::ZipArchive;
use zip::result::ZipError;

use super::ReadOptions;
use super::arrow_source::{Rows, damaged};
use super::format::Format;
use super::npy::{Matrix, MatrixRows, Role};
use crate::error::FileProblem;

type Archive = ZipArchive<BufReader<File>>;

/// Reads the arrays.
///
/// # Errors
/// [`FileProblem::NoMatrix`], [`FileProblem::ArrayLengths`], or what is wrong with an array.
pub(crate) fn open(file: File, options: &ReadOptions) -> Result<Box<dyn Rows>, FileProblem> {
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(failed)?;
    let Some(matrix) = array(&mut archive, "X.npy", Role::Rows)? else {
        return Err(FileProblem::NoMatrix { arrays: names(&archive) });
    };
    let labels = array(&mut archive, "y.npy", Role::Labels)?;
    if let Some(labels) = labels.as_ref().filter(|labels| labels.rows() != matrix.rows()) {
        return Err(FileProblem::ArrayLengths { rows: matrix.rows(), labels: labels.rows() });
    }
    Ok(Box::new(MatrixRows::new(matrix, labels, options)))
}

fn array(archive: &mut Archive, name: &str, role: Role) -> Result<Option<Matrix>, FileProblem> {
    match archive.by_name(name) {
        Ok(mut entry) => {
            let size = entry.size();
            Matrix::read(role, &mut entry, size).map(Some)
        }
        Err(ZipError::FileNotFound) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// The names of the arrays in order.
fn names(archive: &Archive) -> Vec<String> {
    let name = |entry: &str| entry.strip_suffix(".npy").unwrap_or(entry).to_string();
    let mut names: Vec<String> = archive.file_names().map(name).collect();
    names.sort_unstable();
    names
}

fn failed(error: impl ToString) -> FileProblem {
    damaged(Format::Npz, error)
}
