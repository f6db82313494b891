//! A small HTTP client that can also misbehave.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// One connection.
pub struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        Client {
            stream: BufReader::new(stream),
        }
    }

    /// From an address of our own choice.
    #[cfg(target_os = "linux")]
    pub fn connect_from(own: &str, address: SocketAddr) -> socket2::Socket {
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None);
        let socket = socket.unwrap();
        let own: std::net::IpAddr = own.parse().unwrap();
        socket.bind(&SocketAddr::new(own, 0).into()).unwrap();
        socket.connect(&address.into()).unwrap();
        socket
    }

    pub fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    pub fn write_timeout(&self, time: Duration) {
        self.stream.get_ref().set_write_timeout(Some(time)).unwrap();
    }

    /// Reads an answer; an error if the server hung up.
    pub fn read(&mut self) -> std::io::Result<Answer> {
        let mut line = String::new();
        let mut next = |line: &mut String| -> std::io::Result<()> {
            line.clear();
            match self.stream.read_line(line)? {
                0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
                _ => Ok(()),
            }
        };
        next(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status: {line}"));
        let mut headers = Vec::new();
        loop {
            next(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.trim().to_string()));
        }
        let mut answer = Answer {
            status,
            headers,
            body: String::new(),
        };
        let length = answer
            .header("content-length")
            .map_or(0, |value| value.parse().unwrap());
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        answer.body = String::from_utf8(body).unwrap();
        Ok(answer)
    }

    pub fn request(&mut self, method: &str, path: &str, kind: &str, body: &[u8]) -> Answer {
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n"
        );
        let whole = [head.as_bytes(), body].concat();
        self.write(&whole).unwrap();
        self.read().unwrap()
    }

    pub fn post(&mut self, path: &str, body: &Value) -> Answer {
        self.request(
            "POST",
            path,
            "application/json",
            body.to_string().as_bytes(),
        )
    }
}

/// Asks on a connection of its own.
pub fn get(address: SocketAddr, path: &str) -> Answer {
    Client::connect(address).request("GET", path, "text/plain", b"")
}

/// Asks on a connection of its own.
pub fn post(address: SocketAddr, path: &str, body: &Value) -> Answer {
    Client::connect(address).post(path, body)
}
