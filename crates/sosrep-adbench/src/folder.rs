//! The folder of a run.
//!
//! ```text
//! runs.csv             one line a run, appended
//! curves.csv           one line a point of a curve over bandwidths, appended
//! readings.csv         what every rule chooses on those curves, made from them
//! experiments/*.csv    the numbers of the experiments that are not about runs
//! set-up.txt           how it was made: command, machine; a line each
//! report.md figures/*.svg tables/*.csv    the report, which Python makes from the above alone
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::log::Log;
use crate::run::Run;

/// A folder of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder(PathBuf);

impl RunFolder {
    /// A folder that is there already.
    pub fn existing(path: impl AsRef<Path>) -> Self {
        Self(path.as_ref().to_path_buf())
    }

    /// A folder that is made if it is not there.
    ///
    /// # Errors
    /// [`Error::LogFile`] if it cannot be made.
    pub fn make(path: impl AsRef<Path>) -> Result<Self> {
        let folder = Self::existing(path);
        let experiments = folder.experiments();
        fs::create_dir_all(&experiments).map_err(|source| failed(&experiments, source))?;
        Ok(folder)
    }

    /// Where experiments write.
    pub fn experiments(&self) -> PathBuf {
        self.0.join("experiments")
    }

    /// The log of runs, for writing.
    ///
    /// # Errors
    /// As [`Log::open`].
    pub fn log(&self) -> Result<Log<Run>> {
        Log::open(self.runs_file())
    }

    /// The log of curves over bandwidths.
    pub fn curves_file(&self) -> PathBuf {
        self.0.join("curves.csv")
    }

    /// What rules choose on them.
    pub fn readings_file(&self) -> PathBuf {
        self.0.join("readings.csv")
    }

    /// The lines about how it was made.
    ///
    /// # Errors
    /// [`Error::LogFile`].
    pub fn set_up(&self) -> Result<Vec<String>> {
        let file = self.set_up_file();
        match fs::read_to_string(&file) {
            Ok(text) => Ok(text.lines().map(str::to_string).collect()),
            Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(source) => Err(failed(&file, source)),
        }
    }

    /// Adds a line about how it was made, unless it is there.
    ///
    /// # Errors
    /// [`Error::LogFile`], [`Error::Table`].
    pub fn add_set_up(&self, line: &str) -> Result<()> {
        let mut lines = self.set_up()?;
        if !lines.iter().any(|there| there == line) {
            lines.push(line.to_string());
            let text = lines.join("\n") + "\n";
            sosrep_table::write_atomically(self.set_up_file(), text.as_bytes())?;
        }
        Ok(())
    }

    fn runs_file(&self) -> PathBuf {
        self.0.join("runs.csv")
    }

    fn set_up_file(&self) -> PathBuf {
        self.0.join("set-up.txt")
    }
}

fn failed(path: &Path, source: io::Error) -> Error {
    Error::LogFile { file: path.display().to_string(), source }
}
