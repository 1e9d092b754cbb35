//! The Python parts of this program, which carries them: the baselines and the report.
//!
//! They are written to a temporary folder and run there, so that the program works wherever it is.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus};

use tempfile::TempDir;

use crate::error::{Error, Result};

/// Every file that is not only for tests, by its name in the folder.
pub const FILES: [(&str, &str); 17] = [
    ("baselines.py", include_str!("../python/baselines.py")),
    ("adbench_report/__init__.py", include_str!("../python/adbench_report/__init__.py")),
    ("adbench_report/__main__.py", include_str!("../python/adbench_report/__main__.py")),
    ("adbench_report/boards.py", include_str!("../python/adbench_report/boards.py")),
    ("adbench_report/catalogue.csv", include_str!("../python/adbench_report/catalogue.csv")),
    ("adbench_report/claims.py", include_str!("../python/adbench_report/claims.py")),
    ("adbench_report/densities.py", include_str!("../python/adbench_report/densities.py")),
    ("adbench_report/detectors.py", include_str!("../python/adbench_report/detectors.py")),
    ("adbench_report/document.py", include_str!("../python/adbench_report/document.py")),
    ("adbench_report/figures.py", include_str!("../python/adbench_report/figures.py")),
    ("adbench_report/logs.py", include_str!("../python/adbench_report/logs.py")),
    ("adbench_report/readings.py", include_str!("../python/adbench_report/readings.py")),
    ("adbench_report/report.py", include_str!("../python/adbench_report/report.py")),
    ("adbench_report/robustness.py", include_str!("../python/adbench_report/robustness.py")),
    ("adbench_report/scoreboard.py", include_str!("../python/adbench_report/scoreboard.py")),
    ("adbench_report/theory.py", include_str!("../python/adbench_report/theory.py")),
    ("requirements.txt", include_str!("../python/requirements.txt")),
];

/// Writes the files to a folder of their own, which is removed with the value.
///
/// # Errors
/// [`Error::LogFile`] for a folder that cannot be made or written.
pub fn unpack() -> Result<TempDir> {
    let temporary = std::env::temp_dir();
    let failed = |path: &Path| {
        let file = path.display().to_string();
        move |source| Error::LogFile { file, source }
    };
    let folder = TempDir::new().map_err(failed(&temporary))?;
    fs::create_dir(folder.path().join("adbench_report")).map_err(failed(folder.path()))?;
    for (name, text) in FILES {
        let path = folder.path().join(name);
        fs::write(&path, text).map_err(failed(&path))?;
    }
    Ok(folder)
}

/// Makes the report of a run: `options` are those of `python -m adbench_report`.
///
/// # Errors
/// [`Error::Python`] for a Python that cannot be started, [`Error::Report`] where it ends with an
/// error, which it has printed.
pub fn report(python: &Path, options: &[&OsStr]) -> Result<()> {
    let files = unpack()?;
    let started = Command::new(python)
        .args(["-m", "adbench_report"])
        .args(options)
        .env("PYTHONPATH", files.path())
        .status();
    match started {
        Ok(ended) if ended.success() => Ok(()),
        Ok(ended) => Err(Error::Report { ended: words(ended) }),
        Err(source) => {
            Err(Error::Python { python: python.display().to_string(), problem: source.to_string() })
        }
    }
}

fn words(ended: ExitStatus) -> String {
    ended.code().map_or("a signal".to_string(), |code| format!("exit code {code}"))
}
