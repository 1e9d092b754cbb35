//! `/v2`: the Open Inference Protocol, for clients that speak it already.
//!
//! Tensors are JSON, in memory, so a body may be of 16 MiB at most; long tables go to
//! `/v1/models/{m}/score` as Arrow streams. A row that cannot be scored has no place in a tensor: it
//! is an error that names it. Of the outputs those that are asked for are given.

use std::collections::HashMap;
use std::io::Read;

use arrow_array::Array;
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use sosrep::detector::Assessment;
use sosrep_scoring::{Model, Parts, Rows};
use sosrep_table::{ColumnInfo, from_arrow};

use crate::app::App;
use crate::metrics::Tally;
use crate::models::Loaded;
use crate::problem::{Problem, Result};
use crate::tensor::{Tensor, datatype, table};
use crate::work::Going;

/// Bytes of a body.
const LONGEST: u64 = 16 << 20;
/// The name of the table in messages.
const NAME: &str = "the request";
/// Names and datatypes of what is given for every row; `reasons` only if asked for.
const OUTPUTS: [(&str, &str); 4] =
    [("anomaly_score", "FP64"), ("p_value", "FP64"), ("is_anomaly", "BOOL"), ("reasons", "BYTES")];
/// What clients say who put bytes behind the JSON.
const BINARY: &str = "inference-header-content-length";

#[derive(Debug, Deserialize)]
struct Request {
    id: Option<String>,
    inputs: Vec<Tensor>,
    outputs: Option<Vec<Output>>,
}

#[derive(Debug, Deserialize)]
struct Output {
    name: String,
}

/// What the service is.
pub(crate) async fn server() -> Response {
    let version = env!("CARGO_PKG_VERSION");
    Json(json!({"name": "sosrep", "version": version, "extensions": []})).into_response()
}

/// A model's inputs and outputs.
pub(crate) async fn metadata(State(app): State<App>, Path(name): Path<String>) -> Result<Response> {
    let model = app.models.get(&name).map_err(Problem::with_error_member)?;
    let input = |column: ColumnInfo| json!({"name": column.name, "datatype": datatype(column.kind), "shape": [-1]});
    let inputs: Vec<Value> =
        model.model.recipe.encoding.input_columns().into_iter().map(input).collect();
    let output = |(name, kind)| json!({"name": name, "datatype": kind, "shape": [-1]});
    let outputs = OUTPUTS.map(output);
    Ok(Json(json!({
        "name": model.name, "versions": [model.sha256], "platform": "sosrep",
        "inputs": inputs, "outputs": outputs,
    }))
    .into_response())
}

/// Whether a model is served.
pub(crate) async fn ready(State(app): State<App>, Path(name): Path<String>) -> Result<Response> {
    let model = app.models.get(&name).map_err(Problem::with_error_member)?;
    Ok(Json(json!({"name": model.name, "ready": true})).into_response())
}

/// Whether the service is there at all.
pub(crate) async fn live() -> Response {
    Json(json!({"live": true})).into_response()
}

/// Whether requests are taken.
pub(crate) async fn server_ready(State(app): State<App>) -> Response {
    let ready = !app.is_draining();
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(json!({"ready": ready}))).into_response()
}

/// The handler.
pub(crate) async fn infer(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    let answered = inferred(&app, &name, &headers, body).await;
    answered.map_err(Problem::with_error_member)
}

async fn inferred(app: &App, name: &str, headers: &HeaderMap, body: Body) -> Result<Response> {
    let model = app.models.get(name)?;
    if headers.contains_key(BINARY) {
        let detail = "tensors in binary form are not read; send JSON (binary_data=False)";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
    }
    let rows = app.limits.rows;
    let limit = LONGEST.min(app.limits.body);
    let (model, answer, tally) = app
        .work(body, limit, move |bytes, going| {
            let (answer, tally) = answer(&model, bytes, rows, going)?;
            Ok((model, answer, tally))
        })
        .await?;
    app.metrics.scored(&model.name, &tally);
    Ok(Json(answer).into_response())
}

fn parsed(bytes: &mut dyn Read) -> Result<Request> {
    let mut text = Vec::new();
    bytes.read_to_end(&mut text).map_err(Problem::internal)?;
    serde_json::from_slice(&text)
        .map_err(|error| Problem::bad(format!("this is no inference request: {error}")))
}

fn answer(
    model: &Loaded,
    mut bytes: Box<dyn Read + Send>,
    most: u64,
    going: Going,
) -> Result<(Value, Tally)> {
    let request = parsed(&mut bytes)?;
    let outputs = wanted(request.outputs)?;
    let rows = rows(&model.model, request.inputs, most)?;
    going()?;
    let found = model.model.assess(&rows)?;
    let mut tally = Tally::default();
    tally.add(&found);
    let words = match outputs.contains(&"reasons") {
        true => model.model.words(&rows, &found, &mut |_| going().is_ok()),
        false => Ok(Vec::new()),
    };
    going()?;
    let words = words?;
    let tensors: Vec<Value> = outputs.iter().map(|name| tensor(name, &found, &words)).collect();
    let mut answer = json!({
        "model_name": model.name, "model_version": model.sha256, "outputs": tensors,
    });
    if let Some(id) = request.id {
        answer["id"] = id.into();
    }
    Ok((answer, tally))
}

/// The outputs asked for, or those of numbers and booleans.
fn wanted(asked: Option<Vec<Output>>) -> Result<Vec<&'static str>> {
    let Some(asked) = asked.filter(|asked| !asked.is_empty()) else {
        return Ok(OUTPUTS[..3].iter().map(|(name, _)| *name).collect());
    };
    let known = |output: Output| {
        let found = OUTPUTS.iter().find(|(name, _)| *name == output.name);
        let names = OUTPUTS.map(|(name, _)| name).join(", ");
        found.map(|(name, _)| *name).ok_or_else(|| {
            Problem::bad(format!("there is no output \"{}\", only {names}", output.name))
        })
    };
    asked.into_iter().map(known).collect()
}

/// The rows of the tensors, all of which can be scored.
fn rows(model: &Model, tensors: Vec<Tensor>, most: u64) -> Result<Rows> {
    let columns = model.recipe.encoding.input_columns();
    if tensors.is_empty() {
        return Err(Problem::bad("inputs is empty; give a matrix, or a tensor a column"));
    }
    let table = table(tensors, &columns)?;
    if table.num_rows() as u64 > most {
        let detail = "the request has more rows than one may have; send it in parts";
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
    }
    let kinds: HashMap<_, _> = columns.into_iter().map(|c| (c.name, c.kind)).collect();
    let (found, batch) = from_arrow(NAME, &table, &kinds, 1)?;
    let parts = Parts::default().of_model(&model.recipe, NAME, &found, &[])?;
    let batch = batch.project(&parts.projection()).map_err(Problem::internal)?;
    let split = parts.split(&batch)?;
    let (rows, unscored, _) = split.encode(NAME, &model.recipe.encoding)?;
    match unscored.names.numbers.first() {
        None => Ok(rows),
        Some(&number) => {
            let reason = &unscored.reasons[0];
            let detail =
                format!("row {number} cannot be scored: {reason}; leave it out or fill it in");
            let missing = (0..batch.cells.num_columns())
                .find(|&j| batch.cells.column(j).is_null(number as usize - 1));
            let column = missing.map_or("", |j| batch.cells.schema_ref().field(j).name().as_str());
            Err(Problem::bad(detail).at(number, column))
        }
    }
}

fn tensor(name: &str, found: &Assessment, words: &[Option<String>]) -> Value {
    let shape = [found.len()];
    let kind = OUTPUTS.iter().find(|(known, _)| *known == name).map_or("", |(_, kind)| kind);
    let data = match name {
        "anomaly_score" => json!(found.scores),
        "p_value" => json!(found.p_values),
        "is_anomaly" => json!(found.is_anomaly),
        _ => json!(words.iter().map(|words| words.as_deref().unwrap_or("")).collect::<Vec<_>>()),
    };
    json!({"name": name, "datatype": kind, "shape": shape, "data": data})
}
