//! Scoring text line by line.

use crate::state::MAX_CONTEXT;
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

/// Words that are looked up together.
const TOGETHER: usize = 64;

impl Model {
    /// Scores a line of words between spaces or tabs. The words `<s>`, `</s>` and `<unk>` count
    /// as unknown: in a text they are not what they are in a model.
    pub fn score_line(&self, line: &str) -> Score {
        let mut scorer = LineScorer::new(self);
        let separated = line.as_bytes().split(|&byte| byte == b' ' || byte == b'\t');
        for word in separated.filter(|word| !word.is_empty()) {
            scorer.push(self.text_id(word));
        }
        scorer.finish()
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

/// Scores a sentence in pieces: first the tables are touched for all words of a piece, so that
/// memory answers in parallel, then the words are scored.
struct LineScorer<'a> {
    model: &'a Model,
    score: Score,
    state: State,
    /// The words before the piece (the first of them `<s>`, or nothing), then the piece.
    words: [u32; MAX_CONTEXT + TOGETHER],
    length: usize,
    /// How many of the words before the piece there are.
    known: usize,
}

impl<'a> LineScorer<'a> {
    fn new(model: &'a Model) -> Self {
        let mut words = [0; MAX_CONTEXT + TOGETHER];
        words[MAX_CONTEXT - 1] = model.begin_of_sentence();
        LineScorer {
            model,
            score: Score {
                sentences: 1,
                ..Score::default()
            },
            state: model.begin_sentence_state(),
            words,
            length: 0,
            known: 1,
        }
    }

    #[inline]
    fn push(&mut self, word: u32) {
        if self.length == TOGETHER {
            self.score_piece();
        }
        self.words[MAX_CONTEXT + self.length] = word;
        self.length += 1;
    }

    fn score_piece(&mut self) {
        let all = &self.words[MAX_CONTEXT - self.known..MAX_CONTEXT + self.length];
        self.model.touch_text(all, self.known);
        let mut next = State::empty();
        for &word in &all[self.known..] {
            let log10 = f64::from(self.model.score(&self.state, word, &mut next));
            std::mem::swap(&mut self.state, &mut next);
            self.score.log10 += log10;
            if word == UNKNOWN {
                self.score.unknown += 1;
                self.score.unknown_log10 += log10;
            }
        }
        self.score.words += self.length as u64;
        self.words
            .copy_within(self.length..self.length + MAX_CONTEXT, 0);
        self.known = (self.known + self.length).min(MAX_CONTEXT);
        self.length = 0;
    }

    fn finish(mut self) -> Score {
        self.push(self.model.end_of_sentence());
        self.score_piece();
        self.score.words -= 1;
        self.score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 3-gram model over a few words.
    fn model() -> Model {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.arpa");
        let text = "\\data\\\nngram 1=5\nngram 2=2\nngram 3=1\n\n\\1-grams:\n-2\t<unk>\t0\n-99\t<s>\t-0.3\n\
            -0.7\t</s>\n-0.6\ta\t-0.2\n-0.5\tb\t-0.1\n\n\\2-grams:\n-0.4\t<s> a\t-0.05\n-0.2\ta b\t-0.1\n\n\
            \\3-grams:\n-0.1\t<s> a b\n\n\\end\\\n";
        std::fs::write(&path, text).unwrap();
        Model::open(&path).unwrap()
    }

    #[test]
    fn a_line_of_any_length_scores_as_its_words() {
        let model = model();
        for length in [0, 1, 2, 5, 63, 64, 65, 127, 128, 200] {
            let words: Vec<&str> = (0..length).map(|at| ["a", "b", "c"][at * at % 3]).collect();
            let found = model.score_line(&words.join(" "));
            let (mut state, mut next) = (model.begin_sentence_state(), State::empty());
            let mut expected = 0.0;
            let ids = words.iter().map(|word| model.vocabulary_id(word));
            for id in ids.chain([model.end_of_sentence()]) {
                expected += f64::from(model.score(&state, id, &mut next));
                state = next;
            }
            assert_eq!(found.log10, expected);
            assert_eq!(found.words, length as u64);
            assert_eq!(
                found.unknown,
                words.iter().filter(|&&word| word == "c").count() as u64
            );
        }
    }

    #[test]
    fn words_with_a_meaning_of_their_own_are_unknown_in_text() {
        let model = model();
        let strange = model.score_line("<s> a </s>\t<unk> b");
        let unknown = model.score_line("? a ? ? b");
        assert_eq!(strange, unknown);
        assert_eq!((strange.words, strange.unknown), (5, 3));
        assert!(strange.perplexity() > strange.perplexity_without_unknown());
        assert!(Score::default().perplexity().is_nan());
    }
}
