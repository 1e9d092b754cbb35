//! One Python process: a line of JSON in, a line a run out.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;

use super::{Options, failed};
use crate::error::Result;
use crate::run::{Run, Status};

/// The first line of a worker.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Hello {
    pub(super) versions: String,
    pub(super) methods: Vec<String>,
}

/// A line of a worker.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    method: String,
    status: Status,
    #[serde(default)]
    parameters: String,
    auc_roc: Option<f64>,
    average_precision: Option<f64>,
    fit_seconds: Option<f64>,
    score_seconds: Option<f64>,
    #[serde(default)]
    message: String,
}

impl Answer {
    pub(super) fn run(self, begun: Run, hello: &Hello) -> Run {
        Run {
            status: self.status,
            parameters: self.parameters,
            auc_roc: self.auc_roc,
            average_precision: self.average_precision,
            fit_seconds: self.fit_seconds,
            score_seconds: self.score_seconds,
            message: self.message,
            versions: hello.versions.clone(),
            ..begun
        }
    }
}

/// A Python process; it ends when its standard input does.
pub(super) struct Worker {
    python: PathBuf,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    pub(super) hello: Hello,
}

impl Worker {
    pub(super) fn start(options: &Options, script: &Path) -> Result<(Self, Child)> {
        let python = options.python.clone();
        let mut command = Command::new(&python);
        command.arg(script).arg("--timeout").arg(options.timeout.to_string());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| failed(&python, &source.to_string()))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(&python, "it has no standard input or output"));
        };
        let mut answers = BufReader::new(answers);
        let hello = line(&python, &mut answers)?;
        Ok((Self { python, requests, answers, hello }, child))
    }

    pub(super) fn ask(&mut self, request: &serde_json::Value) -> Result<()> {
        writeln!(self.requests, "{request}")
            .and_then(|()| self.requests.flush())
            .map_err(|source| failed(&self.python, &source.to_string()))
    }

    pub(super) fn answer(&mut self, method: &str) -> Result<Answer> {
        let answer: Answer = line(&self.python, &mut self.answers)?;
        if answer.method == method {
            Ok(answer)
        } else {
            let what = format!("it answered about {} when asked about {method}", answer.method);
            Err(failed(&self.python, &what))
        }
    }
}

fn line<T: for<'a> Deserialize<'a>>(python: &Path, from: &mut impl BufRead) -> Result<T> {
    let mut line = String::new();
    match from.read_line(&mut line) {
        Ok(0) => Err(failed(python, "it ended; what it said stands above")),
        Ok(_) => serde_json::from_str(&line)
            .map_err(|problem| failed(python, &format!("it said {:?}: {problem}", line.trim()))),
        Err(source) => Err(failed(python, &source.to_string())),
    }
}
