//! Which path is what, and what is done around every request.

use std::time::Instant;

use axum::Json;
use axum::Router;
use axum::extract::{MatchedPath, Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use serde_json::{Value, json};

use crate::app::App;
use crate::models::Loaded;
use crate::problem::{Problem, Result};
use crate::rest::Rest;
use crate::{access, explain, fits, infer, openapi, page, score};

const TRACE: HeaderName = HeaderName::from_static("traceparent");
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Every path but those of the page, as the description in OpenAPI has it.
pub(crate) fn routes() -> Vec<(&'static str, MethodRouter<App>)> {
    vec![
        ("/livez", get(async || "alive\n")),
        ("/readyz", get(ready)),
        ("/metrics", get(metrics)),
        ("/openapi.json", get(openapi::show)),
        ("/v1/example", get(example)),
        ("/v1/models", get(models)),
        ("/v1/models/{model}", get(model)),
        ("/v1/models/{model}/file", get(file)),
        ("/v1/models/{model}/score", post(score::score)),
        ("/v1/models/{model}/explain", post(explain::explain)),
        ("/v1/fits", post(fits::create)),
        ("/v1/fits/{fit}", get(fits::show).delete(fits::cancel)),
        ("/v2", get(infer::server)),
        ("/v2/health/live", get(infer::live)),
        ("/v2/health/ready", get(infer::server_ready)),
        ("/v2/models/{model}", get(infer::metadata)),
        ("/v2/models/{model}/ready", get(infer::ready)),
        ("/v2/models/{model}/infer", post(infer::infer)),
    ]
}

/// The service as a function of requests.
pub(crate) fn router(app: App) -> Router {
    let mut router = Router::new();
    for (path, methods) in routes() {
        router = router.route(path, methods);
    }
    for asset in page::ASSETS {
        router = router.route(asset.path, get(move || async move { asset.answer() }));
    }
    router
        .fallback(async || Problem::not_found("there is nothing here; see /openapi.json"))
        .method_not_allowed_fallback(async || {
            let detail = "this path does not take this method; see /openapi.json";
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail)
        })
        .layer(from_fn_with_state(app.clone(), access::check))
        .layer(from_fn_with_state(app.clone(), around))
        .with_state(app)
}

/// Counts, logs, and adds what every answer has.
async fn around(State(app): State<App>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().as_str().to_string();
    let matched = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_string());
    let path = matched.unwrap_or_else(|| "other".to_string());
    let trace = request.headers().get(TRACE).cloned();
    let (request, rest) = Rest::of(request);
    let mut answer = next.run(request).await;
    // A body that did not arrive in time has been waited for already.
    let refused = !answer.status().is_success() && answer.status() != StatusCode::REQUEST_TIMEOUT;
    if refused {
        rest.drain(&app.limits).await;
    }
    let (time, status) = (started.elapsed(), answer.status().as_u16());
    let counted = if is_known(&method) { method.as_str() } else { "other" };
    app.metrics.answered(counted, &path, status, time);
    if app.log {
        let trace = trace.as_ref().and_then(|trace| trace.to_str().ok());
        let seconds = time.as_secs_f64();
        let line = json!({
            "method": method, "path": path, "status": status, "seconds": seconds, "traceparent": trace,
        });
        eprintln!("{line}");
    }
    let headers = answer.headers_mut();
    if let Some(trace) = trace {
        headers.insert(TRACE, trace);
    }
    if app.is_draining() {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    protect(headers);
    answer
}

/// Methods have no end; those that are counted have.
fn is_known(method: &str) -> bool {
    ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"].contains(&method)
}

/// What browsers may do with an answer.
fn protect(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    let cache = HeaderValue::from_static("no-store");
    headers.entry(header::CACHE_CONTROL).or_insert(cache);
}

async fn ready(State(app): State<App>) -> Result<&'static str> {
    match app.is_draining() {
        false => Ok("ready\n"),
        true => Err(Problem::busy("the service is about to end", 1)),
    }
}

async fn metrics(State(app): State<App>) -> Result<Response> {
    let text = app.metrics.text().map_err(Problem::internal)?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// The table of the example, where it is served.
async fn example(State(app): State<App>) -> Result<Response> {
    let bytes = app.example.ok_or_else(|| Problem::not_found("there is no example here"))?;
    Ok(([(header::CONTENT_TYPE, "text/csv")], bytes).into_response())
}

async fn models(State(app): State<App>) -> Response {
    let models: Vec<Value> = app.models.all().iter().map(|model| described(model)).collect();
    let (fits, example) = (app.fits.are_allowed(), app.example.is_some());
    Json(json!({"models": models, "fits": fits, "example": example})).into_response()
}

async fn model(State(app): State<App>, Path(name): Path<String>) -> Result<Response> {
    Ok(Json(described(&*app.models.get(&name)?)).into_response())
}

/// What is said of a model.
fn described(model: &Loaded) -> Value {
    let (detector, recipe) = (&model.model.detector, &model.model.recipe);
    let column =
        |column: sosrep_table::ColumnInfo| json!({"name": column.name, "kind": column.kind.name()});
    let columns: Vec<Value> = recipe.encoding.input_columns().into_iter().map(column).collect();
    json!({
        "name": model.name,
        "sha256": model.sha256,
        "threshold": detector.threshold(),
        "columns": columns,
        "ids": recipe.ids,
        "spare": recipe.spare_columns(),
        "missing": recipe.encoding.missing().name(),
        "map": model.directions.is_some(),
        "seed": detector.seed(),
        "report": detector.report(),
    })
}

/// The file of a model, as `sosrep` reads it.
async fn file(State(app): State<App>, Path(name): Path<String>) -> Result<Response> {
    let model = app.models.get(&name)?;
    let bytes = model.model.detector.to_bytes().map_err(Problem::internal)?;
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"model.sosrep\""),
    ];
    Ok((headers, bytes).into_response())
}
