//! Moses' phrase table:
//! `source ||| target ||| p(f|e) lex(f|e) p(e|f) lex(e|f) ||| links ||| c(e) c(f) c(f,e) ||| |||`.

use crate::Result;
use crate::corpus::IndexedCorpus;
use crate::numbers::write_number;
use crate::scoring::ScoredPair;
use chiasm_text::{TextOutput, Vocabulary};
use std::path::Path;

/// Writes the lines of a phrase table.
pub struct PhraseTableWriter<'a> {
    output: TextOutput,
    source: &'a Vocabulary,
    target: &'a Vocabulary,
    line: Vec<u8>,
}

const ENOUGH: usize = 1 << 16;

impl<'a> PhraseTableWriter<'a> {
    /// Begins a table with the words of `corpus`.
    pub fn create(path: &Path, corpus: &'a IndexedCorpus) -> Result<Self> {
        Ok(PhraseTableWriter {
            output: TextOutput::create(path)?,
            source: &corpus.source.vocabulary,
            target: &corpus.target.vocabulary,
            line: Vec::new(),
        })
    }

    /// Adds a line.
    pub fn write(&mut self, scored: &ScoredPair) -> Result<()> {
        let line = &mut self.line;
        write_line(scored, self.source, self.target, line);
        if line.len() >= ENOUGH {
            self.output.write_text(line)?;
            line.clear();
        }
        Ok(())
    }

    /// Completes the file.
    pub fn finish(mut self) -> Result<()> {
        self.output.write_text(&self.line)?;
        Ok(self.output.finish()?)
    }
}

/// Appends the line of a pair.
pub fn write_line(
    scored: &ScoredPair,
    source: &Vocabulary,
    target: &Vocabulary,
    line: &mut Vec<u8>,
) {
    let pair = &scored.pair;
    write_words(&pair.source, source, line);
    line.extend_from_slice(b"||| ");
    write_words(&pair.target, target, line);
    line.extend_from_slice(b"|||");
    for score in scored.scores {
        line.push(b' ');
        write_number(score, line);
    }
    line.extend_from_slice(b" |||");
    for link in &pair.links {
        line.push(b' ');
        line.extend_from_slice(itoa::Buffer::new().format(link.source).as_bytes());
        line.push(b'-');
        line.extend_from_slice(itoa::Buffer::new().format(link.target).as_bytes());
    }
    line.extend_from_slice(b" |||");
    let joint = u64::from(pair.counts.total);
    for count in [scored.target.total, scored.source.total, joint] {
        line.push(b' ');
        line.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
    }
    line.extend_from_slice(b" ||| |||\n");
}

/// Appends words, a space after each.
pub fn write_words(words: &[u32], vocabulary: &Vocabulary, into: &mut Vec<u8>) {
    for &word in words {
        into.extend_from_slice(vocabulary.word(word).as_bytes());
        into.push(b' ');
    }
}
