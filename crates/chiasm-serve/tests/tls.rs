//! The same answers, encrypted. Certificate and key in `data` are made for this test alone:
//!
//! `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out certificate.pem -days 36500
//! -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE`

use chiasm_serve::{Server, Settings, Stop, Systems};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn systems() -> Systems {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chiasm-decode/tests/golden/0.1.0");
    let mut systems = Systems::default();
    systems.open(golden.join("tokenised.chiasm")).unwrap();
    systems
}

fn settings(key: &str) -> Settings {
    Settings {
        threads: 1,
        certificate: Some((here("certificate.pem"), here(key))),
        patience: Duration::from_secs(5),
        ..Settings::default()
    }
}

fn client() -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(here("certificate.pem")).unwrap())
        .unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
}

#[test]
fn answers_are_encrypted_and_nothing_else_is_understood() {
    let server = Server::bind("127.0.0.1:0", systems(), settings("key.pem")).unwrap();
    let address = server.address();
    assert_eq!(server.url(), format!("https://{address}/"));
    let stop = Stop::new();
    let signal = stop.clone();
    let running = std::thread::spawn(move || server.run(signal, |_| ()));
    let connection = ClientConnection::new(client(), "localhost".try_into().unwrap()).unwrap();
    let mut stream = StreamOwned::new(connection, TcpStream::connect(address).unwrap());
    let body = r#"{"text":"kare wa yomu ."}"#;
    let request = format!(
        "POST /v1/translate HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.contains("\"translation\""), "{answer}");
    // Plain HTTP gets no HTTP back.
    let mut plain = TcpStream::connect(address).unwrap();
    plain.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"));
    stop.stop();
    running.join().unwrap().unwrap();
}

#[test]
fn a_key_that_is_none_is_named() {
    let error = Server::bind("127.0.0.1:0", systems(), settings("certificate.pem")).err();
    let message = error.unwrap().to_string();
    assert!(message.contains("certificate.pem: "), "{message}");
    let error = Server::bind("127.0.0.1:0", systems(), settings("nowhere.pem")).err();
    let message = error.unwrap().to_string();
    assert!(message.contains("nowhere.pem: "), "{message}");
}

#[test]
fn whoever_lets_others_in_must_say_so() {
    let open = Settings::default();
    let refused = Server::bind("0.0.0.0:0", systems(), open.clone())
        .err()
        .unwrap();
    assert!(refused.to_string().contains("--token"), "{refused}");
    let empty = Settings {
        token: Some(String::new()),
        ..open.clone()
    };
    assert!(Server::bind("127.0.0.1:0", systems(), empty).is_err());
    let meant = Settings {
        insecure: true,
        ..open.clone()
    };
    assert!(Server::bind("0.0.0.0:0", systems(), meant).is_ok());
    let guarded = Settings {
        token: Some("word".into()),
        ..open
    };
    assert!(Server::bind("0.0.0.0:0", systems(), guarded).is_ok());
}
