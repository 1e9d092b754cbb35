//! The description of the service in OpenAPI, kept by hand in `openapi.json`; a test holds it against the
//! routes, and another puts requests made from it to the service.

use axum::http::header;
use axum::response::{IntoResponse, Response};

const TEXT: &str = include_str!("openapi.json");

/// The description.
pub(crate) async fn show() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], TEXT).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_description_has_the_paths_of_the_router_and_no_others() {
        let described: serde_json::Value = serde_json::from_str(TEXT).unwrap();
        let paths = described["paths"].as_object().unwrap();
        let described: BTreeSet<&str> = paths.keys().map(String::as_str).collect();
        let routed = crate::router::routes().into_iter().map(|(path, _)| path);
        assert_eq!(described, routed.collect());
    }
}
