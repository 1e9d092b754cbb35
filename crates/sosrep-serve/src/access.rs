//! Who may ask: a token where there is one, else only pages and programs of this machine.
//!
//! Without a token the service listens on loopback only. A page from elsewhere could still reach it
//! through a name of its own that points here; so the host that a request names must be this machine.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::app::App;
use crate::page;
use crate::problem::{Problem, Result};

/// Paths that say nothing about models or data, beside those of the page.
const OPEN: [&str; 5] =
    ["/livez", "/readyz", "/openapi.json", "/v2/health/live", "/v2/health/ready"];

/// Lets a request pass, or says why not.
pub(crate) async fn check(State(app): State<App>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let open = OPEN.contains(&path) || page::is_asset(path);
    let allowed = match &app.token {
        Some(_) if open => Ok(()),
        Some(token) => expect_token(request.headers(), token),
        None => expect_this_machine(request.headers()),
    };
    match allowed {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

fn expect_token(headers: &HeaderMap, token: &str) -> Result<()> {
    let given = headers.get(header::AUTHORIZATION).map_or(&b""[..], |value| value.as_bytes());
    let given = match given.split_at_checked(7) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case(b"bearer ") => token,
        _ => b"",
    };
    // Digests have one length, whatever was given.
    let same = Sha256::digest(given).ct_eq(&Sha256::digest(token));
    match bool::from(same) {
        true => Ok(()),
        false => {
            let detail = "this needs the service's token; send it as Authorization: Bearer TOKEN";
            Err(Problem::new(StatusCode::UNAUTHORIZED, detail))
        }
    }
}

fn expect_this_machine(headers: &HeaderMap) -> Result<()> {
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or("");
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    match matches!(name, "localhost" | "127.0.0.1" | "[::1]") {
        true => Ok(()),
        false => {
            let detail =
                "without a token only this machine may ask; name it localhost or 127.0.0.1";
            Err(Problem::new(StatusCode::FORBIDDEN, detail))
        }
    }
}
