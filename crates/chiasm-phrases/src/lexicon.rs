//! Word translation tables from the links (Koehn, Och & Marcu 2003).
//!
//! `p(e|f) = count(f,e) / Σ_e' count(f,e')`, and the same the other way; a word without a link
//! counts as linked to NULL.

use crate::AlignedFiles;
use crate::Result;
use crate::corpus::IndexedCorpus;
use crate::span::PhraseLink;
use chiasm_text::{TextOutput, Vocabulary};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::path::{Path, PathBuf};

/// What stands for no word.
const NULL: u32 = u32::MAX;
const NULL_TEXT: &str = "NULL";

/// Word translation probabilities in both directions.
pub struct Lexicon {
    pairs: HashMap<u64, u32, FixedState>,
    source_totals: Totals,
    target_totals: Totals,
}

fn pair_key(source: u32, target: u32) -> u64 {
    u64::from(source) << 32 | u64::from(target)
}

impl Lexicon {
    /// Counts the links of a corpus.
    pub fn count(corpus: &mut IndexedCorpus) -> Result<Self> {
        let mut lexicon = Lexicon::of_counts(std::iter::empty());
        corpus.for_each_in_order(
            |pair, links: &mut Vec<(u32, u32)>| {
                links.extend(pair.links.iter().map(|link| {
                    (
                        pair.source[link.source as usize],
                        pair.target[link.target as usize],
                    )
                }));
                let alone = |reach: &[crate::alignment::Reach], words: &[u32]| {
                    let lonely = reach.iter().zip(words).filter(|(reach, _)| reach.is_none());
                    lonely.map(|(_, &word)| word).collect::<Vec<_>>()
                };
                let source = alone(&pair.alignment.of_source, pair.source);
                links.extend(source.into_iter().map(|word| (word, NULL)));
                let target = alone(&pair.alignment.of_target, pair.target);
                links.extend(target.into_iter().map(|word| (NULL, word)));
            },
            |links, _| {
                for (source, target) in links.drain(..) {
                    lexicon.add(source, target);
                }
                Ok(())
            },
        )?;
        Ok(lexicon)
    }

    /// Counts the links of three files (source, target, links) and writes both tables as [`Lexicon::write`] does; temporary files
    /// lie beside the source.
    pub fn write_of_files([source, target, links]: [PathBuf; 3], prefix: &Path) -> Result<()> {
        let scratch = source.parent().unwrap_or(Path::new("")).to_path_buf();
        let files = AlignedFiles {
            source,
            target,
            links,
        };
        let mut corpus = IndexedCorpus::read(&files, &scratch, &())?;
        let lexicon = Lexicon::count(&mut corpus)?;
        lexicon.write(prefix, &corpus.source.vocabulary, &corpus.target.vocabulary)
    }

    /// The lexicon of pairs of words with how often each was linked, as [`Lexicon::counts`] gives them.
    pub fn of_counts(counts: impl Iterator<Item = (u64, u32)>) -> Self {
        let mut lexicon = Lexicon {
            pairs: HashMap::default(),
            source_totals: Totals::default(),
            target_totals: Totals::default(),
        };
        for (key, count) in counts {
            lexicon.add_many((key >> 32) as u32, key as u32, count);
        }
        lexicon
    }

    /// How often each pair of words was linked: the source's number in the upper half of a key, the target's in the lower,
    /// all ones for none. In no order.
    pub fn counts(&self) -> impl ExactSizeIterator<Item = (u64, u32)> + '_ {
        self.pairs.iter().map(|(&key, &count)| (key, count))
    }

    fn add(&mut self, source: u32, target: u32) {
        self.add_many(source, target, 1);
    }

    fn add_many(&mut self, source: u32, target: u32, count: u32) {
        *self.pairs.entry(pair_key(source, target)).or_insert(0) += count;
        self.source_totals.add(source, count);
        self.target_totals.add(target, count);
    }

    /// `p(target | source)` and `p(source | target)`.
    fn both(&self, source: u32, target: u32) -> (f64, f64) {
        let count = f64::from(
            self.pairs
                .get(&pair_key(source, target))
                .copied()
                .unwrap_or(0),
        );
        let share = |totals: &Totals, word| count / f64::from(totals.get(word).max(1));
        (
            share(&self.source_totals, source),
            share(&self.target_totals, target),
        )
    }

    /// `lex(f|e, a)` and `lex(e|f, a)`: each word's average over its links, NULL if it has none.
    pub fn weights(&self, source: &[u32], target: &[u32], links: &[PhraseLink]) -> (f64, f64) {
        // Phrases have at most 255 words; each entry is (sum of probabilities, links).
        let mut of_source = [(0.0, 0u32); 256];
        let mut of_target = [(0.0, 0u32); 256];
        for link in links {
            let (at, other) = (usize::from(link.source), usize::from(link.target));
            let (forward, reverse) = self.both(source[at], target[other]);
            add(&mut of_source[at], reverse);
            add(&mut of_target[other], forward);
        }
        let source_given_target = source.iter().zip(&of_source).map(|(&word, &(sum, count))| {
            if count > 0 {
                sum / f64::from(count)
            } else {
                self.both(word, NULL).1
            }
        });
        let target_given_source = target.iter().zip(&of_target).map(|(&word, &(sum, count))| {
            if count > 0 {
                sum / f64::from(count)
            } else {
                self.both(NULL, word).0
            }
        });
        (source_given_target.product(), target_given_source.product())
    }

    /// Writes `PREFIX.f2e` (`target source p(target|source)`) and `PREFIX.e2f`, as Moses does.
    pub fn write(
        &self,
        prefix: &Path,
        source_words: &Vocabulary,
        target_words: &Vocabulary,
    ) -> Result<()> {
        let mut entries: Vec<(u32, u32)> = self
            .pairs
            .keys()
            .map(|key| ((key >> 32) as u32, *key as u32))
            .collect();
        entries.sort_unstable();
        let text = |words: &Vocabulary, id: u32| match id {
            NULL => NULL_TEXT.to_string(),
            id => words.word(id).to_string(),
        };
        let file = |ending: &str| {
            let mut name = prefix.as_os_str().to_owned();
            name.push(ending);
            TextOutput::create(Path::new(&name))
        };
        let (mut forward, mut reverse) = (file(".f2e")?, file(".e2f")?);
        for (source, target) in entries {
            let (source_text, target_text) =
                (text(source_words, source), text(target_words, target));
            let probability = self.both(source, target).0;
            let line = format!("{target_text} {source_text} {probability:.7}\n");
            forward.write_text(line.as_bytes())?;
            let probability = self.both(source, target).1;
            let line = format!("{source_text} {target_text} {probability:.7}\n");
            reverse.write_text(line.as_bytes())?;
        }
        forward.finish()?;
        Ok(reverse.finish()?)
    }
}

fn add(entry: &mut (f64, u32), probability: f64) {
    entry.0 += probability;
    entry.1 += 1;
}

/// How often each word, and NULL, was linked.
#[derive(Default)]
struct Totals {
    words: Vec<u32>,
    null: u32,
}

impl Totals {
    fn add(&mut self, word: u32, count: u32) {
        if word == NULL {
            self.null += count;
            return;
        }
        if self.words.len() <= word as usize {
            self.words.resize(word as usize + 1, 0);
        }
        self.words[word as usize] += count;
    }

    fn get(&self, word: u32) -> u32 {
        if word == NULL {
            self.null
        } else {
            self.words.get(word as usize).copied().unwrap_or(0)
        }
    }
}
