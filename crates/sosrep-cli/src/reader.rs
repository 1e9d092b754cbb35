//! Reading on a thread of its own: the next rows are parsed while the last are processed, and Ctrl-C
//! takes effect even while standard input sends nothing.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use sosrep_table::{Batch, Input, ReadOptions, Source, source};

use crate::failure::{Failure, Result};
use crate::{interrupt, panics};

/// Batches parsed ahead.
const AHEAD: usize = 2;
/// Time between checks for Ctrl-C while nothing arrives.
const CHECK_EVERY: Duration = Duration::from_millis(100);

/// Opens a table, which reads its first rows.
pub(crate) fn open(input: Input, options: ReadOptions) -> Result<Box<dyn Source>> {
    let (sender, opened) = sync_channel(1);
    let thread = thread::spawn(move || {
        // After Ctrl-C there is no receiver any more.
        let _ = sender.send(source::open(&input, &options));
    });
    match receive(&opened)? {
        Some(source) => Ok(source?),
        None => Err(ended(thread.join().is_err())),
    }
}

/// What comes next, or `None` when the sender has gone; an error after Ctrl-C.
fn receive<T>(receiver: &Receiver<T>) -> Result<Option<T>> {
    loop {
        interrupt::check()?;
        match receiver.recv_timeout(CHECK_EVERY) {
            Ok(value) => return Ok(Some(value)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

/// The failure of a reading thread that ended without a result.
fn ended(panicked: bool) -> Failure {
    if panicked {
        panics::failure()
    } else {
        Failure::Internal("the thread that reads the table ended early".to_string())
    }
}

/// Some rows and the share of the file read so far.
pub(crate) struct Portion {
    pub(crate) batch: Batch,
    pub(crate) share: Option<f64>,
}

/// The rows of a table, in portions.
pub(crate) struct Reader {
    portions: Receiver<sosrep_table::Result<Portion>>,
    thread: Option<JoinHandle<()>>,
}

impl Reader {
    /// Starts reading.
    pub(crate) fn start(mut source: Box<dyn Source>) -> Self {
        let (sender, portions) = sync_channel(AHEAD);
        let thread = thread::spawn(move || {
            while let Some(next) = source.next_batch().transpose() {
                let portion = next.map(|batch| Portion { batch, share: source.progress() });
                let last = portion.is_err();
                // There is no receiver any more once the other side has failed.
                if sender.send(portion).is_err() || last {
                    return;
                }
            }
        });
        Self { portions, thread: Some(thread) }
    }

    /// The next rows; `None` after the last.
    pub(crate) fn next(&mut self) -> Result<Option<Portion>> {
        match receive(&self.portions)? {
            Some(portion) => Ok(Some(portion?)),
            None => match self.thread.take().map(JoinHandle::join) {
                Some(Err(_)) => Err(ended(true)),
                _ => Ok(None),
            },
        }
    }
}
