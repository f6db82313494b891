//! A corpus as one flat array.

use crate::{Lines, Result, Vocabulary};
use std::path::Path;

/// The tokens of a line: what stands between spaces and tabs.
pub fn tokens(line: &str) -> Tokens<'_> {
    Tokens { line, position: 0 }
}

/// The tokens of a line; see [`tokens`].
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    line: &'a str,
    position: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.line.as_bytes();
        let mut start = self.position;
        while matches!(bytes.get(start), Some(b' ' | b'\t')) {
            start += 1;
        }
        let mut end = start;
        while end < bytes.len() && !matches!(bytes[end], b' ' | b'\t') {
            end += 1;
        }
        self.position = end;
        (start < end).then(|| &self.line[start..end])
    }
}

/// Sentences of word ids: sentence `i` is `tokens[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Where each sentence begins, and where the last one ends.
    pub offsets: Vec<u64>,
    /// All words.
    pub tokens: Vec<u32>,
}

impl Default for Text {
    fn default() -> Self {
        Self::new()
    }
}

impl Text {
    /// No sentences.
    pub fn new() -> Self {
        Text {
            offsets: vec![0],
            tokens: Vec::new(),
        }
    }

    /// Reads a file; new words enter the vocabulary.
    pub fn read(path: impl AsRef<Path>, vocabulary: &mut Vocabulary) -> Result<Self> {
        let mut text = Text::new();
        let mut lines = Lines::open(path)?;
        while let Some(line) = lines.next_line()? {
            text.push_line(line, vocabulary);
        }
        Ok(text)
    }

    /// Adds a sentence.
    pub fn push_line(&mut self, line: &str, vocabulary: &mut Vocabulary) {
        self.tokens
            .extend(tokens(line).map(|token| vocabulary.intern(token)));
        self.offsets.push(self.tokens.len() as u64);
    }

    /// Adds a sentence of ids.
    pub fn push(&mut self, sentence: &[u32]) {
        self.tokens.extend_from_slice(sentence);
        self.offsets.push(self.tokens.len() as u64);
    }

    /// How many sentences.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One sentence.
    #[inline]
    pub fn sentence(&self, index: usize) -> &[u32] {
        &self.tokens[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// All sentences.
    pub fn sentences(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|index| self.sentence(index))
    }

    /// Renumbers the words: `new[old]`.
    pub fn renumber(&mut self, new: &[u32]) {
        for token in &mut self.tokens {
            *token = new[*token as usize];
        }
    }
}
