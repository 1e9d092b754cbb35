//! Devices and pipes for tests, made where nothing of the system can be harmed.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::Command;

fn run(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// A named pipe in `folder`.
pub(crate) fn pipe(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    assert!(run(Command::new("mkfifo").arg(&path)), "mkfifo is needed");
    path
}

/// A device that is always full: one of our own where the system lets us make it, its own where we
/// could not replace that; `None` otherwise.
pub(crate) fn full_device(folder: &Path) -> Option<PathBuf> {
    let own = folder.join("full");
    let made = run(Command::new("mknod").arg(&own).args(["c", "1", "7"]));
    if made && OpenOptions::new().write(true).open(&own).is_ok() {
        return Some(own);
    }
    let _ = fs::remove_file(&own);
    let harmless = tempfile::tempfile_in("/dev").is_err();
    Some(PathBuf::from("/dev/full")).filter(|device| harmless && device.exists())
}
