//! The `<svg>` element around a figure, and paths made of numbers.
//!
//! Elements are written with a closing tag, `path {}`, because a void element of HTML is not
//! well-formed XML.

use maud::{Markup, html};

use crate::text::{allowed, fitted};

/// Width of a small letter such as n, as much as the wider fonts take.
pub(crate) const LETTER: f64 = 8.0;
/// The same in a title.
const TITLE_LETTER: f64 = 10.5;

/// What an element is called, for those who see it and those who do not.
pub(crate) struct Caption<'a> {
    /// The title.
    pub(crate) title: &'a str,
    /// What the figure shows, in a sentence or two.
    pub(crate) description: &'a str,
}

/// An element of `width` by `height` pixels with a visible title.
pub(crate) fn figure(size: (f64, f64), caption: &Caption, body: Markup) -> String {
    let titled = html! {
        text.title x="4" y="22" { (fitted(caption.title, size.0 / TITLE_LETTER)) }
        (body)
    };
    small(size, caption, titled)
}

/// An element without a visible title, for use inside a line of text or a table.
pub(crate) fn small((width, height): (f64, f64), caption: &Caption, body: Markup) -> String {
    let markup = html! {
        svg.figure xmlns="http://www.w3.org/2000/svg" role="img" aria-label=(caption.title)
            viewBox={ "0 0 " (pixels(width)) " " (pixels(height)) }
            width=(pixels(width)) height=(pixels(height)) {
            title { (caption.title) }
            @if !caption.description.is_empty() { desc { (caption.description) } }
            (body)
        }
    };
    allowed(markup.into_string())
}

/// A coordinate to a tenth of a pixel.
pub(crate) fn pixels(value: f64) -> String {
    let value = (value * 10.0).round() / 10.0;
    // Adding zero turns −0 into 0.
    format!("{}", value + 0.0)
}

/// The data of a path, built piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Path(String);

impl Path {
    /// A rectangle between two corners.
    pub(crate) fn rectangle(&mut self, (left, top): (f64, f64), (right, bottom): (f64, f64)) {
        let (width, height) = (pixels(right - left), pixels(bottom - top));
        self.0 += &format!("M{} {}h{width}v{height}h-{width}z", pixels(left), pixels(top));
    }

    /// Moves to a point without drawing.
    pub(crate) fn move_to(&mut self, x: f64, y: f64) {
        self.0 += &format!("M{} {}", pixels(x), pixels(y));
    }

    /// A line to a point.
    pub(crate) fn line_to(&mut self, x: f64, y: f64) {
        self.0 += &format!("L{} {}", pixels(x), pixels(y));
    }

    /// A dot: a line of no length, drawn by its round ends.
    pub(crate) fn dot(&mut self, x: f64, y: f64) {
        self.move_to(x, y);
        self.0 += "h0";
    }

    /// A straight line through all the points.
    pub(crate) fn through(points: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut path = Self::default();
        for (x, y) in points {
            if path.0.is_empty() { path.move_to(x, y) } else { path.line_to(x, y) }
        }
        path
    }

    /// An element of this path; nothing if the path is empty.
    pub(crate) fn class(&self, class: &str) -> Markup {
        html! { @if !self.0.is_empty() { path class=(class) d=(self.0) {} } }
    }
}
