//! Who may ask, what one may leave behind, and systems whose files change under the server.

use crate::client::{Answer, Client, get, post};
use crate::fixture::{Served, fixture};
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn ask(address: SocketAddr, path: &str, headers: &str, body: &Value) -> Answer {
    let mut client = Client::connect(address);
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
        body.len()
    );
    client
        .write(format!("{head}{headers}\r\n{body}").as_bytes())
        .unwrap();
    client.read().unwrap()
}

fn sentence() -> Value {
    json!({ "text": fixture().japanese_text[0] })
}

#[test]
fn pages_from_elsewhere_may_not_ask() {
    let served = Served::start(&[&fixture().table], &["--allow-host", "mt.example.org"]);
    let address = served.address;
    let status = |headers: &str| ask(address, "/v1/translate", headers, &sentence()).status;
    let own = format!("host: {address}\r\norigin: http://{address}\r\n");
    for headers in [
        "host: localhost\r\n",
        "host: LOCALHOST:8080\r\n",
        "host: 127.0.0.1:1\r\n",
        "host: [::1]\r\n",
        "host: mt.example.org\r\n",
        "host: mt.example.org\r\norigin: https://mt.example.org\r\n",
        own.as_str(),
        "",
    ] {
        assert_eq!(status(headers), 200, "{headers}");
    }
    for headers in [
        // A name that somebody's name server gives to 127.0.0.1.
        "host: evil.example\r\n",
        "host: localhost.evil.example\r\n",
        "host: localhost\r\norigin: http://evil.example\r\n",
        "host: localhost\r\norigin: null\r\n",
        "host: localhost:1\r\norigin: http://localhost:2\r\n",
        "host: localhost\r\nsec-fetch-site: cross-site\r\nsec-fetch-mode: no-cors\r\n",
    ] {
        assert_eq!(status(headers), 403, "{headers}");
    }
    let mut form = Client::connect(address);
    let body = "q=hon&source=auto&target=en";
    let head = format!(
        "POST /translate HTTP/1.1\r\nhost: localhost\r\norigin: http://evil.example\r\n\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    form.write(head.as_bytes()).unwrap();
    assert_eq!(form.read().unwrap().json()["code"], "origin");
}

#[test]
fn by_default_a_foreign_name_or_page_is_refused() {
    let served = Served::start(&[&fixture().table], &[]);
    let mut complaints = Vec::new();
    for headers in [
        "host: evil.example\r\n",
        "host: localhost\r\norigin: http://evil.example\r\n",
    ] {
        let status = ask(served.address, "/v1/translate", headers, &sentence()).status;
        if status != 403 {
            complaints.push(format!("{headers:?}: {status}"));
        }
    }
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// A client at another address of this machine: all of 127.0.0.0/8 is its own on Linux.
#[cfg(target_os = "linux")]
#[test]
fn one_client_does_not_have_all_connections() {
    let served = Served::start(&[&fixture().table], &["--max-connections", "8"]);
    let idle: Vec<_> = (0..8)
        .map(|_| Client::connect_from("127.0.0.2", served.address))
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(
        post(served.address, "/v1/translate", &sentence()).status,
        200
    );
    drop(idle);
}

#[test]
fn a_certificate_that_is_not_there_is_named() {
    let refused = Command::new(crate::common::binary())
        .args(["serve", "--certificate", "no.pem", "--key", "no.key", "-s"])
        .arg(&fixture().table)
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{message}");
    assert!(message.contains("no.pem"), "{message}");
}

#[test]
fn a_damaged_system_is_not_served() {
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join("damaged.chiasm");
    let bytes = std::fs::read(&fixture().table).unwrap();
    let all = |system: &Path| -> Option<Vec<(u16, String)>> {
        let mut command = Command::new(crate::common::binary());
        command.args(["serve", "--listen", "127.0.0.1:0", "-s"]);
        command.arg(system);
        let served = Served::try_spawn(command)?;
        let texts = &fixture().japanese_text[..10];
        let answers = texts.iter().map(|text| {
            post(
                served.address,
                "/translate",
                &json!({ "q": text, "source": "auto", "target": "en" }),
            )
        });
        Some(answers.map(|answer| (answer.status, answer.body)).collect())
    };
    let good = all(&fixture().table).unwrap();
    assert!(good.iter().all(|answer| answer.0 == 200), "{good:?}");
    let mut complaints = Vec::new();
    for place in 1..8 {
        let mut bytes = bytes.clone();
        let start = bytes.len() / 8 * place;
        let end = start + bytes.len() / 12;
        bytes[start..end].fill(0);
        std::fs::write(&damaged, bytes).unwrap();
        // It may not even start.
        for (found, good) in all(&damaged).unwrap_or_default().iter().zip(&good) {
            if found.0 != 500 {
                let same = found == good;
                complaints.push(format!("page at {start}: {}, same: {same}", found.0));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn the_token_opens_everything_and_nothing_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "open sesame\n").unwrap();
    let typed = format!("@{}", file.display());
    let served = Served::start(&[&fixture().table], &["--token", &typed]);
    let address = served.address;
    let shown = "host: localhost\r\nauthorization: Bearer open sesame\r\n";
    for path in ["/v1/translate", "/v1/explain"] {
        let mut body = sentence();
        if path == "/v1/explain" {
            body["source"] = json!([0, 1]);
            body["target"] = json!("x");
        }
        for headers in [
            "host: localhost\r\n",
            "host: localhost\r\nauthorization: Bearer open\r\n",
        ] {
            let answer = ask(address, path, headers, &body);
            assert_eq!(
                (answer.status, answer.header("www-authenticate")),
                (401, Some("Bearer"))
            );
            assert_eq!(answer.json()["code"], "token");
        }
        assert_eq!(ask(address, path, shown, &body).status, 200);
    }
    assert_eq!(get(address, "/v1/systems").status, 401);
    assert_eq!(get(address, "/languages").status, 401);
    // The page holds nothing; it asks for the token itself.
    for path in ["/", "/page/main.js", "/healthz"] {
        assert_eq!(get(address, path).status, 200);
    }
    let libre =
        |key: Value| json!({ "q": "hon", "source": "auto", "target": "en", "api_key": key });
    let plain = "host: localhost\r\n";
    assert_eq!(
        ask(address, "/translate", plain, &libre(json!("no"))).status,
        401
    );
    assert_eq!(
        ask(address, "/translate", plain, &libre(Value::Null)).status,
        401
    );
    assert_eq!(
        ask(address, "/translate", plain, &libre(json!("open sesame"))).status,
        200
    );
}

#[test]
fn others_are_let_in_only_on_purpose_and_see_no_training_text() {
    // One that starts is ended.
    let refused = Command::new("timeout")
        .arg("20")
        .arg(crate::common::binary())
        .args(["serve", "--listen", "0.0.0.0:0", "-s"])
        .arg(&fixture().table)
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        message.contains("--token") && message.contains("--insecure"),
        "{message}"
    );
    // The address that this machine has for others, if it has one.
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    if socket.connect("192.0.2.1:9").is_err() || socket.local_addr().unwrap().ip().is_loopback() {
        eprintln!("skipped: this machine has no address but its own");
        return;
    }
    let ip = socket.local_addr().unwrap().ip();
    let mut command = Command::new(crate::common::binary());
    command.args([
        "serve",
        "--insecure",
        "--threads",
        "1",
        "--listen",
        &format!("{ip}:0"),
        "-s",
    ]);
    command.arg(&fixture().learned);
    let served = Served::spawn(command);
    let mut body = sentence();
    assert_eq!(post(served.address, "/v1/translate", &body).status, 200);
    body["source"] = json!([0, 1]);
    let answer = post(served.address, "/v1/explain", &body);
    assert_eq!(
        (answer.status, answer.json()["code"].as_str()),
        (403, Some("private"))
    );
}

#[test]
fn a_log_that_cannot_be_written_fails_no_request() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    for gone in [false, true] {
        let mut command = Command::new(crate::common::binary());
        command.args(["serve", "--listen", "127.0.0.1:0", "--threads", "1", "-s"]);
        command.arg(&fixture().table).stdout(Stdio::piped());
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut child = match gone {
            false => command.stderr(full).spawn().unwrap(),
            true => command.stderr(Stdio::piped()).spawn().unwrap(),
        };
        drop(child.stderr.take());
        let mut line = String::new();
        let mut said = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut said, &mut line).unwrap();
        let address: SocketAddr = line
            .trim()
            .trim_start_matches("http://")
            .trim_end_matches('/')
            .parse()
            .unwrap();
        for _ in 0..5 {
            assert_eq!(post(address, "/v1/translate", &sentence()).status, 200);
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[cfg(unix)]
#[test]
fn a_system_cut_off_under_the_server_answers_500_and_its_successor_answers() {
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.chiasm");
    std::fs::copy(&fixture().table, &cut).unwrap();
    let served = Served::start(&[&cut, &fixture().learned], &[]);
    let address = served.address;
    let status = |system: &str, text: &str| {
        let body = json!({ "text": text, "system": system });
        post(address, "/v1/translate", &body).status
    };
    let texts = &fixture().japanese_text;
    assert_eq!(status("cut", &texts[0]), 200);
    std::fs::File::options()
        .write(true)
        .open(&cut)
        .unwrap()
        .set_len(5000)
        .unwrap();
    // Other sentences, whose phrases no cache remembers.
    let answers: Vec<u16> = texts[1..20]
        .iter()
        .map(|text| status("cut", text))
        .collect();
    assert!(answers.contains(&500), "{answers:?}");
    eventually("it answers no more", || status("cut", &texts[0]) == 500);
    assert_eq!(status("learned", &texts[1]), 200);
    let whole = folder.path().join("whole");
    std::fs::copy(&fixture().table, &whole).unwrap();
    std::fs::rename(&whole, &cut).unwrap();
    eventually("the new file answers", || status("cut", &texts[0]) == 200);
}

#[cfg(unix)]
#[test]
fn a_file_that_changes_by_rename_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.chiasm");
    std::fs::copy(&fixture().table, &cut).unwrap();
    let served = Served::start(&[&cut], &[]);
    let models = || get(served.address, "/v1/systems").body;
    let before = models();
    let texts = &fixture().japanese_text;
    let status = |text: &str| {
        let body = json!({ "text": text });
        post(served.address, "/v1/translate", &body).status
    };
    let other = folder.path().join("other");
    std::fs::copy(&fixture().learned, &other).unwrap();
    std::fs::rename(&other, &cut).unwrap();
    eventually("the new file is served", || models() != before);
    let broken = folder.path().join("broken");
    std::fs::write(&broken, b"not a system").unwrap();
    std::fs::rename(&broken, &cut).unwrap();
    // SIGHUP ends nothing, and what cannot be opened replaces nothing.
    served.signal("-HUP");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(status(&texts[2]), 200);
    served.terminate();
    let (good, log) = served.wait();
    assert!(good, "{log}");
    assert!(log.contains("cut: opened again"), "{log}");
    assert!(log.contains("goes on answering"), "{log}");
}

#[test]
fn answers_have_a_size() {
    let served = Served::start(&[&fixture().table], &["--max-answer-bytes", "60000"]);
    let address = served.address;
    let many: Vec<&String> = fixture().japanese_text.iter().take(100).collect();
    let large = json!({ "text": many, "nbest": 10 });
    let answer = post(address, "/v1/translate", &large);
    assert_eq!(
        (answer.status, answer.json()["code"].as_str()),
        (413, Some("too_long"))
    );
    assert_eq!(post(address, "/v1/translate", &sentence()).status, 200);
}

#[test]
fn readers_must_read() {
    let many: Vec<&String> = fixture().japanese_text.iter().take(100).collect();
    // Who asks and never reads is hung up on, so that the server can end.
    let served = Served::start(&[&fixture().table], &["--patience", "1"]);
    let mut greedy = Client::connect(served.address);
    let body = json!({ "text": many, "nbest": 10 }).to_string();
    let request = format!(
        "POST /v1/translate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let start = Instant::now();
    greedy.write_timeout(Duration::from_secs(1));
    loop {
        assert!(start.elapsed() < Duration::from_secs(40), "it still waits");
        match greedy.write(request.as_bytes()) {
            // Nothing more goes in as long as nothing comes out.
            Err(error) if !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                break;
            }
            _ => {}
        }
    }
    assert_eq!(
        post(served.address, "/v1/translate", &sentence()).status,
        200
    );
}
