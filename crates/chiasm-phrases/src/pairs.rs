//! Distinct phrase pairs with their counts, in the bytewise order of the lines they make.

use crate::Result;
use crate::corpus::IndexedCorpus;
use crate::counter::{CountedKeys, Counter, Counts, pack, unpack_links};
use crate::direction::Direction;
use crate::files::Extraction;
use crate::orientation::Extractor;
use crate::span::PhraseLink;
use chiasm_work::Progress;
use std::path::Path;

/// A distinct phrase pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedPair {
    /// Source words.
    pub source: Vec<u32>,
    /// Target words.
    pub target: Vec<u32>,
    /// The most frequent inner links, by target then source; among equally
    /// frequent ones the first in that order.
    pub links: Vec<PhraseLink>,
    /// How often, and how oriented.
    pub counts: Counts,
}

/// All phrase pairs of a corpus, counted.
pub struct CountedPairs {
    keys: CountedKeys,
    ahead: Option<Counts>,
    key: Vec<u32>,
    separators: [u32; 2],
    /// Counts over all pairs.
    pub totals: Counts64,
    /// How many sorted runs went to disk.
    pub spilled_runs: usize,
}

/// Counts over all pairs of a corpus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts64 {
    /// Occurrences.
    pub total: u64,
    /// By backward orientation.
    pub backward: [u64; 4],
    /// By forward orientation.
    pub forward: [u64; 4],
}

#[derive(Default)]
struct Work {
    batch: Vec<u32>,
    totals: Counts64,
    extractor: Option<Extractor>,
}

impl CountedPairs {
    /// Extracts and counts within about `budget` bytes; what does not fit goes to `folder`.
    pub fn count(
        corpus: &mut IndexedCorpus,
        extraction: &Extraction,
        budget: usize,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let separators = [corpus.source.separator, corpus.target.separator];
        let mut counter = Counter::new(budget, folder);
        let mut totals = Counts64::default();
        corpus.for_each_in_order(
            |pair, work: &mut Work| {
                let extractor = work.extractor.get_or_insert_with(|| extraction.extractor());
                extractor.instances(pair.alignment, |instance| {
                    work.totals.total += 1;
                    work.totals.backward[instance.backward as usize] += 1;
                    work.totals.forward[instance.forward as usize] += 1;
                    let (source, target) = (pair.source, pair.target);
                    pack(
                        &instance,
                        source,
                        target,
                        pair.alignment,
                        separators,
                        &mut work.batch,
                    );
                });
            },
            |work, pairs| {
                counter.add_batch(&work.batch)?;
                work.batch.clear();
                totals.add(&std::mem::take(&mut work.totals));
                progress.advance(pairs);
                Ok(())
            },
        )?;
        let spilled_runs = counter.spilled_runs();
        let mut pairs = Self::of_keys(counter.finish()?, separators, totals)?;
        pairs.spilled_runs = spilled_runs;
        Ok(pairs)
    }

    /// The pairs of sorted keys.
    pub(crate) fn of_keys(
        mut keys: CountedKeys,
        separators: [u32; 2],
        totals: Counts64,
    ) -> Result<Self> {
        let mut key = Vec::new();
        let ahead = keys.next(&mut key)?;
        Ok(CountedPairs {
            keys,
            ahead,
            key,
            separators,
            totals,
            spilled_runs: 0,
        })
    }

    /// The next key as it was counted, the same words with other links apart; none at the end.
    pub(crate) fn next_key(&mut self, key: &mut Vec<u32>) -> Result<Option<Counts>> {
        let Some(counts) = self.ahead else {
            return Ok(None);
        };
        std::mem::swap(key, &mut self.key);
        self.ahead = self.keys.next(&mut self.key)?;
        Ok(Some(counts))
    }

    /// The next phrase pair into `pair`; `false` at the end.
    pub fn next(&mut self, pair: &mut CountedPair) -> Result<bool> {
        let Some(first) = self.ahead else {
            return Ok(false);
        };
        let (source, target) = split_key(&self.key, self.separators);
        pair.source.clear();
        pair.source.extend_from_slice(source);
        pair.target.clear();
        pair.target.extend_from_slice(target);
        let columns = source.len() + target.len() + 2;
        unpack_links(&self.key[columns..], &mut pair.links);
        pair.counts = first;
        let mut best = first.total;
        loop {
            self.ahead = self.keys.next(&mut self.key)?;
            let Some(counts) = self.ahead else { break };
            let (source, target) = split_key(&self.key, self.separators);
            if source != pair.source || target != pair.target {
                break;
            }
            pair.counts.add(&counts);
            if counts.total > best {
                best = counts.total;
                unpack_links(&self.key[columns..], &mut pair.links);
            }
        }
        Ok(true)
    }
}

impl From<&Counts> for Counts64 {
    fn from(counts: &Counts) -> Self {
        Counts64 {
            total: counts.total.into(),
            backward: counts.backward.map(u64::from),
            forward: counts.forward.map(u64::from),
        }
    }
}

impl Counts64 {
    /// By orientation with respect to one neighbour.
    pub fn of(&self, direction: Direction) -> &[u64; 4] {
        direction.of(&self.backward, &self.forward)
    }

    /// Adds others.
    pub fn add(&mut self, other: &Counts64) {
        self.total += other.total;
        for class in 0..4 {
            self.backward[class] += other.backward[class];
            self.forward[class] += other.forward[class];
        }
    }
}

/// Source and target words of a key.
fn split_key(key: &[u32], separators: [u32; 2]) -> (&[u32], &[u32]) {
    let source_end = key
        .iter()
        .position(|&w| w == separators[0])
        .unwrap_or(key.len());
    let rest = key.get(source_end + 1..).unwrap_or(&[]);
    let target_end = rest
        .iter()
        .position(|&w| w == separators[1])
        .unwrap_or(rest.len());
    (&key[..source_end], &rest[..target_end])
}
