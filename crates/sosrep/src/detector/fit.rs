//! The fit of a detector.
//!
//! See [`detector`](crate::detector) for the steps. A table of more rows than
//! [`row_sample`](DetectorParams::row_sample) allows is represented by a uniform sample of them, the same sample whether
//! the table is in memory or sampled while it is read, see [`DetectorParams::fit_sample`].

use super::core::{Candidates, Core};
use super::distinct::DistinctRows;
use super::{
    Assessment, Detector, DetectorParams, DetectorReport, Preparation, ScoreQuantiles, Scorer,
    calibrate,
};
use crate::bandwidth::ChosenBandwidth;
use crate::density::DensityFit;
use crate::error::Result;
use crate::kernel::KernelKind;
use crate::monitor::{Monitor, no_progress};
use crate::parameter::Parameter;
use crate::points::{Points, Weights};
use crate::reduce::{RowSample, most_training_rows, rows_within_memory};
use crate::select::Selection;
use crate::source_columns::Layout;

/// Typical rows kept as references for explanations.
const TYPICAL_ROWS: usize = 512;

/// The rows a fit works on, and how they were prepared.
struct Prepared {
    preparation: Preparation,
    rows: DistinctRows,
}

/// The rows that stand for a long table.
struct LongTable {
    /// Where they are in it.
    rows: Vec<usize>,
    values: Vec<f64>,
    weights: Option<Weights>,
}

impl LongTable {
    fn points(&self, columns: usize) -> Points<'_> {
        Points::new_unchecked(&self.values, columns)
    }
}

impl DetectorParams {
    /// Fits the detector, all rows equally weighted if `weights` is `None`.
    ///
    /// A weight of k is k copies of a row, for scores, thresholds and p-values alike, and as such
    /// subject to [`repeats`](Self::repeats); see [`Weights`] for weights that are no counts.
    /// [`Detector::training`] has the scores of the rows given.
    ///
    /// # Errors
    /// Parameters outside their domain, weights of another length than the rows.
    pub fn fit(&self, points: Points, weights: Option<&Weights>) -> Result<Detector> {
        self.fit_monitored(points, weights, &mut no_progress)
    }

    /// As [`fit`](Self::fit), with progress.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn fit_monitored(
        &self,
        points: Points,
        weights: Option<&Weights>,
        monitor: Monitor,
    ) -> Result<Detector> {
        let Some(sample) = self.sample_of(points, weights)? else {
            return self.fit_sample_monitored(points, weights, points.rows(), monitor);
        };
        let sampled = sample.points(points.columns());
        let detector =
            self.fit_sample_monitored(sampled, sample.weights.as_ref(), points.rows(), monitor)?;
        detector.with_rows_outside_the_sample(points, &sample.rows, monitor)
    }

    /// An empty sample of the size that a fit to this many columns is based on, for callers that
    /// sample a table while they read it. Rows are numbered from 0.
    pub fn row_sample(&self, columns: usize) -> RowSample {
        RowSample::new(most_training_rows(self.density.memory, columns), self.density.seed)
    }

    /// The rows that stand for a long table; `None` if all of them are used.
    fn sample_of(&self, points: Points, weights: Option<&Weights>) -> Result<Option<LongTable>> {
        if let Some(weights) = weights {
            weights.expect_rows(points)?;
        }
        let sample = self.row_sample(points.columns());
        if points.rows() <= sample.size() {
            return Ok(None);
        }
        let rows = sample.of_table(points.rows());
        let of_sample = |weights: &Weights| {
            Weights::new(&rows.iter().map(|&i| weights.as_slice()[i]).collect::<Vec<_>>())
        };
        Ok(Some(LongTable {
            values: points.select(&rows),
            weights: weights.map(of_sample).transpose()?,
            rows,
        }))
    }

    /// Fits the detector to the rows that [`row_sample`](Self::row_sample) kept of a table of
    /// `table_rows` rows: the same model that [`fit`](Self::fit) finds on the whole table.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_sample(
        &self,
        points: Points,
        weights: Option<&Weights>,
        table_rows: usize,
    ) -> Result<Detector> {
        self.fit_sample_monitored(points, weights, table_rows, &mut no_progress)
    }

    /// As [`fit_sample`](Self::fit_sample), with progress.
    ///
    /// # Errors
    /// As [`fit_monitored`](Self::fit_monitored).
    pub fn fit_sample_monitored(
        &self,
        points: Points,
        weights: Option<&Weights>,
        table_rows: usize,
        monitor: Monitor,
    ) -> Result<Detector> {
        let equal = Weights::equal(points.rows());
        let weights = weights.unwrap_or(&equal);
        let Prepared { mut preparation, mut rows } = self.prepare_rows(points, weights)?;
        let chosen = self.choose_bandwidth(&preparation, &rows, monitor)?;
        let fit = DensityFit { unit: self.unit(&preparation), ..self.density.at(chosen.value) };
        let core = if self.trim == 0.0 {
            Core::whole(&rows)
        } else {
            let by_all = preparation.clone();
            let candidates = Candidates::new(&fit, &rows, self.trim, monitor)?;
            self.scale_by(&candidates.scale, &by_all, points, &mut rows)?;
            let core = candidates.core(&fit, &rows, self.trim, monitor)?;
            preparation = self.scale_by(&core, &by_all, points, &mut rows)?;
            core
        };
        let density = core.fit(&fit, &rows, monitor)?;
        let scorer = Scorer { preparation, density, bandwidth: chosen.value };
        let distinct = calibrate::distinct_scores(&scorer, &core, &rows, monitor)?;
        let typical = core.typical_rows(&distinct, &rows, TYPICAL_ROWS);
        let scores = calibrate::leave_one_out(&scorer, &core, &rows, &distinct, points, monitor)?;
        let cut = self.threshold.choose(&scores, weights)?;
        let report = DetectorReport {
            rows: table_rows,
            sampled_rows: points.rows(),
            columns: scorer.preparation.source_columns().len(),
            distinct_rows: rows.distinct,
            fitted_rows: rows.points().rows(),
            core_rows: core.indices.len(),
            repeats: rows.repeats,
            estimated_share: cut.estimated_share,
            constant_columns: scorer.preparation.constant_columns(),
            parameters: self.parameters().into_iter().map(Parameter::named_value).collect(),
            kernel: self.density.kernel.clone(),
            bandwidth: chosen.value,
            selection: chosen.selection,
            fit: scorer.density.report().cloned(),
        };
        let mut detector = Detector {
            cut: cut.value,
            calibration: ScoreQuantiles::new(&scores, weights)?,
            scorer,
            typical,
            feature_names: None,
            attachment: None,
            seed: self.density.seed,
            report,
            training: None,
        };
        detector.training = Some(detector.training_assessment(scores, weights));
        Ok(detector)
    }

    /// The curve over bandwidths and the choice that [`fit`](Self::fit) would make, without the
    /// fit that follows.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and [`Error::Parameter`](crate::Error::Parameter) unless the bandwidth
    /// is [`Bandwidth::Select`](crate::Bandwidth::Select).
    pub fn tune(&self, points: Points, weights: Option<&Weights>) -> Result<Selection> {
        self.tune_monitored(points, weights, &mut no_progress)
    }

    /// As [`tune`](Self::tune), with progress.
    ///
    /// # Errors
    /// As [`tune`](Self::tune), and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn tune_monitored(
        &self,
        points: Points,
        weights: Option<&Weights>,
        monitor: Monitor,
    ) -> Result<Selection> {
        let sample = self.sample_of(points, weights)?;
        let (points, weights) = match &sample {
            Some(sample) => (sample.points(points.columns()), sample.weights.as_ref()),
            None => (points, weights),
        };
        let equal = Weights::equal(points.rows());
        let prepared = self.prepare_rows(points, weights.unwrap_or(&equal))?;
        self.choose_bandwidth(&prepared.preparation, &prepared.rows, monitor)?.into_selection()
    }

    /// What every fit begins with.
    fn prepare_rows(&self, points: Points, weights: &Weights) -> Result<Prepared> {
        self.check()?;
        let layout = Layout::new(points.columns(), self.columns.as_deref())?;
        let metric = self.density.kernel.metric();
        let preparation = Preparation::fit_columns(points, weights, &self.prepare, layout, metric)?;
        let most = self.max_rows.unwrap_or_else(|| rows_within_memory(self.density.memory).max(1));
        let seed = self.density.seed;
        let rows = DistinctRows::new(points, weights, &preparation, self.repeats, most, seed)?;
        Ok(Prepared { preparation, rows })
    }

    /// The kernel's bandwidth, a distance per coordinate, for a bandwidth of 1, a distance per
    /// column: what a kernel of c columns with one coordinate each does, a kernel of d coordinates
    /// does with c/d (Manhattan) or √(c/d) (Euclidean) of its bandwidth.
    fn unit(&self, preparation: &Preparation) -> f64 {
        preparation.bandwidth_unit(self.density.kernel.metric())
    }

    /// Prepares the rows again, with the scale that some of them have.
    fn scale_by(
        &self,
        core: &Core,
        by_all: &Preparation,
        points: Points,
        rows: &mut DistinctRows,
    ) -> Result<Preparation> {
        // The tails of a sampled kernel are noise, and there the scale of a core would put anomalies.
        if let KernelKind::SdoSampled { .. } = self.density.kernel {
            return Ok(by_all.clone());
        }
        let originals = rows.originals(points, &core.indices);
        let originals = Points::new_unchecked(&originals, points.columns());
        let preparation = {
            let metric = self.density.kernel.metric();
            by_all.around(originals, &core.weights, &self.prepare, metric)?
        };
        rows.prepare_again(points, &preparation)?;
        Ok(preparation)
    }

    fn choose_bandwidth(
        &self,
        preparation: &Preparation,
        rows: &DistinctRows,
        monitor: Monitor,
    ) -> Result<ChosenBandwidth> {
        // The bandwidth is the one that is being chosen: no fit of a curve reads this one.
        let fit = DensityFit { unit: self.unit(preparation), ..self.density.at(1.0) };
        let bandwidth = &self.density.bandwidth;
        bandwidth.choose(&fit, rows.points(), Some(&rows.weights), rows.distinct, monitor)
    }
}

impl Detector {
    /// What is known of the rows it was fitted to, from their leave-one-out scores.
    fn training_assessment(&self, scores: Vec<f64>, weights: &Weights) -> Assessment {
        let p_value = |(score, weight): (&f64, &f64)| match *weight > 0.0 {
            true => self.calibration.training_p_value(*score),
            false => self.calibration.p_value(*score),
        };
        Assessment {
            p_values: scores.iter().zip(weights.as_slice()).map(p_value).collect(),
            is_anomaly: self.labels_of(&scores),
            scores,
        }
    }

    /// The same detector, whose training assessment is that of a table: rows outside the sample it
    /// was fitted to, which are as good as new ones, are scored.
    fn with_rows_outside_the_sample(
        mut self,
        points: Points,
        sample: &[usize],
        monitor: Monitor,
    ) -> Result<Self> {
        let mut of_sample = vec![None; points.rows()];
        sample.iter().enumerate().for_each(|(at, &row)| of_sample[row] = Some(at));
        let others: Vec<usize> = (0..points.rows()).filter(|&i| of_sample[i].is_none()).collect();
        let values = points.select(&others);
        let outside = Points::new_unchecked(&values, points.columns());
        let scores = self.scorer.anomaly_score_monitored(outside, monitor)?;
        let outside = self.assessment_of(scores);
        let inside = self.training.take().unwrap_or_default();
        let mut at = 0;
        let mut all = Assessment::default();
        for place in of_sample {
            let (part, i) = match place {
                Some(i) => (&inside, i),
                None => {
                    at += 1;
                    (&outside, at - 1)
                }
            };
            all.scores.push(part.scores[i]);
            all.p_values.push(part.p_values[i]);
            all.is_anomaly.push(part.is_anomaly[i]);
        }
        self.training = Some(all);
        Ok(self)
    }
}
