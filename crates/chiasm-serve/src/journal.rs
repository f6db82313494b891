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
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lines on their way to whoever writes them down, on a thread of its own: a log that is full, gone or slow fails no
/// request and holds none up. Lines that do not fit are left out, and their number is told.
pub struct Journal {
    lines: Option<SyncSender<String>>,
    lost: AtomicUsize,
    /// Closed when all lines are written.
    written: Mutex<Receiver<()>>,
}

/// Lines that wait, at most.
const WAITING: usize = 1024;

impl Journal {
    /// Begins; what has been said is written before the journal is dropped, if that takes no longer than a moment.
    pub fn new(write: impl Fn(&str) + Send + 'static) -> std::io::Result<Self> {
        let (lines, said) = sync_channel::<String>(WAITING);
        let (open, written) = sync_channel::<()>(0);
        let work = move || {
            let _open = open;
            for line in said {
                // Whatever the writer does, it is not the request's affair.
                let _ = catch_unwind(AssertUnwindSafe(|| write(&line)));
            }
        };
        std::thread::Builder::new()
            .name("journal".into())
            .spawn(work)?;
        Ok(Journal {
            lines: Some(lines),
            lost: AtomicUsize::new(0),
            written: Mutex::new(written),
        })
    }

    /// Writes a line, or does not.
    pub fn write(&self, mut line: String) {
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            line += &format!(" ({lost} lines before it were lost)");
        }
        let sent = self.lines.as_ref().map(|lines| lines.try_send(line));
        if !matches!(sent, Some(Ok(()))) {
            self.lost.fetch_add(lost + 1, Ordering::Relaxed);
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        drop(self.lines.take());
        let written = self
            .written
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        // An error either way: all is written, or the log is stuck.
        let _ = written.recv_timeout(Duration::from_secs(1));
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_log_that_is_stuck_or_fails_holds_nobody_up() {
        let (release, stuck) = channel::<()>();
        let (tell, told) = channel();
        let journal = Journal::new(move |line| {
            let _ = stuck.recv();
            tell.send(line.to_string()).unwrap();
            assert!(line != "line 1", "a log that fails");
        })
        .unwrap();
        let lines = WAITING + 500;
        (0..lines).for_each(|number| journal.write(format!("line {number}")));
        drop(release);
        while told.try_recv().is_err() {
            std::thread::yield_now();
        }
        std::thread::sleep(Duration::from_millis(50));
        journal.write("the last".into());
        drop(journal);
        let last = told.iter().last().unwrap();
        assert!(
            last.starts_with("the last (") && last.ends_with(" lines before it were lost)"),
            "{last}"
        );
    }
}
