//! Scores the rows of an Arrow stream by the library alone, and prints rows and seconds of the fastest of a
//! few times: what the service is measured against.
//!
//! Usage: `score_arrow MODEL FILE TIMES`. Reading and encoding the rows is not counted, scoring is.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use sosrep_scoring::{Model, Parts, Rows, read_options};
use sosrep_table::{Input, open};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, file, times] = &arguments[..] else {
        return Err("usage: score_arrow MODEL FILE TIMES".into());
    };
    let model = Model::from_bytes(&std::fs::read(model)?)?;
    let options = read_options(true, [].into_iter(), &model.recipe.encoding.input_columns());
    let mut source = open(&Input::Path(Path::new(file).to_path_buf()), &options)?;
    let parts = Parts::default().of_model(&model.recipe, file, source.columns(), &[])?;
    source.project(&parts.projection());
    let mut rows = Rows::default();
    while let Some(batch) = source.next_batch()? {
        rows.append(parts.split(&batch)?.encode(file, &model.recipe.encoding)?.0);
    }
    let mut seconds = f64::INFINITY;
    for _ in 0..times.parse::<usize>()? {
        let started = Instant::now();
        let scores = model.detector.anomaly_score(rows.points(model.width())?)?;
        assert_eq!(scores.len(), rows.len());
        seconds = seconds.min(started.elapsed().as_secs_f64());
    }
    println!("{} {seconds}", rows.len());
    Ok(())
}
