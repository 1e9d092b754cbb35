//! What went wrong, as `application/problem+json` (RFC 9457): status, title, a sentence, and the row and
//! column where there are some.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use sosrep_table::{Error as TableError, Place, Remedy};

/// An answer that says what went wrong.
#[derive(Debug, Clone)]
pub(crate) struct Problem(Box<Contents>);

#[derive(Debug, Clone, Serialize)]
struct Contents {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    status: u16,
    detail: String,
    /// Row of the table, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<u64>,
    /// Line of the text, from 1; the header is line 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<String>,
    /// The sentence once more, where the Open Inference Protocol looks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip)]
    retry_after: Option<u32>,
}

/// What a handler gives.
pub(crate) type Result<T, E = Problem> = std::result::Result<T, E>;

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self(Box::new(Contents {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: detail.into(),
            row: None,
            line: None,
            column: None,
            error: None,
            retry_after: None,
        }))
    }

    /// Something that the client can correct.
    pub(crate) fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// Too much at a time: come back in so many seconds.
    pub(crate) fn busy(detail: impl Into<String>, seconds: u32) -> Self {
        let mut problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, detail);
        problem.0.retry_after = Some(seconds);
        problem
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// A bug of the service; what it was goes to standard error, not to the client.
    pub(crate) fn internal(what: impl std::fmt::Display) -> Self {
        eprintln!("internal error: {what}");
        let detail = "this is a bug of sosrep; the service's standard error says more";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, detail)
    }

    /// The row of the table it is about.
    pub(crate) fn at(mut self, row: u64, column: &str) -> Self {
        self.0.row = Some(row);
        self.in_column(column)
    }

    /// In the form of the Open Inference Protocol as well.
    pub(crate) fn with_error_member(mut self) -> Self {
        self.0.error = Some(self.0.detail.clone());
        self
    }

    pub(crate) fn detail(&self) -> &str {
        &self.0.detail
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self.0).unwrap_or_default();
        let mut answer = (status, body).into_response();
        let kind = HeaderValue::from_static("application/problem+json");
        answer.headers_mut().insert(header::CONTENT_TYPE, kind);
        if let Some(seconds) = self.0.retry_after {
            answer.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            answer.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        answer
    }
}

impl From<TableError> for Problem {
    fn from(error: TableError) -> Self {
        let detail = error.sentence(remedy);
        match error.problems().first() {
            Some(TableError::Write { .. }) => Self::internal(detail),
            Some(TableError::Cancelled) => Self::bad("the work was cancelled"),
            Some(TableError::Column { place, column, .. }) => {
                Self::bad(detail).in_column(column).in_place(*place)
            }
            Some(TableError::Row { place, .. }) => Self::bad(detail).in_place(Some(*place)),
            _ => Self::bad(detail),
        }
    }
}

impl Problem {
    fn in_column(mut self, column: &str) -> Self {
        self.0.column = Some(column.to_string());
        self
    }

    fn in_place(mut self, place: Option<Place>) -> Self {
        match place {
            Some(Place::Row(row)) => self.0.row = Some(row),
            Some(Place::Line(line)) => self.0.line = Some(line),
            None => {}
        }
        self
    }
}

impl From<sosrep_scoring::Error> for Problem {
    fn from(error: sosrep_scoring::Error) -> Self {
        match error {
            sosrep_scoring::Error::Table(error) => error.into(),
            sosrep_scoring::Error::Detector(error) => Self::bad(error.to_string()),
            other => Self::internal(other),
        }
    }
}

/// What a client can do.
fn remedy(remedy: &Remedy) -> String {
    match remedy {
        Remedy::CorrectCell => "correct the cell, leave it empty".to_string(),
        Remedy::FillCell => "fill it in".to_string(),
        Remedy::DropRow => "leave the row out".to_string(),
        Remedy::DropColumn(name) => format!("leave the column \"{name}\" out of the table"),
        Remedy::ConvertColumn => "convert the column to numbers, booleans or text".to_string(),
        Remedy::DecimalPoint => "write numbers with a decimal point instead of a comma".to_string(),
        Remedy::MatchColumns => "add, rename or leave out columns until they match".to_string(),
        Remedy::AddNames => "add a line of names above it".to_string(),
        Remedy::RefitMissing => "fit the model to a table with missing values".to_string(),
        _ => "correct the table".to_string(),
    }
}
