//! `POST /v1/models/{m}/score`: a table in, a table of results out, as `sosrep score` gives it.
//!
//! `?outputs=` names the columns wanted, `?keep=all` puts those of the table beside them. Without
//! either, the answer in CSV is what the program writes, to the byte.

use std::io::Read;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array};
use arrow_schema::{DataType, Field};
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use sosrep::Assessment;
use sosrep_scoring::{ResultColumns, Rows, ScoreColumns};
use sosrep_table::Format;
use sosrep_table::sink::to_writer;

use crate::app::App;
use crate::formats;
use crate::metrics::Tally;
use crate::models::Loaded;
use crate::problem::{Problem, Result};
use crate::spool::Spool;
use crate::table::{Keep, Table};
use crate::work::Going;

/// Every column that can be asked for; `id` stands for all columns that name a row.
const OUTPUTS: [&str; 9] = [
    "row",
    "id",
    "anomaly_score",
    "p_value",
    "is_anomaly",
    "reasons",
    "unscored",
    "map_x",
    "map_y",
];

/// What follows the question mark.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    outputs: Option<String>,
    keep: Option<String>,
}

/// What is wanted of every row.
pub(crate) struct Wanted {
    /// `None` for the columns that the program writes.
    outputs: Option<Vec<String>>,
    keep: Keep,
    format: Format,
}

impl Wanted {
    fn new(asked: &Asked, format: Format) -> Result<Self> {
        let keep = match asked.keep.as_deref() {
            None => Keep::None,
            Some("all") => Keep::All,
            Some(_) => return Err(Problem::bad("keep must be all, or be left out")),
        };
        let list = |text: &String| text.split(',').map(|name| name.trim().to_string()).collect();
        let outputs: Option<Vec<String>> = asked.outputs.as_ref().map(list);
        let unknown = outputs.iter().flatten().any(|name| !OUTPUTS.contains(&name.as_str()));
        if unknown {
            let known = OUTPUTS.join(", ");
            return Err(Problem::bad(format!(
                "outputs must be names of {known}, with commas between"
            )));
        }
        Ok(Self { outputs, keep, format })
    }

    fn asks_for(&self, name: &str) -> bool {
        self.outputs.iter().flatten().any(|output| output == name)
    }

    fn scores(&self) -> ScoreColumns {
        ScoreColumns { rank: false, reasons: self.asks_for("reasons") }
    }

    fn is_mapped(&self) -> bool {
        self.asks_for("map_x") || self.asks_for("map_y")
    }

    /// The columns of what is found, those among them that are not wanted too.
    fn fields(&self) -> Vec<Field> {
        let mut fields = self.scores().fields();
        if self.is_mapped() {
            fields.extend(["map_x", "map_y"].map(|name| Field::new(name, DataType::Float64, true)));
        }
        fields
    }

    /// Those columns of some rows.
    fn arrays(
        &self,
        model: &Loaded,
        rows: &Rows,
        found: &Assessment,
        going: Going,
    ) -> Result<Vec<ArrayRef>> {
        let scores = self.scores();
        let words = match scores.reasons {
            true => model.model.words(rows, found, &mut |_| going().is_ok()),
            false => Ok(vec![None; rows.len()]),
        };
        // Work that was ended for a reason is told by that reason.
        going()?;
        let mut arrays = scores.arrays(found, &[], words?);
        if self.is_mapped() {
            arrays.extend(places(model, rows)?);
        }
        Ok(arrays)
    }

    /// The columns of a table of results that are wanted, as indices.
    fn columns(&self, columns: &ResultColumns, ids: usize) -> Vec<usize> {
        let schema = columns.schema();
        let own = schema.fields().iter().position(|field| field.name() == "unscored");
        let own = own.map_or(0, |last| last + 1);
        let wanted = |&j: &usize| match &self.outputs {
            None => true,
            Some(_) if j >= own => true,
            Some(_) if (1..=ids).contains(&j) => self.asks_for("id"),
            Some(_) => self.asks_for(schema.field(j).name()),
        };
        (0..schema.fields().len()).filter(wanted).collect()
    }
}

/// The handler.
pub(crate) async fn score(
    State(app): State<App>,
    Path(name): Path<String>,
    asked: Result<Query<Asked>, axum::extract::rejection::QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    let Query(asked) = asked.map_err(|error| Problem::bad(error.body_text()))?;
    let model = app.models.get(&name)?;
    let body_name = formats::body_name(&headers)?;
    let (kind, format) = formats::answer(&headers)?;
    let wanted = Wanted::new(&asked, format)?;
    let rows = app.limits.rows;
    let results = app
        .work(body, app.limits.body, move |bytes, going| {
            let scored = results(&model, Input { name: body_name, bytes, rows }, &wanted, going)?;
            Ok((model, scored))
        })
        .await?;
    let (model, scored) = results;
    app.metrics.scored(&model.name, &scored.tally);
    let length = scored.results.length();
    let body = scored.results.into_body().map_err(Problem::internal)?;
    Ok((
        [(header::CONTENT_TYPE, kind.to_string()), (header::CONTENT_LENGTH, length.to_string())],
        body,
    )
        .into_response())
}

/// A body to be scored.
pub(crate) struct Input {
    pub(crate) name: &'static str,
    pub(crate) bytes: Box<dyn Read + Send>,
    /// Rows it may have.
    pub(crate) rows: u64,
}

/// The table of results, and what metrics count.
struct Scored {
    results: Spool,
    tally: Tally,
}

fn results(model: &Loaded, input: Input, wanted: &Wanted, going: Going) -> Result<Scored> {
    let mut table = Table::open(input.name, input.bytes, &model.model, &wanted.keep, input.rows)?;
    let columns = ResultColumns::new(&table.ids, false, wanted.fields(), &table.kept);
    let shown = wanted.columns(&columns, table.ids.len());
    if shown.is_empty() {
        return Err(Problem::bad("outputs names no column; name at least one"));
    }
    let spool = Spool::new();
    let schema = Arc::new(columns.schema().project(&shown).map_err(Problem::internal)?);
    let mut sink = to_writer("the answer", Box::new(spool.clone()), wanted.format, schema)?;
    let mut tally = Tally::default();
    while let Some((rows, unscored)) = table.next()? {
        going()?;
        let found = model.model.assess(&rows)?;
        let arrays = wanted.arrays(model, &rows, &found, going)?;
        let batch = columns.batch(&rows.names, arrays, &unscored)?;
        sink.write(&batch.project(&shown).map_err(Problem::internal)?)?;
        tally.add(&found);
    }
    sink.finish()?;
    Ok(Scored { results: spool, tally })
}

/// Coordinates of the rows on the map of the model.
fn places(model: &Loaded, rows: &Rows) -> Result<[ArrayRef; 2]> {
    let preparation = model.model.detector.preparation();
    let d = preparation.dimension();
    let places: Vec<Option<[f64; 2]>> = match &model.directions {
        Some(directions) if !rows.is_empty() => {
            let points = rows.points(model.model.width())?;
            let prepared = preparation.apply(points).map_err(sosrep_scoring::Error::from)?;
            prepared.chunks_exact(d).map(|row| Some(directions.place(row))).collect()
        }
        _ => vec![None; rows.len()],
    };
    let along = |k: usize| -> ArrayRef {
        Arc::new(places.iter().map(|place| place.map(|place| place[k])).collect::<Float64Array>())
    };
    Ok([along(0), along(1)])
}
