//! Figures: each function turns data into one `<svg>` element.
//!
//! An element carries no colours, only classes: the page gives them theirs, and
//! [`standalone`](crate::standalone) writes them into a file. Every figure has a title, axes with
//! units and a description for readers who do not see it. Sizes are bounded whatever the input.

mod anomaly_map;
mod bandwidth_curve;
pub(crate) mod canvas;
mod detection;
pub(crate) mod frame;
mod reason_bars;
mod score_histogram;
mod strip;

pub use anomaly_map::anomaly_map;
pub(crate) use anomaly_map::caption as map_caption;
pub use bandwidth_curve::bandwidth_curve;
pub(crate) use bandwidth_curve::caption as curve_caption;
pub use detection::{precision_recall_curve, roc_curve};
pub use reason_bars::{contribution_bar, reason_bars};
pub use score_histogram::score_histogram;
pub use strip::feature_strip;
