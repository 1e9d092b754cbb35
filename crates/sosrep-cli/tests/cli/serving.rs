//! `sosrep serve`: what it refuses to serve, and how it begins and ends.

use super::sosrep::Folder;
use super::tables;

#[test]
fn what_cannot_be_served_is_told() {
    let folder = Folder::with(&tables::plain());
    folder.write("short", "secret\n");
    let said = |words: &str| folder.refuse(words);
    assert!(said("serve data.csv").starts_with("data.csv: "), "{}", said("serve data.csv"));
    assert!(said("serve missing.sosrep").contains("missing.sosrep"));
    let open = said("serve --address 0.0.0.0");
    assert!(open.contains("there is no token; give one with --token-file"), "{open}");
    assert!(said("serve --token-file short").contains("at least 16"));
    assert!(said("serve --token-file missing").contains("cannot read missing"));
}

#[cfg(unix)]
#[test]
fn a_service_answers_until_the_signal_and_ends_well() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::process::{Command, Stdio};

    let folder = Folder::with(&tables::plain());
    folder.succeed("fit data.csv --quiet --model m.sosrep");
    let mut service = folder.command("serve m.sosrep").stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(service.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "models  m");
    let address = lines.next().unwrap();
    let address = address.strip_prefix("open    http://").unwrap().trim_end_matches('/');
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    Command::new("kill").arg(service.id().to_string()).status().unwrap();
    assert_eq!(service.wait().unwrap().code(), Some(0));
}
