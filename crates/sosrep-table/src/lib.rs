//! Tables for sosrep: files of several formats as named columns, and back.
//!
//! ```text
//! file → source → batches of named columns → encode → rows of numbers → detector
//! results → sink → file, complete or not there at all
//! ```
//!
//! Without the feature `files`, which is on by default, what remains is about tables that are in
//! memory already, [`from_arrow`], [`encode`] and [`recipe`], and [`atomic`] writes of any bytes.
//!
//! ```
//! # #[cfg(feature = "files")] {
//! use sosrep_table::{EncodeOptions, Encoding, Input, ReadOptions, open, read_all};
//!
//! let bytes = b"height,colour\n1.7,red\n1.8,blue\n1.6,red\n,blue\n";
//! let input = Input::Bytes { name: "people.csv".to_string(), bytes };
//! let mut source = open(&input, &ReadOptions::default())?;
//! let columns = source.columns().to_vec();
//! let batches = read_all(&mut *source, &mut |_| true)?;
//!
//! let options = EncodeOptions::default();
//! let (encoding, choice) = Encoding::fit("people.csv", &columns, &batches, &options)?;
//! assert_eq!(encoding.feature_names(), ["height", "height=(missing)", "colour"]);
//! let features = batches[0].project(&choice.features()).unwrap();
//! let encoded = encoding.apply("people.csv", &features)?;
//! assert_eq!(encoded.values[..3], [1.7, 0.0, 1.0]);
//! assert_eq!(encoded.values[9..], [1.7, 1.0, 0.0]);
//! # }
//! # Ok::<(), sosrep_table::Error>(())
//! ```

mod arrow_cells;
pub mod atomic;
pub mod batch;
mod cell;
mod date;
pub mod encode;
pub mod error;
mod notation;
pub mod recipe;
#[cfg(feature = "files")]
pub mod sink;
#[cfg(feature = "files")]
pub mod source;
mod table;

pub use arrow_cells::{big_integers, from_arrow};
pub use atomic::{AtomicFile, write_atomically};
pub use batch::{Batch, ColumnInfo, ColumnKind, RowNumbers, Unreadable};
pub use cell::MISSING;
pub use encode::{
    Categories, Choice, ColumnFeatures, ColumnUse, Dates, EncodeOptions, Encoded, EncodedSample,
    Encoding, Feature, IdentifierReason, Meaning, Missing, Note, Part, Survey, TableSample,
    Unscored, Unseen, UnseenValues, Value,
};
pub use error::{ColumnProblem, Error, FileProblem, Place, Remedy, Result, RowProblem};
pub use notation::Notation;
pub use recipe::{RecipeProblem, TableRecipe};
#[cfg(feature = "files")]
pub use sink::{Format, Output, Sink};
#[cfg(feature = "files")]
pub use source::{HeaderNote, Input, ReadOptions, Source, open, open_reader, read_all};
