//! The limits that keep one client from taking everything.

use chiasm_text::{Lines, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How much is answered, how fast, and to how many.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Threads that translate.
    pub threads: usize,
    /// The largest request, in bytes.
    pub body_bytes: usize,
    /// Sentences in a request.
    pub sentences: usize,
    /// Words in a sentence.
    pub words: usize,
    /// Translations in the n-best lists of a request, all sentences together.
    pub translations: usize,
    /// How long the translation of a request may take, waiting included.
    pub time: Duration,
    /// Requests that are translated or wait for it; more are told to come back.
    pub requests: usize,
    /// Open connections.
    pub connections: usize,
    /// The largest answer, in bytes; also what one client may leave unread in all.
    pub answer_bytes: usize,
    /// What one client gets of connections and requests, one in so many of them.
    pub client_part: usize,
    /// What has to be shown, if anything has to be.
    pub token: Option<String>,
    /// Let others in without a token.
    pub insecure: bool,
    /// Names that the server goes by, beside its addresses and `localhost`.
    pub allowed_hosts: Vec<String>,
    /// Certificate and key, for connections that are encrypted.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// How long a client may take to read an answer, or some of it; to send a request's head, and again its body; also how long an
    /// idle connection is kept.
    pub patience: Duration,
    /// How long a connection is kept at most.
    pub connection_age: Duration,
    /// How long a request may still take once the server is told to stop.
    pub grace: Duration,
    /// Write the text of requests into the journal too.
    pub log_text: bool,
    /// The folder of what users teach; without it the server learns nothing.
    pub memories: Option<PathBuf>,
    /// Sentences that the page offers to begin with.
    pub examples: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            body_bytes: 256 * 1024,
            sentences: 128,
            words: 400,
            translations: 1000,
            time: Duration::from_secs(30),
            requests: 256,
            connections: 512,
            answer_bytes: 8 * 1024 * 1024,
            client_part: 2,
            token: None,
            insecure: false,
            allowed_hosts: Vec::new(),
            certificate: None,
            patience: Duration::from_secs(10),
            connection_age: Duration::from_secs(600),
            grace: Duration::from_secs(5),
            log_text: false,
            memories: None,
            examples: Vec::new(),
        }
    }
}

/// The page offers a handful of sentences.
const MOST_EXAMPLES: usize = 12;

/// Sentences that the page offers to begin with: the first lines of a file that are not empty.
pub fn read_examples(path: &Path) -> Result<Vec<String>> {
    let mut lines = Lines::open(path)?;
    let mut examples = Vec::new();
    while examples.len() < MOST_EXAMPLES
        && let Some(line) = lines.next_line()?
    {
        if !line.trim().is_empty() {
            examples.push(line.to_string());
        }
    }
    Ok(examples)
}

/// A token as it was typed, or the first line of the file behind an `@`, so that it stands in no list of processes.
pub fn read_token(typed: &str) -> Result<String> {
    let Some(path) = typed.strip_prefix('@') else {
        return Ok(typed.to_string());
    };
    let mut lines = Lines::open(path)?;
    match lines.next_line()?.map(str::trim) {
        Some(token) if !token.is_empty() => Ok(token.to_string()),
        _ => Err(lines.error("a token expected")),
    }
}
