//! Ctrl-C as a flag that long work looks at between its steps.
//!
//! Work that sees it returns an error, and the temporary files of outputs are removed on the way.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{Failure, Result};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C and for the signal to end.
pub(crate) fn listen() {
    // Without a handler the system's default applies, which is to end at once: no worse than that.
    let _ = ctrlc::set_handler(|| ASKED.store(true, Ordering::Relaxed));
}

/// Whether to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// An error if it is time to stop.
pub(crate) fn check() -> Result<()> {
    if asked() { Err(Failure::Interrupted) } else { Ok(()) }
}
