//! What a request has left of its body when it is refused: read and let go before the answer.
//!
//! A client that sends all of its body before it looks for an answer would otherwise find the connection
//! broken, and never see why it was refused. The rest is read within the limits of a body, without being
//! kept; one who asked whether to send it at all is answered at once.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::Body;
use axum::extract::Request;
use axum::http::header;
use bytes::{Buf, Bytes};
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, timeout_at};

use crate::limits::Limits;

/// A body of which the rest can be read by another.
#[derive(Clone)]
struct Shared(Arc<Mutex<Body>>);

impl Shared {
    fn with<T>(&self, work: impl FnOnce(&mut Body) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl hyper::body::Body for Shared {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.with(|body| Pin::new(body).poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        self.with(|body| body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.with(|body| body.size_hint())
    }
}

/// The rest of a request's body.
pub(crate) struct Rest {
    body: Shared,
    asked_first: bool,
}

impl Rest {
    /// The request as it was, and a hold of what it leaves of its body.
    pub(crate) fn of(request: Request) -> (Request, Self) {
        let asked_first = request.headers().contains_key(header::EXPECT);
        let (head, body) = request.into_parts();
        let body = Shared(Arc::new(Mutex::new(body)));
        (Request::from_parts(head, Body::new(body.clone())), Self { body, asked_first })
    }

    /// Reads it, within the limits.
    pub(crate) async fn drain(mut self, limits: &Limits) {
        let deadline = Instant::now() + limits.time;
        let mut read = 0;
        while !self.asked_first && read <= limits.body {
            let until = deadline.min(Instant::now() + limits.idle);
            let Ok(Some(Ok(frame))) = timeout_at(until, self.body.frame()).await else { return };
            read += frame.data_ref().map_or(0, Buf::remaining) as u64;
        }
    }
}
