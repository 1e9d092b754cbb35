//! From what was found to what the page shows.

use sosrep::metrics::{precision_recall_curve, roc_curve};
use sosrep::select::{Criterion, Selection};
use sosrep_report::{
    Anomaly, Axis, Confusion, Curve, Detection, Feature, Headline, Map, MapPoint, Report,
    Reproduce, Scores, Summary,
};

use sosrep_scoring::{Principal, ranks};

use crate::failure::Result;
use crate::labels::Labels;
use crate::run::{Findings, Method};
use crate::source_values::{SourceValues, source_values};

/// Bins of a feature's histogram.
const BINS: usize = 24;
/// Reasons shown for a row.
const REASONS: usize = 5;
/// Rows the directions of the map are read from.
const MAP_ROWS: usize = 20_000;
/// Columns named for a direction.
const LOADINGS: usize = 2;

/// The page's content.
pub(crate) fn report(found: &Findings) -> Result<Report> {
    let report = found.detector.report();
    let columns = source_values(&found.table)?;
    Ok(Report {
        title: format!("Anomalies in {}", found.table.file),
        source_note: found.attribution.map(str::to_string),
        headline: Headline {
            rows: found.table.rows.len(),
            columns: found.table.columns.len(),
            flagged: found.assessment.anomalies(),
            threshold_rule: found.threshold_rule.clone(),
            kernel: report.kernel.name().to_string(),
            bandwidth: report.bandwidth,
            iterations: report.fit.as_ref().map(|fit| fit.iterations),
            seconds: found.seconds,
        },
        scores: Scores {
            values: found.assessment.scores.clone(),
            threshold: found.detector.threshold(),
            labels: found
                .labels
                .as_ref()
                .map(|labels| labels.known.iter().map(|known| *known == Some(true)).collect()),
        },
        top: top(found, &columns),
        features: features(found, &columns),
        map: map(found)?,
        curve: report.selection.as_ref().map(curve),
        detection: found.labels.as_ref().and_then(|labels| detection(found, labels)),
        notes: notes(found),
        reproduce: Reproduce {
            command: found.command.clone(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            seed: found.detector.seed(),
            threads: rayon::current_num_threads(),
        },
    })
}

/// The notes, and first of all on which rows the density rests if not on all.
fn notes(found: &Findings) -> Vec<String> {
    let method = Method::of(&found.detector);
    let method = method.is_sampled().then(|| format!("method: {method}"));
    method.into_iter().chain(found.notes.iter().cloned()).collect()
}

/// The rows shown in figures, and all that are flagged.
fn top(found: &Findings, columns: &[SourceValues]) -> Vec<Anomaly> {
    let reason = |row: usize, reason: &sosrep_scoring::Reason| {
        let column = &columns[reason.source];
        sosrep_report::Reason {
            feature: reason.source,
            value: column.of_row(row),
            value_text: reason.value.clone(),
            typical: column.of_cell(reason.typical_number, &reason.typical),
            typical_text: reason.typical.clone(),
            contribution: reason.contribution,
        }
    };
    let anomaly = |(place, &row): (usize, &usize)| Anomaly {
        row: found.table.rows.names.name(row),
        score: found.assessment.scores[row],
        p_value: Some(found.assessment.p_values[row]),
        flagged: found.assessment.is_anomaly[row],
        known: found.labels.as_ref().and_then(|labels| labels.known[row]),
        reasons: found.reasons.get(place).map_or(Vec::new(), |reasons| {
            reasons.against(REASONS).map(|one| reason(row, one)).collect()
        }),
    };
    let listed = found.top.max(found.assessment.anomalies());
    found.order.iter().take(listed).enumerate().map(anomaly).collect()
}

fn features(found: &Findings, columns: &[SourceValues]) -> Vec<Feature> {
    let shown = &found.reasons[..found.reasons.len().min(found.top)];
    let mut blame = vec![0.0; columns.len()];
    for reason in shown.iter().flat_map(|reasons| &reasons.ranked) {
        blame[reason.source] += reason.contribution.abs() / shown.len() as f64;
    }
    let kinds = found.table.recipe.encoding.input_columns();
    let feature = |(j, column): (usize, &SourceValues)| Feature {
        name: kinds[j].name.clone(),
        kind: kinds[j].kind.name().to_string(),
        missing: found.table.missing[j],
        summary: column.is_number().then(|| summary(&column.values)).flatten(),
        histogram: column.histogram(BINS),
        contribution: blame[j],
    };
    columns.iter().enumerate().map(feature).collect()
}

fn summary(values: &[f64]) -> Option<Summary> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (minimum, maximum) = (*sorted.first()?, *sorted.last()?);
    let quantile = |share: f64| {
        let place = share * (sorted.len() - 1) as f64;
        let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
        below + (above - below) * place.fract()
    };
    Some(Summary {
        minimum,
        lower_quartile: quantile(0.25),
        median: quantile(0.5),
        upper_quartile: quantile(0.75),
        maximum,
        mean: values.iter().map(|x| x / values.len() as f64).sum(),
    })
}

/// The prepared rows along their first two principal directions.
fn map(found: &Findings) -> Result<Option<Map>> {
    let preparation = found.detector.preparation();
    let prepared = preparation.apply(found.table.rows.points(found.table.width())?)?;
    let d = preparation.dimension();
    let step = (found.table.rows.len() / MAP_ROWS).max(1);
    let sample: Vec<f64> = prepared.chunks_exact(d).step_by(step).flatten().copied().collect();
    let Some(principal) = Principal::of(&sample, d) else { return Ok(None) };
    let names = found.table.recipe.encoding.feature_names();
    let varying: Vec<&String> = preparation.varying_features().iter().map(|&j| &names[j]).collect();
    let axes = principal.directions.each_ref().map(|direction| Axis {
        share: direction.share,
        loadings: largest(&direction.vector).map(|j| varying[j].clone()).collect(),
    });
    let ranks = ranks(&found.order);
    let points = prepared.chunks_exact(d).enumerate().map(|(row, z)| {
        let [x, y] = principal.place(z);
        let rank = ranks[row] as usize;
        MapPoint {
            x,
            y,
            score: found.assessment.scores[row],
            flagged: found.assessment.is_anomaly[row],
            rank: (rank <= found.top).then_some(rank),
        }
    });
    Ok(Some(Map { points: points.collect(), measured: sample.len() / d, axes }))
}

fn largest(vector: &[f64]) -> impl Iterator<Item = usize> {
    let mut order: Vec<usize> = (0..vector.len()).collect();
    order.sort_by(|&i, &j| vector[j].abs().total_cmp(&vector[i].abs()));
    order.into_iter().take(LOADINGS)
}

/// The curve over bandwidths.
pub(crate) fn curve(selection: &Selection) -> Curve {
    Curve {
        points: selection.curve.iter().map(|point| (point.bandwidth, point.value)).collect(),
        chosen: selection.bandwidth,
        criterion: criterion(selection).to_string(),
        lower_is_better: true,
    }
}

/// What the curve shows.
pub(crate) fn criterion(selection: &Selection) -> &'static str {
    match selection.options.criterion {
        Criterion::Fisher | Criterion::Hutchinson(_) => "Fisher divergence of held-out rows",
        Criterion::Likelihood => "negative log-likelihood of held-out rows",
        Criterion::SelfInfluence { .. } => "distance of the self-influence from its target",
        _ => "criterion",
    }
}

fn detection(found: &Findings, labels: &Labels) -> Option<Detection> {
    let quality = labels.quality(&found.assessment.scores)?;
    let (scores, known) = labels.labelled(&found.assessment.scores);
    let roc = roc_curve(&scores, &known).ok()?;
    let precision_recall = precision_recall_curve(&scores, &known).ok()?;
    let anomalies = known.iter().filter(|known| **known).count();
    let cut = found.detector.threshold();
    let count = |flag: bool, label: bool| {
        let pairs = scores.iter().zip(&known);
        pairs.filter(|(score, known)| (**score > cut) == flag && **known == label).count()
    };
    Some(Detection {
        roc: roc.iter().map(|p| (p.false_positive_rate, p.true_positive_rate)).collect(),
        precision_recall: precision_recall.iter().map(|p| (p.recall, p.precision)).collect(),
        auc_roc: quality.auc_roc,
        average_precision: quality.average_precision,
        prevalence: anomalies as f64 / known.len() as f64,
        confusion: Confusion {
            true_positives: count(true, true),
            false_positives: count(true, false),
            false_negatives: count(false, true),
            true_negatives: count(false, false),
        },
    })
}
