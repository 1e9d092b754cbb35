//! Several workers that share a list of tasks, whatever the tasks are about.

use std::fmt::Display;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use super::Options;
use super::worker::{Hello, Worker};
use crate::campaign::{Task, Watch};
use crate::error::{Error, Result};
use crate::export::export;
use crate::protocol::Split;
use crate::python;
use crate::run::Run;

/// How often the watch is asked whether to go on.
const PATIENCE: Duration = Duration::from_millis(100);

/// What came of one method on one setting: a run, or why there were no rows for it.
pub(crate) struct Reply<T> {
    pub(crate) setting: T,
    pub(crate) method: String,
    pub(crate) outcome: std::result::Result<Run, String>,
}

/// A Python that answered, and the processes of it; dropped, it ends them.
pub(crate) struct Session<'a> {
    options: &'a Options,
    /// Where the script is, and splits are written.
    folder: TempDir,
    hello: Hello,
    /// Every process that was started.
    children: Mutex<Vec<Child>>,
}

/// Tasks that nobody has taken yet.
type Queue<T> = Mutex<std::vec::IntoIter<Task<T>>>;

impl<'a> Session<'a> {
    /// Starts a Python to hear what it has.
    pub(crate) fn open(options: &'a Options) -> Result<Self> {
        let folder = python::unpack()?;
        let script = folder.path().join("baselines.py");
        let (Worker { hello, .. }, child) = Worker::start(options, &script)?;
        Ok(Self { options, folder, hello, children: Mutex::new(vec![child]) })
    }

    /// What runs.
    pub(crate) fn versions(&self) -> &str {
        &self.hello.versions
    }

    /// The methods asked for, all by default, but for those left out.
    pub(crate) fn methods(&self) -> Result<Vec<&str>> {
        let known = &self.hello.methods;
        let names = if self.options.methods.is_empty() { known } else { &self.options.methods };
        if let Some(name) = names.iter().find(|name| !known.contains(name)) {
            return Err(Error::UnknownBaseline { name: name.clone(), known: known.join(", ") });
        }
        let wanted = names.iter().filter(|name| !self.options.without.contains(name));
        Ok(wanted.map(String::as_str).collect())
    }

    /// Hands out the tasks and takes the replies as they come, in any order. Every worker makes its
    /// splits by a function of its own, which `splits` gives.
    pub(crate) fn ask<T, S>(
        &self,
        tasks: Vec<Task<T>>,
        splits: impl Fn() -> S + Sync,
        take: &mut dyn FnMut(Reply<T>) -> Result<()>,
        watch: Watch,
    ) -> Result<()>
    where
        T: Clone + Display + Send,
        S: FnMut(&T) -> Result<std::result::Result<Split, String>>,
    {
        let of = tasks.iter().map(|task| task.methods.len()).sum();
        let queue: Queue<T> = Mutex::new(tasks.into_iter());
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for number in 0..self.options.jobs.max(1) {
                let (queue, splits, sender) = (&queue, &splits, sender.clone());
                scope.spawn(move || {
                    if let Err(problem) = self.work(number, queue, splits(), &sender) {
                        // Nobody listens any more if the work was stopped.
                        let _ = sender.send(Err(problem));
                    }
                });
            }
            drop(sender);
            let outcome = gather(&receiver, of, take, watch);
            if outcome.is_err() {
                if let Ok(mut queue) = queue.lock() {
                    queue.by_ref().for_each(drop);
                }
                self.stop();
            }
            outcome
        })
    }

    /// Takes tasks until there are none.
    fn work<T: Clone>(
        &self,
        number: usize,
        queue: &Queue<T>,
        mut split: impl FnMut(&T) -> Result<std::result::Result<Split, String>>,
        sender: &Sender<Result<Reply<T>>>,
    ) -> Result<()> {
        let file = self.folder.path().join(format!("split-{number}.npz"));
        let mut worker = None;
        while let Some(task) = next(queue) {
            let split = split(&task.setting)?;
            let mut asked = match &split {
                Err(message) => Err(message),
                Ok(split) => Ok((split, self.request(&mut worker, split, &task, &file)?)),
            };
            for method in &task.methods {
                let outcome = match &mut asked {
                    Err(message) => Err(message.clone()),
                    Ok((split, worker)) => {
                        let begun = Run::begun_on(split, method);
                        Ok(worker.answer(method)?.run(begun, &worker.hello))
                    }
                };
                let (setting, method) = (task.setting.clone(), method.clone());
                if sender.send(Ok(Reply { setting, method, outcome })).is_err() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Gives a split to a worker, which is started if it is not there yet.
    fn request<'w, T>(
        &self,
        worker: &'w mut Option<Worker>,
        split: &Split,
        task: &Task<T>,
        file: &Path,
    ) -> Result<&'w mut Worker> {
        export(split, file)?;
        let worker = match worker {
            Some(worker) => worker,
            empty => empty.insert(self.start()?),
        };
        let (methods, seed) = (&task.methods, split.origin.seed);
        worker.ask(&json!({ "split": file, "methods": methods, "seed": seed }))?;
        Ok(worker)
    }

    fn start(&self) -> Result<Worker> {
        let script: PathBuf = self.folder.path().join("baselines.py");
        let (worker, child) = Worker::start(self.options, &script)?;
        if let Ok(mut children) = self.children.lock() {
            children.push(child);
        }
        Ok(worker)
    }

    /// Ends the processes, and with them the threads that listen.
    fn stop(&self) {
        for child in self.children.lock().iter_mut().flat_map(|children| children.iter_mut()) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.stop();
    }
}

fn next<T>(queue: &Queue<T>) -> Option<Task<T>> {
    queue.lock().ok()?.next()
}

/// Hands on replies as they come.
fn gather<T: Display>(
    receiver: &mpsc::Receiver<Result<Reply<T>>>,
    of: usize,
    take: &mut dyn FnMut(Reply<T>) -> Result<()>,
    watch: Watch,
) -> Result<()> {
    let mut done = 0;
    let mut what = "baselines".to_string();
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(reply) => {
                let reply = reply?;
                what = format!("{} on {}", reply.method, reply.setting);
                take(reply)?;
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
