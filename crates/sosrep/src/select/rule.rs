//! Reading a curve: which of its points is chosen.
//!
//! Paper: supplement, "The Hessian Estimation for Small a's" (stable minimum) and "On-the-fly
//! Fisher-Divergence Minimization" (lazy evaluation).
//!
//! The stable minimum: from the largest bandwidth down, the first point that is lower than its
//! three neighbours on both sides; if there is none, two neighbours, then one; if there is still
//! none, as on a monotone curve, the largest bandwidth. Neighbours are compared one by one,
//! larger first, and only while the point is the lower one, so the small bandwidths are usually never
//! computed.
//!
//! Differs from the paper: it does not say what to do when no point qualifies; relaxing the window
//! and staying at the largest is our reading.

use serde::{Deserialize, Serialize};

use crate::error::Result;

/// How a curve is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// The smallest value; of equals, the largest bandwidth.
    Minimum,
    /// The paper's rule: the first stable local minimum from the right, evaluated lazily.
    StableMinimum {
        /// Neighbours on each side that must be higher. The paper has 3.
        window: usize,
    },
    /// As the released program is reported to do: shift the curve to be positive, take logarithms,
    /// round to two decimals, and choose the local minimum with the largest bandwidth; the overall
    /// minimum if there is none.
    ReleasedCode,
}

impl Rule {
    /// The index chosen on a curve that is known as a whole, smallest bandwidth first; `None` for
    /// one without points.
    pub fn read(self, curve: &[f64]) -> Option<usize> {
        if curve.is_empty() { None } else { self.choose(curve.len(), |i| Ok(curve[i])).ok() }
    }

    /// The index chosen among `count` points; `value` is called as often as the rule needs.
    pub(super) fn choose(
        self,
        count: usize,
        mut value: impl FnMut(usize) -> Result<f64>,
    ) -> Result<usize> {
        match self {
            Self::StableMinimum { window } => stable_minimum(count, window, value),
            Self::Minimum => {
                let values = (0..count).map(&mut value).collect::<Result<Vec<f64>>>()?;
                Ok(minimum(&values))
            }
            Self::ReleasedCode => {
                let values = (0..count).map(&mut value).collect::<Result<Vec<f64>>>()?;
                Ok(last_rounded_minimum(&values))
            }
        }
    }
}

fn minimum(values: &[f64]) -> usize {
    (0..values.len()).rev().min_by(|&i, &j| values[i].total_cmp(&values[j])).unwrap_or(0)
}

fn stable_minimum(
    count: usize,
    window: usize,
    mut value: impl FnMut(usize) -> Result<f64>,
) -> Result<usize> {
    for window in (1..=window.min(count / 2)).rev() {
        for i in (window..count.saturating_sub(window)).rev() {
            let here = value(i)?;
            let mut stands = true;
            for k in 1..=window {
                stands = stands && value(i + k)? > here && value(i - k)? > here;
            }
            if stands {
                return Ok(i);
            }
        }
    }
    Ok(count - 1)
}

fn last_rounded_minimum(values: &[f64]) -> usize {
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let rounded: Vec<f64> =
        values.iter().map(|v| ((v - lowest + 1.0).ln() * 100.0).round() / 100.0).collect();
    (1..values.len().saturating_sub(1))
        .rev()
        .find(|&i| rounded[i] < rounded[i - 1] && rounded[i] < rounded[i + 1])
        .unwrap_or_else(|| minimum(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index chosen and which points were computed.
    fn choose(rule: Rule, curve: &[f64]) -> (usize, Vec<bool>) {
        let mut computed = vec![false; curve.len()];
        let chosen = rule
            .choose(curve.len(), |i| {
                computed[i] = true;
                Ok(curve[i])
            })
            .unwrap();
        (chosen, computed)
    }

    const STABLE: Rule = Rule::StableMinimum { window: 3 };

    #[test]
    fn the_stable_minimum_with_the_largest_bandwidth_wins() {
        let curve = [0.0, 5.0, 4.0, 3.0, 1.0, 3.0, 4.0, 5.0, 4.0, 3.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(choose(STABLE, &curve).0, 10);
        assert_eq!(choose(Rule::Minimum, &curve).0, 0);
        assert_eq!(choose(Rule::ReleasedCode, &curve).0, 10);
    }

    #[test]
    fn a_curve_known_as_a_whole_is_read_the_same_and_one_without_points_not_at_all() {
        for rule in [STABLE, Rule::Minimum, Rule::ReleasedCode] {
            let curve = [4.0, 3.0, 1.0, 3.0, 4.0, 2.0, 5.0, 6.0];
            assert_eq!(rule.read(&curve), Some(choose(rule, &curve).0));
            assert_eq!(rule.read(&[]), None);
        }
    }

    #[test]
    fn small_bandwidths_are_not_computed_without_need() {
        let curve = [0.0, 5.0, 4.0, 3.0, 1.0, 3.0, 4.0, 5.0, 4.0, 3.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let (_, computed) = choose(STABLE, &curve);
        let expected: Vec<bool> = (0..curve.len()).map(|i| (7..=13).contains(&i)).collect();
        assert_eq!(computed, expected);
    }

    #[test]
    fn a_noisy_dip_is_not_stable() {
        // Index 9 is lower than its neighbours but not than three of them.
        let curve = [9.0, 8.0, 7.0, 6.0, 5.0, 6.0, 7.0, 6.5, 8.0, 6.9, 7.5, 8.0, 8.5, 9.0, 9.5];
        assert_eq!(choose(STABLE, &curve).0, 4);
    }

    #[test]
    fn the_window_relaxes_before_giving_up() {
        let curve = [1.0, 2.0, 1.5, 2.0, 3.0];
        assert_eq!(choose(STABLE, &curve).0, 2);
    }

    #[test]
    fn monotone_curves_stay_at_the_largest_bandwidth() {
        let rising: Vec<f64> = (0..15).map(f64::from).collect();
        let falling: Vec<f64> = rising.iter().rev().copied().collect();
        assert_eq!(choose(STABLE, &rising).0, 14);
        assert_eq!(choose(STABLE, &falling).0, 14);
        assert_eq!(choose(STABLE, &[1.0]).0, 0);
    }
}
