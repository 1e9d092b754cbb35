//! Scaling of columns: (x − centre) / divisor, both read off the training rows.
//!
//! As in scikit-learn, a column that does not vary is centred and not divided: a range below ten
//! times the machine epsilon, or a standard deviation of zero, counts as 1.

/// A fitted scaling.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scaling {
    centre: Vec<f64>,
    divisor: Vec<f64>,
}

impl Scaling {
    /// The smallest value of every column becomes 0, the largest 1.
    pub(super) fn to_unit_interval(values: &[f64], columns: usize) -> Self {
        let mut least = vec![f64::INFINITY; columns];
        let mut most = vec![f64::NEG_INFINITY; columns];
        for row in values.chunks_exact(columns) {
            for ((x, least), most) in row.iter().zip(&mut least).zip(&mut most) {
                *least = least.min(*x);
                *most = most.max(*x);
            }
        }
        let range = |(most, least): (&f64, &f64)| {
            let range = most - least;
            if range < 10.0 * f64::EPSILON { 1.0 } else { range }
        };
        let divisor = most.iter().zip(&least).map(range).collect();
        Self { centre: least, divisor }
    }

    /// Every column gets mean 0 and standard deviation 1.
    pub(super) fn standard(values: &[f64], columns: usize) -> Self {
        let (centre, mut divisor) = moments(values, columns);
        for deviation in divisor.iter_mut().filter(|deviation| **deviation == 0.0) {
            *deviation = 1.0;
        }
        Self { centre, divisor }
    }

    /// Scales rows in place.
    pub(super) fn apply(&self, values: &mut [f64]) {
        for row in values.chunks_exact_mut(self.centre.len()) {
            for ((x, centre), divisor) in row.iter_mut().zip(&self.centre).zip(&self.divisor) {
                *x = (*x - centre) / divisor;
            }
        }
    }
}

/// Mean and standard deviation of every column, over n and not n − 1.
///
/// Sums are of differences from the first row, so that a constant column deviates by exactly 0.
pub(super) fn moments(values: &[f64], columns: usize) -> (Vec<f64>, Vec<f64>) {
    let rows = (values.len() / columns).max(1) as f64;
    let first = &values[..columns];
    let mut mean = first.to_vec();
    for row in values.chunks_exact(columns) {
        for ((x, first), mean) in row.iter().zip(first).zip(&mut mean) {
            *mean += (x - first) / rows;
        }
    }
    let mut deviation = vec![0.0; columns];
    for row in values.chunks_exact(columns) {
        for ((x, mean), sum) in row.iter().zip(&mean).zip(&mut deviation) {
            *sum += (x - mean).powi(2) / rows;
        }
    }
    deviation.iter_mut().for_each(|variance| *variance = variance.sqrt());
    (mean, deviation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_interval_is_met_exactly() {
        // 0.1 · k is rounded in ways that x · (1 / range) + shift does not undo.
        let mut values: Vec<f64> = (0..1000).map(|k| 0.1 * f64::from(k) - 33.3).collect();
        Scaling::to_unit_interval(&values, 1).apply(&mut values);
        assert_eq!((values[0], values[999]), (0.0, 1.0));
        assert!(values.iter().all(|x| (0.0..=1.0).contains(x)));
    }

    #[test]
    fn a_constant_column_is_centred_and_not_divided() {
        let train = [7.0, 1.0, 7.0, 3.0];
        let mut test = [9.0, 5.0];
        Scaling::to_unit_interval(&train, 2).apply(&mut test);
        assert_eq!(test, [2.0, 2.0]);
        let mut test = [9.0, 5.0];
        Scaling::standard(&train, 2).apply(&mut test);
        assert_eq!(test, [2.0, 3.0]);
    }

    #[test]
    fn a_range_of_rounding_errors_counts_as_constant() {
        let mut values = [0.0, 2e-15];
        Scaling::to_unit_interval(&values.clone(), 1).apply(&mut values);
        assert_eq!(values, [0.0, 2e-15]);
        let mut values = [0.0, 3e-15];
        Scaling::to_unit_interval(&values.clone(), 1).apply(&mut values);
        assert_eq!(values, [0.0, 1.0]);
    }

    #[test]
    fn the_largest_values_that_are_read_stay_finite() {
        let mut values = [-1e145, 0.0, 1e145];
        Scaling::to_unit_interval(&values.clone(), 1).apply(&mut values);
        assert_eq!(values, [0.0, 0.5, 1.0]);
        let (mean, deviation) = moments(&[-1e145, 1e145], 1);
        assert_eq!(mean, [0.0]);
        assert!((deviation[0] / 1e145 - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_constant_column_deviates_by_exactly_nothing() {
        let values = vec![1e6 + 0.1; 777];
        assert_eq!(moments(&values, 1), (vec![1e6 + 0.1], vec![0.0]));
    }
}
