//! A body, received completely: within its size, without long silences, before the deadline.

use std::io::Write;
use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use bytes::{Buf, Bytes};
use http_body_util::BodyExt;
use hyper::body::Body as _;
use tokio::time::{Instant, timeout_at};

use crate::problem::{Problem, Result};
use crate::spool::Spool;

/// What a body may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimits {
    pub(crate) bytes: u64,
    pub(crate) idle: Duration,
    pub(crate) deadline: Instant,
}

/// Receives the body.
pub(crate) async fn receive(mut body: Body, limits: BodyLimits) -> Result<Spool> {
    if body.size_hint().lower() > limits.bytes {
        return Err(too_long(limits.bytes));
    }
    let mut spool = Spool::new();
    while let Some(data) = next(&mut body, limits).await? {
        if spool.length() + data.remaining() as u64 > limits.bytes {
            return Err(too_long(limits.bytes));
        }
        spool.write_all(&data).map_err(Problem::internal)?;
    }
    Ok(spool)
}

/// The next bytes; `None` after the last.
async fn next(body: &mut Body, limits: BodyLimits) -> Result<Option<Bytes>> {
    let until = limits.deadline.min(Instant::now() + limits.idle);
    loop {
        let frame = timeout_at(until, body.frame()).await;
        let frame = frame.map_err(|_| {
            let detail = "the body did not arrive in time; send it without pauses, or less of it";
            Problem::new(StatusCode::REQUEST_TIMEOUT, detail)
        })?;
        match frame {
            None => return Ok(None),
            Some(Err(_)) => return Err(Problem::bad("the body was cut short; send it again")),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}

fn too_long(limit: u64) -> Problem {
    let detail = format!(
        "the body is longer than {limit} bytes; send the table in parts, or as an Arrow stream, or \
         start the service with a larger --body-limit"
    );
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail)
}
