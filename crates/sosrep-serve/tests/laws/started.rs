//! A service on loopback, with a model of two columns, ended when dropped.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use sosrep_serve::{Limits, Options, Service, StartError};
use sosrep_table::Input;

/// 40 rows on two arcs, with a name, a text column and a gap.
pub(crate) const TABLE: &[u8] = include_bytes!("table.csv");

/// A running service.
pub(crate) struct Started {
    pub(crate) address: SocketAddr,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<(), StartError>>>,
}

/// Options for tests: an end without waiting.
pub(crate) fn options() -> Options {
    let mut options = Options::default();
    options.limits.linger = Duration::ZERO;
    options
}

/// Limits as changed.
pub(crate) fn limited(change: impl FnOnce(&mut Limits)) -> Options {
    let mut options = options();
    change(&mut options.limits);
    options
}

impl Started {
    /// With the model `m` of the table.
    pub(crate) fn new(options: Options) -> Self {
        let service = Service::new(options).unwrap();
        let input = Input::Bytes { name: "table.csv".to_string(), bytes: TABLE };
        service.fit("m", &input, None).unwrap();
        Self::of(service)
    }

    pub(crate) fn of(service: Service) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let ended = Arc::new(AtomicBool::new(false));
        let signal = Arc::clone(&ended);
        let thread =
            thread::spawn(move || service.run(listener, || signal.load(Ordering::Relaxed)));
        Self { address, ended, thread: Some(thread) }
    }

    /// What the signal to end does.
    pub(crate) fn signal(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Waits for the end.
    pub(crate) fn wait(mut self) -> Result<(), StartError> {
        self.signal();
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.signal();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(thread::panicking() || matches!(ended, Ok(Ok(()))), "the service failed");
        }
    }
}
