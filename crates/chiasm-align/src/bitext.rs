//! A parallel corpus as the models see it.
//!
//! Aligners gain from seeing `The` and `the` as one word, so the models' vocabularies are
//! lower-cased.

use crate::pairs::Pairs;
use crate::{Error, Result};
use chiasm_text::{Batch, MappedText, ParallelLines, Text, Vocabulary, tokens};
use std::path::Path;

/// One side of a parallel corpus.
#[derive(Default)]
pub struct Side {
    /// The lower-cased words.
    pub vocabulary: Vocabulary,
    /// The sentences in numbers of `vocabulary`.
    pub text: Text,
    folded: String,
}

impl Side {
    /// Words fold in the order of their first appearance, as they do line by line.
    fn of_text(text: &MappedText) -> Self {
        let mut side = Side::default();
        let words = text.vocabulary().words();
        let folded = words.map(|word| side.vocabulary.intern(fold(word, &mut side.folded)));
        side.text = text.renumbered(&folded.collect::<Vec<_>>());
        side
    }

    /// Adds a sentence.
    pub fn push_line(&mut self, line: &str) {
        for token in tokens(line) {
            let folded = fold(token, &mut self.folded);
            self.text.tokens.push(self.vocabulary.intern(folded));
        }
        self.text.offsets.push(self.text.tokens.len() as u64);
    }
}

/// The word as the models see it: lower-cased. `buffer` is where it is built if it differs.
pub fn fold<'a>(token: &'a str, buffer: &'a mut String) -> &'a str {
    let plain = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if token.bytes().all(plain) {
        return token;
    }
    buffer.clear();
    buffer.extend(token.chars().flat_map(char::to_lowercase));
    buffer
}

/// A parallel corpus.
#[derive(Default)]
pub struct Bitext {
    /// The source side.
    pub source: Side,
    /// The target side.
    pub target: Side,
}

const ROWS: usize = 4096;

impl Bitext {
    /// An empty corpus.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a sentence pair.
    pub fn push(&mut self, source: &str, target: &str) {
        self.source.push_line(source);
        self.target.push_line(target);
    }

    /// Reads two files with equally many lines.
    pub fn read(source: impl AsRef<Path>, target: impl AsRef<Path>) -> Result<Self> {
        let mut bitext = Bitext::new();
        let mut files = ParallelLines::open(&[source.as_ref(), target.as_ref()])?;
        let mut batch = Batch::default();
        while files.next_batch(&mut batch, ROWS)? {
            for row in 0..batch.len() {
                bitext.push(batch.line(0, row), batch.line(1, row));
            }
        }
        Ok(bitext)
    }

    /// Takes two texts with equally many sentences.
    pub fn of_texts(source: &MappedText, target: &MappedText) -> Result<Self> {
        if source.len() != target.len() {
            return Err(Error::Usage(format!(
                "{}: {} sentences, but {} has {}",
                target.path().display(),
                target.len(),
                source.path().display(),
                source.len()
            )));
        }
        Ok(Bitext {
            source: Side::of_text(source),
            target: Side::of_text(target),
        })
    }

    /// Reads all pairs of an input.
    pub fn of_pairs(pairs: &mut Pairs) -> Result<Self> {
        let mut bitext = Bitext::new();
        let (mut source, mut target) = (String::new(), String::new());
        while pairs.next(&mut source, &mut target)? {
            bitext.push(&source, &target);
        }
        Ok(bitext)
    }

    /// How many sentence pairs.
    pub fn len(&self) -> usize {
        self.source.text.len()
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a line that is not `source ||| target` is told.
pub(crate) const JOINED_EXPECTED: &str = "expected: source ||| target, with one ||| between spaces";

/// Splits `source ||| target`; the bars stand alone and occur once.
pub(crate) fn split_joined(line: &str) -> Option<(&str, &str)> {
    let mut bars = tokens(line).filter(|&token| token == "|||");
    let bar = bars.next()?;
    if bars.next().is_some() {
        return None;
    }
    let at = bar.as_ptr() as usize - line.as_ptr() as usize;
    Some((&line[..at], &line[at + bar.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded() {
        let mut bitext = Bitext::new();
        bitext.push("The the ÜBER", "Das  das");
        assert_eq!(bitext.source.text.sentence(0), &[0, 0, 1]);
        assert_eq!(bitext.source.vocabulary.word(1), "über");
        assert_eq!(bitext.target.text.sentence(0), &[0, 0]);
    }

    #[test]
    fn a_mapped_text_is_what_its_lines_are() {
        let folder = tempfile::tempdir().unwrap();
        let lines = ["über The", "", "the ÜBER a"];
        let mut pushed = Bitext::new();
        lines.iter().for_each(|line| pushed.push(line, line));
        let path = folder.path().join("text");
        MappedText::write(&path, lines).unwrap();
        let text = MappedText::open(&path).unwrap();
        let mapped = Bitext::of_texts(&text, &text).unwrap();
        assert_eq!(mapped.target.text, pushed.target.text);
        let words = |side: &Side| side.vocabulary.words().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&mapped.source), words(&pushed.source));
        MappedText::write(&path, ["one"]).unwrap();
        let shorter = MappedText::open(&path).unwrap();
        assert!(Bitext::of_texts(&text, &shorter).is_err());
    }

    #[test]
    fn joined_lines_have_one_bar() {
        assert_eq!(split_joined("a b ||| c"), Some(("a b ", " c")));
        assert_eq!(split_joined("||| c"), Some(("", " c")));
        assert_eq!(split_joined("a |||"), Some(("a ", "")));
        assert_eq!(split_joined("|||"), Some(("", "")));
        for bad in ["a b", "", "a ||| b ||| c", "a|||b"] {
            assert_eq!(split_joined(bad), None, "{bad}");
        }
    }
}
