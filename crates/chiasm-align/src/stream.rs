//! Sentence pairs as they arrive.
//!
//! A thread of its own reads some pairs ahead, so that who waits for the links of one pair need not wait for a batch of them,
//! and many are still aligned together where many are there.

use crate::pairs::{Pairs, Skipped};
use crate::{Error, Result};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Pairs that are aligned together if they are there already.
const ROWS: usize = 512;

/// Pairs on their way.
pub(crate) struct PairStream {
    messages: Receiver<Message>,
    /// What ends the stream once the pairs before it are out.
    failure: Option<Error>,
    skipped: Option<Skipped>,
}

enum Message {
    Pair(String, String),
    Failed(Error),
    End(Skipped),
}

impl PairStream {
    /// Begins to read.
    pub fn begin(pairs: Pairs) -> Self {
        let (sender, messages) = sync_channel(2 * ROWS);
        std::thread::spawn(move || {
            let end = match send_all(pairs, &sender) {
                Ok(skipped) => Message::End(skipped),
                Err(error) => Message::Failed(error),
            };
            // If nobody listens any more, the work has failed elsewhere.
            let _ = sender.send(end);
        });
        PairStream {
            messages,
            failure: None,
            skipped: None,
        }
    }

    /// Waits for a pair, and takes the others that are there; `false` at the end.
    pub fn fill(&mut self, lines: &mut Vec<(String, String)>) -> Result<bool> {
        lines.clear();
        let mut message = match (&self.skipped, &self.failure) {
            (None, None) => self.messages.recv().ok(),
            _ => None,
        };
        while let Some(received) = message.take() {
            match received {
                Message::Pair(source, target) => lines.push((source, target)),
                Message::Failed(error) => self.failure = Some(error),
                Message::End(found) => self.skipped = Some(found),
            }
            if lines.len() < ROWS {
                message = self.messages.try_recv().ok();
            }
        }
        match self.failure.take_if(|_| lines.is_empty()) {
            Some(error) => Err(error),
            None => Ok(!lines.is_empty()),
        }
    }

    /// At the end: the pairs without links.
    pub fn skipped(self) -> Skipped {
        self.skipped.unwrap_or_default()
    }
}

fn send_all(mut pairs: Pairs, sender: &SyncSender<Message>) -> Result<Skipped> {
    loop {
        let (mut source, mut target) = (String::new(), String::new());
        if !pairs.next(&mut source, &mut target)? {
            return pairs.finish();
        }
        if sender.send(Message::Pair(source, target)).is_err() {
            return Ok(Skipped::default());
        }
    }
}
