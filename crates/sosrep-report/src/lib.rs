//! What `sosrep` found, as figures and as one page that needs nothing else.
//!
//! [`Report`] is plain data: numbers and texts that any caller can fill in. [`page()`] writes it as one
//! HTML document without fonts or requests, for the screen in light and dark and for paper; its one
//! script sorts and searches the table of rows.
//! The functions in [`figure`] write its figures one by one; [`standalone`] makes a file of one.
//!
//! Everything is a pure function of its input, so equal reports give equal bytes. No input panics and
//! none is trusted: text is escaped, a number that is not finite is left out of a figure and written
//! as a dash, and long lists are cut with a sentence that says so. A page stays below 3 MB whatever
//! the number of rows and columns.
//!
//! ```
//! use sosrep_report::{Scores, figure, standalone};
//!
//! let scores = Scores { values: vec![1.0, 1.2, 1.4, 6.0], threshold: 3.0, labels: None };
//! let file = standalone(&figure::score_histogram(&scores));
//! assert!(file.starts_with("<svg") && file.contains("1 of 4 rows above"));
//! ```

pub mod figure;
mod histogram;
mod number;
mod page;
mod report;
mod sampling;
mod scale;
mod text;
mod theme;

pub use histogram::Histogram;
pub use number::{count, number, percent};
pub use page::page;
pub use report::{
    Anomaly, Axis, Confusion, Curve, Detection, Feature, Headline, Map, MapPoint, Reason, Report,
    Reproduce, Scores, Summary,
};
pub use theme::standalone;
