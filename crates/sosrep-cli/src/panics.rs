//! A panic as a failure that says what happened and where, for a report.
//!
//! The hook prints nothing: decoders of damaged files may panic, and that is caught and told as
//! damage where they are called. It keeps the message and the location of the last panic of any
//! thread, which are printed only if the panic ends the command.

use std::panic::{self, PanicHookInfo, UnwindSafe};
use std::sync::{Mutex, PoisonError};

use crate::failure::{Failure, Result};

/// The last panic.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Keeps the message and the location of every panic from now on, instead of printing them.
pub(crate) fn keep() {
    panic::set_hook(Box::new(|info| {
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(describe(info));
    }));
}

fn describe(info: &PanicHookInfo) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let message = text.unwrap_or("a panic without a message");
    match info.location() {
        Some(place) => format!("{message} (at {place})"),
        None => message.to_string(),
    }
}

/// The failure of the panic that was caught last.
pub(crate) fn failure() -> Failure {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
    Failure::Internal(last.unwrap_or_else(|| "a panic without a message".to_string()))
}

/// What the work gives; its panic is a failure.
pub(crate) fn caught(work: impl FnOnce() -> Result<()> + UnwindSafe) -> Result<()> {
    panic::catch_unwind(work).unwrap_or_else(|_| Err(failure()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test: the hook and what it keeps belong to the whole process.
    #[test]
    fn a_panic_in_any_thread_is_told_with_its_message_and_location() {
        let before = panic::take_hook();
        keep();
        let line = line!() + 1;
        let here = caught(|| panic!("no row {}", 7));
        let in_thread = caught(|| {
            rayon::join(|| (), || panic!("in a thread"));
            Ok(())
        });
        let fine = caught(|| Ok(()));
        panic::set_hook(before);
        let told = here.unwrap_err();
        assert_eq!(told.exit_code(), 2);
        let (told, version) = (told.to_string(), env!("CARGO_PKG_VERSION"));
        let start = format!("internal error: no row 7 (at crates/sosrep-cli/src/panics.rs:{line}:");
        assert!(told.starts_with(&start), "{told}");
        assert!(told.contains(&format!("bug of sosrep {version}, please report it")), "{told}");
        let told = in_thread.unwrap_err().to_string();
        assert!(told.contains("in a thread (at crates/sosrep-cli/src/panics.rs:"), "{told}");
        assert!(fine.is_ok());
    }
}
