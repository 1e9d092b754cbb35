//! Which rows of a batch are anomalous, with a bound on the share of false ones among them.
//!
//! ```text
//! p_(1) ≤ … ≤ p_(m)       p-values of the batch
//! cut = p_(k),            k the largest with p_(k) ≤ k q / m
//! ```
//!
//! The procedure of Benjamini and Hochberg (1995). The p-values of new rows are conformal: where the
//! training rows have no anomalies and normal rows come from the same distribution, each is at least
//! uniform, and the expected share of normal rows among those flagged is at most q (Bates et al. 2023
//! for p-values that share their training rows; here training scores leave their own row out of f
//! rather than come from other rows, which the laws test by simulation). Anomalies in the training
//! rows raise p-values: fewer rows are flagged, and the bound still holds.
//!
//! p-values are at least 1/(N + 1): k rows of m can be flagged only if N + 1 ≥ m / (k q).
//!
//! Cost: m log m. Differs from the paper: it ranks rows and sets no threshold.

use crate::error::{Error, Result};

/// The domain of a false-discovery rate.
const RATE: &str = "above 0 and below 1";

/// The largest p-value that counts as a discovery at the false-discovery rate `rate`; 0 if none does.
/// NaN, the p-value of a row without a score, is no part of the batch.
///
/// ```
/// use sosrep::detector::largest_discovery;
///
/// assert_eq!(largest_discovery(&[0.001, 0.8, 0.04, 0.03], 0.1)?, 0.04);
/// assert_eq!(largest_discovery(&[0.2, 0.8, 0.4, 0.3], 0.1)?, 0.0);
/// # Ok::<(), sosrep::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] unless the rate is above 0 and below 1.
pub fn largest_discovery(p_values: &[f64], rate: f64) -> Result<f64> {
    if !(rate > 0.0 && rate < 1.0) {
        return Err(Error::parameter("fdr", rate, RATE));
    }
    let mut ordered: Vec<f64> = p_values.iter().copied().filter(|p| !p.is_nan()).collect();
    ordered.sort_by(f64::total_cmp);
    let step = rate / ordered.len().max(1) as f64;
    let places = ordered.iter().enumerate().rev();
    // Rounding of k q / m must not lose a p-value that equals it.
    let found =
        places.map(|(i, p)| (*p, (i + 1) as f64 * step)).find(|(p, q)| p <= &(q * (1.0 + 1e-12)));
    Ok(found.map_or(0.0, |(p, _)| p))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, for every k.
    fn slow(p_values: &[f64], rate: f64) -> f64 {
        let m = p_values.len() as f64;
        let at_most = |p: f64| p_values.iter().filter(|other| **other <= p).count() as f64;
        let significant = p_values.iter().filter(|p| **p <= at_most(**p) * rate / m + 1e-15);
        significant.copied().fold(0.0, f64::max)
    }

    #[test]
    fn the_definition_is_met() {
        let mut p_values: Vec<f64> =
            (1..200).map(|i| (f64::from(i) * 0.754_877).fract().powi(3)).collect();
        // Ties, and a value that equals its bound.
        p_values.extend([0.01, 0.01, 0.05]);
        for rate in [0.01, 0.05, 0.1, 0.3, 0.9] {
            assert_eq!(
                largest_discovery(&p_values, rate).unwrap(),
                slow(&p_values, rate),
                "{rate}"
            );
        }
    }

    #[test]
    fn rows_without_a_score_are_no_part_of_the_batch() {
        let with = [0.04, f64::NAN, 0.6, f64::NAN];
        assert_eq!(largest_discovery(&with, 0.1), largest_discovery(&[0.04, 0.6], 0.1));
        assert_eq!(largest_discovery(&[], 0.1), Ok(0.0));
        assert_eq!(largest_discovery(&[f64::NAN], 0.1), Ok(0.0));
    }

    #[test]
    fn a_rate_outside_its_domain_is_named() {
        for rate in [0.0, 1.0, -0.1, f64::NAN] {
            assert!(matches!(
                largest_discovery(&[0.5], rate),
                Err(Error::Parameter { name: "fdr", .. })
            ));
        }
    }
}
