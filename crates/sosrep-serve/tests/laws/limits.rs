//! What a request may take, and what happens beyond.

use std::io::Write;
use std::thread;
use std::time::Duration;

use super::client::{answer, connect, request};
use super::started::{Started, TABLE, limited, options};

/// The table, so many times over.
fn long(times: usize) -> Vec<u8> {
    let text = std::str::from_utf8(TABLE).unwrap();
    let (head, rows) = text.split_once('\n').unwrap();
    format!("{head}\n{}", rows.repeat(times)).into_bytes()
}

#[test]
fn a_body_that_is_too_long_is_refused_whether_it_says_so_or_not() {
    let service = Started::new(limited(|limits| limits.body = 10_000));
    let body = long(20);
    let refused = service.score_csv(&body);
    assert_eq!(refused.status, 413);
    assert!(refused.problem().contains("10000 bytes"));
    let mut stream = connect(service.address);
    let head = "POST /v1/models/m/score HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/csv\r\n\
                transfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    for part in body.chunks(4000) {
        let chunk = [format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat();
        if stream.write_all(&chunk).is_err() {
            break;
        }
    }
    assert_eq!(answer(&mut stream).expect("an answer").status, 413);
    assert_eq!(service.score_csv(&long(4)).status, 200);
}

#[test]
fn rows_are_counted_and_not_requests() {
    let service = Started::new(limited(|limits| {
        limits.rows = 100;
        limits.explained = 40;
    }));
    assert_eq!(service.score_csv(&long(2)).status, 200);
    let refused = service.score_csv(&long(3));
    assert_eq!(refused.status, 413);
    assert!(refused.problem().contains("--row-limit"));
    assert_eq!(service.post("/v1/models/m/explain", "text/csv", TABLE).status, 200);
    let refused = service.post("/v1/models/m/explain", "text/csv", &long(2));
    assert_eq!(refused.status, 413);
    assert!(refused.problem().contains("at most 40 rows"));
}

#[test]
fn work_that_takes_too_long_is_ended() {
    let service = Started::new(limited(|limits| limits.time = Duration::from_secs(1)));
    // Reasons cost as much as many scorings, and all these rows have some.
    let body = format!("name,x,y,colour\n{}", "a,1000,1000,red\n".repeat(400_000));
    let path = "/v1/models/m/score?outputs=reasons";
    let ended = service.post(path, "text/csv", body.as_bytes());
    assert_eq!(ended.status, 504, "{}", ended.text());
    ended.problem();
    assert_eq!(service.score_csv(TABLE).status, 200);
}

#[test]
fn beyond_the_queue_requests_are_turned_away_with_the_time_to_come_back() {
    let service = Started::new(limited(|limits| {
        limits.scorings = 1;
        limits.queue = 2;
        limits.idle = Duration::from_secs(60);
        limits.time = Duration::from_secs(60);
    }));
    let body = request("POST", "/v1/models/m/score", &[("content-type", "text/csv")], TABLE);
    // Three requests that have begun, each short of a byte.
    let mut begun: Vec<_> = (0..3)
        .map(|_| {
            let mut stream = connect(service.address);
            stream.write_all(&body[..body.len() - 1]).unwrap();
            stream
        })
        .collect();
    let queue = || service.get("/metrics").text().contains("sosrep_queue 3");
    while !queue() {
        thread::sleep(Duration::from_millis(20));
    }
    let turned_away = service.score_csv(TABLE);
    assert_eq!(turned_away.status, 503);
    assert!(turned_away.head.contains("retry-after: 1"), "{}", turned_away.head);
    turned_away.problem();
    assert_eq!(service.get("/livez").status, 200);
    for stream in &mut begun {
        stream.write_all(&body[body.len() - 1..]).unwrap();
        assert_eq!(answer(stream).expect("an answer").status, 200);
    }
    assert_eq!(service.score_csv(TABLE).status, 200);
    assert!(service.get("/metrics").text().contains("sosrep_shed_total"));
}

#[test]
fn under_more_clients_than_cores_every_answer_is_whole_or_says_when_to_come_back() {
    let service = Started::new(limited(|limits| limits.queue = 4));
    let body = long(50);
    let expected = service.score_csv(&body);
    assert_eq!(expected.status, 200);
    let turned_away: usize = thread::scope(|scope| {
        let client = || {
            let answers = (0..10).map(|_| service.score_csv(&body));
            answers
                .filter(|answer| match answer.status {
                    200 => {
                        assert_eq!(answer.body, expected.body);
                        false
                    }
                    503 => {
                        assert!(answer.head.contains("retry-after"));
                        true
                    }
                    other => panic!("{other}: {}", answer.text()),
                })
                .count()
        };
        let clients: Vec<_> = (0..16).map(|_| scope.spawn(client)).collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    assert!(turned_away < 160, "all were turned away");
}

#[test]
fn connections_beyond_the_limit_wait() {
    let service = Started::new(limited(|limits| {
        limits.connections = 2;
        limits.idle = Duration::from_millis(300);
    }));
    let held = [connect(service.address), connect(service.address)];
    // Those that are held say nothing, and are closed for it.
    assert_eq!(service.get("/livez").status, 200);
    drop(held);
}

#[test]
fn paths_and_methods_that_are_not_there_are_problems_too() {
    let service = Started::new(options());
    assert_eq!(service.get("/nothing").status, 404);
    service.get("/nothing").problem();
    assert_eq!(service.get("/v1/models/other").status, 404);
    let refused = service.get("/v1/models/m/score");
    assert_eq!(refused.status, 405);
    assert!(refused.head.contains("allow: post"), "{}", refused.head);
    refused.problem();
    for path in ["/../Cargo.toml", "/%2e%2e/%2e%2e/etc/passwd", "/v1/models/..%2f..%2fetc/file"] {
        assert_eq!(service.get(path).status, 404, "{path}");
    }
}
