//! Reading on a thread of its own: the next rows are parsed while the last are worked on, and
//! Ctrl-C is heard even while standard input is silent.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use sosrep_table::{Batch, Source};

use crate::failure::{Failure, Result};
use crate::interrupt;

/// Batches parsed ahead.
const AHEAD: usize = 2;
/// How often Ctrl-C is looked for while nothing comes.
const PATIENCE: Duration = Duration::from_millis(100);

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
                // Nobody listens any more once the other side has failed.
                if sender.send(portion).is_err() || last {
                    return;
                }
            }
        });
        Self { portions, thread: Some(thread) }
    }

    /// The next rows; `None` after the last.
    pub(crate) fn next(&mut self) -> Result<Option<Portion>> {
        loop {
            interrupt::check()?;
            match self.portions.recv_timeout(PATIENCE) {
                Ok(portion) => return Ok(Some(portion?)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.finish().map(|()| None),
            }
        }
    }

    /// The reader is done, or has panicked.
    fn finish(&mut self) -> Result<()> {
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(_)) => Err(Failure::Internal("the reader of the table panicked".to_string())),
            _ => Ok(()),
        }
    }
}
