//! A bar on standard error that names the phase and the time left; on a terminal only.

use std::ops::ControlFlow;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sosrep::{Progress, Stage};

use crate::interrupt;

/// Where phases without a known number of steps and shares of a file are counted to.
const WHOLE: u64 = 1000;

/// What the user sees of long work.
pub(crate) struct Phases {
    bar: ProgressBar,
    phase: &'static str,
}

impl Phases {
    /// Silent if asked, and wherever standard error is not a terminal.
    pub(crate) fn new(quiet: bool) -> Self {
        let bar = ProgressBar::no_length();
        bar.set_draw_target(if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        });
        Self { bar, phase: "" }
    }

    /// Says how far a phase is; a new phase starts a new clock. Returns whether to go on.
    pub(crate) fn show(&mut self, phase: &'static str, done: u64, of: Option<u64>) -> bool {
        if self.phase != phase {
            self.phase = phase;
            self.bar.reset();
            self.bar.set_message(phase);
            let counted = "{msg:<10} {bar:30} {percent:>3} %  {eta} left";
            let template = if of.is_some() { counted } else { "{msg:<10} {spinner} {pos}" };
            if let Ok(style) = ProgressStyle::with_template(template) {
                self.bar.set_style(style);
            }
        }
        if let Some(of) = of {
            self.bar.set_length(of);
        }
        self.bar.set_position(done);
        !interrupt::asked()
    }

    /// As [`show`](Self::show), for a share of a file.
    pub(crate) fn share(&mut self, phase: &'static str, share: Option<f64>) -> bool {
        match share {
            Some(share) => self.show(phase, (share * WHOLE as f64) as u64, Some(WHOLE)),
            None => self.show(phase, 0, None),
        }
    }

    /// Progress of explanations.
    pub(crate) fn explaining(&mut self, rows: usize) -> impl FnMut(usize) -> bool {
        move |done| self.show("explaining", done as u64, Some(rows as u64))
    }

    /// Progress of the library.
    pub(crate) fn monitor(&mut self) -> impl FnMut(&Progress) -> ControlFlow<()> {
        |progress| {
            let of = match progress.stage {
                // The limit of steps says nothing about how many are needed.
                Stage::Solve | Stage::Refit => None,
                _ => progress.steps.map(|steps| steps as u64),
            };
            if self.show(name(progress.stage), progress.step as u64, of) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Phases {
    fn drop(&mut self) {
        self.clear();
    }
}

fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Kernel => "computing the kernel",
        Stage::Solve => "solving",
        Stage::Refit => "refitting",
        Stage::Tune => "tuning",
        Stage::Score => "scoring",
        Stage::Normalize => "normalising",
        Stage::Sample => "sampling",
        _ => "working",
    }
}
