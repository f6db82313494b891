//! Text as a stream of word numbers, in memory or, past a limit, in an unnamed file.

use crate::{Error, Result};
use chiasm_text::{Lines, Vocabulary};
use chiasm_work::cancel;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use zerocopy::IntoBytes;

pub(super) const UNKNOWN: u32 = 0;
pub(super) const BEGIN: u32 = 1;
pub(super) const END: u32 = 2;

/// What to do with `<s>`, `</s>` and `<unk>` as words of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SpecialWords {
    /// They are an error, with file and line.
    #[default]
    Refuse,
    /// They are left out, as if they were spaces.
    Skip,
}

/// The text: every sentence ended by [`END`], vocabulary in the order of arrival.
pub(super) struct Tokens {
    pub(super) vocabulary: Vocabulary,
    pub(super) sentences: u64,
    pub(super) words: u64,
    memory: Vec<u32>,
    disk: Option<File>,
    limit: usize,
    folder: PathBuf,
}

impl Tokens {
    /// Keeps at most about `limit` bytes in memory, the rest in `folder`.
    pub(super) fn new(limit: usize, folder: &Path) -> Self {
        let mut vocabulary = Vocabulary::new();
        for word in ["<unk>", "<s>", "</s>"] {
            vocabulary.intern(word);
        }
        Tokens {
            vocabulary,
            sentences: 0,
            words: 0,
            memory: Vec::new(),
            disk: None,
            limit: (limit / 4).max(1024),
            folder: folder.to_path_buf(),
        }
    }

    /// Adds all lines.
    pub(super) fn read(&mut self, lines: &mut Lines, special: SpecialWords) -> Result<()> {
        loop {
            let number = lines.number() + 1;
            let Some(line) = lines.next_line()? else {
                return Ok(());
            };
            let refused = self.push_line(line)?;
            if let Some(id) = refused.filter(|_| special == SpecialWords::Refuse) {
                return Err(Error::line(lines.path(), number, self.complaint(id)));
            }
        }
    }

    /// Adds sentences of numbers in `words`, which are all in use and in the order of their first
    /// appearance. More than one may be the same.
    pub(super) fn take<'w, 's>(
        &mut self,
        words: impl Iterator<Item = &'w str>,
        sentences: impl Iterator<Item = &'s [u32]>,
        special: SpecialWords,
    ) -> Result<()> {
        let numbers: Vec<u32> = words.map(|word| self.vocabulary.intern(word)).collect();
        for sentence in sentences {
            let refused = self.push(sentence.iter().map(|&word| numbers[word as usize]))?;
            if let Some(id) = refused.filter(|_| special == SpecialWords::Refuse) {
                return Err(Error::Impossible(self.complaint(id)));
            }
        }
        Ok(())
    }

    /// Adds a line; see [`Tokens::push`].
    fn push_line(&mut self, line: &str) -> Result<Option<u32>> {
        cancel::tick();
        let mut vocabulary = std::mem::take(&mut self.vocabulary);
        let words = chiasm_text::tokens(line).map(|token| vocabulary.intern(token));
        let refused = self.push(words);
        self.vocabulary = vocabulary;
        refused
    }

    /// Adds a sentence, and returns the first word in it that has a meaning of its own.
    fn push(&mut self, sentence: impl Iterator<Item = u32>) -> Result<Option<u32>> {
        let mut special = None;
        for id in sentence {
            if id <= END {
                special = special.or(Some(id));
                continue;
            }
            self.memory.push(id);
            self.words += 1;
        }
        self.memory.push(END);
        self.sentences += 1;
        if self.memory.len() >= self.limit {
            self.spill().map_err(|e| self.failed(e))?;
        }
        Ok(special)
    }

    fn complaint(&self, id: u32) -> String {
        let word = self.vocabulary.word(id);
        format!("the word {word} has a meaning of its own in a language model")
    }

    fn failed(&self, error: std::io::Error) -> Error {
        chiasm_store::Error::io(&self.folder, error).into()
    }

    fn spill(&mut self) -> std::io::Result<()> {
        let file = match &mut self.disk {
            Some(file) => file,
            None => self.disk.insert(tempfile::tempfile_in(&self.folder)?),
        };
        file.write_all(self.memory.as_bytes())?;
        self.memory.clear();
        Ok(())
    }

    /// All tokens in order, block by block.
    pub(super) fn for_each_block(
        &mut self,
        mut take: impl FnMut(&[u32]) -> Result<()>,
    ) -> Result<()> {
        if let Some(mut file) = self.disk.take() {
            file.seek(SeekFrom::Start(0)).map_err(|e| self.failed(e))?;
            let mut reader = BufReader::with_capacity(1 << 16, file);
            let mut block = vec![0u32; 1 << 14];
            loop {
                let length = fill(&mut reader, block.as_mut_bytes()).map_err(|e| self.failed(e))?;
                take(&block[..length / 4])?;
                if length < block.len() * 4 {
                    break;
                }
            }
        }
        take(&std::mem::take(&mut self.memory))
    }
}

fn fill(reader: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match reader.read(&mut bytes[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}
