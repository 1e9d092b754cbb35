//! A client that hides nothing: bytes out, status, header and body back.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use super::started::Started;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    /// The sentence of a problem, after a look at its form.
    pub(crate) fn problem(&self) -> String {
        assert!(self.head.contains("content-type: application/problem+json"), "{}", self.head);
        let problem = self.json();
        assert_eq!(problem["status"], self.status);
        let detail = problem["detail"].as_str().unwrap().to_string();
        assert!(!detail.is_empty() && !detail.contains(env!("CARGO_MANIFEST_DIR")), "{detail}");
        detail
    }
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// The answer at the head of what a connection gives; `None` if it is closed without one.
pub(crate) fn answer(stream: &mut TcpStream) -> Option<Answer> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ if head.is_empty() => return None,
            other => panic!("a head was cut short: {other:?} after {head:?}"),
        }
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).expect("a whole body");
    Some(Answer { status, head, body })
}

/// A request as its bytes.
pub(crate) fn request(method: &str, path: &str, fields: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n");
    if !body.is_empty() {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    fields.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    [head.as_bytes(), b"\r\n", body].concat()
}

impl Started {
    /// One request on a connection of its own.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        fields: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut stream = connect(self.address);
        // A service that turns a long body away does not read it to its end.
        let _ = stream.write_all(&request(method, path, fields, body));
        answer(&mut stream).expect("an answer")
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"")
    }

    pub(crate) fn post(&self, path: &str, kind: &str, body: &[u8]) -> Answer {
        self.ask("POST", path, &[("content-type", kind)], body)
    }

    /// A table in CSV scored to CSV.
    pub(crate) fn score_csv(&self, body: &[u8]) -> Answer {
        let fields = [("content-type", "text/csv"), ("accept", "text/csv")];
        self.ask("POST", "/v1/models/m/score", &fields, body)
    }
}
