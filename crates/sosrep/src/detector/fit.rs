//! The fit of a detector.
//!
//! See [`detector`](crate::detector) for the steps, and `training_sample.rs` for the rows it is based on.

use super::core::{Candidates, Core, shape};
use super::distinct::DistinctRows;
use super::scatter::is_scattered;
use super::training_sample::{TrainingRows, TrainingSample};
use super::usual_rows::usual_rows;
use super::{
    Assessment, Detector, DetectorParams, DetectorReport, Preparation, Repeats, ScoreQuantiles,
    Scorer, calibrate,
};
use crate::bandwidth::{Bandwidth, ChosenBandwidth};
use crate::density::DensityFit;
use crate::error::Result;
use crate::kernel::KernelKind;
use crate::monitor::{Monitor, no_progress};
use crate::panels::Metric;
use crate::parameter::Parameter;
use crate::points::{Points, Weights};
use crate::reduce::rows_within_memory;
use crate::select::{Selection, TuningRows};
use crate::source_columns::Layout;

/// Typical rows kept as references for explanations.
const TYPICAL_ROWS: usize = 512;

/// The rows a fit works on, and how they were prepared.
struct Prepared {
    preparation: Preparation,
    rows: DistinctRows,
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
        let rows = self.training_rows(points, weights)?;
        self.fit_rows(&rows, monitor)?.assessing(&rows, points, weights, monitor)
    }

    /// Fits the detector to what a sample [of its size](Self::row_sample) kept of a table: the same
    /// model that [`fit`](Self::fit) finds on the whole table.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_sample(&self, sample: &TrainingSample) -> Result<Detector> {
        self.fit_sample_monitored(sample, &mut no_progress)
    }

    /// As [`fit_sample`](Self::fit_sample), with progress.
    ///
    /// # Errors
    /// As [`fit_monitored`](Self::fit_monitored).
    pub fn fit_sample_monitored(
        &self,
        sample: &TrainingSample,
        monitor: Monitor,
    ) -> Result<Detector> {
        self.fit_assessing(sample, sample.points, None, monitor)
    }

    /// As [`fit_sample_monitored`](Self::fit_sample_monitored); [`Detector::training`] has the scores of
    /// these rows of the table, of which the sample has some.
    ///
    /// # Errors
    /// As [`fit_monitored`](Self::fit_monitored).
    pub fn fit_assessing(
        &self,
        sample: &TrainingSample,
        points: Points,
        weights: Option<&Weights>,
        monitor: Monitor,
    ) -> Result<Detector> {
        if let Some(weights) = weights {
            weights.expect_rows(points)?;
        }
        let rows = TrainingRows::new(sample)?;
        self.fit_rows(&rows, monitor)?.assessing(&rows, points, weights, monitor)
    }

    /// Fits the detector to distinct rows.
    fn fit_rows(&self, training: &TrainingRows, monitor: Monitor) -> Result<Detector> {
        let (points, weights) = (training.points(), &training.weights);
        let Prepared { preparation: by_all, mut rows } =
            self.prepare_rows(points, weights, monitor)?;
        let chosen = self.choose_bandwidth(&by_all, points, &mut rows, monitor)?;
        let fit = DensityFit { unit: self.unit(&by_all), ..self.density.at(chosen.value) };
        let trim = if rows.are_counts_of_codes() { 0.0 } else { self.trim };
        let (core, scaled) = if trim == 0.0 {
            (Core::whole(&rows), by_all)
        } else {
            let core = self.find_core(&fit, &by_all, points, &mut rows, monitor)?;
            let scaled = self.scale_by(&core, &by_all, points, &mut rows)?;
            (core, scaled)
        };
        let preparation = self.whiten_by(&core, scaled, points, &mut rows)?;
        // A core of all rows says nothing about anomalies where none were to stay outside.
        let inside = if trim == 0.0 { 0.0 } else { core.share(&rows) };
        let support = core.sampled(self.max_support, &rows, points, self.density.seed)?;
        let density = support.fit(&fit, &rows, monitor)?;
        let scorer = Scorer { preparation, density, bandwidth: chosen.value };
        let distinct = calibrate::distinct_scores(&scorer, &support, &rows, monitor)?;
        let typical = support.typical_rows(&distinct, &rows, TYPICAL_ROWS);
        let scores =
            calibrate::leave_one_out(&scorer, &support, &rows, &distinct, points, monitor)?;
        let is_scattered = |cut| is_scattered(cut, &distinct, &core, &rows, points);
        let cut = self.threshold.choose(&scores, weights, inside, &is_scattered)?;
        let report = DetectorReport {
            rows: training.table_rows,
            sampled_rows: training.sampled_rows,
            columns: scorer.preparation.source_columns().len(),
            distinct_rows: rows.distinct,
            fitted_rows: rows.points().rows(),
            core_rows: core.indices.len(),
            support_rows: support.indices.len(),
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
            usual: usual_rows(points, weights, &scores, cut.value),
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
    /// is [`Bandwidth::Select`].
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
        self.tune_rows(&self.training_rows(points, weights)?, monitor)
    }

    /// As [`tune_monitored`](Self::tune_monitored), from what a sample kept of a table.
    ///
    /// # Errors
    /// As [`tune_monitored`](Self::tune_monitored).
    pub fn tune_sample_monitored(
        &self,
        sample: &TrainingSample,
        monitor: Monitor,
    ) -> Result<Selection> {
        self.tune_rows(&TrainingRows::new(sample)?, monitor)
    }

    fn tune_rows(&self, training: &TrainingRows, monitor: Monitor) -> Result<Selection> {
        let points = training.points();
        let Prepared { preparation, mut rows } =
            self.prepare_rows(points, &training.weights, monitor)?;
        self.choose_bandwidth(&preparation, points, &mut rows, monitor)?.into_selection()
    }

    /// What every fit begins with.
    fn prepare_rows(
        &self,
        points: Points,
        weights: &Weights,
        monitor: Monitor,
    ) -> Result<Prepared> {
        self.check()?;
        let layout = Layout::new(points.columns(), self.columns.as_deref())?;
        let metric = self.density.kernel.metric();
        let preparation = Preparation::fit_columns(points, weights, &self.prepare, layout, metric)?;
        let most = rows_within_memory(self.density.memory).max(1);
        let most = self.max_rows.map_or(most, |rows| rows.min(most));
        let seed = self.density.seed;
        let mut rows = DistinctRows::new(points, weights, &preparation, self.repeats, most, seed)?;
        if self.repeats == Repeats::Auto && weights.are_counts() {
            rows.count_near_copies_once(monitor)?;
        }
        Ok(Prepared { preparation, rows })
    }

    /// The kernel's bandwidth, a distance per coordinate, for a bandwidth of 1, a distance per
    /// column: what a kernel of c columns with one coordinate each does, a kernel of d coordinates
    /// does with c/d (Manhattan) or √(c/d) (Euclidean) of its bandwidth.
    fn unit(&self, preparation: &Preparation) -> f64 {
        preparation.bandwidth_unit(self.density.kernel.metric())
    }

    /// Finds the core; the rows are prepared for that.
    fn find_core(
        &self,
        fit: &DensityFit,
        by_all: &Preparation,
        points: Points,
        rows: &mut DistinctRows,
        monitor: Monitor,
    ) -> Result<Core> {
        // In units of the automatic bandwidth, and less for more rows.
        let h = fit.bandwidth / Bandwidth::automatic(&fit.kernel, rows.distinct)
            * by_all.bandwidth_unit(Metric::Manhattan)
            * (rows.distinct as f64 / 1000.0).powf(-0.25);
        let candidates = Candidates::new(h, rows, self.trim, monitor)?;
        let scaled = self.scale_by(&candidates.scale, by_all, points, rows)?;
        let mut densities = vec![shape(h, rows, monitor)?];
        if self.whiten_by(&candidates.scale, scaled.clone(), points, rows)?.is_whitened() {
            densities.push(shape(h, rows, monitor)?);
            rows.prepare_again(points, &scaled)?;
        }
        candidates.core(&densities, rows, self.trim, self.density.kernel.metric(), monitor)
    }

    /// Prepares the rows again, in the metric that some of them have.
    fn whiten_by(
        &self,
        core: &Core,
        scaled: Preparation,
        points: Points,
        rows: &mut DistinctRows,
    ) -> Result<Preparation> {
        if self.prepare.whitening == 0.0 {
            return Ok(scaled);
        }
        let originals = rows.originals(points, &core.indices);
        let originals = Points::new_unchecked(&originals, points.columns());
        let metric = self.density.kernel.metric();
        let preparation = scaled.whitened(originals, &core.weights, &self.prepare, metric)?;
        rows.prepare_again(points, &preparation)?;
        Ok(preparation)
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
        scaled: &Preparation,
        points: Points,
        rows: &mut DistinctRows,
        monitor: Monitor,
    ) -> Result<ChosenBandwidth> {
        if !matches!(self.density.bandwidth, Bandwidth::Select(_)) {
            return self.choose_for(scaled, rows, monitor);
        }
        // Judged by a fit of all rows, in their own metric.
        let whitened = self.whiten_by(&Core::whole(rows), scaled.clone(), points, rows)?;
        let chosen = self.choose_for(&whitened, rows, monitor)?;
        rows.prepare_again(points, scaled)?;
        Ok(chosen)
    }

    fn choose_for(
        &self,
        preparation: &Preparation,
        rows: &DistinctRows,
        monitor: Monitor,
    ) -> Result<ChosenBandwidth> {
        // The bandwidth is the one that is being chosen: no fit of a curve reads this one.
        let fit = DensityFit { unit: self.unit(preparation), ..self.density.at(1.0) };
        let judge = self.density.judge.as_ref().map(|judge| preparation.apply(judge.points()));
        let judge = judge.transpose()?;
        let rows = TuningRows {
            points: rows.points(),
            weights: Some(&rows.weights),
            judge: judge
                .as_deref()
                .map(|rows| Points::new_unchecked(rows, preparation.dimension())),
            distinct: rows.distinct,
        };
        self.density.bandwidth.choose(&fit, &rows, monitor)
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
}
