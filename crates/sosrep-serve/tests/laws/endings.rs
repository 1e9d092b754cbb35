//! The signal to end: what was begun is finished.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::client::{answer, connect, request};
use super::started::{Started, TABLE, limited};

#[test]
fn under_load_no_request_that_was_begun_is_lost_at_the_end() {
    let service = Started::new(limited(|limits| limits.linger = Duration::from_millis(300)));
    let bytes = request("POST", "/v1/models/m/score", &[("content-type", "text/csv")], TABLE);
    let (address, answered, lost) = (service.address, AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                // A connection for each request: until none is accepted any more.
                while let Ok(mut stream) = std::net::TcpStream::connect(address) {
                    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
                    if stream.write_all(&bytes).is_err() {
                        break;
                    }
                    match answer(&mut stream) {
                        Some(answer) => {
                            assert!(matches!(answer.status, 200 | 503), "{}", answer.text());
                            answered.fetch_add(1, Ordering::Relaxed);
                        }
                        // Connected while the listener closed: the service never had it.
                        None => {
                            lost.fetch_add(1, Ordering::Relaxed);
                            break;
                        }
                    }
                }
            });
        }
        thread::sleep(Duration::from_millis(300));
        service.wait().unwrap();
    });
    let (answered, lost) = (answered.into_inner(), lost.into_inner());
    assert!(answered > 8, "{answered} answers");
    assert!(lost <= 8, "{lost} connections were closed without an answer");
}

#[test]
fn after_the_signal_readiness_fails_and_a_request_that_has_begun_is_answered() {
    let service = Started::new(limited(|limits| limits.linger = Duration::from_secs(2)));
    let bytes = request("POST", "/v1/models/m/score", &[("content-type", "text/csv")], TABLE);
    let mut begun = connect(service.address);
    begun.write_all(&bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(service.get("/readyz").status, 200);
    service.signal();
    let started = Instant::now();
    while service.get("/readyz").status == 200 {
        assert!(started.elapsed() < Duration::from_secs(2), "readiness does not fail");
        thread::sleep(Duration::from_millis(20));
    }
    let answered = service.get("/livez");
    assert!(answered.head.contains("connection: close"), "{}", answered.head);
    let last = thread::spawn(move || {
        thread::sleep(Duration::from_millis(2500));
        begun.write_all(&bytes[bytes.len() - 1..]).unwrap();
        answer(&mut begun).expect("an answer").status
    });
    service.wait().unwrap();
    assert_eq!(last.join().unwrap(), 200);
}

#[test]
fn what_is_not_done_in_time_is_dropped_and_the_service_ends() {
    let service = Started::new(limited(|limits| {
        limits.drain = Duration::from_millis(200);
        limits.idle = Duration::from_secs(60);
    }));
    let bytes = request("POST", "/v1/models/m/score", &[("content-type", "text/csv")], TABLE);
    let mut begun = connect(service.address);
    begun.write_all(&bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(service.get("/livez").status, 200);
    let started = Instant::now();
    service.wait().unwrap();
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}
