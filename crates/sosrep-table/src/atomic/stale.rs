//! Temporary files whose writer was killed, removed by the next one to the same target.
//!
//! A writer holds a lock on its temporary file, which the system releases when the process ends, however
//! it ends. A file of that name that can be locked is nobody's. Between its creation and its
//! lock a file is nobody's too, so only those of a minute or more are looked at. Where there
//! are no locks, or anything fails, files stay.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

/// A temporary file of this age has been locked, if its writer lives.
const AGE: Duration = Duration::from_secs(60);
/// Random letters and digits in the name of a temporary file.
const RANDOM: usize = 6;

/// Removes what writers that no longer live have left in the folder under names with this beginning
/// and end.
pub(super) fn remove_stale(folder: &Path, prefix: &str, suffix: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_str().and_then(|name| name.strip_prefix(prefix)?.strip_suffix(suffix));
        let ours = name.is_some_and(|middle| {
            middle.len() == RANDOM && middle.chars().all(|c| c.is_ascii_alphanumeric())
        });
        if ours && is_stale(&entry.path()) == Some(true) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether it is a regular file, old, and locked by nobody; `None` if that cannot be told.
fn is_stale(path: &Path) -> Option<bool> {
    let found = fs::symlink_metadata(path).ok()?;
    let old = found.modified().ok()?.elapsed().ok()? >= AGE;
    if !found.is_file() || !old {
        return Some(false);
    }
    Some(File::open(path).ok()?.try_lock().is_ok())
}
