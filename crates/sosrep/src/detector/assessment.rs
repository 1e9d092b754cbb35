//! Scores, p-values and labels of rows, together.

use super::largest_discovery;
use crate::error::Result;

/// What a detector says of some rows, in their order.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Assessment {
    /// Anomaly scores: higher is more anomalous.
    pub scores: Vec<f64>,
    /// p-values, in (0, 1]: about the share of rows like those in training with a score this high.
    pub p_values: Vec<f64>,
    /// Whether each score is above the threshold.
    pub is_anomaly: Vec<bool>,
}

impl Assessment {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// Number of anomalies.
    pub fn anomalies(&self) -> usize {
        self.is_anomaly.iter().filter(|anomaly| **anomaly).count()
    }

    /// The same rows, labelled so that of the anomalies among them at most a share `rate` is expected
    /// to be normal; see [`largest_discovery`] for what that takes. For new rows: the p-values of
    /// training rows are evenly spread whatever the rows are.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) unless the rate is above 0 and below 1.
    pub fn with_false_discovery_rate(mut self, rate: f64) -> Result<Self> {
        let largest = largest_discovery(&self.p_values, rate)?;
        self.is_anomaly = self.p_values.iter().map(|p| *p <= largest).collect();
        Ok(self)
    }

    /// The rows by their score, the highest first; equal scores in the order of the rows.
    pub fn ranking(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by(|&i, &j| self.scores[j].total_cmp(&self.scores[i]));
        order
    }
}
