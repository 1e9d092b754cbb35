//! A bar on standard error, on a terminal only, and Ctrl-C.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

static ASKED_TO_STOP: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C and for the signal to end.
pub(crate) fn listen() {
    // Without a handler the system ends the program at once: no line of a log is lost by that.
    let _ = ctrlc::set_handler(|| ASKED_TO_STOP.store(true, Ordering::Relaxed));
}

/// How far some work is; removed when it is dropped.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    pub(crate) fn new(name: &'static str, quiet: bool) -> Self {
        let bar = ProgressBar::no_length().with_message(name);
        if quiet {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let template = "{msg:<10} {bar:30} {percent:>3} %  {eta} left  {prefix}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Shows how far it is, and says whether to go on.
    pub(crate) fn show(&self, what: &str, done: usize, of: usize) -> ControlFlow<()> {
        self.0.set_prefix(what.to_string());
        self.0.set_length(of as u64);
        self.0.set_position(done as u64);
        match ASKED_TO_STOP.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
