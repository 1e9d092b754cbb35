//! The page and its parts, embedded.

use axum::http::header;
use axum::response::{IntoResponse, Response};

/// A file of the page.
pub(crate) struct Asset {
    pub(crate) path: &'static str,
    kind: &'static str,
    text: &'static str,
}

macro_rules! asset {
    ($path:literal, $file:literal, $kind:literal) => {
        Asset { path: $path, kind: $kind, text: include_str!(concat!("explorer/", $file)) }
    };
}

/// The page itself first.
pub(crate) const ASSETS: &[Asset] = &[
    asset!("/", "index.html", "text/html; charset=utf-8"),
    asset!("/style.css", "style.css", "text/css; charset=utf-8"),
    asset!("/main.js", "main.js", "text/javascript; charset=utf-8"),
    asset!("/compare.js", "compare.js", "text/javascript; charset=utf-8"),
    asset!("/elements.js", "elements.js", "text/javascript; charset=utf-8"),
    asset!("/fitting.js", "fitting.js", "text/javascript; charset=utf-8"),
    asset!("/histogram.js", "histogram.js", "text/javascript; charset=utf-8"),
    asset!("/map.js", "map.js", "text/javascript; charset=utf-8"),
    asset!("/row.js", "row.js", "text/javascript; charset=utf-8"),
    asset!("/rows.js", "rows.js", "text/javascript; charset=utf-8"),
    asset!("/service.js", "service.js", "text/javascript; charset=utf-8"),
];

impl Asset {
    pub(crate) fn answer(&self) -> Response {
        ([(header::CONTENT_TYPE, self.kind)], self.text).into_response()
    }
}

/// Whether a path is one of the page.
pub(crate) fn is_asset(path: &str) -> bool {
    ASSETS.iter().any(|asset| asset.path == path)
}
