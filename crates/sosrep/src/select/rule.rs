//! Reading a curve: which of its points is chosen.
//!
//! Paper: supplement, "The Hessian Estimation for Small a's" (text), "Hyperparameter Tuning with
//! On-the-fly Fisher-Divergence Minimization" (on the fly), and the released program's `fit_predict`.
//! The three differ, and none of them says all of it:
//!
//! ```text
//! v_0 … v_{n−1}: the curve, smallest bandwidth first; i runs from the largest bandwidth down
//! text         first i in 3 … n−4 with v_i < v_{i±1}, v_{i±2}, v_{i±3};  else n−1
//! on the fly   for w = 3, 2, 1: first i in w … n−1−w with v_i < v_{i±k} for all 1 ≤ k < w
//! released     r_i = round(ln(1 + v_i + |min v|)), to whole numbers:
//!              first i with r_i < r_j, j = i±1, i±2, i±3 moved into 0 … n−1;  else the least v_i
//! ```
//!
//! On the fly, w = 1 has nothing to compare and ends at n−2: without a stable minimum the second
//! largest bandwidth is chosen. As released, a point at an end is compared with itself and never
//! chosen, one beside it may be.
//!
//! Points are computed as they are asked for, larger neighbours first, so that the text and the
//! rule on the fly usually never see the small bandwidths. A value that is not finite counts as the
//! worst. Of fewer than three points all but the minimum choose the last.
//!
//! Differs from the paper: none; it does not say what the text's rule does without a stable minimum,
//! and the largest bandwidth is our answer.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Neighbours on each side that the paper asks for.
const ORDER: usize = 3;

/// How a curve is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// The smallest value; of equals, the largest bandwidth.
    Minimum,
    /// The paper's text: the first point from the right that is below three neighbours on each
    /// side; the largest bandwidth if there is none.
    Text,
    /// The released program's search on the fly: below two neighbours on each side, then below
    /// one, then the second largest bandwidth.
    OnTheFly,
    /// The released program's `fit_predict`: logarithms rounded to whole numbers, below three
    /// neighbours on each side as far as there are, else the minimum.
    Released,
}

impl Rule {
    /// The names that are read by [`FromStr`], each with what it is.
    pub const NAMES: [(&'static str, &'static str); 4] = [
        ("minimum", "the smallest value"),
        (
            "text",
            "the paper's text: first stable minimum from the right, else the largest bandwidth",
        ),
        ("on-the-fly", "the released search: relaxes to the second largest bandwidth"),
        ("released", "the released fit_predict: logarithms rounded to whole numbers"),
    ];

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
        let mut value = |i: usize| value(i).map(|v| if v.is_finite() { v } else { f64::INFINITY });
        match self {
            Self::Text => {
                let found = last_below(count, ORDER, ORDER, &mut value)?;
                Ok(found.unwrap_or(count - 1))
            }
            Self::OnTheFly => on_the_fly(count, value),
            Self::Minimum => Ok(minimum(&whole(count, value)?)),
            Self::Released => Ok(released(&whole(count, value)?)),
        }
    }
}

impl FromStr for Rule {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "minimum" => Ok(Self::Minimum),
            "text" => Ok(Self::Text),
            "on-the-fly" => Ok(Self::OnTheFly),
            "released" => Ok(Self::Released),
            _ => Err(Error::word("rule", name, "one of minimum, text, on-the-fly, released")),
        }
    }
}

fn whole(count: usize, value: impl FnMut(usize) -> Result<f64>) -> Result<Vec<f64>> {
    (0..count).map(value).collect()
}

fn minimum(values: &[f64]) -> usize {
    (0..values.len()).rev().min_by(|&i, &j| values[i].total_cmp(&values[j])).unwrap_or(0)
}

/// The last point, `margin` away from both ends, that is below `reach` neighbours on each side.
fn last_below(
    count: usize,
    margin: usize,
    reach: usize,
    value: &mut impl FnMut(usize) -> Result<f64>,
) -> Result<Option<usize>> {
    for i in (margin..count.saturating_sub(margin)).rev() {
        let mut stands = true;
        for k in 1..=reach {
            stands = stands && value(i + k)? > value(i)? && value(i - k)? > value(i)?;
        }
        if stands {
            return Ok(Some(i));
        }
    }
    Ok(None)
}

fn on_the_fly(count: usize, mut value: impl FnMut(usize) -> Result<f64>) -> Result<usize> {
    for window in (1..=ORDER).rev() {
        if let Some(found) = last_below(count, window, window - 1, &mut value)? {
            return Ok(found);
        }
    }
    Ok(count - 1)
}

fn released(values: &[f64]) -> usize {
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let rounded: Vec<f64> =
        values.iter().map(|v| (1.0 + v + lowest.abs()).ln().round_ties_even()).collect();
    let last = values.len() - 1;
    let is_below = |i: usize| {
        (1..=ORDER)
            .flat_map(|k| [i.saturating_sub(k), (i + k).min(last)])
            .all(|j| rounded[i] < rounded[j])
    };
    (0..values.len()).rev().find(|&i| is_below(i)).unwrap_or_else(|| minimum(values))
}

#[cfg(test)]
mod tests;
