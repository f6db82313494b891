//! Word translation tables from the links (Koehn, Och & Marcu 2003).
//!
//! `p(e|f) = count(f,e) / Σ_e' count(f,e')`, and the same the other way; a word without a link
//! counts as linked to NULL.

use crate::corpus::IndexedCorpus;
use chiasm_text::{Result, TextOutput, Vocabulary};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::path::Path;

/// What stands for no word.
const NULL: u32 = u32::MAX;
const NULL_TEXT: &str = "NULL";

/// Word translation probabilities in both directions.
pub struct Lexicon {
    pairs: HashMap<u64, u32, FixedState>,
    source_totals: HashMap<u32, u32, FixedState>,
    target_totals: HashMap<u32, u32, FixedState>,
}

fn pair_key(source: u32, target: u32) -> u64 {
    u64::from(source) << 32 | u64::from(target)
}

impl Lexicon {
    /// Counts the links of a corpus.
    pub fn count(corpus: &mut IndexedCorpus) -> Result<Self> {
        let mut lexicon = Lexicon {
            pairs: HashMap::default(),
            source_totals: HashMap::default(),
            target_totals: HashMap::default(),
        };
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

    fn add(&mut self, source: u32, target: u32) {
        *self.pairs.entry(pair_key(source, target)).or_insert(0) += 1;
        *self.source_totals.entry(source).or_insert(0) += 1;
        *self.target_totals.entry(target).or_insert(0) += 1;
    }

    fn ratio(
        &self,
        source: u32,
        target: u32,
        totals: &HashMap<u32, u32, FixedState>,
        of: u32,
    ) -> f64 {
        match (self.pairs.get(&pair_key(source, target)), totals.get(&of)) {
            (Some(&count), Some(&total)) => f64::from(count) / f64::from(total),
            _ => 0.0,
        }
    }

    /// `p(target | source)`.
    fn forward(&self, source: u32, target: u32) -> f64 {
        self.ratio(source, target, &self.source_totals, source)
    }

    /// `p(source | target)`.
    fn reverse(&self, source: u32, target: u32) -> f64 {
        self.ratio(source, target, &self.target_totals, target)
    }

    /// `lex(f|e, a)` and `lex(e|f, a)`: each word's average over its links, NULL if it has none.
    pub fn weights(&self, source: &[u32], target: &[u32], links: &[(u8, u8)]) -> (f64, f64) {
        let mut source_given_target = 1.0;
        for (position, &word) in source.iter().enumerate() {
            let linked = links.iter().filter(|link| link.0 as usize == position);
            let probabilities = linked.map(|link| self.reverse(word, target[link.1 as usize]));
            source_given_target *=
                average(probabilities).unwrap_or_else(|| self.reverse(word, NULL));
        }
        let mut target_given_source = 1.0;
        for (position, &word) in target.iter().enumerate() {
            let linked = links.iter().filter(|link| link.1 as usize == position);
            let probabilities = linked.map(|link| self.forward(source[link.0 as usize], word));
            target_given_source *=
                average(probabilities).unwrap_or_else(|| self.forward(NULL, word));
        }
        (source_given_target, target_given_source)
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
            let probability = self.forward(source, target);
            let line = format!("{target_text} {source_text} {probability:.7}\n");
            forward.write_text(line.as_bytes())?;
            let probability = self.reverse(source, target);
            let line = format!("{source_text} {target_text} {probability:.7}\n");
            reverse.write_text(line.as_bytes())?;
        }
        forward.finish()?;
        reverse.finish()
    }
}

fn average(probabilities: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0u32);
    for probability in probabilities {
        sum += probability;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}
