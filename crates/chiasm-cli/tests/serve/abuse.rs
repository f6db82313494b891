//! Clients that are slow, greedy or mean harm, and many at once: others must not notice.

use crate::client::{Answer, Client, get, post};
use crate::fixture::{Served, fixture};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn still_answers(address: SocketAddr) {
    let answer = post(
        address,
        "/v1/translate",
        &json!({ "text": fixture().japanese_text[0] }),
    );
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(get(address, "/healthz").json()["status"], "ok");
}

#[test]
fn a_client_of_one_byte_a_second_is_cut_off_and_holds_up_nobody() {
    let served = Served::start(&[&fixture().learned], &["--patience", "2"]);
    let address = served.address;
    let head = "POST /v1/translate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n";
    // Some are slow with the head, some with the body, some say nothing at all.
    let drip = |first: &'static str, rest: &'static str| {
        std::thread::spawn(move || -> Option<Answer> {
            let mut client = Client::connect(address);
            client.write(first.as_bytes()).ok()?;
            for byte in rest.bytes() {
                std::thread::sleep(Duration::from_secs(1));
                if client.write(&[byte]).is_err() {
                    break;
                }
            }
            client.read().ok()
        })
    };
    let slow: Vec<_> = (0..20)
        .flat_map(|_| {
            [
                drip("", "POST /v1"),
                drip(head, "{\"text\":\""),
                drip("", ""),
            ]
        })
        .collect();
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(4) {
        still_answers(address);
        std::thread::sleep(Duration::from_millis(100));
    }
    for client in slow {
        // Hung up on, or told that it was too slow; never served.
        let answer = client.join().unwrap();
        assert!(answer.is_none_or(|answer| answer.status == 408));
    }
    still_answers(address);
}

#[test]
fn too_many_connections_are_told_so() {
    let served = Served::start(
        &[&fixture().learned],
        &["--max-connections", "8", "--patience", "2"],
    );
    let idle: Vec<Client> = (0..8).map(|_| Client::connect(served.address)).collect();
    std::thread::sleep(Duration::from_millis(200));
    let mut one_more = Client::connect(served.address);
    let answer = one_more.read().unwrap();
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (503, Some("1"))
    );
    assert_eq!(answer.json()["code"], "busy");
    // Who says nothing loses the place.
    let start = Instant::now();
    loop {
        let mut client = Client::connect(served.address);
        client
            .write(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
            .unwrap();
        if client.read().is_ok_and(|answer| answer.status == 200) {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(100));
    }
    drop(idle);
}

#[test]
fn a_gigabyte_is_not_read() {
    let served = Served::start(&[&fixture().learned], &[]);
    // Announced: refused at once.
    let mut client = Client::connect(served.address);
    let head = |length: &str| {
        format!(
            "POST /translate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{length}\r\n\r\n"
        )
    };
    client
        .write(head("content-length: 1073741824").as_bytes())
        .unwrap();
    assert_eq!(client.read().unwrap().status, 413);
    // In pieces of unknown number: cut off at the limit.
    let mut client = Client::connect(served.address);
    client
        .write(head("transfer-encoding: chunked").as_bytes())
        .unwrap();
    let piece = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let mut sent: u64 = 0;
    while sent < 1 << 30 && client.write(piece.as_bytes()).is_ok() {
        sent += 0x10000;
    }
    assert!(sent < 64 << 20, "{sent} bytes were taken");
    still_answers(served.address);
}

#[test]
fn nonsense_is_refused() {
    let served = Served::start(&[&fixture().learned], &[]);
    let deep = format!(
        "{{\"text\":{}1{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let unknown = format!(
        "{{\"q\":\"a\",\"target\":\"en\",\"x\":{}}}",
        "{\"a\":".repeat(40_000)
    );
    let json_kind = "application/json";
    for (path, kind, body, status) in [
        ("/v1/translate", json_kind, deep.as_bytes(), 400),
        ("/translate", json_kind, unknown.as_bytes(), 400),
        ("/v1/translate", json_kind, b"{\"text\":\"\xff\xfe\"}", 400),
        ("/v1/translate", json_kind, b"{\"text\":\"\\ud800\"}", 400),
        ("/v1/translate", json_kind, b"", 400),
        ("/v1/translate", json_kind, b"\0\0\0\0", 400),
        ("/v1/translate", "text/plain", b"{\"text\":\"a\"}", 415),
        (
            "/v1/translate",
            "application/x-www-form-urlencoded",
            b"text=a",
            415,
        ),
        (
            "/translate",
            "multipart/form-data; boundary=x",
            b"--x--",
            415,
        ),
    ] {
        let answer = Client::connect(served.address).request("POST", path, kind, body);
        assert_eq!(answer.status, status, "{}", answer.body);
        assert!(answer.json()["error"].is_string());
    }
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01"[..],
        b"GET / HTTP/9.9\r\n\r\n",
        b"\r\n\r\n\r\n",
        &[0xff; 40_000],
    ] {
        let mut client = Client::connect(served.address);
        // The server may hang up while we still talk.
        let _ = client.write(bytes);
        let _ = client.write(b"\r\n\r\n");
        assert!(client.read().map_or(true, |answer| answer.status >= 400));
    }
    still_answers(served.address);
}

#[test]
fn hostile_text_is_only_text() {
    let served = Served::start(&[&fixture().learned, &fixture().arabic], &[]);
    let markup =
        "<script>alert(1)</script> <img src=x onerror=alert(1)> \u{202e} ||| \u{0} &lt; \u{2028}";
    for system in ["learned", "arabic"] {
        let answer = post(
            served.address,
            "/v1/translate",
            &json!({ "text": [markup], "system": system }),
        );
        assert_eq!(answer.status, 200, "{}", answer.body);
        // As JSON, which no browser takes for a page.
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
    for hard in [
        ".".repeat(390),
        "\"'".repeat(190),
        "（".repeat(390),
        "a-".repeat(190),
        "é".repeat(30_000),
    ] {
        let answer = post(
            served.address,
            "/v1/translate",
            &json!({ "text": [hard], "system": "arabic" }),
        );
        assert!(matches!(answer.status, 200 | 413), "{}", answer.body);
    }
    let page = get(served.address, "/");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"));
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(!page.body.contains("style=") && !page.body.contains("onclick"));
}

#[test]
fn a_busy_server_says_so_and_when_to_come_back() {
    let served = Served::start(&[&fixture().learned], &["--max-requests", "1"]);
    let address = served.address;
    let long: Vec<&String> = fixture().japanese_text.iter().take(128).collect();
    let body = json!({ "text": long, "nbest": 7 });
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let answer = post(address, "/v1/translate", &body);
                    assert!(matches!(answer.status, 200 | 503), "{}", answer.body);
                }
            });
        }
        let start = Instant::now();
        loop {
            let answer = post(address, "/translate", &json!({ "q": "a", "target": "en" }));
            // Health is answered whatever the decoding threads do.
            assert_eq!(get(address, "/healthz").status, 200);
            if answer.status == 503 {
                assert_eq!(answer.header("retry-after"), Some("1"));
                assert_eq!(answer.json()["code"], "busy");
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(30));
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn sixty_four_clients_at_once_are_all_served() {
    let served = Served::start(&[&fixture().learned, &fixture().table], &["--quiet"]);
    let address = served.address;
    let text = &fixture().japanese_text;
    let expected = post(
        address,
        "/translate",
        &json!({ "q": text[..64], "target": "en" }),
    )
    .json();
    std::thread::scope(|scope| {
        for number in 0..64 {
            let expected = &expected["translatedText"];
            scope.spawn(move || {
                let mut client = Client::connect(address);
                for round in 0..6 {
                    let index = (number + round * 11) % 64;
                    let answer =
                        client.post("/translate", &json!({ "q": text[index], "target": "en" }));
                    assert_eq!(answer.status, 200, "{}", answer.body);
                    assert_eq!(answer.json()["translatedText"], expected[index]);
                }
            });
        }
    });
}
