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
pub(crate) const ASSETS: &[Asset] = &[asset!("/", "index.html", "text/html; charset=utf-8")];

impl Asset {
    pub(crate) fn answer(&self) -> Response {
        ([(header::CONTENT_TYPE, self.kind)], self.text).into_response()
    }
}

/// Whether a path is one of the page.
pub(crate) fn is_asset(path: &str) -> bool {
    ASSETS.iter().any(|asset| asset.path == path)
}
