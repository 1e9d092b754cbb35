//! `POST /v1/models/{m}/explain`: why rows have their scores, as `sosrep explain` gives it.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use sosrep::detector::Assessment;
use sosrep_scoring::{Model, Reason, Reasons, Rows, Unscored, reasons};

use crate::app::App;
use crate::formats;
use crate::problem::{Problem, Result};
use crate::score::Input;
use crate::table::{Keep, Table};
use crate::work::Going;

/// The answer.
#[derive(Serialize)]
struct Answer {
    rows: Vec<Explained>,
    unscored: Vec<NotScored>,
}

/// A row and its reasons, the largest contribution first.
#[derive(Serialize)]
struct Explained {
    row: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    anomaly_score: f64,
    p_value: f64,
    is_anomaly: bool,
    /// The score of the most similar typical row.
    reference_score: f64,
    reasons: Vec<Reason>,
}

/// A row that cannot be scored.
#[derive(Serialize)]
struct NotScored {
    row: u64,
    reason: String,
}

/// The handler.
pub(crate) async fn explain(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    let model = app.models.get(&name)?;
    let body_name = formats::body_name(&headers)?;
    let (rows, most) = (app.limits.rows, app.limits.explained);
    let answer = app
        .work(body, app.limits.body, move |bytes, going| {
            let input = Input { name: body_name, bytes, rows };
            explained(&model.model, input, most, going)
        })
        .await?;
    Ok(Json(answer).into_response())
}

fn explained(model: &Model, input: Input, most: usize, going: Going) -> Result<Answer> {
    let mut table = Table::open(input.name, input.bytes, model, &Keep::None, input.rows)?;
    let (mut all, mut unscored) = (Rows::default(), Unscored::default());
    while let Some((rows, others)) = table.next()? {
        all.append(rows);
        unscored.append(others);
        if all.len() + unscored.len() > most {
            let detail = format!("at most {most} rows are explained at a time; send fewer");
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
        }
    }
    let found = model.assess(&all)?;
    let places: Vec<usize> = (0..all.len()).collect();
    let mut keep_going = |_| going().is_ok();
    let reasons = reasons::explain(&model.detector, &model.recipe, &all, &places, &mut keep_going);
    going()?;
    let row = |(i, reasons)| row(&all, &found, i, reasons);
    let others = unscored.names.numbers.iter().zip(&unscored.reasons);
    Ok(Answer {
        rows: reasons?.into_iter().enumerate().map(row).collect(),
        unscored: others.map(|(&row, reason)| NotScored { row, reason: reason.clone() }).collect(),
    })
}

fn row(rows: &Rows, found: &Assessment, i: usize, reasons: Reasons) -> Explained {
    Explained {
        row: rows.names.numbers[i],
        id: rows.names.id(i),
        anomaly_score: reasons.score,
        p_value: found.p_values[i],
        is_anomaly: found.is_anomaly[i],
        reference_score: reasons.reference_score,
        reasons: reasons.ranked,
    }
}
