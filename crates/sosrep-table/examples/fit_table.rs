//! Fits a detector to a table of any columns and any length, in little memory, and writes its model file:
//!
//! ```sh
//! cargo run --release -p sosrep-table --example fit_table -- TABLE MODEL [MEMORY SEED]
//! ```

use std::error::Error;
use std::path::PathBuf;

use sosrep::detector::TrainingSample;
use sosrep::{DetectorParams, Points};
use sosrep_table::{
    EncodeOptions, Input, ReadOptions, Survey, TableRecipe, TableSample, open, write_atomically,
};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [table, model, rest @ ..] = &words[..] else { return Err("give TABLE and MODEL".into()) };
    let mut params = DetectorParams::new();
    if let [memory, seed] = rest {
        params = params.memory(memory.parse()?).seed(seed.parse()?);
    }

    // All rows go by once; a few of them are kept.
    let input = Input::Path(PathBuf::from(table));
    let mut source = open(&input, &ReadOptions::default())?;
    let columns = source.columns().to_vec();
    let mut survey = Survey::new(&columns, &EncodeOptions::default());
    let mut sample = TableSample::new(&survey, params.row_sample(columns.len()));
    while let Some(batch) = source.next_batch()? {
        survey.add(table, &batch)?;
        sample.add(&batch, None);
    }
    // Once more, where rows must be counted that occur very often.
    while let Some(next) = sample.next_pass(sample.rows().size()) {
        sample = next;
        let mut source = open(&input, &ReadOptions::default())?;
        while let Some(batch) = source.next_batch()? {
            sample.add(&batch, None);
        }
    }

    let choice = survey.choose(table)?;
    let size = |width| params.row_sample(width).size();
    let rows = sample.encoded(table, &survey, &choice, size)?;
    let recipe = TableRecipe::new(rows.encoding.clone()).of_table(&columns, &survey, &choice);
    let training = TrainingSample {
        points: Points::new(&rows.values, rows.encoding.width())?,
        copies: &rows.copies,
        table_rows: rows.table_rows,
    };
    let detector = params.columns(rows.encoding.source_columns()).fit_sample(&training)?;
    let detector = detector
        .with_feature_names(rows.encoding.feature_names())?
        .with_attachment(serde_json::to_value(&recipe)?);
    write_atomically(model, &detector.to_bytes()?)?;
    println!("{} rows, {} of them held", detector.report().rows, detector.report().sampled_rows);
    Ok(())
}
