//! Laws of the service, put to it over loopback by plain sockets.

mod access;
mod client;
mod endings;
mod faults;
mod fits;
mod inference;
mod limits;
mod models;
mod scores;
mod started;
