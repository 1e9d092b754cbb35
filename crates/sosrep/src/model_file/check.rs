//! Checks that the parts of a model, as read from a file, fit together and give finite scores.
//!
//! A file may say anything; what is computed from it later relies on what is checked here.

use super::bad;
use crate::density::Density;
use crate::detector::{CLIPS, Preparation, ScoreQuantiles, Whitening};
use crate::error::Result;
use crate::points::{LARGEST, Points};

impl Preparation {
    /// An error unless the parts make up a preparation.
    ///
    /// # Errors
    /// [`Error::BadModel`](crate::Error::BadModel) naming the first part that does not fit.
    pub(crate) fn check(&self) -> Result<()> {
        let kept = self.kept.len();
        let constant: Vec<usize> = self.constant_features.iter().map(|c| c.index).collect();
        let mut columns = [self.kept.as_slice(), &constant].concat();
        columns.sort_unstable();
        require(self.input_columns() > 0, "preparation has no columns")?;
        require(
            columns.len() == self.input_columns()
                && columns.iter().enumerate().all(|(i, j)| i == *j),
            "varying and constant columns do not add up to all columns",
        )?;
        require(self.kept.is_sorted() && constant.is_sorted(), "columns are not in order")?;
        require(
            self.centre.len() == kept && self.scale.len() == kept,
            "centre and scale do not match the columns",
        )?;
        require(self.centre.iter().all(|c| c.is_finite()), "centre is not finite")?;
        require(self.scale.iter().all(|s| is_positive(*s)), "scale is not positive")?;
        require(
            self.constant_features.iter().all(|c| c.value.is_finite()),
            "value of a constant column is not finite",
        )?;
        let expected = self.kept.iter().enumerate().filter_map(|(coordinate, &feature)| {
            self.layout.indicator_of(feature).map(|indicator| (coordinate, indicator))
        });
        require(
            expected.eq(self.missing.iter().map(|missing| (missing.coordinate, missing.indicator))),
            "missing values do not match the columns",
        )?;
        require(
            self.missing.iter().all(|missing| missing.place.abs() <= LARGEST),
            "place of a missing value is not finite",
        )?;
        require(self.clip.is_none_or(|clip| CLIPS.contains(&clip)), "clip is out of bounds")?;
        self.whitening.as_ref().map_or(Ok(()), |whitening| whitening.check(kept))
    }
}

/// The largest sum of the magnitudes of coefficients: squares and products of two stay finite.
const LARGEST_SUM: f64 = 1e100;

/// Rows of a density that are scored when it is read.
const ROWS_SCORED: usize = 16;

/// An error unless the coefficients in array `name` make up a function that is not 0 everywhere and
/// overflows nowhere.
pub(super) fn check_coefficients(name: &str, coefficients: &[f64]) -> Result<()> {
    let total: f64 = coefficients.iter().map(|c| c.abs()).sum();
    if (1.0 / LARGEST_SUM..=LARGEST_SUM).contains(&total) {
        return Ok(());
    }
    let range = format!("{:e} and {LARGEST_SUM:e}", 1.0 / LARGEST_SUM);
    Err(bad(format!("the magnitudes in array {name} sum to {total:e}, not to between {range}")))
}

/// An error if a value in array `name` is so large that squares of distances overflow.
pub(super) fn check_distances(name: &str, values: &[f64]) -> Result<()> {
    match values.iter().position(|value| value.abs() > LARGEST) {
        None => Ok(()),
        Some(at) => Err(bad(format!("value {at} of array {name} is {:e}", values[at]))),
    }
}

impl Density {
    /// An error unless the density at some of its own rows, or at 0 if it has none, and far from them
    /// is a number: the last check, of what the others together are to ensure.
    pub(super) fn check_values(&self) -> Result<()> {
        let d = self.dimension();
        let (origin, far) = (vec![0.0; d], vec![LARGEST; d]);
        let mut rows = [origin, far].concat();
        if let Some(form) = self.kernel_form() {
            let support = form.support();
            let step = support.rows().div_ceil(ROWS_SCORED);
            support.iter().step_by(step).for_each(|row| rows.extend_from_slice(row));
        }
        let found = self.log_pre_density(Points::new_unchecked(&rows, d))?;
        require(found.iter().all(|value| value.is_finite()), "its density is not a number")
    }
}

impl Whitening {
    /// An error unless the parts make up a map of `kept` coordinates.
    fn check(&self, kept: usize) -> Result<()> {
        require(self.mean.len() == kept, "whitening does not match the columns")?;
        require(self.mean.iter().all(|m| m.abs() <= LARGEST), "whitening mean is not finite")?;
        let of_length_one = self.vectors.iter().all(|v| v.abs() <= 1.0 + 1e-9);
        require(of_length_one, "whitening vectors are not of length 1")?;
        let possible = |gain: &f64| *gain > 0.0 && *gain <= 1.0;
        require(self.gains.iter().all(possible), "whitening gain is not above 0 and at most 1")?;
        require(self.rest.iter().all(|r| is_positive(*r)), "whitening rest is not positive")?;
        let possible = |unit: &f64| [1.0, std::f64::consts::SQRT_2].contains(unit);
        require(self.units.iter().all(possible), "whitening unit is neither 1 nor the root of 2")
    }
}

impl ScoreQuantiles {
    /// An error unless the parts make up a distribution.
    ///
    /// # Errors
    /// [`Error::BadModel`](crate::Error::BadModel) naming what does not hold.
    pub(crate) fn check(&self) -> Result<()> {
        let kept = self.scores.len();
        let falling = self.at_or_above.iter().zip(&self.above).all(|(at, above)| at >= above)
            && self.above.iter().zip(self.at_or_above.iter().skip(1)).all(|(a, next)| a >= next);
        let share = |share: &f64| (0.0..=1.0 + 1e-9).contains(share);
        let complaint = if kept == 0 {
            "score quantiles are empty"
        } else if !(self.copies >= 1.0 && self.copies.is_finite()) {
            "score quantiles are those of less than one row, or of infinitely many"
        } else if self.at_or_above.len() != kept || self.above.len() != kept {
            "score quantiles and their shares differ in number"
        } else if !self.scores.iter().all(|score| score.is_finite()) {
            "score quantiles are not finite"
        } else if !self.scores.is_sorted_by(|a, b| a < b) {
            "score quantiles do not rise"
        } else if !falling || !self.at_or_above.iter().chain(&self.above).all(share) {
            "shares of score quantiles do not fall from 1 to 0"
        } else {
            return Ok(());
        };
        Err(bad(complaint))
    }
}

fn is_positive(value: f64) -> bool {
    value >= f64::MIN_POSITIVE && value.is_finite()
}

fn require(holds: bool, complaint: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(bad(complaint)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detector::{PrepareOptions, Scaling};
    use crate::error::Error;
    use crate::points::Weights;
    use crate::source_columns::Layout;

    /// Quasi-random numbers in [0, 1).
    fn numbers(count: usize) -> Vec<f64> {
        (0..count).map(|i| (i as f64 * 0.754_877_666).fract()).collect()
    }

    fn prepared(values: &[f64], columns: usize, options: &PrepareOptions) -> Preparation {
        let points = Points::new(values, columns).unwrap();
        Preparation::fit(points, &Weights::equal(points.rows()), options).unwrap()
    }

    fn whitened(scaling: Scaling) -> PrepareOptions {
        PrepareOptions::new().scaling(scaling).whitening(0.5)
    }

    #[test]
    fn whatever_a_fit_finds_passes() {
        for scaling in [Scaling::Standard, Scaling::Robust] {
            for options in [whitened(scaling), whitened(scaling).whitening(0.0)] {
                prepared(&[1.0, 0.0, 1.0, 0.0], 2, &options).check().unwrap();
                for scale in [2_f64.powi(-900), 2_f64.powi(660), 2_f64.powi(1013)] {
                    let values: Vec<f64> = numbers(240).iter().map(|x| x * scale).collect();
                    prepared(&values, 3, &options).check().unwrap();
                }
            }
        }
        for rows in [1, 2000, 50_000] {
            let mut scores = numbers(rows);
            // Ties, and both signs of zero.
            scores.iter_mut().step_by(2).for_each(|score| *score = (*score * 20.0).floor());
            scores[rows / 2] = -0.0;
            ScoreQuantiles::new(&scores, &Weights::equal(rows)).unwrap().check().unwrap();
        }
    }

    #[test]
    fn hostile_preparations_are_rejected() {
        let values: Vec<f64> =
            numbers(90).chunks(3).flat_map(|row| [row[0], 4.0, row[1], row[2]]).collect();
        let good = prepared(&values, 4, &whitened(Scaling::Standard));
        good.check().unwrap();
        let spoil: [fn(&mut Preparation); 16] = [
            |p| p.layout = Layout::new(5, None).unwrap(),
            |p| p.kept[0] = 1,
            |p| p.kept[2] = usize::MAX,
            |p| p.kept.swap(0, 1),
            |p| p.centre[0] = f64::NAN,
            |p| p.centre.truncate(2),
            |p| p.scale[1] = 0.0,
            |p| p.scale[1] = f64::INFINITY,
            |p| p.clip = Some(-1.0),
            |p| p.constant_features[0].value = f64::INFINITY,
            |p| p.constant_features.clear(),
            |p| p.whitening.as_mut().unwrap().mean.truncate(2),
            |p| p.whitening.as_mut().unwrap().vectors[0] = 1e200,
            |p| p.whitening.as_mut().unwrap().gains[0] = -1.0,
            |p| p.whitening.as_mut().unwrap().rest[0] = f64::INFINITY,
            |p| p.whitening.as_mut().unwrap().units[0] = 0.0,
        ];
        for (i, spoil) in spoil.iter().enumerate() {
            let mut bad = good.clone();
            spoil(&mut bad);
            assert!(matches!(bad.check(), Err(Error::BadModel(_))), "{i}");
        }
    }

    #[test]
    fn hostile_quantiles_are_rejected() {
        let good = ScoreQuantiles::new(&numbers(50), &Weights::equal(50)).unwrap();
        good.check().unwrap();
        let spoil: [fn(&mut ScoreQuantiles); 11] = [
            |q| q.copies = 0.5,
            |q| q.copies = f64::NAN,
            |q| q.copies = f64::INFINITY,
            |q| q.scores.clear(),
            |q| q.scores[3] = f64::NAN,
            |q| q.scores[3] = 1e9,
            |q| q.scores[3] = q.scores[4],
            |q| q.above.truncate(49),
            |q| q.at_or_above[0] = 2.0,
            |q| q.above[7] = f64::NAN,
            |q| q.above[49] = -1.0,
        ];
        for (i, spoil) in spoil.iter().enumerate() {
            let mut bad = good.clone();
            spoil(&mut bad);
            assert!(matches!(bad.check(), Err(Error::BadModel(_))), "{i}");
        }
    }
}
