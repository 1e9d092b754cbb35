//! A file that appears at its name whole or not at all.
//!
//! It is written under a temporary name in the same folder (`.NAME.xxxxxx.part`), then flushed,
//! synced to disk and renamed over the target. Dropped before [`AtomicFile::commit`] it is removed
//! and the target is untouched; only a process that is killed leaves the temporary file behind, until
//! the next one writes to the same target, see `atomic/stale.rs`.
//!
//! A link is followed and its target replaced. A file that exists must be one the user may write,
//! and its permissions are kept, its owner and other hard links are not. What exists and is not a
//! regular file (a device, a pipe) can not be replaced and is written directly.

mod stale;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// Links followed before they are taken for a loop, as Linux does.
const LINK_LIMIT: usize = 40;
/// The end of a temporary file's name.
const SUFFIX: &str = ".part";
/// Bytes gathered before the system is asked to write.
const BUFFER: usize = 1 << 16;

/// A file being written.
#[derive(Debug)]
pub struct AtomicFile {
    /// The path as it was given, for messages.
    path: PathBuf,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// To be renamed to `target`.
    Temporary { file: BufWriter<NamedTempFile>, target: PathBuf },
    /// A device or a pipe.
    Direct(BufWriter<File>),
}

impl AtomicFile {
    /// Begins to write a file.
    ///
    /// # Errors
    /// [`Error::NoFolder`], [`Error::LockedFolder`], or [`Error::Write`] for a target that is a
    /// folder or may not be written.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let fail = |source| Error::Write { file: path.display().to_string(), source };
        let target = followed(path).map_err(fail)?;
        let form = match fs::metadata(&target) {
            Ok(found) if found.is_dir() => return Err(fail(io::ErrorKind::IsADirectory.into())),
            Ok(found) => {
                // Renaming would replace a file that is write-protected: opening it would not.
                let existing = OpenOptions::new().write(true).open(&target).map_err(fail)?;
                if found.is_file() {
                    temporary(path, target, Some(found.permissions()))?
                } else {
                    Form::Direct(BufWriter::with_capacity(BUFFER, existing))
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => temporary(path, target, None)?,
            Err(error) => return Err(fail(error)),
        };
        Ok(Self { path: path.to_path_buf(), form })
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts what was written in the place of the target.
    ///
    /// # Errors
    /// [`Error::Write`]; the target is then as it was, unless it is a device or a pipe.
    pub fn commit(self) -> Result<()> {
        let written = match self.form {
            Form::Direct(mut file) => file.flush(),
            Form::Temporary { file, target } => replace(file, &target),
        };
        written.map_err(|source| Error::Write { file: self.path.display().to_string(), source })
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.form {
            Form::Temporary { file, .. } => file.write(bytes),
            Form::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.form {
            Form::Temporary { file, .. } => file.flush(),
            Form::Direct(file) => file.flush(),
        }
    }
}

/// Writes a whole file, or leaves it as it was.
///
/// # Errors
/// Those of [`AtomicFile::create`] and [`AtomicFile::commit`].
pub fn write_atomically(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(&path)?;
    file.write_all(bytes)
        .map_err(|source| Error::Write { file: path.as_ref().display().to_string(), source })?;
    file.commit()
}

/// The path with links followed, whether there is something at the end of them or not.
///
/// # Errors
/// When the links form a loop.
pub fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_path_buf();
    for _ in 0..LINK_LIMIT {
        match fs::read_link(&target) {
            Ok(next) => target = folder(&target).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("its links form a loop"))
}

/// The folder a path lies in.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file beside the target, with the permissions it is to have.
fn temporary(path: &Path, target: PathBuf, permissions: Option<fs::Permissions>) -> Result<Form> {
    let folder = folder(&target);
    let (file, folder_name) = (path.display().to_string(), folder.display().to_string());
    if !folder.is_dir() {
        return Err(Error::NoFolder { file, folder: folder_name });
    }
    // Long names leave no room for more: a part tells as much.
    let name: String =
        target.file_name().unwrap_or_default().to_string_lossy().chars().take(40).collect();
    let prefix = format!(".{name}.");
    stale::remove_stale(folder, &prefix, SUFFIX);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(SUFFIX);
    if let Some(permissions) = permissions.clone().or_else(ordinary_permissions) {
        builder.permissions(permissions);
    }
    let locked = |source| Error::LockedFolder { file, folder: folder_name, source };
    let temporary = builder.tempfile_in(folder).and_then(|temporary| {
        // The mask of the process narrowed what was asked for: here it must be exact.
        // Tells others that its writer lives; where files cannot be locked, none is taken for stale.
        let _ = temporary.as_file().try_lock();
        permissions.map_or(Ok(()), |exact| temporary.as_file().set_permissions(exact))?;
        Ok(temporary)
    });
    let file = BufWriter::with_capacity(BUFFER, temporary.map_err(locked)?);
    Ok(Form::Temporary { file, target })
}

/// What a new file asks for, before the mask of the process.
#[cfg(unix)]
fn ordinary_permissions() -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn ordinary_permissions() -> Option<fs::Permissions> {
    None
}

fn replace(file: BufWriter<NamedTempFile>, target: &Path) -> io::Result<()> {
    let temporary = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    temporary.as_file().sync_all()?;
    temporary.persist(target)?;
    Ok(())
}

#[cfg(all(test, unix))]
pub(crate) mod special;
#[cfg(test)]
mod tests;
