//! The slope of a straight line in logarithms: the exponent of a power law.

/// The least-squares slope of ln y against ln x. `None` for fewer than two points, or values that
/// have no logarithm.
pub(super) fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / count;
    let products = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>();
    let squares = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>();
    let slope = products / squares;
    slope.is_finite().then_some(slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_law_is_found_and_that_of_one_point_is_not() {
        let law: Vec<(f64, f64)> = [1.0, 10.0, 70.0].map(|x: f64| (x, 3.0 * x.powf(-0.5))).into();
        assert!((exponent(&law).unwrap() + 0.5).abs() < 1e-12);
        assert_eq!(exponent(&law[..1]), None);
        assert_eq!(exponent(&[(1.0, 0.0), (2.0, 1.0)]), None);
    }
}
