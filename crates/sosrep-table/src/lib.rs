//! Tables for sosrep: files of several formats as named columns, and back.
//!
//! ```text
//! file → source → batches of named columns → encode → rows of numbers → detector
//! results → sink → file, complete or not there at all
//! ```

pub mod atomic;
pub mod batch;
pub mod encode;
pub mod error;
pub mod sink;
pub mod source;

pub use atomic::{AtomicFile, write_atomically};
pub use batch::{Batch, ColumnInfo, ColumnKind};
pub use encode::{
    Categories, EncodeOptions, Encoded, Encoding, Feature, Meaning, Missing, Unseen, UnseenValues,
};
pub use error::{CellProblem, Error, FileProblem, Place, Result, RowProblem};
pub use sink::{Output, Sink};
pub use source::{Input, ReadOptions, Source, open, read_all};
