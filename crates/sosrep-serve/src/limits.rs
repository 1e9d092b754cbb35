//! What a request may take.

use std::time::Duration;

/// What a request may take; the defaults suit a machine that others use too.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a body. Default: 64 MiB.
    pub body: u64,
    /// Rows of a table. Default: a million.
    pub rows: u64,
    /// Rows that are explained in one request, each of which costs as much as scoring thousands.
    /// Default: 256.
    pub explained: usize,
    /// From the first byte of a request to the last of its answer, transport aside. Default: 30 s.
    pub time: Duration,
    /// Without a byte of the header, of the body, or taken of the answer. Default: 10 s.
    pub idle: Duration,
    /// Scorings at a time. Default: as many as cores.
    pub scorings: usize,
    /// Requests that wait for one of those, or for their body to arrive. Default: 64.
    pub queue: usize,
    /// Connections. Default: 1024.
    pub connections: usize,
    /// How long answers go on to be given after the signal to end, to connections old and new, while
    /// `/readyz` says no. Default: 1 s.
    pub linger: Duration,
    /// How long requests then have to finish. Default: 30 s.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 64 << 20,
            rows: 1_000_000,
            explained: 256,
            time: Duration::from_secs(30),
            idle: Duration::from_secs(10),
            scorings: rayon::current_num_threads(),
            queue: 64,
            connections: 1024,
            linger: Duration::from_secs(1),
            drain: Duration::from_secs(30),
        }
    }
}
