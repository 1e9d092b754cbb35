//! Who may ask.

use std::net::TcpListener;

use sosrep_serve::{Options, Service, StartError};

use super::client::{answer, connect};
use super::started::{Started, TABLE, options};

const TOKEN: &str = "correct-horse-battery";

fn guarded() -> Started {
    let mut options = options();
    options.token = Some(TOKEN.to_string());
    Started::new(options)
}

#[test]
fn data_needs_the_token_and_the_page_does_not() {
    let service = guarded();
    let right = format!("Bearer {TOKEN}");
    let wrong = [
        "",
        "Bearer ",
        "Bearer correct-horse-batterz",
        "Basic Y29ycmVjdA==",
        TOKEN,
        "Bearer correct-horse-battery-and-more",
        "Bearer",
    ];
    for path in
        ["/v1/models", "/v1/models/m", "/v1/models/m/file", "/metrics", "/v2", "/v2/models/m"]
    {
        for given in wrong {
            let refused = service.ask("GET", path, &[("authorization", given)], b"");
            assert_eq!(refused.status, 401, "{path} with {given:?}");
            assert!(refused.head.contains("www-authenticate: bearer"), "{}", refused.head);
            refused.problem();
        }
        assert_eq!(
            service.ask("GET", path, &[("authorization", &right)], b"").status,
            200,
            "{path}"
        );
    }
    assert_eq!(service.score_csv(TABLE).status, 401);
    for path in ["/", "/main.js", "/livez", "/readyz", "/openapi.json", "/v2/health/live"] {
        assert_eq!(service.get(path).status, 200, "{path}");
    }
}

#[test]
fn without_a_token_only_this_machine_may_ask_by_its_name() {
    let service = Started::new(options());
    let ask = |host: &str| {
        let mut stream = connect(service.address);
        let request = format!("GET /v1/models HTTP/1.1\r\nhost: {host}\r\n\r\n");
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        answer(&mut stream).unwrap().status
    };
    for host in ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:80"] {
        assert_eq!(ask(host), 200, "{host}");
    }
    for host in ["example.org", "localhost.example.org", "127.0.0.1.example.org:80", "", "10.0.0.1"]
    {
        assert_eq!(ask(host), 403, "{host}");
    }
}

#[test]
fn an_address_that_others_reach_is_refused_without_a_token() {
    let open = Service::new(Options::default()).unwrap();
    let refused = open.run(TcpListener::bind("0.0.0.0:0").unwrap(), || true);
    assert!(matches!(refused, Err(StartError::Open(_))), "{refused:?}");
    for short in ["", "short", "with spaces in the middle", "ünïcödé-ünïcödé-ünïcödé"] {
        let mut options = Options::default();
        options.token = Some(short.to_string());
        assert!(matches!(Service::new(options).err(), Some(StartError::Token)), "{short}");
    }
}

#[test]
fn every_answer_tells_browsers_to_load_nothing_from_elsewhere() {
    let service = Started::new(options());
    for path in ["/", "/style.css", "/v1/models", "/nothing"] {
        let head = service.get(path).head;
        assert!(
            head.contains("content-security-policy: default-src 'none'; script-src 'self'"),
            "{head}"
        );
        assert!(head.contains("x-content-type-options: nosniff"), "{head}");
        assert!(!head.contains("access-control-allow"), "{head}");
    }
}

#[test]
fn the_trace_of_a_request_comes_back() {
    let service = Started::new(options());
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let answer = service.ask("GET", "/livez", &[("traceparent", trace)], b"");
    assert!(answer.head.contains(&format!("traceparent: {trace}")), "{}", answer.head);
}
