//! The HTTP service: tables to scores with saved models, and a page to explore them.
//!
//! ```text
//! listen   connections, timers, the end          router   which path is what
//! gate     how many at a time                    upload   a body, complete, in memory or a temporary file
//! models   files, their changes, fitted ones     score, explain, infer, fits   what is done with a body
//! ```
//!
//! A body is received before it takes a place among the scorings, and an answer is complete before it
//! is sent: slow clients hold no core, and an answer is either whole or an error. Both are held in
//! memory up to a mebibyte and in a nameless temporary file beyond, so memory does not grow with
//! the length of a table; rows are worked on in batches.
//!
//! ```
//! use sosrep_serve::{Options, Service};
//!
//! let bytes = b"x,y\n1,2\n2,1\n3,4\n4,3\n5,6\n6,5\n7,8\n8,7\n";
//! let table = sosrep_table::Input::Bytes { name: "eight.csv".to_string(), bytes };
//! let service = Service::new(Options::default())?;
//! service.fit("eight", &table, None)?;
//! assert_eq!(service.model_names(), ["eight"]);
//! # Ok::<(), sosrep_serve::StartError>(())
//! ```

mod access;
mod app;
mod explain;
mod fit;
mod fits;
mod formats;
mod gate;
mod infer;
mod limits;
mod listen;
mod metrics;
mod models;
mod openapi;
mod page;
mod problem;
mod rest;
mod router;
mod score;
mod spool;
mod table;
mod tensor;
mod upload;
mod work;

pub use app::{Options, Service, StartError};
pub use limits::Limits;
