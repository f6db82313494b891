//! Which entry of the translation table a cell of a sentence pair's matrix means.
//!
//! Every pair of words that occurs together in some sentence pair is an entry of the table.
//! Looking entries up is what aligners spend their time on, so here it is done once: a sentence
//! pair of I source and J target words has I·J numbers, source-major, and the models' inner
//! loops only index arrays. Entries are numbered in the order of their first cell: those that
//! occur once (most of them) are then read in sequence, those that occur often lie together.
//! Both directions share the numbers. Where memory is short they lie in a file: each pass reads it from beginning to end.

use crate::Result;
use crate::sampler::LONGEST;
use chiasm_store::{Array, MappedFile};
use chiasm_text::Text;
use chiasm_work::cancel;
use rustc_hash::FxHashMap;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Pairs with more cells than this stay unaligned: they are not sentences, and one of them would
/// cost as much as thousands of others.
pub const MOST_CELLS: usize = 1 << 22;

/// The sentence pairs of a corpus as numbers of table entries.
pub struct Cells {
    /// Where the cells of each sentence pair begin.
    offsets: Vec<u64>,
    entries: Entries,
    /// Source and target word of every entry.
    words: Vec<(u32, u32)>,
}

enum Entries {
    Held(Vec<u32>),
    /// The file goes with it.
    Mapped(Array<u32>, #[allow(dead_code)] tempfile::TempPath),
}

impl std::ops::Deref for Entries {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self {
            Entries::Held(entries) => entries,
            Entries::Mapped(entries, _) => entries,
        }
    }
}

impl Cells {
    /// Numbers the cells of `source` and `target`, whose word numbers are below the given counts.
    pub fn build(source: &Text, target: &Text, source_words: usize, target_words: usize) -> Self {
        let offsets = offsets(source, target);
        let mut entries = vec![0u32; offsets.last().map_or(0, |&end| end as usize)];
        let postings = Postings::build(source, source_words);
        // Number of the entry of (current source word, target word), valid if stamped with it.
        let mut stamps = vec![(u32::MAX, 0u32); target_words];
        let mut words = Vec::new();
        for word in 0..source_words as u32 {
            for &(sentence, position) in postings.of(word) {
                let sentence = sentence as usize;
                let begin = offsets[sentence] as usize;
                if offsets[sentence + 1] as usize == begin {
                    continue;
                }
                let targets = target.sentence(sentence);
                let row = begin + position as usize * targets.len();
                for (cell, &other) in entries[row..row + targets.len()].iter_mut().zip(targets) {
                    let stamp = &mut stamps[other as usize];
                    if stamp.0 != word {
                        *stamp = (word, words.len() as u32);
                        words.push((word, other));
                    }
                    *cell = stamp.1;
                }
            }
        }
        drop(postings);
        let words = renumber(&mut entries, &words);
        Cells {
            offsets,
            entries: Entries::Held(entries),
            words,
        }
    }

    /// The same numbers in a temporary file in `folder`; slower, for every cell is looked up.
    pub fn build_in_file(source: &Text, target: &Text, folder: &Path) -> Result<Self> {
        let failed = |error| chiasm_store::Error::io(folder, error);
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        let offsets = offsets(source, target);
        let (mut numbers, mut words) = (FxHashMap::default(), Vec::new());
        let mut output = BufWriter::new(file.as_file_mut());
        for at in 0..source.len() {
            cancel::check();
            if offsets[at] == offsets[at + 1] {
                continue;
            }
            for &word in source.sentence(at) {
                for &other in target.sentence(at) {
                    let number: u32 = *numbers.entry((word, other)).or_insert_with(|| {
                        words.push((word, other));
                        words.len() as u32 - 1
                    });
                    output.write_all(&number.to_ne_bytes()).map_err(failed)?;
                }
            }
        }
        output.flush().map_err(failed)?;
        drop(output);
        let map = MappedFile::open(file.path())?;
        let bytes = offsets.last().map_or(0, |&end| end as usize) * size_of::<u32>();
        // The file has just been written with so many numbers.
        let entries = match Array::from_map(&map, 0..bytes) {
            Some(entries) => Entries::Mapped(entries, file.into_temp_path()),
            None => return Err(failed(std::io::ErrorKind::UnexpectedEof.into()).into()),
        };
        Ok(Cells {
            offsets,
            entries,
            words,
        })
    }

    /// The cells of sentence pair `at`: entry of source i and target j at i·J + j. Empty where a
    /// side is empty or the pair is too large.
    #[inline]
    pub fn sentence(&self, at: usize) -> &[u32] {
        &self.entries[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }

    /// Source and target word of every entry.
    pub fn words(&self) -> &[(u32, u32)] {
        &self.words
    }
}

/// How many cells a sentence pair has; none if it is too large.
pub fn pair_cells(source: &Text, target: &Text, at: usize) -> usize {
    let (sources, targets) = (source.sentence(at).len(), target.sentence(at).len());
    let cells = sources.saturating_mul(targets);
    let fits = cells <= MOST_CELLS && sources.max(targets) <= LONGEST;
    if fits { cells } else { 0 }
}

fn offsets(source: &Text, target: &Text) -> Vec<u64> {
    let mut offsets = Vec::with_capacity(source.len() + 1);
    let mut end = 0u64;
    offsets.push(end);
    for at in 0..source.len() {
        cancel::check();
        end += pair_cells(source, target, at) as u64;
        offsets.push(end);
    }
    offsets
}

/// Numbers the entries anew in the order of their first cell; returns their words in that order.
fn renumber(entries: &mut [u32], words: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut new = vec![u32::MAX; words.len()];
    let mut ordered = Vec::with_capacity(words.len());
    for cell in entries {
        let number = &mut new[*cell as usize];
        if *number == u32::MAX {
            *number = ordered.len() as u32;
            ordered.push(words[*cell as usize]);
        }
        *cell = *number;
    }
    ordered
}

/// Where each word occurs.
struct Postings {
    starts: Vec<u64>,
    places: Vec<(u32, u32)>,
}

impl Postings {
    fn build(text: &Text, words: usize) -> Self {
        let mut starts = vec![0u64; words + 1];
        for &word in &text.tokens[..] {
            starts[word as usize + 1] += 1;
        }
        for word in 0..words {
            starts[word + 1] += starts[word];
        }
        let mut next = starts.clone();
        let mut places = vec![(0, 0); text.tokens.len()];
        for sentence in 0..text.len() {
            cancel::tick();
            for (position, &word) in text.sentence(sentence).iter().enumerate() {
                let slot = &mut next[word as usize];
                places[*slot as usize] = (sentence as u32, position as u32);
                *slot += 1;
            }
        }
        Postings { starts, places }
    }

    fn of(&self, word: u32) -> &[(u32, u32)] {
        let word = word as usize;
        &self.places[self.starts[word] as usize..self.starts[word + 1] as usize]
    }
}
