//! From values to pixels, with ticks at round numbers.
//!
//! Linear ticks are multiples of 1, 2 or 5 times a power of ten; logarithmic ones are powers of ten,
//! with 2 and 5 times those where there is room. Values are limited to ±1e300 so that every
//! difference is finite; what is not finite, or not positive on a logarithmic scale, has no place.

use crate::number::{fixed, significant};

/// Magnitudes are limited to this: twice it is still finite.
const LIMIT: f64 = 1e300;
/// A range narrower than this share of its magnitude counts as a single value.
const NARROW: f64 = 1e-9;
/// Ticks beyond this magnitude, or closer than its inverse, are written with a power of ten.
const PLAIN: f64 = 1e7;

/// A round number on an axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    /// Its place in pixels.
    pub(crate) place: f64,
    /// Its text.
    pub(crate) text: String,
}

/// A map from values to pixels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scale {
    logarithmic: bool,
    /// Ends of the domain, as logarithms to base ten on a logarithmic scale.
    domain: (f64, f64),
    /// Where the ends lie.
    pixels: (f64, f64),
}

impl Scale {
    /// A linear scale from end to end of `range`, widened if that is a single value.
    pub(crate) fn linear(range: (f64, f64), pixels: (f64, f64)) -> Self {
        Self { logarithmic: false, domain: widened(range), pixels }
    }

    /// A logarithmic scale; the ends must be positive, or become the smallest such number.
    pub(crate) fn logarithmic(range: (f64, f64), pixels: (f64, f64)) -> Self {
        let logarithm = |value: f64| value.clamp(1.0 / LIMIT, LIMIT).log10();
        let domain = widened((logarithm(range.0), logarithm(range.1)));
        Self { logarithmic: true, domain, pixels }
    }

    /// Both ends moved outwards to round numbers.
    pub(crate) fn rounded_out(mut self, ticks: usize) -> Self {
        if !self.logarithmic {
            let (low, high) = self.domain;
            let step = nice_step(high - low, ticks);
            self.domain = ((low / step).floor() * step, (high / step).ceil() * step);
        }
        self
    }

    /// The place of a value, also beyond the ends.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        let value = if self.logarithmic { value.log10() } else { value };
        if !value.is_finite() {
            return None;
        }
        let (low, high) = self.domain;
        let share = ((value.clamp(-LIMIT, LIMIT) - low) / (high - low)).clamp(-1e3, 1e3);
        Some(self.pixels.0 + share * (self.pixels.1 - self.pixels.0))
    }

    /// The place of a value, or of the end it lies beyond.
    pub(crate) fn place_inside(&self, value: f64) -> Option<f64> {
        let (from, to) = (self.pixels.0.min(self.pixels.1), self.pixels.0.max(self.pixels.1));
        self.place(value).map(|place| place.clamp(from, to))
    }

    /// Where the ends lie in pixels.
    pub(crate) fn pixels(&self) -> (f64, f64) {
        self.pixels
    }

    /// Round numbers between the ends, about as many as asked for.
    pub(crate) fn ticks(&self, about: usize) -> Vec<Tick> {
        if self.logarithmic { self.powers(about) } else { self.multiples(about) }
    }

    fn multiples(&self, about: usize) -> Vec<Tick> {
        let (low, high) = self.domain;
        let step = nice_step(high - low, about);
        let (first, last) =
            ((low / step - 1e-6).ceil() as i64, (high / step + 1e-6).floor() as i64);
        let largest = low.abs().max(high.abs());
        (first..=last)
            .filter_map(|k| {
                let value = k as f64 * step;
                Some(Tick { place: self.place(value)?, text: tick_text(value, step, largest) })
            })
            .collect()
    }

    fn powers(&self, about: usize) -> Vec<Tick> {
        let (low, high) = self.domain;
        let stride = ((high - low) / about.max(1) as f64).ceil().max(1.0) as i32;
        let factors: &[f64] = if high - low < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let inside = |value: &f64| (low - 1e-9..=high + 1e-9).contains(&value.log10());
        ((low.floor() as i32)..=(high.ceil() as i32))
            .filter(|exponent| exponent.rem_euclid(stride) == 0)
            .flat_map(|exponent| factors.iter().map(move |factor| (*factor, exponent)))
            .filter_map(|(factor, exponent)| format!("{factor}e{exponent}").parse().ok())
            .filter(inside)
            .filter_map(|value: f64| {
                Some(Tick { place: self.place(value)?, text: significant(value, 1) })
            })
            .collect()
    }
}

fn tick_text(value: f64, step: f64, largest: f64) -> String {
    if largest >= PLAIN || step <= 1.0 / PLAIN {
        return significant(value, (largest / step).log10().ceil().clamp(1.0, 15.0) as usize + 1);
    }
    let decimals = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
    fixed(value, decimals)
}

/// The smallest and the largest finite value.
pub(crate) fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| value.is_finite()).map(|value| value.clamp(-LIMIT, LIMIT)).fold(
        None,
        |ends, value| match ends {
            None => Some((value, value)),
            Some((low, high)) => Some((low.min(value), high.max(value))),
        },
    )
}

/// The range itself, or one around it if it is too narrow to divide.
pub(crate) fn widened((low, high): (f64, f64)) -> (f64, f64) {
    let magnitude = low.abs().max(high.abs());
    if !magnitude.is_finite() || magnitude < 1.0 / LIMIT {
        (-1.0, 1.0)
    } else if high - low > NARROW * magnitude {
        (low, high)
    } else {
        (low - 0.1 * magnitude, high + 0.1 * magnitude)
    }
}

/// 1, 2 or 5 times a power of ten, the smallest that divides `span` into at most `parts` parts.
pub(crate) fn nice_step(span: f64, parts: usize) -> f64 {
    let raw = span / parts.max(1) as f64;
    let exponent = raw.log10().floor() as i32;
    // Parsed and not computed: the text gives the power of ten that is nearest.
    let power = |factor: u32, exponent: i32| format!("{factor}e{exponent}").parse().unwrap_or(raw);
    let steps = [power(1, exponent), power(2, exponent), power(5, exponent)];
    let fits = |step: &f64| *step >= raw * (1.0 - 1e-9);
    steps.into_iter().find(fits).unwrap_or_else(|| power(1, exponent + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGES: [(f64, f64); 10] = [
        (0.0, 1.0),
        (-3.7, 12.9),
        (1e9, 1e9 + 7.0),
        (1e-12, 3e-12),
        (-1e300, 1e300),
        (5.0, 5.0),
        (0.0, 0.0),
        (0.0, 378.0),
        (1e-310, 2e-310),
        (0.1, 0.7),
    ];

    #[test]
    fn a_step_is_one_two_or_five_and_the_smallest_that_fits() {
        for span in [1e-9, 0.3, 1.0, 7.0, 1234.5, 1e300] {
            for parts in [1, 5, 8, 60] {
                let step = nice_step(span, parts);
                let mantissa: f64 = format!("{step:e}").split('e').next().unwrap().parse().unwrap();
                assert!([1.0, 2.0, 5.0].contains(&mantissa), "{step}");
                assert!(span / step <= parts as f64 + 1e-6);
                assert!(
                    span / step * 2.5 >= parts as f64 * (1.0 - 1e-6),
                    "{span} / {parts}: {step}"
                );
            }
        }
    }

    #[test]
    fn ticks_ascend_and_lie_between_the_ends() {
        for range in RANGES {
            let scale = Scale::linear(range, (0.0, 500.0));
            let ticks = scale.ticks(6);
            assert!((2..=8).contains(&ticks.len()), "{range:?}: {ticks:?}");
            assert!(ticks.windows(2).all(|pair| pair[0].place < pair[1].place));
            assert!(ticks.iter().all(|tick| (-0.1..=500.1).contains(&tick.place)));
        }
    }

    #[test]
    fn rounded_out_ticks_cover_the_range() {
        for range in RANGES {
            let scale = Scale::linear(range, (0.0, 500.0)).rounded_out(6);
            let ticks = scale.ticks(6);
            let (first, last) = (ticks[0].place, ticks[ticks.len() - 1].place);
            assert!(first <= scale.place(range.0).unwrap() + 0.1, "{range:?}");
            assert!(last >= scale.place(range.1).unwrap() - 0.1, "{range:?}");
        }
    }

    #[test]
    fn no_two_ticks_read_the_same() {
        for range in RANGES {
            let mut texts: Vec<String> =
                Scale::linear(range, (0.0, 500.0)).ticks(6).into_iter().map(|t| t.text).collect();
            let before = texts.len();
            texts.dedup();
            assert_eq!(texts.len(), before, "{range:?}: {texts:?}");
        }
    }

    #[test]
    fn logarithmic_ticks_are_powers_with_twos_and_fives_where_there_is_room() {
        let texts = |range| -> Vec<String> {
            let scale = Scale::logarithmic(range, (0.0, 100.0));
            scale.ticks(6).into_iter().map(|tick| tick.text).collect()
        };
        assert_eq!(texts((0.01, 100.0)), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(texts((0.6, 90.0)), ["1", "2", "5", "10", "20", "50"]);
        assert!(texts((1e-300, 1e300)).len() <= 8);
    }

    #[test]
    fn equal_ratios_are_equally_far_on_a_logarithmic_scale() {
        let scale = Scale::logarithmic((0.01, 100.0), (10.0, 50.0));
        assert_eq!(scale.place(1.0), Some(30.0));
        assert_eq!([scale.place(0.0), scale.place(-1.0), scale.place(f64::NAN)], [None; 3]);
    }

    #[test]
    fn a_place_inside_never_leaves_the_frame() {
        let scale = Scale::linear((0.0, 1.0), (100.0, 0.0));
        assert_eq!(scale.place_inside(7.0), Some(0.0));
        assert_eq!(scale.place_inside(-1e308), Some(100.0));
        assert_eq!(scale.place_inside(f64::INFINITY), None);
    }
}
