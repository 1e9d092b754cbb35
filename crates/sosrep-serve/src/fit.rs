//! A fit to a table with what is decided by itself, as `sosrep fit` without options.

use sosrep::detector::Threshold;
use sosrep::{DetectorParams, Monitor, Points};
use sosrep_scoring::{Model, Result, read_options};
use sosrep_table::{
    Batch, ColumnInfo, EncodeOptions, Encoding, ReadOptions, Source, Survey, TableRecipe, read_all,
};

/// What is said of a fit.
#[derive(Debug, Clone, Default)]
pub(crate) struct FitOptions {
    /// A column to keep out of the features.
    pub(crate) label: Option<String>,
    /// Share of the rows to flag.
    pub(crate) contamination: Threshold,
}

impl FitOptions {
    pub(crate) fn read_options(&self) -> ReadOptions {
        read_options(true, self.label.as_deref().into_iter(), &[])
    }
}

/// Reads the table and fits a model to it.
pub(crate) fn fit(
    mut source: Box<dyn Source>,
    options: &FitOptions,
    monitor: Monitor,
) -> Result<Model> {
    let file = source.name().to_string();
    let found = source.columns().to_vec();
    let is_label = |column: &ColumnInfo| options.label.as_ref() == Some(&column.name);
    let features: Vec<usize> = (0..found.len()).filter(|&j| !is_label(&found[j])).collect();
    let candidates: Vec<ColumnInfo> = features.iter().map(|&j| found[j].clone()).collect();
    source.project(&features);
    let batches = read_all(&mut *source, &mut |_| true)?;
    let mut survey = Survey::new(&candidates, &EncodeOptions::default());
    batches.iter().try_for_each(|batch| survey.add(&file, batch))?;
    let choice = survey.choose(&file)?;
    let encoding = Encoding::fit_sample(&file, &survey, &choice, &batches)?;
    let chosen = choice.features();
    let rows = |batch: &Batch| -> Result<Vec<f64>> {
        Ok(encoding.apply(&file, &batch.project(&chosen)?)?.values)
    };
    let values = batches.iter().map(rows).collect::<Result<Vec<_>>>()?.concat();
    drop(batches);
    let params = DetectorParams::new().threshold(options.contamination);
    let params = params.columns(encoding.source_columns());
    let points = Points::new(&values, encoding.width())?;
    let detector = params.fit_monitored(points, None, monitor)?;
    let recipe = TableRecipe { label: options.label.clone(), ..TableRecipe::new(encoding) };
    Model::new(detector, recipe.of_table(&found, &survey, &choice))
}
