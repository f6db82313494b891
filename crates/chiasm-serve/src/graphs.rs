//! Graphs of the sentences that somebody is typing the translations of: made once, asked at every keystroke.

use crate::complete::Asked;
use chiasm_decode::{Learned, WordGraph};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// So many sentences are kept.
const SENTENCES: usize = 32;

/// The words of a sentence and its graph.
pub type Made = Arc<(Vec<String>, WordGraph)>;

/// The newest graphs of one system, the last one last.
#[derive(Default)]
pub struct Graphs {
    kept: Mutex<VecDeque<Kept>>,
}

struct Kept {
    asked: Asked,
    /// What was learned when it was made; another state of it is another value.
    learned: Option<Weak<Learned>>,
    made: Made,
}

impl Kept {
    fn is_for(&self, asked: &Asked, learned: Option<&Arc<Learned>>) -> bool {
        let same = match (&self.learned, learned) {
            (None, None) => true,
            (Some(then), Some(now)) => std::ptr::eq(then.as_ptr(), Arc::as_ptr(now)),
            _ => false,
        };
        same && self.asked.is_same_sentence(asked)
    }
}

impl Graphs {
    /// The graph that is wanted, if it was made before.
    pub fn find(&self, asked: &Asked, learned: Option<&Arc<Learned>>) -> Option<Made> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|one| one.is_for(asked, learned))?;
        let found = kept.remove(place)?;
        let made = found.made.clone();
        kept.push_back(found);
        Some(made)
    }

    /// Keeps a graph; the one that nobody has asked for the longest goes.
    pub fn keep(&self, asked: &Asked, learned: Option<&Arc<Learned>>, made: &Made) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == SENTENCES {
            kept.pop_front();
        }
        kept.push_back(Kept {
            asked: asked.clone(),
            learned: learned.map(Arc::downgrade),
            made: made.clone(),
        });
    }
}
