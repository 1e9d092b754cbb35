//! Which format a body has, and which one its answer gets.

use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use sosrep_table::Format;

use crate::problem::{Problem, Result};

/// The name of a body in messages; how it ends says what it promises to be.
const BODIES: [(&str, &str); 9] = [
    ("application/json", "body.json"),
    ("application/x-ndjson", "body.jsonl"),
    ("application/jsonl", "body.jsonl"),
    ("text/csv", "body.csv"),
    ("text/tab-separated-values", "body.tsv"),
    ("application/vnd.apache.arrow.stream", "body.arrows"),
    ("application/vnd.apache.arrow.file", "body.arrow"),
    ("application/vnd.apache.parquet", "body.parquet"),
    ("application/octet-stream", "body"),
];

/// What an answer can be, the default first.
const ANSWERS: [(&str, Format); 5] = [
    ("application/json", Format::Json),
    ("application/x-ndjson", Format::JsonLines),
    ("text/csv", Format::Csv),
    ("application/vnd.apache.arrow.stream", Format::IpcStream),
    ("application/vnd.apache.parquet", Format::Parquet),
];

/// The name of a body of this content type.
pub(crate) fn body_name(headers: &HeaderMap) -> Result<&'static str> {
    let unsupported = |detail: String| Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail);
    if headers.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        let detail = "a Content-Encoding is not read; send the body as it is, or CSV in a gzip or \
                      Zstandard file as application/octet-stream";
        return Err(unsupported(detail.to_string()));
    }
    let kinds = BODIES.map(|(kind, _)| kind).join(", ");
    let given = text(headers, header::CONTENT_TYPE);
    let kind = given.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    let known = BODIES.iter().find(|(known, _)| *known == kind);
    known.map(|&(_, name)| name).ok_or_else(|| {
        let found = if kind.is_empty() { "is missing" } else { "is none that is read here" };
        unsupported(format!("the Content-Type {found}; give one of {kinds}"))
    })
}

/// The content type and the format of an answer: the first that the client accepts, JSON if it does not
/// care.
pub(crate) fn answer(headers: &HeaderMap) -> Result<(&'static str, Format)> {
    let wanted = text(headers, header::ACCEPT);
    if wanted.trim().is_empty() {
        return Ok(ANSWERS[0]);
    }
    for one in wanted.split(',') {
        let mut parts = one.split(';').map(str::trim);
        let kind = parts.next().unwrap_or("").to_ascii_lowercase();
        if parts.any(|part| part.replace(' ', "") == "q=0") {
            continue;
        }
        if kind == "*/*" || kind == "application/*" {
            return Ok(ANSWERS[0]);
        }
        let known = ANSWERS
            .iter()
            .find(|(known, _)| *known == kind || (kind == "text/*" && *known == "text/csv"));
        if let Some(&found) = known {
            return Ok(found);
        }
    }
    let kinds = ANSWERS.map(|(kind, _)| kind).join(", ");
    let detail = format!("no format that Accept names is written here; give one of {kinds}");
    Err(Problem::new(StatusCode::NOT_ACCEPTABLE, detail))
}

/// A header as text; empty if there is none.
fn text(headers: &HeaderMap, name: HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("")
}
