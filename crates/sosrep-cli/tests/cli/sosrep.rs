//! Runs the program in a folder of its own and keeps what it said.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A folder that is removed when the test ends.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with this table as `data.csv`.
    pub(crate) fn with(table: &str) -> Self {
        let folder = Self::new();
        folder.write("data.csv", table);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.path(name), contents).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The names in the folder, hidden ones too.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program with these words, not yet started.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sosrep"));
        command.args(words.split_whitespace()).current_dir(self.0.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs `sosrep` with these words.
    pub(crate) fn run(&self, words: &str) -> Ran {
        Ran::new(words, self.command(words).output().unwrap())
    }

    /// Runs it with these bytes on standard input.
    pub(crate) fn run_with_input(&self, words: &str, input: &[u8]) -> Ran {
        let mut child = self.command(words).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input).unwrap();
        drop(stdin);
        Ran::new(words, child.wait_with_output().unwrap())
    }

    /// Runs it, expects success and gives what it printed.
    pub(crate) fn succeed(&self, words: &str) -> String {
        self.run(words).success().stdout
    }

    /// Runs it, expects a refusal that leaves the folder as it was, and gives the message.
    pub(crate) fn refuse(&self, words: &str) -> String {
        let before = self.names();
        let message = self.run(words).refusal();
        assert_eq!(self.names(), before, "{words} left something behind");
        message
    }
}

/// Text without the spaces that fill the last column of a table.
pub(crate) fn trimmed(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// What a run of the program gave.
pub(crate) struct Ran {
    words: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn new(words: &str, output: Output) -> Self {
        Self {
            words: words.to_string(),
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    pub(crate) fn success(self) -> Self {
        assert_eq!(self.code, Some(0), "sosrep {}\n{}", self.words, self.stderr);
        self
    }

    /// The message of a run that ended with 1 and printed nothing else.
    pub(crate) fn refusal(self) -> String {
        let Self { words, code, stdout, stderr } = self;
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "sosrep {words}\n{stderr}");
        stderr.strip_prefix("error: ").unwrap_or(&stderr).trim_end().to_string()
    }
}
