//! The one model file: a detector, a density or a kernel density estimate as bytes, and back to the
//! same bits.
//!
//! A file in the safetensors layout: one JSON entry named `sosrep`, and arrays of `f64`.
//!
//! | arrays | shape | in |
//! |---|---|---|
//! | `support`, `alpha`, `values` | n×d, n, n | kernel form, f = Σ_i α_i k(x_i, ·) |
//! | `support`, `alpha` | n×d, n | kernel density estimate, the weights as α |
//! | `frequencies`, `phases`, `coefficients` | T×d, T, T | feature form, f = Σ_t θ_t ψ_t |
//! | `centre`, `scale` | one per varying column | detector |
//! | `whitening_mean`, `whitening_rest`, `whitening_units` | d each | detector, if whitened |
//! | `whitening_vectors`, `whitening_gains` | r×d, r | detector, if whitened |
//! | `typical` | r×d | detector |
//! | `usual` | one row per row kept for draws, one column per feature | detector |
//! | `calibration_scores`, `calibration_at_or_above`, `calibration_above` | q each | detector |
//!
//! Cost: 8 (n + T) d bytes, about. Tables of SDO kernels are not stored but built again, which
//! gives the same bits. The same model gives the same bytes.
//!
//! Files are not trusted: whatever the bytes, the result is a model whose parts fit together and whose
//! scores are finite or [`Error::BadModel`], and memory stays within a small multiple of their number. Counts and curves of a
//! report are what the file says: nothing is computed from them. A file of a newer
//! format is [`Error::NewerModel`].
//!
//! Differs from the paper: not in it.
//!
//! ```
//! use sosrep::model_file::peek;
//! use sosrep::{Detector, DetectorParams, Points};
//!
//! let rows: Vec<f64> = (0..200).map(|i| (i as f64 * 0.754_877).fract()).collect();
//! let points = Points::new(&rows, 2)?;
//! let detector = DetectorParams::new().fit(points, None)?;
//!
//! let bytes = detector.to_bytes()?;
//! assert_eq!(peek(&bytes)?.kernel, Some("product"));
//! let read = Detector::from_bytes(&bytes)?;
//! assert_eq!(read.anomaly_score(points)?, detector.anomaly_score(points)?);
//! # Ok::<(), sosrep::Error>(())
//! ```

mod check;
mod header;
mod kde;
mod tensors;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::density::{Density, FeatureForm, KernelForm};
use crate::detector::{Detector, MissingPlace, Preparation, ScoreQuantiles, Scorer, Whitening};
use crate::error::{Error, Result, bandwidth as check_bandwidth};
use crate::kernel::{FourierFeatures, Kernel, KernelKind};
use crate::points::Points;
use crate::source_columns::{Layout, SourceColumn};
use check::{check_coefficients, check_distances};
use header::{DetectorEntry, FormKind, Header};
use tensors::{Tensors, Writer};

/// The format version written, and the newest read.
pub const FORMAT: u64 = 4;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ModelKind {
    /// A [`Detector`].
    Detector,
    /// A [`Density`] fitted on its own.
    Density,
    /// A [`Kde`](crate::Kde).
    Kde,
}

impl ModelKind {
    /// What it is called in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Detector => "detector",
            Self::Density => "density",
            Self::Kde => "kernel density estimate",
        }
    }
}

/// What a file says about its model, without building it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ModelSummary {
    /// Format version.
    pub format: u64,
    /// Version of the library that wrote the file.
    pub library_version: String,
    /// What the file holds.
    pub kind: ModelKind,
    /// Name of the kernel; `None` for random features fitted on their own, which do not know it.
    pub kernel: Option<&'static str>,
    /// The bandwidth, a distance per column, where the kernel is known.
    pub bandwidth: Option<f64>,
    /// Columns of the density: for a detector, after preparation.
    pub dimension: usize,
    /// Terms of the density: support rows or random features.
    pub terms: usize,
    /// Names of the input columns, if given.
    pub feature_names: Option<Vec<String>>,
    /// The score above which a row is an anomaly, of a detector.
    pub threshold: Option<f64>,
    /// Seed of a detector.
    pub seed: Option<u64>,
}

/// Reads the summary of a model file.
///
/// # Errors
/// [`Error::BadModel`], [`Error::NewerModel`].
pub fn peek(bytes: &[u8]) -> Result<ModelSummary> {
    let file = Tensors::parse(bytes)?;
    let header = Header::read(file.entry()?)?;
    let [terms, dimension] = file.shape(match header.form {
        FormKind::Kernel => "support",
        FormKind::Features => "frequencies",
    })?;
    let detector = header.detector;
    let of_report = detector.as_ref().map(|detector| detector.report.bandwidth);
    Ok(ModelSummary {
        format: header.format,
        library_version: header.library_version,
        kind: header.kind,
        kernel: header.kernel.as_ref().map(KernelKind::name),
        bandwidth: of_report.or(header.bandwidth),
        dimension,
        terms,
        threshold: detector.as_ref().map(|entry| entry.threshold),
        seed: detector.as_ref().map(|entry| entry.seed),
        feature_names: detector.and_then(|entry| entry.feature_names),
    })
}

impl Density {
    /// The density as a model file.
    ///
    /// # Errors
    /// [`Error::BadModel`] for a report of more than 100 MB.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut file = Writer::default();
        push_density(&mut file, self);
        file.finish(density_header(self).write()?)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// [`Error::BadModel`], also if the file holds another kind of model; [`Error::NewerModel`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let file = Tensors::parse(bytes)?;
        let mut header = Header::read(file.entry()?)?;
        header.expect(ModelKind::Density)?;
        read_density(&file, &mut header)
    }
}

impl Detector {
    /// The detector as a model file.
    ///
    /// # Errors
    /// [`Error::BadModel`] for names and a report of more than 100 MB.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut file = Writer::default();
        push_density(&mut file, &self.scorer.density);
        push_preparation(&mut file, &self.scorer.preparation);
        let d = self.scorer.preparation.dimension();
        file.push("typical", &self.typical, &[self.typical.len() / d, d]);
        let features = self.scorer.preparation.input_columns();
        if !self.usual.is_empty() {
            file.push("usual", &self.usual, &[self.usual.len() / features, features]);
        }
        let calibration = &self.calibration;
        for (name, values) in [
            ("calibration_scores", &calibration.scores),
            ("calibration_at_or_above", &calibration.at_or_above),
            ("calibration_above", &calibration.above),
        ] {
            file.push(name, values, &[values.len()]);
        }
        let header = Header {
            kind: ModelKind::Detector,
            kernel: Some(self.report.kernel.clone()),
            bandwidth: Some(self.scorer.bandwidth * self.scorer.unit()),
            detector: Some(DetectorEntry {
                threshold: self.cut,
                seed: self.seed,
                feature_names: self.feature_names.clone(),
                calibration_rows: calibration.copies,
                columns: mixed_columns(&self.scorer.preparation),
                constant_features: self.scorer.preparation.constant_features.clone(),
                missing_places: self.scorer.preparation.missing.iter().map(|m| m.place).collect(),
                clip: self.scorer.preparation.clip,
                whitened: self.scorer.preparation.whitening.is_some(),
                attachment: self.attachment.clone(),
                report: self.report.clone(),
            }),
            ..density_header(&self.scorer.density)
        };
        file.finish(header.write()?)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// [`Error::BadModel`], also if the file holds another kind of model; [`Error::NewerModel`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let file = Tensors::parse(bytes)?;
        let mut header = Header::read(file.entry()?)?;
        header.expect(ModelKind::Detector)?;
        let kernel = header.kernel.clone().ok_or_else(|| bad("kernel is missing"))?;
        let bandwidth = known_bandwidth(&header)?;
        let entry = header.detector.take().ok_or_else(|| bad("detector is missing"))?;
        let preparation = read_preparation(&file, &entry)?;
        let calibration = read_calibration(&file, &entry)?;
        let typical = read_rows(&file, "typical", preparation.dimension())?;
        check_distances("typical", &typical)?;
        let usual = match file.has("usual") {
            true => read_rows(&file, "usual", preparation.input_columns())?,
            false => Vec::new(),
        };
        check_entry(&entry, preparation.input_columns())?;
        // The kernel comes last: it costs most.
        let density = read_density(&file, &mut header)?;
        if density.dimension() != preparation.dimension() {
            return Err(bad("density and preparation differ in their number of columns"));
        }
        let mut report = entry.report;
        // Older files do not say so: they are fitted to all of the core.
        if report.support_rows == 0 {
            report.support_rows = report.core_rows;
        }
        let unit = preparation.bandwidth_unit(kernel.metric());
        if (&report.kernel, report.bandwidth * unit) != (&kernel, bandwidth)
            || report.columns != preparation.source_columns().len()
            || report.constant_columns != preparation.constant_columns()
        {
            return Err(bad("its report is that of another model"));
        }
        Ok(Self {
            scorer: Scorer { preparation, density, bandwidth: report.bandwidth },
            cut: entry.threshold,
            calibration,
            typical,
            usual,
            feature_names: entry.feature_names,
            attachment: entry.attachment,
            seed: entry.seed,
            report,
            training: None,
        })
    }
}

/// The header of a density on its own.
fn density_header(density: &Density) -> Header {
    let fit = density.report().cloned();
    let kernel = density.kernel_form().map(KernelForm::kernel);
    Header { fit, ..plain_header(ModelKind::Density, kernel) }
}

/// A header of the kernel alone; random features do not know theirs.
fn plain_header(kind: ModelKind, kernel: Option<&Kernel>) -> Header {
    Header {
        format: FORMAT,
        library_version: env!("CARGO_PKG_VERSION").to_string(),
        kind,
        form: if kernel.is_some() { FormKind::Kernel } else { FormKind::Features },
        kernel: kernel.map(|kernel| kernel.kind().clone()),
        bandwidth: kernel.map(Kernel::bandwidth),
        fit: None,
        detector: None,
    }
}

fn push_density<'a>(file: &mut Writer<'a>, density: &'a Density) {
    if let Some(form) = density.kernel_form() {
        let support = form.support();
        let (n, d) = (support.rows(), support.columns());
        file.push("support", support.as_slice(), &[n, d]);
        file.push("alpha", form.alpha(), &[n]);
        file.push("values", form.support_values(), &[n]);
    }
    if let Some(form) = density.feature_form() {
        let features = form.features();
        let (count, d) = (features.count(), features.dimension());
        file.push("frequencies", features.frequencies(), &[count, d]);
        file.push("phases", features.phases(), &[count]);
        file.push("coefficients", form.coefficients(), &[count]);
    }
}

fn read_density(file: &Tensors, header: &mut Header) -> Result<Density> {
    let density = match header.form {
        FormKind::Kernel => read_kernel_form(file, header)?.into(),
        FormKind::Features => read_feature_form(file, header)?.into(),
    };
    let density = Density::with_report(density, header.fit.take());
    density.check_values()?;
    Ok(density)
}

fn read_kernel_form(file: &Tensors, header: &Header) -> Result<KernelForm> {
    let [n, d] = file.shape("support")?;
    let support = read_rows(file, "support", d)?;
    check_distances("support", &support)?;
    let alpha = file.read("alpha", &[n])?;
    check_coefficients("alpha", &alpha)?;
    let values = file.read("values", &[n])?;
    let kernel = read_kernel(header, d)?;
    let support = Points::new_unchecked(&support, d);
    KernelForm::with_values(kernel, support, &alpha, &values).map_err(bad)
}

/// The kernel in `d` columns; building it costs most, so it comes after other complaints.
fn read_kernel(header: &Header, d: usize) -> Result<Kernel> {
    let kind = header.kernel.as_ref().ok_or_else(|| bad("kernel is missing"))?;
    Kernel::new(kind, d, known_bandwidth(header)?).map_err(bad)
}

/// The array `name` as at least one row of `columns` values.
fn read_rows(file: &Tensors, name: &str, columns: usize) -> Result<Vec<f64>> {
    let [rows, _] = file.shape(name)?;
    let values = file.read(name, &[rows, columns])?;
    Points::new(&values, columns).map_err(|error| bad(format!("{name}: {error}")))?;
    Ok(values)
}

fn read_feature_form(file: &Tensors, header: &Header) -> Result<FeatureForm> {
    let [count, d] = file.shape("frequencies")?;
    match header.kernel {
        None => {}
        Some(KernelKind::SdoSampled { features, .. }) if features == count => {
            known_bandwidth(header)?;
        }
        _ => return Err(bad("kernel and random features do not match")),
    }
    let frequencies = file.read("frequencies", &[count, d])?;
    check_distances("frequencies", &frequencies)?;
    let phases = file.read("phases", &[count])?;
    check_distances("phases", &phases)?;
    let coefficients = file.read("coefficients", &[count])?;
    check_coefficients("coefficients", &coefficients)?;
    let features = FourierFeatures::from_parts(frequencies, phases, d)
        .map_err(|error| bad(format!("frequencies: {error}")))?;
    FeatureForm::new(features, coefficients).map_err(bad)
}

fn known_bandwidth(header: &Header) -> Result<f64> {
    let bandwidth = header.bandwidth.ok_or_else(|| bad("bandwidth is missing"))?;
    check_bandwidth(bandwidth).map_err(bad)
}

fn push_preparation<'a>(file: &mut Writer<'a>, preparation: &'a Preparation) {
    let d = preparation.kept.len();
    file.push("centre", &preparation.centre, &[d]);
    file.push("scale", &preparation.scale, &[d]);
    if let Some(whitening) = &preparation.whitening {
        file.push("whitening_mean", &whitening.mean, &[d]);
        file.push("whitening_vectors", &whitening.vectors, &[whitening.gains.len(), d]);
        file.push("whitening_gains", &whitening.gains, &[whitening.gains.len()]);
        file.push("whitening_rest", &whitening.rest, &[d]);
        file.push("whitening_units", &whitening.units, &[d]);
    }
}

fn read_preparation(file: &Tensors, entry: &DetectorEntry) -> Result<Preparation> {
    let constant_features = entry.constant_features.clone();
    let [d] = file.shape("centre")?;
    let centre = file.read("centre", &[d])?;
    let scale = file.read("scale", &[d])?;
    // Before the columns are listed: their number is not checked yet.
    let features = d.saturating_add(constant_features.len());
    let layout = Layout::new(features, entry.columns.as_deref())
        .map_err(|_| bad("varying and constant features do not add up to those of the columns"))?;
    let varies =
        |j: &usize| constant_features.binary_search_by_key(j, |constant| constant.index).is_err();
    let kept: Vec<usize> = (0..features).filter(varies).collect();
    let missing = missing_places(&entry.missing_places, &layout, &kept);
    let whitening = if entry.whitened { Some(read_whitening(file, d)?) } else { None };
    let preparation = Preparation {
        layout,
        kept,
        centre,
        scale,
        missing,
        clip: entry.clip,
        whitening,
        constant_features,
    };
    preparation.check()?;
    Ok(preparation)
}

fn read_whitening(file: &Tensors, d: usize) -> Result<Whitening> {
    let [count] = file.shape("whitening_gains")?;
    if d == 0 || count == 0 {
        return Err(bad("there is nothing to whiten, or no direction to whiten by"));
    }
    Ok(Whitening::new(
        file.read("whitening_mean", &[d])?,
        file.read("whitening_vectors", &[count, d])?,
        file.read("whitening_gains", &[count])?,
        file.read("whitening_rest", &[d])?,
        file.read("whitening_units", &[d])?,
    ))
}

/// The columns of the features, unless each is a number.
fn mixed_columns(preparation: &Preparation) -> Option<Vec<SourceColumn>> {
    let columns = preparation.source_columns();
    let mixed = columns.iter().any(|column| *column != SourceColumn::Number);
    mixed.then(|| columns.to_vec())
}

/// The numbers that may be missing, with where they stand; too few or too many are found later.
fn missing_places(places: &[f64], layout: &Layout, kept: &[usize]) -> Vec<MissingPlace> {
    let of_value = |(coordinate, &feature): (usize, &usize)| {
        layout.indicator_of(feature).map(|indicator| (coordinate, indicator))
    };
    let values = kept.iter().enumerate().filter_map(of_value).zip(places);
    let place = |((coordinate, indicator), &place)| MissingPlace { coordinate, indicator, place };
    values.map(place).collect()
}

fn read_calibration(file: &Tensors, entry: &DetectorEntry) -> Result<ScoreQuantiles> {
    let [kept] = file.shape("calibration_scores")?;
    let calibration = ScoreQuantiles {
        copies: entry.calibration_rows,
        scores: file.read("calibration_scores", &[kept])?,
        at_or_above: file.read("calibration_at_or_above", &[kept])?,
        above: file.read("calibration_above", &[kept])?,
    };
    calibration.check()?;
    Ok(calibration)
}

fn check_entry(entry: &DetectorEntry, features: usize) -> Result<()> {
    if !entry.threshold.is_finite() {
        return Err(bad("threshold is not finite"));
    }
    match &entry.feature_names {
        Some(names) if names.len() != features => {
            Err(bad("there is not one feature name per column"))
        }
        _ => Ok(()),
    }
}

/// [`Error::BadModel`] with this complaint.
fn bad(complaint: impl std::fmt::Display) -> Error {
    Error::BadModel(complaint.to_string())
}
