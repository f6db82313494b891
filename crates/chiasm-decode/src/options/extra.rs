//! Target words that the system's vocabulary does not have.

use crate::learned::Learned;
use std::sync::Arc;

/// Those that were learned, then those of one sentence, numbered from 0.
#[derive(Default)]
pub(crate) struct ExtraWords {
    learned: Arc<Vec<String>>,
    own: Vec<String>,
}

impl ExtraWords {
    /// Begins a sentence.
    pub fn begin(&mut self, learned: Option<&Learned>) {
        self.learned = learned.map(Learned::new_words).unwrap_or_default();
        self.own.clear();
    }

    pub fn get(&self, number: usize) -> Option<&str> {
        let own = || self.own.get(number.checked_sub(self.learned.len())?);
        self.learned.get(number).or_else(own).map(String::as_str)
    }

    pub fn find(&self, word: &str) -> Option<usize> {
        let mut all = self.learned.iter().chain(&self.own);
        all.position(|extra| extra == word)
    }

    /// The number of a word, which is new if nobody has asked for it before.
    pub fn intern(&mut self, word: &str) -> usize {
        self.find(word).unwrap_or_else(|| {
            self.own.push(word.to_string());
            self.learned.len() + self.own.len() - 1
        })
    }
}
