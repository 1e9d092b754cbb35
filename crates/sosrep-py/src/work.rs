//! Long work beside Python: its lock released, its signals heard, its callbacks called.
//!
//! The work runs on a pool of threads while the calling thread waits and, every [`PATIENCE`], asks
//! Python whether Ctrl-C was pressed. Progress travels to the calling thread and is told to the
//! callback there, so that a callback never runs beside the caller's own code. An exception in the
//! callback stops the work like Ctrl-C and is raised.
//!
//! Pools are kept, one for each number of threads and process: a forked child has no threads of
//! its parent's pool and must not wait for them.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sosrep::{Error, Progress, Stage};

use crate::failure::{internal, value_error};

/// Time between two looks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);
/// Rows that are worked on in the calling thread.
const FEW_ROWS: usize = 8;
/// Most threads of a pool.
const MOST_THREADS: usize = 1024;

/// What the work knows of the one who waits for it.
pub(crate) struct CancelHandle<'a> {
    stop: &'a AtomicBool,
    sender: Sender<Progress>,
}

impl CancelHandle<'_> {
    /// Tells progress; breaks if the one who waits wants to stop. A monitor for the core.
    pub(crate) fn report(&self, progress: &Progress) -> ControlFlow<()> {
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        // Nobody listens any more only if the call is over.
        let _ = self.sender.send(*progress);
        ControlFlow::Continue(())
    }

    /// [`Error::Cancelled`] if the one who waits wants to stop: for work without a monitor.
    pub(crate) fn check(&self) -> sosrep::Result<()> {
        if self.stop.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// Who asks for work: threads to use and whom to tell.
pub(crate) struct Caller<'py> {
    py: Python<'py>,
    pool: Arc<ThreadPool>,
    callback: Option<Py<PyAny>>,
}

impl<'py> Caller<'py> {
    /// `n_jobs` as scikit-learn has it: none for every core, −1 too, −2 for all but one.
    pub(crate) fn new(
        py: Python<'py>,
        n_jobs: Option<i64>,
        callback: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self { py, pool: pool(threads(n_jobs)?)?, callback: callback.map(Bound::unbind) })
    }

    /// Runs the work and returns what it does, or what stopped it.
    pub(crate) fn run<T: Send>(
        self,
        work: impl FnOnce(&CancelHandle) -> sosrep::Result<T> + Send,
    ) -> PyResult<T> {
        let Self { py, pool, callback } = self;
        let stop = AtomicBool::new(false);
        let (sender, receiver) = channel();
        let (heard, outcome) = py.detach(move || {
            let mut outcome = None;
            let heard = pool.in_place_scope(|scope| {
                let (outcome, stop) = (&mut outcome, &stop);
                scope.spawn(move |_| {
                    let handle = CancelHandle { stop, sender };
                    *outcome = Some(catch_unwind(AssertUnwindSafe(|| work(&handle))));
                });
                listen(&receiver, callback.as_ref(), stop)
            });
            (heard, outcome)
        });
        heard?;
        match outcome {
            Some(Ok(result)) => result.map_err(value_error),
            Some(Err(panic)) => Err(internal(&*panic)),
            None => Err(PyRuntimeError::new_err("the work ended without a result")),
        }
    }
}

/// Runs work on so many rows: on a few, which takes no longer than waking other threads, in the calling one.
pub(crate) fn run_for_rows<T: Send>(
    py: Python<'_>,
    rows: usize,
    n_jobs: Option<i64>,
    work: impl FnOnce(&CancelHandle) -> sosrep::Result<T> + Send,
) -> PyResult<T> {
    if rows > FEW_ROWS {
        return Caller::new(py, n_jobs, None)?.run(work);
    }
    threads(n_jobs)?;
    let stop = AtomicBool::new(false);
    // Nobody listens.
    let (sender, _) = channel();
    let handle = CancelHandle { stop: &stop, sender };
    match py.detach(|| catch_unwind(AssertUnwindSafe(|| work(&handle)))) {
        Ok(result) => result.map_err(value_error),
        Err(panic) => Err(internal(&*panic)),
    }
}

/// Waits for the work to end; the exception that stopped it, if one did.
fn listen(
    receiver: &Receiver<Progress>,
    callback: Option<&Py<PyAny>>,
    stop: &AtomicBool,
) -> PyResult<()> {
    let mut complaint = None;
    let mut looked = Instant::now();
    loop {
        let told = match receiver.recv_timeout(PATIENCE) {
            Ok(progress) => Some(progress),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if complaint.is_some() {
            continue;
        }
        let mut heard = Ok(());
        if let (Some(progress), Some(callback)) = (told, callback) {
            heard = Python::attach(|py| tell(callback.bind(py), &progress));
        }
        if heard.is_ok() && looked.elapsed() >= PATIENCE {
            looked = Instant::now();
            heard = Python::attach(|py| py.check_signals());
        }
        if let Err(error) = heard {
            stop.store(true, Ordering::Relaxed);
            complaint = Some(error);
        }
    }
    complaint.map_or(Ok(()), Err)
}

/// callback(stage, step, steps, residual)
fn tell(callback: &Bound<'_, PyAny>, progress: &Progress) -> PyResult<()> {
    let stage = match progress.stage {
        Stage::Kernel => "kernel",
        Stage::Solve => "solve",
        Stage::Refit => "refit",
        Stage::Tune => "tune",
        Stage::Score => "score",
        Stage::Normalize => "normalize",
        Stage::Sample => "sample",
        _ => "work",
    };
    callback.call1((stage, progress.step, progress.steps, progress.residual))?;
    Ok(())
}

fn threads(n_jobs: Option<i64>) -> PyResult<usize> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match n_jobs {
        // Rayon's own choice: every core, or RAYON_NUM_THREADS.
        None => Ok(0),
        Some(jobs @ 1..) if jobs as usize <= MOST_THREADS => Ok(jobs as usize),
        Some(jobs @ ..=-1) => Ok(cores.saturating_sub(jobs.unsigned_abs() as usize - 1).max(1)),
        Some(jobs) => Err(PyValueError::new_err(format!(
            "n_jobs is {jobs}; it must be None, between 1 and {MOST_THREADS}, or negative: -1 for \
             every core"
        ))),
    }
}

/// The pool for this process and number of threads. Called with Python's lock held, under which
/// processes fork: the mutex is never taken in a child that did not take it itself.
fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    /// By process and number of threads.
    type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;
    static POOLS: LazyLock<Mutex<Pools>> = LazyLock::new(Mutex::default);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(pool.clone());
    }
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    let built = built.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let pool = Arc::new(built);
    pools.insert(key, pool.clone());
    Ok(pool)
}
