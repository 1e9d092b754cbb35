//! The symbol, the dashes and the colour of a series.

use maud::{Markup, html};

use crate::figure::canvas::Path;
use crate::theme::SERIES;

/// A form drawn around a point: commands relative to it, and whether it is filled or an outline.
struct Symbol {
    relative: &'static str,
    class: &'static str,
}

const SYMBOLS: [Symbol; 8] = [
    filled("m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"),
    filled("m0 -5l4.7 8.2h-9.4z"),
    filled("m-3.6 -3.6h7.2v7.2h-7.2z"),
    outline("m-3.6 -3.6l7.2 7.2m0 -7.2l-7.2 7.2"),
    outline("m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0z"),
    filled("m0 -5.2l4.4 5.2l-4.4 5.2l-4.4 -5.2z"),
    outline("m-4.4 0h8.8m-4.4 -4.4v8.8"),
    filled("m0 5l4.7 -8.2h-9.4z"),
];

const DASHES: [&str; 8] =
    ["7 4", "2 3", "10 3 2 3", "4 2", "14 4", "1 4", "10 3 2 3 2 3", "6 2 2 2"];

/// More points than this are a crowd, and its symbols have this share of their size.
const CROWD: (usize, f64) = (120, 0.6);

const fn filled(relative: &'static str) -> Symbol {
    Symbol { relative, class: "symbol" }
}

const fn outline(relative: &'static str) -> Symbol {
    Symbol { relative, class: "outline" }
}

/// Which of eight forms a series has: as its colour, and another when its colour comes again.
fn form(series: usize) -> usize {
    (series + series / SERIES) % 8
}

/// The class that gives a series its colour.
pub(super) fn colour(series: usize) -> String {
    format!("series-{}", series % SERIES)
}

/// The dashes of a series.
pub(super) fn dashes(series: usize) -> &'static str {
    DASHES[form(series)]
}

/// The symbols of a series at these places, smaller where they are many.
pub(super) fn symbols(series: usize, places: &[(f64, f64)]) -> Markup {
    let symbol = &SYMBOLS[form(series)];
    let scale = if places.len() > CROWD.0 { CROWD.1 } else { 1.0 };
    let mut path = Path::default();
    places.iter().for_each(|(x, y)| path.shape((x / scale, y / scale), symbol.relative));
    let path = path.class(&format!("{} {}", symbol.class, colour(series)));
    html! {
        @if scale == 1.0 { (path) } @else { g transform=(format!("scale({scale})")) { (path) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_of_sixty_four_series_look_the_same() {
        let mut looks: Vec<(String, usize)> =
            (0..64).map(|series| (colour(series), form(series))).collect();
        looks.sort();
        looks.dedup();
        assert_eq!(looks.len(), 64);
    }

    #[test]
    fn eight_series_differ_without_colours() {
        let mut forms: Vec<usize> = (0..8).map(form).collect();
        forms.sort_unstable();
        assert_eq!(forms, (0..8).collect::<Vec<usize>>());
    }
}
