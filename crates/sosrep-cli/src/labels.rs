//! Known anomalies: which of the values of a label column marks them.

use std::collections::BTreeMap;

use sosrep::metrics::{auc_roc, average_precision};

use crate::failure::{Result, user};

/// The labels of the rows.
#[derive(Debug, Clone)]
pub(crate) struct Labels {
    /// Whether each row is an anomaly; `None` where the label is missing.
    pub(crate) known: Vec<Option<bool>>,
    /// The value that marks anomalies.
    pub(crate) anomaly: String,
}

/// How well scores find the known anomalies.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub(crate) struct Quality {
    pub(crate) auc_roc: f64,
    pub(crate) average_precision: f64,
}

impl Labels {
    /// Reads labels as they are written; `given` is the value of an anomaly, if the user said so.
    pub(crate) fn read(
        column: &str,
        cells: &[Option<String>],
        given: Option<&str>,
    ) -> Result<Self> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for cell in cells.iter().flatten() {
            *counts.entry(cell).or_default() += 1;
        }
        let anomaly = match given {
            Some(value) if counts.contains_key(value) => value,
            Some(value) => {
                return Err(user(format!(
                    "no row has \"{value}\" in the label column \"{column}\"; its values are {}",
                    listed(&counts)
                )));
            }
            None => mark_of_anomalies(&counts).ok_or_else(|| {
                user(format!(
                    "the label column \"{column}\" must have two values, or --label-value must say \
                     which one marks an anomaly; found {}: {}",
                    counts.len(),
                    listed(&counts)
                ))
            })?,
        };
        let known = cells.iter().map(|cell| cell.as_deref().map(|value| value == anomaly));
        Ok(Self { known: known.collect(), anomaly: anomaly.to_string() })
    }

    /// Scores and labels of the rows that have a label.
    pub(crate) fn labelled(&self, scores: &[f64]) -> (Vec<f64>, Vec<bool>) {
        let pairs = scores.iter().zip(&self.known);
        pairs.filter_map(|(&score, known)| known.map(|known| (score, known))).unzip()
    }

    /// AUC-ROC and average precision; `None` if the rows at hand are all of one class.
    pub(crate) fn quality(&self, scores: &[f64]) -> Option<Quality> {
        let (scores, labels) = self.labelled(scores);
        let auc_roc = auc_roc(&scores, &labels).ok()?;
        let average_precision = average_precision(&scores, &labels).ok()?;
        Some(Quality { auc_roc, average_precision })
    }
}

/// The conventional mark where there is one, the rarer of two values otherwise.
fn mark_of_anomalies<'a>(counts: &BTreeMap<&'a str, usize>) -> Option<&'a str> {
    let values: Vec<(&str, usize)> = counts.iter().map(|(value, count)| (*value, *count)).collect();
    let number = |text: &str| text.trim().parse::<f64>().ok();
    // A table without anomalies, or of nothing else, may still follow a convention.
    if let [(value, _)] = values[..] {
        return match (number(value), value.to_lowercase().as_str()) {
            (Some(0.0), _) => Some("1"),
            (Some(1.0 | -1.0), _) | (_, "true") => Some(value),
            (_, "false") => Some("true"),
            _ => None,
        };
    }
    let [(a, count_a), (b, count_b)] = values[..] else { return None };
    match (number(a), number(b)) {
        (Some(0.0), Some(1.0)) => return Some(b),
        (Some(1.0), Some(0.0)) => return Some(a),
        (Some(-1.0), Some(1.0)) => return Some(a),
        (Some(1.0), Some(-1.0)) => return Some(b),
        _ => {}
    }
    match (a.to_lowercase().as_str(), b.to_lowercase().as_str()) {
        ("true", "false") => Some(a),
        ("false", "true") => Some(b),
        _ => Some(if count_a < count_b { a } else { b }),
    }
}

fn listed(counts: &BTreeMap<&str, usize>) -> String {
    const SHOWN: usize = 5;
    let mut values: Vec<String> =
        counts.keys().take(SHOWN).map(|value| format!("\"{value}\"")).collect();
    if counts.len() > SHOWN {
        values.push("…".to_string());
    }
    values.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cells: &[&str], given: Option<&str>) -> Result<Labels> {
        let cells: Vec<Option<String>> =
            cells.iter().map(|c| (!c.is_empty()).then(|| c.to_string())).collect();
        Labels::read("y", &cells, given)
    }

    #[test]
    fn conventions_come_before_rarity() {
        for (cells, anomaly) in [
            (["1", "1", "0", ""], "1"),
            (["-1", "-1", "1", ""], "-1"),
            (["1.0", "1.0", "0.0", ""], "1.0"),
            (["TRUE", "TRUE", "false", ""], "TRUE"),
            (["bad", "good", "good", ""], "bad"),
        ] {
            let labels = read(&cells, None).unwrap();
            assert_eq!(labels.anomaly, anomaly);
            assert_eq!(labels.known[3], None);
        }
        assert_eq!(read(&["bad", "good", "good"], Some("good")).unwrap().anomaly, "good");
    }

    #[test]
    fn other_numbers_of_values_are_errors_that_list_them() {
        let error = read(&["a", "b", "c"], None).unwrap_err().to_string();
        assert!(error.ends_with("found 3: \"a\", \"b\", \"c\""), "{error}");
        let error = read(&["a", "b"], Some("z")).unwrap_err().to_string();
        assert!(error.contains("no row has \"z\""), "{error}");
    }

    #[test]
    fn one_conventional_value_is_enough_to_know_the_other() {
        for (value, anomaly) in [("0", "1"), ("1", "1"), ("-1", "-1"), ("False", "true")] {
            let labels = read(&[value, value], None).unwrap();
            assert_eq!(labels.anomaly, anomaly);
            assert_eq!(labels.quality(&[1.0, 2.0]), None);
        }
        assert!(read(&["good", "good"], None).is_err());
    }

    #[test]
    fn rows_without_a_label_do_not_count() {
        let labels = read(&["1", "", "0"], None).unwrap();
        assert_eq!(labels.labelled(&[3.0, 9.0, 1.0]), (vec![3.0, 1.0], vec![true, false]));
        assert_eq!(labels.quality(&[3.0, 9.0, 1.0]).unwrap().auc_roc, 1.0);
    }
}
