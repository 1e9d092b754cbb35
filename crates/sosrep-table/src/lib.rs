//! Tables for sosrep: files of several formats as named columns, and back.

pub mod batch;
pub mod error;
pub mod source;

pub use batch::{Batch, ColumnInfo, ColumnKind};
pub use error::{Error, Place, Result};
pub use source::{Input, ReadOptions, Source};
