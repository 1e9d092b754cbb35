//! Clients that are slow, broken or hostile get an answer or an end, and the service goes on.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::client::{answer, connect, request};
use super::started::{Started, TABLE, limited, options};

/// Ample for a service that gives up after a few hundred milliseconds.
const SOON: Duration = Duration::from_secs(20);

fn impatient() -> Started {
    Started::new(limited(|limits| {
        limits.idle = Duration::from_millis(300);
        limits.time = Duration::from_secs(5);
    }))
}

fn is_well(service: &Started) {
    assert_eq!(service.get("/livez").status, 200);
    assert_eq!(service.score_csv(TABLE).status, 200);
}

#[test]
fn a_header_that_trickles_in_is_cut_off() {
    let service = impatient();
    let mut stream = connect(service.address);
    let started = Instant::now();
    let mut cut = false;
    for byte in b"GET /livez HTTP/1.1\r\nhost: localhost\r\nx-slow: aaaaaaaaaaaaaaaaaaaaaaaaaaa"
        .iter()
        .cycle()
    {
        if stream.write_all(&[*byte]).is_err() || started.elapsed() > SOON {
            cut = true;
            break;
        }
        sleep(Duration::from_millis(50));
    }
    assert!(cut && started.elapsed() < SOON, "still open after {:?}", started.elapsed());
    is_well(&service);
}

#[test]
fn a_connection_without_a_request_is_closed() {
    let service = impatient();
    let mut stream = connect(service.address);
    let started = Instant::now();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(started.elapsed() < SOON);
    is_well(&service);
}

#[test]
fn a_body_that_stops_is_told_so_and_holds_no_core() {
    let service = impatient();
    let whole = request("POST", "/v1/models/m/score", &[("content-type", "text/csv")], TABLE);
    let stalled: Vec<_> = (0..8)
        .map(|_| {
            let mut stream = connect(service.address);
            stream.write_all(&whole[..whole.len() - 20]).unwrap();
            stream
        })
        .collect();
    // More of them than cores wait for bytes, and scoring goes on.
    is_well(&service);
    for mut stream in stalled {
        let answer = answer(&mut stream).expect("an answer");
        assert_eq!(answer.status, 408);
        assert!(answer.problem().contains("did not arrive in time"));
    }
}

#[test]
fn a_body_that_trickles_in_must_be_done_by_the_deadline() {
    let service = Started::new(limited(|limits| {
        limits.idle = Duration::from_secs(5);
        limits.time = Duration::from_millis(700);
    }));
    let whole = request("POST", "/v1/models/m/score", &[("content-type", "text/csv")], TABLE);
    let mut stream = connect(service.address);
    let mut reader = stream.try_clone().unwrap();
    let started = Instant::now();
    stream.write_all(&whole[..whole.len() - 200]).unwrap();
    for byte in &whole[whole.len() - 200..] {
        if stream.write_all(&[*byte]).is_err() || started.elapsed() > Duration::from_secs(2) {
            break;
        }
        sleep(Duration::from_millis(100));
    }
    assert_eq!(answer(&mut reader).expect("an answer").status, 408);
    is_well(&service);
}

#[test]
fn a_half_closed_connection_gets_its_answer() {
    let service = Started::new(options());
    let mut stream = connect(service.address);
    let fields = [("content-type", "text/csv")];
    stream.write_all(&request("POST", "/v1/models/m/score", &fields, TABLE)).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let answer = answer(&mut stream).expect("an answer");
    assert_eq!(answer.json().as_array().unwrap().len(), 40);
}

#[test]
fn a_connection_that_ends_within_its_body_harms_nobody() {
    let service = Started::new(options());
    let whole = request("POST", "/v1/models/m/score", &[("content-type", "text/csv")], TABLE);
    for cut in [10, 60, whole.len() - 1] {
        let mut stream = connect(service.address);
        stream.write_all(&whole[..cut]).unwrap();
        drop(stream);
    }
    is_well(&service);
}

#[test]
fn gigantic_headers_are_refused() {
    let service = Started::new(options());
    let long = "a".repeat(200_000);
    let many: Vec<(String, &str)> = (0..500).map(|i| (format!("x-{i}"), "1")).collect();
    let many: Vec<(&str, &str)> =
        many.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    for fields in [&[("x-long", long.as_str())][..], &many] {
        let mut stream = connect(service.address);
        let _ = stream.write_all(&request("GET", "/livez", fields, b""));
        let status = answer(&mut stream).map(|answer| answer.status);
        assert!(matches!(status, Some(431)), "{status:?}");
    }
    let path = format!("/{}", "p".repeat(200_000));
    let mut stream = connect(service.address);
    let _ = stream.write_all(&request("GET", &path, &[], b""));
    let status = answer(&mut stream).map(|answer| answer.status);
    assert!(matches!(status, Some(414 | 431)), "{status:?}");
    is_well(&service);
}

#[test]
fn bytes_that_are_no_http_end_the_connection() {
    let service = Started::new(options());
    let noise: [&[u8]; 4] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\0\0\0\0\0\0\0\0\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /v1/models/m/score HTTP/1.1\r\nhost: localhost\r\ncontent-length: -5\r\n\r\n",
    ];
    for bytes in noise {
        let mut stream = connect(service.address);
        stream.write_all(bytes).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 4"), "{rest:?}");
    }
    is_well(&service);
}

#[test]
fn a_content_type_that_is_not_read_is_refused_with_those_that_are() {
    let service = Started::new(options());
    for kind in
        ["", "text/html", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
    {
        let refused = service.post("/v1/models/m/score", kind, TABLE);
        assert_eq!(refused.status, 415, "{kind}");
        assert!(refused.problem().contains("text/csv"), "{kind}");
    }
    let fields = [("content-type", "text/csv"), ("content-encoding", "br")];
    assert_eq!(service.ask("POST", "/v1/models/m/score", &fields, TABLE).status, 415);
    let fields = [("content-type", "text/csv"), ("accept", "image/png")];
    assert_eq!(service.ask("POST", "/v1/models/m/score", &fields, TABLE).status, 406);
}

#[test]
fn bodies_that_are_not_what_they_promise_are_refused() {
    let service = Started::new(options());
    let cases: [(&str, &[u8]); 9] = [
        ("application/vnd.apache.arrow.stream", b"name,x,y,colour\n"),
        ("application/vnd.apache.arrow.stream", b"\xff\xff\xff\xff\xff\xff\xff\x7f"),
        ("application/vnd.apache.arrow.stream", b"\xff\xff\xff\xff\x10\0\0\0garbagegarbagegarbage"),
        ("application/vnd.apache.arrow.file", b"ARROW1\0\0nothing of the kind ARROW1"),
        ("application/vnd.apache.parquet", b"PAR1 and nothing else PAR1"),
        ("application/json", b"{"),
        ("application/json", b"[[[[[[[[[["),
        ("text/csv", b""),
        ("text/csv", b"\0\0\0\0"),
    ];
    for (kind, body) in cases {
        let refused = service.post("/v1/models/m/score", kind, body);
        assert_eq!(refused.status, 400, "{kind} {body:?}: {}", refused.text());
        refused.problem();
    }
    is_well(&service);
}

#[test]
fn every_arrow_stream_with_a_byte_changed_or_cut_is_scored_or_refused() {
    let service = Started::new(options());
    let read = sosrep_scoring::read_options(true, ["name"].into_iter(), &[]);
    let input = sosrep_table::Input::Bytes { name: "t".to_string(), bytes: TABLE };
    let cells = sosrep_table::open(&input, &read).unwrap().next_batch().unwrap().unwrap().cells;
    let mut writer =
        arrow_ipc::writer::StreamWriter::try_new(Vec::new(), cells.schema_ref()).unwrap();
    writer.write(&cells).unwrap();
    let whole = writer.into_inner().unwrap();
    let kind = "application/vnd.apache.arrow.stream";
    for step in 0..300 {
        let place = step * whole.len() / 300;
        let mut changed = whole.clone();
        changed[place] ^= 1 << (step % 8);
        for body in [&changed[..], &whole[..place]] {
            let status = service.post("/v1/models/m/score", kind, body).status;
            assert!(matches!(status, 200 | 400), "{status} at {place}");
        }
    }
    is_well(&service);
}

#[test]
fn a_fault_in_a_cell_is_told_with_line_and_column() {
    let service = Started::new(options());
    let refused = service.score_csv(b"name,x,y,colour\na,1,2,red\nb,1,2\n");
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["line"], 3);
    let refused = service.score_csv(b"name,x,y,colour\na,1,2,red\nb,1,2,r\xff\xfe\n");
    assert_eq!((refused.status, refused.json()["line"].as_u64()), (400, Some(3)));
    assert_eq!(refused.json()["column"], "colour");
    let refused = service.score_csv(b"name,x,colour\na,1,red\n");
    assert!(refused.problem().contains("missing: \"y\""), "{}", refused.text());
}

#[test]
fn a_client_that_sends_all_before_it_reads_sees_why_it_was_refused() {
    let service = Started::new(limited(|limits| limits.body = 20_000_000));
    // More than the system holds for either side.
    let body = vec![b'x'; 16_000_000];
    let cases = [
        ("/v1/models/other/score", "text/csv", 404),
        ("/v1/models/m/score", "image/png", 415),
        ("/v1/models/m/score?outputs=nothing", "text/csv", 400),
        ("/v1/fits", "text/csv", 403),
        ("/nothing", "text/csv", 404),
    ];
    for (path, kind, status) in cases {
        let mut stream = connect(service.address);
        stream.write_all(&request("POST", path, &[("content-type", kind)], &body)).unwrap();
        assert_eq!(answer(&mut stream).expect("an answer").status, status, "{path}");
    }
    // One who asks first is answered before the body.
    let mut stream = connect(service.address);
    let head = "POST /nothing HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n\
                content-length: 16000000\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(answer(&mut stream).expect("an answer").status, 404);
}

#[test]
fn a_client_that_takes_no_answer_is_disconnected() {
    let service = impatient();
    let lines: Vec<&str> = std::str::from_utf8(TABLE).unwrap().lines().collect();
    let mut long = format!("{}\n", lines[0]);
    (0..150_000).for_each(|i| long.push_str(&format!("{}\n", lines[1 + i % 40])));
    let mut stream = connect(service.address);
    let fields = [("content-type", "text/csv")];
    stream
        .write_all(&request("POST", "/v1/models/m/score?keep=all", &fields, long.as_bytes()))
        .unwrap();
    sleep(Duration::from_secs(4));
    let mut rest = Vec::new();
    let cut = stream.read_to_end(&mut rest);
    let told = String::from_utf8_lossy(&rest[..rest.len().min(2000)]).to_lowercase();
    let length = told.split("content-length: ").nth(1).and_then(|text| text.lines().next());
    let length: usize = length.expect("a length").parse().unwrap();
    assert!(cut.is_err() || rest.len() < length, "all {length} bytes were held for nobody");
    is_well(&service);
}
