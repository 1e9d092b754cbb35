//! The kind of an axis, and the scale it gives to values.

use crate::scale::{Scale, extent};

/// Beyond these magnitudes a logarithmic axis does not reach.
const POSITIVE: (f64, f64) = (1e-300, 1e300);

/// How values are laid along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Equal differences are equally far.
    Linear,
    /// Equal ratios are equally far; only positive values have a place.
    Logarithmic,
}

impl Axis {
    /// Whether a value has a place on such an axis.
    pub(super) fn holds(self, value: f64) -> bool {
        value.is_finite() && (self == Self::Linear || value > 0.0)
    }

    /// A scale for these values with round ends, some `ticks` between them; none without values.
    pub(super) fn scale(
        self,
        values: impl Iterator<Item = f64>,
        pixels: (f64, f64),
        ticks: usize,
    ) -> Option<Scale> {
        let range = extent(values.filter(|value| self.holds(*value)))?;
        Some(match self {
            Self::Linear => Scale::linear(range, pixels).rounded_out(ticks),
            Self::Logarithmic => Scale::logarithmic(round_ends(range), pixels),
        })
    }
}

/// The ends moved outwards to 1, 2 or 5 times a power of ten, so that at least two ticks lie between.
fn round_ends((low, high): (f64, f64)) -> (f64, f64) {
    let (low, high) = (low.clamp(POSITIVE.0, POSITIVE.1), high.clamp(POSITIVE.0, POSITIVE.1));
    let below = round_numbers(low).into_iter().rev().find(|round| *round <= low * (1.0 + 1e-9));
    let above = round_numbers(high).into_iter().find(|round| *round >= high * (1.0 - 1e-9));
    let (below, above) = (below.unwrap_or(low), above.unwrap_or(high));
    if below < above { (below, above) } else { (below / 2.0, above * 2.0) }
}

/// Round numbers around a positive value, ascending.
fn round_numbers(value: f64) -> [f64; 4] {
    let exponent = value.log10().floor() as i32;
    // Parsed and not computed: the text gives the power of ten that is nearest.
    [1, 2, 5, 10].map(|factor| format!("{factor}e{exponent}").parse().unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithmic_ends_are_round_and_hold_the_range() {
        assert_eq!(round_ends((0.62, 0.68)), (0.5, 1.0));
        assert_eq!(round_ends((1.0, 100.0)), (1.0, 100.0));
        assert_eq!(round_ends((3e-9, 1200.0)), (2e-9, 2000.0));
        assert_eq!(round_ends((7.0, 7.0)), (5.0, 10.0));
        assert_eq!(round_ends((1.0, 1.0)), (0.5, 2.0));
    }

    #[test]
    fn a_logarithmic_axis_has_two_ticks_for_any_range() {
        for range in [(5e-324, 1e308), (0.62, 0.63), (1.0, 1.0), (1e300, 1e300), (99.0, 101.0)] {
            let values = [range.0, range.1, 0.0, -1.0, f64::NAN].into_iter();
            let scale = Axis::Logarithmic.scale(values, (0.0, 500.0), 7).unwrap();
            assert!(scale.ticks(7).len() >= 2, "{range:?}: {:?}", scale.ticks(7));
        }
    }

    #[test]
    fn without_a_value_that_has_a_place_there_is_no_scale() {
        let values = || [0.0, -3.0, f64::NAN].into_iter();
        assert!(Axis::Logarithmic.scale(values(), (0.0, 1.0), 5).is_none());
        assert!(Axis::Linear.scale(values(), (0.0, 1.0), 5).is_some());
    }
}
