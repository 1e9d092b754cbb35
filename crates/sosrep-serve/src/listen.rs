//! Connections: accepted as many as may be, timed, and brought to an end in order.
//!
//! ```text
//! header     all of it within `idle`, 64 KiB and 100 fields at most; also the wait for the next request
//! body       see `upload`
//! answer     the client takes some of it every `idle`
//! end        readiness fails and answers say close; after `linger` no connection is accepted; what
//!            was begun is finished, `drain` at most
//! ```

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_io_timeout::TimeoutStream;

use crate::app::{App, Service, StartError};
use crate::models::POLL;
use crate::router::router;

/// Bytes of a header.
const LONGEST_HEADER: usize = 64 << 10;
/// Fields of a header.
const MOST_FIELDS: usize = 100;
/// Time between looks at the signal to end.
const LOOK: Duration = Duration::from_millis(50);

type Router = TowerToHyperService<axum::Router>;

impl Service {
    /// Serves until `ended` says so, then finishes what was begun.
    ///
    /// # Errors
    /// [`StartError::Open`], and what the system says.
    pub fn run(self, listener: TcpListener, ended: impl Fn() -> bool) -> Result<(), StartError> {
        let address = listener.local_addr()?;
        if !address.ip().is_loopback() && self.app.token.is_none() {
            return Err(StartError::Open(address));
        }
        listener.set_nonblocking(true)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_io()
            .enable_time()
            .build()?;
        runtime.block_on(serve(self.app, listener, ended))?;
        // A fit that was cancelled may still be between two looks at that.
        runtime.shutdown_timeout(Duration::from_secs(1));
        Ok(())
    }
}

async fn serve(
    app: App,
    listener: TcpListener,
    ended: impl Fn() -> bool,
) -> Result<(), StartError> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let graceful = Arc::new(GracefulShutdown::new());
    let accepting = tokio::spawn(accept(Arc::clone(&app), listener, Arc::clone(&graceful)));
    let polling = tokio::spawn(poll(Arc::clone(&app)));
    while !ended() {
        sleep(LOOK).await;
    }
    app.drain();
    sleep(app.limits.linger).await;
    accepting.abort();
    polling.abort();
    // The listener and its share of the connections' end are gone with the task.
    let _ = accepting.await;
    // A request that has just arrived is seen before its connection is asked to end.
    sleep(LOOK).await;
    let Some(graceful) = Arc::into_inner(graceful) else { return Ok(()) };
    let drained = tokio::time::timeout(app.limits.drain, graceful.shutdown()).await;
    if drained.is_err() {
        eprintln!("some requests were not done in time and were dropped");
    }
    Ok(())
}

/// Looks at the model files now and then.
async fn poll(app: App) {
    loop {
        sleep(POLL).await;
        let app = Arc::clone(&app);
        // A failure to look is a failure of a moment.
        let _ = tokio::task::spawn_blocking(move || app.models.refresh(&app.metrics)).await;
    }
}

async fn accept(app: App, listener: tokio::net::TcpListener, graceful: Arc<GracefulShutdown>) {
    let room = Arc::new(Semaphore::new(app.limits.connections));
    let service = TowerToHyperService::new(router(Arc::clone(&app)));
    loop {
        // Never closed.
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file descriptors, for one; it passes.
            sleep(LOOK).await;
            continue;
        };
        let (service, watcher, idle) = (service.clone(), graceful.watcher(), app.limits.idle);
        tokio::spawn(async move {
            connection(stream, service, watcher, idle).await;
            drop(permit);
        });
    }
}

async fn connection(stream: TcpStream, service: Router, watcher: Watcher, idle: Duration) {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(idle));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(idle)
        .max_header_size(LONGEST_HEADER)
        .max_headers(MOST_FIELDS)
        .half_close(true)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    // What is wrong with a connection concerns its client, who has been told if there was a way.
    let _ = watcher.watch(connection).await;
}
