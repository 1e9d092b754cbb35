//! How many requests are worked on, and how many wait.
//!
//! A request takes a ticket before its body is read, or is turned away with the time to come back; a
//! scoring takes one of the places. Tickets are as many as places and the queue together, which
//! bounds the bodies that are held at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::limits::Limits;
use crate::problem::{Problem, Result};

/// Seconds after which a client that was turned away may come back.
const COME_BACK: u32 = 1;

/// Who may work, and who waits.
pub(crate) struct Gate {
    tickets: Arc<Semaphore>,
    places: Arc<Semaphore>,
    time: Duration,
    /// Requests with a ticket and without a place.
    pub(crate) waiting: Arc<AtomicI64>,
}

/// A request that was let in, until it is dropped.
pub(crate) struct Ticket {
    _permit: OwnedSemaphorePermit,
    waiting: Option<Arc<AtomicI64>>,
    /// When the request must be done.
    pub(crate) deadline: Instant,
}

impl Gate {
    pub(crate) fn new(limits: &Limits) -> Self {
        let places = limits.scorings.max(1);
        Self {
            tickets: Arc::new(Semaphore::new(places + limits.queue)),
            places: Arc::new(Semaphore::new(places)),
            time: limits.time,
            waiting: Arc::default(),
        }
    }

    /// Lets a request in, or turns it away at once.
    pub(crate) fn enter(&self) -> Result<Ticket> {
        let Ok(permit) = Arc::clone(&self.tickets).try_acquire_owned() else {
            return Err(Problem::busy("too many requests wait already; try again", COME_BACK));
        };
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let (waiting, deadline) = (Some(Arc::clone(&self.waiting)), Instant::now() + self.time);
        Ok(Ticket { _permit: permit, waiting, deadline })
    }

    /// A place to work, when there is one.
    pub(crate) async fn place(&self, ticket: &mut Ticket) -> Result<OwnedSemaphorePermit> {
        let place = timeout_at(ticket.deadline, Arc::clone(&self.places).acquire_owned()).await;
        ticket.stop_waiting();
        match place {
            Ok(Ok(place)) => Ok(place),
            _ => Err(Problem::busy("no core was free in time; try again", COME_BACK)),
        }
    }
}

impl Ticket {
    fn stop_waiting(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.stop_waiting();
    }
}
