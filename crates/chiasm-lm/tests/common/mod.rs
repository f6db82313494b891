//! What several tests need.
#![allow(dead_code)]

use chiasm_lm::arpa::NgramList;
use chiasm_lm::{Model, State, UNKNOWN};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// Total log10 and unknown words of a line of text.
pub fn score_line(model: &Model, line: &str) -> (f64, usize) {
    let (mut state, mut next) = (model.begin_sentence_state(), State::default());
    let (mut total, mut unknown) = (0.0, 0);
    for word in chiasm_text::tokens(line) {
        let id = model.vocabulary_id(word);
        unknown += usize::from(id == UNKNOWN);
        total += f64::from(model.score(&state, id, &mut next));
        state = next;
    }
    total += f64::from(model.score(&state, model.end_of_sentence(), &mut next));
    (total, unknown)
}

/// The definition of a back-off model, word by word, with nothing clever.
pub struct Slow {
    entries: HashMap<Vec<u32>, (f32, f32)>,
    order: usize,
}

impl Slow {
    pub fn new(list: &NgramList) -> Self {
        let mut entries = HashMap::new();
        for (index, orders) in list.orders.iter().enumerate() {
            for (at, words) in orders.words.chunks_exact(index + 1).enumerate() {
                let value = (orders.probabilities[at], orders.backoffs[at]);
                entries.insert(words.to_vec(), value);
            }
        }
        let order = list.orders.len();
        Slow { entries, order }
    }

    /// log10 p(word | context), the context in reading order.
    pub fn score(&self, context: &[u32], word: u32) -> f64 {
        let context = &context[context.len().saturating_sub(self.order - 1)..];
        let mut ngram = context.to_vec();
        ngram.push(word);
        if let Some(&(probability, _)) = self.entries.get(&ngram) {
            return f64::from(probability);
        }
        let backoff = self.entries.get(context).map_or(0.0, |value| value.1);
        f64::from(backoff) + self.score(&context[1..], word)
    }
}
