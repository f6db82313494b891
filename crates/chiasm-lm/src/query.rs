//! Scoring text line by line.

use crate::{Model, State, UNKNOWN};

/// Scores of a sentence, or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Lines.
    pub sentences: u64,
    /// Words; the ends of sentences are not among them.
    pub words: u64,
    /// Words that the model does not know.
    pub unknown: u64,
    /// Log10 of the probability of everything, ends of sentences included.
    pub log10: f64,
    /// The part of it that is due to unknown words.
    pub unknown_log10: f64,
}

impl Score {
    /// Adds another.
    pub fn add(&mut self, other: &Score) {
        self.sentences += other.sentences;
        self.words += other.words;
        self.unknown += other.unknown;
        self.log10 += other.log10;
        self.unknown_log10 += other.unknown_log10;
    }

    /// Perplexity a word, ends of sentences counted as words.
    pub fn perplexity(&self) -> f64 {
        perplexity(self.log10, self.words + self.sentences)
    }

    /// Perplexity of the known words and the ends of sentences.
    pub fn perplexity_without_unknown(&self) -> f64 {
        let known = self.words - self.unknown + self.sentences;
        perplexity(self.log10 - self.unknown_log10, known)
    }
}

fn perplexity(log10: f64, count: u64) -> f64 {
    if count == 0 {
        return f64::NAN;
    }
    10f64.powf(-log10 / count as f64)
}

impl Model {
    /// Scores a line of words between spaces or tabs. The words `<s>`, `</s>` and `<unk>` count
    /// as unknown: in a text they are not what they are in a model.
    pub fn score_line(&self, line: &str) -> Score {
        let mut score = Score {
            sentences: 1,
            ..Score::default()
        };
        let (mut state, mut next) = (self.begin_sentence_state(), State::empty());
        let separated = line.as_bytes().split(|&byte| byte == b' ' || byte == b'\t');
        for word in separated.filter(|word| !word.is_empty()) {
            let id = self.text_id(word);
            let log10 = f64::from(self.score(&state, id, &mut next));
            std::mem::swap(&mut state, &mut next);
            score.words += 1;
            score.log10 += log10;
            if id == UNKNOWN {
                score.unknown += 1;
                score.unknown_log10 += log10;
            }
        }
        score.log10 += f64::from(self.score(&state, self.end_of_sentence(), &mut next));
        score
    }

    /// The number of a word of a text.
    #[inline]
    fn text_id(&self, word: &[u8]) -> u32 {
        let id = self.id_of_bytes(word);
        if id == self.begin_of_sentence() || id == self.end_of_sentence() {
            return UNKNOWN;
        }
        id
    }
}
