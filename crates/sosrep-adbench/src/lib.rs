//! ADBench (Han et al. 2022) and the experiments of the SOSREP paper.
//!
//! ```text
//! files → catalogue → data set → protocol → split → export, for programs in other languages
//!                                             ↓
//!                             method, baselines → run → log ┐
//!                                              experiment → ┴ folder → report, in Python
//! ```
//!
//! The files are not part of this library: [`find`] looks for them in a folder and compares them
//! with the catalogue, so that an experiment runs on the files of ADBench or not at all. What
//! [`split`] gives is decided by data set, protocol, noise and seed alone.
//!
//! ```
//! use sosrep_adbench::{all, find, named};
//!
//! assert_eq!(all().len(), 47);
//! assert_eq!(named("glass")?.to_string(), "14_glass");
//!
//! // A folder without the files has none of the data sets; an experiment says so.
//! let found = find(env!("CARGO_MANIFEST_DIR"))?;
//! assert_eq!((found.present.len(), found.missing.len()), (0, 47));
//! # Ok::<(), sosrep_adbench::Error>(())
//! ```

pub mod baselines;
pub mod campaign;
pub mod catalogue;
mod checksum;
pub mod dataset;
pub mod error;
pub mod experiment;
pub mod export;
pub mod folder;
pub mod log;
pub mod method;
pub mod protocol;
pub mod python;
pub mod readings;
pub mod run;

pub use campaign::{Campaign, Splits, Work, run_methods};
pub use catalogue::{Entry, Facts, Found, all, find, named};
pub use dataset::{Dataset, Shape};
pub use error::{Error, Result};
pub use experiment::Experiment;
pub use export::{Description, export};
pub use folder::RunFolder;
pub use log::Log;
pub use method::Method;
pub use protocol::{Noise, Origin, Part, Protocol, Split, split};
pub use run::{Run, Setting, Status};
