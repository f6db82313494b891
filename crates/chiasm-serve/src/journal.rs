//! One line a request: what was asked, how it ended, how long it took. What people write is not
//! written down unless the owner of the server asks for it.

use crate::page::COMMON_HEADERS;
use crate::problem::ProblemCode;
use crate::service::Service;
use axum::body::Body;
use axum::extract::{MatchedPath, State};
use axum::http::Request;
use axum::middleware::Next;
use axum::response::Response;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Instant;

/// Lines on their way to whoever writes them down, on a thread of its own: a log that is full, gone or slow fails no
/// request and holds none up. Lines that do not fit are left out, and their number is told.
pub struct Journal {
    lines: SyncSender<String>,
    lost: AtomicUsize,
}

/// Lines that wait, at most.
const WAITING: usize = 1024;

impl Journal {
    /// Begins; the thread ends when the journal is dropped.
    pub fn new(write: impl Fn(&str) + Send + 'static) -> std::io::Result<Self> {
        let (lines, written) = sync_channel::<String>(WAITING);
        let work = move || {
            for line in written {
                // Whatever the writer does, it is not the request's affair.
                let _ = catch_unwind(AssertUnwindSafe(|| write(&line)));
            }
        };
        std::thread::Builder::new()
            .name("journal".into())
            .spawn(work)?;
        Ok(Journal {
            lines,
            lost: AtomicUsize::new(0),
        })
    }

    /// Writes a line, or does not.
    pub fn write(&self, mut line: String) {
        let lost = self.lost.load(Ordering::Relaxed);
        if lost > 0 {
            line += &format!(" ({lost} lines before it were lost)");
        }
        match self.lines.try_send(line) {
            Ok(()) => self.lost.fetch_sub(lost, Ordering::Relaxed),
            Err(_) => self.lost.fetch_add(1, Ordering::Relaxed),
        };
    }
}

/// Left in a response by whoever translated.
#[derive(Clone)]
pub struct Translated {
    /// Sentences.
    pub sentences: usize,
    /// The text, if it may be written down.
    pub text: Option<String>,
}

/// Answers, with the headers that every answer has, and writes the line.
pub async fn record(
    State(service): State<Arc<Service>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    // A path that is not ours is the client's text.
    let path = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("(unknown path)".to_string(), |path| {
            path.as_str().to_string()
        });
    let mut response = next.run(request).await;
    response.headers_mut().extend(COMMON_HEADERS);
    let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
    let status = response.status().as_u16();
    let mut line = format!("{method} {path} {status} {milliseconds:.1} ms");
    if let Some(translated) = response.extensions().get::<Translated>() {
        line += &format!(", {} sentences", translated.sentences);
        if let Some(text) = &translated.text {
            // Quoted, so that no text can look like another line.
            line += &format!(", {text:?}");
        }
    }
    if let Some(ProblemCode(code)) = response.extensions().get::<ProblemCode>() {
        line += &format!(", {code}");
    }
    service.journal.write(line);
    response
}
