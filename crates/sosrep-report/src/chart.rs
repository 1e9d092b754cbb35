//! Charts of numbers that come from anywhere: boxes, a heat map, lines, dots by category.
//!
//! Each function turns plain data into one `<svg>` element of the same kind as those in
//! [`figure`](crate::figure). A chart draws all it is given and grows with its rows. Names on the left
//! get the room they need, up to sixty letters; longer ones are cut, and whole on hover. A number
//! that is not finite is left out, and so is one that is not positive on a logarithmic axis; a chart
//! without any number says "no data". Series differ in colour and in symbol or dashes, so that they
//! can be told apart without colours; after eight, colours come again with other symbols.

mod axis;
mod boxes;
mod dots;
mod heat_map;
mod legend;
mod lines;
mod marks;
mod rows;
mod symbol;

use maud::html;

use crate::figure::canvas::{self, Caption, pixels};

pub use crate::report::Summary;
pub use axis::Axis;
pub use boxes::{BoxChart, BoxRow, boxes};
pub use dots::{DotChart, DotSeries, dots};
pub use heat_map::{HeatCell, HeatMap, HeatRow, heat_map};
pub use lines::{LineChart, Series, Style, lines};
pub use marks::Mark;

/// Below the title, and the left end of a legend.
const TOP: f64 = 36.0;
const LEFT: f64 = 8.0;
/// Size of a chart without numbers.
const EMPTY: (f64, f64) = (760.0, 120.0);

/// A chart without numbers.
fn nothing(title: &str) -> String {
    let (x, y) = (pixels(EMPTY.0 / 2.0), pixels(EMPTY.1 / 2.0 + 10.0));
    let body = html! { text.quiet.middle x=(x) y=(y) { "no data" } };
    canvas::figure(EMPTY, &Caption { title, description: "No data." }, body)
}
