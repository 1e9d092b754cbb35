//! A file is there whole or not at all, and what is not a file is left what it is.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use super::{AtomicFile, write_atomically};

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_appears_when_it_is_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.txt");
    let mut file = AtomicFile::create(&path).unwrap();
    file.write_all(b"words").unwrap();
    file.flush().unwrap();
    assert_eq!(file.path(), path);
    let [part] = &names(folder.path())[..] else { panic!("one file") };
    assert!(part.starts_with(".new.txt.") && part.ends_with(".part"), "{part}");
    file.commit().unwrap();
    assert_eq!(names(folder.path()), ["new.txt"]);
    assert_eq!(fs::read(&path).unwrap(), b"words");
}

#[test]
fn a_file_that_is_dropped_leaves_the_old_one_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.txt");
    write_atomically(&path, b"old").unwrap();
    let mut file = AtomicFile::create(&path).unwrap();
    file.write_all(&[b'x'; 1 << 20]).unwrap();
    drop(file);
    assert_eq!(names(folder.path()), ["old.txt"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    write_atomically(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[test]
fn a_name_as_long_as_names_can_be_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["n".repeat(255), "é".repeat(127)] {
        write_atomically(folder.path().join(name), b"words").unwrap();
    }
    assert_eq!(names(folder.path()).len(), 2);
}

#[test]
fn a_missing_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("not there");
    let path = missing.join("new.txt");
    assert_eq!(
        AtomicFile::create(&path).unwrap_err().to_string(),
        format!(
            "cannot write {}: the folder {} does not exist; create it first",
            path.display(),
            missing.display()
        )
    );
}

#[test]
fn a_folder_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        write_atomically(folder.path(), b"words").unwrap_err().to_string(),
        format!("cannot write {}: it is a folder; give a file", folder.path().display())
    );
}

#[cfg(unix)]
mod unix {
    use std::io::{self, Read};
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

    use super::*;
    use crate::atomic::special::{full_device, pipe};
    use crate::error::Error;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn a_new_file_has_the_permissions_of_any_other() {
        let folder = tempfile::tempdir().unwrap();
        let (path, ordinary) = (folder.path().join("new"), folder.path().join("ordinary"));
        write_atomically(&path, b"").unwrap();
        fs::write(&ordinary, b"").unwrap();
        assert_eq!(mode(&path), mode(&ordinary));
    }

    #[test]
    fn a_file_that_is_replaced_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old");
        for bits in [0o600, 0o640, 0o777, 0o666] {
            fs::write(&path, b"old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
            write_atomically(&path, b"new").unwrap();
            assert_eq!((mode(&path), fs::read(&path).unwrap()), (bits, b"new".to_vec()));
        }
    }

    #[test]
    fn a_link_stays_and_its_target_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = folder.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        let (link, second) = (folder.path().join("link"), elsewhere.join("second"));
        symlink("elsewhere/second", &link).unwrap();
        symlink("target", &second).unwrap();
        // At first the links lead nowhere, then to a file.
        for content in [b"one", b"two"] {
            write_atomically(&link, content).unwrap();
            assert!(link.is_symlink() && second.is_symlink());
            assert_eq!(fs::read(elsewhere.join("target")).unwrap(), content);
            assert_eq!(names(&elsewhere), ["second", "target"]);
        }
    }

    #[test]
    fn links_in_a_loop_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("loop");
        symlink("loop", &path).unwrap();
        assert_eq!(
            AtomicFile::create(&path).unwrap_err().to_string(),
            format!("cannot write {}: its links form a loop", path.display())
        );
    }

    #[test]
    fn a_pipe_is_written_and_stays_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(folder.path(), "pipe");
        let reader = std::thread::spawn({
            let path = path.clone();
            move || {
                let mut text = String::new();
                fs::File::open(path).unwrap().read_to_string(&mut text).unwrap();
                text
            }
        });
        write_atomically(&path, b"words").unwrap();
        assert_eq!(reader.join().unwrap(), "words");
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
        assert_eq!(names(folder.path()), ["pipe"]);
    }

    #[test]
    fn a_full_disk_is_an_error_and_the_device_stays() {
        let folder = tempfile::tempdir().unwrap();
        let Some(device) = full_device(folder.path()) else { return };
        // A few bytes stay in the buffer until the commit, many do not.
        for bytes in [vec![0; 10], vec![0; 1 << 20]] {
            let error = write_atomically(&device, &bytes).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("cannot write {}: the disk is full; free some space", device.display())
            );
        }
        assert!(fs::metadata(&device).unwrap().file_type().is_char_device());
    }

    /// The folder belongs to the system, which lets not even its administrator create a file there.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_takes_no_file_is_named() {
        if !fs::read_to_string("/proc/mounts").is_ok_and(|mounts| mounts.contains(" /sys sysfs ")) {
            return eprintln!("skipped: no sysfs");
        }
        let error = AtomicFile::create("/sys/new.txt").unwrap_err();
        let Error::LockedFolder { source, .. } = &error else { panic!("{error}") };
        let reason = match source.kind() {
            io::ErrorKind::PermissionDenied => "permission denied".to_string(),
            _ => source.to_string(),
        };
        assert_eq!(
            error.to_string(),
            format!(
                "cannot write /sys/new.txt: no file can be created in the folder /sys: {reason}"
            )
        );
    }
}

/// A killed writer's file can be locked; that of a living one, and those of others, cannot or stay.
#[test]
fn what_a_killed_writer_left_is_removed_by_the_next_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.csv");
    let mut living = AtomicFile::create(&target).unwrap();
    living.write_all(b"living").unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    for entry in fs::read_dir(folder.path()).unwrap() {
        File::options().write(true).open(entry.unwrap().path()).unwrap().set_modified(old).unwrap();
    }
    let left = |name: &str, age| {
        let path = folder.path().join(name);
        let file = File::create(&path).unwrap();
        file.set_modified(age).unwrap();
        path
    };
    let killed = left(".out.csv.aB3dE6.part", old);
    let kept = [
        left(".out.csv.aB3dE7.part", std::time::SystemTime::now()),
        left(".out.csv.a-copy.part", old),
        left(".other.csv.aB3dE6.part", old),
        left("out.csv.aB3dE6.part", old),
    ];
    write_atomically(&target, b"new").unwrap();
    assert!(!killed.exists());
    assert!(kept.iter().all(|path| path.exists()));
    living.commit().unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"living");
}
