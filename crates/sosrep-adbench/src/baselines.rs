//! The detectors of PyOD and scikit-learn, asked through `bench/baselines.py`.
//!
//! The script is part of this library; it runs under a Python that has PyOD. Each of `jobs` workers
//! is one Python process that gets split after split as a file and answers with one line a run.
//! Whatever happens inside of it, an error, a time-out, a crash of a library, is a line in the log.

use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;

use crate::campaign::{Campaign, Done, Splits, Task, Watch, unsplit};
use crate::catalogue::Found;
use crate::error::{Error, Result};
use crate::export::export;
use crate::log::Log;
use crate::run::{Run, Status};

/// The program of a worker.
const SCRIPT: &str = include_str!("../../../bench/baselines.py");

/// How often the watch is asked whether to go on.
const PATIENCE: Duration = Duration::from_millis(100);

/// How the baselines are run.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// A Python that has PyOD.
    pub python: PathBuf,
    /// Seconds a run may take.
    pub timeout: f64,
    /// Runs side by side, each on one thread.
    pub jobs: usize,
    /// The methods; all that the script has where empty.
    pub methods: Vec<String>,
}

/// Runs the baselines wherever they are missing from the log.
///
/// # Errors
/// [`Error::Python`] for a Python that does not run or has no PyOD, [`Error::Parameter`] for a
/// method there is not, [`sosrep::Error::Cancelled`] if the watch says so, and whatever is wrong
/// with files.
pub fn run_baselines(
    found: &Found,
    campaign: &Campaign,
    options: &Options,
    log: &mut Log<Run>,
    watch: Watch,
) -> Result<()> {
    let folder = TempDir::new().map_err(|source| failed(&options.python, &source.to_string()))?;
    let script = folder.path().join("baselines.py");
    sosrep_table::write_atomically(&script, SCRIPT.as_bytes())?;
    let mut pool = Pool::new(found, options, &script, folder.path());
    let hello = pool.start()?.hello;
    let methods = chosen(options, &hello)?;
    let tasks = campaign.missing(&Done::of(log.entries(), &hello.versions), &methods);
    let of = tasks.iter().map(|task| task.methods.len()).sum();
    pool.queue = Mutex::new(tasks.into_iter());
    let outcome = std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for number in 0..options.jobs.max(1) {
            let (pool, sender) = (&pool, sender.clone());
            scope.spawn(move || {
                if let Err(problem) = pool.work(number, &sender) {
                    // Nobody listens any more if the campaign was stopped.
                    let _ = sender.send(Err(problem));
                }
            });
        }
        drop(sender);
        let outcome = gather(&receiver, of, log, watch);
        if outcome.is_err() {
            pool.stop();
        }
        outcome
    });
    pool.stop();
    outcome
}

/// Writes runs to the log as they come.
fn gather(
    receiver: &mpsc::Receiver<Result<Run>>,
    of: usize,
    log: &mut Log<Run>,
    watch: Watch,
) -> Result<()> {
    let mut done = 0;
    let mut what = "baselines".to_string();
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(run) => {
                let run = run?;
                what = format!("{} on {}", run.method, run.setting());
                log.append(run)?;
                done += 1;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        if watch(&what, done, of) == ControlFlow::Break(()) {
            return Err(sosrep::Error::Cancelled.into());
        }
    }
}

/// The methods asked for, all by default.
fn chosen<'a>(options: &'a Options, hello: &'a Hello) -> Result<Vec<&'a str>> {
    let names = if options.methods.is_empty() { &hello.methods } else { &options.methods };
    match names.iter().find(|name| !hello.methods.contains(name)) {
        Some(name) => {
            Err(Error::UnknownBaseline { name: name.clone(), known: hello.methods.join(", ") })
        }
        None => Ok(names.iter().map(String::as_str).collect()),
    }
}

/// What the workers share.
struct Pool<'a> {
    found: &'a Found,
    options: &'a Options,
    script: &'a Path,
    /// Where splits are written.
    folder: &'a Path,
    queue: Mutex<std::vec::IntoIter<Task>>,
    /// Every process that was started.
    children: Mutex<Vec<Child>>,
}

impl<'a> Pool<'a> {
    fn new(found: &'a Found, options: &'a Options, script: &'a Path, folder: &'a Path) -> Self {
        let (queue, children) = (Mutex::new(Vec::new().into_iter()), Mutex::new(Vec::new()));
        Self { found, options, script, folder, queue, children }
    }

    /// Takes tasks until there are none.
    fn work(&self, number: usize, sender: &Sender<Result<Run>>) -> Result<()> {
        let file = self.folder.join(format!("split-{number}.npz"));
        let mut splits = Splits::new(self.found);
        let mut worker = None;
        while let Some(task) = self.next() {
            let split = match splits.make(&task.setting)? {
                Ok(split) => split,
                Err(message) => {
                    let run = |method: &String| unsplit(&task.setting, method, &message, "");
                    if task.methods.iter().any(|method| sender.send(Ok(run(method))).is_err()) {
                        return Ok(());
                    }
                    continue;
                }
            };
            export(&split, &file)?;
            let worker = match &mut worker {
                Some(worker) => worker,
                empty => empty.insert(self.start()?),
            };
            let Task { setting, methods } = &task;
            worker.ask(&json!({ "split": file, "methods": methods, "seed": setting.seed }))?;
            for method in methods {
                let run = worker.answer(method)?.run(Run::begun_on(&split, method), &worker.hello);
                if sender.send(Ok(run)).is_err() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn next(&self) -> Option<Task> {
        self.queue.lock().ok()?.next()
    }

    fn start(&self) -> Result<Worker> {
        let (worker, child) = Worker::start(self.options, self.script)?;
        if let Ok(mut children) = self.children.lock() {
            children.push(child);
        }
        Ok(worker)
    }

    /// Drops what is left to do and ends the processes, and with them the threads that listen.
    fn stop(&self) {
        if let Ok(mut queue) = self.queue.lock() {
            queue.by_ref().for_each(drop);
        }
        for child in self.children.lock().iter_mut().flat_map(|children| children.iter_mut()) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The first line of a worker.
#[derive(Debug, Clone, Deserialize)]
struct Hello {
    versions: String,
    methods: Vec<String>,
}

/// A line of a worker.
#[derive(Debug, Deserialize)]
struct Answer {
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
    fn run(self, begun: Run, hello: &Hello) -> Run {
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
struct Worker {
    python: PathBuf,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    hello: Hello,
}

impl Worker {
    fn start(options: &Options, script: &Path) -> Result<(Self, Child)> {
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

    fn ask(&mut self, request: &serde_json::Value) -> Result<()> {
        writeln!(self.requests, "{request}")
            .and_then(|()| self.requests.flush())
            .map_err(|source| failed(&self.python, &source.to_string()))
    }

    fn answer(&mut self, method: &str) -> Result<Answer> {
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

fn failed(python: &Path, problem: &str) -> Error {
    Error::Python { python: python.display().to_string(), problem: problem.to_string() }
}
