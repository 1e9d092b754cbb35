//! A body received and worked on within the limits, on a thread for work that takes long.

use std::io::Read;
use std::time::Instant;

use axum::body::Body;
use axum::http::StatusCode;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use crate::app::State;
use crate::problem::{Problem, Result};
use crate::upload::{BodyLimits, receive};

/// Whether to go on: the client is there and there is time.
pub(crate) type Going<'a> = &'a dyn Fn() -> Result<()>;

impl State {
    /// Receives a body and works on it on a thread of its own, within the limits.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        body: Body,
        bytes: u64,
        work: impl FnOnce(Box<dyn Read + Send>, Going) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let mut ticket = self.gate.enter().inspect_err(|_| self.metrics.turned_away())?;
        let limits = BodyLimits { bytes, idle: self.limits.idle, deadline: ticket.deadline };
        let spool = receive(body, limits).await?;
        let place =
            self.gate.place(&mut ticket).await.inspect_err(|_| self.metrics.turned_away())?;
        let deadline = ticket.deadline.into_std();
        let (gone, here) = oneshot::channel::<()>();
        let task = spawn_blocking(move || {
            let _held = (place, ticket);
            let going = || match (Instant::now() > deadline, gone.is_closed()) {
                (true, _) => Err(late()),
                (_, true) => Err(Problem::bad("the client has gone")),
                _ => Ok(()),
            };
            let bytes = spool.reader().map_err(Problem::internal)?;
            work(bytes, &going)
        });
        let done = task.await.map_err(Problem::internal);
        drop(here);
        done?
    }
}

fn late() -> Problem {
    let detail = "scoring took too long; send fewer rows a request, or start the service with a \
                  larger --time-limit";
    Problem::new(StatusCode::GATEWAY_TIMEOUT, detail)
}
