//! Colours in light and dark, once as variables of the page and once written into a figure's file.
//!
//! The styles name colours as `var(--name)`. The page defines those variables; a file of its own gets
//! the colours in their place, because programs that draw SVG outside a browser know no variables.
//! The ramp of the map is one hue from faint to strong: it is ordered by lightness alone, so it reads
//! the same for every kind of colour vision, and runs the other way on dark ground.

/// Name, light and dark value of every colour.
const COLOURS: [(&str, &str, &str); 18] = [
    ("ground", "#ffffff", "#14181d"),
    ("panel", "#f5f7f9", "#1c2229"),
    ("ink", "#1a2027", "#e8edf2"),
    ("quiet", "#55606c", "#a3afbb"),
    ("rule", "#d5dbe1", "#36404a"),
    ("grid", "#e8ecf0", "#29313a"),
    ("bar", "#9fb0c0", "#64778a"),
    ("line", "#2b5c8f", "#86b6e6"),
    ("accent", "#b8420b", "#ff9a5a"),
    ("known", "#00639c", "#7cc4ff"),
    ("ramp-0", "#c9d8e6", "#2f4152"),
    ("ramp-1", "#a8c3da", "#3c5a75"),
    ("ramp-2", "#85abcd", "#4b7497"),
    ("ramp-3", "#6292bd", "#5e90b8"),
    ("ramp-4", "#4577a6", "#7aaad1"),
    ("ramp-5", "#2f5c8a", "#9cc4e4"),
    ("ramp-6", "#1f426a", "#c3def2"),
    ("ramp-7", "#122848", "#edf6fd"),
];

/// Steps of the ramp.
pub(crate) const RAMP: usize = 8;

/// How figures look.
const FIGURE_STYLE: &str = include_str!("theme/figure.css");
/// How the page around them looks.
const PAGE_STYLE: &str = include_str!("theme/page.css");

/// The style of the page with its figures.
pub(crate) fn page_style() -> String {
    let variables = |value: fn(&(&str, &str, &str)) -> String| -> String {
        COLOURS.iter().map(value).collect::<Vec<String>>().join("")
    };
    let light = variables(|(name, light, _)| format!("--{name}:{light};"));
    let dark = variables(|(name, _, dark)| format!("--{name}:{dark};"));
    format!(
        ":root{{color-scheme:light dark;{light}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n\
         @media print{{:root{{color-scheme:light}}}}\n\
         {PAGE_STYLE}\n{FIGURE_STYLE}"
    )
}

/// A figure as the text of an `.svg` file: its colours inside, on ground of its own, dark where the
/// reader's system is.
///
/// `svg` is what a function in [`figure`](crate::figure) returns; other text comes back as it is.
pub fn standalone(svg: &str) -> String {
    // The opening tag ends at the first '>': those in its attributes are escaped.
    let Some(end) = svg.find('>').filter(|_| svg.starts_with("<svg")) else {
        return svg.to_owned();
    };
    let (opening, rest) = svg.split_at(end + 1);
    let light = figure_style(|(_, light, _)| light);
    let dark = figure_style(|(_, _, dark)| dark);
    format!(
        "{opening}<style>{light}@media (prefers-color-scheme:dark){{{dark}}}</style>\
         <rect class=\"ground\" width=\"100%\" height=\"100%\"></rect>{rest}"
    )
}

/// The style of a figure with colours in the place of their names.
fn figure_style(colour: fn(&(&'static str, &'static str, &'static str)) -> &'static str) -> String {
    COLOURS.iter().fold(FIGURE_STYLE.to_owned(), |style, entry| {
        style.replace(&format!("var(--{})", entry.0), colour(entry))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of a colour written #rrggbb.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    fn colour(name: &str) -> (&'static str, &'static str) {
        let entry = COLOURS.iter().find(|entry| entry.0 == name).unwrap();
        (entry.1, entry.2)
    }

    #[test]
    fn text_stands_out_from_its_ground() {
        for ground in ["ground", "panel"].map(colour) {
            for ink in ["ink", "quiet", "accent", "known"].map(colour) {
                assert!(contrast(ink.0, ground.0) >= 4.5, "{ink:?} on {ground:?}");
                assert!(contrast(ink.1, ground.1) >= 4.5, "{ink:?} on {ground:?}");
            }
        }
    }

    #[test]
    fn the_ramp_moves_away_from_the_ground_step_by_step() {
        let ground = colour("ground");
        let mut before = (1.3, 1.3);
        for step in 0..RAMP {
            let here = colour(&format!("ramp-{step}"));
            let now = (contrast(here.0, ground.0), contrast(here.1, ground.1));
            assert!(now.0 > before.0 && now.1 > before.1, "step {step}: {now:?} after {before:?}");
            before = now;
        }
    }

    #[test]
    fn a_file_has_colours_and_no_variables() {
        let file = standalone("<svg viewBox=\"0 0 1 1\"><path></path></svg>");
        assert!(!file.contains("var("));
        assert!(file.starts_with("<svg viewBox=\"0 0 1 1\"><style>"));
        assert!(file.ends_with("<path></path></svg>"));
    }

    #[test]
    fn every_variable_of_the_styles_is_defined() {
        let style = page_style();
        for name in style.split("var(--").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(COLOURS.iter().any(|colour| colour.0 == name), "{name}");
        }
    }

    #[test]
    fn text_that_is_no_figure_comes_back_as_it_is() {
        assert_eq!(standalone("<p>no</p>"), "<p>no</p>");
        assert_eq!(standalone("<svg"), "<svg");
    }
}
